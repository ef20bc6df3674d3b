"""Reads one text and matches it with the packed index, in one call.

Calls from Python cost more than the work on a short text. With 31,262 queries a post took 24 microseconds in two
calls; 4 of them were work.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.handles import arrays_at, bytes_at
from watchword.kernels.jit import kernel
from watchword.kernels.sets import packed
from watchword.kernels.sets.clauses import CLAUSE_KINDS, check_clauses
from watchword.kernels.text.read_terms import read_into
from watchword.kernels.tombstones import FIRST_CLAUSE


@kernel
def match_text(text, reader, structure, clauses, rare, numbers, payloads, slots):
    """Write the slots of the subscriptions that a text, given as bytes, satisfies.

    `reader`, `structure` and `clauses` are the handles that `read_into`, `packed.match` and `check_clauses` take.
    `rare` goes to the last. `numbers` has room for `most_terms`. If no clause has to be checked, the slots are in
    `payloads`.

    Returns the number of slots (-1 if they do not fit), the operations, and whether they are in `slots`.
    """
    data = bytes_at(text, np.uint8)
    borders, term_borders = np.zeros(2, np.int64), np.zeros(2, np.int64)
    borders[1] = len(data)
    read_into(data, borders, True, reader, numbers, term_borders)
    reached, used, operations = packed.match(term_borders, numbers, structure, 0, 0, borders, payloads)
    if not reached:
        return -1, operations, False
    entries, program, always = arrays_at(clauses, 0, CLAUSE_KINDS)
    has_clause = len(always) > 0
    for k in range(used):
        has_clause |= payloads[k] >= FIRST_CLAUSE
    if not has_clause:
        return used, operations, False
    found, checks = (borders, payloads[:used]), (entries, program, always)
    reached, count, _ = check_clauses(term_borders, numbers, found, checks, rare, 0, 0, np.zeros(2, np.int64), slots)
    return count if reached else -1, operations, True
