"""The packed index: its layout, its delta and tombstones, and packing while things change."""

from __future__ import annotations

import random
import threading

import numpy as np
import pytest

from tests.sets.structures import duel, found, int32, reopened, rows_of, table_2_1
from watchword.kernels.tombstones import FIRST_CLAUSE
from watchword.sets.packed import PackedRows


@pytest.mark.parametrize("seed", range(12))
def test_duel(seed: int) -> None:
    duel(PackedRows, seed)


@pytest.mark.parametrize("seed", range(6))
def test_duel_with_packing_in_a_thread(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PackedRows, "background_rows", 0)
    duel(PackedRows, seed, terms=12, steps=80)


def test_the_example_of_the_thesis() -> None:
    structure = table_2_1(PackedRows())
    assert found(structure.match(rows_of([(1, 12), (24,), (1, 2, 3), (1, 12, 24), (2, 4), (1, 2, 4)]))) == [
        [4],
        [],
        [3],
        [2, 4],
        [5],
        [1, 5],
    ]


def test_a_large_block_is_searched_for_the_atoms_of_an_item_in_any_order() -> None:
    """The block of atom 0, the rarest of each pair, has a hundred seconds: it is searched, not read."""
    rows: dict[int, list[int]] = {second: [0, second] for second in range(1, 101)}
    rows |= {1000 + number: [1 + number % 100] for number in range(12_000)}
    structure = PackedRows()
    structure.add(rows_of(rows.values()), int32(rows))
    structure.condense()
    items = [[90, 0, 7], [7, 0, 90], [0, 100, 1], [55, 3, 0]]
    pairs = [[payload for payload in ids if payload < 1000] for ids in found(structure.match(rows_of(items)))]
    assert pairs == [[7, 90], [7, 90], [1, 100], [3, 55]]


def big(rows: int, seed: int) -> dict[int, list[int]]:
    draw = random.Random(seed)
    return {payload: draw.sample(range(60), draw.choice([1, 2, 2, 3, 4])) for payload in range(rows)}


def check(structure: PackedRows, rows: dict[int, list[int]], seed: int) -> None:
    draw = random.Random(seed)
    items = [draw.sample(range(70), 12) for _ in range(8)]
    expected = [sorted(p for p, row in rows.items() if set(row) <= set(item)) for item in items]
    assert found(structure.match(rows_of(items))) == expected


@pytest.mark.slow
def test_changes_while_a_packing_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """The packing is held up, so that rows of every origin change behind its back."""
    from watchword.sets import packed

    monkeypatch.setattr(PackedRows, "background_rows", 0)
    go = threading.Event()
    pack = packed._pack
    rows = big(20_000, 1)
    structure = PackedRows()
    structure.add(rows_of(rows.values()), int32(rows))

    def held_up(*given: object) -> object:
        assert go.wait(60)
        return pack(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(packed, "_pack", held_up)
    draw = random.Random(2)
    more = {payload + 20_000: row for payload, row in big(9_200, 3).items()}
    for payload, row in more.items():  # enough to begin packing
        structure.add_one(int32(row), payload)
    assert structure._packing is not None
    rows |= more
    for payload in draw.sample(sorted(rows), 3_000):  # of the base, of the delta as frozen, of the delta since
        structure.remove(int32(rows[payload]), payload)
        if draw.random() < 0.5:
            rows[payload] = draw.sample(range(60), 2)
            structure.add_one(int32(rows[payload]), payload)
        else:
            del rows[payload]
    check(structure, rows, 4)
    go.set()
    structure.condense()
    assert structure._packing is None
    assert structure.stats()["delta"] == 0 == structure.stats()["tombstones"]
    check(structure, rows, 5)
    assert len(structure) == len(rows)


def test_an_error_while_packing_for_a_snapshot_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    from watchword.sets import packed

    def fails(*given: object) -> object:
        raise MemoryError("no room")

    structure = PackedRows()
    structure.add_one(int32([1, 2]), 0)
    monkeypatch.setattr(packed, "_pack", fails)
    with pytest.raises(MemoryError, match="no room"):
        structure.condense()
    monkeypatch.undo()
    structure.condense()
    assert found(structure.match(rows_of([[1, 2]]))) == [[0]]


def test_an_error_while_packing_aside_is_logged_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from watchword.sets import packed

    monkeypatch.setattr(PackedRows, "delta_rows", 10)
    monkeypatch.setattr(PackedRows, "background_rows", 0)
    structure, pack, tried = PackedRows(), packed._pack, []

    def fails_once(*given: object) -> object:
        tried.append(given)
        if len(tried) == 1:
            raise MemoryError("no room")
        return pack(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(packed, "_pack", fails_once)
    rows = {payload: [payload % 5, 7] for payload in range(40)}
    for payload, row in rows.items():
        structure.add_one(int32(row), payload)
        if structure._packing is not None:
            structure._packing.is_over(wait=True)
    assert len(tried) > 1 and len(structure.base) > 0
    assert "packing 10 rows failed" in caplog.text
    check(structure, rows, 1)
    for payload in range(0, 40, 3):
        structure.remove(int32(rows.pop(payload)), payload)
    check(structure, rows, 2)


def test_drawing() -> None:
    structure = PackedRows()
    names = ["debt", "crisis", "greece", "imf"]
    structure.add(rows_of([[2], [2, 1], [2, 1, 3], [0, 1]]), int32([10, 11, 12, FIRST_CLAUSE]))
    structure.match(rows_of([[3]] * 3_000 + [[1]] * 100))
    structure.condense()
    assert structure.draw(lambda atom: names[atom]) == (
        "debt\n  crisis [clause 0]\ngreece [10]\n  crisis [11] [imf 12]"
    )


def test_blocks_with_very_many_groups_are_searched() -> None:
    rows = {payload: [0, 1 + payload] for payload in range(5_000)}
    frequent = {payload + 5_000: [1 + payload % 5_000] for payload in range(20_000)}
    structure = PackedRows()
    structure.add(rows_of([*rows.values(), *frequent.values()]), int32([*rows, *frequent]))
    items = [[0, 7, 4_000, 5_000, 9_999], [0], [3, 0, 2, 1]]
    everything = rows | frequent
    expected = [sorted(p for p, row in everything.items() if set(row) <= set(item)) for item in items]
    assert found(structure.match(rows_of(items))) == expected


def test_high_payloads_have_tombstones_of_their_own() -> None:
    structure = PackedRows()
    structure.add(rows_of([[1], [1], [2, 3]]), int32([5, FIRST_CLAUSE + 5, FIRST_CLAUSE + 6]))
    structure.remove(int32([1]), FIRST_CLAUSE + 5)
    assert found(structure.match(rows_of([[1, 2, 3]]))) == [[5, FIRST_CLAUSE + 6]]
    structure.renumber(int32(range(6)[::-1]))
    assert found(structure.match(rows_of([[1, 2, 3]]))) == [[0, FIRST_CLAUSE + 6]]


def test_keys_follow_what_items_show() -> None:
    """Both terms are equally frequent in rows; items show that one of them is rare."""
    rows = {payload: [1, 2] for payload in range(100)}
    structure = PackedRows()
    structure.add(rows_of(rows.values()), int32(rows))
    assert structure.match(rows_of([[1]])).operations > structure.match(rows_of([[2]])).operations
    structure.match(rows_of([[1]] * 5_000))
    structure.add_one(int32([7]), 100)
    structure.condense()
    assert structure.match(rows_of([[1]])).operations < structure.match(rows_of([[2]])).operations


def test_matching_from_several_threads() -> None:
    rows = big(3_000, 6)
    structure = PackedRows()
    structure.add(rows_of(rows.values()), int32(rows))
    items = rows_of([random.Random(n).sample(range(60), 20) for n in range(300)])
    expected = found(structure.match(items))
    answers: list[list[list[int]]] = []
    threads = [threading.Thread(target=lambda: answers.append(found(structure.match(items)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 4


def test_reopening_keeps_what_was_observed() -> None:
    structure = PackedRows()
    structure.add(rows_of([[1, 2], [3]]), int32([0, 1]))
    structure.match(rows_of([[1, 3]] * 10))
    structure.condense()
    again = reopened(structure)
    assert isinstance(again, PackedRows)
    assert again.items == 10
    assert np.array_equal(again.counts.items[:4], structure.counts.items[:4])
