"""Routing: which events can reach which subscriptions, and so which shards. Pure functions over numpy arrays.

A language says what its subscriptions *need* and which *atoms* an event has (`Needs`, `Atoms`); atoms are known by
their hashes (`kernels.stable_hash`), which are the same in every index, process and machine. Example, with three shards
and the hash of a word written as its length:

    s1  greece AND crisis      needs {6, 6}     lives in shard 6 mod 3 = 0, which owns 6
    s2  imf OR debt            needs {3} or {4} lives in shard 3 mod 3 = 0, which owns 3 and 4
    event "the imf"            has {3, 3}       goes to shard 0 only

*Placing* (`ShardRule.homes`). A subscription goes to the shard of one of its atoms, ``hash mod shards``: among the
atoms that occur in the most of its clauses, the one that is rarest over all subscriptions. How many subscriptions have
an atom is counted in `BUCKETS` buckets by hash, which is exact enough, and of one size whatever the vocabulary. A
subscription that an event without any atom may satisfy (`NOT imf`) goes to shard 0.

*Owning* (`ShardRule.owned`). A built shard says what it owns: for each clause of each of its subscriptions one atom
that the clause needs, preferably one whose hash belongs to this shard. So an event that can satisfy any of them has an
owned atom, wherever subscriptions were placed: placing decides how many sends there are, never whether a pair is found.

Layout of what a shard owns, uint64: how many of the owned atoms are at home (their hash mod shards is this shard),
those, sorted, then the others, sorted. Two atoms with one hash cost a needless send at worst. An atom of an event is
looked up in its home shard only, and among the others of all shards, which are few: those of subscriptions with OR.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from watchword.arrays import Bools, Int32, Int64, UInt64, distinct_numbers

BUCKETS = 1 << 16
"""Of the counts by which subscriptions are placed."""

_LOW = np.uint64((1 << 24) - 1)


class Needs(NamedTuple):
    """What events need: row `i` is one clause of subscription ``owners[i]``.

    Only an event that has all of ``atoms[offsets[i]:offsets[i + 1]]`` can satisfy it; with no atoms, any event may.
    """

    owners: Int64
    offsets: Int64
    atoms: UInt64


class Atoms(NamedTuple):
    """What events have: event `i` the atoms ``atoms[offsets[i]:offsets[i + 1]]``, perhaps repeated."""

    offsets: Int64
    atoms: UInt64


@dataclass(frozen=True)
class ShardRule:
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
        """Return the atoms that a shard with these needs owns; None for all atoms."""
        if needs is None or (np.diff(needs.offsets) == 0).any():
            return None
        if not len(needs.owners):
            return np.zeros(1, np.uint64)
        away = needs.atoms % np.uint64(self.shards) != shard
        score = self._score(away.astype(np.uint64), needs.atoms)
        best = np.minimum.reduceat(score, needs.offsets[:-1])
        chosen = score == np.repeat(best, np.diff(needs.offsets))
        home = distinct_numbers(needs.atoms[chosen & ~away])
        return np.concatenate([np.array([len(home)], np.uint64), home, distinct_numbers(needs.atoms[chosen & away])])

    def _score(self, lead: UInt64, atoms: UInt64) -> UInt64:
        """Return the order in which atoms are preferred: by `lead`, then how rare they are, then by their hashes."""
        rarity = np.minimum(self.counts[_buckets(atoms)], int(_LOW)).astype(np.uint64)
        score: UInt64 = (lead << np.uint64(48)) | (rarity << np.uint64(24)) | (atoms & _LOW)
        return score


def counted(needs: Needs) -> Int64:
    """Return how often atoms of each bucket are needed."""
    return np.bincount(_buckets(needs.atoms), minlength=BUCKETS)


def _buckets(atoms: UInt64) -> Int64:
    return (atoms >> np.uint64(48)).astype(np.int64)


def _clauses_with(needs: Needs, owners: Int64) -> Int64:
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


@dataclass
class OwnedAtoms:
    """The atoms that each shard of a version owns; None for all atoms. Tables may be memory maps."""

    tables: Sequence[UInt64 | None]
    _others: UInt64 = field(init=False)
    _whose: Int32 = field(init=False)

    def __post_init__(self) -> None:
        others = [np.empty(0, np.uint64) if table is None else table[1 + int(table[0]) :] for table in self.tables]
        whose = np.repeat(np.arange(len(others), dtype=np.int32), [len(part) for part in others])
        joined = np.concatenate(others)
        order = np.argsort(joined, kind="stable")
        self._others, self._whose = joined[order], whose[order]

    def of(self, found: Atoms) -> Bools:
        """Return which shards (columns) each event (row) has to be sent to."""
        count = len(found.offsets) - 1
        events = np.repeat(np.arange(count), np.diff(found.offsets))
        sent = np.zeros((count, len(self.tables)), np.bool_)
        homes = (found.atoms % np.uint64(len(self.tables))).astype(np.int32)
        for shard, table in enumerate(self.tables):
            if table is None:
                sent[:, shard] = True
                continue
            here = np.flatnonzero(homes == shard)
            sent[events[here[_present(table[1 : 1 + int(table[0])], found.atoms[here])]], shard] = True
        at = np.searchsorted(self._others, found.atoms, side="left")
        ends = np.searchsorted(self._others, found.atoms, side="right")
        live = np.flatnonzero(at < ends)
        while len(live):  # as often as one atom has owners that are not its home
            sent[events[live], self._whose[at[live]]] = True
            at[live] += 1
            live = live[at[live] < ends[live]]
        return sent


def _present(table: UInt64, atoms: UInt64) -> Bools:
    if not len(table):
        return np.zeros(len(atoms), np.bool_)
    at = np.minimum(np.searchsorted(table, atoms), len(table) - 1)
    present: Bools = table[at] == atoms
    return present
