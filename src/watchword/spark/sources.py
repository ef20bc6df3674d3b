"""Streams of items, whatever they come from: feeds, a folder of files, any source that Spark has; items as events.

All become the same columns: `id`, `title`, `text`, `link`, `author`, `published`, `language`, `feed` (its title),
`feed_url`, `categories` (a list of texts). A source needs to have a text, unless everybody subscribes in languages
whose events are objects: then the row in JSON stands in for it. Other columns are taken where the names agree. An item
without an id is known by its content.

An item that cannot be used has a `REASON`: a line that is not JSON, or not UTF-8, an id that is empty. `RAW` is then
the text that was read, and `SOURCE`, `BLOCK` and `POSITION` say where: `letters` makes dead letters of them.

A folder of XML files gives an item for each file: `id` is its path, `title` its name, `text` its document. If a file
holds several documents (`Source.stream`), each is an item, and path and name end with its number, from 1: ``a.xml#3``.

`watchword.items` says which of three readings a language uses, and `READINGS` has each as a column expression. A
language of objects reads `ROW`: the row of the source, for a feed the item's columns, and for a source that is neither
files nor feeds (Kafka) its text, as JSON. A language of documents reads the text, or its bytes if the source has bytes
(`DOCUMENT`), which name their encoding themselves; a feed's item has no document, so one is made of its columns.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, BinaryType, DataType, StructType

from watchword import dead_letters
from watchword import items as plain
from watchword.dead_letters import Letter
from watchword.errors import OptionError, PipelineError
from watchword.items import COLUMNS, DOCUMENT, ROW
from watchword.languages import language_class
from watchword.spark.columns import named
from watchword.spark.feed_source import NAME, feed_schema, register
from watchword.spark.rows import CORRUPT, LINE, METADATA, as_glob, file_schema, is_lines, is_reserved, read_lines
from watchword.spark.tasks.documents import apart

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

XML_FILES = "binaryFile"
FILES = {".jsonl": "json", ".ndjson": "json", ".json": "json", ".parquet": "parquet", ".xml": XML_FILES}
ROWS = ("json", "parquet")
"""Formats of files with rows, whose columns are those of the files."""


@dataclass(frozen=True)
class Source:
    """Where items come from: a format of Spark's with its options. `text` and `id` name columns that differ; `stream`
    says that an XML file holds several documents."""

    format: str
    options: Mapping[str, str] = field(default_factory=dict)
    text: str = "text"
    id: str = "id"
    stream: bool = False

    @classmethod
    def feeds(cls, feeds: list[str], **options: str) -> Source:
        """Return feeds: URLs, paths, OPML lists, folders."""
        return cls(NAME, {"feeds": "\n".join(feeds), **options})

    @classmethod
    def folder(cls, folder: str, text: str = "text", id: str = "id", *, stream: bool = False, **options: str) -> Source:
        """Return a folder of JSON lines, Parquet or XML files, in which new files may appear."""
        path = Path(folder)
        if not path.is_dir():
            raise PipelineError(f"{folder}: there is no such folder")
        if not os.access(path, os.R_OK | os.X_OK):
            raise PipelineError(f"{folder}: no permission to read it: check the owner and the mode")
        kinds = {FILES[file.suffix] for file in path.iterdir() if file.suffix in FILES}
        if len(kinds) != 1:
            found = "several kinds of file" if kinds else f"no file that ends in {', '.join(FILES)}"
            raise PipelineError(f"{folder}: it has {found}; a folder has JSON lines, Parquet or XML files, one of them")
        kind = kinds.pop()
        if kind == XML_FILES:
            options, text, id = {"pathGlobFilter": "*.xml", **options}, "content", "path"
        elif stream:
            raise PipelineError(f"{folder}: its files hold rows; only XML files hold documents one behind the other")
        return cls(kind, {"path": as_glob(str(path.absolute())), **options}, text, id, stream)


REASON, RAW, SOURCE, BLOCK, POSITION = "reason", "raw", "source", "block", "position"
"""Why an item cannot be used, its text, its file or topic, the first byte of its block, and its position."""
NUMBER = "number"
"""The place of a row in its partition and block, given to each batch by `numbered`."""
_NOT_UTF_8 = "its id or its text is not UTF-8"


def whole_text(items: DataFrame) -> Column:
    """Return title and text as one text: ``Title. Text``."""
    return F.concat_ws(". ", named("title"), named("text"))


def whole_row(items: DataFrame) -> Column:
    """Return the source's row."""
    return named(ROW)


def whole_document(items: DataFrame) -> Column:
    """Return the document that the text is."""
    return named(DOCUMENT if DOCUMENT in items.columns else "text")


def item_document(items: DataFrame) -> Column:
    """Return an item of a feed as a document: ``<item><id>…</id><title>…</title>…<category>…</category></item>``.

    It has an element for each column that is not null, and one for each category. Characters that XML does not allow
    are left out.
    """

    def element(name: str, value: Column) -> Column:
        text = F.regexp_replace(value.cast("string"), _NO_XML, "")
        for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
            text = F.replace(text, F.lit(sign), F.lit(entity))
        return F.concat(F.lit(f"<{name}>"), text, F.lit(f"</{name}>"))

    moment = F.date_format(F.to_utc_timestamp(named("published"), F.current_timezone()), "yyyy-MM-dd'T'HH:mm:ss'Z'")
    values = {name: named(name) for name in COLUMNS if name != "categories"} | {"published": moment}
    columns = [element(name, value) for name, value in values.items()]
    categories = F.transform(named("categories"), lambda category: element("category", category))
    return F.concat(F.lit("<item>"), F.concat_ws("", *columns, categories), F.lit("</item>"))


_NO_XML = "[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\uFFFE\\uFFFF]"

READINGS: dict[Callable[..., Any], Callable[[DataFrame], Column]] = {
    plain.whole_text: whole_text,
    plain.whole_row: whole_row,
    plain.whole_document: whole_document,
}
"""The readings of `watchword.items` as column expressions."""


def event_of(
    language: str, items: DataFrame, attributes: Sequence[str] | None = None, *, feeds: bool = False
) -> Column:
    """Return the event that a language reads of each item, as `watchword.items.event_of` does; `feeds` says whether
    the items come from feeds. With `attributes`, an object is cut down to them."""
    try:
        read = READINGS[plain.reading_of(language)]
    except OptionError as error:
        raise PipelineError(str(error)) from None
    if LINE in items.columns and language_class(language).reads.objects == "json":
        return named(LINE)
    event = item_document(items) if feeds and read is whole_document else read(items)
    row = None if attributes is None else items.schema[ROW].dataType
    if attributes is None or not isinstance(row, StructType):
        return event
    for name in attributes:
        if name not in row.names:
            raise PipelineError(f"{language} need a column {name!r}; the source has: {', '.join(row.names)}")
    return F.struct(*[event.getField(name).alias(name) for name in attributes])


def items(spark: SparkSession, source: Source, spool: Path, *, with_text: bool = True, typed: bool = True) -> DataFrame:
    """Return a stream of items; `with_text` says that each must have a text, `typed` that `ROW` must have columns."""
    if source.format == NAME:
        register(spark)
        fetched = spark.readStream.format(NAME).options(**source.options, spool=str(spool)).load()
        return fetched.select("*", F.struct(*COLUMNS).alias(ROW), *_places(named("feed_url"), position=named("id")))
    if source.format in ROWS:
        return _rows(spark, source, with_text, typed)
    reader = spark.readStream.format(source.format).options(**source.options)
    if source.format == XML_FILES:
        reader = reader.schema(file_schema(spark, source.format, source.options))
    frame = reader.load()
    if source.format == XML_FILES:
        frame = frame.select("path", "content", F.element_at(F.split("path", "/"), -1).alias("title"))
        if source.stream:
            frame = frame.mapInArrow(apart, frame.schema)
    return _as_items(frame, source, with_text)


def _rows(spark: SparkSession, source: Source, with_text: bool, typed: bool) -> DataFrame:
    """Return the items of files with rows; of JSON lines also columns of items that come in later files.

    `ROW` is a JSON line as it is unless `typed`, and otherwise the columns of all files.
    """
    schema = file_schema(spark, source.format, source.options)
    names = [name for name in schema.names if name != CORRUPT]
    lines = is_lines(source.format, source.options)
    if lines:
        own = list(dict.fromkeys((source.id, source.text, *COLUMNS)))
        frame = read_lines(spark, source.options, schema, own, typed=typed)
    else:
        frame = spark.readStream.format(source.format).options(**source.options).schema(schema).load()
    row = named(LINE) if lines and not typed else _struct(name for name in names if not (lines and is_reserved(name)))
    return _as_items(frame, source, with_text, names, row)


def _struct(names: Iterable[str]) -> Column:
    return F.struct(*[named(name).alias(name) for name in names])


def _as_items(
    frame: DataFrame, source: Source, with_text: bool, names: Sequence[str] | None = None, row: Column | None = None
) -> DataFrame:
    """Return the items of a frame; `names` are the columns of its source, and `row` is its row, by default all."""
    names = frame.columns if names is None else names
    row = _struct(names) if row is None else row
    line = named(LINE) if LINE in frame.columns else F.to_json(row)
    more = [line.alias(LINE)] if LINE in frame.columns else []
    if source.text in names:
        text = named(source.text).cast("string")
        if isinstance(frame.schema[source.text].dataType, BinaryType):
            text = F.make_valid_utf8(text)  # bytes that are not UTF-8 become replacement characters
            more.append(named(source.text).alias(DOCUMENT))
    elif with_text or source.text != Source.text:
        raise PipelineError(f"no column {source.text!r} in the source, which has: {', '.join(names)}")
    else:
        text = F.coalesce(named(source.text), line) if source.text in frame.columns else line
    given = _given(frame, source, text)
    wanted = feed_schema()
    whole = row if source.format in ROWS else text
    reason, raw = _fault(frame, source, given, line if source.format in ROWS else text)
    columns = (_column(name, given, wanted) for name in COLUMNS)
    return frame.select(*columns, *more, whole.alias(ROW), *_origin(frame, source, reason, raw))


def _fault(frame: DataFrame, source: Source, given: Mapping[str, Column], whole: Column) -> tuple[Column, Column]:
    """Return why an item cannot be used, null if it can, and the beginning of its text."""
    corrupt = named(CORRUPT) if source.format == "json" and CORRUPT in frame.columns else F.lit(None).cast("string")
    reason = (
        F.when(corrupt.isNotNull() & ~F.is_valid_utf8(corrupt), "the line is not UTF-8")
        .when(corrupt.isNotNull(), "the line is not JSON, or a value in it is not of its column's kind")
        .when(given["id"] == "", "its id is empty")
        .when(~F.is_valid_utf8(F.concat_ws("", given["id"], _read(frame, source, given["text"]))), _NOT_UTF_8)
    )
    return reason, F.substring(F.make_valid_utf8(F.coalesce(corrupt, whole)), 1, dead_letters.RAW)


def _read(frame: DataFrame, source: Source, text: Column) -> Column:
    """Return the text as the source has it, to check its UTF-8; of XML files `text`: they name their encoding."""
    return named(source.text).cast("string") if source.text in frame.columns and source.format != XML_FILES else text


def _given(frame: DataFrame, source: Source, text: Column) -> dict[str, Column]:
    """Return the columns of items that a source has, and ids for all."""
    given = {"text": text}
    if source.id in frame.columns:
        given["id"] = named(source.id).cast("string")
    wanted = feed_schema()
    for name in COLUMNS:
        if name not in given and name in frame.columns and name not in (source.id, source.text):
            given[name] = _cast(named(name), frame.schema[name].dataType, wanted[name].dataType)
    if "published" in given:  # a date that Python cannot hold is none, rather than the end of the run
        given["published"] = F.when(F.year(given["published"]).between(2, 9998), given["published"])
    title = given.get("title", F.lit(""))
    made = F.sha2(F.concat_ws("\n", F.coalesce(title, F.lit("")), F.coalesce(text, F.lit(""))), 256)
    given["id"] = F.coalesce(given["id"], made) if "id" in given else made
    return given


def _cast(column: Column, given: DataType, wanted: DataType) -> Column:
    """Return a column of a source in the type that items have, null where it does not fit; a text is a list of one."""
    if isinstance(wanted, ArrayType) and not isinstance(given, ArrayType):
        return F.when(column.isNotNull(), F.array(column.cast("string")))
    return column.try_cast(wanted)


def _origin(frame: DataFrame, source: Source, reason: Column, raw: Column) -> list[Column]:
    """Return where an item comes from: a file, by the name that Spark has for it, or a partition of a topic."""
    raw = F.when(reason.isNotNull(), raw)
    if source.format == XML_FILES:
        return _places(named("path"), reason, raw)
    if source.format in ROWS:
        file, block = named(METADATA).getField("file_path"), named(METADATA).getField("file_block_start")
        return _places(file, reason, raw, block=block)
    if {"topic", "partition", "offset"} <= set(frame.columns):
        place = F.concat_ws(":", named("partition").cast("string"), named("offset").cast("string"))
        return _places(named("topic"), reason, raw, position=place)
    return _places(F.lit(source.format), reason, raw)


def _places(
    source: Column,
    reason: Column | None = None,
    raw: Column | None = None,
    block: Column | None = None,
    position: Column | None = None,
) -> list[Column]:
    """Return the columns about where an item comes from, empty where nothing is known."""
    texts = {REASON: reason, RAW: raw, SOURCE: source, POSITION: position}
    columns = [(F.lit(None) if column is None else column).cast("string").alias(name) for name, column in texts.items()]
    return [*columns, (F.lit(None) if block is None else block).cast("long").alias(BLOCK)]


def numbered(batch: DataFrame) -> DataFrame:
    """Return a batch with the column `NUMBER`, which ascends, so that a dead letter can name its row in the file."""
    return batch.withColumn(NUMBER, F.monotonically_increasing_id())


def letters(batch: DataFrame, most: int) -> list[Letter]:
    """Return the dead letters of a batch, which `numbered` numbered; no more than `most`."""
    place = F.row_number().over(Window.partitionBy(SOURCE).orderBy(BLOCK, NUMBER)).cast("string")
    known = F.coalesce(named(POSITION), F.when(named(BLOCK).isNotNull(), place), F.lit(""))
    placed = batch.select(SOURCE, known.alias(POSITION), REASON, F.coalesce(named(RAW), F.lit("")).alias(RAW))
    rows = placed.where(named(REASON).isNotNull()).limit(most).collect()
    return [Letter(row[SOURCE], row[POSITION], row[REASON], row[RAW]) for row in rows]


def _column(name: str, given: Mapping[str, Column], wanted: StructType) -> Column:
    value = given.get(name, F.lit(None).cast(wanted[name].dataType))
    return (F.coalesce(value, F.lit("")) if name in ("title", "text", "feed") else value).alias(name)
