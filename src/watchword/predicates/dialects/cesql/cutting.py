"""LENGTH, LEFT, RIGHT and SUBSTRING of an attribute, as forms of the whole text.

``LENGTH(id) > 2`` is ``id LIKE '___%'``, ``LEFT(type, 4) = 'com.'`` is ``type LIKE 'com.%'``, and
``SUBSTRING(id, 3, 2) = 'ab'`` is ``id LIKE '__ab%'``.
"""

from __future__ import annotations

from collections.abc import Sequence

from watchword.predicates.dialects.cesql.constants import Fault
from watchword.predicates.dialects.cesql.syntax import MOST
from watchword.predicates.dialects.cesql.trees import Tree, within
from watchword.predicates.dialects.cesql.views import Integers, Refusal, Texts
from watchword.predicates.dialects.sigma.values import Pieces, Wild, tidy

MAX_CUT = 1000
"""The greatest position or length that can be said."""


def cut(name: str, texts: Texts, numbers: Sequence[int]) -> Texts:
    """Return a part of texts, as texts."""
    if any(abs(number) > MAX_CUT for number in numbers):
        raise Refusal(f"{name} beyond {MAX_CUT} characters cannot be said")
    if name == "SUBSTRING":
        return _substring(texts, numbers[0], *numbers[1:])
    [count] = numbers
    if count < 0:
        raise Fault(f"{name} of {count} characters")

    def equal(text: str) -> Tree:
        if len(text) > count:
            return False
        if len(text) < count:
            return texts.equal(text).true
        return texts.like(tidy([text, Wild.ANY] if name == "LEFT" else [Wild.ANY, text])).true

    def like(pieces: Pieces) -> Tree:
        return texts.like(_open(pieces, name == "LEFT")).true

    return Texts(texts.defined, equal, like)


def _open(pieces: Pieces, left: bool) -> Pieces:
    raise Refusal(f"LIKE of {'LEFT' if left else 'RIGHT'} cannot be said; write LIKE of the whole attribute")


def _substring(texts: Texts, position: int, length: int = MOST) -> Texts:
    """Return the characters from a position on, counted from the end if it is negative; outside of it is an error."""
    if length < 0:
        raise Fault(f"SUBSTRING of {length} characters")
    least = abs(position)
    defined = texts.like(tidy([*[Wild.ONE] * least, Wild.ANY])).true if least else texts.defined

    def equal(text: str) -> Tree:
        if not text or position == 0:  # a position inside of the text has a character
            return defined if not text and 0 in (position, length) else False
        room = min(length, -position) if position < 0 else length
        if len(text) > room or (position < 0 and len(text) != room):
            return False
        if position < 0:
            return texts.like(tidy([Wild.ANY, text, *[Wild.ONE] * (-position - room)])).true
        behind = [Wild.ANY] if len(text) == length else []
        return texts.like(tidy([*[Wild.ONE] * (position - 1), text, *behind])).true

    def like(pieces: Pieces) -> Tree:
        raise Refusal("LIKE of SUBSTRING cannot be said; write LIKE of the whole attribute, with _ for what is cut off")

    return Texts(defined, equal, like)


def lengths(texts: Texts) -> Integers:
    """Return the LENGTH of texts: three characters are ``___`` of a LIKE."""

    def form(count: int, *behind: Wild) -> Tree:
        if count > MAX_CUT:
            raise Refusal(f"a LENGTH above {MAX_CUT} cannot be said")
        return texts.like(tidy([*[Wild.ONE] * count, *behind])).true

    def at_least(count: int) -> Tree:
        return form(count, Wild.ANY) if count > 0 else texts.defined

    def compared(sign: str, number: int) -> Tree:
        if sign == "=":
            return form(number) if number >= 0 else False
        if sign in (">", ">="):
            return at_least(number + (sign == ">"))
        return within(at_least(number + (sign == "<=")), texts.defined).false

    return Integers(texts.defined, compared)
