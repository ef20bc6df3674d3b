"""The options of property indexes, as data (`watchword.options`)."""

from __future__ import annotations

import re
from typing import Any

from watchword.errors import OptionError
from watchword.options import Option, whole, words

__all__ = ["METHOD_OPTIONS", "OPTIONS"]

MOST_PROPERTIES = 1 << 15
"""A property has two literals, and a literal has 16 bits in the search trees."""

_UNWRITABLE = re.compile(r"[\s,=]|^AND$")


def _properties(name: str, value: Any) -> list[str]:
    """Check the declared properties: distinct names that a subscription can write."""
    if value is None:
        raise OptionError(f"{name} is missing; declare what subscriptions ask for, as in {name}=['sports', 'arts']")
    found = words(name, value)
    if not 1 <= len(found) <= MOST_PROPERTIES:
        raise OptionError(f"{name} must be 1 to {MOST_PROPERTIES:,} names, not {len(found):,}")
    places: dict[str, int] = {}
    for place, word in enumerate(found):
        if word in places:
            raise OptionError(f"{name} has {word!r} twice, at {places[word]} and {place}; leave one out")
        places[word] = place
        if not word or _UNWRITABLE.search(word) or not _is_unicode(word):
            raise OptionError(
                f"{name} has {word!r} at {place}; a name is not empty, not AND, and has no space, comma, = or surrogate"
            )
    return found


def _is_unicode(word: str) -> bool:
    return not any(0xD800 <= ord(character) < 0xE000 for character in word)


OPTIONS = {
    "properties": Option(None, _properties, "The properties, one per line, in the order of bit strings.", flag="words")
}
"""Options of every method."""

METHOD_OPTIONS = {"rapid": {"c": Option(10, whole(0, 64), "Up to how many ones an event is light.")}}
"""Options of single methods."""
