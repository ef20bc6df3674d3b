"""The life cycle of `auto`, over a structure of plain lists: whatever is added, removed and packed when, its rows are
those of a `dict`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from watchword.arrays import Int32
from watchword.kernels.tombstones import Dead
from watchword.layers.layered import Layered
from watchword.layers.tombstones import Tombstones

Packed = tuple[list[str], Int32]


class ListBase:
    """Packed rows: two lists."""

    def __init__(self, parts: list[Packed]) -> None:
        self.names = [name for names, _ in parts for name in names]
        self.payloads = [payload for _, payloads in parts for payload in payloads.tolist()]

    def __len__(self) -> int:
        return len(self.names)

    def has(self, row: str, payload: int) -> bool:
        return (row, payload) in zip(self.names, self.payloads, strict=True)

    def rows(self, dead: Dead) -> Packed:
        gone = Tombstones()
        gone.dead = dead
        kept = [pair for pair in zip(self.names, self.payloads, strict=True) if pair[1] not in gone]
        return [name for name, _ in kept], np.array([payload for _, payload in kept], np.int32)

    def renumber(self, payloads: Int32) -> None:
        self.payloads = [int(payloads[payload]) for payload in self.payloads]


class ListDelta:
    """Rows added since, in a list in which removed ones stay as None; a mark is a position in it."""

    def __init__(self) -> None:
        self.added: list[tuple[str, int] | None] = []

    @property
    def came(self) -> int:
        return len(self.added)

    mark = came

    def __len__(self) -> int:
        return sum(one is not None for one in self.added)

    def mark_of(self, payload: int) -> int | None:
        return next((at for at, one in enumerate(self.added) if one is not None and one[1] == payload), None)

    def remove(self, row: str, payload: int) -> None:
        self.added[self.added.index((row, payload))] = None

    def rows(self, since: int = 0) -> Callable[[], Packed]:
        live = [one for one in self.added[since:] if one is not None]
        return lambda: ([name for name, _ in live], np.array([payload for _, payload in live], np.int32))


class Lists(Layered[list[str], str, Any]):
    """The layers over lists. A packing in the background waits for `gate`."""

    operation = "rows"
    delta_rows: ClassVar[int] = 3
    background_rows: ClassVar[int] = 6

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.fails = False
        super().__init__()

    def packer(self) -> Callable[[list[Packed]], ListBase]:
        def pack(parts: list[Packed]) -> ListBase:
            if threading.current_thread() is not threading.main_thread():
                self.gate.wait()
            if self.fails:
                raise MemoryError
            return ListBase(parts)

        return pack

    def new_delta(self) -> ListDelta:
        return ListDelta()

    def put(self, rows: list[str], payloads: Int32) -> None:
        self.delta.added += zip(rows, payloads.tolist(), strict=True)

    def match(self, events: Any) -> Any:
        raise NotImplementedError  # the rows are asked for directly

    def stats(self) -> Mapping[str, float]:
        return {"bytes": 0, "postings": len(self)}

    def arrays(self) -> Any:
        raise NotImplementedError

    def restore(self, arrays: Any) -> None:
        raise NotImplementedError

    def pairs(self) -> list[tuple[int, str]]:
        parts = [self.base.rows(self.tombstones.dead), self.delta.rows()()]
        return sorted(pair for names, payloads in parts for pair in zip(payloads.tolist(), names, strict=True))


class Life(RuleBasedStateMachine):
    """Adds, removes, packs at once or in a thread that is held up, renumbers; the rows are those of a `dict`."""

    def __init__(self) -> None:
        super().__init__()
        self.lists, self.model, self.next = Lists(), {}, 0

    @rule(names=st.lists(st.sampled_from("abc"), min_size=1, max_size=8))
    def add(self, names: list[str]) -> None:
        payloads = range(self.next, self.next + len(names))
        self.next += len(names)
        self.model.update(zip(payloads, names, strict=True))
        if self.lists._packing is not None and len(names) > self.lists.delta_rows:
            self.lists.gate.set()  # a bulk load waits for the packing that it makes obsolete
        if self.lists._room() - len(names) < -2:
            self.lists.gate.set()  # and so does a delta that is overdue
        self.lists.add(names, np.array(payloads, np.int32))

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        payload = data.draw(st.sampled_from(sorted(self.model)))
        self.lists.gate.set()
        self.lists.remove(self.model.pop(payload), payload)

    @rule()
    def unknown_rows_are_refused(self) -> None:
        for payload in (self.next, -1):
            with pytest.raises(KeyError):
                self.lists.remove("a", payload)

    @rule()
    def hold_up(self) -> None:
        self.lists.gate.clear()

    @rule(fails=st.booleans())
    def let_go(self, fails: bool) -> None:
        self.lists.fails = fails and self.lists._packing is not None
        self.lists.gate.set()
        if self.lists._packing is not None:
            self.lists._packing.is_over(wait=True)
        self.lists.fails = False

    @rule()
    def condense(self) -> None:
        self.lists.gate.set()
        self.lists.condense()
        assert not len(self.lists.delta) and not len(self.lists.tombstones)
        assert len(self.lists.base) == len(self.model)

    @rule()
    def renumber(self) -> None:
        self.lists.gate.set()
        moved = np.full(self.next, -1, np.int32)
        moved[sorted(self.model)] = np.arange(len(self.model))
        self.lists.renumber(moved)
        self.model, self.next = {int(moved[payload]): name for payload, name in self.model.items()}, len(self.model)

    @invariant()
    def the_rows_are_those_of_the_model(self) -> None:
        assert self.lists.pairs() == sorted(self.model.items())
        assert len(self.lists) == len(self.model)

    def teardown(self) -> None:
        self.lists.gate.set()


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=20, stateful_step_count=25, deadline=None)


def test_the_example_of_the_head() -> None:
    """Packing in a thread: a row that comes meanwhile is in the new delta, one that goes gets a tombstone."""
    lists = Lists()
    lists.add(list("abcdef"), np.arange(6, dtype=np.int32))
    lists.gate.clear()
    lists.remove("b", 1)
    for payload in range(6, 11):
        lists.add(["x"], np.array([payload], np.int32))
    lists.remove("a", 0)
    assert lists._packing is not None and not lists._packing.is_over()
    lists.gate.set()
    lists._packing.is_over(wait=True)
    lists.add(["y"], np.array([11], np.int32))
    assert lists._packing is None and lists.base.payloads == [0, 2, 3, 4, 5, 6, 7, 8, 9]
    assert 0 in lists.tombstones and [pair for pair in lists.delta.added if pair] == [("x", 10), ("y", 11)]


def test_a_third_may_be_dead() -> None:
    lists = Lists()
    lists.background_rows = 1000  # type: ignore[misc]
    lists.add(list("abcdefghi"), np.arange(9, dtype=np.int32))
    for payload in range(6):
        lists.remove("abcdefghi"[payload], payload)
    assert len(lists.tombstones) == 6 and len(lists.base) == 9
    lists.remove("g", 6)
    assert len(lists.tombstones) == 0 and lists.base.payloads == [7, 8]


def test_a_packing_that_fails_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    lists = Lists()
    lists.fails = True
    for payload in range(3):
        lists.add(["a"], np.array([payload], np.int32))
    assert "packing 3 rows failed" in caplog.text
    assert lists.pairs() == [(0, "a"), (1, "a"), (2, "a")] and lists._room() == 3
    with pytest.raises(MemoryError):
        lists.prepare()
    lists.fails = False
    lists.condense()
    assert lists.base.payloads == [0, 1, 2]
