"""Adds rows to the delta and lists its live rows; `layout` describes its records."""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel, leaf
from watchword.kernels.predicates.choice import ALWAYS, POINT, choose_one
from watchword.kernels.predicates.nodes import put_node

NO_PARTNERS = np.empty(0, np.int64), np.zeros((0, 0), np.bool_)


@kernel
def add_rows(row_offsets, literals, payloads, atoms, chances, no_partners, delta, fill, records):
    """Add rows, for which there must be room, and write their pool positions to `records`. Returns the new fill."""
    for row in range(len(row_offsets) - 1):
        own = literals[row_offsets[row] : row_offsets[row + 1]]
        kind, first, second = choose_one(own, atoms, chances, no_partners)
        records[row] = fill
        fill = _add_record(own, payloads[row], kind, first, second, delta, fill)
    return fill


@leaf
def _add_record(literals, payload, kind, first, second, delta, fill):
    point_heads, node_keys, node_heads, levels, always, pool = delta
    if kind == POINT:
        pool[fill] = point_heads[first]
        point_heads[first] = fill
    elif kind == ALWAYS:
        pool[fill] = always[0]
        always[0] = fill
    else:
        levels[first >> 8] |= np.uint64(1) << np.uint64(first & 255)
        pool[fill] = put_node(node_keys, node_heads, first, second, fill)
    pool[fill + 1] = payload
    pool[fill + 2] = len(literals)
    for k in range(len(literals)):
        pool[fill + 3 + k] = literals[k]
    return fill + 3 + len(literals)


@kernel
def live_rows(pool, begin, end, offsets, literals, payloads):
    """Write the live records of ``pool[begin:end]`` in CSR form; returns the numbers of rows and of literals."""
    rows = 0
    fill = 0
    write = len(offsets) > 1
    record = begin
    while record < end:
        size = pool[record + 2]
        if pool[record + 1] >= 0:
            if write:
                payloads[rows] = pool[record + 1]
                for k in range(size):
                    literals[fill + k] = pool[record + 3 + k]
            fill += size
            rows += 1
            if write:
                offsets[rows] = fill
        record += 3 + size
    return rows, fill
