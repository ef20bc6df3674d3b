"""The pieces of a predicate: tokens, attributes, literals. `query` puts them together.

``quote.value >= 2.5e3`` has the pieces ``quote . value``, which are an attribute, ``>=``, and a number; ``'it''s'`` is
a text with a quote in it, and ``'2026-11-16'`` an instant that remembers how it was written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from watchword import visible
from watchword.errors import SubscriptionSyntaxError
from watchword.predicates.predicate import RESERVED, Path, Predicate
from watchword.predicates.values import BOOLEAN, INSTANT, NUMBER, TEXT, Key, instant_of_text
from watchword.sets import boolean
from watchword.sets.boolean import Parser, Token

__all__ = ["REMEDIES", "Instant", "Limits", "Pieces", "as_text", "shown", "text_of"]


@dataclass(frozen=True)
class Limits(boolean.Limits):
    """What one subscription may cost. Each is an option of `PredicateIndex` under the name ``max_…``."""

    predicates: int
    literal: int


_TOKENS = re.compile(
    r"""(?P<space>\s+)
      | (?P<open>\() | (?P<close>\)) | (?P<comma>,) | (?P<dot>\.(?![0-9]))
      | (?P<of>[0-9]+\s+(?i:OF)(?=\s*\())
      | (?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.]))
      | (?P<text>'(?:[^']|'')*')
      | (?P<quoted>"(?:[^"]|"")*")
      | (?P<word>[^\W\d]\w*)
      | (?P<sign><>|!=|<=|>=|==|&&|\|\||=~|[=<>!])""",
    re.VERBOSE,
)

REMEDIES = {
    "==": "= compares; write one =",
    "&&": "write AND",
    "||": "write OR",
    "!": "write NOT",
    "=~": "regular expressions are not supported; STARTS WITH and ENDS WITH are",
}


class Pieces(Parser[Predicate]):
    """Reads the pieces of predicates: attributes, numbers, texts, words."""

    atom_name = "predicate"
    implicit_and = False

    def __init__(self, text: str, limits: Limits) -> None:
        self._limits = limits
        self._named = Token("end", "", 0)
        """The first token of the attribute whose predicate is being read."""
        super().__init__(text, limits)

    def tokens(self) -> Iterator[Token]:
        """Yield names, literals, signs and parentheses."""
        text, at = self.text, 0
        while at < len(text):
            found = _TOKENS.match(text, at)
            if found is None:
                raise SubscriptionSyntaxError(_unreadable(text, at), text=text, position=at)
            kind, piece = str(found.lastgroup), found.group()
            if kind == "word" and piece.upper() in boolean.OPERATORS:
                kind = piece.upper()
            if kind != "space":
                yield Token(kind, piece, at)
            at = found.end()
        yield Token("end", "", len(text))

    @property
    def token(self) -> Token:
        """The next token, which `advance` passes over."""
        return self._token

    # attributes

    def _attribute(self, token: Token) -> Path:
        self._named = token
        names = [self._name(token)]
        while self._token.kind == "dot":
            self.advance()
            names.append(self._name(self.advance()))
        return tuple(names)

    def _name(self, token: Token) -> str:
        if token.kind == "quoted":
            return token.text[1:-1].replace('""', '"')
        if token.kind == "text":
            raise self.error("expected an attribute; its name stands in double quotes, a text in single ones", token)
        if token.kind != "word":
            raise self.error(f"expected an attribute, not {shown(token)}", token)
        if token.text.upper() in RESERVED:
            raise self.error(f'expected an attribute; one named {token.text} is written "{token.text}"', token)
        return token.text

    # literals

    def read_literal(self) -> Key:
        """Pass over a number, a text, TRUE or FALSE, and return its key."""
        token = self.advance()
        word = token.text.upper()
        if token.kind == "number":
            return self._number(token)
        if token.kind == "text":
            text = self._checked(token)
            instant = instant_of_text(text)
            return (TEXT, text) if instant is None else Instant((INSTANT, instant), text)
        if token.kind == "word" and word in ("TRUE", "FALSE"):
            return (BOOLEAN, word == "TRUE")
        if word == "NULL":
            raise self.error("null is no value; write IS MISSING after the attribute", token)
        if token.kind in ("word", "quoted"):
            raise self.error("expected a number, TRUE, FALSE or a text in single quotes", token)
        raise self.error(f"expected a literal, not {shown(token)}", token)

    def _number(self, token: Token) -> Key:
        if len(token.text) > 4000:
            raise self.error("a number of more than 4,000 digits", token)
        if token.text.lstrip("+-").isdigit():
            return (NUMBER, int(token.text))
        value = float(token.text)
        if not math.isfinite(value):
            raise self.error("this number is beyond the range of a double; write it as an integer", token)
        return (NUMBER, int(value)) if value.is_integer() else (NUMBER, value)

    def read_text(self, owner: str) -> str:
        """Pass over a text in single quotes, and return it; `owner` is the operator, for the error."""
        token = self.advance()
        if token.kind != "text":
            raise self.error(f"expected a text in single quotes after {owner}, not {shown(token)}", token)
        return self._checked(token)

    def _checked(self, token: Token) -> str:
        if len(token.text) > self._limits.literal:
            raise self.error(f"a text of more than max_literal={self._limits.literal} characters", token)
        return text_of(token)

    def _ignoring_case(self, keys: list[Key], at: Token) -> bool:
        if not self.is_word("IGNORING"):
            return False
        self.advance()
        self.expect("CASE", "IGNORING CASE")
        if any(key[0] not in (TEXT, INSTANT) for key in keys):
            raise self.error("IGNORING CASE compares texts; put them into single quotes", at)
        return True

    def is_word(self, word: str) -> bool:
        """Say whether the next token is a word, given in capitals."""
        return self._token.kind == "word" and self._token.text.upper() == word

    def expect(self, word: str, whole: str) -> None:
        """Pass over a word; `whole` is what it belongs to, for the error."""
        if not self.is_word(word):
            raise self.error(f"expected {whole}, not {shown(self._token)}", self._token)
        self.advance()


class Instant(tuple[int, Any]):
    """The key of an instant that remembers how it was written."""

    text: str

    def __new__(cls, key: Key, text: str) -> Instant:
        """Return the key, with its text."""
        made = super().__new__(cls, key)
        made.text = text
        return made


def as_text(key: Key) -> Key:
    """Return the key of a text as it was written, also where it is an instant."""
    return (TEXT, key.text) if isinstance(key, Instant) else key


def text_of(token: Token) -> str:
    """Return the text between single quotes."""
    return token.text[1:-1].replace("''", "'")


def shown(token: Token) -> str:
    """Return a piece as errors name it."""
    return "the end" if token.kind == "end" else visible.shown(token.text)


def _unreadable(text: str, at: int) -> str:
    if text[at] in "'\"":
        return f"this quote is never closed; add the closing {text[at]}"
    if text[at] in "+-.0123456789":
        return "expected a number, such as -1 or 2.5e3; a name that holds such characters stands in double quotes"
    if text[at].isdigit():
        return f"{text[at]!r} is no digit of a number here; write 0 to 9, and a text in single quotes"
    return f"{text[at]!r} means nothing here; a name that holds it stands in double quotes"
