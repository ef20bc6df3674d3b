"""The keyword language: text into clauses.

    query   := and (OR and)*
    and     := not ((AND)? not)*
    not     := (NOT | -) not | "(" query ")" | phrase | word

A *clause* is a conjunction of atoms, some of them negated; an atom is a term, or several adjacent terms in
order (a phrase). A query is a disjunction of clauses (DNF), of which one must hold. A word without a term
(punctuation, a stop word) is dropped with its operator: whatever asks nothing is as if it were not there.

Depth, terms, and the clauses that OR and NOT multiply into are limited (`Limits`), and the limits are checked
as the text is read, so a hostile text costs no more than a long one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from watchword.errors import OptionError, SubscriptionSyntaxError
from watchword.text.analyzer import Analyzer

Atom = tuple[str, ...]


@dataclass(frozen=True)
class Limits:
    """What one subscription may cost. Each is an option of `KeywordIndex` under the name ``max_…``."""

    clauses: int = 256
    terms: int = 1024
    term_bytes: int = 1024
    depth: int = 64

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise OptionError(f"max_{name} must be a positive integer, not {value!r}")
        for name, most in (("terms", 32767), ("depth", 100)):
            if getattr(self, name) > most:
                raise OptionError(f"max_{name} may be at most {most}, not {getattr(self, name)}")


class Clause(NamedTuple):
    """Atoms that must hold and atoms that must not, each in the order of the text."""

    required: tuple[Atom, ...]
    forbidden: tuple[Atom, ...]

    def terms(self) -> list[str]:
        """Return the distinct terms that an event must have, phrases' terms among them."""
        return list(dict.fromkeys(term for atom in self.required for term in atom))

    @property
    def is_plain(self) -> bool:
        """Say whether the clause asks for terms and nothing else."""
        return not self.forbidden and all(len(atom) == 1 for atom in self.required)

    def __str__(self) -> str:
        words = [show(atom) for atom in self.required] + [f"NOT {show(atom)}" for atom in self.forbidden]
        return " AND ".join(words)


def parse(text: str, analyzer: Analyzer, limits: Limits) -> list[Clause]:
    """Return the clauses of a subscription; none if it contradicts itself."""
    if not isinstance(text, str):
        raise SubscriptionSyntaxError(
            f"a keyword subscription is a str, not {type(text).__name__}", text=repr(text)[:200], position=0
        )
    words = _plain_words(text)
    if words is not None and analyzer.is_plain:
        _check_terms(words, text, 0, limits)
        _check_count(len(words), text, limits)
        return [Clause(tuple((word,) for word in dict.fromkeys(words)), ())]
    tree = _Parser(text, analyzer, limits).tree()
    if tree is None:
        raise SubscriptionSyntaxError(
            "nothing to match in this subscription; give it at least one term", text=text, position=0
        )
    drafts = _without_covered(_dnf(tree, False, text, limits.clauses))
    return [Clause(tuple(required), tuple(forbidden)) for required, forbidden in drafts]


_PLAIN = re.compile(r"[A-Za-z0-9_ ]*[A-Za-z0-9_][A-Za-z0-9_ ]*")
_OPERATORS = {"AND", "OR", "NOT"}


def _plain_words(text: str) -> list[str] | None:
    """Return the words of a text that has nothing but ASCII words: the common case, without the parser."""
    if not _PLAIN.fullmatch(text):
        return None
    words = text.split()
    if not _OPERATORS.isdisjoint(words):
        return None
    return text.lower().split()


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


_TOKENS = re.compile(r'(?P<space>\s+)|(?P<open>\()|(?P<close>\))|(?P<phrase>"[^"]*")|(?P<word>[^\s()"]+)')


def _tokens(text: str) -> Iterator[_Token]:
    """Yield the words, phrases, parentheses and operators of `text`, and an end."""
    at = 0
    while at < len(text):
        found = _TOKENS.match(text, at)
        if found is None:
            raise SubscriptionSyntaxError('this quote is never closed; add the closing "', text=text, position=at)
        kind, piece = str(found.lastgroup), found.group()
        end = found.end()
        if piece in _OPERATORS:
            kind = piece
        elif kind == "word" and piece[0] == "-" and (piece.strip("-") or text[end : end + 1] in ("(", '"')):
            kind, piece, end = "NOT", "-", at + 1
        if kind != "space":
            yield _Token(kind, piece, at)
        at = end
    yield _Token("end", "", len(text))


# A query as a tree: an atom, or an operator over trees. A part that asks nothing is None.
class _Not(NamedTuple):
    part: _Tree


class _And(NamedTuple):
    parts: list[_Tree]


class _Or(NamedTuple):
    parts: list[_Tree]


_Tree = Atom | _Not | _And | _Or


class _Parser:
    """Recursive descent; every level of parentheses and every NOT counts towards the depth."""

    def __init__(self, text: str, analyzer: Analyzer, limits: Limits) -> None:
        self.text, self.analyzer, self.limits = text, analyzer, limits
        self.tokens = _tokens(text)
        self.token = next(self.tokens)
        self.terms = 0

    def tree(self) -> _Tree | None:
        """Return the whole query."""
        if self.token.kind == "end":
            return None
        tree = self.alternatives(0)
        if self.token.kind == "close":
            raise self.error("this parenthesis was never opened", self.token)
        return tree

    def alternatives(self, depth: int) -> _Tree | None:
        parts = [self.conjunction(depth, None)]
        while self.token.kind == "OR":
            parts.append(self.conjunction(depth, self.advance()))
        return _joined(_Or, parts)

    def conjunction(self, depth: int, operator: _Token | None) -> _Tree | None:
        parts = [self.factor(depth, operator)]
        while self.token.kind not in ("OR", "close", "end"):
            parts.append(self.factor(depth, self.advance() if self.token.kind == "AND" else None))
        return _joined(_And, parts)

    def factor(self, depth: int, operator: _Token | None) -> _Tree | None:
        negated = False
        while self.token.kind == "NOT":
            operator = self.advance()
            negated = not negated
            depth = self.deeper(depth, operator)
        token = self.token
        if token.kind in ("AND", "OR"):
            raise self.error(f"{token.text} needs a term on its left", token)
        if token.kind in ("close", "end"):
            if operator is not None:
                raise self.error(f"{operator.text} needs a term on its right", operator)
            raise self.error("this parenthesis has nothing to close", token)
        self.advance()
        part = self.group(depth, token) if token.kind == "open" else self.atom(token)
        return _Not(part) if negated and part is not None else part

    def group(self, depth: int, opened: _Token) -> _Tree | None:
        depth = self.deeper(depth, opened)
        if self.token.kind == "close":
            raise self.error("there is nothing between these parentheses", opened)
        if self.token.kind == "end":
            raise self.error("this parenthesis is never closed; add the closing )", opened)
        part = self.alternatives(depth)
        if self.token.kind != "close":
            raise self.error("this parenthesis is never closed; add the closing )", opened)
        self.advance()
        return part

    def atom(self, token: _Token) -> Atom | None:
        terms = self.analyzer.terms(token.text)
        self.terms += len(terms)
        _check_terms(terms, self.text, token.position, self.limits)
        _check_count(self.terms, self.text, self.limits)
        return tuple(terms) or None

    def advance(self) -> _Token:
        token = self.token
        self.token = next(self.tokens, token)
        return token

    def deeper(self, depth: int, token: _Token) -> int:
        if depth == self.limits.depth:
            raise self.error(f"nested more than max_depth={self.limits.depth} deep", token)
        return depth + 1

    def error(self, message: str, token: _Token) -> SubscriptionSyntaxError:
        return SubscriptionSyntaxError(message, text=self.text, position=token.position)


def _joined(operator: type[_And] | type[_Or], parts: list[_Tree | None]) -> _Tree | None:
    kept = [part for part in parts if part is not None]
    return operator(kept) if len(kept) > 1 else (kept[0] if kept else None)


# A clause under construction: required and forbidden atoms, as dicts for their order.
_Draft = tuple[dict[Atom, None], dict[Atom, None]]


def _dnf(tree: _Tree, negated: bool, text: str, limit: int) -> list[_Draft]:
    """Return the clauses of `tree`, or of its negation (De Morgan), contradictions left out."""
    if isinstance(tree, _Not):
        return _dnf(tree.part, not negated, text, limit)
    if isinstance(tree, _And | _Or):
        parts = [_dnf(part, negated, text, limit) for part in tree.parts]
        if isinstance(tree, _And) == negated:
            return _bounded((draft for part in parts for draft in part), text, limit)
        product = parts[0]
        for part in parts[1:]:
            merged = (_merged(left, right) for left in product for right in part)
            product = _bounded((draft for draft in merged if draft is not None), text, limit)
        return product
    return [({}, {tree: None})] if negated else [({tree: None}, {})]


def _merged(left: _Draft, right: _Draft) -> _Draft | None:
    required, forbidden = left[0] | right[0], left[1] | right[1]
    return None if required.keys() & forbidden.keys() else (required, forbidden)


def _bounded(drafts: Iterable[_Draft], text: str, limit: int) -> list[_Draft]:
    """Return the distinct drafts; more than `limit` of them are refused."""
    found: dict[tuple[frozenset[Atom], frozenset[Atom]], _Draft] = {}
    for draft in drafts:
        found.setdefault((frozenset(draft[0]), frozenset(draft[1])), draft)
        if len(found) > limit:
            raise SubscriptionSyntaxError(
                f"its OR and NOT multiply into more than max_clauses={limit} clauses; "
                "split the subscription, or raise the limit",
                text=text,
                position=0,
            )
    return list(found.values())


def _without_covered(drafts: list[_Draft]) -> list[_Draft]:
    """Drop a draft that asks all of another's and more: it can decide nothing."""
    return [
        draft
        for draft in drafts
        if not any(
            other is not draft and other[0].keys() <= draft[0].keys() and other[1].keys() <= draft[1].keys()
            for other in drafts
        )
    ]


def _check_terms(terms: list[str], text: str, position: int, limits: Limits) -> None:
    for term in terms:
        if 4 * len(term) > limits.term_bytes and len(term.encode()) > limits.term_bytes:
            raise SubscriptionSyntaxError(
                f"a term of more than max_term_bytes={limits.term_bytes} bytes", text=text, position=position
            )


def _check_count(count: int, text: str, limits: Limits) -> None:
    if count > limits.terms:
        raise SubscriptionSyntaxError(f"more than max_terms={limits.terms} terms", text=text, position=0)


def show(atom: Atom) -> str:
    """Return an atom as a user would write it."""
    return atom[0] if len(atom) == 1 else f'"{" ".join(atom)}"'
