"""An index in an object store, without Spark: versions appear whole or not at all, one writer at a time."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from pyarrow import fs

from tests.limits import wait_until
from tests.spark.objects.conftest import key
from watchword import KeywordIndex
from watchword.errors import SnapshotError
from watchword.shards import discard, publish, resolve_checked, settings, writing
from watchword.spark import VersionLog, build, resolve, versions
from watchword.storage import place, writers
from watchword.storage.objects import ObjectPlace

ONE = KeywordIndex({"a": "greece"})
TWO = KeywordIndex({"a": "greece", "b": "imf"})


def listed(files: fs.FileSystem, url: str, folder: str) -> list[str]:
    found = files.get_file_info(fs.FileSelector(key(url, folder), allow_not_found=True))
    return sorted(info.base_name for info in found)


def write(files: fs.FileSystem, url: str, name: str, content: bytes) -> None:
    with files.open_output_stream(key(url, name)) as stream:
        stream.write(content)


def test_versions_are_numbered_kept_and_pruned(url: str, files: fs.FileSystem) -> None:
    with pytest.raises(SnapshotError, match="build the index first"):
        resolve(url)
    assert [build(index, url, keep=2) for index in (ONE, TWO, ONE)] == [1, 2, 3]
    assert versions(url) == [2, 3] and resolve(url).version == resolve_checked(url).version == 3
    assert resolve(url, 2).subscriptions == 2 and settings(resolve(url))["method"] == "auto"
    assert [name.split("-")[1] for name in listed(files, url, "shards")] == ["000002", "000003"]
    with pytest.raises(SnapshotError, match="there is no version 1; there are: 2, 3"):
        resolve(url, 1)
    assert listed(files, url, "writers") == []


def test_a_store_that_fails_at_any_write_leaves_the_version_before(
    url: str, files: fs.FileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Marker, shard, version, pointer: whichever is the last one written."""
    build(ONE, url)
    put, store = ObjectPlace.write, ObjectPlace.store
    left = 0

    def fails(work: object) -> object:
        def attempt(self: ObjectPlace, *given: object) -> None:
            nonlocal left
            if left == 0:
                raise OSError("the network is gone")
            left -= 1
            work(self, *given)  # type: ignore[operator]

        return attempt

    for writes in range(4):
        left = writes
        with monkeypatch.context() as patch:
            patch.setattr(ObjectPlace, "write", fails(put))
            patch.setattr(ObjectPlace, "store", fails(store))
            with pytest.raises(SnapshotError, match="the network is gone"):
                build(TWO, url)
        assert resolve(url).version == 1 and resolve(url).subscriptions == 1
    assert versions(url) == [1, 2]  # written, and never current
    assert build(TWO, url, keep=1) == 3  # no number is used twice
    assert listed(files, url, "versions") == ["000003.json"] and len(listed(files, url, "shards")) == 1


def test_a_pointer_that_is_being_replaced_is_looked_at_again(
    url: str, files: fs.FileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As HDFS and Azure show it: there, and not yet written."""
    monkeypatch.setattr("watchword.shards.reading._LOOKS", 1000)  # on a busy machine the writer may take seconds
    build(ONE, url)
    whole = place(url).read("current.json")
    write(files, url, "current.json", b"")

    def finish() -> None:
        time.sleep(0.3)
        write(files, url, "current.json", whole)

    writer = threading.Thread(target=finish)
    writer.start()
    assert resolve(url).version == 1
    writer.join()


def test_damage_is_named_and_can_be_built_upon(url: str, files: fs.FileSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("watchword.shards.reading._PAUSE", 0)
    build(ONE, url)
    shard = resolve(url).shards[0].folder
    for name, content, words in [
        (f"{shard}/manifest.json", b"{}", "another program"),
        ("versions/000001.json", b"{", "this is not JSON"),
        ("current.json", b'{"format": "watchword-shards"}', "altered, it names no version"),
    ]:
        write(files, url, name, content)
        with pytest.raises(SnapshotError, match=words) as raised:
            resolve_checked(url)
        assert str(raised.value).startswith(f"{url.partition('?')[0]}/{name}: ")
    discard(url)
    build(TWO, url)
    assert resolve_checked(url).subscriptions == 2


def test_what_cannot_be_read_for_a_moment_is_not_taken_for_damaged(
    url: str, files: fs.FileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("watchword.shards.reading._PAUSE", 0)
    build(ONE, url)

    def fails(self: ObjectPlace, name: str) -> bytes:
        raise OSError("the network is gone")

    with monkeypatch.context() as patch:
        patch.setattr(ObjectPlace, "read", fails)
        for use in (lambda: discard(url), lambda: resolve(url)):
            with pytest.raises(SnapshotError, match="the network is gone"):
                use()
    assert resolve(url).version == 1 and listed(files, url, "versions") == ["000001.json"]


def test_other_prefixes_are_left_alone(url: str, files: fs.FileSystem) -> None:
    write(files, url, "report.csv", b"mine")
    with pytest.raises(SnapshotError, match=r"other files \(report.csv\)"):
        build(ONE, url)
    write(files, url, "manifest.json", b"{}")
    for use in (lambda: build(ONE, url), lambda: resolve(url)):
        with pytest.raises(SnapshotError, match="plain snapshot"):
            use()
    assert listed(files, url, "") == ["manifest.json", "report.csv"]


def test_a_bucket_that_is_not_there_is_named(server: str) -> None:
    with pytest.raises(SnapshotError, match=r"s3://nowhere/index: cannot write there: .*(?i:bucket)"):
        build(ONE, f"s3://nowhere/index{server}")


class TestWriters:
    """One writer at a time, and it is said who."""

    def test_a_second_one_is_refused(self, url: str) -> None:
        with (
            writing(url),
            pytest.raises(SnapshotError, match=r"another writer is at work .process .* since .*: wait for it"),
        ):
            build(ONE, url)
        with writing(url) as held:
            held.confirm()

    def test_of_many_that_begin_together_no_two_go_on(self, url: str) -> None:
        inside, most, refused = 0, 0, []
        guard, start = threading.Lock(), threading.Barrier(6)

        def begin() -> None:
            nonlocal inside, most
            start.wait()
            try:
                with writing(url):
                    with guard:
                        inside, most = inside + 1, max(most, inside + 1)
                    wait_until(lambda: bool(refused), "a writer that is refused")
                    with guard:
                        inside -= 1
            except SnapshotError as error:
                refused.append(str(error))

        threads = [threading.Thread(target=begin) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert most <= 1 and refused

    def test_a_dead_one_is_forgotten(self, url: str, files: fs.FileSystem, monkeypatch: pytest.MonkeyPatch) -> None:
        write(files, url, "writers/dead.json", json.dumps({"holder": "process 7 on driver-1"}).encode())
        with pytest.raises(SnapshotError, match=r"process 7 on driver-1.*remove s3://.*/writers/dead.json"):
            build(ONE, url)
        monkeypatch.setattr(writers, "DEAD", timedelta(seconds=-1))
        with writing(url) as held:
            held.confirm()
        assert listed(files, url, "writers") == []

    def test_one_that_was_taken_for_dead_publishes_nothing(self, url: str, files: fs.FileSystem) -> None:
        with pytest.raises(SnapshotError, match="took this one for dead"), writing(url) as held:
            files.delete_dir(key(url, "writers"))
            held.confirm()

    def test_a_marker_is_touched(self, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(writers, "TOUCHED", 0.01)
        writes: list[str] = []
        put = ObjectPlace.write
        touched = threading.Event()

        def noted(self: ObjectPlace, name: str, content: bytes) -> None:
            put(self, name, content)
            writes.append(name)
            if len(writes) == 3:
                touched.set()

        monkeypatch.setattr(ObjectPlace, "write", noted)
        with writing(url) as held:
            assert touched.wait(60)
            held.confirm()
        assert len(set(writes)) == 1 and writes[0].startswith("writers/")

    def test_when_a_marker_is_that_of_a_dead_writer(self) -> None:
        now = datetime(2026, 11, 16, 12, 0)
        assert writers.is_dead(now - timedelta(minutes=11), now)
        assert not writers.is_dead(now - timedelta(minutes=9), now) and not writers.is_dead(None, now)


def test_batches_are_recorded_in_a_store_too(url: str) -> None:
    build(ONE, url)
    log = VersionLog(url.replace("/index", "/log"), keep=2)
    assert log.recorded(0, url) is None and log.newest() is None
    assert log.version_for(0, url) == 1
    publish(replace(resolve(url), version=2), 10)
    assert [log.version_for(batch, url) for batch in range(4)] == [1, 2, 2, 2]
    assert [log.recorded(batch, url) for batch in range(4)] == [None, None, 2, 2]
    assert log.newest() == 3 and log.pinned(url) == {2}
    log.forget(3, url)
    assert log.recorded(3, url) is None
