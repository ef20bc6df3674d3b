"""Lists all atoms that hold in events, for the papers' methods: the points of the event, and the spans that hold.

Each field has two lists. Spans that hold for a label inside are sorted by their lower ends, so that reading stops at
the first that begins above the label; spans that hold for a label outside are in a second list, read to its end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.jit import kernel


class Spans(NamedTuple):
    """Field `f` has the atoms ``inside[inside_offsets[f]:…]``, sorted by their lower ends, and ``outside[…]``."""

    inside_offsets: Int64
    inside: Int32
    outside_offsets: Int64
    outside: Int32
    lows: Int64
    highs: Int64


@kernel
def list_atoms(event_offsets, points, value_offsets, fields, positions, state, first, used, offsets, payloads):
    """Write the atoms that hold in each event, each once, after the atom `leader` if it is not negative."""
    inside_offsets, inside, outside_offsets, outside, lows, highs, leader = state
    listed = np.zeros(len(lows), np.bool_)
    for event in range(first, len(event_offsets) - 1):
        fill = used
        room = len(payloads) - 1
        if leader >= 0 and fill < room:
            payloads[fill] = leader
            fill += 1
        for k in range(event_offsets[event], event_offsets[event + 1]):
            if not listed[points[k]] and fill < room:
                fill = _list(points[k], listed, payloads, fill)
        for k in range(value_offsets[event], value_offsets[event + 1]):
            field, label = fields[k], positions[k]
            for i in range(inside_offsets[field], inside_offsets[field + 1]):
                atom = inside[i]
                if lows[atom] > label or fill == room:
                    break
                if label <= highs[atom] and not listed[atom]:
                    fill = _list(atom, listed, payloads, fill)
            for i in range(outside_offsets[field], outside_offsets[field + 1]):
                atom = outside[i]
                if not lows[atom] <= label <= highs[atom] and not listed[atom] and fill < room:
                    fill = _list(atom, listed, payloads, fill)
        for k in range(used, fill):
            listed[payloads[k]] = False
        if fill == room:
            return event, used, 0
        used = fill
        offsets[event + 1] = used
    return len(event_offsets) - 1, used, 0


@kernel
def _list(atom, listed, atoms, fill):
    listed[atom] = True
    atoms[fill] = atom
    return fill + 1
