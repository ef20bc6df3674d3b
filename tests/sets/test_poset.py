from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sets.structures import duel, found, int32, rows_of, table_2_1
from watchword.errors import OptionError
from watchword.sets.poset import Poset

storages = pytest.mark.parametrize("storage", ["whole", "delta"])


def named(term: int) -> str:
    return f"t{term}"


def neighbours(poset: Poset, field: str) -> dict[frozenset[int], set[frozenset[int]]]:
    """Return each stored set's parents (``ups``) or children (``downs``), read from the arrays."""
    a = poset.arrays()
    live = [node for node, size in enumerate(a["sizes"]) if size]
    kept = a["own"] if len(a["own"]) else a["sizes"]
    own = {n: frozenset(a["words"][a["addresses"][n] :][: kept[n]].tolist()) for n in live}
    sets = own if not len(a["own"]) else {n: contents(n, own, a) for n in live}
    assert all(len(sets[n]) == a["sizes"][n] for n in live)
    result: dict[frozenset[int], set[frozenset[int]]] = {}
    for node in live:
        near, link = [], a[field][node]
        while link >= 0:
            near.append(sets[int(a["link_nodes"][link])])
            link = a["link_nexts"][link]
        assert len(near) == len(set(near))
        result[sets[node]] = set(near)
    return result


def contents(node: int, own: dict[int, frozenset[int]], a: Any) -> frozenset[int]:
    """Return the union up to the tops, of nodes that keep deltas; each keeps nothing that a parent has."""
    above, link = frozenset[int](), a["ups"][node]
    while link >= 0:
        above |= contents(int(a["link_nodes"][link]), own, a)
        link = a["link_nexts"][link]
    assert not above & own[node]
    return above | own[node]


def maximal(sets: set[frozenset[int]]) -> set[frozenset[int]]:
    return {one for one in sets if not any(one < other for other in sets)}


def check(poset: Poset, rows: dict[int, frozenset[int]]) -> None:
    """Parents are exactly the maximal stored proper subsets, children mirror them, leads span the graph."""
    sets = set(rows.values())
    parents = {one: maximal({other for other in sets if other < one}) for one in sets}
    assert neighbours(poset, "ups") == parents
    assert neighbours(poset, "downs") == {one: {o for o in sets if one in parents[o]} for one in sets}
    stats = poset.stats()
    assert stats["nodes"] == len(sets)
    assert stats["edges"] == sum(map(len, parents.values()))
    assert stats["top_nodes"] == sum(not above for above in parents.values())


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("terms", [4, 12, 40])
@storages
def test_duel(seed, terms, storage):
    duel(partial(Poset, storage), seed, terms=terms, storage=storage)


def test_a_storage_that_there_is_not():
    with pytest.raises(OptionError, match="whole, delta, not 'none'"):
        Poset(storage="none")


def test_deltas_grow_and_shrink_with_the_sets_in_between():
    poset = Poset(storage="delta")
    poset.add(rows_of([[1], [1, 2, 3], [1, 2, 4]]), int32(range(3)))
    stored = [poset.stats()["atoms_stored"]]
    for change in (poset.add_one, poset.remove):
        change(int32([2, 1]), 9)
        stored.append(poset.stats()["atoms_stored"])
        assert poset.draw().count("1 2 3 [1]") == 1
    assert stored == [1 + 2 + 2, 1 + 1 + 1 + 1, 1 + 2 + 2]


def test_a_set_that_its_subsets_make_up_keeps_nothing():
    poset = Poset(storage="delta")
    poset.add(rows_of([[1, 2], [2, 3], [1, 2, 3]]), int32(range(3)))
    assert poset.stats()["atoms_stored"] == 4
    hits = poset.match(rows_of([[1, 2, 3], [2, 3], [1, 3]]))
    assert found(hits) == [[0, 1, 2], [1], []]
    assert hits.operations == 3 + 2 + 2


def test_figure_5_2():
    poset = Poset()
    poset.add(rows_of([[1, 2, 3], [1, 2], [1, 3]]), int32([1, 2, 3]))
    assert poset.draw(named) == "t1 t2 [2]\n  t1 t2 t3 [1]\nt1 t3 [3]\n  t1 t2 t3 [1]"


def test_figure_5_3_is_a_chain_in_any_order():
    poset = Poset()
    poset.add(rows_of([[1, 2, 3], [3, 2], [3]]), int32([1, 2, 3]))
    assert poset.draw(named) == "t3 [3]\n  t2 t3 [2]\n    t1 t2 t3 [1]"
    assert poset.stats()["edges"] == 2


def test_figure_5_4_table_2_1_is_nearly_flat():
    poset = table_2_1(Poset())
    assert poset.draw(named) == ("t1 t2 t3 [3]\nt1 t12 [4]\nt1 t24 [2]\nt2 t3 t13 [6]\nt2 t4 [5]\n  t1 t2 t4 [1]")
    hits = poset.match(rows_of([[4, 2, 1], [12, 1], [24]]))
    assert found(hits) == [[1, 5], [4], []]
    assert hits.operations == (5 + 1) + 5 + 5


def test_a_drawing_repeats_no_subtree():
    poset = Poset()
    poset.add(rows_of([[1], [2], [1, 2], [1, 2, 3]]), int32(range(4)))
    assert poset.draw() == "1 [0]\n  1 2 [2]\n    1 2 3 [3]\n2 [1]\n  1 2 [2] …"


def test_a_set_in_between_takes_over_the_edges_and_gives_them_back():
    poset = Poset()
    poset.add(rows_of([[1], [1, 2, 3], [1, 2, 4], [5, 1]]), int32(range(4)))
    before = poset.draw()
    poset.add_one(int32([2, 1]), 9)
    assert poset.draw() == "1 [0]\n  1 2 [9]\n    1 2 3 [1]\n    1 2 4 [2]\n  1 5 [3]"
    poset.remove(int32([1, 2]), 9)
    assert poset.draw() == before


def test_equal_sets_share_a_node():
    poset = Poset()
    poset.add(rows_of([[2, 1], [1, 2], [1, 2]]), int32([4, 5, 6]))
    assert poset.draw() == "1 2 [4, 5, 6]"
    poset.remove(int32([2, 1]), 5)
    assert poset.draw() == "1 2 [4, 6]"
    with pytest.raises(KeyError):
        poset.remove(int32([2, 1]), 5)


@storages
@settings(max_examples=40, deadline=None)
@given(sets=st.lists(st.sets(st.integers(0, 5), min_size=1), max_size=40), generator=st.randoms(use_true_random=False))
def test_edges_are_the_covering_relation(sets, generator, storage):
    """Terms 64 apart share a signature bit, so that signatures alone would err."""
    poset = Poset(storage)
    rows = {payload: frozenset(term * 32 for term in row) for payload, row in enumerate(sets)}
    for payload, row in rows.items():
        poset.add_one(int32(row), payload)
    check(poset, rows)
    for payload in generator.sample(sorted(rows), len(rows)):
        poset.remove(int32(rows.pop(payload)), payload)
        check(poset, rows)


@storages
def test_invariant_after_many_changes(storage):
    poset, generator = Poset(storage), random.Random(11)
    rows: dict[int, frozenset[int]] = {}
    for payload in range(400):
        row = frozenset(generator.sample(range(9), generator.randint(1, 6)))
        poset.add_one(int32(generator.sample(sorted(row), len(row))), payload)
        rows[payload] = row
        if generator.random() < 0.4:
            gone = generator.choice(sorted(rows))
            poset.remove(int32(rows.pop(gone)), gone)
        if payload % 40 == 0:
            check(poset, rows)
    check(poset, rows)
    for payload, row in rows.items():
        poset.remove(int32(row), payload)
    left = poset.stats()
    assert [left[name] for name in ("nodes", "edges", "top_nodes", "atoms_stored", "bytes")] == [0] * 5


def test_a_long_row_and_a_huge_item():
    poset = Poset()
    longest = np.arange(32767, dtype=np.int32) * 3
    poset.add_one(longest, 1)
    poset.add(rows_of([[99_999, 0], [99_999], [3, 100_000], [3, 0]]), int32([2, 3, 4, 5]))
    assert found(poset.match(rows_of([range(99_999, -1, -1)]))) == [[1, 2, 3, 5]]
    poset.remove(longest[::-1], 1)
    assert poset.stats()["nodes"] == 4


def test_more_hits_than_the_buffer_has_room_for():
    poset = Poset()
    poset.add(rows_of([[1]] * 3000 + [[1, 2]] * 3000), int32(range(6000)))
    assert found(poset.match(rows_of([[2], [1, 2], [1]]))) == [[], list(range(6000)), list(range(3000))]


def test_threads_match_alike():
    poset, generator = table_2_1(Poset()), random.Random(3)
    items = [rows_of([generator.sample(range(1, 25), 12) for _ in range(50)]) for _ in range(16)]
    alone = [found(poset.match(item)) for item in items]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda item: found(poset.match(item)), items))
    assert together == alone
