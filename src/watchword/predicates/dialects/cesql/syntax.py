"""The grammar of CESQL: an expression in, a tree of nodes out, each with its place.

>>> parse("NOT (hop < 5) AND type LIKE 'a%'").operator
'AND'
>>> parse("2 + 3 * hop")
Binary(at=2, operator='+', left=Literal(at=0, value=2), right=Binary(at=6, operator='*', left=Literal(at=4, value=3), \
right=Attribute(at=8, name='hop')))

Precedence is that of section 3.6 of the specification: functions, NOT and minus, LIKE, EXISTS, IN, ``* / %``, ``+ -``,
comparisons, and AND, OR, XOR together. So ``NOT a = 'x'`` is ``(NOT a) = 'x'``. Of AND, OR and XOR side by side the
specification says that they are read from left to right; the grammar that the libraries in Go and Java are made from
reads them from right to left. A mixture without parentheses is refused, for it has two meanings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from watchword.errors import SubscriptionSyntaxError

MAX_CHARACTERS = 65_536
"""Characters of an expression."""

DEEPEST = 64
"""Depth of an expression, in parentheses, NOT, minus and functions."""

LEAST, MOST = -(2**31), 2**31 - 1
"""The integers of CESQL."""

_TOKEN = re.compile(
    r"""[ \t\r\n]+
      | (?P<text>'(?:\\.|[^'\\])*' | "(?:\\.|[^"\\])*")
      | (?P<word>[A-Za-z0-9_]+)
      | (?P<sign><>|!=|<=|>=|[=<>()+\-*/%,])""",
    re.VERBOSE | re.DOTALL,
)
_NAME = re.compile(r"[a-z0-9]+")
_FUNCTION = re.compile(r"[A-Za-z][A-Za-z_]*")
_COMPARISONS = ("=", "!=", "<>", ">=", "<=", ">", "<")
_LOGIC = ("AND", "OR", "XOR")
_WORDS = frozenset({*_LOGIC, "NOT", "LIKE", "EXISTS", "IN", "TRUE", "FALSE"})
_FOREIGN = {"==": "write =", "&&": "write AND", "||": "write OR", "!": "write NOT", "=~": "write LIKE"}

Value = str | int | bool


@dataclass(frozen=True)
class Node:
    """A part of an expression, which begins at a character, or whose operator does."""

    at: int


@dataclass(frozen=True)
class Literal(Node):
    """A text, an integer or a boolean."""

    value: Value


@dataclass(frozen=True)
class Attribute(Node):
    """A context attribute."""

    name: str


@dataclass(frozen=True)
class Exists(Node):
    """``EXISTS name``."""

    name: str


@dataclass(frozen=True)
class Unary(Node):
    """NOT or minus."""

    operator: str
    operand: Node


@dataclass(frozen=True)
class Binary(Node):
    """A comparison, or arithmetic."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Logic(Node):
    """Two or more parts between which the same of AND, OR and XOR stands."""

    operator: str
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Like(Node):
    """``operand LIKE 'pattern'``."""

    operand: Node
    pattern: str


@dataclass(frozen=True)
class In(Node):
    """``operand IN (members)``."""

    operand: Node
    members: tuple[Node, ...]


@dataclass(frozen=True)
class Call(Node):
    """A function, its name in capitals, with its arguments."""

    name: str
    arguments: tuple[Node, ...]


class Token(NamedTuple):
    """A piece: its kind ("text", "word", "sign", "end"), and a word in capitals as `word`."""

    kind: str
    text: str
    at: int

    @property
    def word(self) -> str:
        """Return a word or a sign in capitals, "" for a text."""
        return "" if self.kind == "text" else self.text.upper()


def parse(text: str) -> Node:
    """Return the tree of an expression; a `SubscriptionSyntaxError` has the place of the error."""
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        if len(text) > MAX_CHARACTERS:
            self._fail(f"an expression has at most {MAX_CHARACTERS:,} characters, not {len(text):,}", 0)
        self._tokens = list(self._cut())
        self._next = 0
        self._depth = 0

    def whole(self) -> Node:
        node = self._logic()
        if self._token.kind != "end":
            self._fail(f"expected an operator or the end, not {self._token.text!r}", self._token.at)
        return node

    # pieces

    def _cut(self) -> list[Token]:
        tokens, at = [], 0
        while at < len(self._text):
            found = _TOKEN.match(self._text, at)
            if found is None or self._text.startswith(("==", "=~"), at):
                self._fail(_unreadable(self._text, at), at)
            if found.lastgroup is not None:
                tokens.append(Token(found.lastgroup, found.group(), at))
            at = found.end()
        return [*tokens, Token("end", "", at)]

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _advance(self) -> Token:
        token = self._token
        self._next += 1
        return token

    def _takes(self, *words: str) -> Token | None:
        return self._advance() if self._token.word in words else None

    def _expect(self, sign: str, why: str) -> None:
        if not self._takes(sign):
            self._fail(why, self._token.at)

    def _fail(self, message: str, at: int) -> NoReturn:
        raise SubscriptionSyntaxError(message, text=self._text, position=at)

    # levels, from the loosest to the tightest

    def _logic(self) -> Node:
        parts = [self._level(0)]
        operator: Token | None = None
        while found := self._takes(*_LOGIC):
            if operator is not None and operator.word != found.word:
                self._fail(
                    f"{operator.word} and {found.word} side by side have two meanings: CESQL's specification reads "
                    "them from left to right, its libraries from right to left; write parentheses",
                    found.at,
                )
            operator = operator or found
            parts.append(self._level(0))
        return Logic(operator.at, operator.word, tuple(parts)) if operator is not None else parts[0]

    def _level(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._behind(self._unary())
        node = self._level(level + 1)
        while found := self._takes(*_LEVELS[level]):
            operator = "!=" if found.text == "<>" else found.text
            node = Binary(found.at, operator, node, self._level(level + 1))
        return node

    def _behind(self, node: Node) -> Node:
        """Return a node with the LIKE and IN that stand behind it."""
        while True:
            negated = self._token.word == "NOT" and self._tokens[self._next + 1].word in ("LIKE", "IN")
            at = self._advance().at if negated else self._token.at
            if self._takes("LIKE"):
                node = Like(at, node, self._pattern())
            elif self._takes("IN"):
                node = In(at, node, self._members("IN"))
            else:
                return node
            node = Unary(at, "NOT", node) if negated else node

    def _unary(self) -> Node:
        token = self._advance()
        if token.word == "NOT" or (token.text == "-" and not self._is_number(token)):
            return Unary(token.at, token.word, self._deeper(self._unary, token))
        if token.text in ("-", "+") and self._is_number(token):
            return self._integer(token, token.text + self._advance().text)
        if token.text == "(" and token.kind == "sign":
            node = self._deeper(self._logic, token)
            self._expect(")", "this parenthesis is not closed here; a ) is missing")
            return node
        if token.word == "EXISTS":
            return Exists(token.at, self._name(self._advance(), "EXISTS wants the name of an attribute"))
        return self._leaf(token)

    def _deeper(self, read: Callable[[], Node], token: Token) -> Node:
        if self._depth == DEEPEST:
            self._fail(f"nested deeper than {DEEPEST} levels", token.at)
        self._depth += 1
        found = read()
        self._depth -= 1
        return found

    # leaves

    def _leaf(self, token: Token) -> Node:
        if token.kind == "text":
            return Literal(token.at, self._string(token))
        if token.word in ("TRUE", "FALSE"):
            return Literal(token.at, token.word == "TRUE")
        if token.kind == "word" and token.text.isdecimal():
            return self._integer(token, token.text)
        if token.kind == "word" and self._token.text == "(" and token.word not in _WORDS:
            if not _FUNCTION.fullmatch(token.text):
                self._fail("the name of a function has letters and _", token.at)
            return Call(token.at, token.word, self._members(token.word, least=0))
        return Attribute(token.at, self._name(token, "expected a value"))

    def _members(self, owner: str, least: int = 1) -> tuple[Node, ...]:
        opened = self._token
        self._expect("(", f"{owner} wants its members in parentheses")
        members: list[Node] = []
        while members or self._token.text != ")":
            members.append(self._deeper(self._logic, opened))
            if not self._takes(","):
                break
        if len(members) < least:
            self._fail(f"{owner} wants at least one member", self._token.at)
        self._expect(")", "expected , or )")
        return tuple(members)

    def _is_number(self, sign: Token) -> bool:
        following = self._token
        return following.kind == "word" and following.text.isdecimal() and following.at == sign.at + 1

    def _integer(self, token: Token, digits: str) -> Node:
        if len(digits) > 100 or not LEAST <= int(digits) <= MOST:
            self._fail(f"an integer of CESQL lies between {LEAST} and {MOST}", token.at)
        return Literal(token.at, int(digits))

    def _name(self, token: Token, why: str) -> str:
        if token.kind == "word" and token.word not in _WORDS and _NAME.fullmatch(token.text.lower()):
            return token.text.lower()
        if token.kind == "word" and token.word not in _WORDS:
            self._fail("the name of an attribute has letters and digits only", token.at)
        found = "the end" if token.kind == "end" else repr(token.text)
        self._fail(f"{why}, not {found}", token.at)

    def _pattern(self) -> str:
        token = self._advance()
        if token.kind != "text":
            self._fail("the pattern of LIKE is a text in quotes", token.at)
        return self._string(token)

    def _string(self, token: Token) -> str:
        quote = token.text[0]
        following = self._token
        if following.kind == "text" and following.at == token.at + len(token.text) and following.text[0] == quote:
            self._fail(f"two texts side by side; a {quote} inside of a text is written \\{quote}", following.at)
        return token.text[1:-1].replace(f"\\{quote}", quote)


_LEVELS = (_COMPARISONS, ("+", "-"), ("*", "/", "%"))


def _unreadable(text: str, at: int) -> str:
    if text[at] in "'\"":
        return f"this quote is never closed; a {text[at]} inside of a text is written \\{text[at]}"
    for sign, remedy in _FOREIGN.items():
        if text.startswith(sign, at):
            return f"{sign} is no operator of CESQL; {remedy}"
    return f"{text[at]!r} means nothing in CESQL; a text stands in quotes, and attributes have letters and digits"
