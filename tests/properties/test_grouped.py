"""`auto`: groups by ones and by zeros, in layers."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from tests.properties.structures import duel, literals
from tests.sets.structures import found, int32, rows_of
from watchword.kernels.properties.groups import NODE_WORDS
from watchword.properties import group_base
from watchword.properties.bits import Bits
from watchword.properties.group_base import GroupBase
from watchword.properties.grouped import Grouped


@pytest.mark.parametrize("width", [1, 3, 7, 64, 65, 130])
@pytest.mark.parametrize(("undivided", "delta_rows"), [(2, 8), (32, 1024)])
def test_against_plain_python(width: int, undivided: int, delta_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_base, "UNDIVIDED", undivided)
    monkeypatch.setattr(Grouped, "delta_rows", delta_rows)
    duel(partial(Grouped, width), width, width)


def test_the_example_of_the_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_base, "UNDIVIDED", 2)
    texts = ["0**", "*00", "1**", "10*", "**1", "1*1", "011"]
    groups = GroupBase.packed(3, [(rows_of([literals(text) for text in texts]), int32(range(7)))]).by_ones
    assert groups.payloads.tolist() == list(range(7))
    assert groups.ones[0].tolist() == [0b000, 0b000, 0b001, 0b001, 0b100, 0b101, 0b110]
    assert groups.zeros[0].tolist() == [0b001, 0b110, 0b000, 0b010, 0b000, 0b000, 0b001]
    nodes = groups.nodes.reshape(-1, NODE_WORDS).tolist()
    assert nodes == [[0, 2, 7, 1], [2, 2, 4, 0], [4, 5, 7, 3], [5, 5, 6, 0], [6, 6, 7, 0]]
    assert groups.branches[:, 0].tolist() == [0b101, 0, 0b011, 0, 0]


def test_an_event_of_many_ones_reads_few_groups() -> None:
    """Rows that each want one 1 of a hundred properties: an event of all ones but one must not read them all."""
    rows = [[2 * at + 1, 2 * other] for at in range(100) for other in range(100) if at != other]
    structure = Grouped(100)
    structure.add(rows_of(sorted(row) for row in rows), int32(range(len(rows))))
    event = np.ones((1, 100), np.uint8)
    event[0, 17] = 0
    hits = structure.match(Bits.of(event))
    assert found(hits) == [[number for number, (_, other) in enumerate(rows) if other == 2 * 17]]
    assert hits.operations < 10


def test_a_replaced_row_is_found_once() -> None:
    """Its old form is a tombstone in the base, its new one in the delta, under one payload."""
    structure = Grouped(4)
    structure.add(rows_of([literals("1***")]), int32([0]))
    structure.condense()
    structure.remove(int32(literals("1***")), 0)
    structure.add(rows_of([literals("11**")]), int32([0]))
    events = Bits.of(np.array([[1, 0, 0, 0], [1, 1, 0, 0]], np.uint8))
    assert found(structure.match(events)) == [[], [0]]
