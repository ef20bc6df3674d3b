"""``ANY orders (sku = 'x' AND price > 5)``: one object of a list satisfies a query.

The queries about one attribute are subscriptions of an index of their own, whose slots are the atoms that they are
outside: the objects of a list are its events. With ``ANY orders (sku = 'x')`` as atom 3, the event ``{"orders":
[{"sku": "y"}, {"sku": "x"}]}`` has two objects; the second matches slot 3, which is a point of the event.

`InnerReader` has the life of that index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from watchword.predicates.events.held import Placed, nothing_placed
from watchword.predicates.explaining import report
from watchword.predicates.literals import shown
from watchword.predicates.predicate import Path, Predicate, show_clauses
from watchword.predicates.readers.inner import InnerReader
from watchword.predicates.readers.reader import Surroundings
from watchword.sets.dnf import And, Not, Tree

if TYPE_CHECKING:
    from watchword.predicates.language import Predicates
    from watchword.predicates.query import PredicateParser
    from watchword.predicates.schema.attribute import Attribute


class Elements(InnerReader["Predicates"]):
    """Matches the objects of an attribute with an index of queries."""

    name = "ANY"
    example = "ANY attribute (query)"
    about = "objects"
    leads = True

    def __init__(self, path: Path, surroundings: Surroundings) -> None:
        super().__init__(path, surroundings.inside(path))

    def make(self) -> Predicates:
        """Return an empty index of queries."""
        assert self._surroundings.make_index is not None
        return self._surroundings.make_index(self._surroundings)

    @classmethod
    def parse(cls, parser: PredicateParser, path: Path) -> Tree:
        """Read the query in parentheses."""
        opened = parser.token
        if opened.kind != "open":
            reason = f"expected a query in parentheses after ANY and its attribute, not {shown(opened)}"
            raise parser.error(reason, opened)
        clauses = parser.read_query(path)
        if not clauses:  # no element can satisfy it
            exists = parser.exists(path)
            return And([exists, Not(exists)])
        # Every clause is written out, with the queries about its inner lists: lists in lists may multiply.
        written = f"({show_clauses(clauses)})"
        parser.budget.spend(len(written))
        return parser.read_by(cls, path, clauses, written)

    def define(self, atoms: Sequence[int], predicates: Sequence[Predicate]) -> None:
        """Subscribe the queries under the atoms."""
        self.inner.add_queries(atoms, [predicate.constants for predicate in predicates])

    def points(self, values: list[Any]) -> list[int]:
        """Return the atoms whose query one of the objects satisfies."""
        objects = [value for value in values if isinstance(value, dict)]
        if not objects:
            return []
        inner = self.inner
        found: list[int] = np.unique(inner.find(inner.read(objects, 0)).payloads).tolist()
        return found

    def place(self, column: pa.Array) -> Placed:
        """Return the atoms whose query each object of a column satisfies."""
        if not pa.types.is_struct(column.type) and not pa.types.is_map(column.type):
            return nothing_placed(len(column))
        return self.place_objects(column)

    def place_objects(self, texts: pa.Array) -> Placed:
        """Return the atoms whose query each object satisfies, of a column of objects or of JSON texts."""
        inner = self.inner
        hits = inner.find(inner.read(texts, 0))
        return Placed(hits.offsets, hits.payloads, None)

    def holds(self, predicate: Predicate, value: Any) -> bool:
        """Say whether a value is an object that satisfies the query."""
        if not isinstance(value, dict):
            return False
        return any(report(clause, value, self._surroundings).held for clause in predicate.constants)

    @classmethod
    def refusal(cls, predicate: Predicate, attribute: Attribute) -> str | None:
        """Refuse nothing: the schema has looked at the attribute, and looks at the query by itself."""
        return None
