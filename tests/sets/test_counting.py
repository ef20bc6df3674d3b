from __future__ import annotations

import pytest

from tests.sets.structures import duel, found, int32, reopened, rows_of, table_2_1
from watchword.errors import SubscriptionError
from watchword.kernels.sets.counting import BLOCK
from watchword.sets.count import Count
from watchword.sets.counting import Counting


@pytest.mark.parametrize("seed", range(6))
def test_duel(seed):
    duel(Counting, seed)


def test_table_2_1_counts_increments():
    hits = table_2_1(Counting()).match(rows_of([[1, 24, 12], [12, 1], [24], [], [1, 24, 12]]))
    assert found(hits) == [[2, 4], [4], [], [], [2, 4]]
    assert hits.operations == (4 + 1 + 1) + (1 + 4) + 1 + 0 + (4 + 1 + 1)


def test_it_stores_what_count_stores():
    assert table_2_1(Counting()).stats() == table_2_1(Count()).stats()


def test_line_7_compares_every_row_with_its_own_need():
    structure = Counting()
    structure.add(rows_of([[1], [1, 2], [1, 2, 3], [2, 3]]), int32([10, 11, 12, 13]))
    assert found(structure.match(rows_of([[1], [1, 2], [3, 2, 1], [2, 3], [3]]))) == [
        [10],
        [10, 11],
        [10, 11, 12, 13],
        [13],
        [],
    ]


def test_a_removed_row_needs_nothing_and_is_not_found():
    structure = table_2_1(Counting())
    structure.remove(int32([1, 24]), 2)
    everything = rows_of([range(30), []])
    assert found(structure.match(everything)) == [[1, 3, 4, 5, 6], []]
    structure.add_one(int32([5]), 7)
    assert found(structure.match(everything)) == [[1, 3, 4, 5, 6, 7], []]


@pytest.mark.parametrize("count", [1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 3])
def test_the_scan_reaches_the_last_row(count):
    structure = Counting()
    structure.add(rows_of([[row, count] for row in range(count)]), int32(range(count)))
    items = [[count - 1, count], [0, count], [count], range(count + 1)]
    assert found(structure.match(rows_of(items))) == [[count - 1], [0], [], list(range(count))]


@pytest.mark.parametrize("size", [255, 256, 257, 32_767])
def test_hits_are_counted_as_far_as_the_longest_row(size):
    long, longer = list(range(size)), list(range(size + 300))
    structure = Counting()
    structure.add(rows_of([long, [3], [7, size]]), int32([0, 1, 2]))
    for method in (structure, reopened(structure)):
        assert found(method.match(rows_of([longer, long, long[1:], [3]]))) == [[0, 1, 2], [0, 1], [1], [1]]


def test_a_row_too_long_to_count_is_refused_and_changes_nothing():
    structure = table_2_1(Counting())
    with pytest.raises(SubscriptionError, match="32768 terms"):
        structure.add_one(int32(range(32_768)), 9)
    assert found(structure.match(rows_of([range(40_000)]))) == [[1, 2, 3, 4, 5, 6]]


def test_many_hits_of_one_item_grow_the_buffer_and_come_once():
    structure = Counting()
    structure.add(rows_of([[1, 2]] * 5000), int32(range(5000)))
    hits = structure.match(rows_of([[1, 2], [2]] * 300))
    assert found(hits) == [list(range(5000)), []] * 300
    assert hits.operations == 300 * 15_000
