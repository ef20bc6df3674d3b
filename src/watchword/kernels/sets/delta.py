"""The delta of the packed index: rows added since, in linked lists by their rarest term.

    record in `pool` (int32)    next  payload  key  count  other term × count

`next` is -1 for the last, `payload` -1 once the row was removed. `heads[t]` is the newest record of key `t`, -1 for
none; lists lead from newer to older records, so from higher to lower places in the pool.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.int_set import set_has
from watchword.kernels.jit import kernel


@kernel
def match_delta(record, pool, table, mask, payloads, fill):
    """Match the records of one key from `record` on; returns the new fill, or -1, and the records read."""
    work = 0
    while record >= 0:
        work += 1
        payload = pool[record + 1]
        if payload >= 0:
            holds = True
            for k in range(record + 4, record + 4 + pool[record + 3]):
                if not set_has(table, mask, pool[k]):
                    holds = False
                    break
            if holds:
                if fill == len(payloads):
                    return np.int64(-1), work
                payloads[fill] = payload
                fill += 1
        record = np.int64(pool[record])
    return np.int64(fill), work


@kernel
def add_record(terms, payload, row_counts, item_counts, share, heads, pool, fill):
    """Add one row under its rarest term, and count its terms. Returns the new fill, or -1 if there is no room."""
    if fill + 3 + len(terms) > len(pool):
        return -1
    for term in terms:
        if term >= min(len(row_counts), len(item_counts), len(heads)):
            return -1
    key = -1
    least = np.inf
    for term in terms:
        row_counts[term] += 1
        weight = item_counts[term] + share * row_counts[term]
        if weight < least:
            least = weight
            key = term
    pool[fill] = heads[key]
    pool[fill + 1] = payload
    pool[fill + 2] = key
    pool[fill + 3] = len(terms) - 1
    heads[key] = fill
    fill += 4
    for term in terms:
        if term != key:
            pool[fill] = term
            fill += 1
    return fill


@kernel
def add_records(offsets, terms, payloads, row_counts, item_counts, share, heads, pool, fill, records):
    """Add many rows, for which there is room; `records[i]` is where row `i` lies. Returns the new fill."""
    for row in range(len(offsets) - 1):
        records[row] = fill
        row_terms = terms[offsets[row] : offsets[row + 1]]
        fill = add_record(row_terms, payloads[row], row_counts, item_counts, share, heads, pool, fill)
    return fill


@kernel
def live_rows(heads, pool, begin, end, offsets, terms, payloads):
    """Write the live records that lie in ``pool[begin:end]`` in CSR form; returns the rows and terms."""
    rows = 0
    fill = 0
    write = len(offsets) > 1
    for key in range(len(heads)):
        record = heads[key]
        while record >= begin:
            if record < end and pool[record + 1] >= 0:
                if write:
                    payloads[rows] = pool[record + 1]
                    terms[fill] = key
                    for k in range(pool[record + 3]):
                        terms[fill + 1 + k] = pool[record + 4 + k]
                fill += 1 + pool[record + 3]
                rows += 1
                if write:
                    offsets[rows] = fill
            record = pool[record]
    return rows, fill


@kernel
def has_terms(pool, record, terms):
    """Say whether a record has exactly these terms."""
    if pool[record + 3] + 1 != len(terms) or not is_among(pool[record + 2], terms):
        return False
    for k in range(pool[record + 3]):
        if not is_among(pool[record + 4 + k], terms):
            return False
    return True


@kernel
def is_among(term, terms):
    """Say whether a term is in a short array."""
    for other in terms:
        if other == term:
            return True
    return False
