"""What every structure over sets must do, whatever its method."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.sets.structures import found, int32, rows_of, table_2_1
from watchword.sets.brute import Brute, OrderedBrute
from watchword.sets.clusters import NonPropagation, Propagation
from watchword.sets.compact_count import CompactCount
from watchword.sets.count import Count
from watchword.sets.counting import Counting
from watchword.sets.inverted import Inverted
from watchword.sets.packed import PackedRows
from watchword.sets.poset import Poset
from watchword.sets.tries.compact_trie import CompactTrie
from watchword.sets.tries.trie import Trie

ALL = [
    Brute,
    OrderedBrute,
    Inverted,
    Count,
    CompactCount,
    Counting,
    Propagation,
    NonPropagation,
    Trie,
    CompactTrie,
    Poset,
    PackedRows,
]

every = pytest.mark.parametrize("make", ALL)


def in_order(structure, atoms):
    """Return distinct atoms in the order that a structure asks for."""
    return sorted(set(atoms), reverse=structure.order == "reverse-rank")


@every
def test_threads_share_a_structure(make):
    rng = np.random.default_rng(5)
    structure = make()

    def drawn(size, count):
        return rows_of([in_order(structure, rng.integers(0, 60, size).tolist()) for _ in range(count)])

    structure.add(drawn(3, 3000), int32(range(3000)))
    batches = [drawn(25, 20) for _ in range(16)]
    alone = [found(structure.match(batch)) for batch in batches]
    assert any(payloads for batch in alone for payloads in batch)
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda batch: found(structure.match(batch)), batches * 4))
    assert together == alone * 4


@every
def test_private_memory_maps_can_be_changed(make, tmp_path):
    filled = table_2_1(make())
    filled.condense()
    for name, array in filled.arrays().items():
        np.save(tmp_path / f"{name}.npy", array)

    def opened():
        structure = make()
        structure.restore({path.stem: np.load(path, mmap_mode="c") for path in tmp_path.glob("*.npy")})
        return structure

    structure = opened()
    structure.remove(int32(in_order(structure, [24, 1])), 2)
    structure.add_one(int32(in_order(structure, [60, 24])), 9)
    item = rows_of([in_order(structure, [60, 24, 1])])
    assert found(structure.match(item)) == [[9]]
    assert found(opened().match(item)) == [[2]]
