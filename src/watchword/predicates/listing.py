"""For the methods of the papers: all atoms that hold in events, listed; and the order of a row's atoms.

`auto` leaves spans to be compared when they are asked for; counting and clusters want every atom that holds. With
``name = 'RBS'`` as atom 1 and ``value > 20`` as atom 2, the event ``{"name": "RBS", "value": 25}`` is the row [1, 2].
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from watchword.arrays import Arrays, Int32, offsets_of
from watchword.index.hits import collect
from watchword.kernels.predicates import spans as kernels
from watchword.kernels.predicates.spans import Spans
from watchword.kernels.sets.clauses import sort_terms
from watchword.parts import Part
from watchword.predicates.events.held import Held
from watchword.predicates.fields import Fields
from watchword.predicates.predicate import Predicate
from watchword.predicates.values import View
from watchword.predicates.zones import INSIDE, OUTSIDE, POINT
from watchword.sets.rows import Rows

LEADER = Predicate((), "=", View.PLAIN, (), "")
"""Stands for an atom that holds in every event: a row without a point is kept under it."""


class Listing:
    """Lists the atoms that hold in events; `leader` is the number of `LEADER`, or -1."""

    def __init__(self, fields: Fields, leader: int) -> None:
        self._fields, self._leader = fields, leader
        self._made: tuple[tuple[int, int], Spans] | None = None

    def rows(self, events: Held) -> Rows:
        """Return the atoms that hold, each once."""
        state = (*self._spans(), self._leader)
        hits = collect(len(events), partial(kernels.list_atoms, *events, state), 64)
        return Rows(hits.offsets, hits.payloads)

    def _spans(self) -> Spans:
        """Return the spans by field, rebuilt if atoms were added or labels moved; racing threads build the same."""
        version = self._fields.count, self._fields.spreads
        if self._made is None or self._made[0] != version:
            atoms = self._fields.atoms
            lists = [self._by_field(mode) for mode in (INSIDE, OUTSIDE)]
            made = Spans(*lists[0], *lists[1], atoms.lows, atoms.highs)
            self._made = version, made
            return made
        return self._made[1]

    def _by_field(self, mode: int) -> tuple[Any, Int32]:
        atoms = self._fields.atoms
        found = np.flatnonzero(atoms.modes == mode)
        found = found[np.lexsort((atoms.lows[found], atoms.fields[found]))]
        counts = np.bincount(atoms.fields[found], minlength=len(self._fields.all))
        return offsets_of(counts), found.astype(np.int32)


class SelectiveFirst(Part):
    """Puts the atoms of a row into the order in which clusters check them: points before spans, of either the most
    selective first. A row without a point gets the leader, under which it is kept."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self._ranks: Int32 = np.empty(0, np.int32)

    def learn(self, atoms: Int32, *, by_frequency: bool = True) -> None:
        """Rank atoms: a point of a field of many values is selective, a short span more so than a long one."""
        known = self._fields.atoms
        if len(self._ranks) == len(known.kinds):
            return
        fields, modes = known.fields, known.modes
        points = np.bincount(fields[modes == POINT], minlength=int(fields.max(initial=0)) + 1)
        score = np.where(modes == POINT, 1.0 / (points[fields] + 1), 2.0)
        score[modes == INSIDE] = 1.0 + (known.highs - known.lows)[modes == INSIDE] / 2.0**60
        ranks = np.empty(len(score), np.int32)
        ranks[np.argsort(score, kind="stable")] = np.arange(len(score), dtype=np.int32)
        self._ranks = ranks

    def in_order(self, rows: Rows) -> Rows:
        """Return rows in order, each led by the atom under which it is kept."""
        self.learn(rows.atoms)
        offsets, atoms = rows.offsets, rows.atoms.copy()
        sort_terms(offsets, atoms, self._ranks, 1)
        bare = self._fields.atoms.kinds[atoms[offsets[:-1]]] & 3 != POINT
        if not bare.any():
            return Rows(offsets, atoms)
        return Rows(offsets + offsets_of(bare), np.insert(atoms, offsets[:-1][bare], np.int32(0)))

    def known_in_order(self, items: Rows) -> Rows:
        """Return events unchanged: clusters need no order."""
        return items

    def arrays(self) -> Arrays:
        """Return nothing: the order follows from the fields."""
        return {}

    def restore(self, arrays: Arrays) -> None:
        """Take over nothing."""

    @property
    def bytes(self) -> int:
        """Return the bytes of the ranks."""
        return self._ranks.nbytes
