"""One attribute of a schema: what its values may be, how many of them there are, and which predicates fit.

>>> side = attribute_from("side", {"one_of": ["buy", "sell"], "times": "?"}, {})
>>> side.described, side.least, side.most, side.takes("buy"), side.takes("hold")
("one of 'buy', 'sell'", 0, 1, True, False)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from watchword.errors import OptionError
from watchword.predicates.hierarchies import Declared
from watchword.predicates.predicate import Path, Predicate, show_path
from watchword.predicates.query import Complaint, attribute_of
from watchword.predicates.values import (
    BOOLEAN,
    INSTANT,
    KINDS,
    NUMBER,
    TEXT,
    VIEWS,
    Key,
    View,
    instant_of_text,
    plain_key,
    show_value,
)

KINDS_OF = {"text": (TEXT, INSTANT), "number": (NUMBER,), "boolean": (BOOLEAN,), "date": (INSTANT,)}
"""By type, the kinds of constants that its values are compared with."""

TYPES = (*KINDS_OF, "object", "any")

TIMES: dict[str, tuple[int, int | None]] = {"": (1, 1), "?": (0, 1), "+": (1, None), "*": (0, None)}
"""How many values an attribute has, at least and at most."""

_EQUALITIES = ("=", "!=", "IN")
_NO_LIST = (
    "CONTAINS asks for a member of a list, and the schema has {} as one text; HAS asks for a part of it, = for it"
)


class Attribute:
    """`type` is one of `TYPES`, ``one_of`` (its `members`) or ``kind_of`` (a node of `tree`, child to parents)."""

    def __init__(
        self,
        path: Path,
        type: str,
        times: str,
        *,
        members: Sequence[Any] = (),
        hierarchy: str = "",
        tree: dict[str, list[str]] | None = None,
    ) -> None:
        self.path, self.type, self.members, self.hierarchy, self.tree = path, type, members, hierarchy, tree or {}
        self.least, self.most = TIMES[times]
        self.is_open = type in ("object", "any")
        """Whether attributes below it need no declaration."""
        self._keys = {plain_key(member) for member in members}
        self._nodes = {*self.tree, *(node for above in self.tree.values() for node in above)}

    @property
    def name(self) -> str:
        """Return the attribute as subscriptions write it."""
        return show_path(self.path)

    @property
    def described(self) -> str:
        """Return the kind of value in words: "a number", "one of 'buy', 'sell'"."""
        if self.type == "one_of":
            shown = [show_value(member) for member in self.members]
            return f"one of {', '.join(shown[:8])}{', …' if len(shown) > 8 else ''}"
        if self.type == "kind_of":
            return f"a node of the hierarchy {self.hierarchy!r}"
        return f"an {self.type}" if self.type == "object" else f"a {self.type}"

    # events

    def takes(self, value: Any) -> bool:
        """Say whether a value of an event, which is not null, is one of this attribute."""
        if self.type == "any":
            return True
        if self.type == "object":
            return isinstance(value, dict)
        if self.type == "date":
            return isinstance(value, date) or (isinstance(value, str) and instant_of_text(value) is not None)
        if self.type == "kind_of":
            return isinstance(value, str) and self.is_node(value)
        key = plain_key(value)
        if self.type == "one_of":
            return key in self._keys
        return key is not None and key[0] == KINDS_OF[self.type][0]

    @property
    def may_be_text(self) -> bool:
        """Say whether a value may be a text that is compared as one."""
        return self.type in ("text", "kind_of", "any") or any(isinstance(member, str) for member in self.members)

    def is_node(self, value: str) -> bool:
        """Say whether a value is a node, or a path that begins with one."""
        return any(value[:at] in self._nodes for at in [*_slashes(value), len(value)])

    # subscriptions

    def refuses(self, predicate: Predicate) -> Complaint | None:
        """Return why a predicate does not fit, None if it does."""
        if self.type == "any" or predicate.operator == "EXISTS":
            return None
        if predicate.operator == "CONTAINS":
            return Complaint(_NO_LIST.format(self.name), True) if self.type == "text" and self.most == 1 else None
        asks_objects = predicate.about == "objects"
        if asks_objects != (self.type == "object"):
            asked = f"{predicate.operator} is about objects" if asks_objects else "it has no value to compare"
            return Complaint(f"the schema has {self.name} as {self.described}; {asked}", False)
        if predicate.reader is not None:
            reason = predicate.reader.refusal(predicate, self)
        else:
            fits = all(self._compares(key, predicate) for key in predicate.constants)
            reason = None if fits else self._misfit(predicate)
        return None if reason is None else Complaint(f"the schema has {self.name} as {self.described}; {reason}", True)

    def _compares(self, key: Key, predicate: Predicate) -> bool:
        """Say whether values may be compared with a constant."""
        view = predicate.view
        assert isinstance(view, View)
        if self.type == "one_of":
            members = [VIEWS[view](member) for member in self.members]
            if predicate.operator in _EQUALITIES:
                return key in members
            return any(member is not None and member[0] == key[0] for member in members)
        if predicate.about == "texts" and self.type != "kind_of":
            return self.type == "text"
        if self.type != "kind_of":
            return key[0] in KINDS_OF[self.type]
        if predicate.operator not in _EQUALITIES or view is View.FOLDED:
            return key[0] == TEXT
        return key[0] == TEXT and self.is_node(key[1])

    def _misfit(self, predicate: Predicate) -> str:
        if predicate.about == "texts" and self.type != "one_of":
            return f"{predicate.operator} is about texts"
        key = next(key for key in predicate.constants if not self._compares(key, predicate))
        shown = f"a {KINDS[key[0]]}" if key[0] == INSTANT else show_value(key[1])
        return f"{shown} is none"


def attribute_from(name: str, spec: Mapping[str, Any], hierarchies: Declared) -> Attribute:
    """Return an attribute of a checked schema."""
    path, times = attribute_of(name), spec["times"]
    if "one_of" in spec:
        return Attribute(path, "one_of", times, members=spec["one_of"])
    if "kind_of" not in spec:
        return Attribute(path, spec["is"], times)
    hierarchy = spec["kind_of"]
    if hierarchy not in hierarchies:
        raise OptionError(
            f"schema: {name} is of the hierarchy {hierarchy!r}, and hierarchies has: {', '.join(hierarchies) or 'none'}"
        )
    return Attribute(path, "kind_of", times, hierarchy=hierarchy, tree=hierarchies[hierarchy])


def _slashes(value: str) -> list[int]:
    return [at for at, character in enumerate(value) if character == "/"]
