"""Folders of files with rows, whose columns may come later: a key of the second file is read as one of the first.

A stream of files must know its columns before it starts, and Spark leaves out all others without a word. So:

- **JSON lines** are read as texts. Each keeps its whole `LINE`, which predicates read; only the columns of items are
  parsed from it, as texts, so that no line is refused for the kind of a value::

      {"id": "t1", "name": "RBS"}                  id t1     line {"id": "t1", "name": "RBS"}
      {"id": 2, "name": "RBS", "volume": 7.5}      id 2      line {"id": 2, "name": "RBS", "volume": 7.5}

  A language that reads columns, such as properties, needs them in one kind for all lines (`typed`): then the columns
  that the files had at the start are parsed, too, and a line with a value of another kind is set aside. A line with a
  list of objects is several rows, which Spark writes: a fraction beyond a double is rounded there. With the options
  `multiLine`, `encoding` or `charset` Spark's own reader is used, whose columns are fixed at the start.
- **Parquet** files say their columns at their end. `new_columns` compares those of a batch with the stream's, and the
  pipeline starts the stream again with the columns of all files. A column has one kind in all of them: Spark reads no
  file where it has another, and the run ends with the name of the file (`failures.fault_of_kinds`).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, MapType, NumericType, StringType, StructField, StructType

from watchword.errors import PipelineError
from watchword.spark.columns import named
from watchword.spark.failures import SPARK_ERRORS, one_line
from watchword.visible import visible

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

LINE = "_line"
"""The column with the whole line of a JSON file; a key `line` is another one."""
CORRUPT = "_corrupt_record"
METADATA = "_metadata"
_OWN_READER = ("multiline", "encoding", "charset")
_MARK = "\ufeff"
_log = logging.getLogger("watchword.pipeline")


def as_glob(path: str) -> str:
    """Return the pattern that only this path matches, which is how Spark reads paths.

    >>> as_glob("/feeds/in[1]")
    '/feeds/in\\\\[1\\\\]'
    """
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", path)


def is_lines(format: str, options: Mapping[str, str]) -> bool:
    """Return whether files are read line by line, so that keys which come later are read, too."""
    return format == "json" and not any(name.lower() in _OWN_READER for name in options)


def file_schema(spark: SparkSession, format: str, options: Mapping[str, str]) -> StructType:
    """Return the columns of all files that are there."""
    schema = _merged(spark, options) if format == "parquet" else None
    schema = schema or spark.read.format(format).options(**options).load().schema
    if schema.names == [CORRUPT]:
        raise PipelineError(f"{options['path']}: its files are not JSON lines")
    if format == "json" and CORRUPT not in schema.names:
        schema = schema.add(CORRUPT, "string")  # a line that cannot be read is then there as it is
    return schema


def _merged(spark: SparkSession, options: Mapping[str, str]) -> StructType | None:
    """Return the columns of all Parquet files; None, and a line in the log, where two files do not agree on a kind."""
    try:
        return spark.read.format("parquet").options(**{**options, "mergeSchema": "true"}).load().schema
    except SPARK_ERRORS as error:
        reason = one_line(error)
        _log.warning("%s: the columns of one file are taken for all of them: %s", options.get("path"), reason)
        return None


def is_reserved(name: str) -> bool:
    """Return whether a key of JSON lines is called as a column of ours, which Spark could not tell apart."""
    return name.lower() in (LINE, METADATA)


def read_lines(
    spark: SparkSession, options: Mapping[str, str], schema: StructType, own: Sequence[str], *, typed: bool
) -> DataFrame:
    """Return a stream of JSON lines: the columns `own`, those of `schema` if `typed`, `LINE` and `METADATA`.

    Where `schema` does not decide their kinds, the columns `own` are texts, as which any value can be read.
    """
    fields = [field for field in schema.fields if field.name == CORRUPT or (typed and not is_reserved(field.name))]
    known = {field.name.lower() for field in fields}
    late = [name for name in own if name.lower() not in known]  # to Spark `Title` and `title` are one column
    wanted = StructType(fields + [StructField(name, StringType()) for name in late])
    texts = spark.readStream.format("text").options(**options).load()
    lines = texts.select(F.explode(_objects(named("value"))).alias(LINE), METADATA).where(F.trim(named(LINE)) != "")
    given = {**options, "mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT}
    parsed = lines.select(LINE, METADATA, F.from_json(named(LINE), wanted, given).alias("parsed"))
    kinds = {field.name: field.dataType for field in schema.fields}
    return parsed.select(*[_column(field.name, late, kinds) for field in wanted.fields], LINE, METADATA)


def _objects(line: Column) -> Column:
    """Return the rows of a line: of a list its elements, of any other line the line."""
    line = F.ltrim(line, F.lit(_MARK))
    several = F.when(F.ltrim(line).startswith("["), F.from_json(line, ArrayType(StringType())))
    return F.coalesce(several, F.array(line))


def _column(name: str, late: Sequence[str], kinds: Mapping[str, DataType]) -> Column:
    value = named("parsed").getField(name)
    if name == CORRUPT:
        value = F.when(~F.is_valid_utf8(named(LINE)), named(LINE)).otherwise(value)
    elif name in late and name == "categories":
        value = F.coalesce(F.from_json(value, ArrayType(StringType())), F.when(value.isNotNull(), F.array(value)))
    elif name in late and name == "published" and isinstance(kinds.get(name), NumericType):
        seconds = value.try_cast(kinds[name]).try_cast("timestamp")
        value = F.coalesce(seconds, value.try_cast("timestamp"))
    return value.alias(name)


class NewColumns(Exception):
    """A batch has columns that the stream does not read: it is started again, and repeats the batch with them."""


def check_columns(batch: DataFrame, file: str, known: DataType, said: set[str]) -> None:
    """Raise `NewColumns` if Parquet files of a batch have columns that are neither `known` nor `said`; say them then.

    Where Spark does not take a column up, as it takes `Volume` and `volume` for one, starting again would not help; a
    column is said once, and a line in the log says that it is not read.
    """
    new = new_columns(batch, file, known)
    unknown = [name for name in new if name not in said]
    if unknown:
        said.update(unknown)
        raise NewColumns(", ".join(unknown))
    if new:
        _log.warning("columns that cannot be read beside those of other files: %s", visible(", ".join(new)))


def new_columns(batch: DataFrame, file: str, known: DataType) -> list[str]:
    """Return the columns of a batch's Parquet files that are not `known`; the column `file` names the files."""
    spark = batch.sparkSession
    files = [as_glob(unquote(row[0])) for row in batch.select(file).distinct().collect()]
    try:
        found = spark.read.option("mergeSchema", "true").parquet(*files).schema if files else known
    except SPARK_ERRORS as error:
        _log.warning("columns that are new in this batch cannot be told: %s", one_line(error))
        return []
    held = set(_paths(known))
    return [path for path in _paths(found) if path not in held]


def _paths(kind: DataType, prefix: str = "") -> Iterator[str]:
    """Yield the columns of a type and those inside of them, such as `trade` and `trade.volume`."""
    if isinstance(kind, ArrayType):
        yield from _paths(kind.elementType, prefix)
    elif isinstance(kind, StructType):
        for field in kind.fields:
            yield f"{prefix}{field.name}"
            yield from _paths(field.dataType, f"{prefix}{field.name}.")
    elif isinstance(kind, MapType):
        yield from _paths(kind.valueType, prefix)
