"""Doors: which readers an index has, by the words that lead to them.

``body MATCHES 'ferry'`` is read by `Terms`, for MATCHES stands behind the attribute; ``ANY orders (…)`` by `Elements`,
for ANY stands before it. The option `operators` names more readers by their homes: ``["my.module:Divisible"]``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from watchword.errors import OptionError
from watchword.lazy import lazy
from watchword.predicates.values import View

if TYPE_CHECKING:
    from watchword.predicates.readers.reader import AttributeReader

_WORDS = re.compile(r"[^\W\d]\w*( [^\W\d]\w*)*")
_TAKEN = frozenset(
    ["AND", "OR", "NOT", "BETWEEN", "IN", "STARTS", "ENDS", "CONTAINS", "IS", "EXISTS", "IGNORING", "ESCAPE"]
)
"""First words of what the language has by itself."""


class Doors:
    """Readers by their words, in capitals; they are imported when they are first asked for."""

    def __init__(self, homes: Sequence[str]) -> None:
        self._homes = homes

    @lazy
    def by_name(self) -> dict[str, type[AttributeReader]]:
        """All readers, by name."""
        return {reader.name: reader for reader in map(reader_at, self._homes)}

    @lazy
    def before(self) -> dict[str, type[AttributeReader]]:
        """Readers whose word stands before the attribute, such as ANY, by name."""
        return {name: reader for name, reader in self.by_name.items() if reader.leads}

    @lazy
    def behind(self) -> dict[str, list[tuple[list[str], type[AttributeReader]]]]:
        """By the first word after the attribute, the other words and the reader; longer ones first, so that MATCHES
        PATTERN comes before MATCHES."""
        found: dict[str, list[tuple[list[str], type[AttributeReader]]]] = {}
        operators = [(words, reader) for reader in self.by_name.values() for words in operators_of(reader)]
        for words, reader in sorted(operators, key=lambda one: -len(one[0].split())):
            if not reader.leads:
                first, *others = words.split()
                found.setdefault(first, []).append((others, reader))
        return found


def operators_of(reader: type[AttributeReader]) -> tuple[str, ...]:
    """Return the words of a reader: its name, if it has no other."""
    return (reader.name,) if reader.operators is None else reader.operators


_HOMES = (
    *("elements:Elements", "nodes:Nodes", "spelled:Integers", "spelled:Numbers", "terms:Terms", "patterns:Patterns"),
    *("paths:Paths", "substrings:Substrings", "substrings:FoldedSubstrings"),
)
_OWN = tuple(f"watchword.predicates.readers.{home}" for home in _HOMES)

BUILT_IN = Doors(_OWN)


@lru_cache(64)
def doors_of(homes: tuple[str, ...]) -> Doors:
    """Return the built-in readers and those with these homes."""
    return Doors((*_OWN, *homes)) if homes else BUILT_IN


def checked_operators(name: str, value: Any) -> list[str]:
    """Return the homes of readers, each once; an `OptionError` names a wrong one and why."""
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(one, str) for one in value):
        raise OptionError(f"{name} must be a list of homes of readers, such as 'my.module:Divisible', not {value!r}")
    homes = list(dict.fromkeys(value))
    names = {words for reader in BUILT_IN.by_name.values() for words in operators_of(reader)} if homes else set()
    for home in homes:
        reader = reader_at(home)
        words = reader.name
        if not _WORDS.fullmatch(words) or words != words.upper() or words.split()[0] in _TAKEN or reader.leads:
            raise OptionError(f"{name}: {words!r}, the operator of {home!r}, must be words in capitals, and new")
        if words in names or words in View.__members__:
            raise OptionError(f"{name}: there is an operator {words!r} already; {home!r} needs another name")
        names.add(words)
    return homes


def reader_at(home: str) -> type[AttributeReader]:
    """Import the reader with this home and return it."""
    from watchword.predicates.readers.reader import AttributeReader  # which loads numpy and Arrow; options do not

    module, _, name = home.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise OptionError(f"there is no reader {home!r} to import: {error}") from None
    if not isinstance(found, type) or not issubclass(found, AttributeReader):
        raise OptionError(f"{home!r} is no AttributeReader")
    return found
