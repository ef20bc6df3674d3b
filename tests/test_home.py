"""The home of a running system: private, one process for a run, an id that goes with its checkpoint."""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path

import pytest

from tests.test_files import no_room
from watchword import KeywordIndex
from watchword.errors import SnapshotError, StoreError
from watchword.home import Home
from watchword.spark import build


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.make(tmp_path / "home")


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_it_is_private(home: Home, tmp_path: Path) -> None:
    with home.store() as store:
        store.add_subscriber("ada")
        assert {mode(file) for file in home.path.glob("store.sqlite*")} == {0o600}
    assert mode(home.path) == 0o700
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    there = Home.make(shared)  # a folder that somebody made keeps its mode, and what is in it is private
    with there.refreshing("keywords"):
        pass
    assert {mode(path) for path in (there.run("main").path.parent, shared / "index")} == {0o700}


def test_a_run_has_one_driver_and_the_other_is_named(home: Home) -> None:
    words = rf"'main' is in the hands of process {os.getpid()} on .*--name"
    with home.run("main").held():
        with pytest.raises(StoreError, match=words) as refused, home.run("main").held():
            pass
        assert refused.value.path == home.path / "runs" / "main"
        with home.run("other").held():
            pass
    with home.run("main").held():
        pass


def test_the_id_stays_with_the_checkpoint(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    id = home.run("main").id
    (home.run("main").matches / "batch-0-keywords.parquet").write_bytes(b"matches")
    assert home.run("main").id == id != home.run("other").id
    shutil.rmtree(home.run("main").checkpoint)
    with caplog.at_level(logging.WARNING):
        again = home.run("main")
        assert again.id not in (id, None)
    assert "its checkpoint is gone, so it begins anew" in caplog.text
    assert list(again.matches.iterdir()) == []  # the numbers of batches begin anew, and must not overwrite
    assert [file.read_bytes() for file in again.path.glob("matches-before-*/*")] == [b"matches"]


def test_an_id_of_an_earlier_watchword_is_kept_with_its_checkpoint_only(home: Home) -> None:
    run = home.run("main")
    (run.path / "run.json").write_text('{"id": "old"}')
    run.checkpoint.mkdir()
    (run.checkpoint / "metadata").write_text("{}")
    assert run.id == "old"
    shutil.rmtree(run.checkpoint)
    assert home.run("main").id != "old"


@pytest.mark.parametrize("text", ["", '{"id"', "[]", '{"id": 7}', '{"id": ""}', "[" * 200_000])
def test_a_damaged_id_is_named(home: Home, text: str) -> None:
    assert home.run("main").id
    (home.run("main").checkpoint / "run.json").write_text(text)
    with pytest.raises(StoreError, match=r"run\.json: truncated or altered.*to begin anew"):
        assert home.run("main").id


def test_what_runs_have_recorded_is_kept(home: Home) -> None:
    """A run that was stopped in a batch finds its version again, however many others publish."""
    path = home.index("keywords")
    for number in range(2):
        build(KeywordIndex({"a": f"greece{number}"}), path)
    stopped, going = home.run("stopped"), home.run("going")
    assert stopped.versions.version_for(17, path) == 2
    for number in range(12):
        build(KeywordIndex({"a": f"crisis{number}"}), path, keep=3, pinned=home.pinned("keywords"))
        going.versions.version_for(number, path)
    assert home.pinned("keywords") == {2, 14}
    assert sorted(int(file.stem) for file in (path / "versions").glob("*.json")) == [2, 12, 13, 14]
    assert len(list((path / "shards").iterdir())) == 4
    assert stopped.repeatable(["keywords"]) == []  # it has not begun
    assert going.id and going.repeatable(["keywords"]) == [f"{going.id}:11:keywords"]


def test_what_a_killed_driver_left_aside_is_removed(home: Home) -> None:
    run = home.run("main")
    sparks = run.checkpoint / "sources" / "0"
    sparks.mkdir(parents=True)
    leftovers = [
        run.matches / ".batch-1-keywords.parquet-0a.tmp",
        run.checkpoint / ".run.json-0a.tmp",
        sparks / ".11.8a417f30.tmp",
        sparks / "..11.8a417f30.tmp.crc",
    ]
    kept = [sparks / "11", sparks / ".11.crc"]
    for file in (*leftovers, *kept):
        file.touch()
    with run.held():
        assert not any(file.exists() for file in leftovers) and all(file.exists() for file in kept)


def test_a_version_log_that_cannot_be_written_is_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    build(KeywordIndex({"a": "greece"}), home.index("keywords"))
    run = home.run("main")
    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(SnapshotError, match="cannot write it: No space left"):
        run.versions.version_for(0, home.index("keywords"))
    assert list(run.path.rglob(".*.tmp")) == []
