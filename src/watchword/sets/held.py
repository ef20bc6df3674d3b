"""Which atoms make a query hold: the atoms that are asked for in its parts that hold.

held(greece AND (crisis OR bailout) NOT imf)      where greece and bailout hold: greece, bailout
                                                  where imf holds, too: None, the query does not hold
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from watchword.sets.boolean import Clause
from watchword.sets.dnf import And, AtLeast, Guarded, Not, Or, Tree


def held(tree: Tree, holds: Callable[[Any], bool], negated: bool = False) -> list[Any] | None:
    """Return the atoms that make a tree, or its negation, hold; None if it does not hold.

    >>> held(And(["a", Or(["b", "c", "d"]), Not("e")]), {"a", "b", "d"}.__contains__)
    ['a', 'b', 'd']
    >>> two = AtLeast(2, ["a", "b", "c"])
    >>> held(two, {"a", "c"}.__contains__), held(two, {"b"}.__contains__)
    (['a', 'c'], None)
    >>> held(Not("a"), set().__contains__), held(Not("a"), {"a"}.__contains__)
    ([], None)
    """
    if isinstance(tree, Not):
        return held(tree.part, holds, not negated)
    if isinstance(tree, Guarded):
        return held(tree.parts[-1], holds, negated)
    if not isinstance(tree, And | Or | AtLeast):
        return None if holds(tree) == negated else [] if negated else [tree]
    parts = [held(part, holds, negated) for part in tree.parts]
    kept = [part for part in parts if part is not None]
    if len(kept) < needed(tree, negated):
        return None
    return [atom for part in kept for atom in part]


def needed(tree: And | Or | AtLeast, negated: bool = False) -> int:
    """Return how many parts of a tree must hold, or fail, so that it holds, or its negation does.

    >>> needed(AtLeast(2, ["a", "b", "c", "d"])), needed(AtLeast(2, ["a", "b", "c", "d"]), negated=True)
    (2, 3)
    """
    count = tree.least if isinstance(tree, AtLeast) else len(tree.parts) if isinstance(tree, And) else 1
    return len(tree.parts) - count + 1 if negated else count


def tree_of(clause: Clause[Any]) -> And:
    """Return a clause as a tree."""
    return And([*clause.required, *map(Not, clause.forbidden), *clause.rest])
