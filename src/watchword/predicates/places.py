"""Where in the texts of an event the predicates of a subscription hold.

The event ``{"title": "Storm", "tags": ["ferry", "sea"]}`` and ``title MATCHES 'storm' AND tags CONTAINS 'sea'``::

    title MATCHES 'storm'     0 to 5 of title
    tags = 'sea'              0 to 3 of tags, member 1

Readers say where their predicates hold. Of the others, an equality has the whole of a text as its place, STARTS WITH
its beginning and ENDS WITH its end; comparisons of numbers, dates and addresses have none. The places of ``ANY orders
(…)`` are those of the query inside, in every object that satisfies it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any, NamedTuple

from watchword.errors import EventError
from watchword.index.places import Place, Placing
from watchword.patterns.alignment import Folding
from watchword.predicates.explaining import attributes
from watchword.predicates.predicate import Path, Predicate, show, show_path, values_at
from watchword.predicates.readers.elements import Elements
from watchword.predicates.readers.reader import AttributeReader, Surroundings
from watchword.predicates.values import View
from watchword.sets.boolean import Clause, Tree
from watchword.sets.held import held, tree_of


class Found(NamedTuple):
    """Where a predicate holds: an attribute, which of its values if they are a list, and the characters of the text."""

    path: Path
    member: int | None
    start: int
    end: int
    atom: str


def placing(event: Any, read: Callable[[str], Tree], surroundings: Surroundings) -> Placing:
    """Return an event as it is asked where the predicates of a subscription hold; `read` parses a subscription."""
    placer = Placer(event, surroundings)
    order = {name: number for number, name in enumerate(event)}
    paths: dict[str | None, Path] = {}

    def places(text: str) -> Iterator[Place]:
        for found in placer.places(read(text)):
            attribute = show_path(found.path)
            paths[attribute] = found.path
            yield Place(found.start, found.end, attribute, found.member, found.atom)

    return Placing(places, lambda attribute: (order[paths[attribute][0]], attribute))


class Placer:
    """Finds places in one object; keeps the values and readers that were asked for."""

    def __init__(self, event: Any, surroundings: Surroundings) -> None:
        self._event, self._surroundings = event, surroundings
        self._readers: dict[tuple[type[AttributeReader], Path], AttributeReader] = {}
        self._values: dict[Path, list[Any]] = {}
        self._inner: dict[tuple[Path, int], Placer] = {}
        self._before: dict[tuple[Path, Path], list[int]] = {}

    def places(self, tree: Tree) -> Iterator[Found]:
        """Yield the places of the predicates that make a query hold; none if it does not."""
        for predicate in dict.fromkeys(held(tree, self._holds) or ()):
            for path in attributes(predicate, self._surroundings):
                for member, value in enumerate(self._values_at(path)):
                    if predicate.reader is Elements:
                        yield from self._inside(predicate, member, value)
                        continue
                    number = None if _is_single(self._event, path) else member
                    for start, end in self._spans(predicate, value):
                        if start < end:
                            yield Found(path, number, start, end, show(predicate))

    def satisfies(self, tree: Tree) -> bool:
        """Return whether the object satisfies a query."""
        return held(tree, self._holds) is not None

    def _holds(self, predicate: Predicate) -> bool:
        values = [value for path in attributes(predicate, self._surroundings) for value in self._values_at(path)]
        if predicate.reader is Elements:
            return any(self._clauses(predicate, member, value) for member, value in enumerate(values))
        if predicate.reader is not None:
            reader = self._reader(predicate)
            return any(reader.holds(predicate, value) for value in values)
        try:
            return True in [predicate.holds(value) for value in values]
        except TypeError as error:
            raise EventError(f"{show_path(predicate.attribute)}: {error}", position=0) from None

    def _spans(self, predicate: Predicate, value: Any) -> list[tuple[int, int]]:
        if predicate.reader is not None:
            return self._reader(predicate).places(predicate, value)
        return _spans(predicate, value)

    def _reader(self, predicate: Predicate) -> AttributeReader:
        assert predicate.reader is not None
        key = predicate.reader, predicate.attribute
        found = self._readers.get(key)
        if found is None:
            found = self._readers[key] = predicate.reader(predicate.attribute, self._surroundings)
        return found

    def _values_at(self, path: Path) -> list[Any]:
        found = self._values.get(path)
        if found is None:
            found = self._values[path] = list(values_at(self._event, path))
        return found

    # objects inside

    def _clauses(self, predicate: Predicate, member: int, value: Any) -> list[Clause[Predicate]]:
        """Return the clauses of ANY that an object satisfies."""
        if not isinstance(value, dict):
            return []
        inner = self._object(predicate.attribute, member, value)
        return [clause for clause in predicate.constants if held(tree_of(clause), inner._holds) is not None]

    def _inside(self, predicate: Predicate, member: int, value: Any) -> Iterator[Found]:
        """Yield the places of the query of ANY in an object, under the attributes of the event."""
        path = predicate.attribute
        for clause in self._clauses(predicate, member, value):
            for found in self._object(path, member, value).places(tree_of(clause)):
                whole = path + found.path
                number = None
                if not _is_single(self._event, whole):
                    number = self._counts(path, found.path)[member] + (found.member or 0)
                yield found._replace(path=whole, member=number)

    def _counts(self, path: Path, inside: Path) -> list[int]:
        """Return how many values of an inner attribute come before each object of an attribute."""
        found = self._before.get((path, inside))
        if found is None:
            sizes = [len(list(values_at(one, inside))) for one in self._values_at(path)]
            found = self._before[path, inside] = list(accumulate(sizes, initial=0))
        return found

    def _object(self, path: Path, member: int, value: Any) -> Placer:
        """Return the object of an attribute, made once."""
        found = self._inner.get((path, member))
        if found is None:
            found = self._inner[path, member] = Placer(value, self._surroundings.inside(path))
        return found


def _spans(predicate: Predicate, value: Any) -> list[tuple[int, int]]:
    """Return where in a text a predicate that no reader reads holds."""
    if not isinstance(value, str) or not predicate.holds(value):
        return []
    folds = predicate.view in (View.FOLDED, View.FOLDED_BACKWARDS)
    if predicate.operator in ("=", "IN") and predicate.view in (View.PLAIN, View.FOLDED):
        return [(0, len(value))]
    if predicate.operator not in ("STARTS WITH", "ENDS WITH"):
        return []
    size, whole = len(predicate.constants[0][1]), len(value.casefold()) if folds else len(value)
    start, end = (0, size) if predicate.operator == "STARTS WITH" else (whole - size, whole)
    return [Folding(value).original(start, end) if folds else (start, end)]


def _is_single(event: Any, path: Path) -> bool:
    """Return whether an attribute is one value, and neither a list nor inside of one.

    >>> _is_single({"a": {"b": 1}}, ("a", "b")), _is_single({"a": [{"b": 1}]}, ("a", "b"))
    (True, False)
    """
    for name in path:
        if not isinstance(event, dict):
            return False
        event = event.get(name)
    return not isinstance(event, list | tuple | set | frozenset)
