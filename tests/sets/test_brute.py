from __future__ import annotations

import numpy as np
import pytest

from tests.sets.structures import duel, found, int32, reopened, rows_of, table_2_1
from watchword.errors import SubscriptionError
from watchword.kernels.int_set import set_capacity, set_fill, set_has
from watchword.sets.brute import Brute, OrderedBrute


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", [Brute, OrderedBrute])
def test_duel(make, seed):
    duel(make, seed)


def test_example_2_1():
    structure = table_2_1(Brute())
    assert found(structure.match(rows_of([[12, 1], [24]]))) == [[4], []]


def test_example_2_2_counts_membership_tests():
    item = rows_of([[1, 2, 3]])
    plain, ordered = table_2_1(Brute()).match(item), table_2_1(OrderedBrute()).match(item)
    assert found(plain) == found(ordered) == [[3]]
    # The thesis says 10 for the plain order; S1 to S6 take 3 + 2 + 3 + 2 + 2 + 3.
    assert (plain.operations, ordered.operations) == (15, 8)


def test_stats_count_what_is_stored():
    structure = table_2_1(Brute())
    assert structure.stats() == {"bytes": 15 * 4 + 6 * 14, "postings": 15}
    structure.remove(int32([1, 2, 4]), 1)
    assert structure.stats() == {"bytes": 12 * 4 + 5 * 14, "postings": 12}


def test_room_of_removed_rows_is_used_again():
    structure = Brute()
    for payload in range(2000):
        structure.add_one(int32([1, 2, 3]), payload)
        if payload >= 10:
            structure.remove(int32([1, 2, 3]), payload - 10)
    arrays = structure.arrays()
    assert len(arrays["payloads"]) <= 11
    assert len(arrays["pool"]) <= 2 * 33
    assert found(structure.match(rows_of([[3, 2, 1]]))) == [list(range(1990, 2000))]


def test_a_row_too_long_to_count_is_refused_and_changes_nothing():
    structure = table_2_1(Brute())
    rows = [[1], list(range(32_768))]
    with pytest.raises(SubscriptionError, match="32768 terms") as error:
        structure.add(rows_of(rows), int32([7, 8]))
    assert error.value.row == 1
    assert found(structure.match(rows_of([range(40)]))) == [[1, 2, 3, 4, 5, 6]]


def test_opened_arrays_are_independent_of_the_original():
    structure = table_2_1(Brute())
    other = reopened(structure)
    other.remove(int32([1, 24]), 2)
    item = rows_of([[1, 24]])
    assert found(structure.match(item)) == [[2]] and found(other.match(item)) == [[]]


@pytest.mark.parametrize("terms", [[], [0], [0, 1, 2, 3], list(range(0, 1 << 22, 1 << 14)), [2**31 - 1, 5]])
def test_termset_knows_its_terms_and_no_others(terms):
    table = np.zeros(2 * set_capacity(len(terms)), np.int32)
    mask = set_fill(table, int32([9, *terms, 9]), 1, 1 + len(terms))
    assert mask + 1 >= 4 * len(terms) and mask & (mask + 1) == 0
    near = {t + d for t in terms for d in (-1, 0, 1)} | set(range(100))
    for term in sorted(t for t in near if 0 <= t < 2**31):
        assert set_has(table, mask, np.int32(term)) == (term in terms)
