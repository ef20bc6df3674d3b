"""What is forgotten, and what is not."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from watchword import KeywordIndex
from watchword.errors import OptionError
from watchword.home import Home
from watchword.retention import Retention, disk_use, prune
from watchword.spark import build
from watchword.store import Item, Match, Store

NOW = datetime(2026, 11, 16, tzinfo=UTC)


def aged(file: Path, days: float) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"12345")
    time = (NOW - timedelta(days=days)).timestamp()
    os.utime(file, (time, time))
    return file


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Return a home in which a batch was written on each of 100 days; the items of every second were read."""
    home = Home.make(tmp_path / "home")
    days = 0
    with Store.open(home.path / "store.sqlite", clock=lambda: NOW - timedelta(days=days)) as store:
        store.add_subscriber("ada")
        key = store.subscribe("ada", "ferry")
        for days in range(100, -1, -1):
            store.record(f"{home.run('main').id}:{100 - days}:keywords", [Item(f"i{days}")], [Match(f"i{days}", key)])
            if days % 2:
                store.mark_read("ada", [f"i{days}"])
    return home


def test_what_is_old_is_forgotten(home: Home) -> None:
    run = home.run("main")
    young = [aged(run.matches / "batch-9-keywords.parquet", 6), aged(run.dead_letters / "batch-9.jsonl", 29)]
    aged(run.matches / "batch-1-keywords.parquet", 8)
    aged(run.dead_letters / "batch-1.jsonl", 31)
    aged(run.path / "matches-before-0a" / "batch-1-keywords.parquet", 8)
    done = prune(home, Retention(), NOW)
    assert (done.files, done.bytes) == (3, 15)
    assert sorted(run.path.rglob("batch-*")) == sorted(young)
    assert not (run.path / "matches-before-0a").exists()
    with home.store() as store:
        inbox = store.inbox("ada", unread_only=False)
        assert {int(one.item.identity[1:]) for one in inbox if one.read_at} == set(range(1, 8, 2))
        assert {int(one.item.identity[1:]) for one in inbox if not one.read_at} == set(range(0, 31, 2))
        assert store.stats().batches == 8 and done.batches == 93
        assert store.stats().items == len(inbox)
        store.compact()
        store.verify()
    assert prune(home, Retention(), NOW).deliveries == 0


def test_a_batch_that_may_be_repeated_is_not_forgotten(home: Home) -> None:
    """A run stopped long ago in the middle of a batch finds that the batch was written."""
    build(KeywordIndex({"a": "ferry"}), home.index("keywords"))
    run = home.run("main")
    run.versions.version_for(3, home.index("keywords"))
    prune(home, Retention(matches=0, read=0, unread=0), NOW + timedelta(days=1))
    with home.store() as store:
        assert store.is_recorded(f"{run.id}:3:keywords") and store.stats().batches == 1
        assert store.stats().deliveries == store.stats().items == 0


def test_disk_use_by_part(home: Home) -> None:
    aged(home.run("main").matches / "batch-1-keywords.parquet", 8)
    build(KeywordIndex({"a": "ferry"}), home.index("keywords"))
    used = disk_use(home)
    assert used["runs/main/matches"] == 5 and used["store"] > 4096 and used["index/keywords"] > 1000
    assert "runs/main/checkpoint" in used


def test_old_items_of_the_archive_are_forgotten(home: Home) -> None:
    for days in (31, 29, 0):
        home.archive().write(str(days), [Item(f"a{days}")], NOW - timedelta(days=days))
    done = prune(home, Retention(), NOW)
    assert done.files == 3 and done.bytes > 0
    assert home.archive().newest()["id"].to_pylist() == ["a29", "a0"]
    prune(home, Retention(archive_bytes=disk_use(home)["archive"] - 1000), NOW)
    assert home.archive().newest()["id"].to_pylist() == ["a0"]
    prune(home, Retention(archive=0), NOW + timedelta(seconds=1))
    assert home.archive().days() == [] and disk_use(home)["archive"] < 1000


def test_days_are_days() -> None:
    with pytest.raises(OptionError, match="unread is a number of days, not -1"):
        Retention(unread=-1)
    with pytest.raises(OptionError, match="archive is a number of days, not inf"):
        Retention(archive=float("inf"))
    with pytest.raises(OptionError, match="archive_bytes is a number of bytes, not -1"):
        Retention(archive_bytes=-1)
