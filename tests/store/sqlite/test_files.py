"""A store as a file: its mode, copies of it, and the tables that `docs/store.md` promises to other programs."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from watchword.store import Item, Match, Store


def test_a_store_is_private(tmp_path: Path) -> None:
    with Store.open(tmp_path / "made" / "store.db") as store:
        store.add_subscriber("ann")
        files = sorted((tmp_path / "made").iterdir())
        assert len(files) > 1 and {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o700


def test_a_text_may_hold_any_character(tmp_path: Path) -> None:
    """PostgreSQL would refuse the first one."""
    text = "\0\x01\x1f\ufffe\U0010ffff"
    with Store.open(tmp_path / "store.db") as store:
        store.add_subscriber("ann")
        store.record("1", [Item("x", text=text)], [Match("x", store.subscribe("ann", "words"))])
        assert [delivery.item.text for delivery in store.inbox("ann")] == [text]


def test_a_copy_that_goes_on_apart_is_told_from_the_store_it_was_copied_from(tmp_path: Path) -> None:
    """Both have the same identity and, later, the same counters; the names of their states differ."""
    with Store.open(tmp_path / "store.db") as store:
        store.add_subscriber("ann")
        store.subscribe("ann", "greece")
        _, copied = store.changes_since(0)
    shutil.copy(tmp_path / "store.db", tmp_path / "copy.db")
    marks = []
    for name in ("store.db", "copy.db"):
        with Store.open(tmp_path / name) as store:
            store.subscribe("ann", name)
            _, counter = store.changes_since(0)
            marks.append((store.epoch(0), store.epoch(copied), counter, store.epoch(counter)))
    (identity, before, counter, epoch), (identity_2, before_2, counter_2, epoch_2) = marks
    assert identity == identity_2 and before == before_2 and counter == counter_2
    assert epoch is not None and epoch_2 is not None and epoch != epoch_2
    with Store.open(tmp_path / "third.db") as store:
        assert store.epoch(0) not in (None, identity)


def test_the_document_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the example and the query of ``docs/store.md``, and compare its list of tables with the file's."""
    document = (Path(__file__).parents[3] / "docs" / "store.md").read_text()
    python, sql = (re.findall(rf"```{kind}\n(.*?)```", document, re.DOTALL)[0] for kind in ("python", "sql"))
    monkeypatch.chdir(tmp_path)
    exec(python, {})
    with closing(sqlite3.connect("home/store.sqlite")) as connection:
        assert connection.execute(sql).fetchall() == []
        connection.execute("UPDATE deliveries SET read = NULL")
        assert connection.execute(sql).fetchall() == [("ann", "Greece in crisis", "", "s1")]
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        tables = {
            name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            for name in names
            if not name.startswith("sqlite_")
        }
    listed = re.findall(r"^\| `(\w+)` \| (.*?) \|", document, re.MULTILINE)
    assert {name: re.findall(r"`(\w+)`", columns) for name, columns in listed} == tables
