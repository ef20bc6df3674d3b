"""Clauses of a text whose OR and NOT would multiply: some ORs choose rows, all others are checked afterwards.

``(a1 OR … OR a40) AND (b1 OR … OR b40)`` multiplies into 1,600 conjunctions. Factored it is one clause: its *keys* are
a1 to a40 (an event must have one of them), and its *rest* is both ORs, which decide. The rows of the clause are its
required atoms with each of its keys: 40 rows, and one program of 80 atoms. So what a text costs grows with its length.

``2 OF (a, b, c)`` is never multiplied: wherever two of the three hold, one of any two of them does, so two are its
keys, and a program counts. Its negation is ``2 OF (NOT a, NOT b, NOT c)``.

A text is multiplied out as long as that is small: into at most `ROOM` atoms, or four for each atom of the text, or
`FEW` clauses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from operator import itemgetter
from typing import Any, NamedTuple

from watchword.errors import SubscriptionSyntaxError
from watchword.sets.dnf import And, AtLeast, Budget, Draft, Guarded, Not, Or, Tree, normal_form

ROOM = 64
"""How many atoms the clauses of a short text may have together before it is factored."""

FEW = 32
"""Up to how many clauses any text is multiplied out. `kernels.keywords.dnf`, which compiles in bulk, leaves texts of
more clauses to this file, so both make the same clauses of a text."""

_GROWTH = 4
"""How many atoms the clauses of a long text may have for each atom of the text."""

_KEYS = 16
"""Up to how many keys several ORs are multiplied into; a single OR may have any number."""

_MOST = 1 << 40
"""Where counting ends, so that numbers stay small."""


class Factored(NamedTuple):
    """A clause: atoms that must and must not hold, trees that must hold, and keys. A key is a set of atoms; in every
    event that the clause matches, all atoms of at least one key hold. Without keys nothing is known of that."""

    required: tuple[Any, ...]
    forbidden: tuple[Any, ...]
    rest: tuple[Tree, ...] = ()
    keys: tuple[tuple[Any, ...], ...] = ()


def factor(tree: Tree, budget: Budget) -> list[Factored]:
    """Return the clauses of `tree`: it holds where a clause holds. There are none if it contradicts itself.

    >>> factor(And(["a", Or(["b", "c"]), Not("d")]), Budget("", 256, 1000))
    [Factored(required=('a', 'b'), forbidden=('d',), rest=(), keys=()), \
Factored(required=('a', 'c'), forbidden=('d',), rest=(), keys=())]
    >>> many = [Or([f"{name}{number}" for number in range(40)]) for name in "ab"]
    >>> (clause,) = factor(And(["c", *many]), Budget("", 256, 1000))
    >>> clause.required, clause.keys[:2], len(clause.keys), len(clause.rest)
    (('c',), (('a0',), ('a1',)), 40, 2)
    """
    if not isinstance(tree, And | Or | Not | AtLeast):
        return [Factored((tree,), ())]
    node = _with_inner_negations(tree, False, budget)
    drafts = None if _counts(node) else _drafts(tree, node, budget)
    if drafts is not None:
        return [Factored(tuple(required), tuple(forbidden)) for required, forbidden in drafts]
    if isinstance(node, Or):
        found = dict.fromkeys(clause for part in node.parts for clause in factor(part, budget))
        budget.check_clauses(len(found))
        return list(found)
    return _conjunction(node, budget)


def _drafts(tree: Tree, node: Tree, budget: Budget) -> list[Draft] | None:
    """Return the clauses of a tree, which is `node` with inner negations; None if they would be many."""
    return normal_form(tree, budget) if _is_small(node) else _few_drafts(tree, budget)


def _counts(node: Tree) -> bool:
    """Return whether a tree counts its parts somewhere."""
    return isinstance(node, AtLeast) or (isinstance(node, And | Or) and any(map(_counts, node.parts)))


def _is_small(node: Tree) -> bool:
    _, atoms, literals = _measure(node)
    return atoms <= max(ROOM, _GROWTH * literals)


def _few_drafts(tree: Tree, budget: Budget) -> list[Draft] | None:
    """Return the clauses of a tree, None if they would be more than `FEW` at any moment."""
    attempt = budget.with_clauses(FEW)
    try:
        return normal_form(tree, attempt)
    except SubscriptionSyntaxError:
        return None
    finally:
        budget.spend(attempt.steps)


def _measure(node: Tree) -> tuple[int, int, int]:
    """Return how many clauses a tree multiplies into, how many atoms these have, and how many the tree has.

    >>> _measure(And(("a", Or(("b", "c")), Or(("d", "e")))))
    (4, 12, 5)
    """
    if not isinstance(node, And | Or):
        return 1, 1, 1
    parts = [_measure(part) for part in node.parts]
    literals = sum(part[2] for part in parts)
    if isinstance(node, Or):
        return sum(part[0] for part in parts), sum(part[1] for part in parts), literals
    clauses, atoms = 1, 0
    for part in parts:
        clauses, atoms = min(clauses * part[0], _MOST), min(atoms * part[0] + part[1] * clauses, _MOST)
    return clauses, atoms, literals


def _with_inner_negations(tree: Tree, negated: bool, budget: Budget) -> Tree:
    """Return a tree, or its negation, in which only atoms are negated, AND and OR alternate, and parts are distinct."""
    if isinstance(tree, Not):
        return _with_inner_negations(tree.part, not negated, budget)
    if isinstance(tree, Guarded) and negated:
        return _with_inner_negations(tree.parts[-1], True, budget)
    if isinstance(tree, AtLeast):
        budget.spend(len(tree.parts))
        count = len(tree.parts) - tree.least + 1 if negated else tree.least
        return AtLeast(count, tuple(_with_inner_negations(part, negated, budget) for part in tree.parts))  # type: ignore[arg-type]
    if not isinstance(tree, And | Or):
        return Not(tree) if negated else tree
    kind: Any = And if isinstance(tree, And) != negated else Or
    parts: dict[tuple[type, Tree], Tree] = {}  # by type, too: And and Or of the same parts are equal as tuples
    for part in tree.parts:
        found = _with_inner_negations(part, negated, budget)
        parts.update({(type(one), one): one for one in (found.parts if type(found) is kind else [found])})
    budget.spend(len(parts))
    return kind(tuple(parts.values())) if len(parts) > 1 else next(iter(parts.values()))


def _conjunction(node: And | AtLeast, budget: Budget) -> list[Factored]:
    """Return a conjunction as one clause; none if its own literals contradict each other."""
    parts = node.parts if isinstance(node, And) else [node]
    choices = tuple(part for part in parts if isinstance(part, Or | AtLeast))
    forbidden = tuple(part.part for part in parts if isinstance(part, Not))
    required = tuple(part for part in parts if not isinstance(part, Or | AtLeast | Not))
    if not set(required).isdisjoint(forbidden):
        return []
    keys = dict.fromkeys(tuple(atom for atom in key if atom not in required) for key in _keys(choices))
    budget.check_clauses(len(keys))
    budget.spend(sum(map(len, keys)))
    return [Factored(required, forbidden, choices, tuple(keys) if all(keys) else ())]


def _keys(choices: tuple[Or | AtLeast, ...]) -> list[tuple[Any, ...]]:
    """Return the keys of a conjunction of ORs: those of the OR with the fewest, multiplied with the next ORs while they
    stay few; one empty key where every OR may hold without any atom."""
    found: list[tuple[Any, ...]] = [()]
    for keys in sorted(filter(None, map(_keys_of, choices)), key=len):
        if found != [()] and len(found) * len(keys) > _KEYS:
            break
        found = [tuple(dict.fromkeys(left + right)) for left, right in product(found, keys)]
    return found


def _keys_of(node: Tree) -> list[tuple[Any, ...]] | None:
    """Return keys of a tree: wherever it holds, one of these sets of atoms holds. None if it may hold without any.

    >>> _keys_of(Or(("a", And(("b", Not("c"))), And((Or(("d", "e")), Or(("f", "g", "h")))))))
    [('a',), ('b',), ('d',), ('e',)]
    >>> _keys_of(AtLeast(2, ("ferry", "sea", "storm", Not("calm"))))
    [('ferry',), ('storm',), ('sea',)]
    """
    if isinstance(node, Not):
        return None
    if isinstance(node, Or):
        parts = [_keys_of(part) for part in node.parts]
        return None if None in parts else [key for part in parts if part is not None for key in part]
    if isinstance(node, AtLeast):
        found = sorted(filter(None, map(_keys_of, node.parts)), key=_commonness)
        needed = len(node.parts) - node.least + 1
        return [key for keys in found[:needed] for key in keys] if len(found) >= needed else None
    if isinstance(node, And):
        single = tuple(part for part in node.parts if not isinstance(part, Or | AtLeast | Not))
        if single:
            return [single]
        return min(filter(None, map(_keys_of, node.parts)), key=len, default=None)
    return [(node,)]


def _commonness(keys: list[tuple[Any, ...]]) -> tuple[int, int]:
    """Return a rank of a part's keys by how often they hold, as far as one can tell: few keys come first, and of those
    keys with long words, which are rare."""
    return len(keys), -min(max(map(_word_length, key)) for key in keys)


def _word_length(atom: Any) -> int:
    words = (atom,) if isinstance(atom, str) else atom if type(atom) is tuple else ()
    return max((len(word) for word in words if isinstance(word, str)), default=0)


def every_atom(tree: Tree) -> Iterator[Any]:
    """Yield each atom of a tree, wherever its negations are, as often as it stands there."""
    if isinstance(tree, Not):
        yield from every_atom(tree.part)
    elif isinstance(tree, And | Or | AtLeast):
        for part in tree.parts:
            yield from every_atom(part)
    else:
        yield tree


def replaced(tree: Tree, atom: Callable[[Any], Any]) -> Tree:
    """Return a tree with ``atom(a)`` for each atom `a`."""
    if isinstance(tree, Not):
        return Not(replaced(tree.part, atom))
    if isinstance(tree, And | Or | AtLeast):
        return tree._replace(parts=tuple([replaced(part, atom) for part in tree.parts]))  # type: ignore[arg-type]
    return atom(tree)


def nearest_choice(tree: Tree, holds: Callable[[Any], bool]) -> tuple[int, list[Tree]]:
    """Return the literals of the way to satisfy a tree that fails the fewest of them, and how many fail.

    >>> nearest_choice(Or((And(("a", "b", "c")), And(("d", Not("e"))))), {"a", "d", "e"}.__contains__)
    (1, ['d', Not(part='e')])
    """
    if isinstance(tree, And):
        parts = [nearest_choice(part, holds) for part in tree.parts]
        return sum(failures for failures, _ in parts), [one for _, literals in parts for one in literals]
    if isinstance(tree, Or):
        return min((nearest_choice(part, holds) for part in tree.parts), key=itemgetter(0))
    if isinstance(tree, AtLeast):
        found = sorted((nearest_choice(part, holds) for part in tree.parts), key=itemgetter(0))[: tree.least]
        return sum(failures for failures, _ in found), [one for _, literals in found for one in literals]
    fails = holds(tree.part) if isinstance(tree, Not) else not holds(tree)
    return int(fails), [tree]


def show_tree(tree: Tree, show: Callable[[Any], str], around: type | None = None) -> str:
    """Return a tree as it is written, in parentheses where the tree around it needs them.

    >>> show_tree(And((Or(("a", "b")), Not("c"))), str)
    '(a OR b) AND NOT c'
    >>> show_tree(And((AtLeast(2, ("a", "b", Or(("c", "d")))), "e")), str)
    '2 OF (a, b, c OR d) AND e'
    """
    if isinstance(tree, Not):
        return f"NOT {show_tree(tree.part, show, Not)}"
    if isinstance(tree, AtLeast):
        return f"{tree.least} OF ({', '.join(show_tree(part, show) for part in tree.parts)})"
    if not isinstance(tree, And | Or):
        return show(tree)
    word = " AND " if isinstance(tree, And) else " OR "
    text = word.join(show_tree(part, show, type(tree)) for part in tree.parts)
    return text if around is None else f"({text})"
