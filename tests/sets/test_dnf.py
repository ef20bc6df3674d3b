"""Multiplying out OR and NOT: right, counted, limited, and given up at Ctrl-C."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import time
from typing import Any

import pytest

from watchword import KeywordIndex, SubscriptionSyntaxError
from watchword.sets.dnf import And, Budget, Not, Or, normal_form

PLENTY = 1 << 40


def steps(tree: Any) -> int:
    """Return what a tree costs."""
    budget = Budget("", PLENTY, PLENTY)
    normal_form(tree, budget)
    return budget.steps


def holds(tree: Any, atoms: set[str]) -> bool:
    """Say whether a tree holds where these atoms do."""
    if isinstance(tree, Not):
        return not holds(tree.part, atoms)
    if isinstance(tree, And | Or):
        parts = [holds(part, atoms) for part in tree.parts]
        return all(parts) if isinstance(tree, And) else any(parts)
    return tree in atoms


def drawn(random: random.Random, depth: int) -> Any:
    """Return a tree over the atoms a to d."""
    kind = random.randrange(4) if depth else 0
    if kind == 0:
        return random.choice("abcd")
    if kind == 1:
        return Not(drawn(random, depth - 1))
    return (And if kind == 2 else Or)([drawn(random, depth - 1) for _ in range(random.randint(2, 4))])


@pytest.mark.parametrize("seed", range(200))
def test_clauses_hold_where_their_tree_does_and_none_covers_another(seed: int) -> None:
    tree = drawn(random.Random(seed), 3)
    drafts = normal_form(tree, Budget("", PLENTY, PLENTY))
    for size in range(5):
        for atoms in map(set, itertools.combinations("abcd", size)):
            found = any(required.keys() <= atoms and not forbidden.keys() & atoms for required, forbidden in drafts)
            assert found == holds(tree, atoms)
    for one, other in itertools.permutations(drafts, 2):
        assert not (one[0].keys() <= other[0].keys() and one[1].keys() <= other[1].keys())


def test_a_conjunction_with_a_not_costs_a_step_for_each_atom() -> None:
    atoms = [f"a{n}" for n in range(10_000)]
    assert steps(And([Not("z"), *atoms])) <= 10_001
    assert steps(And([*atoms, Not(Or(atoms[:5000]))])) <= 20_001
    assert steps(And([Or(["x", "y"]), *atoms, Not("z")])) <= 10 * len(atoms)


def test_clauses_that_cannot_cover_each_other_are_not_compared() -> None:
    tree = And([Or([f"a{n}", f"b{n}"]) for n in range(10)])
    assert steps(tree) < 200 * 2**10


def test_work_is_limited_even_where_clauses_are_not() -> None:
    index = KeywordIndex({"s": "greece"}, max_clauses=1_000_000, max_work=5_000)
    with pytest.raises(SubscriptionSyntaxError, match="more than max_work=5000 steps"):
        index["new"] = " OR ".join(f"(a{n} b{n} c{n})" for n in range(300))
    assert dict(index) == {"s": "greece"}
    with pytest.raises(SubscriptionSyntaxError, match="max_work=100 steps"):
        KeywordIndex({"s": "(a OR b) (c OR d) (e OR f)"}, max_work=100)


def test_work_that_leads_to_few_clauses_is_limited_too() -> None:
    contradictions = " ".join(f"(-a{n % 8} OR -b{n % 8})" for n in range(400))
    text = " ".join(f"(a{n} OR b{n})" for n in range(8)) + " " + contradictions
    with pytest.raises(SubscriptionSyntaxError, match="max_work"):
        KeywordIndex(max_work=2_000).check(text)
    KeywordIndex().check(text)


INTERRUPTED = f"""
import os, signal, threading
from watchword import KeywordIndex
signal.signal(signal.SIGINT, signal.default_int_handler)
index = KeywordIndex({{"s": "greece"}}, max_clauses={PLENTY}, max_work={1 << 28}, max_terms=32767)
text = " OR ".join(f"(a b{{n // 100}} c{{n % 100}})" for n in range(10_000))
try:
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    for _ in range(100):
        index["new"] = text
        index.pop("new")
except KeyboardInterrupt:
    print(dict(index), index.match("greece"))
"""


@pytest.mark.slow
def test_control_c_ends_it_and_leaves_the_index_as_it_was() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "{'s': 'greece'} ['s']", done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["a", "a ", "a AND ", " ", "-", '"a" ', "(", "aé", "!", "a.", "-!", "w/1"])
@pytest.mark.parametrize("before", ["", "a not "])
def test_reading_words_costs_no_more_than_in_proportion_to_the_text(before: str, shape: str) -> None:
    """Regular expressions cannot be counted: a text 16 times as long may take up to 100 times, not 256."""
    index = KeywordIndex(max_terms=32767)

    def seconds(count: int) -> float:
        def one() -> float:
            began = time.process_time()
            with pytest.raises(SubscriptionSyntaxError):
                index.check(before + shape * count + " ! (")
            return time.process_time() - began

        return min(one() for _ in range(5))

    assert seconds(32_000) < 100 * max(seconds(2_000), 1e-4)
