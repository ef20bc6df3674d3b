"""`build` and `update`: subscriptions of a DataFrame become a version of a sharded index.

A subscription belongs to the shard ``xxhash64(id) mod shards``, so that a change concerns one shard only; or, with
``shard_by="atoms"``, to the shard of one of its atoms (`index.routing`), so that an event concerns few shards, and a
change is sent to all of them. Workers write shards into the index's folder; the driver publishes the version when all
shards are written. A failure leaves the index at the version that it had.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.types import ByteType, IntegerType, LongType, ShortType, StringType, StructField, StructType

from watchword import shards as versions
from watchword.errors import PipelineError
from watchword.index import Index, language_class
from watchword.index.routing import BUCKETS, ShardRule
from watchword.shards import IdKind, Origin, Shard, Version
from watchword.spark.columns import large_types, named
from watchword.spark.tasks.shard_counter import SHARD, ShardCounter
from watchword.spark.tasks.writer import ANSWER, DELETED, HOME, Writer
from watchword.spark.workers import check_workers

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ShardBy = Literal["id", "atoms"]
KEEP = 10
"""The number of versions that stay readable."""


def build(
    subscriptions: DataFrame | Index,
    path: str | os.PathLike[str],
    *,
    language: str = "keywords",
    shards: int = 1,
    shard_by: ShardBy = "id",
    keep: int = KEEP,
    pinned: Collection[int] = (),
    origin: Origin | None = None,
    **options: Any,
) -> int:
    """Write subscriptions as a new version of the index at `path`, and return the version's number.

    `subscriptions` is a DataFrame with the columns `id` (string, or a whole number) and `subscription` (string), or
    an index in memory, which is saved as one shard with its own language and options. `path` is a folder that the
    driver and every worker see at the same place, or a URL (`s3://`, `gs://`, `abfss://`, `hdfs://`). `options` are
    those of the language's index (`method`, `stemmer`, ...). The `keep` newest versions and the `pinned` ones
    stay readable, for jobs that still use them. `origin` is saved with the version: the state of the store that it has.

    `shard_by="atoms"` puts subscriptions that ask for the same into the same shard, so that partitioned matching sends
    an event only to the shards that it may concern; the language must be able to tell (keywords can). The
    subscriptions are then read three times: to find ids that stand twice, to count atoms, and to build.

    One task builds one shard, and its Python worker holds the shard's rows and index meanwhile.
    """
    if shard_by not in ("id", "atoms"):
        raise PipelineError(f"shard_by is 'id' or 'atoms', not {shard_by!r}")
    if isinstance(subscriptions, Index):
        given = {**options, **({} if shard_by == "id" else {"shard_by": shard_by})}
        if shards != 1 or given:
            raise PipelineError("an index in memory is saved as it is, in one shard: give no options and no shards")
        return _build_from_index(subscriptions, path, keep, pinned, origin)
    empty = language_class(language)(**options)  # options are wrong here, not in a task
    if shards < 1:
        raise PipelineError(f"an index has at least one shard, not {shards}")
    ids = _id_kind(subscriptions)
    rule = counts = None
    if shard_by == "atoms":
        rule = _shard_rule(subscriptions, ShardCounter(language, options), shards)
    with versions.writing(path) as held:
        _check_language(held.path, language)
        version = versions.next_version(held.path)
        large = large_types(subscriptions.sparkSession)
        writer = Writer(held.path, version, language, options, rule=rule, large=large)
        rows = _columns(subscriptions, ids)
        frame = _by_id(rows, shards) if rule is None else _by_atoms(rows, ShardCounter(language, options), rule)
        written = _run(frame.repartitionById(shards, SHARD), writer)
        for number in range(shards):
            if number not in written:
                written[number] = writer.save(empty, number)
        ordered = tuple(written[number] for number in range(shards))
        if rule is not None:
            counts = versions.save_counts(held.path, version, rule.counts)
        made = Version(held.path, version, language, ids, ordered, counts, origin)
        versions.publish(made, keep, pinned, confirm=held.confirm)
    return version


def update(
    path: str | os.PathLike[str],
    changes: DataFrame,
    *,
    keep: int = KEEP,
    pinned: Collection[int] = (),
    origin: Origin | None = None,
) -> int:
    """Apply changes to the newest version of the index at `path`, and return the new version's number.

    `changes` has the columns `id` and `subscription`: a text subscribes or replaces, a null unsubscribes. Where
    there is a boolean column `deleted`, it decides instead. An id stands once; unsubscribing an unknown one does
    nothing, so that an update can be repeated. Only shards that change are written; where none does, and the version
    stands for the same `origin` as before, no version is made and the number of the current one is returned.
    """
    ids = _id_kind(changes)
    versions.resolve(path)  # nothing is made where nothing is
    with versions.writing(path) as held:
        old = versions.resolve(held.path)
        if ids != old.ids:
            raise PipelineError(f"column 'id' is {ids}, the ids of {held.path} are {old.ids}: cast the column")
        version = versions.next_version(held.path)
        count = len(old.shards)
        rule = None if old.counts is None else ShardRule(count, versions.load_counts(old))
        large = large_types(changes.sparkSession)
        writer = Writer(held.path, version, old.language, {}, old=old, rule=rule, large=large)
        rows = _columns(changes, ids, _deleted(changes))
        frame = _by_id(rows, count) if rule is None else _everywhere(_by_atoms(rows, _shard_counter(old), rule), count)
        written = _run(frame.repartitionById(count, SHARD), writer)
        if not written and origin == old.origin:
            return old.version
        shards = tuple(written.get(number, shard) for number, shard in enumerate(old.shards))
        made = Version(held.path, version, old.language, ids, shards, old.counts, origin)
        versions.publish(made, keep, pinned, confirm=held.confirm)
    return version


def _build_from_index(
    index: Index, path: str | os.PathLike[str], keep: int, pinned: Collection[int], origin: Origin | None
) -> int:
    with versions.writing(path) as held:
        _check_language(held.path, index.language)
        version = versions.next_version(held.path)
        shard = versions.save_shard(index, held.path, versions.shard_folder(0, version))
        made = Version(held.path, version, index.language, versions.id_kind(index), (shard,), origin=origin)
        versions.publish(made, keep, pinned, confirm=held.confirm)
    return version


def _check_language(path: str, language: str) -> None:
    number = versions.current(path)
    if number and (there := versions.resolve(path).language) != language:
        raise PipelineError(
            f"{path}: its subscriptions are {there}, not {language}, and jobs may be using them: "
            "build into another folder"
        )


def _id_kind(frame: DataFrame) -> IdKind:
    """Check the columns of subscriptions and the session's workers, and return the kind of the ids."""
    check_workers(frame.sparkSession)
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


def _columns(frame: DataFrame, ids: IdKind, deleted: Column | None = None) -> DataFrame:
    columns = [named("id").cast(ids).alias("id"), named("subscription")]
    return frame.select(*columns, *([] if deleted is None else [deleted.alias(DELETED)]))


# Where rows go: each of these adds the number of the shard


def _by_id(rows: DataFrame, shards: int) -> DataFrame:
    return rows.withColumn(SHARD, F.pmod(F.xxhash64(named("id")), F.lit(shards)).cast("int"))


def _by_atoms(rows: DataFrame, counter: ShardCounter, rule: ShardRule) -> DataFrame:
    def place(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from counter.place(batches, rule)

    fields = [StructField(field.name, field.dataType) for field in rows.schema.fields]
    return rows.mapInArrow(place, StructType([*fields, StructField(SHARD, IntegerType())]))


def _everywhere(placed: DataFrame, shards: int) -> DataFrame:
    """Send each row to every shard, with the number of its own shard in `HOME`."""
    numbers = F.array(*[F.lit(number) for number in range(shards)])
    return placed.withColumnRenamed(SHARD, HOME).select("*", F.explode(numbers).alias(SHARD))


def _shard_rule(subscriptions: DataFrame, counter: ShardCounter, shards: int) -> ShardRule:
    """Count atoms over all subscriptions; refuse repeated ids, which may lie in two shards and so go unnoticed."""
    if counter.index().needs() is None:
        raise PipelineError(f"{counter.language} cannot tell which events concern a subscription: shard by id")
    twice = subscriptions.groupBy(named("id").alias("id")).count().where("count > 1 and id is not null").limit(1)
    for row in twice.collect():
        raise PipelineError(f"subscription {row['id']!r}: the id stands more than once; ids must be unique")

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from counter.count(batches)

    found = subscriptions.select(named("subscription")).mapInArrow(count, "bucket int, count long")
    counts = np.zeros(BUCKETS, np.int32)
    for row in found.groupBy("bucket").agg(F.sum("count").alias("total")).collect():
        counts[row["bucket"]] = min(row["total"], np.iinfo(np.int32).max)
    return ShardRule(shards, counts)


def _shard_counter(version: Version) -> ShardCounter:
    """Return a counter that reads subscriptions with the options of a version."""
    return ShardCounter(version.language, versions.settings(version))


def _run(frame: DataFrame, writer: Writer) -> dict[int, Shard]:
    """Write shards on the workers, and return the written shards by number."""

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from writer.run(batches)

    written: dict[int, Shard] = {}
    for row in sorted(frame.mapInArrow(write, ANSWER).collect(), key=lambda row: row["shard"]):
        if row["error"] is not None:
            raise PipelineError(row["error"])
        if row["folder"] is not None:
            facts = {name: row[name] for name in ("folder", "snapshot", "subscriptions", "bytes", "atoms")}
            old = writer.old.shards[row["shard"]] if writer.old is not None and row["on_top"] else None
            written[row["shard"]] = Shard(**facts, base=None if old is None else old.base or old)
    return written
