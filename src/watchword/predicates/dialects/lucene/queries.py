"""Queries in Lucene's classic syntax as subscriptions.

>>> from_lucene('+ferry -port title:"night boat"~2 priority:[1 TO 3]', fields={"priority": "number"})
"MATCHES 'ferry' AND NOT MATCHES 'port'"
>>> from_lucene("ferry AND storm OR boat", default_field="body")
"body MATCHES 'ferry AND storm'"
>>> from_lucene("ferry storm", default_field="body", default_operator="AND")
"body MATCHES 'ferry AND storm'"

The answers are those of Lucene's parser, in which ``+`` makes a clause required and the others optional: the title and
the priority above decide nothing, for a match has no score. docs/predicates.md has what differs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from watchword.errors import OptionError, SubscriptionError, SubscriptionSyntaxError
from watchword.predicates.dialects.lucene.conditions import LuceneConditions, check_dropped
from watchword.predicates.dialects.lucene.parser import parse
from watchword.predicates.dialects.searches.dates import Dates, now_of
from watchword.predicates.dialects.searches.fields import ANYWHERE, Field, Fields
from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.trees import NONE, write

__all__ = ["from_lucene"]


def from_lucene(
    query: str,
    *,
    default_operator: str = "OR",
    default_field: str | Iterable[str] | None = None,
    fields: Mapping[str, Any] | str | Fields | None = None,
    drop: Collection[str] = (),
    now: datetime | str | None = None,
) -> str:
    """Return the subscription with the answers of a query in Lucene's classic syntax.

    - `default_operator`: ``"OR"`` or ``"AND"``, how clauses without an operator are joined
    - `default_field`: the field, or several, that clauses without one ask; else the texts of `fields`, else the
      attributes that the option `text` of the index names
    - `fields`: by field its kind (text, keyword, number, date, boolean or ip), or a mapping of Elasticsearch
    - `drop`: ``("boost",)`` leaves out weights, which are refused otherwise
    - `now`: the time that ``now`` in dates means, by default the present one

    A query that is wrong, cannot be said, or would match nothing, raises a `SubscriptionError` with its place:

    >>> from_lucene("ferry^2 storm")
    Traceback (most recent call last):
    ...
    watchword.errors.SubscriptionSyntaxError: ^ weighs, and a match has no score; leave it out, or say drop=("boost",) \
to leave out all weights
      ferry^2 storm
           ^
    """
    if not isinstance(query, str):
        raise SubscriptionError(f"a query is a text, not {type(query).__name__}")
    operator = str(default_operator).upper()
    if operator not in ("AND", "OR"):
        raise OptionError(f"default_operator is 'AND' or 'OR', not {default_operator!r}")
    known = fields if isinstance(fields, Fields) else Fields(fields)
    try:
        check_dropped(drop)
        dates = Dates(now_of(now))
    except Refused as reason:
        raise OptionError(str(reason)) from None
    conditions = LuceneConditions(
        known, lambda: _default_fields(known, default_field), dates, requires=operator == "AND", drop=drop
    )
    return _written(query, conditions)


def _written(query: str, conditions: LuceneConditions) -> str:
    tree = parse(query, conditions)
    if tree == NONE:
        reason = "this query matches nothing: it has no word, or only what it leaves out; write *:* before that"
        raise SubscriptionSyntaxError(reason, text=query, position=0)
    try:
        return write(tree)
    except Refused as reason:
        raise SubscriptionSyntaxError(str(reason), text=query, position=0) from None


def _default_fields(known: Fields, given: str | Iterable[str] | None) -> list[Field]:
    """Return the fields that clauses without a field ask."""
    if given is None:
        return known.texts() or [ANYWHERE]
    names = given.split(",") if isinstance(given, str) else given
    return [known.field(name.strip()) for name in names]
