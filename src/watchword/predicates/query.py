"""The predicate language: text into clauses of predicates. `sets.boolean` has AND, OR, NOT and parentheses.

    predicate  := attribute comparison | ANY attribute "(" query ")" | EXISTS attribute
    comparison := (= | != | <> | < | <= | > | >=) literal [IGNORING CASE]
                | BETWEEN literal AND literal [IGNORING CASE] | IN "(" literal, … ")" [IGNORING CASE]
                | STARTS WITH 'text' [IGNORING CASE] | ENDS WITH 'text' [IGNORING CASE]
                | CONTAINS literal [IGNORING CASE] | KIND OF 'node' | IN CIDR 'network' | EXISTS | IS MISSING
    attribute  := name ("." name)*          a name in "double quotes" may hold anything
    literal    := number | 'text' | TRUE | FALSE

Three spellings need no predicate of their own: ``a IS MISSING`` is ``NOT a EXISTS``, ``a CONTAINS 1`` is ``a = 1`` (a
list satisfies it where one of its values does), and an IN over dates and other literals is two INs, joined by OR.
"""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from watchword.errors import SubscriptionSyntaxError
from watchword.predicates.predicate import RESERVED, Path, Predicate, show_clauses
from watchword.predicates.values import (
    ADDRESS4,
    ADDRESS6,
    BOOLEAN,
    INSTANT,
    KINDS,
    NUMBER,
    TEXT,
    Key,
    View,
    instant_of_text,
    show_value,
)
from watchword.sets import boolean
from watchword.sets.boolean import And, Not, Or, Parser, Token, Tree

Clause = boolean.Clause[Predicate]


@dataclass(frozen=True)
class Limits(boolean.Limits):
    """What one subscription may cost. Each is an option of `PredicateIndex` under the name ``max_…``."""

    predicates: int
    literal: int


def parse(text: Any, limits: Limits) -> list[Clause]:
    """Return the clauses of a subscription; none if it contradicts itself.

    >>> clauses = parse("name = 'RBS' AND value > 20", Limits(256, 64, 1024, 65536))
    >>> [predicate.written for predicate in clauses[0].required]
    ["= 'RBS'", '> 20']
    """
    if not isinstance(text, str):
        raise SubscriptionSyntaxError(
            f"a predicate subscription is a str, not {type(text).__name__}", text=repr(text)[:200], position=0
        )
    return _Predicates(text, limits).clauses()


_TOKENS = re.compile(
    r"""(?P<space>\s+)
      | (?P<open>\() | (?P<close>\)) | (?P<comma>,) | (?P<dot>\.(?!\d))
      | (?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
      | (?P<text>'(?:[^']|'')*')
      | (?P<quoted>"(?:[^"]|"")*")
      | (?P<word>[^\W\d]\w*)
      | (?P<sign><>|!=|<=|>=|==|&&|\|\||=~|[=<>!])""",
    re.VERBOSE,
)

_REMEDIES = {
    "==": "= compares; write one =",
    "&&": "write AND",
    "||": "write OR",
    "!": "write NOT",
    "=~": "regular expressions are not supported; STARTS WITH and ENDS WITH are",
}


class _Predicates(Parser[Predicate]):
    """Predicates as atoms."""

    atom_name = "predicate"
    implicit_and = False

    def __init__(self, text: str, limits: Limits) -> None:
        self._limits = limits
        self._count = 0
        self._depth = 0
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

    def atom(self, token: Token) -> Tree:
        """Return the predicate that begins with a piece."""
        word = token.text.upper() if token.kind == "word" else ""
        if word == "ANY":
            return self._any(token)
        if word == "EXISTS":
            return self._exists(self._attribute(self.advance()))
        return self._comparison(self._attribute(token))

    def unjoined(self, token: Token) -> SubscriptionSyntaxError:
        """Say what to write instead of other languages' operators."""
        if token.text in _REMEDIES:
            return self.error(f"{token.text} is not supported; {_REMEDIES[token.text]}", token)
        return super().unjoined(token)

    # attributes

    def _attribute(self, token: Token) -> Path:
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
            raise self.error(f"expected an attribute, not {_shown(token)}", token)
        if token.text.upper() in RESERVED:
            raise self.error(f'expected an attribute; one named {token.text} is written "{token.text}"', token)
        return token.text

    # what follows an attribute

    def _comparison(self, path: Path) -> Tree:
        token = self.advance()
        word = token.text.upper()
        if token.kind == "sign":
            return self._sign(path, token)
        if token.kind == "word":
            follow = _FOLLOWS.get(word)
            if follow is not None:
                return follow(self, path)
        if word == "LIKE":
            raise self.error("LIKE is not supported; write STARTS WITH 'text' or ENDS WITH 'text'", token)
        if token.kind == "NOT":
            raise self.error("write NOT before the attribute: NOT (a IN …), which holds also where a is missing", token)
        raise self.error(f"expected a comparison, such as = or BETWEEN, not {_shown(token)}", token)

    def _sign(self, path: Path, token: Token) -> Tree:
        if token.text in _REMEDIES:
            raise self.error(f"{token.text} is not supported; {_REMEDIES[token.text]}", token)
        sign = "!=" if token.text == "<>" else token.text
        at = self._token
        key = self._literal()
        if key[0] == BOOLEAN and sign not in ("=", "!="):
            raise self.error(f"{sign} does not compare booleans; = and != do", at)
        return self._made(path, sign, (key,), at)

    def _between(self, path: Path) -> Tree:
        at = self._token
        least = self._literal()
        if self._token.kind != "AND":
            raise self.error(f"expected AND and the upper end of BETWEEN, not {_shown(self._token)}", self._token)
        self.advance()
        most = self._literal()
        if least[0] == BOOLEAN:
            raise self.error("BETWEEN does not compare booleans", at)
        if {least[0], most[0]} == {INSTANT, TEXT}:
            least, most = _as_text(least), _as_text(most)
        if least[0] != most[0]:
            raise self.error(f"the ends of BETWEEN are a {KINDS[least[0]]} and a {KINDS[most[0]]}; give two alike", at)
        return self._made(path, "BETWEEN", (least, most), at)

    def _in(self, path: Path) -> Tree:
        if self._is_word("CIDR"):
            return self._cidr(path)
        at = self._token
        if at.kind != "open":
            raise self.error(f"expected the members of IN in parentheses, or CIDR, not {_shown(at)}", at)
        self.advance()
        keys = [self._literal()]
        while self._token.kind == "comma":
            self.advance()
            keys.append(self._literal())
        if self._token.kind != "close":
            raise self.error(f"expected , or ) after a member of IN, not {_shown(self._token)}", self._token)
        self.advance()
        if self._ignoring_case(keys, at):
            return self._folded(path, "IN", [_as_text(key) for key in keys])
        dates = [key for key in keys if key[0] == INSTANT]
        others = [key for key in keys if key[0] != INSTANT]
        parts = [self._predicate(path, "IN", _view(keys), tuple(keys)) for keys in (dates, others) if keys]
        return parts[0] if len(parts) == 1 else Or(parts)

    def _cidr(self, path: Path) -> Predicate:
        self.advance()
        token = self.advance()
        try:
            network = ipaddress.ip_network(_text_of(token))
        except ValueError:
            raise self.error(
                "expected a network such as '10.0.0.0/8' or '2001:db8::/32', its host bits zero", token
            ) from None
        kind = ADDRESS4 if network.version == 4 else ADDRESS6
        ends = tuple((kind, int(address)) for address in (network[0], network[-1]))
        return self._counted(Predicate(path, "IN CIDR", View.ADDRESSES, ends, f"IN CIDR '{network}'"), token)

    def _edge(self, path: Path, word: str) -> Predicate:
        """Read STARTS WITH or ENDS WITH."""
        self._expect("WITH", f"{word} WITH 'text'")
        token = self._token
        text = self._text(f"{word} WITH")
        folded = self._ignoring_case([(TEXT, text)], token)
        seen = text.casefold() if folded else text
        view = View.FOLDED if folded else View.PLAIN
        if word == "ENDS":
            seen, view = seen[::-1], View.FOLDED_BACKWARDS if folded else View.BACKWARDS
        written = f"{word} WITH {show_value(text.casefold() if folded else text)}{' IGNORING CASE' * folded}"
        return self._counted(Predicate(path, f"{word} WITH", view, ((TEXT, seen),), written), token)

    def _kind(self, path: Path) -> Predicate:
        self._expect("OF", "KIND OF 'node'")
        token = self._token
        node = self._text("KIND OF")
        written = f"KIND OF {show_value(node)}"
        return self._counted(Predicate(path, "KIND OF", View.NODES, ((TEXT, node),), written), token)

    def _is(self, path: Path) -> Tree:
        token = self.advance()
        if token.text.upper() == "MISSING":
            return Not(self._exists(path))
        if token.text.upper() == "NULL":
            raise self.error("IS NULL is not supported; write IS MISSING, which null is, too", token)
        if token.kind == "NOT":
            raise self.error("IS NOT is not supported; write EXISTS after the attribute", token)
        raise self.error(f"expected MISSING, not {_shown(token)}", token)

    def _contains(self, path: Path) -> Tree:
        at = self._token
        return self._made(path, "=", (self._literal(),), at)

    def _exists(self, path: Path) -> Predicate:
        return self._counted(Predicate(path, "EXISTS", View.PLAIN, (), "EXISTS"), self._token)

    def _any(self, token: Token) -> Tree:
        path = self._attribute(self.advance())
        opened = self._token
        if opened.kind != "open":
            raise self.error(
                f"expected a query in parentheses after ANY and its attribute, not {_shown(opened)}", opened
            )
        self.advance()
        inner = self._group(self._depth, opened)
        clauses = tuple(self.clauses_of(inner))
        if not clauses:  # no element can satisfy it
            exists = self._exists(path)
            return And([exists, Not(exists)])
        return self._counted(Predicate(path, "ANY", View.ELEMENTS, clauses, show_clauses(clauses)), token)

    def _group(self, depth: int, opened: Token) -> Tree | None:
        before, self._depth = self._depth, depth + 1  # an ANY inside goes on from here
        try:
            return super()._group(depth, opened)
        finally:
            self._depth = before

    # literals

    def _literal(self) -> Key:
        token = self.advance()
        word = token.text.upper()
        if token.kind == "number":
            return self._number(token)
        if token.kind == "text":
            text = self._checked(token)
            instant = instant_of_text(text)
            return (TEXT, text) if instant is None else _Instant((INSTANT, instant), text)
        if token.kind == "word" and word in ("TRUE", "FALSE"):
            return (BOOLEAN, word == "TRUE")
        if word == "NULL":
            raise self.error("null is no value; write IS MISSING after the attribute", token)
        if token.kind in ("word", "quoted"):
            raise self.error("expected a number, TRUE, FALSE or a text in single quotes", token)
        raise self.error(f"expected a literal, not {_shown(token)}", token)

    def _number(self, token: Token) -> Key:
        if len(token.text) > 4000:
            raise self.error("a number of more than 4,000 digits", token)
        if token.text.lstrip("+-").isdigit():
            return (NUMBER, int(token.text))
        value = float(token.text)
        if not math.isfinite(value):
            raise self.error("this number is beyond the range of a double; write it as an integer", token)
        return (NUMBER, int(value)) if value.is_integer() else (NUMBER, value)

    def _text(self, owner: str) -> str:
        token = self.advance()
        if token.kind != "text":
            raise self.error(f"expected a text in single quotes after {owner}, not {_shown(token)}", token)
        return self._checked(token)

    def _checked(self, token: Token) -> str:
        if len(token.text) > self._limits.literal:
            raise self.error(f"a text of more than max_literal={self._limits.literal} characters", token)
        return _text_of(token)

    # predicates

    def _made(self, path: Path, operator: str, keys: tuple[Key, ...], at: Token) -> Predicate:
        if self._ignoring_case(list(keys), at):
            return self._folded(path, operator, [_as_text(key) for key in keys])
        return self._predicate(path, operator, _view(list(keys)), keys)

    def _folded(self, path: Path, operator: str, keys: list[Key]) -> Predicate:
        return self._predicate(path, operator, View.FOLDED, tuple((TEXT, key[1].casefold()) for key in keys))

    def _predicate(self, path: Path, operator: str, view: View, keys: tuple[Key, ...]) -> Predicate:
        if operator == "IN":
            keys = tuple(dict.fromkeys(keys))
            operator = "=" if len(keys) == 1 else "IN"
        shown = [show_value(key.text if isinstance(key, _Instant) else key[1]) for key in keys]
        written = {"IN": f"IN ({', '.join(shown)})", "BETWEEN": f"BETWEEN {' AND '.join(shown)}"}.get(
            operator, f"{operator} {shown[0]}"
        )
        if view is View.FOLDED:
            written += " IGNORING CASE"
        return self._counted(Predicate(path, operator, view, tuple((key[0], key[1]) for key in keys), written), None)

    def _counted(self, predicate: Predicate, at: Token | None) -> Predicate:
        self._count += max(1, len(predicate.constants))
        if self._count > self._limits.predicates:
            raise self.error(f"more than max_predicates={self._limits.predicates} predicates", at or self._token)
        return predicate

    def _ignoring_case(self, keys: list[Key], at: Token) -> bool:
        if not self._is_word("IGNORING"):
            return False
        self.advance()
        self._expect("CASE", "IGNORING CASE")
        if any(key[0] not in (TEXT, INSTANT) for key in keys):
            raise self.error("IGNORING CASE compares texts; put them into single quotes", at)
        return True

    def _is_word(self, word: str) -> bool:
        return self._token.kind == "word" and self._token.text.upper() == word

    def _expect(self, word: str, whole: str) -> None:
        if not self._is_word(word):
            raise self.error(f"expected {whole}, not {_shown(self._token)}", self._token)
        self.advance()


class _Instant(tuple[int, Any]):
    """The key of an instant that remembers how it was written."""

    text: str

    def __new__(cls, key: Key, text: str) -> _Instant:
        """Return the key, with its text."""
        made = super().__new__(cls, key)
        made.text = text
        return made


_FOLLOWS = {
    "BETWEEN": _Predicates._between,
    "IN": _Predicates._in,
    "STARTS": lambda parser, path: parser._edge(path, "STARTS"),
    "ENDS": lambda parser, path: parser._edge(path, "ENDS"),
    "CONTAINS": _Predicates._contains,
    "KIND": _Predicates._kind,
    "IS": _Predicates._is,
    "EXISTS": _Predicates._exists,
}
"""What may follow an attribute, by its first word."""


def _view(keys: list[Key]) -> View:
    return View.INSTANTS if keys[0][0] == INSTANT else View.PLAIN


def _as_text(key: Key) -> Key:
    return (TEXT, key.text) if isinstance(key, _Instant) else key


def _text_of(token: Token) -> str:
    return token.text[1:-1].replace("''", "'")


def _shown(token: Token) -> str:
    return "the end" if token.kind == "end" else repr(token.text)


def _unreadable(text: str, at: int) -> str:
    if text[at] in "'\"":
        return f"this quote is never closed; add the closing {text[at]}"
    if text[at] in "+-.0123456789":
        return "expected a number, such as -1 or 2.5e3; a name that holds such characters stands in double quotes"
    return f"{text[at]!r} means nothing here; a name that holds it stands in double quotes"
