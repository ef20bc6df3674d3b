"""`match`: a DataFrame of events becomes a DataFrame of pairs.

Plan (replicated)::

    events ── select carried columns, event ── mapInArrow ── [observe] ── pairs

Plan (partitioned)::

    events ── select ── [route] ── explode shard numbers ── repartitionById ── mapInArrow, a shard a partition ── pairs

Replicated, every task has every shard open; by memory map, so a machine holds one copy. Partitioned, an event is sent
to every shard, or, if the version was sharded by atoms, to the shards that own one of its atoms (`routing`); and a
machine opens only the shards of its partitions: for an index larger than a machine's memory. The pairs are the same.

Only public DataFrame methods are used, so classic and Connect sessions, batch and streaming DataFrames are alike.
Everything that can be wrong with the columns, the options or the index is said before a task starts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from watchword import shards as versions
from watchword.errors import PipelineError
from watchword.index import Index, language_class
from watchword.shards import Version
from watchword.spark.columns import large_types, named
from watchword.spark.tasks.events import EventColumns
from watchword.spark.tasks.matcher import COUNTED, EVENT, METRICS, SHARD, OnError, Task, Tasks, carrier
from watchword.spark.tasks.router import SHARDS, Router
from watchword.spark.workers import check_workers

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Observation

Mode = Literal["auto", "replicated", "partitioned"]
REPLICATE_BYTES = 8 << 30
"""Up to this size, an index of several shards is replicated unless `mode` says otherwise."""


def match(
    events: DataFrame,
    path: str | os.PathLike[str],
    *,
    column: str | Column | None = None,
    columns: Sequence[str] | None = None,
    carry: Sequence[str] | None = None,
    version: int | None = None,
    language: str | None = None,
    explain: bool = False,
    on_error: OnError = "raise",
    metrics: str | Observation | None = None,
    mode: Mode = "auto",
    replicate_bytes: int = REPLICATE_BYTES,
) -> DataFrame:
    """Find the subscriptions that each event satisfies: one row per pair, in no promised order.

    `events` is a batch or streaming DataFrame, `path` an index made by `build`, or a snapshot made by `Index.save`.
    The event is the column `column` (a name or an expression; `text` by default): string, binary, array of strings,
    struct or map, as the language reads it. Where events are objects (predicates), it is the row instead, with each of
    `columns` an attribute, all of them by default: ``match(trades, path, columns=["name", "value"])``. For keywords and
    patterns `columns` are texts that are one event: ``columns=["title", "body"]``. A null matches nothing.

    The result has the columns of the events, or those named by `carry` (fewer cross to Python and back), and:

    - `subscription`: the id, string or bigint as the index has it;
    - `explanation` (string), with ``explain=True``: why it matches. Costs Python time per pair.
    - `error` (string), with ``on_error="keep"``: an event that cannot be read is a row without subscription and
      with the reason. ``"skip"`` leaves it out, ``"raise"`` fails the task.

    `version` is the newest when the plan is made, unless given: a stream keeps it as long as it runs; see
    `match_stream` for one that takes up new versions. `language`, if given, is checked.

    `metrics` is a name, or an `Observation`, under which the events, pairs, errors, version and seconds of
    matching are observed: streaming listeners get them by the name in `observedMetrics`.

    `mode` says how an index of several shards is spread: `replicated`, each machine maps all of it; `partitioned`,
    each event is shuffled to the partition of each shard that it may concern; `auto`, replicated up to
    `replicate_bytes`.
    """
    check_options(on_error, mode)
    check_workers(events.sparkSession)
    found = resolve_language(path, version, language)
    empty = empty_index(found)
    event = _event_column(events, column, columns, empty)
    added = ["subscription", *["explanation"] * explain, *["error"] * (on_error == "keep")]
    carried = carried_columns(events, carry, added)
    chosen, where = _selected(events, carried, event)
    check_type(_event_type(chosen, where), empty)
    partitioned = is_partitioned(found, mode, replicate_bytes)
    if partitioned and found.counts is not None:
        chosen = _routed(chosen, Router(found, where, metrics is not None))
    elif partitioned:
        chosen = _spread(chosen, where, len(found.shards))
    task = Task(
        version=found,
        event=where,
        carried=tuple(carried),
        partitioned=partitioned,
        explain=explain,
        on_error=on_error,
        metrics=metrics is not None,
        large=large_types(events.sparkSession),
    )
    pairs = chosen.mapInArrow(task_function(task), answer_schema(chosen, task))
    return pairs if metrics is None else _observed(pairs, metrics, task)


def check_options(on_error: str, mode: str) -> None:
    """Raise for unknown values of options."""
    if on_error not in ("raise", "skip", "keep"):
        raise PipelineError(f"on_error is 'raise', 'skip' or 'keep', not {on_error!r}")
    if mode not in ("auto", "replicated", "partitioned"):
        raise PipelineError(f"mode is 'auto', 'replicated' or 'partitioned', not {mode!r}")


def resolve_language(path: str | os.PathLike[str], version: int | None, language: str | None) -> Version:
    """Return a version of an index; a `PipelineError` if its subscriptions are of another language."""
    found = versions.resolve(path, version)
    if language is not None and found.language != language:
        raise PipelineError(f"{path}: its subscriptions are {found.language}, not {language}")
    return found


def is_partitioned(version: Version, mode: Mode, replicate_bytes: int) -> bool:
    """Return whether events are sent to the shards of a version, instead of every task opening all of them."""
    return len(version.shards) > 1 and (mode == "partitioned" or (mode == "auto" and version.bytes > replicate_bytes))


def task_function(task: Task | Tasks) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a task as the function that `mapInArrow` takes."""

    def match_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from task.run(batches)

    return match_batches


# The columns


def _event_column(
    events: DataFrame, column: str | Column | None, columns: Sequence[str] | None, empty: Index
) -> str | Column | list[str]:
    """Return the name of the column that holds the event, the expression that makes it, or its attributes' columns."""
    if column is None and columns is None and empty.reads.objects is not None:
        columns = empty.attributes or list(events.columns)
    if columns is not None:
        if column is not None:
            raise PipelineError("give column, or columns, not both")
        if isinstance(columns, str) or not columns:
            raise PipelineError(f"columns is a list of names, not {columns!r}; for one column, give column")
        _check_present(events, columns)
        _check_once(events, columns)
        return list(columns)
    if column is None or isinstance(column, str):
        _check_present(events, [column or "text"])
        return column or "text"
    return column


def _check_present(events: DataFrame, names: Sequence[str]) -> None:
    for name in names:
        if name not in events.columns:
            raise PipelineError(f"events have no column {name!r}; there are: {', '.join(events.columns) or 'none'}")


def _check_once(events: DataFrame, names: Sequence[str]) -> None:
    for name in names:
        if list(names).count(name) > 1 or list(events.columns).count(name) > 1:
            raise PipelineError(f"column {name!r} is there more than once: rename one of them")


def carried_columns(events: DataFrame, carry: Sequence[str] | None, added: list[str]) -> list[str]:
    """Return the names of the columns to carry; `added` are those of the answer, which must not be among them."""
    if isinstance(carry, str):
        raise PipelineError(f"carry is a list of names, not {carry!r}")
    carried = list(events.columns) if carry is None else list(carry)
    _check_present(events, carried)
    _check_once(events, carried)
    for name in carried:
        if name in added or name in (EVENT, SHARD, SHARDS, COUNTED, *METRICS):
            raise PipelineError(
                f"events have a column {name!r}, which match adds: rename or drop it, or leave it out of carry"
            )
    return carried


def _selected(events: DataFrame, carried: list[str], event: str | Column | list[str]) -> tuple[DataFrame, EventColumns]:
    """Select the columns that cross to Python, each once, and return the names under which the event crosses.

    Columns cross under names of our own, because `mapInArrow` trips over a dot in a name.
    """
    columns = [named(name).alias(carrier(number)) for number, name in enumerate(carried)]
    if isinstance(event, list):
        all_names = list(dict.fromkeys([*carried, *event]))
        more = [named(all_names[number]).alias(carrier(number)) for number in range(len(carried), len(all_names))]
        return events.select(*columns, *more), tuple((name, carrier(all_names.index(name))) for name in event)
    if isinstance(event, str):
        if event in carried:
            return events.select(*columns), carrier(carried.index(event))
        event = named(event)
    return events.select(*columns, event.alias(EVENT)), EVENT


def _event_type(chosen: DataFrame, event: EventColumns) -> DataType:
    if isinstance(event, str):
        return chosen.schema[event].dataType
    return StructType([StructField(name, chosen.schema[column].dataType) for name, column in event])


def empty_index(version: Version) -> Index:
    """Return an empty index with the language and options of a version."""
    return language_class(version.language)(**versions.settings(version))


def check_type(kind: DataType, empty: Index) -> None:
    """Refuse a type of event that the language does not read."""
    try:
        reason = empty.refusal(to_arrow_type(kind, timezone="UTC"))
    except PySparkException as error:
        reason = str(error)
    if reason is not None:
        raise PipelineError(f"an event of type {kind.simpleString()} cannot be matched by {empty.language}: {reason}")


# The plan


def _spread(chosen: DataFrame, event: EventColumns, shards: int) -> DataFrame:
    """Send every event to the partition of every shard; a null, which matches nothing, to the first to be counted."""
    owners = F.array(*[F.lit(number) for number in range(shards)])
    if isinstance(event, str):
        owners = F.when(named(event).isNull(), F.array(F.lit(0))).otherwise(owners)
    spread = chosen.select("*", F.explode(owners).alias(SHARD))
    return spread.repartitionById(shards, named(SHARD))


def _routed(chosen: DataFrame, router: Router) -> DataFrame:
    """Send every event to the partitions of the shards that own one of its atoms."""

    def route(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from router.run(batches)

    fields = [StructField(field.name, field.dataType, True, field.metadata) for field in chosen.schema.fields]
    fields.append(StructField(SHARDS, ArrayType(IntegerType())))
    if router.counted:
        fields.append(StructField(COUNTED, LongType()))
    sent = chosen.mapInArrow(route, StructType(fields))
    spread = sent.select("*", F.explode(named(SHARDS)).alias(SHARD)).drop(SHARDS)
    return spread.repartitionById(len(router.version.shards), named(SHARD))


def answer_schema(chosen: DataFrame, task: Task) -> StructType:
    """Return the columns of the answer. All may be null: a task's Arrow data does not promise more."""
    fields = []
    for number, name in enumerate(task.carried):
        field = chosen.schema[carrier(number)]
        fields.append(StructField(name, field.dataType, True, field.metadata))
    fields.append(StructField("subscription", LongType() if task.version.ids == "long" else StringType()))
    if task.explain:
        fields.append(StructField("explanation", StringType()))
    if task.on_error == "keep":
        fields.append(StructField("error", StringType()))
    if task.metrics:
        kinds = (LongType(), LongType(), DoubleType())
        fields += [StructField(name, kind) for name, kind in zip(METRICS, kinds, strict=True)]
    return StructType(fields)


def _observed(pairs: DataFrame, metrics: str | Observation, task: Task) -> DataFrame:
    """Observe the figures that tasks add as rows of their own, then drop those rows."""
    events, errors, seconds = (named(name) for name in METRICS)
    version = F.lit(task.version.version)
    observed = pairs.observe(
        metrics,
        F.coalesce(F.sum(events), F.lit(0)).alias("events"),
        F.count(named("subscription")).alias("pairs"),
        F.coalesce(F.sum(errors), F.lit(0)).alias("errors"),
        F.coalesce(F.max(version), version).alias("version"),
        F.coalesce(F.sum(seconds), F.lit(0.0)).alias("seconds"),
    )
    return observed.where(events.isNull()).drop(*METRICS)
