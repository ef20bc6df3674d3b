"""The program of a clause: the checks of an event after one of the clause's rows was found in it.

``"debt crisis" NOT imf`` asks for a phrase and forbids a term; with debt 0, crisis 1 and imf 2 its program is
``4 0 1  3 2``. A factored clause goes on with its ORs. ``(a OR b OR NOT c) AND (d OR (e AND f))``, its atoms numbered
from 0, is::

    0    -3 0 2 5          one of the literals a, b, ¬c
    4    ELSE 6            if a check fails from here on, go on 6 words from here
    6    2 3               d
    8    SKIP 8            past the OR
    10   ELSE 0            if a check fails from here on, the clause fails
    12   2 4   2 5         e, and f
    16   ELSE 0            and so on after the OR

``2 OF (a, b, NOT c)`` is ``SOME 3 2  0 2 5``. Where a part is more than a literal, as in ``2 OF (a, b AND c, d)``, a
counter of this level of counts, here level 0, is kept::

    0    ZERO 0
    2    ELSE 8            if a check fails from here on, go on 8 words from here
    4    2 0               a
    6    HIT 0 2 18        one more of level 0; if that makes 2, go on 18 words from here
    10   ELSE 10 ...       and so on with the other parts
         ELSE 0
         FAIL              the count was not reached
    24

`kernels.sets.clauses` has the words and runs them; `kernels.predicates.programs` runs them for `auto` of predicates.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from watchword.kernels.sets.clauses import ELSE, FAIL, HIT, PROXIMITY, SEE, SKIP, SOME, ZERO
from watchword.kernels.sets.proximity import atoms_of as atoms_of_check
from watchword.sets.boolean import And, AtLeast, Clause, Not, Or, Tree
from watchword.sets.factoring import every_atom

Names = tuple[Any, ...]
"""What an atom of a clause is called: one name, or several that must be adjacent, in order."""


class Check(ABC):
    """An atom that asks for more of its terms than that they are there, or stand side by side."""

    __slots__ = ()

    @property
    @abstractmethod
    def names(self) -> Names:
        """Return the names of the terms that an event has wherever the atom holds."""

    @property
    @abstractmethod
    def every_name(self) -> Names:
        """Return the names of all its terms."""

    @property
    @abstractmethod
    def sample(self) -> Names:
        """Return names that satisfy it in this order, as far as one can tell."""

    @abstractmethod
    def operands(self, numbers: Mapping[Any, int]) -> list[int]:
        """Return the check in words of a program; `numbers` are those of its names."""


ClauseAtom = Any
"""What an atom of a clause is: `Names` or a `Check`."""


def names_of(atom: ClauseAtom) -> Names:
    """Return the names of the terms that an event has wherever an atom holds."""
    return atom.names if isinstance(atom, Check) else atom


_OPERANDS = {SEE: 1, ELSE: 1, SKIP: 1, ZERO: 1, HIT: 3, FAIL: 0}
"""How many words follow the heads that name no atom."""

Number = Callable[[Sequence[Any]], list[int]]
"""Returns the numbers of names."""


def program_of(clause: Clause[ClauseAtom], number: Number, with_forbidden: bool) -> list[int]:
    """Return the program of a clause: its phrases, its forbidden atoms if that is asked for, and its ORs.

    >>> clause = Clause((("debt", "crisis"),), (("imf",),))
    >>> program_of(clause, lambda names: [["debt", "crisis", "imf"].index(name) for name in names], True)
    [4, 0, 1, 3, 2]
    """
    parts: list[Tree] = [atom for atom in clause.required if isinstance(atom, Check) or len(atom) > 1]
    if with_forbidden:
        parts += [Not(names) for names in clause.forbidden]
    parts += [tree for tree in clause.rest if not _is_decided(tree, clause.keys)]
    if not parts:
        return []
    names = dict.fromkeys(
        name
        for part in parts
        for atom in every_atom(part)
        for name in (atom.every_name if isinstance(atom, Check) else atom)
    )
    writer = _Writer(dict(zip(names, number(list(names)), strict=True)))
    for part in parts:
        writer.write(part, None)
    return writer.finish()


def atoms_in(program: Sequence[int]) -> Iterator[int]:
    """Yield the atoms of a program, some perhaps several times.

    >>> list(atoms_in([4, 0, 1, -3, 0, 2, 5]))
    [0, 1, 0, 1, 2]
    """
    at = 0
    while at < len(program):
        head = program[at]
        if head in _OPERANDS:
            at += 1 + _OPERANDS[head]
        elif head == SOME:
            count = program[at + 1]
            yield from (literal >> 1 for literal in program[at + 3 : at + 3 + count])
            at += 3 + count
        elif head >= PROXIMITY:
            yield from atoms_of_check(program[at + 2 : at + 2 + program[at + 1]])
            at += 2 + program[at + 1]
        elif head < 0:
            yield from (literal >> 1 for literal in program[at + 1 : at + 1 - head])
            at += 1 - head
        else:
            yield from program[at + 1 : at + 1 + (head >> 1)]
            at += 1 + (head >> 1)


def _is_decided(tree: Tree, keys: Sequence[tuple[ClauseAtom, ...]]) -> bool:
    """Return whether an OR holds in every event that has one of the keys: each key has one of its plain atoms.

    >>> _is_decided(Or((("a",), ("b",))), [(("a",), ("c",)), (("b",), ("c",))])
    True
    """
    if not keys or not isinstance(tree, Or):
        return False
    plain = {part for part in tree.parts if type(part) is tuple and len(part) == 1}
    return all(not plain.isdisjoint(key) for key in keys)


class _Label:
    """A place in a program that is not known yet."""

    place = 0


class _Writer:
    """Writes checks; `None` as the label where to go on means that the clause fails."""

    def __init__(self, numbers: dict[Any, int]) -> None:
        self._numbers = numbers
        self._words: list[int] = []
        self._waiting: list[tuple[int, int, _Label]] = []
        """Words that are to have the distance from a head to a label, with the place of the head."""
        self._level = 0

    def write(self, tree: Tree, otherwise: _Label | None) -> None:
        """Write the checks of a tree; one that fails leads to `otherwise`, and an OR leaves it so."""
        if isinstance(tree, And):
            for part in tree.parts:
                self.write(part, otherwise)
        elif isinstance(tree, Or):
            self._choice(tree, otherwise)
        elif isinstance(tree, AtLeast):
            self._some_of(tree, otherwise)
        else:
            atom, negated = (tree.part, True) if isinstance(tree, Not) else (tree, False)
            if isinstance(atom, Check):
                operands = atom.operands(self._numbers)
                self._words += [PROXIMITY + negated, len(operands), *operands]
                return
            self._words += [2 * len(atom) + negated, *(self._numbers[name] for name in atom)]

    def finish(self) -> list[int]:
        """Return the program."""
        for at, head, label in self._waiting:
            self._words[at] = label.place - head
        return self._words

    def _choice(self, tree: Or, otherwise: _Label | None) -> None:
        """Write an OR: its literals as one check, then its other parts, each led to where the one before it fails."""
        literals = [found for part in tree.parts if (found := self._literal(part)) is not None]
        others = [part for part in tree.parts if self._literal(part) is None]
        if not others:
            self._any_of(literals)
            return
        end = _Label()
        if literals:
            following = self._begin()
            self._any_of(literals)
            self._end(end, following)
        for part in others[:-1]:
            following = self._begin()
            self.write(part, following)
            self._end(end, following)
        self._lead(ELSE, otherwise)
        self.write(others[-1], otherwise)
        end.place = len(self._words)
        self._lead(ELSE, otherwise)

    def _some_of(self, tree: AtLeast, otherwise: _Label | None) -> None:
        """Write a count of parts: as one check if they are literals, else part by part, with a counter."""
        literals = [found for part in tree.parts if (found := self._literal(part)) is not None]
        if len(literals) == len(tree.parts):
            self._words += [SOME, len(literals), tree.least, *literals]
            return
        end, level = _Label(), self._level
        self._words += [ZERO, level]
        self._level += 1
        for part in tree.parts:
            following = self._begin()
            self.write(part, following)
            self._waiting.append((len(self._words) + 3, len(self._words), end))
            self._words += [HIT, level, tree.least, 0]
            following.place = len(self._words)
        self._level = level
        self._lead(ELSE, otherwise)
        self._words.append(FAIL)
        end.place = len(self._words)
        self._lead(ELSE, otherwise)

    def _begin(self) -> _Label:
        """Begin a part of an OR; returns the label of the next part."""
        following = _Label()
        self._lead(ELSE, following)
        return following

    def _end(self, end: _Label, following: _Label) -> None:
        """End a part of an OR, which holds where this is reached."""
        self._lead(SKIP, end)
        following.place = len(self._words)

    def _any_of(self, literals: list[int]) -> None:
        if len(literals) == 1:
            self._words += [2 + (literals[0] & 1), literals[0] >> 1]
        else:
            self._words += [-len(literals), *literals]

    def _literal(self, part: Tree) -> int | None:
        """Return a part as a literal, ``atom << 1 | negated``; None if it is more than one atom."""
        names = part.part if isinstance(part, Not) else part
        if isinstance(names, And | Or | AtLeast | Check) or len(names) > 1:
            return None
        return self._numbers[names[0]] << 1 | isinstance(part, Not)

    def _lead(self, head: int, label: _Label | None) -> None:
        """Write a word that leads to a label."""
        if label is not None:
            self._waiting.append((len(self._words) + 1, len(self._words), label))
        self._words += [head, 0]
