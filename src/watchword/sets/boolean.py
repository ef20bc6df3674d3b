"""The boolean language (AND, OR, NOT, parentheses) of every language over sets; the subclass parses atoms.

    query   := and (OR and)*
    and     := not ((AND)? not)*
    not     := (NOT | -) not | "(" query ")" | number OF "(" query ("," query)* ")" | atom

A *clause* is a conjunction of atoms, some of them negated. A query is a disjunction of clauses (DNF): one of them must
hold: ``a AND (b OR c) NOT d`` has the clauses ``a b -d`` and ``a c -d``. Where they would be many, a clause has whole
ORs in it (`factoring`), and counts: ``2 OF (a, b, c)`` holds where two of the three do. A piece of text that asks
nothing (punctuation, a stop word) is dropped with its operator.

Depth, the number of clauses and the work of making them (`dnf`) are limited (`Limits`), and the limits are checked as
the text is read, so a hostile text costs no more than a long one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from watchword.errors import SubscriptionSyntaxError
from watchword.sets.dnf import And, AtLeast, Budget, Not, Or, Tree, at_least
from watchword.sets.factoring import factor, nearest_choice, replaced, show_tree
from watchword.visible import shown

__all__ = ["OPERATORS", "And", "AtLeast", "Clause", "Limits", "Not", "Or", "Parser", "Token", "Tree"]

Atom = TypeVar("Atom", bound=Hashable)

OPERATORS = frozenset({"AND", "OR", "NOT"})


@dataclass(frozen=True)
class Limits:
    """The limits on the cost of one subscription. Each is an option under the name ``max_…``."""

    clauses: int
    depth: int
    work: int = field(default=1 << 21, kw_only=True)
    """Steps of `factor`; two million take about a second."""


class Token(NamedTuple):
    """A piece of a subscription's text: an operator (its own kind), ``open``, ``close``, ``comma``, ``end``, ``of`` for
    a number and OF, ``near`` for an operator that binds tighter than NOT, or of an atom's kind."""

    kind: str
    text: str
    position: int


class Clause(NamedTuple, Generic[Atom]):
    """Atoms that must hold and atoms that must not, each in the order of the text.

    `rest` are trees that must hold, too. Wherever a clause with `keys` holds, all atoms of one of its keys hold.
    """

    required: tuple[Atom, ...]
    forbidden: tuple[Atom, ...]
    rest: tuple[Tree, ...] = ()
    keys: tuple[tuple[Atom, ...], ...] = ()

    def with_atoms(self, name: Callable[[Atom], Any]) -> Clause[Any]:
        """Return the clause with ``name(a)`` for each atom `a`."""
        return Clause(
            tuple([name(atom) for atom in self.required]),
            tuple([name(atom) for atom in self.forbidden]),
            tuple([replaced(tree, name) for tree in self.rest]),
            tuple([tuple([name(atom) for atom in key]) for key in self.keys]),
        )

    def nearest(self, holds: Callable[[Atom], bool]) -> Clause[Atom]:
        """Return the clause without `rest`, with the literals of its ORs that fail least in its place."""
        if not self.rest:
            return self
        _, chosen = nearest_choice(And(list(self.rest)), holds)
        forbidden = [one.part for one in chosen if isinstance(one, Not)]
        required = [one for one in chosen if not isinstance(one, Not)]
        return Clause(
            tuple(dict.fromkeys([*self.required, *required])), tuple(dict.fromkeys([*self.forbidden, *forbidden]))
        )

    def show(self, show: Callable[[Atom], str]) -> str:
        """Return the clause as it is written, its atoms as `show` writes them."""
        parts: list[Tree] = [*self.required, *(Not(atom) for atom in self.forbidden), *self.rest]
        return " AND ".join(show_tree(part, show, And) for part in parts)

    @property
    def rows(self) -> list[tuple[Atom, ...]]:
        """Return the required atoms with each key: wherever the clause holds, all atoms of one of these rows hold."""
        return [self.required + key for key in self.keys] or [self.required]


class Parser(ABC, Generic[Atom]):
    """Recursive descent; every level of parentheses and every NOT counts towards the depth."""

    atom_name = "term"
    """What an atom is called in errors."""

    implicit_and = True
    """Whether two atoms without an operator between them are joined by AND."""

    def __init__(self, text: str, limits: Limits) -> None:
        self.text, self.limits = text, limits
        self.budget = Budget(text, limits.clauses, limits.work)
        self._tokens = self.tokens()
        self._token = next(self._tokens)

    @abstractmethod
    def tokens(self) -> Iterator[Token]:
        """Yield the pieces of the text, and an ``end``."""

    @abstractmethod
    def atom(self, token: Token) -> Tree | None:
        """Return the atom of a piece that is no operator or parenthesis, or a tree of atoms; None if it has none."""

    def clauses(self) -> list[Clause[Atom]]:
        """Return the clauses of the text; none if it contradicts itself."""
        return self.clauses_of(self.tree())

    def tree(self) -> Tree:
        """Return the text as a tree of atoms."""
        tree = self._query()
        if tree is None:
            raise SubscriptionSyntaxError(
                f"nothing to match in this subscription; give it at least one {self.atom_name}",
                text=self.text,
                position=0,
            )
        return tree

    def conjuncts(self) -> list[tuple[int, int]]:
        """Return start and end of each part of the text that AND joins at the top; one part if OR joins them.

        Parts that ask nothing are left out. The text is one that `tree` takes.
        """
        found: list[tuple[int, int]] = []
        operator = None
        while self._token.kind != "end":
            if self._token.kind == "OR":
                return [(0, len(self.text))]
            if self._token.kind == "AND":
                operator = self.advance()
            start = self._token.position
            part = self._factor(0, operator)
            if part is not None:
                found.append((start, start + len(self.text[start : self._token.position].rstrip())))
        return found

    def clauses_of(self, tree: Tree) -> list[Clause[Atom]]:
        """Return the clauses of a tree; all trees of a text share one budget."""
        return [Clause(*found) for found in factor(tree, self.budget)]

    def advance(self) -> Token:
        """Pass over a piece, and return it."""
        token = self._token
        self._token = next(self._tokens, token)
        return token

    def unjoined(self, token: Token) -> SubscriptionSyntaxError:
        """Return the error for a piece without an operator before it."""
        return self.error(f"expected AND, OR or the end before {shown(token.text)}", token)

    def error(self, message: str, token: Token) -> SubscriptionSyntaxError:
        """Return an error at a piece of the text."""
        return SubscriptionSyntaxError(message, text=self.text, position=token.position)

    def _query(self) -> Tree | None:
        if self._token.kind == "end":
            return None
        tree = self._alternatives(0)
        if self._token.kind == "close":
            raise self.error("this parenthesis was never opened", self._token)
        if self._token.kind == "comma":
            raise self.unjoined(self._token)
        return tree

    def _alternatives(self, depth: int) -> Tree | None:
        parts = [self._conjunction(depth, None)]
        while self._token.kind == "OR":
            parts.append(self._conjunction(depth, self.advance()))
        return _joined(Or, parts)

    def _conjunction(self, depth: int, operator: Token | None) -> Tree | None:
        parts = [self._factor(depth, operator)]
        while self._token.kind not in ("OR", "close", "comma", "end"):
            if self._token.kind != "AND" and not self.implicit_and:
                raise self.unjoined(self._token)
            parts.append(self._factor(depth, self.advance() if self._token.kind == "AND" else None))
        return _joined(And, parts)

    def _factor(self, depth: int, operator: Token | None) -> Tree | None:
        negated = False
        while self._token.kind == "NOT":
            operator = self.advance()
            negated = not negated
            depth = self._deeper(depth, operator)
        token = self._token
        if token.kind in ("AND", "OR", "near"):
            raise self.error(f"{token.text} needs a {self.atom_name} on its left", token)
        if token.kind in ("close", "comma", "end"):
            if operator is not None:
                raise self.error(f"{operator.text} needs a {self.atom_name} on its right", operator)
            if token.kind == "comma":
                raise self.error(f"there is no {self.atom_name} before this comma", token)
            raise self.error("this parenthesis has nothing to close", token)
        self.advance()
        part = self._some_of(depth, token) if token.kind == "of" else self.operand(depth, token)
        return Not(part) if negated and part is not None else part

    def operand(self, depth: int, token: Token) -> Tree | None:
        """Return a group or an atom that begins with a piece."""
        return self._group(depth, token) if token.kind == "open" else self.atom(token)

    def _group(self, depth: int, opened: Token) -> Tree | None:
        depth = self._deeper(depth, opened)
        if self._token.kind == "close":
            raise self.error("there is nothing between these parentheses", opened)
        if self._token.kind == "end":
            raise self.error("this parenthesis is never closed; add the closing )", opened)
        part = self._alternatives(depth)
        if self._token.kind == "comma":
            raise self.unjoined(self._token)
        if self._token.kind != "close":
            raise self.error("this parenthesis is never closed; add the closing )", opened)
        self.advance()
        return part

    def _some_of(self, depth: int, token: Token) -> Tree | None:
        """Return what follows ``2 OF``: parts in parentheses, between commas. Parts that ask nothing are left out."""
        opened = self.advance()
        depth = self._deeper(depth, opened)
        if self._token.kind == "close":
            raise self.error("there is nothing between these parentheses", opened)
        parts, written = [self._alternatives(depth)], 1
        while self._token.kind == "comma":
            comma = self.advance()
            if self._token.kind == "close":
                raise self.error(f"there is no {self.atom_name} behind this comma", comma)
            parts.append(self._alternatives(depth))
            written += 1
        if self._token.kind != "close":
            raise self.error("this parenthesis is never closed; add the closing )", opened)
        self.advance()
        count = int(token.text.split()[0])
        if not 1 <= count <= written:
            raise self.error(f"{count} of {written} parts cannot be asked for; write 1 to {written}", token)
        kept = [part for part in parts if part is not None]
        return at_least(min(count, len(kept)), kept) if kept else None

    def _deeper(self, depth: int, token: Token) -> int:
        if depth == self.limits.depth:
            raise self.error(f"nested more than max_depth={self.limits.depth} deep", token)
        return depth + 1


def _joined(operator: type[And] | type[Or], parts: list[Tree | None]) -> Tree | None:
    kept = [part for part in parts if part is not None]
    return operator(kept) if len(kept) > 1 else (kept[0] if kept else None)
