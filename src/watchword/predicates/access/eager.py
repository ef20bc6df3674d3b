"""Which spans are eager: compared with an event's label all at once, before any of them is asked for.

Comparing one span when it is asked for costs as much as comparing a hundred that lie side by side. So the spans of a
field are eager if an event is expected to ask for one in `WORTH` of them or more: a thousand rules on ``hour`` have 24
constants, a million rules about moments may have a million.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Float64, Int16, Int32, Int64, UInt8, offsets_of
from watchword.kernels.predicates.layout import EAGER_WORDS, OUTSIDE, Atoms, Eager

WORTH = 128
"""How many spans that lie side by side are compared in the time that one takes by itself."""

SPANS = 1 << 13
"""How many spans an eager field may have: their ends are numbered by 16 bits."""

FIELDS = 64
"""How many fields may be eager."""


class Places(NamedTuple):
    """The place of each atom; and three numbers for each eager field: the field, its first place, its last one + 1."""

    places: Int32
    eager: Int32


def placed(atoms: Atoms, looks: Float64) -> Places:
    """Return the places of atoms, where an event is expected to ask for spans of field `f` ``looks[f]`` times.

    Atoms 0 and 2 are spans of field 7, atom 1 is a point: it comes first.

    >>> made = placed(Atoms(np.array([29, 4, 29], np.int32), np.array([201, 399, 0, 0, 1, 200])), np.ones(8))
    >>> made.places.tolist(), made.eager.tolist()
    ([1, 0, 2], [7, 1, 3])
    """
    spans = atoms.modes > 0
    counts = np.bincount(atoms.fields[spans], minlength=len(looks))
    worth = np.flatnonzero((counts > 0) & (counts <= SPANS) & (looks * WORTH >= counts))
    chosen = np.sort(worth[np.argsort(-looks[worth], kind="stable")[:FIELDS]])
    rank = np.full(len(counts), len(chosen) + 1)
    rank[chosen] = np.arange(1, len(chosen) + 1)
    group = np.where(spans, rank[atoms.fields], 0)
    order = np.argsort(group, kind="stable")
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    borders = offsets_of(np.bincount(group, minlength=len(chosen) + 1))[1:]
    eager = np.stack([chosen, borders[: len(chosen)], borders[1 : len(chosen) + 1]], 1)
    return Places(places, eager.astype(np.int32).reshape(-1))


def first_lazy(atoms: Atoms, eager: Int32) -> int:
    """Return the first place of the lazy spans, which are compared when a row asks for them."""
    return int(eager[-1]) if len(eager) else int(np.count_nonzero(atoms.modes == 0))


def eager_spans(atoms: Atoms, made: Places) -> Eager:
    """Return the ends of eager spans, by the present labels of atoms.

    >>> one = Atoms(np.array([1], np.int32), np.array([201, 399]))
    >>> ends = eager_spans(one, Places(np.zeros(1, np.int32), np.array([0, 0, 1], np.int32)))
    >>> ends.cuts.tolist(), ends.lows.tolist(), ends.highs.tolist()
    ([201, 400], [1], [1])
    """
    by_place = np.argsort(made.places)
    index = np.zeros((len(made.eager) // 3, EAGER_WORDS), np.int64)
    cuts: list[Int64] = [np.empty(0, np.int64)]
    lows: list[Int16] = [np.empty(0, np.int16)]
    highs: list[Int16] = [np.empty(0, np.int16)]
    flips: list[UInt8] = [np.empty(0, np.uint8)]
    begins = np.zeros(2, np.int64)
    for row, (field, first, last) in enumerate(made.eager.reshape(-1, 3).tolist()):
        own = by_place[first:last]
        low, high = atoms.spans[2 * own], atoms.spans[2 * own + 1]
        cuts.append(np.unique(np.concatenate([low, high + 1])))
        lows.append(np.searchsorted(cuts[-1], low, "right").astype(np.int16))
        highs.append(np.searchsorted(cuts[-1], high, "right").astype(np.int16))
        flips.append((atoms.modes[own] == OUTSIDE).astype(np.uint8))
        index[row] = field, begins[0], len(cuts[-1]), begins[1], first, last - first
        begins += len(cuts[-1]), len(own)
    joined = np.concatenate(cuts), np.concatenate(lows), np.concatenate(highs), np.concatenate(flips)
    return Eager(index.reshape(-1), *joined)
