"""The worker's half of placing: subscriptions in, counts or shard numbers out (`index.routing` has the rule)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from watchword.errors import SubscriptionError
from watchword.index import Index, language_class
from watchword.index.routing import BUCKETS, Needs, ShardRule, counted
from watchword.strings import from_arrow

SHARD = "shard"


@dataclass(frozen=True)
class ShardCounter:
    """Counts the atoms that subscriptions need, and places subscriptions by them."""

    language: str
    options: dict[str, Any]

    def index(self) -> Index:
        """Return an empty index, which compiles the subscriptions of all batches of a task."""
        return language_class(self.language)(**self.options)

    def count(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Count the atoms of the column `subscription`, by bucket."""
        index = self.index()
        total = np.zeros(BUCKETS, np.int64)
        for batch in batches:
            needs = _needs(index, batch["subscription"].drop_null())
            if needs is not None:
                total += counted(needs)
        buckets = np.flatnonzero(total)
        yield pa.RecordBatch.from_pydict({"bucket": buckets.astype(np.int32), "count": total[buckets]})

    def place(self, batches: Iterator[pa.RecordBatch], rule: ShardRule) -> Iterator[pa.RecordBatch]:
        """Append the shard of each subscription. A batch with a refused one goes to shard 0, which names it."""
        index = self.index()
        for batch in batches:
            texts = batch["subscription"].drop_null()
            needs = _needs(index, texts)
            homes = np.zeros(batch.num_rows, np.int32)
            if needs is not None:
                there = batch["subscription"].is_valid().to_numpy(zero_copy_only=False)
                homes[there] = rule.homes(needs, len(texts))
            yield pa.RecordBatch.from_arrays([*batch.columns, pa.array(homes)], names=[*batch.schema.names, SHARD])


def _needs(index: Index, texts: pa.Array) -> Needs | None:
    try:
        return index.needs(from_arrow(texts))
    except SubscriptionError:
        return None
