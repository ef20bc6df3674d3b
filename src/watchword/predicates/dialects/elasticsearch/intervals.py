"""``intervals``: words in an order and at a distance, by rules inside of rules.

A rule is a `Part` (a word, words side by side, or one of several of these), which others may put in order, or a tree,
which stands by itself or is joined by AND and OR.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from watchword.predicates.dialects.aws import PatternError
from watchword.predicates.dialects.elasticsearch.body import Body, placed
from watchword.predicates.dialects.elasticsearch.context import Context
from watchword.predicates.dialects.elasticsearch.orders import Part, in_any_order, in_order, one_of
from watchword.predicates.dialects.lucene.conditions import wildcards_of
from watchword.predicates.dialects.searches import fuzzy
from watchword.predicates.dialects.searches.fields import Field
from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.trees import NONE, Tree, Words, every, some
from watchword.predicates.dialects.searches.words import Word, family, folded_run, phrase, words_of
from watchword.predicates.dialects.sigma.values import Pieces, Wild, tidy

Rule: TypeAlias = "Part | Tree"

MOST_DEEP = 16
"""How deep rules may lie inside of rules."""


def intervals(context: Context, given: Any, path: str) -> Tree:
    """Return what an intervals query asks of a field."""
    outer = context.body(given, path)
    names = outer.members()
    if len(names) != 1:
        raise PatternError('one field is expected, such as {"title": …}', path=path)
    rule = outer.take(names[0])
    outer.end()
    with placed(f"{path}.{names[0]}"):
        field = context.field(str(names[0]))
        if field.kind not in ("text", "any"):
            raise Refused(f"{field.name} is of the type {field.kind}, and intervals are of words of texts")
        return tree_of(field, _Rules(context, field).rule(rule, f"{path}.{names[0]}", 0))


def tree_of(field: Field, rule: Rule) -> Tree:
    """Return a rule as a tree."""
    return asked(field, rule.alternatives, 2, len(rule.words)) if isinstance(rule, Part) else rule


def asked(field: Field, texts: Sequence[str], binds: int = 2, weight: int = 2) -> Tree:
    """Return that texts of a field have one of some words, phrases or chains."""
    return some(Words(attribute, text, binds, max(weight, 1)) for attribute in field.attributes for text in texts)


class _Rules:
    """Reads the rules of one field."""

    def __init__(self, context: Context, field: Field) -> None:
        self._context, self._field = context, field

    def rule(self, given: Any, path: str, depth: int) -> Rule:
        """Return a rule: an object with one name."""
        body = self._context.body(given, path)
        names = body.members()
        if len(names) != 1 or depth > MOST_DEEP:
            raise PatternError(f"one rule is expected, such as match, at most {MOST_DEEP} deep", path=path)
        [name] = names
        here = f"{path}.{name}"
        known = {
            "match": self._match,
            "prefix": self._prefix,
            "wildcard": self._wildcard,
            "fuzzy": self._fuzzy,
            "all_of": self._all_of,
            "any_of": self._any_of,
        }
        if name not in known:
            raise PatternError(f"this rule cannot be said; {', '.join(known)} can", path=here)
        inner = self._context.body(body.take(name), here)
        body.end()
        inner.refuse("use_field", "words of several fields have no distance; ask each field by itself")
        inner.refuse("analyzer", "a rule is read as its field is; leave it out")
        filtered = inner.take("filter")
        with placed(here):
            found = known[name](inner, here, depth)
            inner.end()
            return found if filtered is None else self._filtered(found, filtered, f"{here}.filter", depth)

    def _match(self, body: Body, path: str, depth: int) -> Rule:
        words = words_of(body.text("query"), self._field.analysis.stop_words)
        gaps, ordered = _gaps(body), body.flag("ordered", False)
        if not words:
            return NONE
        if len(words) == 1 or (ordered and gaps == 0):
            return Part((phrase(words),), frozenset(run for word in words for run in word.runs))
        return self._joined([Part((str(word),), frozenset(word.runs)) for word in words], gaps, ordered)

    def _prefix(self, body: Body, path: str, depth: int) -> Rule:
        return _family(tidy([body.text("prefix"), Wild.ANY]))

    def _wildcard(self, body: Body, path: str, depth: int) -> Rule:
        return _family(wildcards_of(body.text("pattern")))

    def _fuzzy(self, body: Body, path: str, depth: int) -> Rule:
        text = folded_run(body.text("term"))
        edits = fuzzy.edits_of(body.take("fuzziness", "AUTO"), text)
        found = fuzzy.similar(text, edits, body.whole("prefix_length", 0), body.flag("transpositions", True))
        return Part(tuple(found), frozenset(found))

    def _any_of(self, body: Body, path: str, depth: int) -> Rule:
        rules = self._several(body, path, depth)
        parts = [one for one in rules if isinstance(one, Part)]
        if parts and len(parts) == len(rules):
            return one_of(parts)
        return some(tree_of(self._field, one) for one in rules)

    def _all_of(self, body: Body, path: str, depth: int) -> Rule:
        rules = self._several(body, path, depth)
        return self._joined(rules, _gaps(body), body.flag("ordered", False))

    def _several(self, body: Body, path: str, depth: int) -> list[Rule]:
        rules = body.needed("intervals")
        if not isinstance(rules, list | tuple) or not rules:
            raise PatternError("a list of rules is expected", path=f"{path}.intervals")
        return [self.rule(one, f"{path}.intervals[{at}]", depth + 1) for at, one in enumerate(rules)]

    def _joined(self, rules: Sequence[Rule], gaps: int | None, ordered: bool) -> Rule:
        """Return that all rules hold, with at most `gaps` words between them."""
        if len(rules) == 1:
            return rules[0]
        if gaps is None and not ordered:
            return every(tree_of(self._field, one) for one in rules)
        parts = [one for one in rules if isinstance(one, Part)]
        if len(parts) < len(rules):
            raise Refused("what stands in an order or near each other are words, phrases, and alternatives of these")
        texts = in_order(parts, gaps) if ordered else in_any_order(parts, gaps or 0)
        return asked(self._field, texts, 2, len(parts))

    def _filtered(self, rule: Rule, given: Any, path: str, depth: int) -> Rule:
        """Return a rule before or after another one."""
        body = self._context.body(given, path)
        names = body.members()
        if len(names) != 1 or names[0] not in ("before", "after"):
            raise PatternError("before and after can be said of a filter, nothing else", path=path)
        other = self.rule(body.take(names[0]), f"{path}.{names[0]}", depth + 1)
        return self._joined([rule, other] if names[0] == "before" else [other, rule], None, True)


def _gaps(body: Body) -> int | None:
    """Return how many words may stand between; None for any number."""
    found = body.whole("max_gaps", -1, -1)
    return None if found < 0 else found


def _family(pieces: Pieces) -> Part:
    parts = [piece.value if isinstance(piece, Wild) else folded_run(piece) for piece in pieces]
    wild = any(isinstance(piece, Wild) for piece in pieces)
    text = family(parts) if wild else str(Word(tuple(parts)))
    return Part((text,), frozenset([text]))


QUERIES = {"intervals": intervals}
"""Those of this file."""
