"""Paths into keywords and gaps, and the automaton that finds the keywords."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paths.structures import paths_of, steps_of
from watchword.arrays import offsets_of
from watchword.kernels.sequences.gaps import ANY
from watchword.kernels.sequences.labels import step
from watchword.paths.pma.gaps import gap_rows
from watchword.sequences.labels import label_automaton

NAMES = {"*": 0, "a": 1, "b": 2, "c": 3, "d": 4, "b[@x]": -1}


@pytest.mark.parametrize(
    ("path", "keywords", "gaps"),
    [
        ("//a/b/*/c//*/d/*/*", [[1, 2], [3], [4], []], [(0, ANY), (1, 1), (1, ANY), (2, 2)]),  # the paper's two
        ("/a/b/*/c//*/d", [[1, 2], [3], [4]], [(0, 0), (1, 1), (1, ANY)]),
        ("/*", [[]], [(1, 1)]),
        ("//*", [[]], [(1, ANY)]),
        ("/*//*/a", [[1]], [(2, ANY)]),
        ("/a//b", [[1], [2]], [(0, 0), (0, ANY)]),
        ("//b[@x]", [[-1]], [(0, ANY)]),
        ("/a/b[@x]/c/d", [[1], [-1], [3, 4]], [(0, 0), (0, 0), (0, 0)]),
        ("/b[@x]//b[@x]/*", [[-1], [-1], []], [(0, 0), (0, ANY), (1, 1)]),
    ],
)
def test_a_path_is_keywords_with_gaps_before_them(
    path: str, keywords: list[list[int]], gaps: list[tuple[int, int]]
) -> None:
    rows = gap_rows(paths_of([steps_of(path, NAMES)]))
    words = np.split(rows.labels, rows.word_offsets[1:-1])
    assert [word.tolist() for word in words] == keywords
    assert list(zip(rows.least.tolist(), rows.most.tolist(), strict=True)) == gaps
    assert rows.offsets.tolist() == [0, len(keywords)]


def test_paths_lie_one_behind_the_other() -> None:
    rows = gap_rows(paths_of([steps_of(path, NAMES) for path in ("/a//*", "//b", "/c/d/*/a")]))
    assert len(rows) == 3
    assert rows.offsets.tolist() == [0, 2, 3, 5]
    assert rows.word_offsets.tolist() == [0, 1, 1, 2, 4, 5]
    assert rows.labels.tolist() == [1, 2, 3, 4, 1]
    assert rows.least.tolist() == [0, 1, 0, 0, 1]
    assert rows.most.tolist() == [0, ANY, ANY, 0, 1]


def test_no_paths_have_no_keywords() -> None:
    rows = gap_rows(paths_of([]))
    assert (len(rows), len(rows.least), rows.word_offsets.tolist()) == (0, 0, [0])


@given(st.lists(st.lists(st.integers(1, 3), max_size=5), max_size=20), st.lists(st.integers(1, 4), max_size=30))
def test_the_state_reached_is_that_of_the_longest_suffix_that_begins_a_word(
    words: list[list[int]], line: list[int]
) -> None:
    labels = np.array([label for word in words for label in word], np.int32)
    automaton, ends, order = label_automaton(offsets_of([len(word) for word in words]), labels)
    prefixes = {tuple(word[:size]) for word in words for size in range(len(word) + 1)} | {()}
    assert len(automaton.fails) == len(order) == len(prefixes)
    states = {prefix: _state(automaton, prefix) for prefix in prefixes}
    assert len(set(states.values())) == len(prefixes)
    assert ends.tolist() == [states[tuple(word)] for word in words]
    state = 0
    for at, label in enumerate(line):
        state = step(*automaton, state, label)
        tails = (tuple(line[begin : at + 1]) for begin in range(at + 2))
        assert state == states[next(tail for tail in tails if tail in prefixes)]


def _state(automaton: tuple[np.ndarray, np.ndarray, np.ndarray], prefix: tuple[int, ...]) -> int:
    state = 0
    for label in prefix:
        state = int(step(*automaton, state, label))
    return state


def test_many_words_make_the_table_grow() -> None:
    draw = random.Random(4)
    words = [[draw.randint(1, 1000) for _ in range(draw.randint(1, 40))] for _ in range(300)]
    labels = np.array([label for word in words for label in word], np.int32)
    automaton, ends, _ = label_automaton(offsets_of([len(word) for word in words]), labels)
    assert ends.tolist() == [_state(automaton, tuple(word)) for word in words]
