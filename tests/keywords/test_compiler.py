"""Subscriptions compiled in bulk mean what the parser says, text by text; and which of them need the parser."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import strategies
from watchword import KeywordIndex, SubscriptionSyntaxError
from watchword.kernels.keywords.dnf import MOST_DEPTH, MOST_DRAFTS
from watchword.kernels.text.boolean_rows import MOST_TERMS
from watchword.keywords.query import Clause
from watchword.sets.language import Compiled, is_plain
from watchword.strings import from_texts

Atoms = frozenset[tuple[str, ...]]
Meaning = tuple[frozenset[str], Atoms, Atoms]
"""A clause as it is stored: the terms of its row, its phrases, what it forbids."""


def meaning(clause: Clause) -> Meaning:
    terms = frozenset(term for atom in clause.required for term in atom)
    return terms, frozenset(atom for atom in clause.required if len(atom) > 1), frozenset(clause.forbidden)


def stored(compiled: Compiled) -> dict[int, list[Meaning]]:
    """Return the clauses that were compiled without the parser, by rows."""
    name = compiled.names.text
    rows = [(row, []) for row in compiled.rows.tolist()]
    found: dict[int, list[Meaning]] = dict(rows)
    for at, row in enumerate(compiled.rows.tolist()):
        atoms = compiled.plain.atoms[compiled.plain.offsets[at] : compiled.plain.offsets[at + 1]].tolist()
        assert len(set(atoms)) == len(atoms)
        found[row] = [(frozenset(map(name, atoms)), frozenset(), frozenset())]
    owners, shared, starts, stops, program = (array.tolist() for array in compiled.checked)
    for clause, row in enumerate(owners):
        at, stop = starts[clause], stops[clause]
        required = program[at - 1 - program[at - 1] : at - 1]
        assert len(set(required)) == len(required)
        kinds: tuple[set[Any], set[Any]] = set(), set()
        while at < stop:
            size, forbidden = program[at] >> 1, program[at] & 1
            kinds[forbidden].add(tuple(map(name, program[at + 1 : at + 1 + size])))
            at += 1 + size
        found.setdefault(row, []).append((frozenset(map(name, required)), frozenset(kinds[0]), frozenset(kinds[1])))
    for clause, row in enumerate(owners):
        assert shared[clause] == (len(found[row]) > 1)
    return found


def agree(texts: list[str], **options: object) -> float:
    """Compile texts in bulk and one by one; return which part of them needed no parser."""
    language = KeywordIndex(**options)._plugged
    good = []
    for text in texts:
        try:
            good.append((text, language.compile_one(text)))
        except SubscriptionSyntaxError as refusal:
            with pytest.raises(SubscriptionSyntaxError) as other:
                language.compile(from_texts([*(text for text, _ in good), text]))
            assert (str(other.value.at_row(None)), other.value.row) == (str(refusal), len(good))
    compiled = language.compile(from_texts([text for text, _ in good]))
    found = stored(compiled)
    parsed = dict(compiled.parsed)
    for row, (text, clauses) in enumerate(good):
        if row in parsed:
            assert parsed[row] == clauses
            assert not is_plain(clauses)
        else:
            assert found.get(row, []) == [meaning(clause) for clause in clauses], text
            assert (row in compiled.rows.tolist()) == is_plain(clauses)
    return 1 - len(parsed) / max(len(good), 1)


@pytest.mark.slow
@settings(max_examples=300)
@given(st.lists(strategies.keyword_queries | strategies.keyword_scraps, max_size=8))
def test_bulk_agrees_with_the_parser(texts: list[str]) -> None:
    agree(texts)


def drawn(count: int, seed: int) -> list[str]:
    """Return queries over few words, so that atoms repeat, contradict and cover each other."""
    draw = random.Random(seed)

    def part(depth: int) -> str:
        kind = draw.random()
        if depth and kind < 0.4:
            inside = draw.choice([" ", " AND ", " OR ", " OR "]).join(
                part(depth - 1) for _ in range(draw.randint(1, 4))
            )
            return draw.choice(["", "", "NOT ", "-"]) + f"({inside})"
        atom = draw.choice(["a", "b", "c", "d", "ж", '"a b"', '"b a"', '"a b, c"', "a-b", "B"])
        return draw.choice(["", "", "", "-", "NOT ", "NOT -"]) + atom

    joined = [draw.choice([" ", " AND ", " OR "]) for _ in range(count)]
    return [glue.join(part(3) for _ in range(draw.randint(1, 4))) for glue in joined]


@pytest.mark.parametrize("seed", range(4))
def test_nearly_all_booleans_need_no_parser(seed: int) -> None:
    assert agree(drawn(1_000, seed)) > 0.8


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"max_clauses": 2},
        {"max_depth": 2},
        {"max_terms": 3},
        {"max_term_bytes": 1},
        {"max_work": 100},
        {"literal_operators": True},
        {"stop_words": ["b"]},
        {"fold_accents": True},
        {"cjk": "bigrams"},
    ],
)
def test_limits_and_options(options: dict[str, object]) -> None:
    more = ["a or b", "not a OR b", "东京 OR a", "é OR (a b)", "aa OR b", '"a the b" OR c', "a AND", "(a", "a )", "( )"]
    agree([*drawn(300, 7), *more], **options)


CODED = [
    '"debt crisis" NOT imf',
    "a OR b",
    "(a b)OR-(c OR d)",
    "covid-19",
    "at&t OR b",
    "-a",
    'x"y z"w',
    "NOT (NOT a b)",
    '"a OR (b"',
    "ж OR z",
]
PLAIN = ["(a)", "a OR a", '"a"', "a OR (a b)", "NOT NOT a", "a (b)"]
NOTHING = ["a NOT a", "a -(a OR b)"]
PARSED = ["a OR É", "“a b”", "a OR --b", "a OR b ...", "x/y", "a OR b -", " OR ".join(f"w{k}" for k in range(65))]


@pytest.mark.parametrize("text", CODED + PLAIN + NOTHING)
def test_no_parser(text: str) -> None:
    compiled = KeywordIndex()._plugged.compile(from_texts([text]))
    assert compiled.parsed == []
    assert len(compiled.rows) == (text in PLAIN)
    assert (len(compiled.checked.owners) > 0) == (text in CODED)
    assert agree([text]) == 1


@pytest.mark.parametrize("text", PARSED)
def test_parser(text: str) -> None:
    compiled = KeywordIndex()._plugged.compile(from_texts([text]))
    assert [row for row, _ in compiled.parsed] == [0]


def test_the_largest_rows_that_need_no_parser() -> None:
    many = " OR ".join(f"w{k}" for k in range(MOST_DRAFTS))
    product = "(a OR b) (c OR d) (e OR f) (g OR h) (i OR j)"
    long = '"' + " ".join(f"w{k}" for k in range(MOST_TERMS)) + '"'
    deep = "(" * MOST_DEPTH + "a OR b" + ")" * MOST_DEPTH
    largest = [many, product, long, deep]
    assert agree(largest) == 1
    assert agree([f"{many} OR x", f"{product} (k OR l)", f"{long} x", f"({deep})"]) == 0


@pytest.mark.parametrize("terms", [63, 64, 65, 66, 127, 128, 129])
@pytest.mark.parametrize("form", ["{0} OR zz", "zz NOT ({0})", '"{0}"', "{0} AND yy"])
def test_long_rows_mean_the_same_in_bulk_singly_and_to_every_door(terms: int, form: str) -> None:
    """Bulk loading takes rows of up to 64 terms itself, and leaves longer ones to the parser."""
    words = [f"w{number}" for number in range(terms)]
    text, whole = form.format(" ".join(words)), " ".join([*words, "yy"])
    bulk, single, judge = KeywordIndex({"a": text, "b": "other"}), KeywordIndex(), KeywordIndex(method="brute")
    single["a"] = judge["a"] = text
    events = [whole, " ".join(words), " ".join(words[1:]), " ".join(words[:-1]), f"{whole} zz", "zz", f"zz {words[0]}"]
    for event in events:
        assert bulk.match(event) == single.match(event) == judge.match(event)
        assert bool(bulk.explain(event, "a")) == bool(judge.match(event))
    assert bulk.match_many(events).to_pylist() == judge.match_many(events).to_pylist()
    del bulk["a"], single["a"]
    assert not bulk.match(f"{whole} zz") and not single.match(f"{whole} zz")
    assert bulk.stats().clauses == 1


@pytest.mark.slow
def test_chunks_and_slots_of_a_large_load() -> None:
    """More rows than are compiled at once, on top of others, and some of them removed again."""
    kinds = ["a{0} b{1}", '"a{0} b{1}" OR c{1}', "c{0} NOT a{1}", "(a{0})", "NOT a{1} OR é{0}"]
    texts = {n: kinds[n % 5].format(n % 7, n % 11) for n in range(70_000)}
    index, singles = KeywordIndex({-1: "NOT a1"}), KeywordIndex({-1: "NOT a1"}, method="brute")
    index.update(texts)
    for number in [*range(400), *range(69_600, 70_000)]:
        singles[number] = texts[number]
    for number in range(0, 70_000, 3):
        del index[number]
        singles.pop(number, None)
    for event in ("a1 b1 c1", "c3 c4 a2", "a0 b0 é1", ""):
        found = np.array(index.match(event))
        assert found[(found < 400) | (found >= 69_600)].tolist() == sorted(singles.match(event))
