"""Queries of Elasticsearch's query DSL as subscriptions.

>>> print(from_elasticsearch('''{"bool": {
...     "must": {"match": {"title": {"query": "night boat ferry", "minimum_should_match": "75%"}}},
...     "filter": [{"range": {"price": {"gte": 10, "lt": 20}}}, {"terms": {"status.keyword": ["open", "new"]}}],
...     "must_not": {"exists": {"field": "cancelled"}}
... }}''').replace(" AND ", " AND\\n"))
title MATCHES '2 OF (night, boat, ferry)' AND
price BETWEEN 10 AND
19.999999999999996 AND
status IN ('open', 'new') AND
NOT cancelled EXISTS

A query matches here what it matches there, for documents whose texts are cut into the same words; docs/predicates.md
has what differs, and what cannot be said.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from watchword.errors import OptionError
from watchword.predicates.dialects.aws import PatternError, read
from watchword.predicates.dialects.elasticsearch import (
    compound,
    full_text,
    intervals,
    query_strings,
    simple,
    spans,
    term_level,
)
from watchword.predicates.dialects.elasticsearch.context import Context
from watchword.predicates.dialects.elasticsearch.unsayable import UNSAYABLE
from watchword.predicates.dialects.lucene.conditions import check_dropped
from watchword.predicates.dialects.searches.dates import now_of
from watchword.predicates.dialects.searches.fields import Fields
from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.trees import write

__all__ = ["from_elasticsearch"]

MOST_CHARACTERS = 1 << 22
"""How many characters the JSON of a query may have."""

KNOWN = {
    **compound.QUERIES,
    **full_text.QUERIES,
    **intervals.QUERIES,
    **query_strings.QUERIES,
    **simple.QUERIES,
    **spans.QUERIES,
    **term_level.QUERIES,
}
"""By name, what translates a query."""


def from_elasticsearch(
    query: str | bytes | Mapping[str, Any],
    *,
    mapping: str | Mapping[str, Any] | Fields | None = None,
    now: datetime | str | None = None,
    drop: Collection[str] = (),
) -> str:
    """Return the subscription with the answers of a query, which is JSON or a mapping.

    - `mapping`: that of the index, also as Elasticsearch answers it, or names and types of fields
    - `now`: the time that ``now`` in dates means, by default the present one; it stays as it is
    - `drop`: ``("boost",)`` leaves out what only weighs, which is refused otherwise

    A query that is wrong, or that cannot be said, raises a `SubscriptionError` that names the place:

    >>> from_elasticsearch({"bool": {"must": [{"match": {"title": "ferry"}}, {"regexp": {"tag": "f.*"}}]}})
    Traceback (most recent call last):
    ...
    watchword.predicates.dialects.aws.PatternError: bool.must[1].regexp: regular expressions are not there yet; say it \
with wildcard, prefix, or several terms
    """
    if isinstance(query, str | bytes) and len(query) > MOST_CHARACTERS:
        raise PatternError(f"more than {MOST_CHARACTERS:,} characters; split the query", path="")
    fields = mapping if isinstance(mapping, Fields) else Fields(mapping)
    try:
        check_dropped(drop)
        time = now_of(now)
    except Refused as reason:
        raise OptionError(str(reason)) from None
    given = read(query)
    if list(given) == ["query"] and isinstance(given["query"], Mapping):
        given = given["query"]
    tree = Context(fields, time, frozenset(drop), KNOWN, UNSAYABLE).query(given, "")
    try:
        return write(tree)
    except Refused as reason:
        raise PatternError(str(reason), path="") from None
