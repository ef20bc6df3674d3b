from __future__ import annotations

import numpy as np
import pytest

from tests.sets.structures import duel, found, int32, reopened, rows_of
from watchword.errors import SubscriptionError, WatchwordError
from watchword.kernels.sets.propagation import TILE
from watchword.kernels.size_classes import CLASSES, block_class, block_words
from watchword.sets import clusters
from watchword.sets.clusters import NonPropagation, Propagation

BOTH = [Propagation, NonPropagation]
CLUSTER_OF_7 = {10: (7, 4, 9), 11: (7, 2, 9), 12: (7, 4, 3), 13: (7, 4, 9)}
"""The rows drawn at the head of `kernels.sets.propagation`: payload to atoms, the access atom first."""

both = pytest.mark.parametrize("make", BOTH)


def filled(make, rows):
    structure = make()
    structure.add(rows_of(rows.values()), int32(rows))
    return structure


@pytest.mark.parametrize("seed", range(6))
@both
def test_duel(make, seed):
    duel(make, seed)


@both
def test_few_access_atoms_make_large_clusters(make):
    duel(make, 8, terms=6, steps=80)


def test_figure_3_checks_a_column_for_the_rows_alive():
    hits = filled(Propagation, CLUSTER_OF_7).match(rows_of([[7, 4, 9], [9, 7], [4, 9], [7], [9, 4, 7]]))
    assert found(hits) == [[10, 13], [], [], [], [10, 13]]
    # v_1 is checked for four rows, v_2 for the three that are alive; without 7 there is no initial match.
    assert hits.operations == (4 + 3) + 4 + 0 + 4 + (4 + 3)


def test_section_2_2_3_checks_every_column_for_every_row():
    hits = filled(NonPropagation, CLUSTER_OF_7).match(rows_of([[7, 4, 9], [9, 7], [4, 9], [7], [9, 4, 7]]))
    assert found(hits) == [[10, 13], [], [], [], [10, 13]]
    assert hits.operations == 4 * 8


@both
def test_a_cluster_has_rows_of_one_length(make):
    # The printed C++ takes its first member's length for the whole cluster.
    rows = {1: (7, 4), 2: (7, 4, 9), 3: (7,), 4: (7, 9, 4, 2), 5: (7, 9), 6: (4, 7)}
    structure = filled(make, rows)
    assert structure.stats()["clusters"] == 5
    assert found(structure.match(rows_of([[7], [7, 4], [7, 4, 9], [2, 4, 7, 9], [4]]))) == [
        [3],
        [1, 3, 6],
        [1, 2, 3, 5, 6],
        [1, 2, 3, 4, 5, 6],
        [],
    ]


@both
def test_every_row_of_a_cluster_is_found_and_not_the_first_alone(make):
    # The printed C++ leaves its loop at the first row that is found, and counts on in what an event before left.
    structure = filled(make, dict.fromkeys(range(100), (7, 4, 9)))
    assert found(structure.match(rows_of([[7, 4, 9]] * 3))) == [list(range(100))] * 3


@both
def test_what_held_in_one_item_does_not_hold_in_the_next(make):
    structure = filled(make, {1: (7, 4), 2: (8, 9)})
    assert found(structure.match(rows_of([[4, 9], [7, 8], [7, 4], [8], [9]]))) == [[], [], [1], [], []]


@both
def test_rows_without_an_equality_lie_under_an_atom_that_always_holds(make):
    always = 0
    structure = filled(make, {1: (always, 5, 6), 2: (always, 5), 3: (7, 5)})
    items = [[always, 5, 6], [always, 6], [always, 5, 7], [always]]
    assert found(structure.match(rows_of(items))) == [[1, 2], [], [2, 3], []]


@both
def test_atoms_that_no_row_has_are_passed_over(make):
    structure = filled(make, {1: (7, 4)})
    items = [[7, 4, 8, 9, 2**31 - 1], [2**31 - 1], [5], []]
    assert found(structure.match(rows_of(items))) == [[1], [], [], []]
    assert found(make().match(rows_of(items))) == [[], [], [], []]


@pytest.mark.parametrize("count", [TILE - 1, TILE, TILE + 1, 2 * TILE + 5])
@both
def test_clusters_of_several_tiles(make, count):
    structure = make()
    structure.add(rows_of([[1, 10 + row % 2, 20 + row % 3] for row in range(count)]), int32(range(count)))
    structure.add(rows_of([[1]] * count), int32(range(count, 2 * count)))
    hits = structure.match(rows_of([[1, 10, 21], [11, 20, 22, 1]]))
    whole = list(range(count, 2 * count))
    assert found(hits) == [
        [row for row in range(count) if row % 2 == 0 and row % 3 == 1] + whole,
        [row for row in range(count) if row % 2 == 1 and row % 3 != 1] + whole,
    ]


@both
def test_many_hits_of_one_item_grow_the_buffer_and_come_once(make):
    structure = filled(make, dict.fromkeys(range(5000), (1, 2)))
    hits = structure.match(rows_of([[1, 2], [1], [2, 1]] * 20))
    assert found(hits) == [list(range(5000)), [], list(range(5000))] * 20
    assert hits.operations == 60 * 5000


@both
def test_a_row_is_removed_whatever_the_order_of_its_atoms(make):
    structure = filled(make, CLUSTER_OF_7)
    structure.remove(int32([9, 7, 4]), 13)
    assert found(structure.match(rows_of([[7, 4, 9]]))) == [[10]]


@pytest.mark.parametrize(
    ("atoms", "payload"),
    [((7, 4, 9), 11), ((7, 4), 10), ((7, 4, 9, 1), 10), ((7, 4, 9), 14), ((4, 9), 10), ((9,), 10), ((99, 98), 10)],
)
@both
def test_what_is_not_there_is_not_removed(make, atoms, payload):
    structure = filled(make, CLUSTER_OF_7)
    with pytest.raises(KeyError):
        structure.remove(int32(atoms), payload)
    assert structure.stats()["postings"] == 12
    assert found(structure.match(rows_of([[7, 4, 9, 2, 3]]))) == [[10, 11, 12, 13]]


@both
def test_stats(make):
    structure = filled(make, CLUSTER_OF_7 | {14: (4, 9)})
    assert structure.stats() == {"bytes": 4 * 14 + 2 * 32 + 2 * 4, "postings": 14, "clusters": 2}
    structure.remove(int32([4, 9]), 14)
    assert structure.stats() == {"bytes": 4 * 12 + 32 + 4, "postings": 12, "clusters": 1}
    assert make().stats() == {"bytes": 0, "postings": 0, "clusters": 0}


def test_the_drawing():
    structure = filled(Propagation, CLUSTER_OF_7 | {15: (7,), 14: (4, 9)})
    structure.remove(int32([7, 4, 3]), 12)
    assert structure.draw("a{}".format).splitlines() == [
        "a4 and 1 more",
        "  a9 [14]",
        "a7 and 0 more",
        "  [15]",
        "a7 and 2 more",
        "  a4 a9 [10]",
        "  a2 a9 [11]",
        "  a4 a9 [13]",
    ]
    assert Propagation().draw() == ""


def test_columns_lie_side_by_side():
    structure = filled(Propagation, CLUSTER_OF_7)
    arrays = structure.arrays()
    assert arrays["words"].tolist()[:12] == [10, 11, 12, 13, 4, 2, 4, 4, 9, 9, 3, 9]
    assert arrays["clusters"].tolist() == [7, 2, 4, 4, 0, block_class(12), -1, 0]


def test_a_full_cluster_moves_and_its_block_is_used_again():
    structure = Propagation()
    for payload in range(1000):
        structure.add_one(int32([7, 4, 9, 10 + payload]), payload)
    end = len(structure.arrays()["words"])
    # Blocks of 4, 8, 16 … words were given back: rows of another cluster move through them.
    for payload in range(1000, 1200):
        structure.add_one(int32([8, 4]), payload)
    assert len(structure.arrays()["words"]) == end <= 4 * 4 * 1000
    assert found(structure.match(rows_of([[7, 4, 9, 510], [8, 4]]))) == [[500], list(range(1000, 1200))]


@both
def test_room_of_removed_rows_is_used_again(make):
    structure = make()
    for payload in range(3000):
        structure.add_one(int32([payload % 7, 50 + payload % 3]), payload)
        if payload >= 20:
            structure.remove(int32([(payload - 20) % 7, 50 + (payload - 20) % 3]), payload - 20)
    arrays = structure.arrays()
    assert len(arrays["words"]) < 6 * (40 + 10 + 4 * 7) and len(arrays["clusters"]) <= 8 * 7
    assert found(structure.match(rows_of([[*range(7), 50, 51, 52]]))) == [list(range(2980, 3000))]


@both
def test_what_is_saved_has_no_more_waste_than_use(make):
    structure = make()
    structure.add(rows_of([[row % 50, 100 + row] for row in range(5000)]), int32(range(5000)))
    for row in range(4000):
        structure.remove(int32([row % 50, 100 + row]), row)
    copy = reopened(structure)
    assert len(copy.arrays()["words"]) <= 2 * (2000 + 500 + 4 * 50)
    everything = rows_of([range(6000)])
    assert found(structure.match(everything)) == found(copy.match(everything)) == [list(range(4000, 5000))]


@both
def test_bulk_on_top_of_single_rows(make):
    rng = np.random.default_rng(7)
    structure, rows = make(), {}
    for payload in range(200):
        rows[payload] = [int(rng.integers(3)), 10, 11]
        structure.add_one(int32(rows[payload]), payload)
    more = {payload: [int(rng.integers(5)), 10, 11] for payload in range(200, 9000)}
    structure.add(rows_of(more.values()), int32(more))
    rows |= more
    hits = structure.match(rows_of([[access, 10, 11] for access in range(6)]))
    assert found(hits) == [[p for p, row in rows.items() if row[0] == access] for access in range(6)]
    assert structure.stats()["clusters"] == 5


@both
def test_rows_of_32767_terms(make):
    structure = make()
    long = list(range(32_767))
    structure.add_one(int32(long), 2**31 - 1)
    structure.add(rows_of([long, [5]]), int32([7, 0]))
    items = rows_of([long, long[:-1], [5], [32_767, *long]])
    everything = [0, 7, 2**31 - 1]
    assert found(structure.match(items)) == [everything, [0], [0], everything]
    structure.remove(int32(long[::-1]), 2**31 - 1)
    assert found(structure.match(items)) == [[0, 7], [0], [0], [0, 7]]
    with pytest.raises(SubscriptionError):
        structure.add_one(int32(range(32_768)), 9)
    assert found(structure.match(items)) == [[0, 7], [0], [0], [0, 7]]


def test_more_words_than_addresses_are_refused(monkeypatch):
    structure = filled(Propagation, CLUSTER_OF_7)
    monkeypatch.setattr(clusters.kernels, "room_wanted", lambda *_: 2**31)
    with pytest.raises(WatchwordError, match="more than one index holds"):
        structure.add_one(int32([7, 4, 9]), 14)
    assert found(structure.match(rows_of([[7, 4, 9]]))) == [[10, 13]]


def test_size_classes():
    assert [block_words(block) for block in range(13)] == [4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32]
    for size in [*range(1, 3000), 10**6, 2**30, 7 << 28]:
        block = block_class(size)
        assert block_words(block) >= size and (block == 0 or block_words(block - 1) < size)
        assert block_words(block) <= max(4, size + size // 4)
    assert block_class(7 << 28) == CLASSES - 1
