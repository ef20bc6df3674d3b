"""Whether every event that satisfies a rule satisfies another: proven by a tableau, or refuted by an event.

``price > 5 AND name = 'RBS'`` implies ``price > 3``, since ``price > 5`` does. ``price > 3`` does not imply ``price >
5``: the event ``{"price": 3.0000000000000004}`` was made, and satisfies the first only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from watchword.errors import EventError
from watchword.index.covering import Steps
from watchword.predicates.covering import implying
from watchword.predicates.covering.implying import is_impossible
from watchword.predicates.covering.witnesses import events
from watchword.predicates.places import Placer
from watchword.predicates.predicate import Path, Predicate
from watchword.predicates.readers.reader import Surroundings
from watchword.predicates.values import show_value
from watchword.sets.boolean import And, AtLeast, Not, Or, Tree
from watchword.sets.held import tree_of
from watchword.sets.proving import Choice, Implied, Signed, atoms_of, find_choice

Read = Callable[[Any], dict[str, Any]]
"""Returns an event as rules read it, or raises an `EventError`."""


_FEW = 16
"""Up to how many members an IN is compared as an OR of equalities."""


def asked(tree: Tree) -> Tree:
    """Return a rule as it is compared: an IN of few members is an OR of equalities, as it is for every list.

    >>> from watchword.predicates.query import Limits, parse
    >>> ((one,),) = [clause.required for clause in parse("a IN (1, 2)", Limits(256, 64, 1024, 65536))]
    >>> [predicate.written for predicate in asked(one).parts]
    ['= 1', '= 2']
    """
    if isinstance(tree, Not):
        return Not(asked(tree.part))
    if isinstance(tree, And | Or | AtLeast):
        return tree._replace(parts=[asked(part) for part in tree.parts])
    if tree.operator != "IN" or len(tree.constants) > _FEW:
        return tree
    return Or(
        [tree._replace(operator="=", constants=(key,), written=f"= {show_value(key[1])}") for key in tree.constants]
    )


def implies(narrow: Tree, wide: Tree, surroundings: Surroundings, steps: Steps) -> bool:
    """Return whether every event that satisfies `narrow` is proven to satisfy `wide`."""
    given, asks = _conjunction(narrow), _conjunction(wide)
    if given is not None and asks is not None:  # each predicate has to follow from one of the others
        one_implies, near = _implying(surroundings, steps), _Near(given)
        return any(map(is_impossible, given)) or all(
            any(one_implies(one, other) for one in near.to(other)) for other in asks
        )
    return _choice([(narrow, True), (wide, False)], surroundings, steps) is None


def refutes(narrow: Tree, wide: Tree, surroundings: Surroundings, steps: Steps, read: Read) -> bool:
    """Return whether an event is found that satisfies `narrow` and not `wide`."""
    choice = _choice([(narrow, True), (wide, False)], surroundings, steps)
    if choice is None:
        return False
    for event in events(choice, surroundings, lambda one: _object(one, surroundings, steps)):
        steps.spend(100)  # an event is read
        try:
            placer = Placer(read(event), surroundings)
            if placer.satisfies(narrow) and not placer.satisfies(wide):
                return True
        except EventError:  # no event that a schema allows
            continue
    return False


def _choice(wanted: list[Signed], surroundings: Surroundings, steps: Steps) -> Choice | None:
    atoms = dict.fromkeys(atom for tree, _ in wanted for atom in atoms_of(tree))
    never = [(atom, False) for atom in atoms if is_impossible(atom)]
    return find_choice([*wanted, *never], _implied(list(atoms), surroundings, steps), steps)


def _implied(predicates: list[Predicate], surroundings: Surroundings, steps: Steps) -> Implied:
    """Return which predicates imply which others."""
    one_implies, near = _implying(surroundings, steps), _Near(predicates)
    found: dict[Predicate, list[Predicate]] = {}
    for wide in predicates:
        for narrow in near.to(wide):
            if narrow is not wide and one_implies(narrow, wide):
                found.setdefault(narrow, []).append(wide)
    return found


class _Near:
    """Predicates by attribute, to find the few that may imply another."""

    def __init__(self, predicates: list[Predicate]) -> None:
        self._all = predicates
        self._about: dict[Path, list[Predicate]] = {}
        for predicate in predicates:
            self._about.setdefault(predicate.attribute, []).append(predicate)

    def to(self, wide: Predicate) -> list[Predicate]:
        """Return the predicates about the attribute of another; all of them if that may be any attribute."""
        return self._about.get(wide.attribute, []) if wide.attribute else self._all


def _implying(surroundings: Surroundings, steps: Steps) -> Callable[[Predicate, Predicate], bool]:
    """Return the function that says whether a predicate implies another."""

    def inside(narrow: Predicate, wide: Predicate) -> bool:
        return implies(_query(narrow), _query(wide), surroundings.inside(narrow.attribute), steps)

    def one_implies(narrow: Predicate, wide: Predicate) -> bool:
        steps.spend()
        return implying.implies(narrow, wide, surroundings, inside, steps)

    return one_implies


def _conjunction(tree: Tree) -> list[Predicate] | None:
    """Return the predicates of a plain conjunction; None for any other query."""
    parts = tree.parts if isinstance(tree, And) else [tree]
    return parts if all(isinstance(part, Predicate) for part in parts) else None


def _query(predicate: Predicate) -> Tree:
    """Return the query of ANY as a tree."""
    return asked(Or([tree_of(clause) for clause in predicate.constants]))


def _object(predicate: Predicate, surroundings: Surroundings, steps: Steps) -> dict[str, Any] | None:
    """Return an object that may satisfy the query of ANY; None if none can be made."""
    inner = surroundings.inside(predicate.attribute)
    choice = _choice([(_query(predicate), True)], inner, steps)
    if choice is None:
        return None
    return next(events(choice, inner, lambda one: _object(one, inner, steps)), None)
