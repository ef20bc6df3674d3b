"""Queries that put queries together, match_all and match_none.

Scores are left out, if that is said: boosting matches what its positive query matches, function_score what its
query matches, dis_max what one of its queries matches.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from watchword.predicates.dialects import aws
from watchword.predicates.dialects.aws import PatternError
from watchword.predicates.dialects.elasticsearch.context import Context
from watchword.predicates.dialects.lucene.parser import Clause, Occur, combined
from watchword.predicates.dialects.searches.trees import ALL, NONE, Tree, inside, some

_OCCURS = {"must": Occur.MUST, "filter": Occur.MUST, "should": Occur.SHOULD, "must_not": Occur.MUST_NOT}


def boolean(context: Context, given: Any, path: str) -> Tree:
    """Return a bool query: all of must and filter, none of must_not, and of should as many as have to match."""
    body = context.body(given, path)
    clauses: list[Clause] = []
    for name, occur in _OCCURS.items():
        queries = body.take(name, [])
        several = isinstance(queries, list | tuple)
        for at, query in enumerate(queries if several else [queries]):
            place = f"{path}.{name}[{at}]" if several else f"{path}.{name}"
            clauses.append(Clause(occur, context.query(query, place)))
    least = body.take("minimum_should_match")
    adjusts = body.flag("adjust_pure_negative", True)
    body.end()
    return combined(clauses, least, adjusts) if clauses else ALL


def match_all(context: Context, given: Any, path: str) -> Tree:
    """Return every event."""
    context.body(given, path).end()
    return ALL


def match_none(context: Context, given: Any, path: str) -> Tree:
    """Return no event."""
    context.body(given, path).end()
    return NONE


def constant_score(context: Context, given: Any, path: str) -> Tree:
    """Return what the filter matches."""
    body = context.body(given, path)
    found = context.query(body.needed("filter"), f"{path}.filter")
    body.end()
    return found


def dis_max(context: Context, given: Any, path: str) -> Tree:
    """Return what one of the queries matches."""
    body = context.body(given, path)
    queries = body.needed("queries")
    if not isinstance(queries, list | tuple):
        raise PatternError("a list of queries is expected", path=f"{path}.queries")
    found = some(context.query(query, f"{path}.queries[{at}]") for at, query in enumerate(queries))
    body.end()
    return found


def boosting(context: Context, given: Any, path: str) -> Tree:
    """Return what the positive query matches; the negative one only weighs."""
    body = context.body(given, path)
    found = context.query(body.needed("positive"), f"{path}.positive")
    context.query(body.needed("negative"), f"{path}.negative")
    body.end()
    return found


def function_score(context: Context, given: Any, path: str) -> Tree:
    """Return what the query matches; its functions only weigh."""
    body = context.body(given, path)
    body.refuse("min_score", "a match has no score that could be compared; leave it out, or write the conditions")
    query = body.take("query")
    found = ALL if query is None else context.query(query, f"{path}.query")
    functions = [name for name in _FUNCTIONS if body.take(name) is not None]
    if functions:
        context.body({"functions": functions}, path).end()
    body.end()
    return found


_FUNCTIONS = ("random_score", "script_score", "field_value_factor", "weight", "gauss", "linear", "exp")


def nested(context: Context, given: Any, path: str) -> Tree:
    """Return that one object of a list satisfies the query."""
    body = context.body(given, path)
    names = tuple(body.text("path").split("."))
    if names[: len(context.inside)] != context.inside or len(names) == len(context.inside) or not all(names):
        raise PatternError(f"it does not lie in {'.'.join(context.inside) or 'the event'}", path=f"{path}.path")
    inner = replace(context, inside=names).query(body.needed("query"), f"{path}.query")
    body.end("ignore_unmapped", "inner_hits")
    return inside(aws.attribute(names[len(context.inside) :]), inner)


QUERIES = {
    "bool": boolean,
    "boosting": boosting,
    "constant_score": constant_score,
    "dis_max": dis_max,
    "function_score": function_score,
    "match_all": match_all,
    "match_none": match_none,
    "nested": nested,
}
