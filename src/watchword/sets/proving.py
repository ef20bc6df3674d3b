"""Proves that a query implies another, or finds atoms that satisfy one and not the other: a tableau.

``ferry AND storm`` implies ``ferry OR tide`` if no choice of atoms satisfies the first and the negation of the second::

    ferry, storm                  must hold, for the first
    NOT ferry, NOT tide           must hold, for the negation of the second: ferry does not, so there is no such choice

What must hold is taken apart: an AND into its parts, a NOT into its part; of an OR one part must hold, and each is
tried. ``2 OF (a, b, c)`` is ``(a AND (b OR c)) OR (b AND c)``. Atoms may imply others, as ``"debt crisis"`` implies
``debt``; the language says which. If that leaves an implication out, fewer choices are ruled out, so whatever is proven
is true all the same. A choice that is found need not be that of an event: the language makes one and asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from watchword.index.covering import Steps
from watchword.sets.dnf import And, AtLeast, Not, Or, Tree, at_least
from watchword.sets.factoring import every_atom

_COPIED = 16
"""How many atoms of a choice are copied in the time of a step."""

Signed = tuple[Tree, bool]
"""A tree, and whether it or its negation must hold."""

Choice = dict[Any, bool]
"""Atoms that hold, and atoms that do not; others may do as they like."""

Implied = Mapping[Any, Iterable[Any]]
"""By atom, the atoms that hold wherever it holds."""


def find_choice(wanted: list[Signed], implied: Implied, steps: Steps) -> Choice | None:
    """Return a choice of atoms in which all `wanted` hold; None if there is none.

    >>> find_choice([(And(["a", "b"]), True), (Or(["a", "c"]), False)], {}, Steps(100))
    >>> find_choice([(Or(["a", "b"]), True), ("a", False)], {}, Steps(100))
    {'a': False, 'b': True}
    >>> find_choice([("ab", True), (Or(["a", "c"]), False)], {"ab": ["a"]}, Steps(100))
    """
    implying: dict[Any, list[Any]] = {}
    for atom, others in implied.items():
        for other in others:
            implying.setdefault(other, []).append(atom)
    links = {True: implied, False: implying}
    waiting: list[tuple[Choice, list[list[Signed]], list[Signed]]] = [({}, [], wanted)]
    while waiting:
        choice, ors, more = waiting.pop()
        left = _settle(choice, ors, more, links, steps)
        if left is None:
            continue
        if not left:
            return choice
        steps.spend(len(choice) // _COPIED)
        first = min(left, key=_worth)
        others = [one for one in left if one is not first]
        for number in reversed(range(len(first))):  # the first part is tried first; those before a part fail
            fails = [(tree, not sign) for tree, sign in first[:number]]
            waiting.append((dict(choice), others, [first[number], *fails]))
    return None


def _worth(parts: list[Signed]) -> tuple[bool, int]:
    """Return the rank of an OR: first come ORs with a part that says several things at once, then short ORs.

    ``(a AND b) OR (c AND d)`` decides two atoms with each part, and so settles others; of the negation of ``(a AND b)``
    each part decides one.
    """
    says_more = any(isinstance(tree, And | Or) and isinstance(tree, And) == sign for tree, sign in parts)
    return not says_more, len(parts)


def _settle(
    choice: Choice, ors: list[list[Signed]], more: list[Signed], links: Mapping[bool, Implied], steps: Steps
) -> list[list[Signed]] | None:
    """Add what must hold to a choice, and return the ORs that are still open; None if it cannot hold."""
    while True:
        found = _expand(choice, more, links, steps)
        if found is None:
            return None
        left, more = [], []
        for parts in [*ors, *found]:
            open_parts = []
            for part in parts:
                steps.spend()
                known = _value(part, choice, steps)
                if known:
                    break
                if known is None:
                    open_parts.append(part)
            else:
                if not open_parts:
                    return None
                if len(open_parts) == 1:
                    more += open_parts
                else:
                    left.append(open_parts)
        if not more:
            return left
        ors = left


def _expand(
    choice: Choice, wanted: list[Signed], links: Mapping[bool, Implied], steps: Steps
) -> list[list[Signed]] | None:
    """Add the atoms that must hold, or must not, to a choice; return the ORs of `wanted`, None if it cannot hold."""
    waiting, ors = list(wanted), []
    while waiting:
        steps.spend()
        tree, sign = waiting.pop()
        if isinstance(tree, Not):
            waiting.append((tree.part, not sign))
        elif isinstance(tree, AtLeast):
            waiting.append((_unrolled(tree, sign), True))
        elif isinstance(tree, And | Or):
            parts = [(part, sign) for part in tree.parts]
            if isinstance(tree, And) == sign:
                waiting += parts
            else:
                ors.append(parts)
        elif choice.setdefault(tree, sign) != sign:
            return None
        else:
            waiting += [(other, sign) for other in links[sign].get(tree, ()) if choice.get(other) is not sign]
    return ors


def _unrolled(tree: AtLeast, sign: bool) -> Or:
    """Return a count, or its negation, as the OR of the cases that its first part holds and that it is left out.

    >>> _unrolled(AtLeast(2, ["a", "b", "c"]), True)
    Or(parts=[And(parts=['a', Or(parts=['b', 'c'])]), And(parts=['b', 'c'])])
    """
    count = tree.least if sign else len(tree.parts) - tree.least + 1
    first, *others = tree.parts if sign else [Not(part) for part in tree.parts]
    return Or([And([first, at_least(count - 1, others)]), at_least(count, others)])


def _value(signed: Signed, choice: Choice, steps: Steps) -> bool | None:
    """Return whether a part holds in a choice; None if that is open."""
    tree, sign = signed
    steps.spend()
    if isinstance(tree, Not):
        return _value((tree.part, not sign), choice, steps)
    if isinstance(tree, AtLeast):
        values = [_value((part, True), choice, steps) for part in tree.parts]
        if values.count(True) >= tree.least:
            return sign
        return not sign if len(values) - values.count(False) < tree.least else None
    if not isinstance(tree, And | Or):
        known = choice.get(tree)
        return None if known is None else known == sign
    decides = isinstance(tree, Or) == sign
    every = True
    for part in tree.parts:
        known = _value((part, sign), choice, steps)
        if known == decides:
            return decides
        every = every and known is not None
    return not decides if every else None


def atoms_of(tree: Tree) -> list[Any]:
    """Return the atoms of a tree, each once.

    >>> atoms_of(And(["a", Not(Or(["b", "a"]))]))
    ['a', 'b']
    """
    return list(dict.fromkeys(every_atom(tree)))
