"""Queries about the words of texts: match, match_phrase, match_phrase_prefix, match_bool_prefix, multi_match.

A text is cut into words; of a field of whole values it is compared as a whole. Without a word a query matches nothing,
or everything if ``zero_terms_query`` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from watchword.predicates.dialects.aws import PatternError
from watchword.predicates.dialects.elasticsearch.body import Body, placed
from watchword.predicates.dialects.elasticsearch.context import Context
from watchword.predicates.dialects.searches import fuzzy, leaves
from watchword.predicates.dialects.searches.fields import Field
from watchword.predicates.dialects.searches.least import needed
from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.trees import ALL, NONE, Tree, at_least, every, some
from watchword.predicates.dialects.searches.words import Word

PASSED_OVER = ("auto_generate_synonyms_phrase_query", "fuzzy_rewrite", "lenient", "max_expansions", "rewrite")
"""Parameters that change no match here: there are no synonyms, and no word that is similar is left out."""


@dataclass(frozen=True)
class Manner:
    """How the words of a text are looked for."""

    requires: bool = False
    least: Any = None
    fuzziness: Any = None
    beginning: int = 0
    swaps: bool = True
    nothing: Tree = NONE
    """What a text without a word matches."""

    @classmethod
    def of(cls, body: Body) -> Manner:
        """Return what the parameters of a part say."""
        return cls(
            body.one_of("operator", "or", ("or", "and")) == "and",
            body.take("minimum_should_match"),
            body.take("fuzziness"),
            body.whole("prefix_length", 0),
            body.flag("fuzzy_transpositions", True),
            ALL if body.one_of("zero_terms_query", "none", ("none", "all")) == "all" else NONE,
        )

    def forms(self, word: Word) -> list[str]:
        """Return what asks for a word, or for one that is similar."""
        if self.fuzziness is None:
            return [str(word)]
        edits = fuzzy.edits_of(self.fuzziness, " ".join(word.runs))
        if edits and len(word.runs) > 1:
            raise Refused(f"edits are of single words, and {' '.join(word.runs)!r:.60} is several; leave fuzziness out")
        return fuzzy.similar(word.runs[0], edits, self.beginning, self.swaps) if edits else [str(word)]

    def joined(self, parts: list[Tree]) -> Tree:
        """Return words joined: all of them, or as many as have to match."""
        if not parts:
            return self.nothing
        if self.requires:
            if self.least is not None and needed(self.least, 0):
                raise Refused(
                    "minimum_should_match counts what is optional, and with operator and nothing is; leave it out"
                )
            return every(parts)
        count = 1 if self.least is None or len(parts) == 1 else max(1, needed(self.least, len(parts)))
        return at_least(count, parts)


def words_in(context: Context, field: Field, text: str, manner: Manner) -> list[Tree]:
    """Return a tree for each word of a text."""
    if manner.fuzziness not in (None, 0, "0") and not leaves.reads_words(field):
        raise Refused(f"edits are of words of texts, and {field.name} is of the type {field.kind}; leave fuzziness out")
    found = leaves.words(field, text, context.dates(), manner.forms)
    context.budget.spend(len(found))
    return found


def match(context: Context, given: Any, path: str) -> Tree:
    """Return that a field has the words of a text."""
    field, body = _about_field(context, given, path)
    text, manner = body.text("query"), Manner.of(body)
    with placed(body.path):
        found = manner.joined(words_in(context, field, text, manner))
    body.end(*PASSED_OVER)
    return found


def match_bool_prefix(context: Context, given: Any, path: str) -> Tree:
    """Return that a field has the words of a text; the last may go on."""
    field, body = _about_field(context, given, path)
    text, manner = body.text("query"), Manner.of(body)
    with placed(body.path):
        found = manner.joined(_last_as_prefix(context, field, text, manner))
    body.end(*PASSED_OVER)
    return found


def _last_as_prefix(context: Context, field: Field, text: str, manner: Manner) -> list[Tree]:
    parts = words_in(context, field, text, manner)
    if not parts or not leaves.reads_words(field):
        return parts
    last = leaves.last_as_prefix(field, text)
    return [*parts[:-1], last]


def match_phrase(context: Context, given: Any, path: str) -> Tree:
    """Return that a field has the words of a text side by side, or with a slop."""
    field, body = _about_field(context, given, path)
    text, slop, nothing = body.text("query"), body.whole("slop", 0), _nothing(body)
    with placed(body.path):
        found = leaves.phrase(field, text, slop, context.dates())
    body.end()
    return nothing if found is None else found


def match_phrase_prefix(context: Context, given: Any, path: str) -> Tree:
    """Return that a field has a phrase whose last word may go on."""
    field, body = _about_field(context, given, path)
    text, slop, nothing = body.text("query"), body.whole("slop", 0), _nothing(body)
    with placed(body.path):
        found = _phrase_prefix(field, text, slop)
    body.end("max_expansions")
    return nothing if found is None else found


def _phrase_prefix(field: Field, text: str, slop: int) -> Tree | None:
    if slop:
        raise Refused("a phrase with a slop has whole words only; leave the slop out, or write match_phrase")
    return leaves.phrase_prefix(field, text)


def _nothing(body: Body) -> Tree:
    return ALL if body.one_of("zero_terms_query", "none", ("none", "all")) == "all" else NONE


def _about_field(context: Context, given: Any, path: str) -> tuple[Field, Body]:
    field, body = context.about_field(given, path, "query")
    check_analyzer(context, field, body)
    return field, body


def check_analyzer(context: Context, field: Field, body: Body) -> None:
    """Refuse an analyser of the query that is another than the field's."""
    name = body.take("analyzer")
    if name is None:
        return
    with placed(f"{body.path}.analyzer"):
        if field.kind != "any" and context.fields.analysis(str(name)) != field.analysis:
            raise Refused(f"{field.name} is read in another way, and a query is read as its field; leave it out")


def multi_match(context: Context, given: Any, path: str) -> Tree:
    """Return that one of several fields, or all of them together, have the words of a text."""
    body = context.body(given, path)
    text, manner, slop = body.text("query"), Manner.of(body), body.whole("slop", 0)
    kind = body.one_of("type", "best_fields", (*_BY_FIELD, "cross_fields"))
    names = body.take("fields")
    fields = context.default_fields() if names is None else context.named(names, f"{path}.fields")
    body.refuse("analyzer", "a query is read as its fields are; leave it out")
    with placed(path):
        if kind == "cross_fields":
            found = across(context, fields, text, manner)
        else:
            found = some(_BY_FIELD[kind](context, field, text, manner, slop) for field in fields)
    body.end(*PASSED_OVER)
    return found


def combined_fields(context: Context, given: Any, path: str) -> Tree:
    """Return that several fields, taken together, have the words of a text."""
    body = context.body(given, path)
    text, manner = body.text("query"), Manner.of(body)
    fields = context.named(body.needed("fields"), f"{path}.fields")
    with placed(path):
        if len({field.analysis for field in fields}) > 1 or not all(leaves.reads_words(field) for field in fields):
            raise Refused("all of its fields are texts that are read in the same way; leave the others out")
        found = across(context, fields, text, manner)
    body.end(*PASSED_OVER)
    return found


def across(context: Context, fields: Sequence[Field], text: str, manner: Manner) -> Tree:
    """Return that fields which are read in the same way have the words of a text, each in any of them."""
    if manner.fuzziness is not None:
        raise Refused("cross_fields takes no fuzziness; leave it out, or write best_fields")
    groups: dict[object, list[Field]] = {}
    for field in fields:
        groups.setdefault(field.analysis if leaves.reads_words(field) else field.name, []).append(field)
    found = []
    for group in groups.values():
        several = [words_in(context, field, text, manner) for field in group]
        size = max(map(len, several))
        found.append(manner.joined([some(parts[at] for parts in several if at < len(parts)) for at in range(size)]))
    return some(found)


def _best(context: Context, field: Field, text: str, manner: Manner, slop: int) -> Tree:
    return manner.joined(words_in(context, field, text, manner))


def _phrase(context: Context, field: Field, text: str, manner: Manner, slop: int) -> Tree:
    found = leaves.phrase(field, text, slop, context.dates())
    return manner.nothing if found is None else found


def _beginning(context: Context, field: Field, text: str, manner: Manner, slop: int) -> Tree:
    found = _phrase_prefix(field, text, slop)
    return manner.nothing if found is None else found


def _bool_prefix(context: Context, field: Field, text: str, manner: Manner, slop: int) -> Tree:
    return manner.joined(_last_as_prefix(context, field, text, manner))


_BY_FIELD: dict[str, Callable[[Context, Field, str, Manner, int], Tree]] = {
    "best_fields": _best,
    "most_fields": _best,
    "phrase": _phrase,
    "phrase_prefix": _beginning,
    "bool_prefix": _bool_prefix,
}

QUERIES = {
    "combined_fields": combined_fields,
    "match": match,
    "match_bool_prefix": match_bool_prefix,
    "match_phrase": match_phrase,
    "match_phrase_prefix": match_phrase_prefix,
    "multi_match": multi_match,
}

__all__ = ["PASSED_OVER", "QUERIES", "Manner", "PatternError", "across", "words_in"]
