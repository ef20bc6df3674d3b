"""From texts to items in one call: scan, look up, drop repeats. One call, because a single text is short."""

from __future__ import annotations

import numpy as np

from watchword.kernels.clauses import distinct
from watchword.kernels.jit import kernel
from watchword.kernels.text import tokenize
from watchword.kernels.vocabulary import find_many


@kernel
def read_texts(data, offsets, surrogates, ascii_fold, pages, values, fold_starts, folds, table, blob, ends):
    """Return, of rows of text, the distinct known terms in CSR form, and all terms: row ends and numbers.

    For invalid UTF-8 the last of them is empty and the row ends are one number, ``-1 - row``.
    """
    rows = len(offsets) - 1
    out = np.empty(3 * len(data) + 8, np.uint8)
    cuts = np.empty(3 * len(data) // 2 + rows + 2, np.int64)
    row_ends = np.empty(rows, np.int64)
    count = tokenize(data, offsets, surrogates, ascii_fold, pages, values, fold_starts, folds, out, cuts, row_ends)
    if count < 0:
        nothing = np.empty(0, np.int32)
        return offsets, nothing, np.array([count]), nothing
    numbers = np.empty(count, np.int32)
    find_many(out, cuts[: count + 1], table, blob, ends, numbers)
    set_offsets = np.empty(rows + 1, np.int64)
    terms = np.empty(count, np.int32)
    known = distinct(row_ends, numbers, set_offsets, terms)
    return set_offsets, terms[:known], row_ends, numbers
