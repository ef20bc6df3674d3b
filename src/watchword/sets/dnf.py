"""From a tree of AND, OR and NOT to clauses: the disjunctive normal form, at a cost that is counted.

``a AND (b OR c) AND NOT d`` multiplies into ``a b -d`` and ``a c -d``. What OR and NOT multiply into may be far larger
than the text, so two things are limited: how many clauses there are at any moment (``max_clauses``), and how many steps
it takes to make and to compare them (``max_work``). A step is an atom that is copied or compared, and each clause adds
`_CLAUSE` steps: merging ``a b`` with ``c -d`` takes 20. The second limit is there for texts that stay below the first
and are expensive all the same, and for users who have raised the first.

A conjunction without alternatives takes a step for each of its atoms, with a NOT among them too: parts that are one
clause each are put together in place (`_runs`), and only parts of several clauses are multiplied.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from watchword.errors import SubscriptionSyntaxError

__all__ = ["And", "AtLeast", "Budget", "Draft", "Guarded", "Not", "Or", "Tree", "at_least", "normal_form"]


_CLAUSE = 16
"""The steps of making or comparing a clause, in addition to those of its atoms."""


class Not(NamedTuple):
    """The negation of a part."""

    part: Any


class And(NamedTuple):
    """All of some parts."""

    parts: list[Any]


class Guarded(And):
    """All of some parts. The last one decides; the others, its guards, follow from it, and lead to it."""


class Or(NamedTuple):
    """One of some parts."""

    parts: list[Any]


class AtLeast(NamedTuple):
    """At least `least` of some parts: more than one, and fewer than all. It is never multiplied out (`factoring`)."""

    least: int
    parts: list[Any]


Tree = Any
"""A query as a tree: an atom, or `Not`, `And`, `Or` or `AtLeast` over trees; None where nothing is asked."""


def at_least(count: int, parts: Sequence[Tree]) -> Tree:
    """Return the tree that holds where `count` of some parts hold; `count` is at least 1, at most their number.

    >>> at_least(1, ["a", "b"]), at_least(2, ["a", "b"]), at_least(2, ["a", "b", "c"])
    (Or(parts=['a', 'b']), And(parts=['a', 'b']), AtLeast(least=2, parts=['a', 'b', 'c']))
    """
    if len(parts) == 1:
        return parts[0]
    if count in (1, len(parts)):
        return (Or if count == 1 else And)(list(parts))
    return AtLeast(count, list(parts))


Draft = tuple[dict[Any, None], dict[Any, None]]
"""A clause under construction: required and forbidden atoms, as dicts for their order."""


class Budget:
    """The limits on one subscription, and `steps`, its cost so far."""

    def __init__(self, text: str, clauses: int, work: int) -> None:
        self._text, self._clauses, self._work = text, clauses, work
        self.steps = 0

    def with_clauses(self, clauses: int) -> Budget:
        """Return a budget of fewer clauses, and of the steps that are left."""
        return Budget(self._text, min(clauses, self._clauses), self._work - self.steps)

    def allows(self, clauses: int, steps: int) -> bool:
        """Return whether a number of clauses, and more steps, stay within the limits."""
        return clauses <= self._clauses and self.steps + steps <= self._work

    def spend(self, steps: int) -> None:
        """Add steps that are about to be done; raises if the limit is exceeded."""
        self.steps += steps
        if self.steps > self._work:
            raise self._refusal(f"its OR and NOT take more than max_work={self._work} steps to multiply out")

    def check_clauses(self, count: int) -> None:
        """Raise if `count` exceeds the limit of clauses."""
        if count > self._clauses:
            raise self._refusal(f"its OR and NOT multiply into more than max_clauses={self._clauses} clauses")

    def _refusal(self, reason: str) -> SubscriptionSyntaxError:
        remedy = "split the subscription, or raise the limit"
        return SubscriptionSyntaxError(f"{reason}; {remedy}", text=self._text, position=0)


def normal_form(tree: Tree, budget: Budget) -> list[Draft]:
    """Return the clauses of `tree`, without covered ones; an empty list if it contradicts itself.

    >>> normal_form(And(["a", Or(["b", "c"]), Not("d")]), Budget("", 256, 1000))
    [({'a': None, 'b': None}, {'d': None}), ({'a': None, 'c': None}, {'d': None})]
    """
    return _without_covered(_drafts(tree, False, budget), budget)


def _drafts(tree: Tree, negated: bool, budget: Budget) -> list[Draft]:
    """Return the clauses of `tree`, or of its negation (De Morgan), contradictions left out."""
    if isinstance(tree, Not):
        return _drafts(tree.part, not negated, budget)
    if isinstance(tree, Guarded) and negated:
        return _drafts(tree.parts[-1], True, budget)
    if isinstance(tree, And | Or):
        drafts = _drafts_of_literals(tree, negated, budget)
        if drafts is not None:
            return drafts
        parts = [_drafts(part, negated, budget) for part in tree.parts]
        if isinstance(tree, And) == negated:
            return _distinct((draft for part in parts for draft in part), budget)
        return _product(parts, budget)
    return [({}, {tree: None})] if negated else [({tree: None}, {})]


def _drafts_of_literals(tree: And | Or, negated: bool, budget: Budget) -> list[Draft] | None:
    """Return what `_drafts` returns, at the same cost, for a tree whose parts are atoms and negated atoms; None for
    any other, and where a limit may be exceeded."""
    required: dict[Any, None] = {}
    forbidden: dict[Any, None] = {}
    for part in tree.parts:
        atom = part.part if isinstance(part, Not) else part
        if isinstance(atom, And | Or | Not):
            return None
        (required if isinstance(part, Not) == negated else forbidden)[atom] = None
    if isinstance(tree, And) != negated:
        budget.spend(len(tree.parts) - 1)
        draft = required, forbidden
        return [] if _contradicts(draft) else [draft]
    steps = (_CLAUSE + 1) * len(tree.parts)
    if (required and forbidden) or not budget.allows(len(required or forbidden), steps):
        return None
    budget.spend(steps)
    return [({atom: None}, {}) for atom in required] or [({}, {atom: None}) for atom in forbidden]


def _product(parts: list[list[Draft]], budget: Budget) -> list[Draft]:
    """Return one clause for each choice of a clause from every part."""
    runs = _runs(parts, budget)
    product = runs[0]
    for run in runs[1:]:
        merged = (_merge(left, right, budget) for left in product for right in run)
        product = _distinct((draft for draft in merged if draft is not None), budget)
    return product


def _runs(parts: list[list[Draft]], budget: Budget) -> list[list[Draft]]:
    """Return the parts, with neighbours of one clause each put together into one part.

    A draft belongs to one list alone, so the first of the neighbours takes the others in.
    """
    runs: list[list[Draft]] = []
    for is_single, group in groupby(parts, lambda part: len(part) == 1):
        if not is_single:
            runs += group
            continue
        first, *others = (part[0] for part in group)
        for draft in others:
            budget.spend(_size(draft))
            first[0].update(draft[0])
            first[1].update(draft[1])
        runs.append([] if _contradicts(first) else [first])
    return runs


def _merge(left: Draft, right: Draft, budget: Budget) -> Draft | None:
    budget.spend(_CLAUSE + _size(left) + _size(right))
    draft = left[0] | right[0], left[1] | right[1]
    return None if _contradicts(draft) else draft


def _contradicts(draft: Draft) -> bool:
    return bool(draft[1]) and not draft[0].keys().isdisjoint(draft[1])


def _distinct(drafts: Iterable[Draft], budget: Budget) -> list[Draft]:
    """Return the drafts, each once; raises if they exceed the limit of clauses."""
    found: dict[tuple[frozenset[Any], frozenset[Any]], Draft] = {}
    for draft in drafts:
        budget.spend(_CLAUSE + _size(draft))
        found.setdefault((frozenset(draft[0]), frozenset(draft[1])), draft)
        budget.check_clauses(len(found))
    return list(found.values())


def _without_covered(drafts: list[Draft], budget: Budget) -> list[Draft]:
    """Drop each draft that asks for all atoms of another draft: the other one decides.

    Only a smaller one can cover, and one that is itself covered need not be looked at. So they are taken by size, and
    each that stays is filed under its rarest literal, where a larger one will meet it if it has that literal.
    """
    if len({_size(draft) for draft in drafts}) < 2:
        return drafts
    budget.spend(sum(map(_size, drafts)))
    counts = Counter(literal for draft in drafts for literal in _literals(draft))
    filed: dict[tuple[int, Any], list[Draft]] = {}
    kept: set[int] = set()
    for _, group in groupby(sorted(drafts, key=_size), _size):
        staying = [draft for draft in group if not _is_covered(draft, filed, budget)]
        for draft in staying:
            kept.add(id(draft))
            filed.setdefault(min(_literals(draft), key=counts.__getitem__), []).append(draft)
    return [draft for draft in drafts if id(draft) in kept]


def _is_covered(draft: Draft, filed: dict[tuple[int, Any], list[Draft]], budget: Budget) -> bool:
    budget.spend(_CLAUSE + _size(draft))
    for literal in _literals(draft):
        for other in filed.get(literal, ()):
            budget.spend(1 + _size(other))
            if other[0].keys() <= draft[0].keys() and other[1].keys() <= draft[1].keys():
                return True
    return False


def _literals(draft: Draft) -> list[tuple[int, Any]]:
    return [(1, atom) for atom in draft[0]] + [(0, atom) for atom in draft[1]]


def _size(draft: Draft) -> int:
    return len(draft[0]) + len(draft[1])
