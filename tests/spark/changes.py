"""One shard that is changed and matched as tasks do it, without a Spark session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.spark.data import texts
from watchword.shards import Shard, Version, publish
from watchword.spark import resolve
from watchword.spark.tasks.matcher import Task
from watchword.spark.tasks.writer import Writer

EVENTS = list(enumerate(texts(60)))
Changes = dict[Any, str | None]


def changed(path: str | Path, changes: Changes) -> Shard | None:
    """Change the only shard of the index, as a task of `update` does, and publish it; None if nothing changes."""
    old = resolve(path)
    kind = pa.string() if old.ids == "string" else pa.int64()
    given = {
        "id": pa.array(list(changes), kind),
        "subscription": pa.array(list(changes.values()), pa.string()),
        "deleted": pa.array([text is None for text in changes.values()]),
    }
    shard = Writer(old.path, old.version + 1, old.language, {}, old=old)._change(old, 0, pa.table(given))
    if shard is not None:
        publish(Version(old.path, old.version + 1, old.language, old.ids, (shard,)), 10)
    return shard


def pairs(version: Version, **options: Any) -> list[tuple[int, Any]]:
    """Match the events as a task of `match` does."""
    events = [(number, text) for number, text in EVENTS if text is not None]
    batch = pa.RecordBatch.from_pydict({"c0": [number for number, _ in events], "c1": [text for _, text in events]})
    answers = list(Task(version, event="c1", carried=("n",), **options).run(iter([batch])))
    return sorted((row["n"], row["subscription"]) for answer in answers for row in answer.to_pylist())
