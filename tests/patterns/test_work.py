"""What the operations of a method count, on texts that can be followed by hand."""

from __future__ import annotations

import pytest

from tests.patterns.structures import filled, int32, patterns_of, strings
from watchword.patterns.nfa import Nfa
from watchword.patterns.retriever import Retriever


def test_an_nfa_counts_looping_states_at_every_character():
    """``a*b`` over "axxb": a and b are reached; behind a the looping state is tried with x, x and b."""
    automaton = filled(Nfa(), "a*b")
    assert automaton.match(strings("axxb")).operations == 5
    assert automaton.match(strings("xxxx")).operations == 0
    stats = automaton.stats()
    assert (stats["reached_per_match"], stats["looping_per_match"]) == (1.0, 1.5)


def test_records_count_pairs_noted_accept_records_and_pairs_looked_at():
    """``ab*cd`` and ``ab?cd``, both under the same two states, over "ab ab.cd"."""
    automaton = filled(Retriever(recombination="records"), "ab*cd", "ab?cd")
    hits = automaton.match(strings("ab ab.cd"))
    assert sorted(hits.payloads.tolist()) == [0, 1]
    # Visited: a, b, a, b, c, d. Noted: two pairs, by two half-accept records each. At d: two accept records, and both
    # look at two pairs.
    stats = automaton.stats()
    assert (stats["visits_per_match"], stats["recombination_per_match"]) == (6, 4 + 2 + 4)
    assert hits.operations == 16


def test_a_subscription_found_is_not_put_together_again():
    automaton = filled(Retriever(recombination="records"), "a*b")
    assert automaton.match(strings("ab")).operations == 2 + 1 + 1 + 1
    assert automaton.match(strings("abb")).operations == 3 + 1 + 2 + 1


def test_shared_beginnings_count_beginnings_waits_and_records():
    """``ab*cd`` over "abcd": the wait for first words is looked at, ab found, its wait made; cd looks at that wait, is
    found, and has a record."""
    automaton = filled(Retriever(), "ab*cd")
    assert automaton.match(strings("abcd")).operations == 4 + 6
    assert automaton.stats()["recombination_per_match"] == 6


@pytest.mark.parametrize("recombination", ["beginnings", "records"])
def test_operations_do_not_depend_on_the_room_at_first(recombination):
    """The second text needs more scratch and more room for hits; texts given up are not counted."""
    patterns = [f"{chr(1000 + n)}*b" for n in range(1500)] + ["a"] * 1500
    text = "".join(chr(1000 + n) for n in range(1500)) + "b"
    automaton = Retriever(recombination=recombination)
    automaton.add(patterns_of(patterns), int32(range(3000)))
    apart = [automaton.match(strings(each)).operations for each in ("a", text, "b")]
    assert automaton.match(strings("a", text, "b")).operations == sum(apart)
