r"""``simple_query_string``: signs in a text that is never wrong.

| written | asks for |
| --- | --- |
| ``a + b``, ``a \| b`` | both, one of them; read from left to right, a sign binds no tighter than another |
| ``a -b`` | ``-b`` is every text without b: ``a \| -b`` are nearly all, mostly ``a + -b`` is meant |
| ``"a b"~2``, ``ferr*``, ``ferry~1`` | a phrase with a slop, a beginning, a similar word |
| ``(a b)``, ``\+`` | a group, a sign that is a character |

A sign in a place where it means nothing is passed over, as are quotes and parentheses that stand alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from watchword.predicates.dialects.aws import PatternError
from watchword.predicates.dialects.elasticsearch.body import placed
from watchword.predicates.dialects.elasticsearch.context import Context
from watchword.predicates.dialects.elasticsearch.full_text import PASSED_OVER, Manner, words_in
from watchword.predicates.dialects.lucene.parser import DEEPEST, MOST_CLAUSES, Clause, Occur, combined
from watchword.predicates.dialects.lucene.tokens import MOST_CHARACTERS
from watchword.predicates.dialects.searches import leaves
from watchword.predicates.dialects.searches.fields import Field
from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.trees import ALL, NONE, Tree, opposite, some
from watchword.predicates.dialects.searches.words import words_of
from watchword.predicates.dialects.sigma.values import Wild, tidy

FLAGS = frozenset(
    {"AND", "OR", "NOT", "PREFIX", "PHRASE", "PRECEDENCE", "ESCAPE", "WHITESPACE", "FUZZY", "NEAR", "SLOP"}
)
_SPACES = frozenset(" \t\n\r")


class Found(NamedTuple):
    """What some text came to: a tree, and, where it is joined, its clauses."""

    tree: Tree
    clauses: tuple[Clause, ...] = ()


class SimpleQuery:
    """Reads a text with signs, as Lucene's SimpleQueryParser does."""

    def __init__(self, context: Context, fields: Sequence[Field], manner: Manner, flags: frozenset[str]) -> None:
        self._context, self._fields, self._manner, self._flags = context, fields, manner, flags
        self._count = 0

    def read(self, text: str, depth: int = 0) -> Found | None:
        """Return what a text asks for; None if it asks nothing."""
        if depth > DEEPEST:
            raise Refused(f"parentheses nested deeper than {DEEPEST}; write the query flatter")
        joined = _Joined(Occur.MUST if self._manner.requires else Occur.SHOULD)
        at, negated = 0, False
        while at < len(text):
            sign = text[at]
            if self._is(sign, "-", "NOT"):
                negated, at = not negated, at + 1
                continue
            at, found = self._piece(text, at, joined, depth)
            if found is not None:
                self._count += 1
                if self._count > MOST_CLAUSES:
                    raise Refused(f"more than {MOST_CLAUSES:,} parts; split the query")
                joined.add(Found(opposite(found.tree)) if negated else found)
            negated = False
        return joined.top

    def _is(self, sign: str, wanted: str, flag: str) -> bool:
        return sign == wanted and flag in self._flags

    def _piece(self, text: str, at: int, joined: _Joined, depth: int) -> tuple[int, Found | None]:
        """Return the place behind the next piece, and what it asks for."""
        sign = text[at]
        if self._is(sign, "(", "PRECEDENCE"):
            end = self._closing(text, at)
            if end is None or end == at + 1:
                joined.operator = joined.operator if end is None else None
                return at + 1 if end is None else end + 1, None
            return end + 1, self.read(text[at + 1 : end], depth + 1)
        if self._is(sign, '"', "PHRASE"):
            return self._phrase(text, at, joined)
        if self._is(sign, "+", "AND") or self._is(sign, "|", "OR"):
            joined.say(Occur.MUST if sign == "+" else Occur.SHOULD)
            return at + 1, None
        if self._is(sign, ")", "PRECEDENCE") or (sign in _SPACES and "WHITESPACE" in self._flags):
            return at + 1, None
        return self._word(text, at)

    def _closing(self, text: str, at: int) -> int | None:
        """Return the place of the parenthesis that closes the one here."""
        level, escaped = 0, False
        for place in range(at, len(text)):
            sign = text[place]
            if escaped:
                escaped = False
            elif self._is(sign, "\\", "ESCAPE"):
                escaped = True
            elif sign in "()":
                level += 1 if sign == "(" else -1
                if not level:
                    return place
        return None

    def _phrase(self, text: str, at: int, joined: _Joined) -> tuple[int, Found | None]:
        words, place = "", at + 1
        while place < len(text) and text[place] != '"':
            place += self._is(text[place], "\\", "ESCAPE")
            words += text[place : place + 1]
            place += 1
        if place >= len(text):
            return at + 1, None  # a quote that is never closed
        place += 1
        if not words:
            joined.operator = None
            return place, None
        slop = 0
        if text[place : place + 1] == "~" and {"NEAR", "SLOP"} & self._flags:
            place, slop = self._number(text, place)
        found = [leaves.phrase(field, words, slop, self._context.dates()) for field in self._fields]
        kept = [tree for tree in found if tree is not None]
        return place, Found(some(kept)) if kept else None

    def _number(self, text: str, at: int) -> tuple[int, int]:
        """Return the place behind a tilde and what follows it, and its number."""
        end = at + 1
        while end < len(text) and not self._ends(text[end]):
            end += 1
        written = text[at + 1 : end]
        return end, 2 if not written else int(written) if written.isdecimal() and len(written) < 10 else 0

    def _ends(self, sign: str) -> bool:
        """Return whether a sign ends a word."""
        flag = {'"': "PHRASE", "|": "OR", "+": "AND", "(": "PRECEDENCE", ")": "PRECEDENCE"}.get(sign)
        return flag in self._flags or (sign in _SPACES and "WHITESPACE" in self._flags)

    def _word(self, text: str, at: int) -> tuple[int, Found | None]:
        made, begins, escaped = "", False, False
        while at < len(text):
            sign = text[at]
            if not escaped:
                if self._is(sign, "\\", "ESCAPE"):
                    escaped, begins, at = True, False, at + 1
                    continue
                if self._ends(sign):
                    break
                if made and self._is(sign, "~", "FUZZY"):
                    at, edits = self._number(text, at)
                    return at, self._similar(made, min(edits, 2))
                begins = bool(made) and self._is(sign, "*", "PREFIX")
            made += sign
            escaped, at = False, at + 1
        if not made:
            return at, None
        return at, self._beginning(made[:-1]) if begins else self._plain(made)

    def _plain(self, text: str) -> Found | None:
        """Return the words of a text, in one of the fields."""
        by_field = [words_in(self._context, field, text, self._manner) for field in self._fields]
        kept = [words for words in by_field if words]
        if not kept:
            return None
        occur = Occur.MUST if self._manner.requires else Occur.SHOULD
        if len(kept) == 1 and len(kept[0]) > 1:
            clauses = tuple(Clause(occur, tree) for tree in kept[0])
            return Found(combined(clauses), clauses)
        return Found(some(combined([Clause(occur, tree) for tree in words]) for words in kept))

    def _beginning(self, text: str) -> Found:
        pieces = tidy([text, Wild.ANY])
        return Found(some(leaves.wildcard(field, pieces, True, True, "a beginning") for field in self._fields))

    def _similar(self, text: str, edits: int) -> Found | None:
        words = words_of(text)
        if not edits or len(words) != 1:
            return self._plain(text)
        beginning, swaps = self._manner.beginning, self._manner.swaps
        return Found(some(leaves.similar(field, words[0], edits, beginning, swaps) for field in self._fields))


class _Joined:
    """The parts read so far. A sign of another kind than the last makes all before it one part."""

    def __init__(self, default: Occur) -> None:
        self._default = default
        self._last: Occur | None = None
        self._first: Found | None = None
        self._clauses: list[Clause] = []
        self._changes = 0
        self.operator: Occur | None = None

    def say(self, operator: Occur) -> None:
        """Take a sign between two parts; the first of several counts."""
        if self.operator is None and self._first is not None:
            self.operator = operator

    def add(self, found: Found) -> None:
        """Take a part."""
        if self._first is None:
            self._first = found
        else:
            operator = self.operator or self._default
            if operator != self._last:
                self._changes += 1
                if self._changes > DEEPEST:
                    raise Refused(
                        f"+ and | that take turns more than {DEEPEST} times; write groups, or split the query"
                    )
                before = self.top
                self._clauses = [Clause(operator, before.tree)] if before is not None else []
                self._last = operator
            self._clauses.append(Clause(operator, found.tree))
        self.operator = None

    @property
    def top(self) -> Found | None:
        """Return the parts read so far as one."""
        return Found(combined(self._clauses), tuple(self._clauses)) if self._clauses else self._first


def simple_query_string(context: Context, given: Any, path: str) -> Tree:
    """Return what a text with signs asks for."""
    body = context.body(given, path)
    text, least = body.text("query"), body.take("minimum_should_match")
    names = body.take("fields")
    requires = body.one_of("default_operator", "or", ("or", "and")) == "and"
    beginning, swaps = body.whole("fuzzy_prefix_length", 0), body.flag("fuzzy_transpositions", True)
    flags = _flags(str(body.take("flags", "ALL")), f"{path}.flags")
    body.refuse("analyzer", "a query is read as its fields are; leave it out")
    body.refuse("quote_field_suffix", "a query is read as its fields are; leave it out")
    body.end(*PASSED_OVER, "analyze_wildcard", "fuzzy_max_expansions")
    fields = context.default_fields() if names is None else context.named(names, f"{path}.fields")
    if len(text) > MOST_CHARACTERS:
        raise PatternError(f"more than {MOST_CHARACTERS:,} characters; split the query", path=f"{path}.query")
    if text.strip() == "*":
        return ALL
    with placed(f"{path}.query"):
        manner = Manner(requires=requires, beginning=beginning, swaps=swaps)
        found = SimpleQuery(context, fields, manner, flags).read(text)
    if found is None:
        return NONE
    return combined(found.clauses, least) if found.clauses else found.tree


def _flags(written: str, path: str) -> frozenset[str]:
    names = frozenset(name.strip().upper() for name in written.split("|"))
    if "ALL" in names:
        return FLAGS
    unknown = sorted(names - FLAGS - {"NONE"})
    if unknown:
        raise PatternError(f"{unknown[0]!r} is no flag; there are ALL, NONE, {', '.join(sorted(FLAGS))}", path=path)
    return names - {"NONE"}


QUERIES = {"simple_query_string": simple_query_string}
"""That of this file."""
