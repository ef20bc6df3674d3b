"""Subscriptions of predicates, and events: the workload of Le Subscribe, and rules that share their attributes.

`PredicateWorkload` has the parameters of Figure 4 of the notes (Pereira et al. 2000, section 5): S subscriptions of NP
predicates, EQ of them equalities and the others (NEQ) drawn from ``< <= > >= !=``, each on another of the A attributes
of an event; values are whole numbers below V, all uniform. With ``signs=NOTES_SIGNS`` they are ``=``, ``<`` and ``>``,
as in the notes' own program:

>>> workload = PredicateWorkload(subscriptions=2, attributes=4, values=35, predicates=3, equalities=2, seed=1)
>>> workload.subscription_table()["subscription"].to_pylist()
['a1 = 9 AND a0 = 27 AND a3 >= 16', 'a2 = 25 AND a1 = 20 AND a3 < 17']
>>> workload.event_lines(1).to_pylist()
['{"a0": 18, "a1": 25, "a2": 22, "a3": 26}']

`SharedAttributeRules` are rules as routers have them, of texts and at most one range:

>>> shared_attribute_rules(1, ranges=True, seed=1).subscription_table()["subscription"].to_pylist()
["a7 = 'v19' AND a4 = 'v2' AND a15 BETWEEN 461 AND 507"]

Row i depends on the seed and on i, not on how many rows are asked for: rows are drawn in blocks, each with a seed of
its own. Texts are put together by Arrow from a small vocabulary of predicates; no row is ever a Python object.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import pyarrow as pa

from watchword.arrays import Int64
from watchword.errors import OptionError
from watchword.papers.workloads.drawing import (
    BLOCK,
    EVENTS,
    RULES,
    all_of,
    attribute_names,
    blocks,
    distinct,
    glued,
    numbered,
    random_of,
)

__all__ = [
    "BLOCK",
    "NOTES_SIGNS",
    "SIGNS",
    "SPAN",
    "Drawn",
    "PredicateWorkload",
    "SharedAttributeRules",
    "shared_attribute_rules",
]

SPAN = 1_000
SIGNS = ("=", "<", "<=", ">", ">=", "!=")
NOTES_SIGNS = ("=", "<", ">")
"""The three operators that the C++ of the notes has."""


@dataclass(frozen=True)
class PredicateWorkload:
    """S, A, V, NP and EQ of Figure 4; NEQ is ``predicates - equalities``. The first of `signs` is equality."""

    subscriptions: int
    attributes: int = 16
    values: int = 35
    predicates: int = 4
    equalities: int = 4
    seed: int = 0
    signs: tuple[str, ...] = SIGNS

    def __post_init__(self) -> None:
        if self.subscriptions < 0 or self.values < 1:
            raise OptionError(f"{self.subscriptions} subscriptions over {self.values} values cannot be drawn")
        if len(self.signs) < 2 or self.signs[0] != "=":
            raise OptionError(f"signs are '=' and at least one more, not {self.signs}")
        if not 0 <= self.equalities <= self.predicates or not 1 <= self.predicates <= self.attributes:
            raise OptionError(
                f"{self.equalities} equalities of {self.predicates} predicates over {self.attributes} attributes: "
                "a subscription has a predicate at least, and each is on another attribute"
            )

    def subscription_table(self) -> pa.Table:
        """Return the subscriptions: `id` (int64, from 0) and `subscription` (string)."""
        return numbered(blocks(self.subscriptions, self._subscriptions), self.subscriptions)

    def event_table(self, count: int) -> pa.Table:
        """Return `count` events, a column of int64 per attribute, `a0` and so on."""
        schema = pa.schema([(name, pa.int64()) for name in attribute_names(self.attributes)])
        return pa.concat_tables(blocks(count, self._events, schema))

    def event_lines(self, count: int) -> pa.Array:
        """Return the same events as texts of JSON."""
        return _lines(self.event_table(count))

    def _subscriptions(self, block: int) -> pa.Array:
        random = random_of(self.seed, RULES, block)
        chosen = distinct(random, self.attributes, self.predicates)
        signs = random.integers(1, len(self.signs), chosen.shape)
        signs[: self.equalities] = 0
        drawn = random.integers(0, self.values, chosen.shape)
        texts = _predicates(self.attributes, self.signs, tuple(map(str, range(self.values))))
        places = (chosen * len(self.signs) + signs) * self.values + drawn
        return all_of([texts.take(pa.array(row)) for row in places])

    def _events(self, block: int) -> pa.Table:
        random = random_of(self.seed, EVENTS, block)
        drawn = random.integers(0, self.values, (self.attributes, BLOCK))
        return pa.table(list(map(pa.array, drawn)), names=attribute_names(self.attributes))


@dataclass(frozen=True)
class Drawn:
    """A block of rules as numbers: row `k` of `chosen` and `values` is each rule's k-th equality."""

    chosen: Int64
    values: Int64
    low: Int64
    high: Int64


@dataclass(frozen=True)
class SharedAttributeRules:
    """Rules of three equalities of texts on 3 of `attributes`, or of two and a range on the last, which is a number.

    Every attribute has one of `values` values, ``v0`` and so on; a range holds one number in `values`, so that an event
    matches a rule with a chance of ``values ** -3``: 10.8 of 100,000 rules if there are 21.
    """

    count: int
    values: int = 21
    attributes: int = 16
    ranges: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.count < 0 or not 1 <= self.values <= SPAN or self.attributes < 3:
            raise OptionError(
                f"{self.count} rules over {self.attributes} attributes of {self.values} values cannot be drawn; "
                "a rule is about three attributes"
            )

    @property
    def names(self) -> list[str]:
        """The attributes' names; with `ranges` the last is the number."""
        return attribute_names(self.attributes)

    def subscription_table(self) -> pa.Table:
        """Return the rules: `id` (int64, from 0) and `subscription` (string)."""
        return numbered(self.texts(self._subscriptions), self.count)

    def texts(self, write: Callable[[Drawn], pa.Array]) -> list[pa.Array]:
        """Return the rules in another notation, block by block: `write` gives the texts of a drawn block."""
        return blocks(self.count, lambda block: write(self.drawn(block)))

    def drawn(self, block: int) -> Drawn:
        """Return a block of rules as numbers."""
        random = random_of(self.seed, RULES, block)
        chosen = distinct(random, self.attributes - self.ranges, 3 - self.ranges)
        values = random.integers(0, self.values, chosen.shape)
        width = SPAN // self.values
        low = random.integers(0, SPAN - width + 1, BLOCK)
        return Drawn(chosen, values, low, low + width - 1)

    def event_table(self, count: int) -> pa.Table:
        """Return `count` events, a column per attribute."""
        kinds = [pa.string()] * (self.attributes - self.ranges) + [pa.int64()] * self.ranges
        return pa.concat_tables(blocks(count, self._events, pa.schema(zip(self.names, kinds, strict=True))))

    def event_lines(self, count: int) -> pa.Array:
        """Return the same events as texts of JSON."""
        return _lines(self.event_table(count))

    def _subscriptions(self, drawn: Drawn) -> pa.Array:
        texts = _predicates(self.attributes, ("=",), tuple(f"'v{value}'" for value in range(self.values)))
        parts = [texts.take(pa.array(row)) for row in drawn.chosen * self.values + drawn.values]
        if self.ranges:
            ends = (pa.array(end).cast(pa.string()) for end in (drawn.low, drawn.high))
            parts.append(glued(f"{self.names[-1]} BETWEEN ", next(ends), " AND ", next(ends)))
        return all_of(parts)

    def _events(self, block: int) -> pa.Table:
        random = random_of(self.seed, EVENTS, block)
        values = pa.array(f"v{value}" for value in range(self.values))
        drawn = random.integers(0, self.values, (self.attributes - self.ranges, BLOCK))
        columns = [values.take(pa.array(row)) for row in drawn]
        if self.ranges:
            columns.append(pa.array(random.integers(0, SPAN, BLOCK)))
        return pa.table(columns, names=self.names)


def shared_attribute_rules(
    count: int, values: int = 21, attributes: int = 16, ranges: bool = False, seed: int = 0
) -> SharedAttributeRules:
    """Return the rules of the benchmarks: see `SharedAttributeRules`."""
    return SharedAttributeRules(count, values, attributes, ranges, seed)


@cache
def _predicates(attributes: int, signs: tuple[str, ...], literals: tuple[str, ...]) -> pa.Array:
    """Return every predicate that can be drawn, in the order of attribute, sign and literal."""
    return pa.array(
        f"{name} {sign} {literal}" for name in attribute_names(attributes) for sign in signs for literal in literals
    )


def _lines(events: pa.Table) -> pa.Array:
    """Write the rows of a table of whole numbers and plain texts as JSON objects."""
    parts: list[str | pa.Array] = []
    for at, (name, column) in enumerate(zip(events.column_names, events.columns, strict=True)):
        mark = '"' if pa.types.is_string(column.type) else ""
        parts += [f'{", " if at else "{"}"{name}": {mark}', column.cast(pa.string()), mark]
    return glued(*parts, "}").combine_chunks()
