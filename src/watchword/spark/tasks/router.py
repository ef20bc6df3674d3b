"""The worker's half of routing: before the shuffle, each event gets the numbers of the shards that it is for.

An event goes to the shards that own one of its atoms (`index.routing`). It is dropped if no shard owns any of them. An
event that cannot be read goes to shard 0, which reports it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from watchword.arrays import Bools
from watchword.index import Index
from watchword.index.events import around
from watchword.index.routing import OwnedAtoms
from watchword.shards import Version, cache
from watchword.shards.changed_shard import ChangedShard
from watchword.spark.tasks.events import EventColumns, events_of
from watchword.spark.tasks.matcher import COUNTED

SHARDS = "__watchword_shards"


@dataclass(frozen=True)
class Router:
    """A task that adds to each event the list of shard numbers that it goes to.

    With `counted`, one more row of each batch carries the number of its events to shard 0, since not every event
    gets there to be counted.
    """

    version: Version
    event: EventColumns
    counted: bool

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Route the batches of one task."""
        for batch in batches:
            yield self._output(batch.columns, batch.schema.names, self._shards(events_of(batch, self.event)), 0)
            if self.counted and batch.num_rows:
                nulls = [pa.nulls(1, column.type) for column in batch.columns]
                yield self._output(nulls, batch.schema.names, pa.array([[0]], pa.list_(pa.int32())), batch.num_rows)

    def _output(self, columns: list[pa.Array], names: list[str], shards: pa.Array, events: int) -> pa.RecordBatch:
        columns, names = [*columns, shards], [*names, SHARDS]
        if self.counted:
            columns.append(pa.array(np.full(len(shards), events, np.int64)))
            names.append(COUNTED)
        return pa.RecordBatch.from_arrays(columns, names=names)

    def _shards(self, column: pa.Array) -> pa.Array:
        rows = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
        sent = np.zeros((len(column), len(self.version.shards)), np.bool_)
        if len(rows):
            events = column if len(rows) == len(column) else column.take(pa.array(rows))
            sent[rows] = route(cache.shard(self.version, 0), cache.owned_atoms(self.version), events)
        ends = np.cumsum(sent.sum(axis=1), dtype=np.int32)
        numbers = np.nonzero(sent)[1].astype(np.int32)
        return pa.ListArray.from_arrays(pa.array(np.concatenate([np.zeros(1, np.int32), ends])), pa.array(numbers))


def route(index: Index | ChangedShard, owned: OwnedAtoms, events: pa.Array) -> Bools:
    """Return which shards each event is for; one that the language refuses is for shard 0."""
    sent = np.zeros((len(events), len(owned.tables)), np.bool_)

    def shards(some: pa.Array) -> Bools:
        found = index.atoms(some)
        return np.ones((len(some), len(owned.tables)), np.bool_) if found is None else owned.of(found)

    answers, refused = around(events, shards)
    for start, rows in answers:
        sent[start : start + len(rows)] = rows
    sent[list(refused), 0] = True
    return sent
