"""Chooses the access key of a row: the one that the fewest events are expected to have.

`chances[a]` is the share of events in which the atom `a` is expected to hold. The candidates are the row's positive
point with the least chance, and the node of its positive span with the least chance. Two points are expected together
in the product of their chances, so a pair is rarer than either; but every pair of *fields* in use costs each event a
probe. So fields become partners only where that pays (`partners`), by greedy steps: with 100,000 rules of three
equalities on any 3 of 16 attributes, 56 to 64 of the 120 pairs of fields (six samples) suffice for each rule to find
two of its attributes among them; 56 is the least possible.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel, leaf
from watchword.kernels.predicates.nodes import node_level

ALWAYS, POINT, PAIR, NODE = 0, 1, 2, 3
INSIDE = 1
TOP_LEVEL = 62
PROBE = 6.0
"""The cost of a probe for a pair, as a number of rows read."""


@kernel
def choose(row_offsets, literals, atoms, chances, partners, kinds, firsts, seconds):
    """Write the access key of each row: its kind, and one point, two points, or ``field << 8 | level`` and a prefix.

    `partners` is ``(narrow, is_partner)``: `narrow` numbers the fields that may be partners (-1 for the others), and
    ``is_partner[narrow[f], narrow[g]]`` says whether `f` and `g` are (a matrix of all fields would be too large: there
    may be 100,000).
    """
    for row in range(len(row_offsets) - 1):
        own = literals[row_offsets[row] : row_offsets[row + 1]]
        kinds[row], firsts[row], seconds[row] = choose_one(own, atoms, chances, partners)


@leaf
def choose_one(literals, atoms, chances, partners):
    """Return the access key of a row: ``(kind, first, second)``."""
    kinds, spans = atoms
    point = span = np.int64(-1)
    least_point = least_span = np.inf
    for literal in literals:
        atom = np.int64(literal >> 1)
        if literal & 1:
            continue
        if kinds[atom] & 3 == 0:
            if chances[atom] < least_point:
                least_point, point = chances[atom], atom
        elif chances[atom] < least_span:
            least_span, span = chances[atom], atom
    if point >= 0:
        first, second = _pair(literals, kinds, chances, partners, min(0.7 * least_point, least_span))
        if first >= 0:
            return np.int64(PAIR), first, second
        if least_point <= least_span:
            return np.int64(POINT), point, np.int64(0)
    if span < 0:
        return np.int64(ALWAYS), np.int64(0), np.int64(0)
    level = np.int64(TOP_LEVEL)
    low, high = spans[2 * span], spans[2 * span + 1]
    if kinds[span] & 3 == INSIDE and low <= high:
        level = min(node_level(low, high), level)
    return np.int64(NODE), np.int64(kinds[span] >> 2) << 8 | level, low >> level


@leaf
def _pair(literals, kinds, chances, partners, least):
    """Return the rarest pair of points of partner fields, lower field first; -1, -1 if none is rarer than `least`."""
    narrow, is_partner = partners
    first = second = np.int64(-1)
    for i in range(len(literals)):
        one = literals[i] >> 1
        field = kinds[one] >> 2
        if literals[i] & 1 or kinds[one] & 3 or field >= len(narrow) or narrow[field] < 0:
            continue
        for j in range(len(literals)):
            two = literals[j] >> 1
            other = kinds[two] >> 2
            if literals[j] & 1 or kinds[two] & 3 or other >= len(narrow) or narrow[other] < 0 or field >= other:
                continue
            if is_partner[narrow[field], narrow[other]] and chances[one] * chances[two] < least:
                least = chances[one] * chances[two]
                first, second = np.int64(one), np.int64(two)
    return first, second


@kernel
def point_fields(row_offsets, literals, kinds, narrow, sets):
    """Write the fields of each row's points as a bit set, by their numbers in `narrow`; -1 leaves a field out."""
    for row in range(len(row_offsets) - 1):
        found = np.uint64(0)
        for k in range(row_offsets[row], row_offsets[row + 1]):
            atom = literals[k] >> 1
            field = kinds[atom] >> 2
            if literals[k] & 1 == 0 and kinds[atom] & 3 == 0 and narrow[field] >= 0:
                found |= np.uint64(1) << np.uint64(narrow[field])
        sets[row] = found


@kernel
def partners(sets, weights, chances):
    """Return the matrix of partner fields, for rows with points in these sets of fields (bits), `weights` rows each.

    `chances[f]` is the chance of a point of field `f`. Greedy: takes the pair that saves the most rows, until none
    saves as much as a probe costs.
    """
    width = len(chances)
    chosen = np.zeros((width, width), np.bool_)
    costs = np.empty(len(sets))
    for k in range(len(sets)):
        costs[k] = 1.0
        for f in range(width):
            if sets[k] >> np.uint64(f) & np.uint64(1):
                costs[k] = min(costs[k], chances[f])
    while True:
        gains = _gains(sets, weights, chances, costs)
        best = np.argmax(gains)
        one, two = best // width, best % width
        if gains[one, two] <= PROBE:
            return chosen
        chosen[one, two] = True
        cost = chances[one] * chances[two]
        both = np.uint64(1) << np.uint64(one) | np.uint64(1) << np.uint64(two)
        for k in range(len(sets)):
            if sets[k] & both == both:
                costs[k] = min(costs[k], cost)


@kernel
def _gains(sets, weights, chances, costs):
    """Return the matrix of rows that an event would no longer read if two fields became partners."""
    width = len(chances)
    gains = np.zeros((width, width))
    for k in range(len(sets)):
        for one in range(width):
            if sets[k] >> np.uint64(one) & np.uint64(1):
                for two in range(one + 1, width):
                    if sets[k] >> np.uint64(two) & np.uint64(1):
                        saved = costs[k] - chances[one] * chances[two]
                        if saved > 0:
                            gains[one, two] += weights[k] * saved
    return gains
