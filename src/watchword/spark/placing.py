"""Where subscriptions go with ``build(..., shard_by="atoms")``, and what their shards own.

*Placing*. A subscription goes to the shard of one of its atoms, ``hash mod shards``: of those that most of its clauses
need, the one that the fewest subscriptions have. How many have an atom is counted in `BUCKETS` buckets by hash, which
is exact enough, and of one size whatever the vocabulary. A subscription that an event without any atom may satisfy
(`NOT imf`) goes to shard 0.

*Owning*. A built shard says what it owns: for each clause of each of its subscriptions one atom that the clause needs,
if possible one whose own shard it is. So an event that can satisfy any of them has an owned atom, wherever
subscriptions were placed: placing decides how many sends there are, never whether a pair is found. `owners` has the
layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword.buffers import from_arrow
from watchword.errors import SubscriptionError
from watchword.index import Needs, UInt64, language_class
from watchword.spark.versions import BUCKETS

SHARD = "shard"
Int32 = npt.NDArray[np.int32]
_LOW = np.uint64((1 << 24) - 1)


@dataclass(frozen=True)
class Placing:
    """The rule by which an index is sharded. `counts` has the subscriptions of the atoms in each bucket."""

    shards: int
    counts: Int32

    def homes(self, needs: Needs, texts: int) -> Int32:
        """Return the shard of each of `texts` subscriptions."""
        owners = np.repeat(needs.owners, np.diff(needs.offsets))
        covered = _clauses_with(needs, owners)
        score = self._score(np.uint64(0x7FFF) - np.minimum(covered, 0x7FFF).astype(np.uint64), needs.atoms)
        best = np.full(texts, np.iinfo(np.uint64).max, np.uint64)
        np.minimum.at(best, owners, score)
        chosen = score == best[owners]
        homes = np.zeros(texts, np.int32)
        homes[owners[chosen]] = needs.atoms[chosen] % np.uint64(self.shards)
        homes[needs.owners[np.diff(needs.offsets) == 0]] = 0
        return homes

    def owned(self, needs: Needs | None, shard: int) -> UInt64 | None:
        """Return what a shard with these needs owns, as `owners` has it; None for everything."""
        if needs is None or (np.diff(needs.offsets) == 0).any():
            return None
        if not len(needs.owners):
            return np.zeros(1, np.uint64)
        away = needs.atoms % np.uint64(self.shards) != shard
        score = self._score(away.astype(np.uint64), needs.atoms)
        best = np.minimum.reduceat(score, needs.offsets[:-1])
        chosen = score == np.repeat(best, np.diff(needs.offsets))
        home = np.unique(needs.atoms[chosen & ~away])
        return np.concatenate([np.array([len(home)], np.uint64), home, np.unique(needs.atoms[chosen & away])])

    def _score(self, lead: UInt64, atoms: UInt64) -> UInt64:
        """Return the order in which atoms are preferred: by `lead`, then how rare they are, then by their hashes."""
        rarity = np.minimum(self.counts[_buckets(atoms)], int(_LOW)).astype(np.uint64)
        score: UInt64 = (lead << np.uint64(48)) | (rarity << np.uint64(24)) | (atoms & _LOW)
        return score


def counted(needs: Needs) -> npt.NDArray[np.int64]:
    """Return how often atoms of each bucket are needed."""
    return np.bincount(_buckets(needs.atoms), minlength=BUCKETS)


def _buckets(atoms: UInt64) -> npt.NDArray[np.int64]:
    return (atoms >> np.uint64(48)).astype(np.int64)


def _clauses_with(needs: Needs, owners: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for each atom of each clause how many clauses of the same subscription need it."""
    clauses = np.bincount(needs.owners, minlength=1)
    covered = np.ones(len(owners), np.int64)
    several = np.flatnonzero(clauses[owners] > 1)
    order = several[np.lexsort((needs.atoms[several], owners[several]))]
    if len(order):
        first = np.ones(len(order), np.bool_)
        first[1:] = (np.diff(owners[order]) != 0) | (needs.atoms[order][1:] != needs.atoms[order][:-1])
        group = np.cumsum(first) - 1
        covered[order] = np.bincount(group)[group]
    return covered


@dataclass(frozen=True)
class Sorter:
    """The worker's half of placing: subscriptions in, counts or shard numbers out."""

    language: str
    options: dict[str, Any]

    def count(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Count the atoms of the column `subscription`, by bucket."""
        total = np.zeros(BUCKETS, np.int64)
        for batch in batches:
            needs = self._needs(batch["subscription"].drop_null())
            if needs is not None:
                total += counted(needs)
        buckets = np.flatnonzero(total)
        yield pa.RecordBatch.from_pydict({"bucket": buckets.astype(np.int32), "count": total[buckets]})

    def place(self, batches: Iterator[pa.RecordBatch], placing: Placing) -> Iterator[pa.RecordBatch]:
        """Append the shard of each subscription. What is refused goes to shard 0, with its batch, to be named."""
        for batch in batches:
            texts = batch["subscription"].drop_null()
            needs = self._needs(texts)
            homes = np.zeros(batch.num_rows, np.int32)
            if needs is not None:
                there = batch["subscription"].is_valid().to_numpy(zero_copy_only=False)
                homes[there] = placing.homes(needs, len(texts))
            yield pa.RecordBatch.from_arrays([*batch.columns, pa.array(homes)], names=[*batch.schema.names, SHARD])

    def _needs(self, texts: pa.Array) -> Needs | None:
        # An index of its own for each batch: the terms of all of them are not worth keeping.
        try:
            return language_class(self.language)(**self.options).needs(from_arrow(texts))
        except SubscriptionError:
            return None
