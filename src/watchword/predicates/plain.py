"""The commonest predicates without the parser: a name, a sign, and a number or a text; BETWEEN two numbers;
conjunctions of them; and MATCHES with words of ASCII.

>>> plain_predicate("price >= 20").written, plain_predicate("a IN (1, 2)")
('>= 20', None)
>>> [predicate.written for predicate in plain_conjunction("price >= 20 AND name = 'RBS'")]
['>= 20', "= 'RBS'"]
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from watchword.predicates.literals import Limits
from watchword.predicates.predicate import RESERVED, Predicate
from watchword.predicates.values import INSTANT, NUMBER, TEXT, Key, View, instant_of_text, show_value

if TYPE_CHECKING:
    from watchword.predicates.readers.reading import Reading

_NAME, _NUMBER = r"([^\W\d]\w*(?:\.[^\W\d]\w*)*)", r"(-?[0-9]{1,15}(?:\.[0-9]{1,15})?)"
_PLAIN = re.compile(rf"{_NAME} *(=|!=|<>|<=|>=|<|>) *(?:{_NUMBER}|'([^']*)')")
_AND = re.compile(" +AND +", re.IGNORECASE)
_BETWEEN = re.compile(rf"{_NAME} +BETWEEN +{_NUMBER} +AND +{_NUMBER}", re.IGNORECASE)


MOST = 16
"""The most predicates of a conjunction that is read here; of more, the parser counts the work."""


def plain_conjunction(text: str) -> list[Predicate] | None:
    """Return the predicates that the parser would find, in their order; None if only the parser can tell.

    A text with an AND in it is cut, too; its first part has one quote, and is not plain.
    """
    pieces = _AND.split(text, 2 * MOST)
    found: list[Predicate] = []
    before = ""
    for piece in pieces:
        predicate = plain_predicate(before + piece)
        if predicate is not None:
            found.append(predicate)
            before = ""
        elif before or "'" in piece:  # a text with an AND in it, which may be written otherwise
            return None
        else:
            before = f"{piece} AND "  # BETWEEN has an AND of its own
    return None if before or len(found) > MOST else found


def plain_predicate(text: str) -> Predicate | None:
    """Return the predicate that the parser would find; None if only the parser can tell."""
    found = _PLAIN.fullmatch(text) or _BETWEEN.fullmatch(text)
    if found is None:
        return None
    path = tuple(found[1].split("."))
    for name in path:
        if name.upper() in RESERVED:
            return None
    if found.re is _BETWEEN:
        ends = plain_number(found[2]), plain_number(found[3])
        return Predicate(path, "BETWEEN", View.PLAIN, ends, f"BETWEEN {ends[0][1]!r} AND {ends[1][1]!r}")
    sign = "!=" if found[2] == "<>" else found[2]
    if found[3] is not None:
        key = plain_number(found[3])
        return Predicate(path, sign, View.PLAIN, (key,), f"{sign} {key[1]!r}")
    constant = found[4]
    instant = instant_of_text(constant) if constant[:1].isdigit() else None
    written = f"{sign} {show_value(constant)}"
    if instant is not None:
        return Predicate(path, sign, View.INSTANTS, ((INSTANT, instant),), written)
    return Predicate(path, sign, View.PLAIN, ((TEXT, constant),), written)


_SEARCH = re.compile(rf"(?:{_NAME} +)?MATCHES +'([A-Za-z0-9_ ]+)'")


def plain_search(text: str, limits: Limits, reading: Reading) -> list[Predicate] | None:
    """Return the predicates of ``body MATCHES 'greece crisis'``, one for each word; None if only the parser can tell.

    >>> from watchword.predicates.readers.reading import Reading
    >>> found = plain_search("body MATCHES 'Greece crisis'", Limits(256, 64, 1024, 65536), Reading())
    >>> [one.written for one in found]
    ["MATCHES 'greece'", "MATCHES 'crisis'"]
    """
    found = _SEARCH.fullmatch(text)
    if found is None:
        return None
    path = tuple(found[1].split(".")) if found[1] else ()
    if not (path or reading.text) or any(name.upper() in RESERVED for name in path):
        return None
    return reading.plain_words(path, found[2], limits.predicates)


def plain_number(digits: str) -> Key:
    """Return the key of a number of at most 30 digits."""
    if "." not in digits:
        return (NUMBER, int(digits))
    value = float(digits)
    return (NUMBER, int(value)) if value.is_integer() else (NUMBER, value)
