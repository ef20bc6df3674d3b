"""What the benchmark of growing numbers measures on, and how it looks at a tree of processes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from benchmarks.data import scale as scale_data
from benchmarks.data.scale import Place, Step, item_terms, write_changes, write_items, write_subscriptions
from benchmarks.process_tree import watched
from tests.limits import wait_until
from watchword import KeywordIndex


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr(scale_data, "AT_ONCE", 1_500)
    made = Place(tmp_path, Step(subscriptions=5_000, vocabulary=2_000, shards=2, items=40))
    write_subscriptions(made)
    write_items(made, files=3)
    return made


def test_subscriptions_are_drawn_piece_by_piece_and_few_match_an_item(place: Place) -> None:
    table = pq.read_table(place.subscriptions)
    assert sorted(table["id"].to_pylist()) == list(range(5_000))
    assert len(list(Path(place.subscriptions).iterdir())) >= 4, "files of 1,500, less what is left out"
    assert len(set(table["subscription"].to_pylist())) > 4_000, "no piece is drawn twice"
    pairs = KeywordIndex(table).match_many(item_terms(place)).num_rows
    assert 0 < pairs / 40 < 1_000


def test_items_are_all_there_and_written_once(place: Place) -> None:
    read = pq.read_table(place.items)
    assert read["id"].to_pylist() == list(range(40))
    assert item_terms(place).to_pylist() == read["terms"].to_pylist()
    assert item_terms(place, 7).to_pylist() == read["terms"].to_pylist()[:7]
    before = Path(place.items, "0.parquet").stat().st_mtime_ns
    write_items(place)
    assert Path(place.items, "0.parquet").stat().st_mtime_ns == before


def test_changes_replace_remove_and_add(place: Place) -> None:
    write_changes(place, 100)
    rows = pq.read_table(place.changes).to_pylist()
    assert len({row["id"] for row in rows}) == 100
    assert sum(row["subscription"] is None for row in rows) == 25
    assert sum(row["id"] >= 5_000 for row in rows) == 25


CHILD = """
import time
held = bytearray(b"x") * (64 << 20)
while time.process_time() < 0.5:
    pass
input()
"""


@pytest.mark.slow
def test_a_tree_of_processes_is_looked_at_as_one() -> None:
    with watched(0.05) as taken:
        began = time.process_time()
        with subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE) as child:
            wait_until(lambda: taken.cpu > time.process_time() - began + 0.4, "the child's time")
            child.communicate(b"\n")
    with watched(0.05) as idle:
        pass
    assert taken.memory > idle.memory + (60 << 20)
    assert idle.cpu < 0.3
