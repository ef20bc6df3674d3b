"""The folder of a sharded index: nothing half-written is seen, and damage is named. No Spark here."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.test_files import no_room
from tests.test_snapshot import rewrite_manifest
from watchword import KeywordIndex
from watchword.errors import SnapshotError
from watchword.shards import Origin, discard, publish, resolve_checked, settings
from watchword.spark import VersionLog, build, resolve, versions


@pytest.fixture
def path(tmp_path: Path) -> Path:
    build(KeywordIndex({"a": "greece"}), tmp_path / "index")
    build(KeywordIndex({"a": "greece", "b": "imf"}), tmp_path / "index")
    return tmp_path / "index"


def test_versions_are_numbered_and_readable(path: Path) -> None:
    assert versions(path) == [1, 2] and resolve(path).version == 2
    assert resolve(path, 1).subscriptions == 1 and resolve(path).subscriptions == 2
    assert resolve(path).bytes > 0


def test_an_index_can_be_moved(path: Path) -> None:
    moved = path.rename(path.with_name("moved"))
    assert resolve(moved).folder(0).is_dir()


def test_a_half_written_version_is_not_seen(path: Path) -> None:
    (path / "shards" / "0000-000003-abc").mkdir()
    (path / "versions" / ".000003.json-11.tmp").write_text('{"format"')
    assert resolve(path).version == 2
    # written whole, but the writer died before it became the current one
    (path / "versions" / "000003.json").write_text((path / "versions" / "000002.json").read_text())
    assert resolve(path).version == 2
    assert build(KeywordIndex({"c": "bailout"}), path) == 4  # no number is used twice
    assert not (path / "shards" / "0000-000003-abc").exists()


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("current.json", "{", "not JSON"),
        ("current.json", "[]", "another program's"),
        ("current.json", '{"format": "watchword-shards"}', "names no version"),
        ("versions/000002.json", '{"format": "watchword-shards"}', "do not fit"),
        ("versions/000002.json", '{"format": "watchword-shards", "format_version": 9}', "upgrade watchword"),
        ("current.json", "[" * 200_000, "not JSON"),
        ("current.json", '{"format": "watchword-shards", "version": true}', "names no version"),
        ("versions/000002.json", '{"a":' * 200_000, "not JSON"),
    ],
)
def test_damage_is_named(path: Path, file: str, text: str, words: str) -> None:
    (path / file).write_text(text)
    with pytest.raises(SnapshotError, match=words):
        resolve(path)


@pytest.mark.parametrize(
    "change",
    [
        {"version": "2"},
        {"language": 7},
        {"ids": ["string"]},
        {"shards": {}},
        {"shards": [7]},
        {"counts": 7},
        {"origin": 7},
        {"origin": {"store": "a"}},
        *({"origin": {"store": "a", "counter": value, "epoch": "b"}} for value in ([], "7", 7.0, float("inf"), True)),
        *(
            {"shard": {name: value}}
            for name in ("folder", "snapshot", "bytes", "atoms", "base")
            for value in ("7", [], {}, True)
        ),
    ],
)
def test_values_of_the_wrong_kind_are_named(path: Path, change: dict[str, Any]) -> None:
    file = path / "versions" / "000002.json"
    body = json.loads(file.read_text())
    body["shards"][0] |= change.pop("shard", {})
    file.write_text(json.dumps(body | change))
    with pytest.raises(SnapshotError, match="do not fit"):
        resolve(path)


def test_a_version_says_which_state_of_a_store_it_stands_for(path: Path) -> None:
    origin = Origin("store", 7, "epoch")
    build(KeywordIndex({"a": "greece"}), path, origin=origin)
    assert resolve(path).origin == resolve_checked(path).origin == origin
    assert resolve(path, 2).origin is None


@pytest.mark.parametrize("damage", ["current.json", "versions", "shards", "manifest", "odd version", "odd current"])
def test_what_is_left_of_an_index_can_be_built_upon(path: Path, damage: str) -> None:
    """Removed or damaged: it is noticed, and what cannot be read does not stand in the way of a new version."""
    manifest = resolve(path).folder(0) / "manifest.json"
    if damage in ("versions", "shards"):
        shutil.rmtree(path / damage)
    elif damage in ("current.json", "manifest"):
        (path / "current.json" if damage == "current.json" else manifest).unlink()
    else:
        (path / ("versions/000002.json" if damage == "odd version" else "current.json")).write_text("{")
    with pytest.raises(SnapshotError):
        resolve_checked(path)
    discard(path)
    build(KeywordIndex({"c": "bailout"}), path)
    assert resolve_checked(path).subscriptions == 1


def test_a_full_disk_is_named_and_leaves_the_version_before(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path / "versions" / ".000003.json-aa.tmp").touch()  # of a writer that was killed
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_room)
        with pytest.raises(SnapshotError, match="No space left"):
            build(KeywordIndex({"c": "bailout"}), path)
        with pytest.raises(SnapshotError, match="cannot write it: No space left"):
            publish(resolve(path), 10)
    assert resolve(path).version == 2 and not list(path.rglob("*.tmp"))


def test_a_plain_snapshot_with_odd_facts_is_named(tmp_path: Path) -> None:
    KeywordIndex({"a": "greece"}).save(tmp_path)
    rewrite_manifest(tmp_path, meta={"method": "auto", "options": {}})
    with pytest.raises(SnapshotError, match="None subscriptions"):
        resolve(tmp_path)
    rewrite_manifest(tmp_path, meta={"method": 7, "options": {}, "subscriptions": 1})
    with pytest.raises(SnapshotError):
        settings(resolve(tmp_path))


def test_shards_stay_inside_the_folder(path: Path) -> None:
    file = path / "versions" / "000002.json"
    body = json.loads(file.read_text())
    body["shards"][0]["folder"] = "../../elsewhere"
    file.write_text(json.dumps(body))
    with pytest.raises(SnapshotError, match="do not fit"):
        resolve(path)


def test_other_folders_are_left_alone(tmp_path: Path) -> None:
    index = KeywordIndex({"a": "greece"})
    (tmp_path / "file").write_text("mine")
    for place, words in [(tmp_path, r"other files \(file\)"), (tmp_path / "file", "this is a file")]:
        with pytest.raises(SnapshotError, match=words):
            build(index, place)
    index.save(tmp_path / "plain")
    with pytest.raises(SnapshotError, match="plain snapshot"):
        build(index, tmp_path / "plain")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "plain"]


class TestVersionLog:
    def test_a_replayed_batch_keeps_its_version(self, path: Path, tmp_path: Path) -> None:
        log = VersionLog(tmp_path / "log")
        assert log.recorded(0, path) is None
        assert log.version_for(0, path) == 2
        build(KeywordIndex({"c": "bailout"}), path)
        assert VersionLog(tmp_path / "log").version_for(0, path) == 2
        assert log.version_for(1, path) == 3 and log.recorded(1, path) == 3

    def test_indexes_are_kept_apart(self, path: Path, tmp_path: Path) -> None:
        build(KeywordIndex({"c": "bailout"}), tmp_path / "other")
        log = VersionLog(tmp_path / "log")
        assert (log.version_for(0, path), log.version_for(0, tmp_path / "other")) == (2, 1)

    def test_old_batches_are_forgotten(self, path: Path, tmp_path: Path) -> None:
        log = VersionLog(tmp_path / "log", keep=3)
        for batch in range(10):
            log.version_for(batch, path)
        assert [batch for batch in range(10) if log.recorded(batch, path)] == [7, 8, 9]

    def test_damage_is_named(self, path: Path, tmp_path: Path) -> None:
        log = VersionLog(tmp_path / "log")
        log.version_for(0, path)
        for text in ("", "[]", '{"version": "2"}', '{"version": 1e999}', "[" * 200_000):
            next((tmp_path / "log").iterdir()).write_text(text)
            with pytest.raises(SnapshotError, match="no record"):
                log.version_for(0, path)
