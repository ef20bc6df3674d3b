"""`match_all`: events matched in several languages by one pass, in one Spark job.

    targets = {
        "keywords": Target("index/keywords", "text"),
        "predicates": Target("index/predicates", "row", version=7),
    }
    match_all(events, targets, carry=["id"])        # id, subscription, language

Plan::

    events ── select carried columns, an event column for each language ── mapInArrow ── pairs with their language

Each event crosses to Python once, and each task has the shards of all languages open. A job has a price before its
first row, so for small batches five languages in one job cost little more than one. An index that is too large to be
replicated has a branch of the plan of its own (`match`, partitioned); it is still one job.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from watchword.errors import PipelineError
from watchword.shards import Version
from watchword.spark.columns import large_types, named
from watchword.spark.matching import (
    REPLICATE_BYTES,
    Mode,
    answer_schema,
    carried_columns,
    check_options,
    check_type,
    empty_index,
    is_partitioned,
    match,
    resolve_language,
    task_function,
)
from watchword.spark.tasks.matcher import EVENT, LANGUAGE, OnError, Task, Tasks, carrier
from watchword.spark.workers import check_workers


class Target(NamedTuple):
    """An index, the column that its language reads as the event, and the version, by default the newest."""

    path: str | os.PathLike[str]
    column: str | Column
    version: int | None = None


def match_all(
    events: DataFrame,
    targets: Mapping[str, Target],
    *,
    carry: Sequence[str] | None = None,
    on_error: OnError = "raise",
    mode: Mode = "auto",
    replicate_bytes: int = REPLICATE_BYTES,
) -> DataFrame:
    """Find the subscriptions of several languages that each event satisfies: one row per pair, in no promised order.

    `targets` are the indexes by language. The result has the columns of `match` (`explain` and `metrics` aside) and
    `language`. With ``on_error="keep"`` an event has a row with an `error` for each language that cannot read it. The
    indexes have one kind of ids, strings or whole numbers. The other options are those of `match`.
    """
    check_options(on_error, mode)
    check_workers(events.sparkSession)
    found = {language: resolve_language(target.path, target.version, language) for language, target in targets.items()}
    if len({version.ids for version in found.values()}) != 1:
        kinds = ", ".join(f"{language}: {version.ids}" for language, version in found.items())
        raise PipelineError(f"match_all takes indexes with one kind of ids, not {kinds or 'no index'}")
    together = {name: version for name, version in found.items() if not is_partitioned(version, mode, replicate_bytes)}
    carried = carried_columns(events, carry, ["subscription", LANGUAGE, *["error"] * (on_error == "keep")])
    frames = [_match_together(events, targets, together, carried, on_error)] if together else []
    for language in [name for name in found if name not in together]:
        path, column, _ = targets[language]
        number = found[language].version
        pairs = match(events, path, column=column, carry=carried, version=number, on_error=on_error, mode="partitioned")
        frames.append(pairs.withColumn(LANGUAGE, F.lit(language)))
    return reduce(lambda one, other: one.unionByName(other), frames)


def _match_together(
    events: DataFrame,
    targets: Mapping[str, Target],
    found: Mapping[str, Version],
    carried: list[str],
    on_error: OnError,
) -> DataFrame:
    """Match in all languages whose indexes every task can open."""
    large = large_types(events.sparkSession)
    columns = [named(name).alias(carrier(number)) for number, name in enumerate(carried)]
    tasks = []
    for number, (language, version) in enumerate(found.items()):
        column, name = targets[language].column, f"{EVENT}{number}"
        columns.append((named(column) if isinstance(column, str) else column).alias(name))
        tasks.append((language, Task(version, name, tuple(carried), on_error=on_error, large=large)))
    chosen = events.select(*columns)
    for _, task in tasks:
        check_type(chosen.schema[str(task.event)].dataType, empty_index(task.version))
    fields = [*answer_schema(chosen, tasks[0][1]).fields, StructField(LANGUAGE, StringType())]
    return chosen.mapInArrow(task_function(Tasks(tuple(tasks))), StructType(fields))
