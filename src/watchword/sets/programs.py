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

`kernels.sets.clauses` has the words and runs them; `kernels.predicates.programs` runs them for `auto` of predicates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from watchword.kernels.sets.clauses import ELSE, SEE, SKIP
from watchword.sets.boolean import And, Clause, Not, Or, Tree
from watchword.sets.factoring import every_atom

Names = tuple[Any, ...]
"""What an atom of a clause is called: one name, or several that must be adjacent, in order."""

Number = Callable[[Sequence[Any]], list[int]]
"""Returns the numbers of names."""


def program_of(clause: Clause[Names], number: Number, with_forbidden: bool) -> list[int]:
    """Return the program of a clause: its phrases, its forbidden atoms if that is asked for, and its ORs.

    >>> clause = Clause((("debt", "crisis"),), (("imf",),))
    >>> program_of(clause, lambda names: [["debt", "crisis", "imf"].index(name) for name in names], True)
    [4, 0, 1, 3, 2]
    """
    parts: list[Tree] = [names for names in clause.required if len(names) > 1]
    if with_forbidden:
        parts += [Not(names) for names in clause.forbidden]
    parts += [tree for tree in clause.rest if not _is_decided(tree, clause.keys)]
    if not parts:
        return []
    names = dict.fromkeys(name for part in parts for atom in every_atom(part) for name in atom)
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
        if head in (SEE, ELSE, SKIP):
            at += 2
        elif head < 0:
            yield from (literal >> 1 for literal in program[at + 1 : at + 1 - head])
            at += 1 - head
        else:
            yield from program[at + 1 : at + 1 + (head >> 1)]
            at += 1 + (head >> 1)


def _is_decided(tree: Tree, keys: Sequence[tuple[Names, ...]]) -> bool:
    """Return whether an OR holds in every event that has one of the keys: each key has one of its plain atoms.

    >>> _is_decided(Or((("a",), ("b",))), [(("a",), ("c",)), (("b",), ("c",))])
    True
    """
    if not keys or not isinstance(tree, Or):
        return False
    plain = {part for part in tree.parts if not isinstance(part, And | Or | Not) and len(part) == 1}
    return all(not plain.isdisjoint(key) for key in keys)


class _Label:
    """A place in a program that is not known yet."""

    place = 0


class _Writer:
    """Writes checks; `None` as the label where to go on means that the clause fails."""

    def __init__(self, numbers: dict[Any, int]) -> None:
        self._numbers = numbers
        self._words: list[int] = []
        self._waiting: list[tuple[int, _Label]] = []
        """Words that are to have the distance from the word before them to a label."""

    def write(self, tree: Tree, otherwise: _Label | None) -> None:
        """Write the checks of a tree; one that fails leads to `otherwise`, and an OR leaves it so."""
        if isinstance(tree, And):
            for part in tree.parts:
                self.write(part, otherwise)
        elif isinstance(tree, Or):
            self._choice(tree, otherwise)
        else:
            names = tree.part if isinstance(tree, Not) else tree
            numbers = [self._numbers[name] for name in names]
            self._words += [2 * len(numbers) + isinstance(tree, Not), *numbers]

    def finish(self) -> list[int]:
        """Return the program."""
        for at, label in self._waiting:
            self._words[at] = label.place - at + 1
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
        if isinstance(names, And | Or) or len(names) > 1:
            return None
        return self._numbers[names[0]] << 1 | isinstance(part, Not)

    def _lead(self, head: int, label: _Label | None) -> None:
        """Write a word that leads to a label."""
        if label is not None:
            self._waiting.append((len(self._words) + 1, label))
        self._words += [head, 0]
