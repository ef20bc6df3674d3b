"""The drawings at the heads of `kernels.sets` show what really lies in the arrays: Table 2.1, added at once."""

from __future__ import annotations

import numpy as np

from tests.sets.structures import int32, rows_of, table_2_1
from watchword.kernels.arena import give_back, take
from watchword.kernels.child_table import child_entries, new_table, put_child
from watchword.kernels.int_set import set_fill
from watchword.kernels.sets.positions import fill_slots
from watchword.kernels.size_classes import CLASSES, block_class, give_block, take_block
from watchword.sets.brute import Brute
from watchword.sets.clusters import Propagation
from watchword.sets.compact_count import CompactCount
from watchword.sets.count import Count
from watchword.sets.counting import Counting
from watchword.sets.numbering import RowNumbers
from watchword.sets.poset import Poset
from watchword.sets.tries.compact_trie import CompactTrie
from watchword.sets.tries.trie import Trie


def drawn(structure, *names):
    """Return some arrays of a structure that holds Table 2.1."""
    arrays = table_2_1(structure).arrays()
    return [arrays[name].tolist() for name in names]


def bits(*atoms: int) -> int:
    return sum(1 << atom for atom in atoms)


def test_brute():
    starts, sizes, payloads, pool = drawn(Brute(), "starts", "sizes", "payloads", "pool")
    assert (starts, sizes, payloads) == ([0, 3, 5, 8, 10, 12], [3, 2, 3, 2, 2, 3], [1, 2, 3, 4, 5, 6])
    assert pool == [1, 2, 4, 1, 24, 1, 2, 3, 1, 12, 2, 4, 2, 3, 13]


def test_postings():
    heads, lengths, nodes, state = drawn(Count(), "heads", "lengths", "nodes", "nodes_state")
    assert {atom: head for atom, head in enumerate(heads) if head >= 0} == {
        1: 8,
        2: 12,
        3: 13,
        4: 11,
        12: 9,
        13: 14,
        24: 4,
    }
    assert lengths[1:5] == [4, 4, 2, 2]
    assert nodes == [0, -1, 0, -1, 0, -1, 1, 0, 1, -1, 2, 3, 2, 1, 2, -1, 3, 5, 3, -1, 4, 6, 4, 2, 5, 10, 5, 7, 5, -1]
    assert state == [15, -1, 15]


def test_compact_count():
    buckets, nodes, blocks, state = drawn(CompactCount(block=3), "buckets", "nodes", "blocks", "state")
    assert buckets == [5, 6, 1, 4] and state == [7, -1, 7, 9, -1, 9, 15]
    assert nodes == [1, -1, 5, 4, 2, -1, 7, 4, 4, -1, 2, 2, 24, 2, 3, 1, 3, -1, 4, 2, 12, 3, 6, 1, 13, 0, 8, 1]
    assert (blocks[0:4], blocks[20], blocks[23]) == ([0, 1, 2, -1], 3, 0)
    assert (blocks[4:8], blocks[28], blocks[31]) == ([0, 2, 4, -1], 5, 1)


def test_removal_from_compact_count():
    structure = table_2_1(CompactCount(block=3))
    structure.remove(int32([1, 2, 4]), 1)
    blocks = structure.arrays()["blocks"].tolist()
    assert (blocks[:4], blocks[4:8], blocks[8]) == ([3, 1, 2, -1], [5, 2, 4, -1], 4)


def test_trie():
    nodes, cells = drawn(Trie(), "nodes", "cells")
    assert [nodes[4 * n : 4 * n + 4] for n in range(11)] == [
        [-1, 2, 3, bits(1, 2)],
        [-1, 3, 22, bits(2, 12, 24)],
        [-1, 2, 7, bits(3, 4)],
        [0, 0, 0, 0],
        [1, 0, 0, 0],
        [2, 0, 0, 0],
        [3, 0, 0, 0],
        [-1, 2, 7, bits(3, 4)],
        [4, 0, 0, 0],
        [-1, 1, 13, bits(13)],
        [5, 0, 0, 0],
    ]
    assert cells == [1, -1, 2, -1, 3, -1, 4, -1, 5, -1, 6, -1]
    trie = table_2_1(Trie()).arrays()
    atoms = {node: atom for _, atom, node in child_entries(trie["keys"], trie["values"])}
    assert atoms == {1: 1, 2: 2, 5: 3, 3: 4, 6: 12, 4: 24, 7: 2, 9: 3, 10: 13, 8: 4}


def test_compact_trie():
    addresses, words = drawn(CompactTrie(), "addresses", "words")
    records = {node: words[address:] for node, address in enumerate(addresses)}
    assert records[0][:4] == [4, 2, 3, bits(1, 2)]
    assert records[2][:5] == [1 << 3 | 4, 1, 3, 22, bits(2, 12, 24)]
    assert records[4][:5] == records[8][:5] == [1 << 3 | 4, 2, 2, 7, bits(3, 4)]
    assert [records[node][1:3] for node in (5, 1, 6, 3, 7)] == [[3, 3], [4, 1], [12, 4], [24, 2], [4, 5]]
    assert {records[node][0] for node in (5, 1, 6, 3, 7)} == {1 << 3 | 1}
    assert records[9][:4] == [2 << 3 | 1, 3, 13, 6]


def test_poset():
    ups, downs, leads, tops, link_nodes = drawn(Poset(), "ups", "downs", "leads", "tops", "link_nodes")
    assert (ups, downs) == ([0, -1, -1, -1, -1, -1], [-1, -1, -1, -1, 1, -1])
    assert (leads, tops[:5], link_nodes) == ([4, -2, -3, -1, -4, -5], [3, 1, 2, 4, 5], [4, 0])


def test_small_tables():
    table = int32([0] * 16)
    assert set_fill(table, int32([4, 2, 7]), 0, 3) == 15
    assert {slot: number for slot, number in enumerate(table.tolist()) if number >= 0} == {8: 7, 11: 4, 13: 2}
    slots = int32([0] * 8)
    assert fill_slots(slots, int32([24, 1, 12]), 0, 3) == 7
    assert slots.tolist() == [0, 3, 0, 1, 0, 0, 0, 2]
    keys, values = new_table(8)
    for node, symbol, child in [(0, 1, 1), (1, 2, 2), (1, 3, 3)]:
        put_child(keys, values, node, symbol, child)
    assert values.tolist() == [-1, -1, -1, -1, -1, 2, 3, 1]


def test_arena():
    words, bins, state = int32([0] * 8), int32([-1] * 4), np.zeros(2, np.int64)
    addresses = [take(words, bins, state, size) for size in (3, 3, 2)]
    assert addresses == [0, 3, 6]
    words[3:6] = 9, 8, 7
    give_back(words, bins, state, 0, 3)
    give_back(words, bins, state, 6, 2)
    assert (words[[0, 3, 4, 5, 6]].tolist(), bins.tolist(), state.tolist()) == (
        [-1, 9, 8, 7, -1],
        [-1, -1, 6, 0],
        [8, 3],
    )


def test_free_rows():
    numbers = RowNumbers()
    numbers.take(int32([70, 71, 72, 73, 74]))
    numbers.give_back(1)
    numbers.give_back(3)
    assert (numbers.payloads[:5].tolist(), numbers.free) == ([70, -1, 72, -3, 74], 3)


def test_counting():
    counters, payloads = drawn(Counting(), "counters", "payloads")
    assert (counters, payloads) == ([3, 2, 3, 2, 2, 3], [1, 2, 3, 4, 5, 6])


def test_clusters():
    structure = Propagation()
    structure.add(rows_of([[7, 4, 9], [7, 2, 9], [7]]), int32([10, 11, 12]))
    words, clusters, heads, state = (
        structure.arrays()[name].tolist() for name in ("words", "clusters", "heads", "state")
    )
    assert (words[0], words[4:]) == (12, [10, 11, 4, 2, 9, 9])
    assert (clusters[:7], clusters[8:15]) == ([7, 0, 1, 4, 0, 0, -1], [7, 2, 2, 2, 4, 2, 0])
    assert {atom: head for atom, head in enumerate(heads) if head >= 0} == {7: 1}
    assert state == [10, 2, -1, 2, 7]


def test_removal_from_clusters():
    structure = Propagation()
    structure.add(rows_of([[7, 4, 9], [7, 2, 9]]), int32([10, 11]))
    structure.remove(int32([7, 4, 9]), 10)
    words = structure.arrays()["words"].tolist()
    assert (words[0], words[2], words[4]) == (11, 2, 9)


def test_blocks():
    words, bins, state = int32([0] * 16), int32([-1] * CLASSES), np.zeros(1, np.int64)
    addresses = [take_block(words, bins, state, block_class(size)) for size in (3, 8, 4)]
    assert addresses == [0, 4, 12]
    give_block(words, bins, 0, 0)
    assert (words[0], bins[:2].tolist(), state.tolist()) == (-1, [0, -1], [16])
