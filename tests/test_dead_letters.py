"""Dead letters: written whole, cut, counted, read back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.test_files import no_room
from watchword.dead_letters import MOST, RAW, Letter, read_letters, write_letters
from watchword.errors import StoreError


def test_they_come_back_in_the_order_of_batches(tmp_path: Path) -> None:
    ten, two = Letter("b.jsonl", "7", "its id is empty", '{"id": ""}'), Letter("a.jsonl", "1", "no UTF-8", "caf\ufffd")
    write_letters(tmp_path / "batch-10.jsonl", [ten], 1)
    write_letters(tmp_path / "batch-2-predicates.jsonl", [two, two], 2)
    write_letters(tmp_path / "batch-2-predicates.jsonl", [two], 1)  # the batch is repeated
    assert list(read_letters(tmp_path)) == [(2, two), (10, ten)]
    assert list(read_letters(tmp_path / "nowhere")) == []


def test_many_and_long_ones_are_cut_and_counted(tmp_path: Path) -> None:
    long = Letter("a", "1", "why", "x" * 5 * RAW)
    write_letters(tmp_path / "batch-0.jsonl", [long] * (MOST + 5), 70_000)
    found = [letter for _, letter in read_letters(tmp_path)]
    assert len(found) == MOST + 1 and len(found[0].raw) == RAW
    assert found[-1].reason == "69,000 more were set aside in this batch"


def test_half_a_surrogate_pair_can_be_set_aside(tmp_path: Path) -> None:
    write_letters(tmp_path / "batch-0.jsonl", [Letter("a", "1", "why", "x\ud800")], 1)
    assert [letter.raw for _, letter in read_letters(tmp_path)] == ["x?"]


@pytest.mark.parametrize("text", ["{", "[1]", '{"source": "a"}', "[" * 200_000])
def test_damage_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "batch-0.jsonl").write_text(text)
    with pytest.raises(StoreError, match=r"batch-0\.jsonl: these are no dead letters"):
        list(read_letters(tmp_path))


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(StoreError, match=r"batch-0\.jsonl: cannot write it: No space left"):
        write_letters(tmp_path / "batch-0.jsonl", [Letter("a", "1", "why", "")], 1)
