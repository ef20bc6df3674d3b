"""Streams of items, whatever they come from: feeds, a folder of files, any source that Spark has; items as events.

All become the same columns: `id`, `title`, `text`, `link`, `author`, `published`, `language`, `feed`. A source needs to
have a text; what else it has is taken where the names agree. An item without an id is known by its content. What a
language reads of an item is in `EVENTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from watchword.errors import PipelineError
from watchword.spark.columns import named
from watchword.spark.feed_source import COLUMNS, NAME, feed_schema, register

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

FILES = {".jsonl": "json", ".ndjson": "json", ".json": "json", ".parquet": "parquet"}


@dataclass(frozen=True)
class Source:
    """Where items come from: a format of Spark's with its options. `text` and `id` name columns that differ."""

    format: str
    options: Mapping[str, str] = field(default_factory=dict)
    text: str = "text"
    id: str = "id"

    @classmethod
    def feeds(cls, feeds: list[str], **options: str) -> Source:
        """Return feeds: URLs, paths, OPML lists, folders."""
        return cls(NAME, {"feeds": "\n".join(feeds), **options})

    @classmethod
    def folder(cls, folder: str, text: str = "text", id: str = "id", **options: str) -> Source:
        """Return a folder of JSON lines or Parquet files, in which new files may appear."""
        path = Path(folder)
        if not path.is_dir():
            raise PipelineError(f"{folder}: there is no such folder")
        kinds = {FILES[file.suffix] for file in path.iterdir() if file.suffix in FILES}
        if len(kinds) != 1:
            found = "both kinds of file" if kinds else f"no file that ends in {', '.join(FILES)}"
            raise PipelineError(f"{folder}: it has {found}; a folder has JSON lines or Parquet files, one of them")
        return cls(kinds.pop(), {"path": str(path.absolute()), **options}, text, id)


def whole_text() -> Column:
    """Return an item's title and text as one text: ``Title. Text``."""
    return F.concat_ws(". ", named("title"), named("text"))


EVENTS: dict[str, Callable[[], Column]] = {"keywords": whole_text, "patterns": whole_text}
"""How an item becomes an event, by language."""


def event_of(language: str) -> Column:
    """Return what a language reads of an item."""
    if language not in EVENTS:
        raise PipelineError(f"{language} cannot read items; languages that can are: {', '.join(EVENTS)}")
    return EVENTS[language]()


def items(spark: SparkSession, source: Source, spool: Path) -> DataFrame:
    """Return a stream of items."""
    if source.format == NAME:
        register(spark)
        return spark.readStream.format(NAME).options(**source.options, spool=str(spool)).load()
    reader = spark.readStream.format(source.format).options(**source.options)
    if source.format in FILES.values():
        reader = reader.schema(_file_schema(spark, source))
    return _as_items(reader.load(), source)


def _file_schema(spark: SparkSession, source: Source) -> StructType:
    """Read the schema off the files that are there: a stream of files must know it beforehand."""
    schema = spark.read.format(source.format).options(**source.options).load().schema
    if "_corrupt_record" in schema.names and len(schema.names) == 1:
        raise PipelineError(f"{source.options['path']}: its files are not JSON lines")
    return schema


def _as_items(frame: DataFrame, source: Source) -> DataFrame:
    if source.text not in frame.columns:
        raise PipelineError(f"no column {source.text!r} in the source, which has: {', '.join(frame.columns)}")
    text = named(source.text).cast("string")
    given = {"text": text}
    if source.id in frame.columns:
        given["id"] = named(source.id).cast("string")
    wanted = feed_schema()
    for name in COLUMNS:
        if name not in given and name in frame.columns and name not in (source.id, source.text):
            given[name] = named(name).cast(wanted[name].dataType)
    title = given.get("title", F.lit(""))
    made = F.sha2(F.concat_ws("\n", F.coalesce(title, F.lit("")), F.coalesce(text, F.lit(""))), 256)
    given["id"] = F.coalesce(given["id"], made) if "id" in given else made
    return frame.select(*(_column(name, given, wanted) for name in COLUMNS))


def _column(name: str, given: Mapping[str, Column], wanted: StructType) -> Column:
    value = given.get(name, F.lit(None).cast(wanted[name].dataType))
    return (F.coalesce(value, F.lit("")) if name in ("title", "text", "feed") else value).alias(name)
