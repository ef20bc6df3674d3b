"""Tables off which the spans of a field are read: a row for each place where a label can stand, a byte for each span.

Rules often compare with few constants: a thousand rules on ``hour`` have 24. Then it is cheaper to write down all spans
that hold at an event's label than to compare each when it is asked for.
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Int32, Int64, UInt8
from watchword.kernels.predicates.match import OUTSIDE, Atoms, Eager

CELLS = 1 << 16
"""How many bytes the table of one field may have."""

FIELDS = 64
"""How many fields are read off tables: those with the most spans that have few places."""


def eager_spans(atoms: Atoms) -> Eager:
    """Return the tables of all fields that are worth one.

    >>> made = eager_spans(Atoms(np.array([1], np.int32), np.array([201, 399])))
    >>> made.cuts.tolist(), made.table.tolist()
    ([201, 400], [0, 1, 0])
    """
    spans = np.flatnonzero(atoms.modes > 0).astype(np.int32)
    fields = atoms.fields[spans]
    counts = np.bincount(fields, minlength=1)
    chosen = [field for field in np.argsort(-counts, kind="stable")[: 4 * FIELDS].tolist() if counts[field]]
    made = [(field, *_table(atoms, spans[fields == field])) for field in chosen if counts[field] <= CELLS]
    kept = [one for one in made if one[3].size <= CELLS][:FIELDS]
    index = np.zeros((len(kept), 6), np.int64)
    at = np.zeros(3, np.int64)
    for row, (field, cuts, own, table) in enumerate(kept):
        sizes = len(cuts), len(own), table.size
        index[row] = field, at[0], at[0] + sizes[0], at[1], at[1] + sizes[1], at[2]
        at += sizes
    return Eager(
        index.reshape(-1),
        np.concatenate([np.empty(0, np.int64), *(cuts for _, cuts, _, _ in kept)]),
        np.concatenate([np.empty(0, np.int32), *(own for _, _, own, _ in kept)]),
        np.concatenate([np.empty(0, np.uint8), *(table.reshape(-1) for *_, table in kept)]),
    )


def _table(atoms: Atoms, own: Int32) -> tuple[Int64, Int32, UInt8]:
    """Return the cuts of a field, its spans, and which of them hold between the cuts; no table if it were too large."""
    lows, highs = atoms.lows[own], atoms.highs[own]
    cuts = np.unique(np.concatenate([lows, highs + 1]))
    if (len(cuts) + 1) * len(own) > CELLS:
        return cuts, own, np.empty(CELLS + 1, np.uint8)
    places = np.concatenate([[np.iinfo(np.int64).min], cuts])[:, None]
    inside = (lows[None, :] <= places) & (places <= highs[None, :])
    return cuts, own, (inside != (atoms.modes[own] == OUTSIDE)).astype(np.uint8)
