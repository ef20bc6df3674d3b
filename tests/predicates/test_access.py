"""`auto`: access keys of every kind, packing and unpacking, delta and tombstones, labels that move; by brute force."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from tests.predicates.access_duel import Duel
from tests.sets.structures import int32, rows_of
from watchword import PredicateIndex
from watchword.kernels.predicates.blocks import MANY
from watchword.kernels.predicates.heads import HEADS
from watchword.kernels.predicates.layout import LAZILY, MORE, ROWS_AT
from watchword.predicates import zones
from watchword.predicates.access import eager
from watchword.predicates.access import structure as structures
from watchword.predicates.access.structure import AccessRows


def kinds(duel: Duel) -> dict[str, int]:
    figures = duel.structure.stats()
    always = int(duel.structure.base.packed.always[0] >= 0)
    return {name: int(figures[name]) for name in ("points", "pairs", "nodes_of_spans", "partners")} | {"always": always}


def in_full(duel: Duel) -> dict[int, list[int]]:
    return {payload: sorted(row) for payload, row in duel.rows.items()}


def groups(duel: Duel) -> set[tuple[int, bool, bool]]:
    """Return of all packed groups their literals, whether they have many rows, and whether some are compared lazily."""
    base, found, at = duel.structure.base.packed, set(), 0
    words, per_word = base.words.tolist(), 4 // base.arena.itemsize
    while at < len(words):
        size, rows = words[at] & (MORE - 1), words[at] >> ROWS_AT
        found.add((size, rows >= MANY, bool(words[at] & LAZILY)))
        at += 1 + -(-size * rows // per_word) + rows
    return found


@pytest.mark.slow
@pytest.mark.parametrize("atoms", [0, 40_000])
@pytest.mark.parametrize("worth", [0, 1 << 20])
def test_groups_of_every_sort(worth: int, atoms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few and many rows of none to three literals, two in a word or one; spans compared at once, or when asked for."""
    monkeypatch.setattr(eager, "WORTH", worth)
    duel = Duel(12, values=4)
    duel.add(4000)
    for number in range(3 * MANY):  # more than two comparisons under one value, so that groups of three are large
        duel.rows[duel.next] = [
            one << 1 | (number % 5 == 0)
            for one in duel.atoms(["p0 = 1", f"s0 != {number}", f"s1 >= {number}", f"s0 < {60 - number}"])
        ]
        duel.structure.add_one(int32(duel.rows[duel.next]), duel.next)
        duel.next += 1
    duel.structure.condense()
    lazily = worth == 0
    wanted = {(size, many, lazily) for size in (1, 2) for many in (False, True)} | {(3, False, lazily)}
    assert wanted | {(0, False, False), (0, True, False), (1, False, False)} <= groups(duel)
    assert any(size > 2 and many for size, many, _ in groups(duel))
    assert lazily or not any(is_lazy for *_, is_lazy in groups(duel))
    assert (len(duel.structure.base.packed.eager) > 0) == (not lazily)
    duel.check(40)
    duel.atoms(f"p2 = {4 + value}" for value in range(atoms))
    duel.add(300)
    duel.check(10)
    duel.structure.condense()
    assert duel.structure.base.packed.arena.dtype == (np.int32 if atoms else np.uint16)
    duel.remove(400)
    duel.check(3 if atoms else 40)
    assert duel.unpacked() == in_full(duel)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_duel(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that may happen to a structure, in any order."""
    monkeypatch.setattr(AccessRows, "delta_rows", 40)
    duel = Duel(seed)
    for _ in range(25):
        step = duel.random.choice(["one", "few", "many", "remove", "condense", "open", "learn", "check"])
        if step == "one":
            duel.add_one()
        elif step in ("few", "many"):
            duel.add(duel.random.randrange(20) if step == "few" else 300)
        elif step == "remove":
            duel.remove(duel.random.choice([1, 10, 200]))
        elif step == "condense":
            duel.structure.condense()
        elif step == "open":
            duel.reopened()
        elif step == "learn":
            duel.structure.match(duel.held([duel.event() for _ in range(300)]))
        duel.check()
    assert duel.unpacked() == in_full(duel)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_duel_with_packing_in_a_thread(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AccessRows, "background_rows", 0)
    monkeypatch.setattr(AccessRows, "delta_rows", 20)
    duel = Duel(seed)
    for _ in range(40):
        for _ in range(duel.random.randrange(30)):
            duel.add_one()
        duel.remove(duel.random.randrange(12))
        duel.check(3)
    duel.structure.condense()
    duel.check()
    assert duel.unpacked() == in_full(duel)


def test_changes_while_a_packing_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """The packing is held up, while rows of every origin change, and labels are spread anew."""
    monkeypatch.setattr(AccessRows, "background_rows", 0)
    monkeypatch.setattr(AccessRows, "delta_rows", 200)
    duel = Duel(3)
    duel.add(1000)
    go, pack = threading.Event(), structures.pack

    def held_up(*given: object) -> object:
        assert go.wait(60)
        return pack(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(structures, "pack", held_up)
    for _ in range(460):
        duel.add_one()
    assert duel.structure._packing is not None
    duel.remove(300)
    for _ in range(10):
        duel.add_one()
    duel.check()
    go.set()
    duel.structure.condense()
    duel.check()
    assert duel.unpacked() == in_full(duel)


@pytest.mark.slow
def test_rows_come_back_as_they_went_in() -> None:
    duel = Duel(5, points=6, values=10)
    duel.add(6000)
    found = kinds(duel)
    assert all(found.values()), found
    assert duel.unpacked() == in_full(duel)
    duel.check(20)
    duel.reopened()
    assert duel.unpacked() == in_full(duel)
    duel.remove(1000)
    assert duel.unpacked() == in_full(duel)


@pytest.mark.slow
@pytest.mark.parametrize(("values", "in_grid"), [(12, True), (400, False)])
def test_pairs_in_grids_and_in_a_hash_table(values: int, in_grid: bool) -> None:
    """Two fields of 12 values have 144 pairs, most of which are keys; of 160,000 pairs hardly any are."""
    duel = Duel(7, points=2, values=values, spans=1)
    draw = duel.random
    for _ in range(9000):
        duel.rows[duel.next] = [one << 1 for one in duel.atoms(f"p{f} = {draw.randrange(values)}" for f in (0, 1))]
        duel.next += 1
    duel.structure.add(rows_of(duel.rows.values()), int32(duel.rows))
    base = duel.structure.base.packed
    grid, table = np.count_nonzero(base.grid >= 0), np.count_nonzero(base.pair_blocks >= 0)
    assert (grid > 0, table > 0) == (in_grid, not in_grid)
    assert kinds(duel)["partners"] == 1
    assert duel.unpacked() == in_full(duel)
    duel.check(30)
    duel.remove(500)
    duel.add_one(["p0 = 1", "p1 = 1"])
    duel.check(30)


def test_rows_of_every_sort_alone() -> None:
    """One row at a time, in the delta and packed: nothing but a point, a pair, a span, negations only."""
    for texts, negated in [
        (["p0 = 1"], ()), (["p0 = 1", "p1 = 2"], ()), (["s0 < 30"], ()), (["s0 != 30"], ()), (["s0 EXISTS"], ()),
        (["p0 = 1"], (0,)), (["s0 < 30"], (0,)), (["s0 EXISTS", "p0 = 1"], (0, 1)), (["s0 BETWEEN 5 AND 1"], ()),
        (["s0 < 30", "s0 > 20", "s1 = 'x'"], ()), (["p0 IN (1, 2, 3)", "p0 = 1"], (1,)),
    ]:  # fmt: skip
        duel = Duel(1)
        row = [atom << 1 | (number in negated) for number, atom in enumerate(duel.atoms(texts))]
        duel.structure.add_one(int32(row), 0)
        duel.rows[0] = row
        duel.check(60)
        duel.structure.condense()
        duel.check(60)
        duel.structure.remove(int32(row), 0)
        del duel.rows[0]
        duel.check(5)


def test_an_unknown_row_is_a_key_error() -> None:
    duel = Duel(2)
    duel.add(50)
    duel.structure.condense()
    for payload in (50, 1000, -1):
        with pytest.raises(KeyError):
            duel.structure.remove(int32([0]), payload)
    duel.remove(1)
    gone = next(payload for payload in range(50) if payload not in duel.rows)
    with pytest.raises(KeyError):
        duel.structure.remove(int32([0]), gone)
    duel.check()


def test_tombstones_until_a_third_is_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AccessRows, "delta_rows", 10)
    duel = Duel(4)
    duel.add(400)
    duel.remove(140)
    assert len(duel.structure.tombstones) == 140
    duel.check()
    duel.remove(100)
    assert len(duel.structure.tombstones) < 100, "packed anew"
    duel.check()
    duel.remove(1000)
    assert len(duel.structure) == 0
    duel.check()


def test_labels_are_spread_while_a_delta_and_tombstones_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    """Breakpoints that take half of the room that is left use a zone up after some fifty; rows in base and delta follow
    the new labels."""
    monkeypatch.setattr(zones, "LITTLE", 1)
    duel = Duel(6)
    duel.add(300)
    duel.structure.condense()
    duel.remove(20)
    for value in range(1000, 1130):
        duel.add_one([f"s0 > {value}"])
        duel.add_one([f"s0 BETWEEN {value} AND {value + 1}", "p0 = 1"])
        if value % 10 == 0:
            duel.check(3)
            assert duel.expected({"s0": value + 0.5}) == found(duel, {"s0": value + 0.5})
    assert duel.fields.spreads > 0
    assert duel.unpacked() == in_full(duel)
    duel.reopened()
    duel.check()


def found(duel: Duel, event: dict) -> list[int]:
    return sorted(duel.structure.match(duel.held([event])).payloads.tolist())


def test_more_blocks_than_are_collected_at_once() -> None:
    """An event with thousands of values reaches more keys than fit into the heads that are read together."""
    duel = Duel(8)
    many = HEADS + 500
    for value in range(many):
        duel.rows[value] = [atom << 1 for atom in duel.atoms([f"p0 = {value}"])]
    duel.structure.add(rows_of(duel.rows.values()), int32(duel.rows))
    duel.structure.condense()
    duel.next = many
    event = {"p0": list(range(many + 5)), "s0": [1, 2]}
    assert found(duel, event) == list(range(many))
    duel.add_one(["s0 > 0"])
    assert found(duel, event) == list(range(many + 1))


@pytest.mark.slow
def test_more_than_16_bits_of_atoms_and_rows_in_a_group() -> None:
    duel = Duel(9)
    (one, two) = duel.atoms(["p0 = 1", "p1 = 1"])
    rows = {payload: [one << 1, two << 1] for payload in range(70_000)}
    duel.structure.add(rows_of(rows.values()), int32(rows))
    assert duel.structure.base.packed.arena.dtype == np.uint16
    assert found(duel, {"p0": 1, "p1": 1}) == list(range(70_000)) and found(duel, {"p0": 1}) == []
    duel.rows, duel.next = rows, len(rows)
    duel.atoms(f"p2 = {value}" for value in range(40_000))
    assert found(duel, {"p0": 1, "p1": 1}) == list(range(70_000))
    duel.add_one(["p3 = 1", "p0 = 1"])
    duel.structure.condense()
    assert duel.structure.base.packed.arena.dtype == np.int32
    assert found(duel, {"p0": 1, "p1": [1, 2], "p3": 1}) == list(range(70_001))
    assert len(duel.unpacked()) == 70_001


def test_figures() -> None:
    duel = Duel(10)
    assert duel.structure.stats()["postings"] == 0
    duel.add(300)
    figures = duel.structure.stats()
    assert (figures["postings"], figures["delta"], figures["tombstones"]) == (300, 300, 0)
    duel.structure.condense()
    duel.remove(3)
    figures = duel.structure.stats()
    assert (figures["postings"], figures["delta"], figures["tombstones"]) == (297, 0, 3)
    assert figures["bytes"] > 0


def test_renumbering() -> None:
    duel = Duel(11)
    duel.add(500)
    payloads = np.arange(500, dtype=np.int32)[::-1].copy()
    duel.structure.renumber(payloads)
    duel.rows = {499 - payload: row for payload, row in duel.rows.items()}
    duel.check()
    duel.remove(50)
    duel.check()


def test_drawing() -> None:
    rules = {
        "r1": "name = 'RBS' AND value > 20",
        "r2": "name = 'RBS'",
        "r3": "name = 'NWK' AND NOT value = 5",
        "r4": "value BETWEEN 5 AND 6",
        "r5": "note IS MISSING",
        "r6": "name = 'X' OR name = 'Y'",
        "gone": "name = 'RBS' AND value > 30",
    }
    index = PredicateIndex(rules)
    structure, name = index._plugged.structure, index._plugged.vocabulary.text
    assert structure.draw(name) == "", "nothing is packed yet"
    structure.condense()
    del index["gone"]
    drawn = structure.draw(name)
    parts = [
        "name = 'RBS'\n  [1]\n  value > 20 [0]",
        "name = 'NWK'\n  NOT value = 5 [2]",
        "  value BETWEEN 5 AND 6 [3]",
        "always\n  NOT note EXISTS [4]",
        "name = 'X'\n  [clause 0]",
        "name = 'Y'\n  [clause 1]",
    ]
    assert [part for part in parts if part not in drawn] == []
    assert drawn.count("node of level") == 1 and "value > 30" not in drawn
    assert structure.draw().startswith("0\n"), "without names, numbers"


def test_drawing_pairs() -> None:
    rules = [f"a = {i % 20} AND b = {i // 20 % 20} AND c > {i % 7}" for i in range(8000)]
    index = PredicateIndex(dict(enumerate(rules)))
    index._plugged.structure.condense()
    drawn = index._plugged.structure.draw(index._plugged.vocabulary.text)
    assert "a = 3 + b = 5\n  c > " in drawn
    assert drawn.count("[") == 8000
