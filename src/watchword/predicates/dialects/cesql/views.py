"""What an expression asks of an attribute: the attribute itself, or a text, an integer or a truth made from it.

An attribute of a cloud event is a String, an Integer or a Boolean; which of them, only the event tells. ``ttl = 5``
casts it to an integer, ``ttl = '5'`` to a text: the text '5', the number 5, but not the text '05'.

>>> from watchword.predicates.dialects.cesql.trees import show
>>> ttl = Attribute("ttl")
>>> show(ttl.as_integer().compare("<", 5).true), show(ttl.as_text().equal("5").true)
('ttl AS INTEGER < 5', "ttl IN ('5', 5)")
>>> show(ttl.as_text().like(pattern_of("5_%")).true)
"ttl LIKE '5_%' OR ttl BETWEEN 50 AND 59 OR ttl BETWEEN 500 AND 599 OR ttl BETWEEN 5000 AND 5999 OR \
ttl BETWEEN 50000 AND 59999 OR ttl BETWEEN 500000 AND 599999 OR ttl BETWEEN 5000000 AND 5999999 OR \
ttl BETWEEN 50000000 AND 59999999 OR ttl BETWEEN 500000000 AND 599999999"

The attributes that the specification of cloud events defines are Strings, always.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from watchword.predicates.dialects import aws
from watchword.predicates.dialects.cesql.constants import BOOLEANS, Fault, cast, compare
from watchword.predicates.dialects.cesql.integers import Unsayable, ranges_of
from watchword.predicates.dialects.cesql.syntax import LEAST, MOST, Value
from watchword.predicates.dialects.cesql.trees import (
    Atom,
    Tree,
    Truth,
    all_of,
    any_of,
    negated,
    opposite,
    within,
)
from watchword.predicates.dialects.sigma.values import Pieces, Wild, accepts, spelled, tidy
from watchword.predicates.dialects.wildcards import literally

STRINGS = frozenset(("id", "source", "specversion", "type", "datacontenttype", "dataschema", "subject", "time"))
"""Attributes that are texts in every cloud event."""

_NEARLY_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?", re.DOTALL)


class Refusal(Exception):
    """An expression has a meaning, but no predicate can say it."""


def pattern_of(pattern: str) -> Pieces:
    r"""Return the pieces of a LIKE: ``%`` is any run of characters, ``_`` one; a backslash before them takes that away.

    >>> pattern_of(r"a\%%_\b")
    ('a%', <Wild.ANY: '*'>, <Wild.ONE: '?'>, '\\b')
    """
    signs = re.findall(r"\\[%_]|[%_]|[^%_\\]+|\\", pattern)
    wild = {"%": Wild.ANY, "_": Wild.ONE}
    return tidy(wild[sign] if sign in wild else sign[-1] if sign in (r"\%", r"\_") else sign for sign in signs)


class Texts:
    """A String made from an attribute: where it equals a text, and where it has the form of a LIKE."""

    def __init__(self, defined: Tree, equal: Callable[[str], Tree], like: Callable[[Pieces], Tree]) -> None:
        self.defined, self._equal, self._like = defined, equal, like

    def equal(self, text: str) -> Truth:
        """Return whether it equals a text."""
        return within(self._equal(text), self.defined)

    def like(self, pieces: Pieces) -> Truth:
        """Return whether it has a form."""
        return within(self.defined if pieces == (Wild.ANY,) else self._like(pieces), self.defined)


class Integers:
    """An Integer made from an attribute: where a comparison with a number holds."""

    def __init__(self, defined: Tree, compared: Callable[[str, int], Tree]) -> None:
        self.defined, self._compared = defined, compared

    def compare(self, sign: str, number: int) -> Truth:
        """Return whether a comparison holds."""
        return within(self._compared(sign, number), self.defined)

    def as_text(self) -> Texts:
        """Return its decimal digits."""

        def equal(text: str) -> Tree:
            try:
                number = cast(text, int)
            except Fault:
                return False
            return self._compared("=", int(number)) if str(number) == text else False

        def like(pieces: Pieces) -> Tree:
            found = ranges_of(pieces)
            return any_of([all_of([self._compared(">=", low), self._compared("<=", high)]) for low, high in found])

        return Texts(self.defined, equal, like)

    def as_truth(self) -> Truth:
        """Return whether it is not 0."""
        return opposite(self.compare("=", 0))


class Attribute:
    """A context attribute, as what it is in the event, or cast."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_text = name in STRINGS
        self.shown = aws.attribute([name])
        self.exists = self.atom("EXISTS")

    def atom(self, predicate: str) -> Atom:
        """Return a predicate about the attribute."""
        return Atom(f"{self.shown} {predicate}", self.name)

    def as_text(self) -> Texts:
        """Return it cast to a String, which is always possible."""
        return Texts(self.exists, lambda text: self.one_of([text]), self.like)

    def as_integer(self) -> Integers:
        """Return it cast to an Integer."""
        return Integers(self.atom("AS INTEGER"), lambda sign, number: self.atom(f"AS INTEGER {sign} {number}"))

    def as_truth(self) -> Truth:
        """Return it cast to a Boolean."""
        true, false = [self.atom("= 'true' IGNORING CASE")], [self.atom("= 'false' IGNORING CASE")]
        if not self.is_text:
            true += [self.atom("= TRUE"), self.atom(f"BETWEEN {LEAST} AND -1"), self.atom(f"BETWEEN 1 AND {MOST}")]
            false += [self.atom("= FALSE"), self.atom("= 0")]
        return Truth(lambda: any_of(true), lambda: any_of(false))

    def is_true(self) -> Truth:
        """Return whether it is the Boolean true; it passes no filter as anything else."""
        return Truth(lambda: self.atom("= TRUE"), lambda: self.atom("= FALSE"))

    def one_of(self, texts: Sequence[str]) -> Tree:
        """Return where, as a text, it is one of several."""
        integers = [] if self.is_text else [text for text in texts if _is_integer(text)]
        booleans = [] if self.is_text else [text for text in texts if text in BOOLEANS]
        return self.equal(texts, [*map(int, integers), *(BOOLEANS[text] for text in booleans)])

    def equal(self, texts: Sequence[str], others: Sequence[int | bool]) -> Tree:
        """Return where it is one of these texts, numbers or booleans."""
        dates = [text for text in texts if _NEARLY_DATE.fullmatch(text)]
        plain = [aws.quoted(text) for text in texts if text not in dates]
        plain += [str(one).upper() if isinstance(one, bool) else str(one) for one in others]
        plain = list(dict.fromkeys(plain))
        found: list[Tree] = [self.atom(literally(text)) for text in dates]
        if plain:
            found.insert(0, self.atom(f"IN ({', '.join(plain)})" if len(plain) > 1 else f"= {plain[0]}"))
        return any_of(found)

    def like(self, pieces: Pieces) -> Tree:
        """Return where, as a text, it has a form."""
        return any_of([Atom(spelled(self.shown, pieces, cased=True), self.name), self._others_like(pieces)])

    def _others_like(self, pieces: Pieces) -> Tree:
        """Return where it is an integer or a boolean that, as a text, has a form."""
        if self.is_text:
            return False
        try:
            found = [self.atom(f"BETWEEN {low} AND {high}") for low, high in ranges_of(pieces)]
        except Unsayable:
            raise Refusal(
                f"{self.name} may be an integer, and which integers have this form cannot be said; compare it with = "
                f"or <, or, if it is always a text, write {spelled(self.shown, pieces, cased=True)} by hand"
            ) from None
        return any_of([*found, *(self.atom(f"= {text.upper()}") for text in BOOLEANS if accepts(pieces, text))])

    def folded(self, case: Callable[[str], str], function: str) -> Texts:
        """Return it in lower or upper case, which are written with IGNORING CASE."""

        def checked(text: str) -> bool:
            if len(case(text)) != len(text) or case(text).casefold() != text.lower():
                raise Refusal(
                    f"{function} of letters with more than two cases cannot be said exactly; write IGNORING CASE"
                )
            return case(text) == text

        def equal(text: str) -> Tree:
            if not checked(text):
                return False
            return any_of([self.atom(f"= {aws.quoted(text)} IGNORING CASE"), self._other(text.lower())])

        def like(pieces: Pieces) -> Tree:
            if not checked("".join(piece for piece in pieces if isinstance(piece, str))):
                return False
            lower = tuple(piece.lower() if isinstance(piece, str) else piece for piece in pieces)
            return any_of([Atom(spelled(self.shown, lower, cased=False), self.name), self._others_like(lower)])

        return Texts(self.exists, equal, like)

    def _other(self, text: str) -> Tree:
        """Return where it is the number or boolean that is written as a text is."""
        if self.is_text:
            return False
        if _is_integer(text):
            return self.equal([], [int(text)])
        return self.equal([], [BOOLEANS[text]]) if text in BOOLEANS else False

    def among(self, values: Sequence[Value]) -> Truth:
        """Return whether it is IN constants, which are cast to its type in the event."""
        true = self.equal([str(cast(value, str)) for value in values], self._others(values))
        return within(true, self._castable(values, true))

    def _others(self, values: Sequence[Value]) -> list[int | bool]:
        if self.is_text:
            return []
        return [*_before_fault(values, int)[0], *_before_fault(values, bool)[0]]

    def _castable(self, values: Sequence[Value], true: Tree) -> Tree:
        """Return where all constants can be cast to its type, or an equal one stands before the first that cannot."""
        if self.is_text:
            return self.exists
        fails_integer, fails_boolean = _before_fault(values, int)[1], _before_fault(values, bool)[1]
        if fails_integer and fails_boolean:
            return any_of([self.atom("LIKE '%'"), true]) if self._others(values) else self.atom("LIKE '%'")
        failing: list[Tree] = []
        if fails_integer:
            failing.append(self.atom(f"BETWEEN {LEAST} AND {MOST}"))
        if fails_boolean:
            failing.append(self.atom("IN (TRUE, FALSE)"))
        if not failing:
            return self.exists
        return any_of([all_of([self.exists, *(negated(one) for one in failing)]), true])


View = Attribute | Texts | Integers | Truth


def truth_as_text(truth: Truth) -> Texts:
    """Return the texts "true" and "false" that a condition is as a String."""

    def chosen(accepted: Callable[[str], bool]) -> Tree:
        sides = {"true": truth.true, "false": truth.false}
        return any_of([side for text, side in sides.items() if accepted(text)])

    return Texts(
        truth.defined,
        lambda text: chosen(lambda one: one == text),
        lambda pieces: chosen(lambda one: accepts(pieces, one)),
    )


def truth_as_integer(truth: Truth) -> Integers:
    """Return the integers 1 and 0 that a condition is as an Integer."""

    def compared(sign: str, number: int) -> Tree:
        sides = {1: truth.true, 0: truth.false}
        return any_of([side for one, side in sides.items() if compare(sign, one, number)])

    return Integers(truth.defined, compared)


def same(left: Truth, right: Truth) -> Truth:
    """Return whether two conditions are both true or both false."""
    return Truth(
        lambda: any_of([all_of([left.true, right.true]), all_of([left.false, right.false])]),
        lambda: any_of([all_of([left.true, right.false]), all_of([left.false, right.true])]),
        lambda: all_of([left.defined, right.defined]),
    )


def _before_fault(values: Sequence[Value], wanted: type) -> tuple[list[int], bool]:
    """Return constants as a type, up to the first that cannot be cast, and whether there is one."""
    found = []
    for value in values:
        try:
            found.append(cast(value, wanted))
        except Fault:
            return found, True  # type: ignore[return-value]
    return found, False  # type: ignore[return-value]


def _is_integer(text: str) -> bool:
    """Return whether a text is how CESQL writes an integer: '-5', not '05'."""
    return re.fullmatch(r"0|-?[1-9][0-9]{0,9}", text, re.ASCII) is not None and LEAST <= int(text) <= MOST
