from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from tests.sets.structures import duel, found, int32, reopened, rows_of, table_2_1
from watchword import KeywordIndex
from watchword.errors import OptionError, SubscriptionError
from watchword.kernels.sets.compact_count import FANOUT, SEGMENT
from watchword.sets.brute import Brute, OrderedBrute
from watchword.sets.compact_count import EMPTY_CAPACITY, CompactCount
from watchword.sets.count import Count
from watchword.sets.inverted import Inverted
from watchword.sets.two_level import TwoLevelCounter

ALL = [Brute, OrderedBrute, Inverted, Count, CompactCount]
COMPACT = [
    CompactCount,
    partial(CompactCount, capacity=1, block=1),
    partial(CompactCount, capacity=7, block=2),
    partial(CompactCount, capacity=2.0, block=3),
]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", [Count, *COMPACT])
def test_duel(make, seed):
    duel(make, seed, **getattr(make, "keywords", {}))


@pytest.mark.parametrize("make", [Count, CompactCount])
def test_example_2_3_one_posting_per_term_and_one_counter(make):
    structure = make()
    structure.add_one(int32([1, 2, 3]), 3)
    stats = structure.stats()
    assert stats["postings"] == 3
    assert stats["terms" if make is Count else "term_nodes"] == 3
    arrays = structure.arrays()
    assert arrays["counters" if make is Count else "segments"][0] == 3


@pytest.mark.parametrize("make", [Count, CompactCount])
def test_example_2_4_counts_decrements(make):
    structure = table_2_1(make())
    hits = structure.match(rows_of([[1, 24, 12], [12, 1], [24], [1, 24, 12]]))
    assert found(hits) == [[2, 4], [4], [], [2, 4]]
    assert hits.operations == (4 + 1 + 1) + (1 + 4) + 1 + (4 + 1 + 1)


def test_stats_of_the_simple_index_on_table_2_1():
    stats = dict(table_2_1(Count()).stats())
    assert stats.pop("allocated_bytes") >= stats["bytes"]
    assert stats == {
        "bytes": 15 * 8 + 7 * 8 + 6 * (2 + 4),
        "lists_bytes": 7 * 8,
        "postings_bytes": 15 * 8,
        "counter_bytes": 6 * (2 + 4),
        "postings": 15,
        "terms": 7,
        "counters": 6,
    }


@pytest.mark.parametrize("make", [Count, partial(CompactCount, capacity=3, block=2)])
def test_lengths_of_postings_of_figure_2_2(make):
    structure = table_2_1(make())
    structure.remove(int32([1, 24]), 2)
    lengths = structure.per_atom()
    assert {atom: length for atom, length in enumerate(lengths.tolist()) if length} == {
        1: 3,
        2: 4,
        3: 2,
        4: 2,
        12: 1,
        13: 1,
    }
    assert len(lengths) == 14 and len(make().per_atom()) == 0


def test_the_capacity_is_a_part_of_the_vocabulary_where_that_is_given():
    structure = CompactCount(vocabulary=1000)
    structure.add_one(int32([5, 505]), 0)
    stats = structure.stats()
    assert (stats["capacity"], stats["hash_entries"], stats["collision_list_mean"]) == (500, 1, 2.0)
    assert CompactCount(capacity=7, vocabulary=1000).stats()["capacity"] == 0
    ranking = [f"t{number}" for number in range(1000)]
    for options in ({"ranking": ranking}, {"vocabulary": 1000}, {"vocabulary": 1000, "ranking": ranking[::-1]}):
        index = KeywordIndex({1: "t5 t505"}, method="compact-count", **options)
        assert index.stats().details["capacity"] == 500
        assert index.stats().details["hash_entries"] == (1 if "ranking" in options else 2)


def test_stats_of_the_compact_index_on_table_2_1():
    # Terms 1, 2, 3, 4, 12, 13, 24 in round(7 / 2) = 4 buckets: {4, 12, 24}, {1, 13}, {2}, {3}.
    stats = dict(table_2_1(CompactCount(capacity=0.5, block=3)).stats())
    counter = 4 * 16 + 4 * FANOUT + 2 * SEGMENT + 4
    assert stats.pop("bytes") == 4 * 4 + 16 * 7 + 16 * 9 + 4 * 6 + counter
    assert stats.pop("allocated_bytes") >= counter
    assert stats == {
        "lists_bytes": 4 * 4 + 16 * 7,
        "postings_bytes": 16 * 9,
        "counter_bytes": 4 * 6 + counter,
        "hash_entries": 4,
        "term_nodes": 7,
        "collision_list_mean": 7 / 4,
        "blocks": 9,  # two each for the four postings of t1 and of t2
        "empty_slots": 27 - 15,
        "empty_slots_mean": 12 / 7,
        "capacity": 4,
        "postings": 15,
        "counter_segments": 1,
    }


def test_a_uniform_vocabulary_fills_the_table_evenly():
    # Table 4.4, uniform: all buckets used, collision lists of 2.00.
    structure = CompactCount()
    structure.add(rows_of([[term, (term + 1) % 1000] for term in range(1000)]), int32(range(1000)))
    stats = structure.stats()
    assert (stats["capacity"], stats["hash_entries"], stats["collision_list_mean"]) == (500, 500, 2.0)


def test_the_capacity_is_settled_once():
    structure = CompactCount()
    structure.add(rows_of([]), int32([]))
    assert structure.stats()["capacity"] == 0
    assert found(structure.match(rows_of([[1, 2]]))) == [[]]
    structure = reopened(structure, capacity=0.25)
    structure.add(rows_of([[1, 2], [3, 4], [5, 6], [7, 8]]), int32(range(4)))
    assert structure.stats()["capacity"] == 2
    structure.add(rows_of([[n] for n in range(100)]), int32(range(10, 110)))
    assert reopened(structure).stats()["capacity"] == 2
    started_empty = CompactCount()
    started_empty.add_one(int32([5]), 0)
    assert started_empty.stats()["capacity"] == EMPTY_CAPACITY


@pytest.mark.parametrize("options", [{"capacity": 0}, {"capacity": -0.5}, {"block": 0}])
def test_options_out_of_range(options):
    with pytest.raises(OptionError):
        CompactCount(**options)


def test_removal_frees_blocks_and_nodes():
    structure = CompactCount(capacity=4, block=2)
    structure.add(rows_of([[1, payload + 2] for payload in range(9)]), int32(range(9)))
    assert structure.stats()["blocks"] == 5 + 9
    for payload in (0, 8, 4):
        structure.remove(int32([payload + 2, 1]), payload)
    stats = structure.stats()
    assert (stats["blocks"], stats["term_nodes"], stats["postings"]) == (3 + 6, 7, 12)
    before = len(structure.arrays()["blocks"])
    for payload in (20, 21, 22):
        structure.add_one(int32([1, payload]), payload)
    assert len(structure.arrays()["blocks"]) == before
    assert found(structure.match(rows_of([[1, *range(2, 30)]]))) == [[1, 2, 3, 5, 6, 7, 20, 21, 22]]


def test_counter_segments_come_and_go():
    counter = TwoLevelCounter()
    group = FANOUT * SEGMENT
    rows = int32([0, SEGMENT - 1, SEGMENT, 59_123, group - 1, 3 * group + 5])
    sizes = np.array([3, 4, 5, 6, 7, 8], np.int16)
    counter.put(rows, sizes)

    def held(row):
        table = counter.ground[row // group]
        return counter.segments[counter.second[table * FANOUT + row // SEGMENT % FANOUT] * SEGMENT + row % SEGMENT]

    assert [held(row) for row in rows] == sizes.tolist()
    assert counter.population.tolist() == [2, 2, 1, 1]
    assert counter.ground[:4].tolist() == [0, -1, -1, 1]
    counter.drop(0)
    counter.drop(SEGMENT - 1)
    assert [held(row) for row in rows[2:]] == sizes[2:].tolist()
    for row in rows[2:5]:
        counter.drop(int(row))
    assert counter.population.tolist() == [1] and len(counter.second) == FANOUT
    assert held(3 * group + 5) == 8
    counter.drop(3 * group + 5)
    assert counter.bytes == 4 * len(counter.ground) and (counter.ground == -1).all()


def test_rows_beyond_one_segment():
    structure = CompactCount(capacity=100)
    count = 2 * SEGMENT + 10
    structure.add(rows_of([[row % 7, 10 + row % 11] for row in range(count)]), int32(range(count)))
    expected = [row for row in range(count) if row % 7 == 3 and row % 11 == 2]
    assert structure.stats()["counter_segments"] == 3
    assert found(structure.match(rows_of([[12, 3]]))) == [expected]
    for row in range(2 * SEGMENT, count):
        structure.remove(int32([row % 7, 10 + row % 11]), row)
    assert structure.stats()["counter_segments"] == 2
    assert found(structure.match(rows_of([[12, 3]]))) == [[row for row in expected if row < 2 * SEGMENT]]


@pytest.mark.parametrize("make", ALL)
def test_rows_of_32767_terms(make):
    structure = make()
    long = sorted(range(32_767), reverse=True)
    structure.add_one(int32(long), 2**31 - 1)
    structure.add(rows_of([long, [5]]), int32([7, 0]))
    items = rows_of([long, long[1:], [5], [32_767, *long]])
    everything = [0, 7, 2**31 - 1]
    assert found(structure.match(items)) == [everything, [0], [0], everything]
    structure.remove(int32(long), 2**31 - 1)
    assert found(structure.match(items)) == [[0, 7], [0], [0], [0, 7]]
    with pytest.raises(SubscriptionError):
        structure.add_one(int32(range(32_768)), 9)
    assert found(structure.match(items)) == [[0, 7], [0], [0], [0, 7]]
