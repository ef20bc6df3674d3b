"""The predicate language: text into clauses of predicates. `sets.boolean` has AND, OR, NOT and parentheses.

    predicate  := attribute comparison | texts | ANY attribute "(" query ")" | EXISTS attribute
    comparison := (= | != | <> | < | <= | > | >=) literal [IGNORING CASE]
                | BETWEEN literal AND literal [IGNORING CASE] | IN "(" literal, … ")" [IGNORING CASE]
                | STARTS WITH 'text' [IGNORING CASE] | ENDS WITH 'text' [IGNORING CASE]
                | CONTAINS literal [IGNORING CASE] | KIND OF 'node' | IN CIDR 'network' | EXISTS | IS MISSING
                | AS INTEGER [(= | < | <= | > | >=) number | BETWEEN number AND number] | AS NUMBER …, the same
                | texts
    texts      := MATCHES 'words' | MATCHES PATTERN 'pattern' | MATCHES PATH 'path'
                | HAS 'text' [IGNORING CASE] | (LIKE | ILIKE) 'form' [ESCAPE 'character'] [IGNORING CASE]
    attribute  := name ("." name)*          a name in "double quotes" may hold anything
    literal    := number | 'text' | TRUE | FALSE

KIND OF, ANY and the operators of `texts` are those of readers (`readers`), which parse what follows their words; an
index may have more. `texts` without an attribute reads the attributes of the option `text`.

Three spellings need no predicate of their own: ``a IS MISSING`` is ``NOT a EXISTS``, ``a CONTAINS 1`` is ``a = 1`` (a
list satisfies it where one of its values does), and an IN over dates and other literals is two INs, joined by OR.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from watchword.errors import SubscriptionSyntaxError
from watchword.likeness import MOST as LOOKED_AT
from watchword.likeness import hinted
from watchword.predicates import making
from watchword.predicates.literals import REMEDIES, Limits, Pieces, as_text, shown, text_of
from watchword.predicates.plain import MOST, plain_conjunction, plain_search
from watchword.predicates.predicate import Path, Predicate
from watchword.predicates.readers.doors import BUILT_IN, Doors
from watchword.predicates.values import (
    ADDRESS4,
    ADDRESS6,
    BOOLEAN,
    KINDS,
    TEXT,
    Key,
    View,
    instant_of_text,
    show_value,
)
from watchword.sets import boolean
from watchword.sets.boolean import And, Not, Or, Token, Tree
from watchword.sets.dnf import Budget
from watchword.sets.factoring import every_atom, factor

if TYPE_CHECKING:
    from watchword.predicates.leaves import Leaves
    from watchword.predicates.readers.reader import AttributeReader
    from watchword.predicates.readers.reading import Reading

__all__ = ["Check", "Clause", "Complaint", "Limits", "PredicateParser", "attribute_of", "parse"]

Clause = boolean.Clause[Predicate]


class Complaint(NamedTuple):
    """Why a predicate is refused, though it is well written: for its constants, or else for its attribute."""

    reason: str
    of_constants: bool


Check = Callable[[Path, Predicate], Complaint | None]
"""Takes the list that a predicate's attribute is relative to (the attribute of ANY), and the predicate."""

_ONE_TEXT = "CONTAINS asks for a member of a list, and the option text has this as one text; HAS asks for a part of it"
"""Why CONTAINS is refused about an attribute of the option `text`."""

UNLIMITED = Limits(1 << 40, 1 << 10, 1 << 40, 1 << 40, work=1 << 60)
"""For texts that the package wrote itself: a name may be longer than what it was made from."""


def parse(
    text: Any,
    limits: Limits,
    check: Check | None = None,
    doors: Doors = BUILT_IN,
    reading: Reading | None = None,
    leaves: Leaves | None = None,
) -> list[Clause]:
    """Return the clauses of a subscription; none if it contradicts itself. `check` may refuse predicates, `doors` has
    the operators of readers, `reading` says how texts are read; `leaves`, of the same, read most texts faster.

    >>> clauses = parse("name = 'RBS' AND value > 20", Limits(256, 64, 1024, 65536))
    >>> [predicate.written for predicate in clauses[0].required]
    ["= 'RBS'", '> 20']
    """
    if not isinstance(text, str):
        raise SubscriptionSyntaxError(
            f"a predicate subscription is a str, not {type(text).__name__}", text=repr(text)[:200], position=0
        )
    found = plain_clause(text, limits, check, reading)
    if found is not None:
        return [boolean.Clause(tuple(dict.fromkeys(found)), ())]
    tree = None if leaves is None else leaves.tree(text)
    if tree is not None and (check is None or not any(check((), predicate) for predicate in every_atom(tree))):
        return clauses_of(tree, text, limits)
    try:
        return PredicateParser(text, limits, check, doors, reading).clauses()
    except SubscriptionSyntaxError as error:
        has_operator = not doors.behind.keys().isdisjoint(text[:LOOKED_AT].split())
        raise error if has_operator else hinted(error, "predicates") from None


def plain_clause(
    text: str, limits: Limits, check: Check | None, reading: Reading | None = None
) -> list[Predicate] | None:
    """Return the predicates of a text that is a plain conjunction; None if it has to be parsed."""
    if "(" in text or len(text) > limits.literal or min(limits.predicates, limits.work) < 2 * MOST:
        return None
    found = plain_conjunction(text)
    if found is None and check is None and reading is not None:
        found = plain_search(text, limits, reading)
    if found is None or check is None or not any(check((), predicate) for predicate in found):
        return found
    return None


def clauses_of(tree: Tree, text: str, limits: Limits) -> list[boolean.Clause[Any]]:
    """Return the clauses of a tree that a text was read into."""
    return [boolean.Clause(*found) for found in factor(tree, Budget(text, limits.clauses, limits.work))]


def read_tree(text: str, limits: Limits, doors: Doors, reading: Reading) -> Tree:
    """Return a subscription as a tree of predicates, not multiplied out."""
    found = plain_conjunction(text) or plain_search(text, limits, reading)
    return And(found) if found is not None else PredicateParser(text, limits, None, doors, reading).tree()


def attribute_of(text: str) -> Path:
    """Return the names of an attribute as it is written in subscriptions.

    >>> attribute_of('detail."c-count"')
    ('detail', 'c-count')
    """
    parser = PredicateParser(text, UNLIMITED, None)
    path = parser._attribute(parser.advance())
    if parser._token.kind != "end":
        raise parser.error(f"expected the end of the attribute, not {shown(parser._token)}", parser._token)
    return path


class PredicateParser(Pieces):
    """Predicates as atoms. Readers are given it to read what follows their words."""

    def __init__(
        self,
        text: str,
        limits: Limits,
        check: Check | None,
        doors: Doors = BUILT_IN,
        reading: Reading | None = None,
    ) -> None:
        self._check, self._doors, self._reading = check, doors, reading
        self._count = 0
        self._depth = 0
        self._inside: Path = ()
        self._operator = Token("end", "", 0)
        """The first token of the words of the reader that is parsing: ``KIND`` of ``KIND OF``."""
        super().__init__(text, limits)

    def atom(self, token: Token) -> Tree:
        """Return the predicate that begins with a piece."""
        word = token.text.upper() if token.kind == "word" else ""
        if word in self._doors.before:
            self._operator = token
            return self._doors.before[word].parse(self, self._attribute(self.advance()))
        if word == "EXISTS":
            return self.exists(self._attribute(self.advance()))
        if word in self._doors.behind and self._token.kind in ("text", "word"):
            known = [one for one in self._doors.behind[word] if one[1].about == "texts" and self._has_text(one[0])]
            if known:
                return self._bare(token, known)
        return self._comparison(self._attribute(token))

    def _has_text(self, words: list[str]) -> bool:
        """Return whether these words and then a text follow, as far as one token tells."""
        return self.is_word(words[0]) if words else self._token.kind == "text"

    def _bare(self, token: Token, known: list[tuple[list[str], type[AttributeReader]]]) -> Tree:
        """Return the predicate of a reader that reads the attributes of the option `text`."""
        self._named = token
        if not any(path[: len(self._inside)] == self._inside for path in self.reading.text):
            word = token.text.upper()
            reason = f"{word} without an attribute reads those of the option text, and here are none"
            raise self.error(f"{reason}; write the attribute before it: body {word} …", token)
        return self._read((), token, known)

    def unjoined(self, token: Token) -> SubscriptionSyntaxError:
        """Say what to write instead of other languages' operators."""
        if token.text in REMEDIES:
            return self.error(f"{token.text} is not supported; {REMEDIES[token.text]}", token)
        return super().unjoined(token)

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
            if word in self._doors.behind:
                return self._read(path, token, self._doors.behind[word])
        if token.kind == "NOT":
            raise self.error("write NOT before the attribute: NOT (a IN …), which holds also where a is missing", token)
        raise self.error(f"expected a comparison, such as = or BETWEEN, not {shown(token)}", token)

    def _sign(self, path: Path, token: Token) -> Tree:
        if token.text in REMEDIES:
            raise self.error(f"{token.text} is not supported; {REMEDIES[token.text]}", token)
        sign = "!=" if token.text == "<>" else token.text
        at = self._token
        key = self.read_literal()
        if key[0] == BOOLEAN and sign not in ("=", "!="):
            raise self.error(f"{sign} does not compare booleans; = and != do", at)
        return self._made(path, sign, (key,), at)

    def _between(self, path: Path) -> Tree:
        at = self._token
        least = self.read_literal()
        if self._token.kind != "AND":
            raise self.error(f"expected AND and the upper end of BETWEEN, not {shown(self._token)}", self._token)
        self.advance()
        most = self.read_literal()
        if least[0] == BOOLEAN:
            raise self.error("BETWEEN does not compare booleans", at)
        if self.is_word("IGNORING"):
            least, most = as_text(least), as_text(most)
        if least[0] != most[0]:
            raise self.error(f"the ends of BETWEEN are a {KINDS[least[0]]} and a {KINDS[most[0]]}; give two alike", at)
        return self._made(path, "BETWEEN", (least, most), at)

    def _in(self, path: Path) -> Tree:
        if self.is_word("CIDR"):
            return self._cidr(path)
        at = self._token
        if at.kind != "open":
            raise self.error(f"expected the members of IN in parentheses, or CIDR, not {shown(at)}", at)
        self.advance()
        keys = [self.read_literal()]
        while self._token.kind == "comma":
            self.advance()
            keys.append(self.read_literal())
        if self._token.kind != "close":
            raise self.error(f"expected , or ) after a member of IN, not {shown(self._token)}", self._token)
        self.advance()
        if self._ignoring_case(keys, at):
            return self._counted(making.folded(path, "IN", keys), at)
        parts = [self._counted(one, at) for one in making.members(path, keys)]
        return parts[0] if len(parts) == 1 else Or(parts)

    def _cidr(self, path: Path) -> Predicate:
        self.advance()
        token = self.advance()
        try:
            network = ipaddress.ip_network(text_of(token))
        except ValueError:
            raise self.error(
                "expected a network such as '10.0.0.0/8' or '2001:db8::/32', its host bits zero", token
            ) from None
        kind = ADDRESS4 if network.version == 4 else ADDRESS6
        ends = tuple((kind, int(address)) for address in (network[0], network[-1]))
        return self._counted(Predicate(path, "IN CIDR", View.ADDRESSES, ends, f"IN CIDR '{network}'"), token)

    def _edge(self, path: Path, word: str) -> Predicate:
        """Read STARTS WITH or ENDS WITH."""
        self.expect("WITH", f"{word} WITH 'text'")
        token = self._token
        text = self.read_text(f"{word} WITH")
        return self.edge(path, word, text, self._ignoring_case([(TEXT, text)], token), token)

    def edge(self, path: Path, word: str, text: str, folded: bool, at: Token) -> Predicate:
        """Return the predicate STARTS WITH or ENDS WITH; `word` is its first word."""
        return self._counted(making.edge(path, word, text, folded), at)

    def equal_text(self, path: Path, text: str, folded: bool, at: Token) -> Predicate:
        """Return the predicate that a value is a text, also one that is written as a date."""
        if folded:
            return self._counted(making.folded(path, "=", [(TEXT, text)]), at)
        if instant_of_text(text) is None:
            return self._counted(making.compared(path, "=", [(TEXT, text)]), at)
        return self._counted(Predicate(path, "=", View.PLAIN, ((TEXT, text),), f"LIKE {show_value(text)}"), at)

    def _is(self, path: Path) -> Tree:
        token = self.advance()
        if token.text.upper() == "MISSING":
            return Not(self.exists(path))
        if token.text.upper() == "NULL":
            raise self.error("IS NULL is not supported; write IS MISSING, which null is, too", token)
        if token.kind == "NOT":
            raise self.error("IS NOT is not supported; write EXISTS after the attribute", token)
        raise self.error(f"expected MISSING, not {shown(token)}", token)

    def _contains(self, path: Path) -> Tree:
        at = self._token
        key = self.read_literal()
        wanted = as_text(key)
        if wanted[0] == TEXT:
            whole = self.whole(path)
            if whole in self.reading.text:
                raise self.error(_ONE_TEXT, at)
            self._refuse(Predicate(path, "CONTAINS", View.PLAIN, (wanted,), ""), at)
            self.reading.members.ask(whole, wanted[1])
        return self._made(path, "=", (key,), at)

    def exists(self, path: Path) -> Predicate:
        """Return the predicate ``attribute EXISTS``."""
        return self._counted(making.existing(path), self._token)

    # operators of readers

    def _read(self, path: Path, token: Token, known: list[tuple[list[str], type[AttributeReader]]]) -> Tree:
        """Return the predicate of the reader whose words begin at `token`; of several readers the longest words win."""
        self._operator = token
        passed = 0
        while longer := [one for one in known if len(one[0]) > passed and self.is_word(one[0][passed])]:
            self.advance()
            known, passed = longer, passed + 1
        words, reader = known[-1]
        for word in words[passed:]:
            self.expect(word, reader.example)
        return reader.parse(self, path)

    @property
    def operator(self) -> str:
        """Return the first word of the operator that is being parsed, in capitals."""
        return self._operator.text.upper()

    @property
    def reading(self) -> Reading:
        """Return how texts of attributes are read."""
        if self._reading is None:
            from watchword.predicates.readers.reading import Reading

            self._reading = Reading()
        return self._reading

    def whole(self, path: Path) -> Path:
        """Return an attribute from the event on, also inside of ANY; the empty one, of no attribute, as it is."""
        return self._inside + path if path else ()

    def ignores_case(self) -> bool:
        """Pass over IGNORING CASE; return whether it stood there."""
        return self._ignoring_case([], self._token)

    def parse_inside(self, token: Token, parse: Callable[[str], Any], text: str) -> Any:
        """Return what the parser of another language makes of the text of a token; its errors are placed in the whole
        subscription."""
        try:
            return parse(text)
        except SubscriptionSyntaxError as error:
            raise self.error_inside(token, error.reason, error.position) from None

    def error_inside(self, token: Token, reason: str, position: int) -> SubscriptionSyntaxError:
        """Return an error at a character of the text of a token, in which a quote is written twice."""
        before = text_of(token)[:position]
        return SubscriptionSyntaxError(
            reason, text=self.text, position=token.position + 1 + len(before) + before.count("'")
        )

    def read_query(self, path: Path) -> tuple[Clause, ...]:
        """Pass over a query in parentheses about the objects of an attribute, and return its clauses; the next token
        opens it."""
        opened = self.advance()
        outer = self._named, self._inside, self._operator
        self._inside += path
        inner = self._group(self._depth, opened)
        self._named, self._inside, self._operator = outer
        return tuple(self.clauses_of(inner)) if inner is not None else ()

    def read_by(
        self,
        reader: type[AttributeReader],
        path: Path,
        constants: tuple[Any, ...],
        written: str,
        at: Token | None = None,
    ) -> Predicate:
        """Return a predicate that a reader reads. `written` is what follows its words, or the attribute if they lead,
        or begins with its words if it has several; an error about the constants points at `at`, or at the words."""
        before, behind = "", written
        if reader.leads:
            before = f"{reader.name} "
        elif reader.operators is None:
            behind = f"{reader.name} {written}".rstrip()
        made = Predicate(path, reader.name, reader, constants, behind, before)
        return self._counted(made, at or self._operator)

    def _group(self, depth: int, opened: Token) -> Tree | None:
        before, self._depth = self._depth, depth + 1  # an ANY inside goes on from here
        try:
            return super()._group(depth, opened)
        finally:
            self._depth = before

    # predicates

    def _made(self, path: Path, operator: str, keys: tuple[Key, ...], at: Token) -> Predicate:
        made = making.folded if self._ignoring_case(list(keys), at) else making.compared
        return self._counted(made(path, operator, keys), at)

    def _counted(self, predicate: Predicate, at: Token) -> Predicate:
        """Count a predicate, whose constants stand at `at`, and check it."""
        self._count += making.cost(predicate)
        if self._count > self._limits.predicates:
            raise self.error(f"more than max_predicates={self._limits.predicates} predicates and members of IN", at)
        self._refuse(predicate, at)
        return predicate

    def _refuse(self, predicate: Predicate, at: Token) -> None:
        """Raise if the schema refuses a predicate, whose constants stand at `at`."""
        complaint = self._check(self._inside, predicate) if self._check is not None else None
        if complaint is not None:
            raise self.error(complaint.reason, at if complaint.of_constants else self._named)


_FOLLOWS = {
    "BETWEEN": PredicateParser._between,
    "IN": PredicateParser._in,
    "STARTS": lambda parser, path: parser._edge(path, "STARTS"),
    "ENDS": lambda parser, path: parser._edge(path, "ENDS"),
    "CONTAINS": PredicateParser._contains,
    "IS": PredicateParser._is,
    "EXISTS": PredicateParser.exists,
}
"""What may follow an attribute, by its first word."""
