from __future__ import annotations

import pytest

from tests.sets.structures import duel, found, int32, rows_of, table_2_1
from watchword.sets.inverted import Inverted

FIGURE_2_2 = {1: 4, 2: 4, 3: 2, 4: 2, 12: 1, 13: 1, 24: 1}
"""Term to length of its postings."""


@pytest.mark.parametrize("seed", range(6))
def test_duel(seed):
    duel(Inverted, seed)


def test_union_is_verified_and_not_the_answer():
    # Section 2.2: the union for {t1, t12, t24} is S1 to S4, the answer S2 and S4.
    hits = table_2_1(Inverted()).match(rows_of([[1, 12, 24]]))
    assert found(hits) == [[2, 4]]
    assert hits.operations == FIGURE_2_2[1] + FIGURE_2_2[12] + FIGURE_2_2[24]


def test_candidates_of_section_2_2():
    hits = table_2_1(Inverted()).match(rows_of([[2, 4]]))
    assert found(hits) == [[5]]
    assert hits.operations == FIGURE_2_2[2] + FIGURE_2_2[4]


@pytest.mark.parametrize("term", FIGURE_2_2)
def test_postings_of_figure_2_2(term):
    assert table_2_1(Inverted()).match(rows_of([[term]])).operations == FIGURE_2_2[term]


def test_stats_on_table_2_1():
    structure = table_2_1(Inverted())
    stats, rows = dict(structure.stats()), 15 * 4 + 6 * 14
    assert stats.pop("allocated_bytes") >= stats["bytes"]
    assert stats == {
        "bytes": rows + 15 * 8 + 7 * 8,
        "lists_bytes": 7 * 8,
        "postings_bytes": 15 * 8,
        "rows_bytes": rows,
        "postings": 15,
        "terms": 7,
        "membership_tests_per_match": 0.0,
    }
    # S1 to S4 of the first item: two each. Of the second, S5 has both atoms, S1 both of them second, S3 and S6 lack 1.
    structure.match(rows_of([[1, 12, 24], [2, 4]]))
    assert structure.stats()["membership_tests_per_match"] == (8 + (1 + 1 + 2 + 2)) / 2
    assert structure.per_atom().tolist()[:5] == [0, 4, 4, 2, 2]


def test_many_hits_of_one_item_grow_the_buffer_and_come_once():
    structure = Inverted()
    structure.add(rows_of([[1, 2]] * 5000), int32(range(5000)))
    hits = structure.match(rows_of([[1, 2], [2], [2, 1]]))
    assert found(hits) == [list(range(5000)), [], list(range(5000))]
    assert hits.operations == 25_000


def test_nodes_of_removed_rows_are_used_again():
    structure = Inverted()
    batch = rows_of([[1, 2, 3], [2, 3]] * 10)
    structure.add(batch, int32(range(20)))
    for turn in range(1, 30):
        for payload in range(20 * (turn - 1), 20 * turn - 1):
            structure.remove(int32([1, 2, 3] if payload % 2 == 0 else [2, 3]), payload)
        structure.add(batch, int32(range(20 * turn, 20 * turn + 20)))
    assert structure.stats()["postings"] == 29 * 2 + 50
    # The last row of every turn stays; without reuse there would be 1,500 nodes.
    assert len(structure.arrays()["nodes"]) <= 2 * 150
