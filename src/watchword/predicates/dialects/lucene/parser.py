"""Lucene's classic query parser: which clauses are required, optional or prohibited.

``a AND b OR c`` is no boolean expression: AND makes both of its sides required, OR leaves its sides as they are, so
this is ``+a +b c``, in which c decides nothing. With the default operator AND a clause is required unless OR stands
before or behind it. Of a query or group

- all required clauses hold, and no prohibited one,
- and of the optional ones at least one, unless there is a required one (more by `minimum_should_match`).

A group of prohibited clauses alone matches nothing: it has nothing to take away from.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple, NoReturn, Protocol

from watchword.errors import SubscriptionSyntaxError
from watchword.predicates.dialects.lucene.tokens import MOST_CHARACTERS, Token, tokens_of, unescaped
from watchword.predicates.dialects.searches.least import needed
from watchword.predicates.dialects.searches.ranges import End
from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.trees import NONE, Tree, at_least, every, opposite

DEEPEST = 30
"""How deep the parentheses of a query may be nested."""

MOST_CLAUSES = 16_384
"""How many clauses a query may have."""


_BEHIND_OTHERS = ("colon", "star", "tilde", "caret", "and", "or")
"""What stands behind a term that is read by itself."""

_BEGIN = ("term", "number", "sign", "star", "prefix", "wildcard", "quoted", "regex", "opens")
"""What a clause begins with."""


class Occur(Enum):
    """Whether a clause has to hold, may, or must not."""

    MUST = "+"
    SHOULD = ""
    MUST_NOT = "-"


class Clause(NamedTuple):
    """A condition, and whether it has to hold."""

    occur: Occur
    tree: Tree


class Conditions(Protocol):
    """What clauses ask of the fields; a field is None where a query names none. None asks nothing: it has no word."""

    requires: bool
    """Whether the default operator is AND."""

    def several(self, field: str | None, texts: list[str]) -> list[Tree]:
        """Return the clauses of terms that stand side by side, or of one that may be several words."""

    def phrase(self, field: str | None, text: str, slop: int | None) -> Tree | None: ...
    def similar(self, field: str | None, text: str, edits: str) -> Tree | None: ...
    def wildcard(self, field: str | None, written: str) -> Tree | None: ...
    def between(self, field: str | None, low: End | None, high: End | None) -> Tree | None: ...
    def weigh(self) -> None:
        """Refuse a weight, unless weights are dropped."""


def parse(query: str, conditions: Conditions, least: Any = None, pure_negative: bool = False) -> Tree:
    """Return the tree of a query; an error has its place in the query.

    `least` is the ``minimum_should_match`` of the whole query; with `pure_negative` a query of prohibited clauses alone
    matches all others, as in Elasticsearch.
    """
    if len(query) > MOST_CHARACTERS:
        reason = f"{len(query):,} characters are too many; {MOST_CHARACTERS:,} are read: split the query"
        raise SubscriptionSyntaxError(reason, text=query[:200], position=0)
    parser = _Parser(query, conditions)
    return combined(parser.whole(), least, pure_negative)


def combined(clauses: Sequence[Clause], least: Any = None, pure_negative: bool = False) -> Tree:
    """Return what some clauses ask for together; of no clause, `NONE`."""
    must = [one.tree for one in clauses if one.occur is Occur.MUST]
    must_not = [opposite(one.tree) for one in clauses if one.occur is Occur.MUST_NOT]
    should = [one.tree for one in clauses if one.occur is Occur.SHOULD]
    count = 0 if least is None else needed(least, len(should))
    if not must and not should and not (pure_negative and must_not):
        return NONE
    if not must and should:
        count = max(count, 1)
    return every([*must, at_least(count, should) if count else every([]), *must_not])


class _Parser:
    """Reads one query."""

    def __init__(self, query: str, conditions: Conditions) -> None:
        self._query, self._conditions = query, conditions
        self._tokens = list(tokens_of(query))
        self._at = self._count = 0

    def whole(self) -> list[Clause]:
        """Return the clauses of the whole query."""
        if self._kind() == "end":
            return []
        clauses = self._clauses(None, 0)
        if self._kind() != "end":
            self._fail("this parenthesis was never opened; write \\) for the sign")
        return clauses

    def _kind(self, ahead: int = 0) -> str:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)].kind

    def _take(self) -> Token:
        token = self._tokens[self._at]
        self._at += token.kind != "end"
        return token

    def _takes(self, *kinds: str) -> bool:
        """Pass over the next token if it is of one of these kinds."""
        found = self._kind() in kinds
        self._at += found
        return found

    def _fail(self, reason: str, token: Token | None = None) -> NoReturn:
        at = (token or self._tokens[self._at]).position
        raise SubscriptionSyntaxError(reason, text=self._query, position=at)

    def _clauses(self, field: str | None, depth: int) -> list[Clause]:
        """Return the clauses of a query or group; of a single one without a sign, those in it."""
        clauses: list[Clause] = []
        begins = self._at
        alone: list[Clause] = []
        while self._kind() not in ("end", "close"):
            first = self._at == begins
            if self._stands_beside():
                clauses += self._several(field)
                continue
            joined = self._take().kind if not first and self._kind() in ("and", "or") else ""
            sign = self._take().kind if self._kind() in ("plus", "minus", "not") else ""
            inner = self._clause(field, depth)
            self._add(clauses, joined, sign, combined(inner) if inner else None)
            alone = inner if first and not sign else alone
        return alone if alone and len(clauses) == 1 else clauses

    def _add(self, clauses: list[Clause], joined: str, sign: str, tree: Tree | None) -> None:
        """Add a clause as Lucene's `addClause` does: AND before it makes the clause before it required, too."""
        self._count += 1
        if self._count > MOST_CLAUSES:
            self._fail(f"more than {MOST_CLAUSES:,} clauses; split the query")
        requires = self._conditions.requires
        if clauses and clauses[-1].occur is not Occur.MUST_NOT and (joined == "and" or (joined == "or" and requires)):
            clauses[-1] = Clause(Occur.MUST if joined == "and" else Occur.SHOULD, clauses[-1].tree)
        if tree is None:
            return
        if sign in ("minus", "not"):
            clauses.append(Clause(Occur.MUST_NOT, tree))
        elif joined != "or" if requires else sign == "plus" or joined == "and":
            clauses.append(Clause(Occur.MUST, tree))
        else:
            clauses.append(Clause(Occur.SHOULD, tree))

    def _stands_beside(self) -> bool:
        """Return whether a term is followed by another, which is no field and has no sign behind it."""
        return (self._kind(), self._kind(1)) == ("term", "term") and self._kind(2) not in _BEHIND_OTHERS

    def _several(self, field: str | None) -> list[Clause]:
        """Return the clauses of terms that stand side by side."""
        start = self._tokens[self._at]
        texts = [unescaped(self._take().text)]
        while self._kind() == "term" and self._kind(1) not in _BEHIND_OTHERS:
            texts.append(unescaped(self._take().text))
        self._count += len(texts)
        try:
            return self._joined(field, texts)
        except Refused as reason:
            self._fail(str(reason), start)

    def _joined(self, field: str | None, texts: list[str]) -> list[Clause]:
        """Return the clauses of terms, under the default operator."""
        occur = Occur.MUST if self._conditions.requires else Occur.SHOULD
        return [Clause(occur, tree) for tree in self._conditions.several(field, texts)]

    def _clause(self, field: str | None, depth: int) -> list[Clause]:
        """Return the clauses that stand for one: those of a group, or of a term of several words."""
        if self._kind() in ("term", "star") and self._kind(1) == "colon":
            field = unescaped(self._take().text)
            self._take()
        if not self._takes("open"):
            return self._one(field)
        if depth == DEEPEST:
            self._fail(f"parentheses nested deeper than {DEEPEST}; write the query flatter")
        if self._kind() == "close":
            self._fail("there is nothing between these parentheses")
        clauses = self._clauses(field, depth + 1)
        if not self._takes("close"):
            self._fail("a parenthesis is never closed; add the closing )")
        self._weight()
        return clauses

    def _weight(self) -> None:
        """Pass over a weight, such as ``^2``."""
        token = self._tokens[self._at]
        if not self._takes("caret"):
            return
        if not self._takes("number"):
            self._fail("a number follows ^, such as ^2; write \\^ for the sign")
        try:
            self._conditions.weigh()
        except Refused as reason:
            self._fail(str(reason), token)

    def _one(self, field: str | None) -> list[Clause]:
        token = self._tokens[self._at]
        if token.kind not in _BEGIN:
            shown = repr(token.text) if token.text else "the end"
            self._fail(f"expected a term, a phrase, a range or a group, not {shown}; write a backslash before a sign")
        try:
            if token.kind in ("term", "number", "sign") and self._kind(1) not in ("tilde", "caret"):
                text = self._take().text
                found = self._joined(field, [text[:1] if token.kind == "sign" else unescaped(text)])
                return [Clause(Occur.MUST, found[0].tree)] if len(found) == 1 else found
            tree = self._range(field) if token.kind == "opens" else self._term(field)
        except Refused as reason:
            self._fail(str(reason), token)
        return [] if tree is None else [Clause(Occur.MUST, tree)]

    def _term(self, field: str | None) -> Tree | None:
        """Return a term or phrase with what follows it: a weight, edits or a slop."""
        token = self._take()
        self._weight()
        tilde = self._take().text[1:] if self._kind() == "tilde" else None
        if tilde is not None:
            self._weight()
        if token.kind == "regex":
            raise Refused("regular expressions are not there yet; say it with wildcards, or with words joined by OR")
        if token.kind in ("star", "prefix", "wildcard"):
            return self._conditions.wildcard(field, token.text)
        if token.kind == "quoted":
            return self._conditions.phrase(field, unescaped(token.text[1:-1]), _slop(tilde))
        text = token.text[:1] if token.kind == "sign" else unescaped(token.text)
        if tilde is not None:
            return self._conditions.similar(field, text, tilde)
        found = self._joined(field, [text])
        return combined(found) if found else None

    def _range(self, field: str | None) -> Tree | None:
        opens = self._take()
        low = self._end(opens.text == "[")
        if not self._takes("to"):
            self._fail("a range is written [1 TO 3], or {1 TO 3} without its ends; write TO between them")
        at = self._at
        self._end(True)
        if self._kind() != "closes":
            self._fail("a range is written [1 TO 3]: a ] or } follows its second end; put an end with spaces in quotes")
        included = self._take().text == "]"
        behind, self._at = self._at, at
        high = self._end(included)
        self._at = behind
        self._weight()
        return self._conditions.between(field, low, high)

    def _end(self, included: bool) -> End | None:
        """Return an end of a range, None for the star of an open one."""
        token = self._take()
        if token.kind not in ("end of range", "quoted end", "to"):
            self._fail("a range has two ends, such as [1 TO 3] or [1 TO *]", token)
        if token.kind == "quoted end":
            return End(unescaped(token.text[1:-1]), included)
        return None if token.text == "*" else End(unescaped(token.text), included)


def _slop(written: str | None) -> int | None:
    """Return the slop of a phrase; None where none is written."""
    if not written:
        return None
    try:
        return max(0, min(int(float(written)), 1 << 30))
    except (ValueError, OverflowError):
        return None
