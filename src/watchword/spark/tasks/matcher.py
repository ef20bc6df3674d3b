"""The worker's half of `match`: record batches of events in, record batches of pairs out.

A batch arrives with the columns to carry (under the names that `carrier` gives), the event (`EVENT`, unless it is
carried, or the columns of its attributes that are not) and, where the index is partitioned, the number of the shard
that this copy of the event is for (`SHARD`). Matching finds pairs (row, id); the carried columns are then taken by row
and the ids appended, all in Arrow: no Python object per row, but for explanations.

Events are matched a slice at a time, sized by the pairs that the slice before gave (`Pace`), and batches are
yielded when they reach `ROWS` or about `BYTES`: an event that matches a million subscriptions costs time, not memory.

An event that a language refuses is isolated by the position that the error carries: the events before it are matched,
it is reported once, and matching goes on behind it. Most refusals are the same in every shard, but one about a binary
column depends on what the shard asks of it: the lowest shard that refuses an event reports it.

Several languages read a batch in one pass (`Tasks`): it crosses to Python once, with an event column for each language.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from watchword.errors import PipelineError
from watchword.index import Index
from watchword.index.events import Pace, around
from watchword.shards import Version, cache
from watchword.shards.changed_shard import ChangedShard
from watchword.spark.tasks.events import EventColumns, events_of

EVENT, SHARD = "__watchword_event", "__watchword_shard"
LANGUAGE = "language"
COUNTED = "__watchword_counted"
METRICS = ("__watchword_events", "__watchword_errors", "__watchword_seconds")
ROWS = 65_536
BYTES = 32 << 20
FIRST_SIZE, EVENTS_AT_ONCE = 64, 1 << 16

OnError = Literal["raise", "skip", "keep"]
Rows = npt.NDArray[np.int64]


def carrier(number: int) -> str:
    """Return the name under which a carried column crosses to Python."""
    return f"c{number}"


@dataclass(frozen=True)
class Task:
    """A task of matching, as it is sent to a worker."""

    version: Version
    event: EventColumns
    """The column that holds the event, or those of its attributes."""
    carried: tuple[str, ...]
    """The names that carried columns have in the answer."""
    partitioned: bool = False
    explain: bool = False
    on_error: OnError = "raise"
    metrics: bool = False
    large: bool = False
    """Whether strings cross with 64-bit offsets, as the Spark session is set."""

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Match the batches of one task."""
        runner = _Runner(self)
        for batch in batches:
            yield from runner.run(batch)


@dataclass(frozen=True)
class Tasks:
    """Several tasks, one for each language, over the same batches; the answers name the language in `LANGUAGE`."""

    by_language: tuple[tuple[str, Task], ...]

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Match each batch in every language."""
        runners = [(language, _Runner(task)) for language, task in self.by_language]
        for batch in batches:
            for language, runner in runners:
                for answer in runner.run(batch):
                    names = pa.repeat(pa.scalar(language, runner.text), answer.num_rows)
                    yield answer.append_column(LANGUAGE, names)


@dataclass
class _Pairs:
    """The pairs of one slice of a batch: rows of the batch, ids, reasons."""

    rows: Rows
    ids: pa.Array
    explanations: pa.Array | None = None


@dataclass
class _Found:
    """The pairs and the refused events of one slice and one shard."""

    pairs: list[_Pairs] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)


class _Runner:
    def __init__(self, task: Task) -> None:
        self.task = task
        self.text = pa.large_string() if task.large else pa.string()
        self.ids = pa.int64() if task.version.ids == "long" else self.text
        self.pace = Pace(FIRST_SIZE, EVENTS_AT_ONCE)

    def run(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        errors, seconds = 0, 0.0
        column = events_of(batch, self.task.event)
        for shard, rows in self._shards(batch, column):
            events = column if len(rows) == len(column) else column.take(rows)
            position = np.asarray(rows)
            for part in self.pace.slices(len(position)):
                began = time.perf_counter()
                found = self._match(shard, events[part], position[part])
                seconds += time.perf_counter() - began
                errors += len(found.refused)
                self.pace.record(part.stop - part.start, sum(len(pairs.rows) for pairs in found.pairs))
                yield from self._answer(batch, found)
        if self.task.metrics and batch.num_rows:
            yield self._measured(batch, errors, seconds)

    def _shards(self, batch: pa.RecordBatch, column: pa.Array) -> Iterator[tuple[int | None, pa.Array]]:
        """Return each shard to ask (None for all of them) and the rows that go there; nulls go nowhere."""
        valid = pc.is_valid(column)
        if COUNTED in batch.schema.names:  # a row of figures is no event
            valid = pc.and_(valid, pc.equal(batch[COUNTED], 0))
        if not self.task.partitioned:
            yield None, pc.indices_nonzero(valid).cast(pa.int64())
            return
        numbers = batch[SHARD]
        for number in pc.unique(numbers).to_pylist():
            yield number, pc.indices_nonzero(pc.and_(valid, pc.equal(numbers, number))).cast(pa.int64())

    def _match(self, shard: int | None, events: Any, rows: Rows) -> _Found:
        version = self.task.version
        numbers = range(len(version.shards)) if shard is None else [shard]
        found = _Found()
        for number in numbers:
            index = cache.shard(version, number)
            answers, refused = around(events, partial(index.match_many, threads=1))
            self._raise_first(refused)
            for position in refused if shard is None else self._first_refused(shard, events, list(refused)):
                found.refused.setdefault(int(rows[position]), refused[position])
            for start, table in answers:
                for part in table.to_batches():
                    positions, ids = part["event"].to_numpy() + start, part["subscription"]
                    why = self._explained(index, events, positions, ids) if self.task.explain else None
                    found.pairs.append(_Pairs(rows[positions], ids, why))
        return found

    def _first_refused(self, shard: int, events: Any, positions: list[int]) -> list[int]:
        """Return the positions of refused events that no lower shard refuses, which would report them itself."""
        for lower in range(shard):
            if positions:
                some = events.take(pa.array(positions, pa.int64()))
                _, refused = around(some, cache.shard(self.task.version, lower).match_many)
                positions = [position for row, position in enumerate(positions) if row not in refused]
        return positions

    def _raise_first(self, refused: dict[int, str]) -> None:
        if refused and self.task.on_error == "raise":
            raise PipelineError(
                f"an event cannot be matched: {next(iter(refused.values()))}; "
                "on_error='skip' leaves such events out, on_error='keep' returns them with a column 'error'"
            )

    def _explained(self, index: Index | ChangedShard, events: Any, positions: Rows, ids: pa.Array) -> pa.Array:
        reasons = []
        known, event = -1, None
        for position, key in zip(positions.tolist(), ids.to_pylist(), strict=True):
            if position != known:
                known, event = position, events[position].as_py(maps_as_pydicts="strict")
            reasons.append(str(index.explain(event, key)))
        return pa.array(reasons, self.text)

    def _answer(self, batch: pa.RecordBatch, found: _Found) -> Iterator[pa.RecordBatch]:
        """Turn pairs and refused events into rows of the output."""
        carried = batch.select([carrier(number) for number in range(len(self.task.carried))])
        sizes = row_bytes(carried)
        for pairs in found.pairs:
            for start, stop in pieces(sizes, pairs.rows):
                yield self._rows(
                    carried,
                    pairs.rows[start:stop],
                    ids=pairs.ids[start:stop],
                    explanations=None if pairs.explanations is None else pairs.explanations[start:stop],
                )
        if self.task.on_error == "keep" and found.refused:
            rows = np.array(list(found.refused), np.int64)
            reasons = pa.array(list(found.refused.values()), self.text)
            for start, stop in pieces(sizes, rows):
                yield self._rows(carried, rows[start:stop], errors=reasons[start:stop])

    def _rows(
        self,
        carried: pa.RecordBatch,
        rows: Rows,
        ids: pa.Array | None = None,
        explanations: pa.Array | None = None,
        errors: pa.Array | None = None,
    ) -> pa.RecordBatch:
        columns = carried.take(pa.array(rows)).columns if carried.num_columns else []
        return self._output(list(columns), len(rows), ids, explanations, errors)

    def _output(
        self, columns: list[pa.Array], count: int, ids: Any = None, explanations: Any = None, errors: Any = None
    ) -> pa.RecordBatch:
        names = [*self.task.carried, "subscription"]
        columns.append(pa.nulls(count, self.ids) if ids is None else ids.cast(self.ids))
        if self.task.explain:
            names.append("explanation")
            columns.append(pa.nulls(count, self.text) if explanations is None else explanations)
        if self.task.on_error == "keep":
            names.append("error")
            columns.append(pa.nulls(count, self.text) if errors is None else errors)
        if self.task.metrics:
            names += METRICS
            columns += [pa.nulls(count, pa.int64()), pa.nulls(count, pa.int64()), pa.nulls(count, pa.float64())]
        return pa.RecordBatch.from_arrays(columns, names=names)

    def _measured(self, batch: pa.RecordBatch, errors: int, seconds: float) -> pa.RecordBatch:
        """Return one row that carries figures instead of a pair; `match` observes it, then drops it."""
        first = batch.num_rows
        if COUNTED in batch.schema.names:  # the router counted them, for not every event comes to every shard
            first = pc.sum(batch[COUNTED]).as_py()
        elif self.task.partitioned:
            first = pc.sum(pc.equal(batch[SHARD], 0)).as_py()
        nulls = [pa.nulls(1, batch.schema.field(carrier(n)).type) for n in range(len(self.task.carried))]
        row = self._output(nulls, 1)
        figures = [pa.array([first], pa.int64()), pa.array([errors], pa.int64()), pa.array([seconds], pa.float64())]
        return pa.RecordBatch.from_arrays([*row.columns[:-3], *figures], names=row.schema.names)


def row_bytes(batch: pa.RecordBatch) -> npt.NDArray[np.float64]:
    """Return about how many bytes each row of a batch takes: texts by their length, the rest by the mean."""
    texts = np.zeros(batch.num_rows)
    for column in batch.columns:
        kind = column.type
        if (
            pa.types.is_string(kind)
            or pa.types.is_binary(kind)
            or pa.types.is_large_string(kind)
            or pa.types.is_large_binary(kind)
        ):
            texts += np.asarray(pc.fill_null(pc.binary_length(column), 0), np.float64)
    rest = max(0.0, batch.nbytes - float(texts.sum())) / max(batch.num_rows, 1)
    sizes: npt.NDArray[np.float64] = texts + (rest + 16)
    return sizes


def pieces(sizes: npt.NDArray[np.float64], rows: Rows) -> Iterator[tuple[int, int]]:
    """Cut pairs so that no piece has more than `ROWS` rows or much more than `BYTES`, but at least one row each."""
    if len(rows) <= ROWS and float(sizes.max(initial=0)) * len(rows) <= BYTES:
        if len(rows):
            yield 0, len(rows)
        return
    ends = np.cumsum(sizes[rows])
    start = 0
    while start < len(rows):
        before = float(ends[start - 1]) if start else 0.0
        stop = int(np.searchsorted(ends, before + BYTES, side="right"))
        stop = min(max(stop, start + 1), start + ROWS, len(rows))
        yield start, stop
        start = stop
