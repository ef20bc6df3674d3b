"""The keyword language: text into clauses. What is about words is here; `sets.boolean` has AND, OR, NOT and
parentheses.

An atom is a term, or several adjacent terms in order (a phrase): a tuple of terms. ``"debt crisis" OR bailout NOT imf``
has the clauses ``("debt", "crisis")`` and ``("bailout",) AND NOT ("imf",)``. A word without a term (punctuation, a stop
word) asks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from watchword.errors import SubscriptionSyntaxError
from watchword.sets import boolean
from watchword.sets.boolean import OPERATORS, Parser, Token
from watchword.text.analyzer import Analyzer

Atom = tuple[str, ...]
Clause = boolean.Clause[Atom]


@dataclass(frozen=True)
class Limits(boolean.Limits):
    """What one subscription may cost. Each is an option of `KeywordIndex` under the name ``max_…``."""

    terms: int
    term_bytes: int


def parse(text: Any, analyzer: Analyzer, limits: Limits) -> list[Clause]:
    """Return the clauses of a subscription; none if it contradicts itself."""
    if not isinstance(text, str):
        raise SubscriptionSyntaxError(
            f"a keyword subscription is a str, not {type(text).__name__}", text=repr(text)[:200], position=0
        )
    words = plain_words(text) if analyzer.is_plain else None
    if words:
        _check_terms(words, text, 0, limits)
        _check_count(len(words), text, limits)
        return [boolean.Clause(tuple([(word,) for word in dict.fromkeys(words)]), ())]
    return _Words(text, analyzer, limits).clauses()


_BETWEEN = re.compile(r"(?<=\w) +AND +(?=\w)", re.ASCII)
_ODD = re.compile(r"[^A-Za-z0-9_ ]", re.ASCII)


def plain_words(text: str) -> list[str] | None:
    """Return the terms of a text that is ASCII words between spaces or AND: the common case, without the parser.

    >>> plain_words("Greece AND crisis"), plain_words("greece OR crisis")
    (['greece', 'crisis'], None)
    """
    if _ODD.search(text):
        return None
    words = text.split()
    if not OPERATORS.isdisjoint(words):
        words = _BETWEEN.sub(" ", text).split()
        if not OPERATORS.isdisjoint(words):
            return None
    return [word.lower() for word in words]


_TOKENS = re.compile(r'(?P<space>\s+)|(?P<open>\()|(?P<close>\))|(?P<phrase>"[^"]*")|(?P<word>[^\s()"]+)')


class _Words(Parser[Atom]):
    """Words and phrases as atoms."""

    def __init__(self, text: str, analyzer: Analyzer, limits: Limits) -> None:
        self._analyzer, self._limits = analyzer, limits
        self._terms = 0
        super().__init__(text, limits)

    def tokens(self) -> Iterator[Token]:
        """Yield words, phrases, parentheses and operators."""
        text, at = self.text, 0
        while at < len(text):
            found = _TOKENS.match(text, at)
            if found is None:
                raise SubscriptionSyntaxError('this quote is never closed; add the closing "', text=text, position=at)
            kind, piece = str(found.lastgroup), found.group()
            end = found.end()
            if piece in OPERATORS:
                kind = piece
            elif kind == "word" and piece[0] == "-" and (piece.strip("-") or text[end : end + 1] in ("(", '"')):
                kind, piece, end = "NOT", "-", at + 1
            if kind != "space":
                yield Token(kind, piece, at)
            at = end
        yield Token("end", "", len(text))

    def atom(self, token: Token) -> Atom | None:
        """Return the terms of a word or phrase."""
        terms = self._analyzer.terms(token.text)
        self._terms += len(terms)
        _check_terms(terms, self.text, token.position, self._limits)
        _check_count(self._terms, self.text, self._limits)
        return tuple(terms) or None


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


def show_clause(clause: Clause) -> str:
    """Return a clause as a user would write it."""
    words = [show(atom) for atom in clause.required] + [f"NOT {show(atom)}" for atom in clause.forbidden]
    return " AND ".join(words)
