r"""Wildcards of EventBridge and SNS as LIKE: ``*`` is any run of characters, ``\*`` a star, ``\\`` a backslash.

>>> like(r"a*b\*c", "x"), like("50%*", "x"), literally("a_b")
("LIKE 'a%b*c'", "LIKE '50!%%' ESCAPE '!'", "LIKE 'a!_b' ESCAPE '!'")
"""

from __future__ import annotations

import re

from watchword.predicates.dialects.aws import PatternError, quoted


def like(pattern: str, path: str) -> str:
    """Return the LIKE that a wildcard pattern is; `path` is its place, for errors."""
    return _like(pieces_of(pattern, path))


def literally(text: str) -> str:
    """Return the LIKE that holds for one text only, also for one that reads like a date."""
    return _like([text])


def _like(pieces: list[str]) -> str:
    """Return the LIKE of texts with any run of characters between them."""
    if not any("%" in piece or "_" in piece for piece in pieces):
        return f"LIKE {quoted('%'.join(pieces))}"
    escaped = [re.sub("([!%_])", r"!\1", piece) for piece in pieces]
    return f"LIKE {quoted('%'.join(escaped))} ESCAPE '!'"


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
