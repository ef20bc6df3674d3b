"""Texts that would multiply into thousands of clauses: right by every method, and no larger than the text."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import oracle, predicate_oracle
from watchword import KeywordIndex, PredicateIndex, methods
from watchword.sets import factoring
from watchword.sets.dnf import And, Budget, Not, Or
from watchword.sets.factoring import factor, nearest_choice

PLENTY = 1 << 40


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Factor every text that has an OR inside of an AND."""
    with monkeypatch.context() as patch:
        for name in ("ROOM", "FEW", "_GROWTH"):
            patch.setattr(factoring, name, 1)
        yield


def truth(tree: Any, atoms: set[str]) -> bool:
    if isinstance(tree, Not):
        return not truth(tree.part, atoms)
    if isinstance(tree, And | Or):
        return (all if isinstance(tree, And) else any)(truth(part, atoms) for part in tree.parts)
    return tree in atoms


def drawn(draw: random.Random, depth: int, atoms: str = "abcdef") -> Any:
    kind = draw.randrange(4) if depth else 0
    if kind == 0:
        return draw.choice(atoms)
    if kind == 1:
        return Not(drawn(draw, depth - 1, atoms))
    return (And if kind == 2 else Or)([drawn(draw, depth - 1, atoms) for _ in range(draw.randint(2, 4))])


@pytest.mark.parametrize("seed", range(150))
def test_clauses_hold_where_their_tree_does_and_only_with_a_row(seed: int, eager: None) -> None:
    tree = drawn(random.Random(seed), 3)
    clauses = factor(tree, Budget("", PLENTY, PLENTY))
    for size in range(7):
        for atoms in map(set, itertools.combinations("abcdef", size)):
            held = [
                clause
                for clause in clauses
                if atoms.issuperset(clause.required)
                and atoms.isdisjoint(clause.forbidden)
                and all(truth(part, atoms) for part in clause.rest)
            ]
            assert bool(held) == truth(tree, atoms)
            for clause in held:
                assert not clause.keys or any(atoms.issuperset(key) for key in clause.keys)
            for clause in clauses:
                for part in clause.rest:
                    assert (nearest_choice(part, atoms.__contains__)[0] == 0) == truth(part, atoms)


WORDS = ("a", "b", "c", "d", "e", '"a b"', '"c a"', '"d d"')
RULES = (
    "x = 1",
    "x = 2",
    "x > 1",
    "x < 2",
    "y = 'a'",
    "y STARTS WITH 'b'",
    "z IN (1, 2)",
    "t HAS 'ab'",
    "t MATCHES 'c'",
)


def written(draw: random.Random, atoms: tuple[str, ...], depth: int = 3) -> str:
    """Return a query with many ORs inside of ANDs."""
    if depth == 0 or draw.random() < 0.2:
        return draw.choice(["", "", "", "NOT "]) + draw.choice(atoms)
    glue = " AND " if depth % 2 else " OR "
    inside = glue.join(written(draw, atoms, depth - 1) for _ in range(draw.randint(1, 4)))
    return draw.choice(["", "", "", "NOT "]) + f"({inside})"


@pytest.mark.parametrize("method", methods("keywords"))
def test_keywords_agree_with_the_oracle_while_they_change(method: str, eager: None, tmp_path: Path) -> None:
    draw = random.Random(method)
    index, known = KeywordIndex(method=method), {}
    for step in range(60):
        known[step] = written(draw, WORDS)
        index[step] = known[step]
        if step % 3 == 2:
            gone = draw.choice(list(known))
            del index[gone], known[gone]
        if step == 40:
            index.save(tmp_path / "saved")
            index = KeywordIndex.open(tmp_path / "saved")
        text = " ".join(draw.choices("abcdefg", k=draw.randint(0, 6)))
        expected = [key for key, query in known.items() if oracle.matches(query, oracle.terms(text))]
        assert index.match(text) == expected
        assert sorted(index.match_many([text, "", text])["subscription"].to_pylist()) == sorted(
            2 * expected + [key for key, query in known.items() if oracle.matches(query, [])]
        )
        for key, query in known.items():
            assert bool(index.explain(text, key)) == (key in expected), query
    for key in list(known):
        del index[key]
    assert index.match("a b c d e") == [] and index.stats().clauses == 0 and index.stats().atoms == 0


def event(draw: random.Random) -> dict[str, Any]:
    options: dict[str, list[Any]] = {
        "x": [0, 1, 2, 3, [1, 2], None],
        "y": ["a", "b", "bc", ["a", "b"]],
        "z": [1, 2, 5],
        "t": ["ab c", "c", "xabx", "", 7],
    }
    return {name: draw.choice(values) for name, values in options.items() if draw.random() < 0.7}


@pytest.mark.slow
@pytest.mark.parametrize("method", methods("predicates"))
def test_predicates_agree_with_the_oracle_while_they_change(method: str, eager: None, tmp_path: Path) -> None:
    draw = random.Random(method)
    index, known = PredicateIndex(method=method), {}
    for step in range(60):
        known[step] = written(draw, RULES)
        if step % 7 == 6:
            known[step] = f"ANY o ({written(draw, RULES, 2)}) OR {written(draw, RULES)}"
        index[step] = known[step]
        if step % 3 == 2:
            gone = draw.choice(list(known))
            del index[gone], known[gone]
        if step == 40:
            index.save(tmp_path / "saved")
            index = PredicateIndex.open(tmp_path / "saved")
        events = [event(draw) | {"o": [event(draw), event(draw)]}, {}, event(draw)]
        for one in events:
            expected = [key for key, query in known.items() if predicate_oracle.matches(query, one)]
            assert index.match(one) == expected
        pairs = [(n, key) for n, one in enumerate(events) for key in index.match(one)]
        found = index.match_many(events)
        assert sorted(zip(*(found[name].to_pylist() for name in ("event", "subscription")), strict=True)) == pairs
        for key, query in known.items():
            assert bool(index.explain(events[0], key)) == (key in index.match(events[0])), query
    for key in list(known):
        del index[key]
    assert index.match({"x": 1}) == [] and index.stats().clauses == 0 and index.stats().atoms <= 1


@pytest.mark.parametrize("index", [KeywordIndex(), PredicateIndex(text=["t"])], ids=["keywords", "predicates"])
def test_a_product_of_lists_is_no_larger_than_its_text(index: Any) -> None:
    lists = [" OR ".join(f"{name}{number}" for number in range(40)) for name in "ab"]
    query = " ".join(f"({words})" for words in lists)
    index["q"] = query if isinstance(index, KeywordIndex) else f"MATCHES '{query}'"
    assert index.stats().clauses == 40
    assert index.stats().atoms == 80
    for text, matches in [("a7 b39", True), ("a39 a0", False), ("b1", False), ("x b0 a0", True)]:
        event = text if isinstance(index, KeywordIndex) else {"t": text}
        assert index.match(event) == ["q"] * matches
        assert bool(index.explain(event, "q")) is matches
    assert index.stats().bytes < 20_000
    del index["q"]


def test_a_long_rule_without_any_positive_key_is_checked_for_every_event() -> None:
    text = " AND ".join(f"(NOT a{n} = 1 OR NOT b{n} = 1)" for n in range(20))
    index = PredicateIndex({"r": text})
    assert index.match({}) == ["r"]
    assert index.match({"a3": 1, "b4": 1}) == ["r"]
    assert index.match({"a3": 1, "b3": 1}) == []
    assert index.match_many([{}, {"a3": 1, "b3": 1}, {"a0": 1}])["event"].to_pylist() == [0, 2]


def test_why_names_the_nearest_way_through_the_lists() -> None:
    lists = [" OR ".join(f"{name}{number}" for number in range(40)) for name in "ab"]
    index = KeywordIndex({"q": " ".join(f"({words})" for words in lists)})
    assert str(index.explain("a7 b9", "q")) == "match: a7 AND b9"
    assert str(index.explain("a7", "q")) == "no match: missing b0 in: a7 AND b0"
