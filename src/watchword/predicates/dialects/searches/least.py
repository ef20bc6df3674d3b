"""``minimum_should_match``: how many of some optional clauses have to match.

| written | of 4 clauses |
| --- | --- |
| ``3``, ``"3"`` | 3 |
| ``-1`` | 3: all but one |
| ``"75%"`` | 3, rounded down |
| ``"-25%"`` | 3: all but a quarter, rounded down |
| ``"3<90%"`` | 3: all if there are at most 3, else 90 % |
| ``"2<-25% 9<-3"`` | 3: the last condition that applies |

The figures are those of Elasticsearch's own arithmetic, in 32-bit floats. More than there are is more than there are:
such a query matches nothing. Less than none is none.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from watchword.predicates.dialects.searches.refused import Refused

_ABOVE = re.compile(r"\s+<\s*|\s*<\s+")
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)
_REMEDY = 'write a number, a percentage such as "75%", or conditions such as "3<90%"'


def needed(written: Any, clauses: int) -> int:
    """Return how many of some clauses have to match.

    >>> [needed(one, 4) for one in (3, "-1", "75%", "-25%", "3<90%", "2<-25% 9<-3", 7, -9, "-0")]
    [3, 3, 3, 3, 3, 3, 7, 0, 0]
    """
    if isinstance(written, bool) or not isinstance(written, int | str):
        raise Refused(f"minimum_should_match is {written!r:.60}; {_REMEDY}")
    text = str(written).strip()
    if len(text) > 1000:
        raise Refused(f"minimum_should_match has {len(text):,} characters; {_REMEDY}")
    if "<" not in text:
        return _simple(text, clauses)
    found = clauses
    for condition in _ABOVE.sub("<", text).split(" "):
        bound, _, then = condition.partition("<")
        if clauses <= _whole(bound, text):
            return found
        found = _simple(then, clauses)
    return found


def _simple(text: str, clauses: int) -> int:
    if text.endswith("%"):
        share = float(np.float32(clauses * _whole(text[:-1], text)) * np.float32(1 / 100))
    else:
        share = float(_whole(text, text))
    return max(0, clauses + int(share) if share < 0 else int(share))


def _whole(text: str, written: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise Refused(f"minimum_should_match is {written!r:.60}; {_REMEDY}")
    return int(text)
