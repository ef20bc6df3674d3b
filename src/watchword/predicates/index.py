"""`PredicateIndex`: the class that users make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from watchword.index import Index, Key, as_reader
from watchword.index.places import MOST_PLACES, Occurrence
from watchword.predicates.language import Predicates

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from watchword.index import Subscriptions


class PredicateIndex(Index[Key]):
    """Rules over attributes: comparisons, ranges, texts, hierarchies, networks, with AND, OR and NOT.

    >>> index = PredicateIndex({"r1": "name = 'RBS' AND value > 20", "r2": "value BETWEEN 10 AND 15"})
    >>> index.match({"name": "RBS", "value": 15})
    ['r2']
    >>> print(index.explain({"name": "RBS", "value": 15}, "r1"))
    no match: missing value > 20 (met 15) in: name = 'RBS' AND value > 20

    An event is a dict or a JSON text; many may also be a table of Arrow, pandas or polars, whose columns are
    attributes. Options of every method, with their defaults:

    - `hierarchies` (none): by attribute, the parents of values: ``{"topic": {"national": "politics"}}``
    - `operators` (none): homes of readers that add operators to the language: ``["my.module:Divisible"]``
    - `text` (none): attributes that MATCHES, HAS and LIKE read where no attribute stands before them
    - `reading` (none): options of keywords, patterns and paths by attribute: ``{"body": {"stemmer": "english"}}``
    - `schema` (None): event types and their attributes; a subscription or event that breaks it is refused
    - `max_clauses` (16,384), `max_work` (2,097,152): how many clauses OR and NOT may multiply into, in how many steps
    - `max_predicates` (16,384): how many predicates and members of IN a subscription may have
    - `max_literal` (65,536): how many characters a text in a subscription may have
    - `max_depth` (64): how deep parentheses, NOT and ANY may be nested
    """

    plug = Predicates

    @as_reader
    def occurrences(self, event: Any, limit: int = MOST_PLACES) -> list[Occurrence]:
        """Return where in the texts of `event` each subscription found what it asks for, by place.

        `attribute` names the attribute, `start` and `end` cut its text, and `member` numbers the texts of a list, from
        0. These are all places of every predicate about texts that is asked for in a part of the subscription that
        holds: words and phrases, parts and beginnings and ends of texts, one instance of a pattern, the whole of a
        text that equals another or has a form. A comparison of numbers has no place. At most the first `limit` of each
        subscription.

        >>> index = PredicateIndex({"r1": "body MATCHES 'storm OR ferry' AND price < 5", "r2": "tags CONTAINS 'sea'"})
        >>> for found in index.occurrences({"body": "Ferry in a storm", "price": 3, "tags": ["harbour", "sea"]}):
        ...     print(found)
        Occurrence(id='r1', start=0, end=5, attribute='body', atom="body MATCHES 'ferry'")
        Occurrence(id='r1', start=11, end=16, attribute='body', atom="body MATCHES 'storm'")
        Occurrence(id='r2', start=0, end=3, attribute='tags', member=1, atom="tags = 'sea'")
        """
        return self._found_places(event, limit)

    if TYPE_CHECKING:  # for editors and type checkers; when it runs, `Index` takes and checks every option

        def __init__(
            self,
            subscriptions: Subscriptions[Key] | None = None,
            *,
            id: str | None = None,
            subscription: str | None = None,
            method: str | Literal["auto", "brute", "counting", "propagation", "non-propagation"] = "auto",
            hierarchies: Mapping[str, Mapping[str, Any]] = {},
            operators: Iterable[str] = (),
            text: Iterable[str] = (),
            reading: Mapping[str, Mapping[str, Any]] = {},
            schema: Mapping[str, Any] | None = None,
            max_clauses: int = 16384,
            max_work: int = 2_097_152,
            max_predicates: int = 16384,
            max_literal: int = 65_536,
            max_depth: int = 64,
        ) -> None: ...
