"""`Context`: what the parts of one query share, and where a part is in it: in which list of objects, and how deep."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from watchword.predicates.dialects.aws import PatternError
from watchword.predicates.dialects.elasticsearch.body import Body, placed
from watchword.predicates.dialects.searches.dates import Dates
from watchword.predicates.dialects.searches.fields import ANYWHERE, Field, Fields
from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.trees import Budget, Tree

DEEPEST = 30
"""How deep queries may lie inside of queries; the bool queries of Elasticsearch have the same limit."""

Translate = Callable[["Context", Any, str], Tree]
"""Takes the context, what stands behind the name of a query, and its place."""


@dataclass(frozen=True)
class Context:
    """What one part of a query knows of the whole."""

    fields: Fields
    now: datetime
    drop: frozenset[str]
    known: Mapping[str, Translate]
    unsayable: Mapping[str, str]
    inside: tuple[str, ...] = ()
    depth: int = 0
    budget: Budget = field(default_factory=Budget)

    def query(self, given: Any, path: str) -> Tree:
        """Return the tree of a query: an object with one name, such as ``{"match": {…}}``."""
        if not isinstance(given, Mapping) or not given:
            raise PatternError('a query is an object such as {"match": {"title": "ferry"}}', path=path)
        if len(given) > 1:
            names = ", ".join(map(str, given))[:100]
            raise PatternError(f"a query has one name, and here are {names}; join them by bool", path=path)
        if self.depth == DEEPEST:
            raise PatternError(f"queries nested deeper than {DEEPEST}; write it flatter", path=path[:60] + "…")
        [(name, body)] = given.items()
        here = f"{path}.{name}" if path else str(name)
        with placed(here):
            self.budget.spend(1)
        if name in self.unsayable:
            raise PatternError(self.unsayable[name], path=here)
        if name not in self.known:
            known = ", ".join(sorted(self.known))
            raise PatternError(f"there is no query of this name; there are {known}", path=here)
        with placed(here):
            return self.known[name](replace(self, depth=self.depth + 1), body, here)

    def body(self, given: Any, path: str) -> Body:
        """Return the parameters of a part."""
        return Body(given, path, self.drop)

    def about_field(self, given: Any, path: str, value: str) -> tuple[Field, Body]:
        """Return the field that a part is about, and its parameters; where only a value stands, it is `value`."""
        outer = self.body(given, path)
        names = outer.members()
        if len(names) != 1:
            raise PatternError('one field is expected, such as {"title": …}', path=path)
        inner = outer.take(names[0])
        outer.end()
        here = f"{path}.{names[0]}"
        with placed(here):
            found = self.field(str(names[0]))
        if not isinstance(inner, Mapping):
            if inner is None:
                raise PatternError("null is no value; ask for missing fields by must_not exists", path=here)
            inner = {value: inner}
        return found, self.body(inner, here)

    def field(self, name: str) -> Field:
        """Return a field, as it is seen from the objects that the part is about."""
        return self.seen(self.fields.field(name))

    def seen(self, found: Field) -> Field:
        """Return a field as it is seen from here; one of other objects is refused."""
        if found.nested != self.inside[: len(found.nested)]:
            owner = ".".join(found.nested)
            raise Refused(
                f'{found.name} lies in the list of objects {owner}; ask in {{"nested": {{"path": "{owner}", …}}}}'
            )
        if any(path[: len(self.inside)] != self.inside or len(path) == len(self.inside) for path in found.paths):
            owner = ".".join(self.inside)
            raise Refused(f"{found.name} does not lie in the objects of {owner}; ask for it outside of nested")
        return replace(found, inside=self.inside)

    def named(self, names: Any, path: str) -> list[Field]:
        """Return fields by their names, which may have stars, or weights such as ``^2``."""
        listed = [names] if isinstance(names, str) else names
        if not isinstance(listed, list | tuple) or not listed or not all(isinstance(one, str) for one in listed):
            raise PatternError("a list of names of fields is expected", path=path)
        found: dict[Field, None] = {}
        for at, written in enumerate(listed):
            name, weighs, weight = written.partition("^")
            if weighs:
                Body({"boost": weight}, f"{path}[{at}]", self.drop).end()
            with placed(f"{path}[{at}]"):
                self.budget.spend(1)
                several = self.fields.matching(name) if "*" in name else [self.fields.field(name)]
                found |= dict.fromkeys(self.seen(one) for one in several)
        if not found:
            raise PatternError("no field of the mapping has such a name", path=path)
        return list(found)

    def default_fields(self) -> list[Field]:
        """Return the fields that a query without any asks: those of the mapping, else the option `text`."""
        if self.inside or not self.fields.names:
            return [replace(ANYWHERE, paths=(self.inside,), inside=self.inside)]
        return self.fields.searched()

    def dates(self, zone: str | None = None, formats: tuple[str, ...] = ()) -> Dates:
        """Return what reads the dates of a part."""
        return Dates(self.now, zone, formats)
