"""Which atoms make a query hold: the atoms that are asked for in its parts that hold.

held(greece AND (crisis OR bailout) NOT imf)      where greece and bailout hold: greece, bailout
                                                  where imf holds, too: None, the query does not hold
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from watchword.sets.boolean import Clause
from watchword.sets.dnf import And, Not, Or, Tree


def held(tree: Tree, holds: Callable[[Any], bool], negated: bool = False) -> list[Any] | None:
    """Return the atoms that make a tree, or its negation, hold; None if it does not hold.

    >>> held(And(["a", Or(["b", "c", "d"]), Not("e")]), {"a", "b", "d"}.__contains__)
    ['a', 'b', 'd']
    >>> held(Not("a"), set().__contains__), held(Not("a"), {"a"}.__contains__)
    ([], None)
    """
    if isinstance(tree, Not):
        return held(tree.part, holds, not negated)
    if not isinstance(tree, And | Or):
        return None if holds(tree) == negated else [] if negated else [tree]
    parts = [held(part, holds, negated) for part in tree.parts]
    kept = [part for part in parts if part is not None]
    if not kept or (isinstance(tree, And) != negated and len(kept) < len(parts)):
        return None
    return [atom for part in kept for atom in part]


def tree_of(clause: Clause[Any]) -> And:
    """Return a clause as a tree."""
    return And([*clause.required, *map(Not, clause.forbidden), *clause.rest])
