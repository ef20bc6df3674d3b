"""`build` and `update`: subscriptions of a DataFrame become a version of a sharded index.

A subscription belongs to the shard ``xxhash64(id) mod shards``, so that a change finds its shard without a look at
the others. Workers write shards into the index's folder; the driver publishes the version when all are there.
Either way a failure leaves the index at the version that it had.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.types import ByteType, IntegerType, LongType, ShortType, StringType

from watchword.errors import PipelineError
from watchword.index import Index, language_class
from watchword.spark import versions
from watchword.spark.columns import large_types, named
from watchword.spark.versions import IdKind, Shard, Version
from watchword.spark.writer import ANSWER, DELETED, SHARD, Writer

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

KEEP = 10
"""How many versions stay readable."""


def build(
    subscriptions: DataFrame | Index,
    path: str | os.PathLike[str],
    *,
    language: str = "keywords",
    shards: int = 1,
    keep: int = KEEP,
    **options: Any,
) -> int:
    """Write subscriptions as a new version of the index at `path`, and return the version's number.

    `subscriptions` is a DataFrame with the columns `id` (string, or a whole number) and `subscription` (string), or
    an index in memory, which is saved as one shard with its own language and options. `path` is a folder that the
    driver and every worker see at the same place. `options` are those of the language's index (`method`,
    `stemmer`, ...). The `keep` newest versions stay readable for jobs that still use them.

    One task builds one shard, and its Python worker holds the shard's rows and index meanwhile.
    """
    if isinstance(subscriptions, Index):
        return _build_from_index(subscriptions, path, shards, keep, options)
    empty = language_class(language)(**options)  # options are wrong here, not in a task
    if shards < 1:
        raise PipelineError(f"an index has at least one shard, not {shards}")
    ids = _id_kind(subscriptions)
    with versions.writing(path) as folder:
        _check_language(folder, language)
        version = versions.next_version(folder)
        writer = Writer(str(folder), version, language, options, large=large_types(subscriptions.sparkSession))
        written = _run(_sharded(subscriptions, ids, shards), writer, shards)
        for number in range(shards):
            if number not in written:
                written[number] = versions.saved(empty, str(folder), versions.shard_folder(number, version))
        ordered = tuple(written[number] for number in range(shards))
        versions.publish(Version(str(folder), version, language, ids, ordered), keep)
    return version


def update(path: str | os.PathLike[str], changes: DataFrame, *, keep: int = KEEP) -> int:
    """Apply changes to the newest version of the index at `path`, and return the new version's number.

    `changes` has the columns `id` and `subscription`: a text subscribes or replaces, a null unsubscribes. Where
    there is a boolean column `deleted`, it decides instead. An id stands once; unsubscribing an unknown one does
    nothing, so that an update can be repeated. Only shards that change are written; where none does, no
    version is made and the number of the current one is returned.
    """
    ids = _id_kind(changes)
    versions.resolve(path)  # nothing is made where nothing is
    with versions.writing(path) as folder:
        old = versions.resolve(folder)
        if ids != old.ids:
            raise PipelineError(f"column 'id' is {ids}, the ids of {folder} are {old.ids}: cast the column")
        version = versions.next_version(folder)
        writer = Writer(str(folder), version, old.language, {}, old=old, large=large_types(changes.sparkSession))
        written = _run(_sharded(changes, ids, len(old.shards), _deleted(changes)), writer, len(old.shards))
        if not written:
            return old.version
        shards = tuple(written.get(number, shard) for number, shard in enumerate(old.shards))
        versions.publish(Version(str(folder), version, old.language, ids, shards), keep)
    return version


def _build_from_index(
    index: Index, path: str | os.PathLike[str], shards: int, keep: int, options: dict[str, Any]
) -> int:
    if options or shards != 1:
        raise PipelineError("an index in memory is saved as it is, in one shard: give no options and no shards")
    with versions.writing(path) as folder:
        _check_language(folder, index.language)
        version = versions.next_version(folder)
        shard = versions.saved(index, str(folder), versions.shard_folder(0, version))
        found = Version(str(folder), version, index.language, versions.id_kind(index), (shard,))
        versions.publish(found, keep)
    return version


def _check_language(folder: Any, language: str) -> None:
    number = versions.current(folder)
    if number and (there := versions.resolve(folder).language) != language:
        raise PipelineError(
            f"{folder}: its subscriptions are {there}, not {language}, and jobs may be using them: "
            "build into another folder"
        )


def _id_kind(frame: DataFrame) -> IdKind:
    """Check the columns of subscriptions, and return the kind of their ids."""
    if frame.isStreaming:
        raise PipelineError("subscriptions come from a batch DataFrame; for a stream, call update in foreachBatch")
    schema = {field.name: field.dataType for field in frame.schema.fields}
    for name in ("id", "subscription"):
        if name not in schema:
            raise PipelineError(f"subscriptions have no column {name!r}; there are: {', '.join(schema) or 'none'}")
    if not isinstance(schema["subscription"], StringType):
        raise PipelineError(f"column 'subscription' must be string, not {schema['subscription'].simpleString()}")
    if isinstance(schema["id"], StringType):
        return "string"
    if isinstance(schema["id"], ByteType | ShortType | IntegerType | LongType):
        return "long"
    raise PipelineError(f"column 'id' must be string or a whole number, not {schema['id'].simpleString()}")


def _deleted(changes: DataFrame) -> Column:
    schema = {field.name: field.dataType for field in changes.schema.fields}
    if DELETED not in schema:
        return named("subscription").isNull()
    if schema[DELETED].simpleString() != "boolean":
        raise PipelineError(f"column 'deleted' must be boolean, not {schema[DELETED].simpleString()}")
    return F.coalesce(named(DELETED), F.lit(False))


def _sharded(frame: DataFrame, ids: IdKind, shards: int, deleted: Column | None = None) -> DataFrame:
    """Bring the rows of each shard into one partition."""
    key = named("id").cast(ids)
    number = F.pmod(F.xxhash64(key), F.lit(shards)).cast("int")
    columns = [key.alias("id"), named("subscription"), number.alias(SHARD)]
    if deleted is not None:
        columns.append(deleted.alias(DELETED))
    return frame.select(*columns).repartitionById(shards, SHARD)


def _run(frame: DataFrame, writer: Writer, shards: int) -> dict[int, Shard]:
    """Write shards on the workers, and return those that were written."""

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from writer.run(batches)

    written: dict[int, Shard] = {}
    for row in sorted(frame.mapInArrow(write, ANSWER).collect(), key=lambda row: row["shard"]):
        if row["error"] is not None:
            raise PipelineError(row["error"])
        if row["folder"] is not None:
            written[row["shard"]] = Shard(row["folder"], row["snapshot"], row["subscriptions"], row["bytes"])
    return written
