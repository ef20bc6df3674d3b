"""A predicate: an attribute, an operator, constants. Immutable, comparable, and written one way only (`show`).

``price>20.0`` and ``price > 20`` are one predicate, spelled ``price > 20``. Truth is defined here once, in plain Python
(`holds`), for predicates about one value; a reader defines it for its own operator. The methods get to the same
answer by other ways, and the tests compare them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from watchword.predicates.values import VIEWS, Key, View
from watchword.sets.boolean import Clause

if TYPE_CHECKING:
    from watchword.predicates.readers.reader import AttributeReader

Path = tuple[str, ...]

ReadBy: TypeAlias = "View | type[AttributeReader]"
"""How an attribute is read: value by value through a view, or by a reader of its own."""

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")

RESERVED = frozenset(
    ["AND", "OR", "NOT", "ANY", "EXISTS", "TRUE", "FALSE", "NULL", "IN", "IS", "BETWEEN", "LIKE", "CONTAINS"]
)
"""Words that are no attribute's name unless they are quoted."""

_ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}

_BARE = re.compile(r"[^\W\d]\w*")


class Predicate(NamedTuple):
    """One condition on one attribute.

    `operator` is one of `COMPARISONS` or ``BETWEEN``, ``IN``, ``STARTS WITH``, ``ENDS WITH``, ``EXISTS``, ``IN CIDR``,
    or the name of a reader. `constants` are keys as `view` sees them, or whatever a reader takes, which must be
    hashable; `written` is what follows the attribute in the text of the predicate, `before` what precedes it.
    """

    attribute: Path
    operator: str
    view: ReadBy
    constants: tuple[Any, ...]
    written: str
    before: str = ""

    @property
    def reader(self) -> type[AttributeReader] | None:
        """Return the reader of the attribute, None if it is read value by value."""
        return None if isinstance(self.view, View) else self.view

    @property
    def about(self) -> Literal["values", "texts", "objects"]:
        """Return what values of an event it can hold for."""
        if self.reader is not None:
            return self.reader.about
        return "texts" if self.operator in ("STARTS WITH", "ENDS WITH", "IN CIDR") else "values"

    def holds(self, value: Any) -> bool:
        """Say whether one value satisfies it; for a predicate that no reader reads."""
        assert isinstance(self.view, View)
        key = VIEWS[self.view](value)
        return key is not None and _compare(self.operator, key, self.constants)


def _compare(sign: str, key: Key, constants: tuple[Key, ...]) -> bool:
    if sign == "EXISTS":
        return True
    if sign in ("=", "IN"):
        return key in constants
    if sign == "!=":
        return key not in constants
    first, last = constants[0], constants[-1]
    if key[0] != first[0]:
        return False
    if sign in ("STARTS WITH", "ENDS WITH"):  # ENDS WITH sees everything backwards
        return bool(key[1].startswith(first[1]))
    if sign in ("BETWEEN", "IN CIDR"):
        return bool(first[1] <= key[1] <= last[1])
    return bool(_ORDERS[sign](key[1], first[1]))


def show(predicate: Predicate) -> str:
    """Return the text of a predicate, which the parser reads back.

    >>> show(Predicate(("a", "b c"), ">", View.PLAIN, ((1, 20),), "> 20"))
    'a."b c" > 20'
    """
    return f"{predicate.before}{show_path(predicate.attribute)} {predicate.written}".lstrip()


@lru_cache(256)
def show_path(path: Path) -> str:
    """Return an attribute as it is written."""
    return ".".join(_show_name(name) for name in path)


def _show_name(name: str) -> str:
    if _BARE.fullmatch(name) and name.upper() not in RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


def show_clause(clause: Clause[Predicate]) -> str:
    """Return a conjunction as it is written."""
    return clause.show(show)


def show_clauses(clauses: tuple[Clause[Predicate], ...]) -> str:
    """Return a disjunction of conjunctions as it is written."""
    if len(clauses) == 1:
        return show_clause(clauses[0])
    return " OR ".join(f"({show_clause(clause)})" for clause in clauses)


# events as nested Python objects


def values_at(event: Any, path: Path) -> Iterator[Any]:
    """Yield the values that an attribute has in an event: lists are gone into, nulls left out.

    >>> list(values_at({"orders": [{"sku": "x"}, {"sku": ["y", None]}]}, ("orders", "sku")))
    ['x', 'y']
    """
    if isinstance(event, list | tuple | set | frozenset):
        for element in event:
            yield from values_at(element, path)
    elif not path:
        if event is not None:
            yield event
    elif isinstance(event, dict):
        yield from values_at(event.get(path[0]), path[1:])
