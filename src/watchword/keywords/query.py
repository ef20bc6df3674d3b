"""The keyword language: text into clauses. This file has the tokens, NEAR and BEFORE; `words` has single words and
quotations, `sets.boolean` AND, OR, NOT, parentheses and ``2 OF (…)``.

An atom is a term, several adjacent terms in order (a phrase), a tuple of terms, or a check of where terms stand
(`proximity`). ``"debt crisis" OR bailout NOT imf`` has the clauses ``("debt", "crisis")`` and ``("bailout",) AND NOT
("imf",)``. A word without a term (punctuation, a stop word) asks nothing. Syntax of other tools is refused (`foreign`),
and so are `and`, `or` and `not` between words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from watchword.errors import SubscriptionSyntaxError
from watchword.keywords import foreign
from watchword.keywords.proximity import MOST_DISTANCE, Chain, Link, Words, guarded
from watchword.keywords.words import Atom, Refusal, read_word
from watchword.sets import boolean
from watchword.sets.boolean import OPERATORS, Or, Parser, Token, Tree
from watchword.sets.programs import Check
from watchword.text.analyzer import Analyzer
from watchword.text.families import is_family, written
from watchword.text.folding import Folding

Clause = boolean.Clause[Atom]

__all__ = [
    "Atom",
    "Clause",
    "Grammar",
    "Limits",
    "grammar_of",
    "may_be_plain",
    "parse",
    "plain_words",
    "show",
    "show_clause",
]


@dataclass(frozen=True)
class Limits(boolean.Limits):
    """The limits on the cost of one subscription. Each is an option of `KeywordIndex` under the name ``max_…``."""

    terms: int
    term_bytes: int
    plain: int = field(default=2, kw_only=True)
    """The least number of plain characters of a word with wildcards, the option ``min_plain``."""


@dataclass(frozen=True)
class Grammar:
    """How subscriptions are written under the options of an index, for languages that hold keywords."""

    analyzer: Analyzer
    limits: Limits
    literal_operators: bool = False

    def tree(self, text: str) -> boolean.Tree:
        """Return a subscription as a tree of atoms, not yet multiplied out."""
        return _Words(text, self.analyzer, self.limits, self.literal_operators).tree()

    def conjuncts(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of the parts of a subscription that AND joins."""
        return _Words(text, self.analyzer, self.limits, self.literal_operators).conjuncts()


def grammar_of(options: Mapping[str, Any]) -> Grammar:
    """Return the grammar under settled options."""
    analyzer = Analyzer(options["stop_words"], options["stemmer"], Folding(options["fold_accents"], options["cjk"]))
    limits = Limits(
        clauses=options["max_clauses"],
        work=options["max_work"],
        depth=options["max_depth"],
        terms=options["max_terms"],
        term_bytes=options["max_term_bytes"],
        plain=options["min_plain"],
    )
    return Grammar(analyzer, limits, options["literal_operators"])


def parse(text: Any, analyzer: Analyzer, limits: Limits, literal_operators: bool = False) -> list[Clause]:
    """Return the clauses of a subscription; none if it contradicts itself.

    With `literal_operators`, `and`, `or` and `not` in lower case are words like any other.
    """
    if not isinstance(text, str):
        raise SubscriptionSyntaxError(
            f"a keyword subscription is a str, not {type(text).__name__}", text=repr(text)[:200], position=0
        )
    words = plain_words(text, literal_operators) if analyzer.is_plain else None
    if words:
        _check_terms(words, text, 0, limits)
        _check_count(len(words), text, limits)
        return [boolean.Clause(tuple([(word,) for word in dict.fromkeys(words)]), ())]
    return _Words(text, analyzer, limits, literal_operators).clauses()


_BETWEEN = re.compile(r"(?<=\w) +AND +(?=\w)", re.ASCII)
_ODD = re.compile(r"[^A-Za-z0-9_ ]", re.ASCII)
_SPECIAL = OPERATORS | foreign.RESERVED
_SPECIAL_OR_LOWER = _SPECIAL | foreign.LOWER


def plain_words(text: str, literal_operators: bool) -> list[str] | None:
    """Return the terms of a text that is ASCII words between spaces or AND: the common case, without the parser.

    >>> plain_words("Greece AND crisis", False), plain_words("greece OR crisis", False)
    (['greece', 'crisis'], None)
    """
    if _ODD.search(text):
        return None
    words = text.split()
    special = _SPECIAL if literal_operators else _SPECIAL_OR_LOWER
    if not special.isdisjoint(words):
        words = _BETWEEN.sub(" ", text).split()
        if not special.isdisjoint(words):
            return None
    return [word.lower() for word in words]


def may_be_plain(text: Any) -> bool:
    """Return whether `plain_words` may return the words of a text, by a quick test.

    >>> may_be_plain("Greece AND crisis"), may_be_plain("greece OR crisis"), may_be_plain('"debt crisis"')
    (True, False, False)
    """
    return type(text) is str and " OR " not in text and " NOT " not in text and not _ODD.search(text)


_QUOTE = f"[{foreign.QUOTES}]"
_TOKENS = re.compile(
    rf"(?P<space>\s+)|(?P<open>\()|(?P<close>\))"
    rf"|(?P<phrase>\^?{_QUOTE}[^{_QUOTE[1:-1]}]*{_QUOTE}(?:~[0-9]+)?\$?)"
    rf"|(?P<of>[0-9]{{1,6}}\s+OF(?=\s*\())|(?P<near>(?:NEAR|BEFORE)/[0-9]+(?=[\s({_QUOTE[1:-1]}]|$))"
    rf"|(?P<word>[^\s(){_QUOTE[1:-1]}]+)"
)
_OPERAND = re.compile(
    rf"\s*(?:NOT(?=[\s({_QUOTE[1:-1]}])\s*|-)*+(?!(?:AND|OR|NOT)(?:[\s(){_QUOTE[1:-1]}]|$))(?:\(|{_QUOTE}|[^\s()]*\w)"
)
"""The tokens that an operator can join, with the negations before them."""

_COUNT = re.compile(r"(?:^|[\s(,])[0-9]+\s+$")

_WORD_CHARACTER = re.compile(r"\w")


class _Words(Parser[Atom]):
    """Words and phrases as atoms."""

    def __init__(self, text: str, analyzer: Analyzer, limits: Limits, literal_operators: bool) -> None:
        self._analyzer, self._limits = analyzer, limits
        self._literal = literal_operators
        self._before = ""  # the kind of the piece before, but for punctuation
        self._terms = 0
        super().__init__(text, limits)

    def tokens(self) -> Iterator[Token]:
        """Yield words, phrases, parentheses and operators, and the commas between the parts of a count."""
        text, at = self.text, 0
        counts: list[bool] = []  # of each parenthesis that is open, whether parts of a count are in it
        while at < len(text):
            found = _TOKENS.match(text, at)
            if found is None:
                raise SubscriptionSyntaxError('this quote is never closed; add the closing "', text=text, position=at)
            kind, piece = str(found.lastgroup), found.group()
            end = found.end()
            if kind == "word" and counts and counts[-1] and "," in piece:
                end = at + (piece.index(",") or 1)
                kind, piece = "comma" if piece[0] == "," else "word", text[at:end]
            if piece in OPERATORS:
                kind = piece
            elif kind == "word" and piece[0] == "-" and (piece.strip("-") or _opens(text, end)):
                kind, piece, end = "NOT", "-", at + 1
            elif kind == "word":
                self._refuse_foreign(piece, at, end)
            if kind == "open":
                counts.append(self._before == "of")
            elif kind == "close" and counts:
                counts.pop()
            if kind != "space":
                if kind != "word" or _WORD_CHARACTER.search(piece):
                    self._before = kind
                yield Token(kind, piece, at)
            at = end
        yield Token("end", "", len(text))

    def _refuse_foreign(self, word: str, at: int, end: int) -> None:
        """Refuse syntax of other tools, and what looks like an operator in lower case."""
        fault = foreign.fault(self.text, at, end)
        if fault is None and word in foreign.LOWER and self._is_between(word, end):
            fault = at, foreign.lower_case(word)
        if fault is None and word == "of" and not self._literal and _COUNT.search(self.text, 0, at):
            fault = (at, foreign.LOWER_COUNT) if self.text[end:].lstrip().startswith("(") else None
        if fault is None and word == "OF" and _COUNT.search(self.text, 0, at):
            fault = at, foreign.NO_PARTS
        if fault is not None:
            raise SubscriptionSyntaxError(fault[1], text=self.text, position=fault[0])

    def _is_between(self, word: str, end: int) -> bool:
        """Return whether `and`, `or` or `not` stands where the operator would: not at either end, and for `and` and
        `or`, behind what they could join. An `and` that is a stop word asks nothing, and so joins, as AND does."""
        if self._literal or (word == "and" and word in self._analyzer.stop_words):
            return False
        joins = self._before in ("word", "phrase", "close") or (word == "not" and self._before != "")
        return joins and _OPERAND.match(self.text, end) is not None

    def operand(self, depth: int, token: Token) -> Tree | None:
        """Return a group or an atom, or parts that NEAR and BEFORE link."""
        part = super().operand(depth, token)
        if self._token.kind != "near":
            return part
        parts, links = [(part, token)], []
        while self._token.kind == "near":
            operator = self.advance()
            links.append(self._link(operator))
            right = self._token
            if right.kind in ("AND", "OR", "NOT", "near", "of", "close", "comma", "end"):
                raise self.error(f"{operator.text} needs a word, a phrase or a parenthesis on its right", operator)
            first = self.advance()
            parts.append((super().operand(depth, first), first))
        kept = [(self._alternatives_of(*one), number) for number, one in enumerate(parts) if one[0] is not None]
        if len(kept) < 2:
            return next((one for one, _ in parts if one is not None), None)
        return guarded(Chain(tuple(part for part, _ in kept), tuple(links[number - 1] for _, number in kept[1:])))

    def _link(self, operator: Token) -> Link:
        word, distance = operator.text.split("/")
        if not 1 <= int(distance[:9]) <= MOST_DISTANCE:
            raise self.error(f"the distance of {word} is 1, side by side, to {MOST_DISTANCE}", operator)
        return Link(int(distance), word == "BEFORE")

    def _alternatives_of(self, part: Tree, token: Token) -> tuple[Words, ...]:
        """Return a part of a chain, which is a word, a phrase, or several of these joined by OR."""
        if type(part) is tuple:
            return (Words(part),)
        if isinstance(part, Chain) and not part.links:
            return part.parts[0]
        if isinstance(part, Or):
            return tuple(dict.fromkeys(words for one in part.parts for words in self._alternatives_of(one, token)))
        raise self.error("NEAR and BEFORE stand between words and phrases, or several of these joined by OR", token)

    def atom(self, token: Token) -> Atom | None:
        """Return what a word or a quotation asks for."""
        try:
            atom = read_word(token.text, self._analyzer, self._limits.plain)
        except Refusal as refusal:
            raise refusal.error(self.text, token.position) from None
        if atom is None:
            return None
        terms = list(atom.every_name if isinstance(atom, Check) else atom)
        if len(terms) == 1 and self._analyzer.folding.is_half_a_pair(terms[0]):
            raise self.error(
                'with cjk="bigrams" one character is found only where no other stands beside it; write at least two',
                token,
            )
        self._terms += len(terms)
        _check_terms(terms, self.text, token.position, self._limits)
        _check_count(self._terms, self.text, self._limits)
        return atom


def _opens(text: str, at: int) -> bool:
    """Return whether a parenthesis or a quotation begins here."""
    return at < len(text) and text[at] in "(" + foreign.QUOTES


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
    if isinstance(atom, Check):
        return str(atom)
    if len(atom) > 1:
        return f'"{" ".join(atom)}"'
    return written(atom[0]) if is_family(atom[0]) else atom[0]


def show_clause(clause: Clause) -> str:
    """Return a clause as a user would write it."""
    return clause.show(show)
