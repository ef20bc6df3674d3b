"""Options of an index, declared once as data: the constructor, the command line, the store and Spark read them here.

A language lists its options by name (``keywords/options.py``)::

    OPTIONS = {"stemmer": Option(None, text_or_none, "Match by stems of this language, such as english.", flag="text")}

An option's value is checked when an index is made, and kept in a form that JSON can hold, for a snapshot keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from watchword.errors import OptionError

Check = Callable[[str, Any], Any]
"""Takes an option's name and value; returns the value as it is kept, or raises an `OptionError`."""


@dataclass(frozen=True)
class Option:
    """One option. `flag` says how the command line offers it: a text, a switch, a file with a word on each line, or
    a file with the value in JSON."""

    default: Any
    check: Check
    help: str = ""
    flag: Literal["text", "switch", "words", "json"] | None = None


def settled(given: Mapping[str, Any], known: Mapping[str, Option], owner: str) -> dict[str, Any]:
    """Return the value of every known option, the default where none is given; an unknown name is an `OptionError`.

    >>> settled({"block": 2}, {"block": Option(25, whole(1))}, "method 'compact-count'")
    {'block': 2}
    """
    for name in given:
        if name not in known:
            raise OptionError(f"{owner} has no option {name!r}; it has: {', '.join(known) or 'none'}")
    return {name: option.check(name, given.get(name, option.default)) for name, option in known.items()}


def whole(least: int, most: int | None = None) -> Check:
    """Return the check of an integer between bounds."""

    def check(name: str, value: Any) -> int:
        if (
            not isinstance(value, int)
            or isinstance(value, bool)
            or value < least
            or (most is not None and value > most)
        ):
            bounds = f"of at least {least:,}" if most is None else f"from {least:,} to {most:,}"
            raise OptionError(f"{name} must be an integer {bounds}, not {value!r}")
        return value

    return check


def one_of(*values: str) -> Check:
    """Return the check of a choice.

    >>> one_of("beginnings", "records")("recombination", "records")
    'records'
    """

    def check(name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in values:
            raise OptionError(f"{name} must be {' or '.join(map(repr, values))}, not {value!r}")
        return value

    return check


def switch(name: str, value: Any) -> bool:
    """Check a yes or no."""
    if not isinstance(value, bool):
        raise OptionError(f"{name} must be True or False, not {value!r}")
    return value


def words(name: str, value: Any) -> list[str]:
    """Check a collection of words."""
    if isinstance(value, str):
        raise OptionError(f"{name} must be a collection of words, not the string {value!r}")
    found = list(value)
    if not all(isinstance(word, str) for word in found):
        raise OptionError(f"{name} must be a collection of words, not {value!r}")
    return found


def text_or_none(name: str, value: Any) -> str | None:
    """Check a text that may be left out."""
    if value is not None and not isinstance(value, str):
        raise OptionError(f"{name} must be a text, not {value!r}")
    return value
