"""Places: where in an event the words of a subscription stand, for `occurrences` and `places`.

The event ``"The debt crisis"`` and the subscription ``"debt crisis" OR bailout``::

    Place(start=4, end=15, atom='"debt crisis"')        text[4:15] is what the atom found
    Occurrence(id='s1', start=4, end=15, atom=…)        the same, of one of many subscriptions

A place counts characters as Python does, also where the event is UTF-8 bytes. It belongs to an atom that the
subscription asks for: an atom that is forbidden has no place, nor has one in a part that does not hold, and a
subscription that does not match has none at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Self

from watchword.errors import OptionError

MOST_PLACES = 1000
"""How many places of a subscription in an event are returned; ``limit=NUMBER`` is another limit."""


class Place(NamedTuple):
    """Where an atom stands in an event: ``text[start:end]``.

    `attribute` names the text where an event has several, `member` numbers the values of an attribute that is a list,
    from 0 and without nulls; `atom` is what the subscription asks for, as it would write it. Where the event is a list
    of terms, start and end cut the list. Of a path, start and end are those of a start tag in the document, and
    `member` numbers its element, from 1 as elements open.
    """

    start: int
    end: int
    attribute: str | None = None
    member: int | None = None
    atom: str | None = None

    def line_and_column(self, text: str) -> tuple[int, int]:
        r"""Return the line and the column of `start` in its text, both from 1.

        >>> Place(6, 7).line_and_column("<a>\n  <b/></a>")
        (2, 3)
        """
        before = text[: self.start]
        return before.count("\n") + 1, self.start - (before.rfind("\n") + 1) + 1

    def __repr__(self) -> str:
        return _shown("Place", self._asdict())


class _Span(NamedTuple):
    id: Any
    start: int
    end: int


class Occurrence(_Span):
    """Where a subscription found something in an event: its id, and ``text[start:end]``, a tuple of three.

    `attribute`, `member` and `atom` are those of its `Place`, each None where there is nothing to say.

    >>> id, start, end = Occurrence("s1", 4, 15, "body")
    >>> Occurrence("s1", 4, 15, "body")
    Occurrence(id='s1', start=4, end=15, attribute='body')
    """

    attribute: str | None
    member: int | None
    atom: str | None

    def __new__(
        cls,
        id: Any,
        start: int,
        end: int,
        attribute: str | None = None,
        member: int | None = None,
        atom: str | None = None,
    ) -> Self:
        made = super().__new__(cls, id, start, end)
        made.attribute, made.member, made.atom = attribute, member, atom
        return made

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Occurrence):
            return (*self, *self._details()) == (*other, *other._details())
        return tuple(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        details = dict(zip(Place._fields[2:], self._details(), strict=True))
        return _shown("Occurrence", {**self._asdict(), **details})

    def _details(self) -> tuple[str | None, int | None, str | None]:
        return self.attribute, self.member, self.atom


class Placing(NamedTuple):
    """An event that was read, to be asked for the places of subscriptions."""

    find: Callable[[str], Iterable[Place]]
    """Returns the places of a subscription's text in any order, perhaps some twice; none if it does not match."""
    rank: Callable[[str | None], Any]
    """Returns what the texts of the event are ordered by, from the name of a text."""

    def first(self, text: str, limit: int) -> list[Place]:
        """Return the first places of a text, in order."""
        return sorted(dict.fromkeys(self.find(text)), key=self.key)[:limit]

    def key(self, place: Place) -> tuple[Any, ...]:
        """Return what places are ordered by: the text, the member of a list, then start and end."""
        member = -1 if place.member is None else place.member
        return self.rank(place.attribute), member, place.start, place.end, place.atom or ""

    def occurrences(self, subscriptions: Iterable[tuple[Any, str]], limit: int) -> list[Occurrence]:
        """Return the first places of each of several subscriptions, all by place and then in their order."""
        found = [(place, id) for id, text in subscriptions for place in self.first(text, limit)]
        found.sort(key=lambda one: self.key(one[0])[:-1])
        return [Occurrence(id, *place) for place, id in found]


NOWHERE = Placing(lambda _: (), lambda _: 0)
"""An event of a language that reads no texts."""


def checked_limit(limit: Any) -> int:
    """Return a limit of places; raises if it is none."""
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise OptionError(f"limit must be a positive integer, not {limit!r}")
    return limit


def _shown(name: str, fields: Mapping[str, Any]) -> str:
    return f"{name}({', '.join(f'{field}={value!r}' for field, value in fields.items() if value is not None)})"
