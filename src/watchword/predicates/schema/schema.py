"""A schema: what subscriptions may ask for and what events must have, declared once (the thesis, section 1.1.2, has all
events conform to a global schema; the notes, section 1.2, have event types and attributes of several sorts)::

    schema = {
        "type": "kind",                              the attribute that names an event's type
        "events": {
            "quote": {"name": "text", "value": "number", "side": ["buy", "sell"]},
            "story": {"title": "text", "note": "text?", "tags": "text*", "topic": {"kind_of": "topic"}},
        },
        "attributes": {"at": "date"},                those of every type; without types, all there are
    }

An attribute is ``text``, ``number``, ``boolean``, ``date``, ``object`` or ``any``; a list, whose members are all values
that it has; or ``{"kind_of": hierarchy}``, a node of one of the index's hierarchies. It has one value; with ``?`` one
or none, with ``*`` any number of them, with ``+`` one or more. In full, which is how an index keeps it: ``{"is":
"text", "times": "?"}``, ``{"one_of": [1, 2], "times": ""}``. Names are written as in subscriptions: ``detail.state``.
An object that is declared as such may hold anything; where only parts are declared, it holds nothing else.

Subscriptions are checked predicate by predicate as they are parsed (`Schema.check`), and as conjunctions: one that asks
for attributes of different event types can never hold. Events are checked by `schema_events` and `schema_columns`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import reduce
from typing import Any

import numpy as np

from watchword.arrays import Int64
from watchword.errors import OptionError, SubscriptionSyntaxError
from watchword.predicates.hierarchies import Declared
from watchword.predicates.predicate import Path, Predicate, show_path
from watchword.predicates.query import Clause, Complaint, attribute_of
from watchword.predicates.schema.attribute import Attribute, attribute_from
from watchword.sets.rows import Rows

__all__ = ["Schema", "Shape"]


class Shape:
    """The events of one type: their attributes, by path."""

    def __init__(self, name: str, attributes: list[Attribute]) -> None:
        self.name = name
        self.attributes = {attribute.path: attribute for attribute in attributes}
        self._parents = {path[:end] for path in self.attributes for end in range(1, len(path))}
        for path in self._parents:
            if path in self.attributes and not self.attributes[path].is_open:
                raise OptionError(
                    f"schema: {show_path(path)} is {self.attributes[path].described}, so nothing can lie inside it"
                )

    def found(self, path: Path) -> Attribute | None:
        """Return the declaration of an attribute, None if it has none; inside an open object it is ``any``."""
        found = self.attributes.get(path)
        if found is None and path in self._parents:
            return _parent(path)
        if found is None and any(self._opens(path[:end]) for end in range(1, len(path))):
            return Attribute(path, "any", "*")
        return found

    def _opens(self, path: Path) -> bool:
        return path in self.attributes and self.attributes[path].is_open


def _parent(path: Path) -> Attribute:
    """Return the attribute of an object with declared parts: ``detail``, where ``detail.state`` is declared."""
    found = Attribute(path, "object", "*")
    found.is_open = False
    return found


class Schema:
    """A checked schema, with the hierarchies that it names."""

    def __init__(self, declared: Mapping[str, Any], hierarchies: Declared) -> None:
        self.type: Path | None = attribute_of(declared["type"]) if "type" in declared else None
        common = declared.get("attributes", {})
        events: Mapping[str, Any] = declared.get("events", {"": {}})
        own: dict[str, Any] = {} if self.type is None else {declared["type"]: {"one_of": list(events), "times": ""}}
        self.shapes = {
            name: Shape(name, [attribute_from(*one, hierarchies) for one in {**own, **common, **attributes}.items()])
            for name, attributes in events.items()
        }

    def hierarchies(self, known: Declared) -> Declared:
        """Return hierarchies by attribute, those of attributes that are declared as nodes of another's among them."""
        found = dict(known)
        for shape in self.shapes.values():
            for path, attribute in shape.attributes.items():
                if attribute.hierarchy and found.setdefault(show_path(path), attribute.tree) != attribute.tree:
                    raise OptionError(f"schema: {show_path(path)} is of two hierarchies, which have to be one")
        return found

    # subscriptions

    def check(self, inside: Path, predicate: Predicate) -> Complaint | None:
        """Return why a predicate fits none of the event types, None if it does; `inside` is the list it looks into."""
        path = inside + predicate.attribute
        known = [found for shape in self.shapes.values() if (found := shape.found(path)) is not None]
        if not known:
            return Complaint(f"the schema has no attribute {show_path(path)}; it has {self._near(path)}", False)
        complaints = [one.refuses(predicate) for one in known]
        told = [complaint for complaint in complaints if complaint is not None]
        return told[0] if len(told) == len(complaints) else None

    def _near(self, path: Path) -> str:
        known = list(dict.fromkeys(show_path(one) for shape in self.shapes.values() for one in shape.attributes))
        near = get_close_matches(show_path(path), known, 1) or known
        return f"{', '.join(near[:8])}{', …' if len(near) > 8 else ''}"

    def refuse(self, text: str, clauses: Sequence[Clause]) -> None:
        """Raise if no clause of a subscription can hold in events of one type."""
        if clauses and not any(reduce(int.__and__, map(self.types_of, clause.required), -1) for clause in clauses):
            asked = dict.fromkeys(show_path(one.attribute) for clause in clauses for one in clause.required)
            raise SubscriptionSyntaxError(
                f"no event type of the schema has all of this together: {', '.join(asked)}", text=text, position=0
            )

    def types_of(self, predicate: Predicate) -> int:
        """Return the event types in which a predicate can hold, as bits."""
        return sum(
            1 << number
            for number, shape in enumerate(self.shapes.values())
            if (found := shape.found(predicate.attribute)) is not None
            and found.refuses(predicate) is None
            and (predicate.attribute != self.type or predicate.reader is not None or predicate.holds(shape.name))
        )

    def impossible(self, predicates: Sequence[Predicate | None], rows: Rows) -> Int64:
        """Return the rows, conjunctions of numbered predicates, that no event type admits."""
        words = (len(self.shapes) + 63) // 64
        masks = np.zeros((len(predicates), words), np.uint64)
        for number, predicate in enumerate(predicates):
            types = 0 if predicate is None else self.types_of(predicate)
            masks[number] = [types >> 64 * word & (1 << 64) - 1 for word in range(words)]
        if not len(rows):
            return np.empty(0, np.int64)
        admitted = np.bitwise_and.reduceat(masks[rows.atoms], rows.offsets[:-1], axis=0)
        return np.flatnonzero(~admitted.any(axis=1))
