from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sets.structures import duel, found, int32, reopened, rows_of, table_2_1
from watchword.errors import SubscriptionError
from watchword.kernels.child_table import child_limit, drop_child, find_child, new_table, put_child, roomy_table
from watchword.sets.tries.trie import Trie


def named(term: int) -> str:
    return f"t{term}"


FIGURE_2_5 = """\
t1
  t2
    t3 [3]
    t4 [1]
  t12 [4]
  t24 [2]
t2
  t3
    t13 [6]
  t4 [5]"""


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("terms", [4, 12, 40])
def test_duel(seed, terms):
    duel(Trie, seed, terms=terms)


def test_figure_2_5():
    assert table_2_1(Trie()).draw(named) == FIGURE_2_5


def test_figure_2_3_is_the_trie_of_another_order():
    """Example 2.5: with t4 before t2 before t1, S5 lies on the path to S1; only the order differs."""
    trie = Trie()
    place = {4: 0, 2: 1, 1: 2, 3: 3, 12: 4, 13: 5, 24: 6}
    rows = [sorted(row, key=place.__getitem__) for row in ([1, 2, 4], [1, 2, 3], [2, 4])]
    trie.add(rows_of(rows), int32([1, 3, 5]))
    assert trie.draw(named) == "t2\n  t1\n    t3 [3]\nt4\n  t2 [5]\n    t1 [1]"
    assert found(trie.match(rows_of([[4, 2, 1], [4, 2], [2, 1, 3]]))) == [[1, 5], [5], [3]]


def test_example_2_6_adds_two_nodes():
    trie = table_2_1(Trie())
    trie.remove(int32([2, 3, 13]), 6)
    assert trie.stats()["nodes"] == 8
    trie.add_one(int32([2, 3, 13]), 6)
    assert trie.draw(named) == FIGURE_2_5


def test_example_2_7_visits_five_nodes():
    hits = table_2_1(Trie()).match(rows_of([[1, 2, 4], [1, 12], [24], [1, 2]]))
    assert found(hits) == [[1, 5], [4], [], []]
    assert hits.operations == 5 + 2 + 0 + 3


def test_example_2_8_prefixes_are_shared_and_subsets_are_not():
    left, right = Trie(), Trie()
    left.add(rows_of([[1, 2], [1, 3]]), int32([1, 2]))
    right.add(rows_of([[1, 3], [2, 3]]), int32([3, 4]))
    assert left.draw(named) == "t1\n  t2 [1]\n  t3 [2]"
    assert right.draw(named) == "t1\n  t3 [3]\nt2\n  t3 [4]"


def test_stats_of_table_2_1():
    stats = dict(table_2_1(Trie()).stats())
    assert stats.pop("bytes") <= stats.pop("allocated_bytes")
    assert stats == {
        "nodes": 10,
        "leaves": 6,
        "out_degree_0": 6,
        "out_degree_1": 1,
        "out_degree_2_3": 4,
        "subscriptions_0": 5,
        "subscriptions_1": 6,
        "nodes_bytes": 11 * 16,
        "children_bytes": 10 * 12,
        "payloads_bytes": 6 * 8,
    }


def test_stats_name_their_ranges():
    trie = Trie()
    trie.add(rows_of([[t] for t in range(20)] + [[0]] * 4), int32(range(24)))
    stats = trie.stats()
    assert (stats["out_degree_0"], stats["out_degree_8_15"], stats["out_degree_16_31"]) == (20, 0, 1)
    assert (stats["subscriptions_1"], stats["subscriptions_2_3"], stats["subscriptions_4_7"]) == (19, 0, 1)


def test_removing_everything_leaves_the_root_and_reuses_its_room():
    trie, generator = Trie(), random.Random(5)
    rows = [sorted(generator.sample(range(30), generator.randint(1, 8))) for _ in range(300)]
    trie.add(rows_of(rows), int32(range(300)))
    sizes = {name: len(array) for name, array in trie.arrays().items()}
    for _ in range(3):
        for payload in generator.sample(range(300), 300):
            trie.remove(int32(rows[payload]), payload)
        assert trie.draw() == ""
        left = {name: value for name, value in trie.stats().items() if value and name != "allocated_bytes"}
        assert left == {"bytes": 16, "nodes_bytes": 16, "out_degree_0": 1, "subscriptions_0": 1}
        trie.add(rows_of(rows), int32(range(300)))
    assert {name: len(array) for name, array in trie.arrays().items()} == sizes


def test_an_unknown_row_is_a_key_error_and_changes_nothing():
    trie = table_2_1(Trie())
    for terms, payload in [([1, 2], 1), ([1, 2, 4], 3), ([1, 2, 4, 24], 1), ([7], 1)]:
        with pytest.raises(KeyError):
            trie.remove(int32(terms), payload)
    assert trie.draw(named) == FIGURE_2_5


def test_a_long_row_and_a_huge_item():
    trie = Trie()
    longest = np.arange(32767, dtype=np.int32) * 3
    trie.add_one(longest, 1)
    trie.add(rows_of([[0, 99_999], [99_999], [3, 100_000]]), int32([2, 3, 4]))
    hits = trie.match(rows_of([range(100_000)]))
    assert found(hits) == [[1, 2, 3]]
    assert hits.operations == 32767 + 3
    trie.remove(longest, 1)
    assert trie.stats()["nodes"] == 5
    with pytest.raises(SubscriptionError):
        trie.add_one(np.arange(32768, dtype=np.int32), 5)


def test_more_hits_than_the_buffer_has_room_for():
    trie = Trie()
    trie.add(rows_of([[1]] * 3000 + [[1, 2]] * 3000), int32(range(6000)))
    assert found(trie.match(rows_of([[2], [1, 2], [1]]))) == [[], list(range(6000)), list(range(3000))]


def test_read_only_arrays_are_taken():
    trie, rows = Trie(), rows_of([[1, 2]])
    rows.atoms.flags.writeable = rows.offsets.flags.writeable = False
    trie.add(rows, int32([7]))
    assert found(trie.match(rows)) == [[7]]


def test_threads_match_alike():
    trie, generator = table_2_1(Trie()), random.Random(3)
    items = [rows_of([sorted(generator.sample(range(1, 25), 12)) for _ in range(50)]) for _ in range(16)]
    alone = [found(trie.match(item)) for item in items]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda item: found(trie.match(item)), items))
    assert together == alone
    assert found(reopened(trie).match(items[0])) == alone[0]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.booleans()), max_size=60))
def test_child_table_is_a_dict(steps):
    keys, values = new_table()
    expected: dict[tuple[int, int], int] = {}
    for number, (node, term, put) in enumerate(steps):
        if put:
            keys, values = roomy_table(keys, values, len(expected) + 1)
            put_child(keys, values, node, term, number)
            expected[node, term] = number
        elif (node, term) in expected:
            drop_child(keys, values, node, term)
            del expected[node, term]
        for n in range(4):
            for t in range(10):
                assert find_child(keys, values, n, t) == expected.get((n, t), -1)
    assert len(expected) <= child_limit(len(keys))
