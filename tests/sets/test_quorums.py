"""Counts of single atoms, against plain Python: added, removed, numbered anew, saved and opened."""

from __future__ import annotations

import random

import numpy as np
import pytest

from watchword import KeywordIndex
from watchword.kernels.sets.quorums import POSTINGS, USED
from watchword.sets.quorums import Quorums
from watchword.sets.rows import Rows, one_row

Model = dict[int, tuple[list[int], int]]


def add_one(quorums: Quorums, atoms: np.ndarray, payload: int, least: int) -> None:
    quorums.add(one_row(atoms), np.array([payload], np.int32), np.array([least], np.int32))


def add(quorums: Quorums, model: Model, payload: int, atoms: list[int], least: int) -> None:
    add_one(quorums, np.array(atoms, np.int32), payload, least)
    model[payload] = atoms, least


def rows_of(lists: list[list[int]]) -> Rows:
    offsets = np.cumsum([0, *map(len, lists)])
    return Rows(offsets.astype(np.int64), np.array([atom for one in lists for atom in one], np.int32))


def assert_same(quorums: Quorums, model: Model, events: list[list[int]]) -> None:
    hits = quorums.match(rows_of(events))
    for number, event in enumerate(events):
        found = hits.payloads[hits.offsets[number] : hits.offsets[number + 1]].tolist()
        expected = [key for key, (atoms, least) in model.items() if len(set(atoms) & set(event)) >= least]
        assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("seed", range(8))
def test_random_lives_agree_with_plain_python(seed: int) -> None:
    draw, quorums, model = random.Random(seed), Quorums(), {}
    for step in range(300):
        if model and draw.random() < 0.4:
            payload = draw.choice(list(model))
            quorums.remove(np.array(model.pop(payload)[0], np.int32), payload)
        else:
            atoms = draw.sample(range(12), draw.randint(2, 6))
            add(quorums, model, 1000 + step, atoms, draw.randint(1, len(atoms)))
        assert len(quorums) == len(model)
        if step % 40 == 0:
            copy = Quorums()
            copy.restore({name: array.copy() for name, array in quorums.arrays().items()})
            quorums = copy
        if step % 50 == 0:
            quorums.condense()
        if step % 5 == 0:
            events = [[draw.randint(-5, 14) for _ in range(draw.randint(0, 15))] for _ in range(4)]
            assert_same(quorums, model, events)


def test_rows_that_come_together_equal_rows_one_by_one() -> None:
    draw, together, apart = random.Random(1), Quorums(), Quorums()
    lists = [draw.sample(range(2000), 10) for _ in range(3000)]
    least = np.array([draw.randint(1, 10) for _ in lists], np.int32)
    together.add(rows_of(lists), np.arange(3000, dtype=np.int32), least)
    for payload, atoms in enumerate(lists):
        add_one(apart, np.array(atoms, np.int32), payload, int(least[payload]))
    events = rows_of([draw.sample(range(2000), 300) for _ in range(20)])
    one, other = together.match(events), apart.match(events)
    assert one.offsets.tolist() == other.offsets.tolist() and len(one.payloads) > 100
    for number in range(20):
        part = slice(one.offsets[number], one.offsets[number + 1])
        assert sorted(one.payloads[part]) == sorted(other.payloads[part])


def test_an_event_that_finds_more_than_the_buffer_holds_is_matched_again() -> None:
    quorums = Quorums()
    count = 5000
    quorums.add(rows_of([[1, 2, 3]] * count), np.arange(count, dtype=np.int32), np.full(count, 2, np.int32))
    hits = quorums.match(rows_of([[1], [1, 3], [3, 2, 1], [7]]))
    assert np.diff(hits.offsets).tolist() == [0, count, count, 0]
    assert sorted(hits.payloads[:count].tolist()) == list(range(count))


def test_unknown_rows_are_refused_and_nothing_changes() -> None:
    quorums = Quorums()
    add_one(quorums, np.array([1, 2, 3], np.int32), 7, 2)
    for atoms, payload in (([1, 2, 3], 8), ([1, 2, 4], 7), ([1, 2, 900], 7)):
        with pytest.raises(KeyError):
            quorums.remove(np.array(atoms, np.int32), payload)
    assert quorums.match(one_row(np.array([3, 1], np.int32))).payloads.tolist() == [7]


def test_payloads_are_replaced() -> None:
    quorums = Quorums()
    quorums.add(rows_of([[1, 2, 3], [1, 2, 4]]), np.array([4, 9], np.int32), np.array([2, 2], np.int32))
    moved = np.arange(10, dtype=np.int32)
    moved[4], moved[9] = 0, 1
    quorums.renumber(moved)
    assert sorted(quorums.match(one_row(np.array([1, 2], np.int32))).payloads.tolist()) == [0, 1]


def test_lists_that_moved_leave_less_behind_than_is_in_use() -> None:
    quorums, atoms = Quorums(), np.arange(100, dtype=np.int32)
    for payload in range(500):
        add_one(quorums, atoms, payload, 50)
    state = quorums._lists.state
    assert state[POSTINGS] == 50_000 and state[USED] <= 4 * state[POSTINGS]
    for payload in range(499):
        quorums.remove(atoms, payload)
    assert quorums._lists.state[USED] <= 1024 + 4 * 100
    assert quorums.match(one_row(atoms)).payloads.tolist() == [499]


@pytest.mark.parametrize("count", [255, 256])
def test_counts_of_as_many_parts_as_a_counter_holds_and_one_more(count: int) -> None:
    words = [f"w{number}" for number in range(count)]
    for index in (KeywordIndex(max_terms=1000), KeywordIndex(max_terms=1000, method="brute")):
        index["few"], index["most"] = f"2 OF ({', '.join(words)})", f"{count - 1} OF ({', '.join(words)})"
        assert len(index._plugged.quorums) == (2 if count == 255 and index._plugged.structure.has_quorums else 0)
        assert index.match(" ".join(words)) == ["few", "most"]
        assert index.match(" ".join(words[:-1])) == ["few", "most"]
        assert index.match(" ".join(words[:-2])) == ["few"]
        assert index.match(f"{words[0]} {words[0]}") == []


def test_a_word_that_is_named_twice_counts_twice_by_every_method() -> None:
    for method in ("auto", "brute", "count"):
        index = KeywordIndex({"s": "2 OF (ferry, ferry, storm)"}, method=method)
        assert index.match("ferry") == ["s"] and index.match("storm") == []


def test_counts_of_families_and_words_are_found_among_others() -> None:
    index = KeywordIndex({"a": "2 OF (ferr*, storm~1, sea)", "b": "ferry", "c": "sea 2 OF (storm, rain, ferr*)"})
    assert index.match("the ferries and the stork") == ["a"]
    assert index.match("sea, storm, ferry") == ["a", "b", "c"]
    del index["a"]
    index["d"] = "2 OF (sea, ferr*, fog)"
    assert index.match("sea, storm, ferry") == ["b", "c", "d"]
    assert index.stats().clauses == 4  # two rows for c, which storm or rain finds
