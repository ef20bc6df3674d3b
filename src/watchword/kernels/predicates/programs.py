"""Runs the programs of clauses on an event, by the table of literals that are true in it.

`kernels.sets.clauses` describes entries and programs; here an atom is never a phrase, and its truth is that of `hold`.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import leaf
from watchword.kernels.predicates.blocks import lies
from watchword.kernels.predicates.layout import LAZY
from watchword.kernels.sets.clauses import (
    ELSE,
    ENTRY_WORDS,
    SEE,
    SKIP,
    SOME,
    START,
    STOP,
    count_step,
)
from watchword.kernels.tombstones import FIRST_CLAUSE


@leaf
def drop_failed(positions, s, payloads, start, fill, counters):
    """Drop the clauses from ``payloads[start:fill]`` whose programs fail; returns the new fill. `counters` is room for
    `LEVELS` counts."""
    kept = np.int64(start)
    for k in range(start, fill):
        payload = payloads[k]
        payloads[kept] = payload
        kept += payload < FIRST_CLAUSE or _runs_through(np.int64(payload) - FIRST_CLAUSE, positions, s, counters)
    return kept


@leaf
def _runs_through(clause, positions, s, counters):
    """Return whether the program of a clause holds."""
    at, end = np.int64(s.entries[ENTRY_WORDS * clause + START]), np.int64(s.entries[ENTRY_WORDS * clause + STOP])
    program = s.program
    otherwise = np.int64(-1)
    while 0 <= at < end:
        head = np.int64(program[at])
        if head == ELSE:
            otherwise = at + program[at + 1] if program[at + 1] else np.int64(-1)
            at += 2
        elif head == SKIP:
            at += program[at + 1]
        elif head == SEE:
            other = ENTRY_WORDS * np.int64(program[at + 1])
            at, end = np.int64(s.entries[other + START]), np.int64(s.entries[other + STOP])
        elif head < 0:
            j = at + 1
            at += 1 - head
            while j < at and _holds(program[j] >> 1, positions, s) == program[j] & 1:
                j += 1
            at = at if j < at else otherwise
        elif head == SOME:
            j, stop, wanted = at + 3, at + 3 + program[at + 1], np.int64(program[at + 2])
            while wanted > 0 and j < stop:
                wanted -= _holds(program[j] >> 1, positions, s) != program[j] & 1
                j += 1
            at = stop if wanted == 0 else otherwise
        elif head > SOME:
            at = count_step(head, program, at, counters, otherwise)
        else:
            at = at + 2 if _holds(program[at + 1], positions, s) != head & 1 else otherwise
    return at >= 0


@leaf
def _holds(atom, positions, s):
    """Return 1 if an atom holds in the event, else 0."""
    held = np.int64(s.hold[s.places[atom]])
    return lies(atom, positions, s.kinds, s.spans, s.marks) if held == LAZY else held
