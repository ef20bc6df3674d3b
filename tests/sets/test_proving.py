"""The tableau finds a choice of atoms exactly where a truth table has one."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from watchword.index.covering import OutOfStepsError, Steps
from watchword.sets.dnf import And, Not, Or
from watchword.sets.held import held
from watchword.sets.proving import atoms_of, find_choice

ATOMS = "abcde"
LINKS: dict[str, list[str]] = {"a": ["b"], "b": ["c"], "d": ["c", "e"]}


def tree(draw: random.Random, depth: int) -> Any:
    kind = draw.choice(["atom", "atom", "not", "and", "or"] if depth else ["atom"])
    if kind == "atom":
        return draw.choice(ATOMS)
    if kind == "not":
        return Not(tree(draw, depth - 1))
    return (And if kind == "and" else Or)([tree(draw, depth - 1) for _ in range(draw.randint(2, 4))])


def choices(linked: bool) -> list[dict[str, bool]]:
    every = [dict(zip(ATOMS, values, strict=True)) for values in product([False, True], repeat=len(ATOMS))]
    return [one for one in every if not linked or all(one[b] for a, others in LINKS.items() if one[a] for b in others)]


def holds(query: Any, choice: dict[str, bool]) -> bool:
    return held(query, choice.__getitem__) is not None


@pytest.mark.parametrize("linked", [False, True])
def test_a_choice_is_found_exactly_where_a_truth_table_has_one(linked: bool) -> None:
    draw, table = random.Random(5), choices(linked)
    found = 0
    for _ in range(300):
        one, other = tree(draw, 4), tree(draw, 4)
        choice = find_choice([(one, True), (other, False)], LINKS if linked else {}, Steps(100_000))
        expected = [row for row in table if holds(one, row) and not holds(other, row)]
        assert (choice is None) == (not expected)
        found += choice is not None
        if choice is not None:  # however the atoms are that it leaves open, both hold, if the links do
            agree = [row for row in table if choice.items() <= row.items()]
            assert agree and all(row in expected for row in agree)
    assert 50 < found < 250


def test_a_search_ends_with_its_steps() -> None:
    with pytest.raises(OutOfStepsError):
        find_choice([(And([Or(["a", "b"]), Or(["c", "d"])]), True)], {}, Steps(3))
    assert find_choice([], {}, Steps(1)) == {}
    assert atoms_of(Or(["b", Not(And(["a", "b"]))])) == ["b", "a"]
