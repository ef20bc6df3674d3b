"""From raw codes to moves: the tests that an element passes become the conditions that it satisfies.

A *condition* is a name, or `*`, together with tests, all of which the element must pass. With the labels a = 1, b = 2
and the tests 0 ``@x``, 1 ``@x='1'``, 2 ``text()='hi'``, the conditions ``a[@x]``, ``*[@x='1']`` and
``a[@x][text()='hi']`` are::

    labels        [1, 0, 1]
    test_offsets  [0, 1, 2, 4]         tests   [0, 1, 0, 2]
    first         [0, 1, 2]            following  [-1, -1, -1]

Each condition is keyed by one of its tests, so an element that passes no test looks at none. The document
``<a x="1"><b/>hi</a>`` has the raw codes, gathered and settled::

    raw           1 -1 -2 2 END -3 END             tests as -1 - test; that of the text comes late
    gathered      1 -1 -2 -3 2 END END
    moves         1 -1 -2 -3 2 END END             conditions 0, 1 and 2, as -1 - condition
"""

from __future__ import annotations

from typing import NamedTuple

from watchword.arrays import Int32, Int64
from watchword.kernels.jit import kernel
from watchword.kernels.paths.moves import END

AT, FILL, STAMP = range(3)
"""The places of a settling's counters: the next raw code, moves written, elements seen."""


class Conditions(NamedTuple):
    """Condition `c` asks for the name ``labels[c]``, 0 for any, and the tests ``tests[test_offsets[c]:…]``. Where an
    element passes test `t`, the conditions ``first[t]``, ``following[first[t]]`` and so on are looked at, up to -1."""

    labels: Int32
    test_offsets: Int64
    tests: Int32
    first: Int32
    following: Int32


@kernel
def gather(raw, counts, open_elements, out):
    """Put the tests of each element right behind its label. `raw` are whole documents.

    ``counts[e]`` becomes the number of tests of element `e`, then the place of its next; `open_elements` has room for
    the deepest document. `counts` is as long as `raw`, and 0.
    """
    _count_tests(raw, counts, open_elements)
    depth = element = fill = 0
    for code in raw:
        if code >= 0:
            open_elements[depth] = element
            depth += 1
            out[fill] = code
            fill += 1
            tests = counts[element]
            counts[element] = fill
            fill += tests
            element += 1
        elif code == END:
            depth -= 1
            out[fill] = code
            fill += 1
        else:
            top = open_elements[depth - 1]
            out[counts[top]] = code
            counts[top] += 1


@kernel
def _count_tests(raw, counts, open_elements):
    depth = element = 0
    for code in raw:
        if code >= 0:
            open_elements[depth] = element
            depth += 1
            element += 1
        elif code == END:
            depth -= 1
        else:
            counts[open_elements[depth - 1]] += 1


@kernel
def settle(raw, conditions, marks, counters, out):
    """Write moves for gathered codes from ``counters[AT]`` on; return whether all are done.

    It stops before an element if the conditions that may follow it do not fit. ``marks[test]`` is twice the number of
    the element that passes it, plus one once its conditions were looked at; the numbers go on from call to call.
    """
    at, fill, stamp = counters[AT], counters[FILL], counters[STAMP]
    done = True
    while at < len(raw):
        stop = at + 1
        if raw[at] >= 0:
            while stop < len(raw) and END < raw[stop] < 0:
                stop += 1
        if fill + 1 + _most(raw, at + 1, stop, conditions) > len(out):
            done = False
            break
        out[fill] = raw[at]
        fill += 1
        if stop > at + 1:
            stamp += 1
            fill = _satisfied(raw, at, stop, conditions, marks, stamp, out, fill)
        at = stop
    counters[AT], counters[FILL], counters[STAMP] = at, fill, stamp
    return done


@kernel
def _most(raw, first, stop, conditions):
    """Return how many conditions are looked at for the tests of an element, at most."""
    most = 0
    for k in range(first, stop):
        test = -1 - raw[k]
        condition = conditions.first[test]
        while condition >= 0:
            most += 1
            condition = conditions.following[condition]
    return most


@kernel
def _satisfied(raw, at, stop, conditions, marks, stamp, out, fill):
    """Write the conditions that an element satisfies; a test that it passes twice counts once."""
    label = raw[at]
    for k in range(at + 1, stop):
        marks[-1 - raw[k]] = 2 * stamp
    for k in range(at + 1, stop):
        test = -1 - raw[k]
        if marks[test] != 2 * stamp:
            continue
        marks[test] += 1
        condition = conditions.first[test]
        while condition >= 0:
            name = conditions.labels[condition]
            if (name == 0 or name == label) and _all_pass(condition, conditions, marks, stamp):
                out[fill] = -1 - condition
                fill += 1
            condition = conditions.following[condition]
    return fill


@kernel
def _all_pass(condition, conditions, marks, stamp):
    for place in range(conditions.test_offsets[condition], conditions.test_offsets[condition + 1]):
        if marks[conditions.tests[place]] >> 1 != stamp:
            return False
    return True
