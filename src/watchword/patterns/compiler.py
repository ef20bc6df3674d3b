"""From the texts of pattern subscriptions to what structures store, a column at a time and without an object per row.

A row that a kernel refuses is parsed again in Python, for an error with the reason and the place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32
from watchword.errors import SubscriptionError
from watchword.kernels.patterns import parsing as kernels
from watchword.patterns.query import parse
from watchword.patterns.rows import Patterns
from watchword.patterns.texts import casefold, count_characters
from watchword.strings import Strings


class Compiled(NamedTuple):
    """Subscriptions ready to be stored.

    Row ``rows[i]`` of the input is pattern `i`; row ``blanks[i]`` has no word, and asks for ``minimums[i]`` characters.
    """

    rows: Int32
    patterns: Patterns
    blanks: Int32
    minimums: Int32


class Compiler:
    """Compiles subscriptions under the options of an index."""

    def __init__(self, ignore_case: bool, max_length: int) -> None:
        self._ignore_case, self._max_length = ignore_case, max_length

    def compile(self, texts: Strings) -> Compiled:
        """Return a column of subscriptions; the first bad one is an error that names its row."""
        lengths, bad = count_characters(texts)
        if bad >= 0:
            raise SubscriptionError("column 'subscription' is not valid UTF-8", row=bad)
        if lengths.max(initial=0) > self._max_length:
            self._refuse(texts, int(np.argmax(lengths > self._max_length)))
        compiled, bad = parse_rows(casefold(texts) if self._ignore_case else texts)
        if bad >= 0:
            self._refuse(texts, bad)
        return compiled

    def _refuse(self, texts: Strings, row: int) -> None:
        try:
            parse(texts.text(row), self._max_length)
        except SubscriptionError as error:
            raise error.at_row(row) from None


def parse_rows(texts: Strings) -> tuple[Compiled, int]:
    """Return the rows' words and gaps, and -1 or the first row that is no pattern."""
    count, size = texts.count, int(texts.offsets[-1]) - int(texts.offsets[0])
    most = (size + count) // 2  # words
    rows, blanks, minimums = (np.empty(count, np.int32) for _ in range(3))
    offsets, cuts = np.empty(count + 1, np.int64), np.empty(most + 1, np.int64)
    data = np.empty(size, np.uint8)
    chars, gaps = np.empty(most, np.int32), np.empty(most + count, np.int32)
    outputs = (rows, offsets, cuts, data, chars, gaps, blanks, minimums)
    kept, blank, words = kernels.parse(texts.data, texts.offsets, *outputs)
    bad = -1 - kept if kept < 0 else -1
    kept = max(kept, 0)
    patterns = Patterns(
        offsets[: kept + 1], cuts[: words + 1], data[: cuts[words]], chars[:words], gaps[: words + kept]
    )
    return Compiled(rows[:kept], patterns, blanks[:blank], minimums[:blank]), bad
