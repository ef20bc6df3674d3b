r"""Wildcards of EventBridge: ``*`` is any run of characters, ``\*`` a star, ``\\`` a backslash.

One star can be said by how a text starts and ends, if texts too short for both are left out: ``aba*ba`` is not ``aba``.
"""

from __future__ import annotations

from watchword.predicates.dialects.aws import PatternError


def pieces_of(pattern: str, path: str) -> list[str]:
    r"""Split a wildcard pattern at its stars.

    >>> pieces_of(r"a\*b*c\\", "x")
    ['a*b', 'c\\']
    """
    pieces = [""]
    at = 0
    while at < len(pattern):
        if pattern[at] == "*":
            if pattern[at + 1 : at + 2] == "*":
                raise PatternError("two * in a row are not allowed", path=path)
            pieces.append("")
        else:
            if pattern[at] == "\\":
                at += 1
                if pattern[at : at + 1] not in ("*", "\\"):
                    raise PatternError("a backslash stands before * or another backslash only", path=path)
            pieces[-1] += pattern[at]
        at += 1
    return pieces


def overlaps(start: str, end: str) -> list[str]:
    """Return the texts that start with the first and end with the second piece, but are too short for both.

    >>> overlaps("aba", "bac"), overlaps("ab", "b"), overlaps("Simple", "Service")
    (['abac'], ['ab'], [])
    """
    found = []
    for length in range(max(len(start), len(end)), len(start) + len(end)):
        text = start + end[len(start) + len(end) - length :]
        if text.endswith(end):
            found.append(text)
    return found
