"""One text against the packed index: read and matched in one call.

A call from Python, and what passes between two of them, cost more than the work on a short text. With 31,262 queries a
post took 24 microseconds in two calls, of which 4 were work.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.handles import bytes_at
from watchword.kernels.jit import kernel
from watchword.kernels.sets import packed
from watchword.kernels.text.read_terms import read_into
from watchword.kernels.tombstones import FIRST_CLAUSE


@kernel
def match_text(text, reader, structure, numbers, payloads):
    """Write the term numbers of a text, which is Python's bytes, and the payloads that it finds.

    `reader` and `structure` are the handles that `read_into` and `packed.match` want; `numbers` has room for
    `most_terms`. Returns how many numbers there are, how many payloads, -1 if they do not fit, the operations, and
    whether a payload is that of a clause.
    """
    data = bytes_at(text, np.uint8)
    borders, term_borders = np.zeros(2, np.int64), np.zeros(2, np.int64)
    borders[1] = len(data)
    count = read_into(data, borders, True, reader, numbers, term_borders)
    reached, used, operations = packed.match(term_borders, numbers, structure, 0, 0, borders, payloads)
    has_clause = False
    for k in range(used):
        has_clause |= payloads[k] >= FIRST_CLAUSE
    return count, used if reached else -1, operations, has_clause
