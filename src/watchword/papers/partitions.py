"""A general model as one of binary properties (Kale, Hazan, Cao and Singh 2005, section 4): partitions of attributes.

The paper partitions the content space, takes each part as a property, and lets an event have a 1 in the part that it
falls into. Here every attribute is cut where the subscriptions cut it, at their constants:

>>> from watchword import PredicateIndex
>>> texts = {"cheap": "side = 'buy' AND price < 20", "near": "price BETWEEN 20 AND 35", "any": "side EXISTS"}
>>> rules = PredicateIndex(texts)
>>> model = binary_model(rules, method="rapid", c=2)
>>> model.space.meanings
('side: missing', 'side: other', "side: < 'buy'", "side: = 'buy'", "side: > 'buy'", 'price: missing', 'price: other', \
'price: < 20', 'price: = 20', 'price: 20 to 35', 'price: = 35', 'price: > 35')
>>> [model.index[row] for row in range(3)]
['***1***1****', '*****000***0', '0***********']
>>> model.space.bits({"side": "buy", "price": 12})
'000100010000'
>>> model.match({"side": "buy", "price": 12}), model.match({"price": 30.5})
(['cheap', 'any'], ['near'])

An event has one 1 for each attribute, so that it is light: c is the number of attributes. A subscription has a 1 where
it leaves one part of an attribute, a 0 in every part that it excludes, and stars elsewhere; one with OR is several of
them. Predicates are those of one value and an order: comparisons, BETWEEN, IN and EXISTS. Other ones are refused, and
so are events with several values of an attribute, which would fall into several parts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from watchword.errors import EventError, SubscriptionError
from watchword.predicates import PredicateIndex
from watchword.predicates.predicate import Path, Predicate, show, show_path, values_at
from watchword.predicates.query import UNLIMITED, Clause, parse
from watchword.predicates.values import KINDS, Key, View, plain_key, show_value
from watchword.properties import PropertyIndex

MISSING, OTHER = 0, 1
"""The first two parts of an attribute: of events that lack it, and of values of a kind that no constant has."""

_ORDERED = ("=", "!=", "<", "<=", ">", ">=", "BETWEEN", "IN", "EXISTS")


class Partition:
    """The parts of an attribute: missing, other, then for each kind the values below, at and above every constant.

    >>> parts = Partition(("price",), {(1, 20), (1, 35)})
    >>> [parts.part_of(value) for value in (None, "x", 19, 20, 34.5, 36)]
    [0, 1, 2, 3, 4, 6]
    """

    def __init__(self, attribute: Path, constants: Iterable[Key]) -> None:
        self.attribute = attribute
        self._values: dict[int, list[Any]] = {}
        for kind, value in sorted(constants):
            self._values.setdefault(kind, []).append(value)
        self._first: dict[int, int] = {}
        self.size = OTHER + 1
        for kind, values in self._values.items():
            self._first[kind] = self.size
            self.size += 2 * len(values) + 1

    def part_of(self, value: Any) -> int:
        """Return the part of a value; None and NaN are missing."""
        key = plain_key(value)
        if key is None:
            return MISSING
        kind, constant = key
        if kind not in self._first:
            return OTHER
        values = self._values[kind]
        at = bisect_left(values, constant)
        return self._first[kind] + 2 * at + (at < len(values) and values[at] == constant)

    def parts(self, predicate: Predicate) -> set[int]:
        """Return the parts in which a predicate holds: all values of a part satisfy it, or none."""
        sign, there = predicate.operator, set(range(OTHER, self.size))
        if sign == "EXISTS":
            return there
        at = [self._first[kind] + 2 * bisect_left(self._values[kind], value) + 1 for kind, value in predicate.constants]
        if sign in ("=", "IN"):
            return set(at)
        if sign == "!=":
            return there - set(at)
        first = self._first[predicate.constants[0][0]]
        last = first + 2 * len(self._values[predicate.constants[0][0]])
        low = {">": at[0] + 1, ">=": at[0], "BETWEEN": at[0]}.get(sign, first)
        high = {"<": at[0] - 1, "<=": at[0], "BETWEEN": at[-1]}.get(sign, last)
        return set(range(low, high + 1))

    def meanings(self) -> list[str]:
        """Return what each part is, in words."""
        found = ["missing", "other"]
        for values in self._values.values():
            shown = [show_value(value) for value in values]
            found += [f"< {shown[0]}", f"= {shown[0]}"]
            for before, after in pairwise(shown):
                found += [f"{before} to {after}", f"= {after}"]
            found.append(f"> {shown[-1]}")
        return [f"{show_path(self.attribute)}: {words}" for words in found]


class ContentSpace:
    """The partitions of all attributes of some subscriptions; a property for each part, attribute by attribute."""

    def __init__(self, clauses: Iterable[Clause]) -> None:
        constants: dict[Path, set[Key]] = {}
        for clause in clauses:
            for predicate in (*clause.required, *clause.forbidden):
                constants.setdefault(predicate.attribute, set()).update(predicate.constants)
        self.partitions = [Partition(attribute, keys) for attribute, keys in constants.items()]
        self.properties = [f"p{number}" for number in range(sum(each.size for each in self.partitions))]

    @property
    def meanings(self) -> tuple[str, ...]:
        """What each property is, in words."""
        return tuple(words for each in self.partitions for words in each.meanings())

    def bits(self, event: Mapping[str, Any], position: int = 0) -> str:
        """Return an event as a bit string; an `EventError` if it has several values of an attribute."""
        found = []
        for each in self.partitions:
            values = list(values_at(event, each.attribute))
            if len(values) > 1:
                reason = f"{show_path(each.attribute)!r} has {len(values)} values, and falls into several parts"
                raise EventError(
                    f"{reason}; take one value of it, or match with the predicate index", position=position
                )
            at = each.part_of(values[0]) if values else MISSING
            found.append("0" * at + "1" + "0" * (each.size - at - 1))
        return "".join(found)

    def stars(self, clause: Clause) -> str | None:
        """Return a conjunction as a string of 0, 1 and stars; None if no event satisfies it."""
        found = []
        for each in self.partitions:
            left = set(range(each.size))
            for predicate in clause.required:
                left &= each.parts(predicate) if predicate.attribute == each.attribute else left
            for predicate in clause.forbidden:
                left -= each.parts(predicate) if predicate.attribute == each.attribute else set()
            if not left:
                return None
            zeros = len(left) > 1
            signs = ("*" if zeros else "1", "0" if zeros else "*")
            found.append("".join(signs[part not in left] for part in range(each.size)))
        return "".join(found)


@dataclass(frozen=True)
class BinaryModel:
    """A property index, the space that makes bits of events, and the id that each row of the index, from 0, is of."""

    space: ContentSpace
    index: PropertyIndex[int]
    owners: Sequence[Any]

    def match(self, event: Mapping[str, Any]) -> list[Any]:
        """Return the ids of the subscriptions that an event satisfies, each once, in the order of subscribing."""
        return list(dict.fromkeys(self.owners[row] for row in self.index.match(self.space.bits(event))))


def binary_model(rules: PredicateIndex[Any], **options: Any) -> BinaryModel:
    """Return the binary model of a predicate index; `options` are those of the `PropertyIndex`, such as its method.

    A `SubscriptionError` if a subscription has a predicate that does not cut an attribute into parts.
    """
    clauses = {key: parse(text, UNLIMITED) for key, text in rules.items()}
    for key, of in clauses.items():
        _check(key, of)
    space = ContentSpace(clause for of in clauses.values() for clause in of)
    written = [(key, space.stars(clause)) for key, of in clauses.items() for clause in of]
    rows = [(key, row) for key, row in written if row is not None]
    index = PropertyIndex(enumerate(row for _, row in rows), properties=space.properties, **options)
    return BinaryModel(space, index, [key for key, _ in rows])


def _check(key: Any, clauses: Sequence[Clause]) -> None:
    """Refuse predicates that see values otherwise than as they are, or have no order."""
    for clause in clauses:
        for predicate in (*clause.required, *clause.forbidden):
            if predicate.view is not View.PLAIN or predicate.operator not in _ORDERED:
                raise SubscriptionError(
                    f"{show(predicate)!r} of {key!r} does not cut an attribute into parts: comparisons, BETWEEN, IN "
                    f"and EXISTS of {', '.join(KINDS[:3])}s do"
                )
