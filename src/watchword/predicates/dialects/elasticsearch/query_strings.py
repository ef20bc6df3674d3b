"""``query_string``: Lucene's classic syntax, as Elasticsearch has it.

The differences to Lucene's own parser: words that stand side by side without an operator are looked for together in
each field, a bare ``~`` allows as many edits as AUTO, a query that only leaves out matches all the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from watchword.errors import SubscriptionSyntaxError
from watchword.predicates.dialects.aws import PatternError
from watchword.predicates.dialects.elasticsearch.body import Body, placed
from watchword.predicates.dialects.elasticsearch.context import Context
from watchword.predicates.dialects.elasticsearch.full_text import PASSED_OVER
from watchword.predicates.dialects.lucene.conditions import LuceneConditions
from watchword.predicates.dialects.lucene.parser import parse
from watchword.predicates.dialects.searches import fuzzy, leaves
from watchword.predicates.dialects.searches.dates import Dates
from watchword.predicates.dialects.searches.fields import Field
from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.trees import ALL, Tree, every, some
from watchword.predicates.dialects.searches.words import Word

_TYPES = ("best_fields", "most_fields", "cross_fields", "phrase", "phrase_prefix", "bool_prefix")


class StringConditions(LuceneConditions):
    """Conditions as those of query_string."""

    def __init__(self, context: Context, default: Callable[[], Sequence[Field]], dates: Dates, body: Body) -> None:
        requires = body.one_of("default_operator", "or", ("or", "and")) == "and"
        self._named = body.take("fields") is not None or body.take("default_field", "*") != "*"
        super().__init__(context.fields, default, dates, requires=requires, drop=context.drop)
        self._context, self.budget = context, context.budget
        self._kind = body.one_of("type", "best_fields", _TYPES)
        self._slop = body.whole("phrase_slop", 0)
        self._fuzziness = body.take("fuzziness", "AUTO")
        self._beginning = body.whole("fuzzy_prefix_length", 0)
        self._swaps = body.flag("fuzzy_transpositions", True)
        if self._kind not in ("best_fields", "most_fields", "cross_fields"):
            raise Refused(f"type {self._kind} is not said of a query_string; write multi_match")

    def several(self, field: str | None, texts: list[str]) -> list[Tree]:
        """Return terms that stand side by side: of several fields as one clause, in one of the fields."""
        asked = self.asked(field)
        if len(asked) == 1 or self._kind == "cross_fields" or any(text[:1] in ("<", ">") for text in texts):
            return super().several(field, texts)
        join = every if self.requires else some
        parts = [leaves.words(one, " ".join(texts), self._dates) for one in asked]
        self.budget.spend(sum(map(len, parts)))
        return [some(join(words) for words in parts if words)] if any(parts) else []

    def phrase(self, field: str | None, text: str, slop: int | None) -> Tree | None:
        """Return the words of a phrase, near each other if it has a slop."""
        return super().phrase(field, text, self._slop if slop is None else slop)

    def similar_in(self, one: Field, word: Word, edits: str) -> Tree:
        """Return that a field has a word that is similar."""
        count = fuzzy.edits_of(edits or self._fuzziness, word.runs[0])
        return leaves.similar(one, word, count, self._beginning, self._swaps)

    def anything(self, field: str | None) -> Tree:
        """Return every event, or, where fields are named, that one of them has a value."""
        return some(leaves.exists(one) for one in self._default) if self._named and field is None else ALL

    def asked(self, field: str | None) -> Sequence[Field]:
        """Return the fields that a clause asks."""
        return [self._context.seen(one) if one.name else one for one in super().asked(field)]


def query_string(context: Context, given: Any, path: str) -> Tree:
    """Return what a query in Lucene's syntax asks for."""
    body = context.body(given if not isinstance(given, str) else {"query": given}, path)
    text, least = body.text("query"), body.take("minimum_should_match")
    zone = body.take("time_zone")
    for name in ("analyzer", "quote_analyzer", "quote_field_suffix"):
        body.refuse(name, "a query is read as its fields are; leave it out")
    if body.flag("escape", False):
        raise PatternError("write the backslashes into the query", path=f"{path}.escape")
    default = _string_fields(context, body)
    with placed(path):
        conditions = StringConditions(context, default, context.dates(None if zone is None else str(zone)), body)
    body.end(*PASSED_OVER, *_PASSED_OVER)
    try:
        with placed(path):
            return parse(text, conditions, least, pure_negative=True)
    except SubscriptionSyntaxError as error:
        near = f" near {text[error.position : error.position + 20]!r}" if error.position < len(text) else " at its end"
        reason = f"character {error.position + 1}{near}: {error.reason}"
        raise PatternError(reason, path=f"{path}.query") from None


_PASSED_OVER = (
    "allow_leading_wildcard",
    "analyze_wildcard",
    "enable_position_increments",
    "fuzzy_max_expansions",
    "max_determinized_states",
)


def _string_fields(context: Context, body: Body) -> Callable[[], Sequence[Field]]:
    """Return what returns the fields that a query asks where it names none; the parameters are not taken."""
    names, name = body.peek("fields"), body.peek("default_field", "*")
    if names is None and name == "*":
        return cache(context.default_fields)
    place = "default_field" if names is None else "fields"
    found = context.named([name] if names is None else names, f"{body.path}.{place}")
    return lambda: found


QUERIES = {"query_string": query_string}
