"""The worker's half of `build` and `update`: the rows of a shard in, a saved shard out.

Spark brings all rows of a shard into one partition. The task collects them as an Arrow table, which the index loads
in bulk, and answers with one row per shard: the folder where it was saved, or the error. A bad row is an answer, not an
exception: the driver raises it once, without Spark trying the task again and wrapping it in a stack trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword import shards as versions
from watchword.errors import PipelineError, SnapshotError, SubscriptionError
from watchword.index import Index, language_class
from watchword.index.routing import ShardRule
from watchword.shards import Shard, Version, opening
from watchword.shards.changed_shard import ChangedShard, without_changes
from watchword.spark.tasks.shard_counter import SHARD

HOME, DELETED = "home", "deleted"
ANSWER = (
    "shard int, folder string, snapshot long, subscriptions long, bytes long, atoms long, on_top boolean, error string"
)
_ANSWER = pa.schema(
    [
        ("shard", pa.int32()),
        ("folder", pa.string()),
        ("snapshot", pa.int64()),
        ("subscriptions", pa.int64()),
        ("bytes", pa.int64()),
        ("atoms", pa.int64()),
        ("on_top", pa.bool_()),
        ("error", pa.string()),
    ]
)

WHOLE = 1 << 16
"""A shard with fewer subscriptions is rewritten when it changes: that takes less than a second."""
SHARE = 16
"""A larger shard is rewritten when more than a sixteenth of it has changed; until then its changes are written."""


@dataclass(frozen=True)
class Writer:
    """A task of writing shards, as it is sent to a worker.

    `old` is the version to change; None to build one from scratch. `rule` is given if subscriptions are sharded by
    atoms: then every change comes to every shard, because the old text may lie in any, with the number of the shard of
    its new text (`HOME`).
    """

    path: str
    version: int
    language: str
    options: dict[str, Any]
    old: Version | None = None
    rule: ShardRule | None = None
    large: bool = False

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Write the shards of one task."""
        table = _gathered(batches)
        if table is None:
            return
        opening.check_visible(self.path)
        numbers = pc.unique(table[SHARD]).to_pylist()
        for number in numbers:
            rows = table if len(numbers) == 1 else table.filter(pc.equal(table[SHARD], number))
            yield self._answer(number, rows.drop_columns([SHARD]))

    def _answer(self, number: int, rows: pa.Table) -> pa.RecordBatch:
        answer: dict[str, Any] = {"shard": number}
        try:
            shard = self._build(number, rows) if self.old is None else self._change(self.old, number, rows)
            answer |= {} if shard is None else vars(shard) | {"on_top": shard.base is not None}
        except (SubscriptionError, PipelineError, SnapshotError) as error:
            answer["error"] = str(error)
        values = [pa.array([answer.get(name)], _ANSWER.field(name).type) for name in _ANSWER.names]
        batch = pa.RecordBatch.from_arrays(values, schema=_ANSWER)
        return batch.cast(_large(_ANSWER)) if self.large else batch

    def _build(self, number: int, rows: pa.Table) -> Shard:
        with _rows_named(rows):
            index = language_class(self.language)(rows, **self.options)
        return self.save(index, number)

    def _change(self, old: Version, number: int, rows: pa.Table) -> Shard | None:
        """Write a shard with its changes, whole or the changes alone; None if they change nothing."""
        _check_once(rows)
        if self.rule is not None:
            moved = pc.not_equal(rows[HOME], number)
            rows = rows.set_column(rows.schema.get_field_index(DELETED), DELETED, pc.or_(rows[DELETED], moved))
            rows = rows.drop_columns([HOME])
        shard = opening.open_shard(old, number)
        gone = [key for key in rows.filter(rows[DELETED])["id"].to_pylist() if key in shard]
        upserts = rows.filter(pc.invert(rows[DELETED])).drop_columns([DELETED])
        news = _different(shard, upserts)
        if not gone and not news.num_rows:
            return None
        if self._leaves_base(shard, len(gone) + news.num_rows):
            return self._on_top(old.shards[number], shard, number, gone, news)
        index = shard if isinstance(shard, Index) else shard.whole()
        for key in gone:
            del index[key]
        with _rows_named(news):
            index.update(news)
        return self.save(index, number)

    def _leaves_base(self, shard: Index | ChangedShard, more: int) -> bool:
        """Return whether a shard is large and little of it has changed, so that only its changes are written."""
        base, known = (shard, 0) if isinstance(shard, Index) else (shard.base, len(shard.changes) + len(shard.gone))
        return self.rule is None and len(base) >= WHOLE and SHARE * (known + more) <= len(base)

    def _on_top(self, old: Shard, shard: Index | ChangedShard, number: int, gone: list[Any], news: pa.Table) -> Shard:
        """Write the changes of a shard, old and new ones together."""
        before = without_changes(shard) if isinstance(shard, Index) else shard
        with _rows_named(news):
            after = before.changed(gone, news)
        folder = versions.shard_folder(number, self.version)
        saved = versions.save_shard(after.changes, self.path, folder, gone=after.gone)
        return replace(saved, subscriptions=len(after), base=old.base or old)

    def save(self, index: Index, number: int) -> Shard:
        """Save a shard, with the atoms that it owns."""
        owned = None if self.rule is None else self.rule.owned(index.needs(), number)
        return versions.save_shard(index, self.path, versions.shard_folder(number, self.version), owned)


def _gathered(batches: Iterator[pa.RecordBatch]) -> pa.Table | None:
    """Return all rows as one table, None if there are none. The batches are freed: they are as large again."""
    received = [batch for batch in batches if batch.num_rows]
    return pa.Table.from_batches(received).combine_chunks() if received else None


@contextmanager
def _rows_named(rows: pa.Table) -> Iterator[None]:
    """Raise the error of a refused row with the row's id, in place of its position in a table that users do not see."""
    try:
        yield
    except SubscriptionError as error:
        if error.row is None:
            raise PipelineError(str(error)) from None
        key = rows["id"][error.row].as_py()
        name = "a row without an id" if key is None else f"subscription {key!r}"
        raise PipelineError(f"{name}: {error.without_row()}") from None


def _check_once(rows: pa.Table) -> None:
    ids = rows["id"]
    if ids.null_count:
        raise PipelineError("a change has no id (it is null): drop the row or fill it")
    if pc.count_distinct(ids).as_py() < len(ids):
        counts = pc.value_counts(ids.combine_chunks())
        many = counts.filter(pc.greater(counts.field("counts"), 1))
        raise PipelineError(
            f"subscription {many.field('values')[0].as_py()!r}: changed more than once in one update, "
            "and the order of rows is not defined: keep the last change of each id"
        )


def _different(index: Index | ChangedShard, upserts: pa.Table) -> pa.Table:
    """Leave out rows whose id is subscribed already with the same text."""
    pairs = zip(upserts["id"].to_pylist(), upserts["subscription"].to_pylist(), strict=True)
    return upserts.filter(pa.array(np.array([index.get(key) != text or text is None for key, text in pairs], np.bool_)))


def _large(schema: pa.Schema) -> pa.Schema:
    return pa.schema([(one.name, pa.large_string() if pa.types.is_string(one.type) else one.type) for one in schema])
