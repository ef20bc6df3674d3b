from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sets.structures import duel, found, int32, rows_of, table_2_1
from watchword.errors import OptionError
from watchword.sets.tries.compact_trie import CompactTrie
from watchword.sets.tries.trie import Trie


def named(term: int) -> str:
    return f"t{term}"


def compressed(rows: dict[int, tuple[int, ...]]) -> str:
    """Draw the compact trie of some rows in a second way: prefixes that hold a row or part ways are the nodes."""
    prefixes = {row[:size] for row in rows.values() for size in range(1, len(row) + 1)}
    children = Counter(prefix[:-1] for prefix in prefixes)
    nodes = {prefix for prefix in prefixes if prefix in rows.values() or children[prefix] > 1}
    lines = []
    for node in sorted(nodes):
        above = [size for size in range(1, len(node)) if node[:size] in nodes]
        label = " ".join(map(str, node[max(above, default=0) :]))
        held = sorted(payload for payload, row in rows.items() if row == node)
        lines.append("  " * len(above) + label + (f" {held}" if held else ""))
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("terms", [4, 12, 40])
def test_duel(seed, terms):
    duel(CompactTrie, seed, terms=terms)


@pytest.mark.parametrize("block", [1, 3, 7])
def test_duel_with_other_blocks(block):
    duel(partial(CompactTrie, block=block), block, terms=3, block=block)


def test_table_2_1_compresses_one_path():
    expected = """\
t1
  t2
    t3 [3]
    t4 [1]
  t12 [4]
  t24 [2]
t2
  t3 t13 [6]
  t4 [5]"""
    assert table_2_1(CompactTrie()).draw(named) == expected


def test_example_2_7_counts_whole_labels():
    hits = table_2_1(CompactTrie()).match(rows_of([[1, 2, 4], [2, 3], [2, 3, 13]]))
    assert found(hits) == [[1, 5], [], [6]]
    assert hits.operations == 5 + 1 + 2


def test_example_2_8():
    left, right = CompactTrie(), CompactTrie()
    left.add(rows_of([[1, 2], [1, 3]]), int32([1, 2]))
    right.add(rows_of([[1, 3], [2, 3]]), int32([3, 4]))
    assert left.draw(named) == "t1\n  t2 [1]\n  t3 [2]"
    assert right.draw(named) == "t1 t3 [3]\nt2 t3 [4]"


def test_stats_of_table_2_1():
    stats = table_2_1(CompactTrie()).stats()
    assert (stats["nodes"], stats["leaves"], stats["compact_nodes"]) == (9, 6, 1)
    assert stats["path_length_mean"] == (4 + 3 + 4 + 3 + 3 + 3) / 6
    assert stats["internal_share"] == 3 / 9 and stats["leaf_share"] == 6 / 9
    assert stats["compact_size_mean"] == 2
    assert (stats["type_Ib"], stats["type_IIa"], stats["compact_Ib"]) == (5, 3, 1)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("Ib", [[1]]),
        ("Ic", [[1], [1]]),
        ("IIa", [[1, 2], [1, 3]]),
        ("IIb", [[1], [1, 2]]),
        ("IIc", [[1], [1], [1, 2]]),
    ],
)
def test_every_type_of_table_3_3(name, rows):
    """The top node is of the type; with one more term in front of all rows it is the compact dual."""
    for prefix, kind in [([], "type"), ([0], "compact")]:
        trie = CompactTrie()
        trie.add(rows_of([prefix + row for row in rows]), int32(range(len(rows))))
        stats = trie.stats()
        assert stats[f"{kind}_{name}"] == 1
        assert stats["compact_nodes"] == len(prefix)


def test_bytes_of_types_add_up():
    trie = table_2_1(CompactTrie())
    trie.add(rows_of([[1, 2], [1, 2], [1, 2], [7, 8, 9]]), int32(range(10, 14)))
    stats = trie.stats()
    types = [value for name, value in stats.items() if "_I" in name and name.endswith("_bytes")]
    root = 4 * 4 + 4
    # Three equal rows are two blocks of two: a link and two payloads each.
    assert stats["blocks_bytes"] == 2 * 3 * 4
    assert sum(types) + stats["blocks_bytes"] + root == stats["bytes"] <= stats["allocated_bytes"]
    # A leaf has a header, an atom, a payload, an address, and 12 bytes among the children.
    assert stats["type_Ib_bytes"] == stats["type_Ib"] * (3 * 4 + 4 + 12)


@pytest.mark.parametrize("make", [Trie, CompactTrie])
def test_nodes_of_each_term_in_figure_2_5(make):
    assert table_2_1(make()).per_atom()[[1, 2, 3, 4, 12, 13, 24]].tolist() == [1, 2, 2, 2, 1, 1, 1]
    assert len(make().per_atom()) == 0


def test_a_node_changes_its_type_with_its_rows():
    trie = CompactTrie()
    row, longer = int32([1, 2]), int32([1, 2, 3])
    kinds = []
    for change, terms, payload in [
        (trie.add_one, row, 1),
        (trie.add_one, row, 2),
        (trie.add_one, longer, 3),
        (trie.remove, row, 1),
        (trie.remove, row, 2),
    ]:
        change(terms, payload)
        kinds.append({key for key, value in trie.stats().items() if "_I" in key and value and "bytes" not in key})
    assert kinds[:3] == [{"compact_Ib"}, {"compact_Ic"}, {"compact_IIc", "type_Ib"}]
    assert kinds[3:] == [{"compact_IIb", "type_Ib"}, {"compact_Ib"}]
    assert trie.draw() == "1 2 3 [3]"


def test_labels_split_and_merge():
    trie = CompactTrie()
    trie.add(rows_of([[1, 2, 3, 4], [1, 2, 5], [1]]), int32([1, 2, 3]))
    assert trie.draw() == "1 [3]\n  2\n    3 4 [1]\n    5 [2]"
    trie.remove(int32([1]), 3)
    assert trie.draw() == "1 2\n  3 4 [1]\n  5 [2]"
    trie.remove(int32([1, 2, 5]), 2)
    assert trie.draw() == "1 2 3 4 [1]"


def test_order_need_not_be_ascending():
    trie = CompactTrie()
    trie.add(rows_of([[9, 1, 5], [9, 1], [5, 4]]), int32([1, 2, 3]))
    assert found(trie.match(rows_of([[9, 1, 5, 4], [9, 5, 4], [7, 9, 8, 1]]))) == [[1, 2, 3], [3], [2]]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sets(st.integers(0, 5), min_size=1), max_size=25), st.randoms(use_true_random=False))
def test_shape_does_not_depend_on_history(sets, generator):
    """After any removals the trie is the one of the rows that are left: labels split, merged and pruned."""
    trie, rows = CompactTrie(), {payload: tuple(sorted(row)) for payload, row in enumerate(sets)}
    trie.add(rows_of(rows.values()), int32(rows))
    assert trie.draw() == compressed(rows)
    while rows:
        payload = generator.choice(sorted(rows))
        trie.remove(int32(rows.pop(payload)), payload)
        assert trie.draw() == compressed(rows)
        assert trie.stats()["nodes"] == (compressed(rows).count("\n") + 1 if rows else 0)


def test_removing_everything_gives_back_every_word():
    trie, generator = CompactTrie(), random.Random(5)
    empty = dict(trie.stats())
    rows = [sorted(generator.sample(range(12), generator.randint(1, 8))) for _ in range(500)]
    for _ in range(2):
        trie.add(rows_of(rows), int32(range(500)))
        assert trie.draw() == compressed({i: tuple(row) for i, row in enumerate(rows)})
        for payload in generator.sample(range(500), 500):
            trie.remove(int32(rows[payload]), payload)
        assert dict(trie.stats()) | {"allocated_bytes": empty["allocated_bytes"]} == empty
        assert empty["nodes"] == 0 and (trie.arrays()["keys"] < 0).all()


def test_a_long_row_and_a_huge_item():
    trie = CompactTrie()
    longest = np.arange(32767, dtype=np.int32) * 3
    trie.add(rows_of([[0, 99_999], [99_999], [3, 100_000]]), int32([2, 3, 4]))
    trie.add_one(longest, 1)
    trie.add_one(longest[:20_000], 5)
    hits = trie.match(rows_of([range(100_000)]))
    assert found(hits) == [[1, 2, 3, 5]]
    assert hits.operations == 5
    trie.remove(longest[:20_000], 5)
    assert trie.stats()["compact_size_mean"] == (32766 + 2) / 2
    trie.remove(longest, 1)
    assert trie.draw() == "0 99999 [2]\n3 100000 [4]\n99999 [3]"


def test_more_hits_than_the_buffer_has_room_for():
    trie = CompactTrie()
    trie.add(rows_of([[1]] * 3000 + [[1, 2]] * 3000), int32(range(6000)))
    assert found(trie.match(rows_of([[2], [1, 2], [1]]))) == [[], list(range(6000)), list(range(3000))]


@pytest.mark.slow
def test_agrees_with_the_simple_trie_at_a_larger_scale():
    generator = np.random.default_rng(7)
    drawn = [np.unique(generator.integers(0, 400, size)) for size in generator.integers(1, 6, 20_000)]
    items = rows_of([np.unique(generator.integers(0, 400, 60)) for _ in range(50)])
    simple, compact = Trie(), CompactTrie()
    for trie in (simple, compact):
        trie.add(rows_of(drawn), int32(range(20_000)))
    assert found(simple.match(items)) == found(compact.match(items))
    assert simple.stats()["leaves"] == compact.stats()["leaves"]
    assert simple.match(items).operations >= compact.match(items).operations


def test_threads_match_alike():
    trie, generator = table_2_1(CompactTrie()), random.Random(3)
    items = [rows_of([sorted(generator.sample(range(1, 25), 12)) for _ in range(50)]) for _ in range(16)]
    alone = [found(trie.match(item)) for item in items]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda item: found(trie.match(item)), items))
    assert together == alone


def test_a_block_has_room_for_one():
    with pytest.raises(OptionError):
        CompactTrie(block=0)
