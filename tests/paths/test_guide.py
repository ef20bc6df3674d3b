"""The guide of `auto`: classes of payloads, and documents that are followed by them, singly, or by both in turn."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paths import judge
from tests.paths.structures import EVERY, duel, followed, holding, judged, limits_of
from watchword import PathIndex
from watchword.arrays import offsets_of
from watchword.kernels.paths.classes import classes_of
from watchword.kernels.paths.moves import END
from watchword.paths import guide, passes
from watchword.paths.guided import GuidedPaths
from watchword.paths.passes import ONCE


@given(nodes=st.lists(st.sets(st.integers(0, 12)), max_size=8))
def test_payloads_of_a_class_are_those_that_the_same_nodes_have(nodes: list[set[int]]) -> None:
    offsets = offsets_of([len(node) for node in nodes])
    spans = np.stack([offsets[:-1], offsets[1:]], axis=1).ravel()
    found = classes_of(spans, np.array([payload for node in nodes for payload in node], np.int32), 13)
    members = [set(part.tolist()) for part in np.split(found.members, found.starts[1:-1])] if len(found.members) else []
    whose = {p: frozenset(n for n, node in enumerate(nodes) if p in node) for p in set().union(*nodes)}
    assert sorted(map(sorted, members)) == sorted(
        sorted(p for p in whose if whose[p] == kind) for kind in set(whose.values())
    )
    for number, node in enumerate(nodes):
        classes = found.lists[found.nodes[number] : found.nodes[number + 1]].tolist()
        assert len(set(classes)) == len(classes)
        assert set().union(*(members[one] for one in classes)) == node


@pytest.fixture(params=[-1, 0, 4])
def eager(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make classes before every pass, whenever anything was copied singly, or as often as it pays."""
    monkeypatch.setattr(guide, "_COPIED", request.param)


@pytest.mark.parametrize("seed", range(20))
def test_duel(eager: None, seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(5):
        duel(GuidedPaths(), draw)


@pytest.mark.parametrize("seed", range(20))
def test_documents_that_the_guide_knows_half(eager: None, seed: int) -> None:
    """Passes one after the other, by the same arrays, with more names each time and in pieces: some documents are all
    of nodes with classes, some come to new ones in their middle."""
    draw = random.Random(seed)
    rows = {payload: judge.random_path(draw, 4, loose=0.4) for payload in range(40)}
    made = holding(GuidedPaths(), rows)
    made.condense()
    for labels in (1, 2, 2, 3, 4, 4):
        moves: list[int] = []
        for _ in range(6):
            moves += judge.random_document(draw, draw.randint(1, labels), elements=30, deep=0.6)
        expected = {(payload, document) for payload, document, _ in judged(rows, moves, 1)}
        run = made.start(ONCE, elements=False)
        pairs = run.feed(np.array(moves, np.int32))
        run.end()
        documents = np.searchsorted(pairs.borders, np.arange(len(pairs.payloads)), side="right")
        found = list(zip(pairs.payloads.tolist(), documents.tolist(), strict=True))
        assert len(found) == len(expected) and set(found) == expected
        for limit in (1, EVERY):
            pieces = followed(made.start(limits_of(limit), elements=True), moves, draw)
            assert pieces == judged(rows, moves, limit)


def test_a_deep_document_that_the_guide_knows_but_for_its_deepest_element() -> None:
    """The automaton takes up sixty open elements at once, in a pass that has no room for them yet."""
    draw = random.Random(60)
    rows = {payload: judge.random_path(draw, 4, loose=0.8) for payload in range(40)}
    made = holding(GuidedPaths(), rows)
    made.condense()
    known = [1] * 60 + [END] * 60
    moves = [1] * 60 + [2, 3] + [END] * 62
    learning = made.start(limits_of(EVERY), elements=True)
    learning.feed(np.array(known, np.int32))  # and it goes on: its arrays are not given to the next pass
    found = followed(made.start(limits_of(EVERY), elements=True), moves)
    learning.end()
    assert len(found) > 1000 and found == judged(rows, moves, EVERY)


def test_classes_are_made_when_copying_singly_has_cost_as_much() -> None:
    made = holding(GuidedPaths(), {payload: [2 << 1 | 1] for payload in range(10)})
    made.condense()
    moves = np.array([1, 2, END, END], np.int32)
    classes = []
    for _ in range(8):
        run = made.start(ONCE, elements=False)
        assert sorted(run.feed(moves).payloads.tolist()) == list(range(10))
        run.end()
        classes.append(made.base.guide.classes)
    assert classes == [0, 0, 0, 0, 0, 0, 1, 1]


def test_what_a_piece_found_keeps_no_more_memory_than_that() -> None:
    """A document that comes in pieces is as long as it likes, and what its pieces found is kept to its end."""
    made = holding(GuidedPaths(), {payload: [2 << 1 | 1] for payload in range(10)})
    run = made.start(limits_of(1), elements=True)
    kept = [run.feed(np.array([1, *[3, END] * 1000], np.int32)) for _ in range(3)]
    kept.append(run.feed(np.array([2, END], np.int32)))
    assert [len(pairs.payloads) for pairs in kept] == [0, 0, 0, 10]
    arrays = [array for pairs in kept for array in pairs]
    assert sum(array.nbytes if array.base is None else array.base.nbytes for array in arrays) < 10_000


def test_a_result_of_up_to_half_of_a_buffer_is_copied() -> None:
    buffer = np.arange(100)
    short, long = passes._first(buffer, 50), passes._first(buffer, 51)
    assert short.base is None and short.tolist() == list(range(50))
    assert long.base is buffer and long.tolist() == list(range(51))


def test_a_guide_takes_no_more_than_it_may_and_finds_the_same() -> None:
    paths = {f"{first}{second}": f"//{first}//{second}" for first in "abcde" for second in "abcde"}
    names = [random.Random(seed).choices("abcde", k=9) for seed in range(200)]
    documents = ["".join(f"<{name}>" for name in row) + "".join(f"</{name}>" for name in row[::-1]) for row in names]
    small, large = PathIndex(paths, guide_bytes=0), PathIndex(paths)
    for _ in range(2):
        found = [index.match_many(documents, ordered=True) for index in (small, large)]
        assert found[0].num_rows > 200 and found[0].equals(found[1])
    assert small.stats().details["guide_nodes"] < large.stats().details["guide_nodes"]
