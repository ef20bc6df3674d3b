"""Which integers have the form of a LIKE when they are written as texts: ``23_`` those from 230 to 239.

>>> from watchword.predicates.dialects.cesql.views import pattern_of
>>> ranges_of(pattern_of("23_")), ranges_of(pattern_of("-1_")), ranges_of(pattern_of("__")), ranges_of(pattern_of("a%"))
([(230, 239)], [(-19, -10)], [(-9, -1), (10, 99)], [])
>>> ranges_of(pattern_of("%5"))
Traceback (most recent call last):
...
watchword.predicates.dialects.cesql.integers.Unsayable

Digits at the end, behind a wildcard, are no ranges. Forms that no integer has are no ranges either, but none at all.
"""

from __future__ import annotations

from watchword.predicates.dialects.cesql.syntax import LEAST, MOST
from watchword.predicates.dialects.sigma.values import Pieces, Wild

_MOST_DIGITS = 10
_DIGITS = frozenset("0123456789")

Signs = list[str | Wild]
"""A form, character by character."""


class Unsayable(Exception):
    """The integers of a form are no ranges."""


def ranges_of(pieces: Pieces) -> list[tuple[int, int]]:
    """Return the integers of a form, as ranges that ascend."""
    signs = _ordered([sign for piece in pieces for sign in (piece if isinstance(piece, str) else (piece,))])
    texts = [sign for sign in signs if isinstance(sign, str)]
    if any(text not in _DIGITS for text in texts if text != "-") or texts.count("-") > 1:
        return []
    if "-" in texts and any(sign is not Wild.ANY for sign in signs[: signs.index("-")]):
        return []
    if sum(sign is not Wild.ANY for sign in signs) > _MOST_DIGITS + 1:
        return []
    if not signs or signs == [Wild.ANY]:
        return [(LEAST, MOST)] if signs else []
    found = {one for magnitudes, negative in _signed(signs) for one in _magnitudes(magnitudes, negative)}
    return sorted(one for one in found if one[0] <= one[1])


def _ordered(signs: Signs) -> Signs:
    """Return a form with the wildcards for one character before those for any, which means the same."""
    made: Signs = []
    for sign in signs:
        if sign is Wild.ONE and made and made[-1] is Wild.ANY:
            made.insert(-1, sign)
        elif not (sign is Wild.ANY and made and made[-1] is Wild.ANY):
            made.append(sign)
    return made


def _signed(signs: Signs) -> list[tuple[Signs, bool]]:
    """Return the forms of the digits, each with whether a minus stands before them."""
    if signs[0] == "-":
        return [(signs[1:], True)]
    if signs[0] is Wild.ONE:
        return [(signs[1:], True), (signs, False)]
    if signs[0] is Wild.ANY:
        raise Unsayable
    return [(signs, False)]


def _magnitudes(signs: Signs, negative: bool) -> list[tuple[int, int]]:
    """Return the ranges of numbers whose digits have a form: digits, then wildcards."""
    digits = 0
    while digits < len(signs) and isinstance(signs[digits], str):
        digits += 1
    prefix, wild = "".join(map(str, signs[:digits])), signs[digits:]
    if any(isinstance(sign, str) for sign in wild):
        raise Unsayable
    ones = sum(sign is Wild.ONE for sign in wild)
    longest = _MOST_DIGITS - digits if Wild.ANY in wild else ones
    found = [_range(prefix, length) for length in range(ones, longest + 1)]
    return [_clipped(low, high, negative) for low, high in found]


def _range(prefix: str, length: int) -> tuple[int, int]:
    """Return the numbers of a prefix and `length` digits behind it; an empty range if there are none."""
    size = 10**length
    if len(prefix) + length == 0 or (prefix[:1] == "0" and len(prefix) + length > 1):
        return 1, 0
    if not prefix:
        return (size // 10 if length > 1 else 0), size - 1
    return int(prefix) * size, int(prefix) * size + size - 1


def _clipped(low: int, high: int, negative: bool) -> tuple[int, int]:
    return (max(-high, LEAST), min(-low, -1)) if negative else (low, min(high, MOST))
