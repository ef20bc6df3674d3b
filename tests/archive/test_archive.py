"""The archive: each item once, whatever is repeated, merged, pruned or read meanwhile."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.limits import PATIENCE
from watchword.archive import ARCHIVED, Archive, item_of
from watchword.archive import archive as module
from watchword.archive.manifest import NAME, read_manifest
from watchword.archive.pieces import RECENT
from watchword.errors import ArchiveError
from watchword.items import Item

SOURCES = os.pathsep.join(path for path in sys.path if path)
AT = datetime(2026, 11, 17, 22, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for no disk: what a power cut would do is not tried here."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def some(name: str, count: int, text: str = "ferry") -> list[Item]:
    return [Item(f"{name}-{number}", title=f"{name} {number}", text=text) for number in range(count)]


def ids(table: pa.Table) -> list[str]:
    found: list[str] = table["id"].to_pylist()
    return found


def files(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()} - {"lock", NAME}


def test_what_is_written_is_read_newest_last(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    assert archive.newest().schema == ARCHIVED and len(archive.newest()) == 0 and archive.days() == []
    assert archive.item("a-0") is None and not (tmp_path / NAME).exists()
    assert archive.write("run:0", some("a", 3), AT) == 3
    assert archive.write("run:1", some("b", 2), AT + timedelta(hours=1)) == 2
    assert ids(archive.newest()) == ["a-0", "a-1", "a-2", "b-0", "b-1"]
    assert ids(archive.newest(3)) == ["a-2", "b-0", "b-1"] and len(archive.newest(0)) == 0
    assert ids(archive.newest(since=AT + timedelta(minutes=1))) == ["b-0", "b-1"]
    assert archive.newest()["seen"].to_pylist()[0] == AT
    with pytest.raises(ArchiveError, match="not -1"):
        archive.newest(-1)


def test_an_item_comes_back_as_it_was(tmp_path: Path) -> None:
    published = datetime(1, 1, 1, tzinfo=UTC)
    whole = Item("ü\x00", "t", "x", "l", "a", published, "de", "Harbour", "http://h", ("Sea", "Wind"), '{"n": 1}')
    odd = Item("\ud800", text="half a pair \udc00, \x00 and 東京")
    archive = Archive(tmp_path)
    archive.write("k", [whole, odd, Item("bare")], AT)
    rows = archive.newest().to_pylist()
    assert [item_of(row) for row in rows][::2] == [whole, Item("bare")]
    assert rows[1]["id"] == "?" and rows[1]["text"] == "half a pair ?, \x00 and 東京"
    assert rows[2]["link"] is None and rows[2]["row"] is None and rows[2]["title"] == ""
    assert archive.item("ü\x00") == whole and archive.item("?") is not None


def test_an_item_is_there_once_and_the_first_counts(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    assert archive.write("run:0", [Item("a", "first"), Item("a", "second"), Item("b")], AT) == 2
    assert archive.write("other:0", [Item("b", "again"), Item("c")], AT + timedelta(days=1)) == 1
    before = files(tmp_path), archive.version
    assert archive.write("run:0", [Item("a", "first"), Item("b")], AT + timedelta(days=2)) == 0
    assert (files(tmp_path), archive.version) == before
    assert ids(archive.newest()) == ["a", "b", "c"] and archive.item("a") == Item("a", "first")


def test_tables_are_taken_and_wrong_ones_refused(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    given = pa.table({"id": pa.array(["1", "2"], pa.large_string()), "text": ["x", None], "more": [1, 2]})
    assert archive.write("k", given, AT) == 2 and archive.newest()["title"].to_pylist() == [None, None]
    with pytest.raises(ArchiveError, match="need a column 'id'; these have: text"):
        archive.write("k", pa.table({"text": ["x"]}), AT)
    with pytest.raises(ArchiveError, match="without an id"):
        archive.write("k", pa.table({"id": ["x", None]}), AT)
    with pytest.raises(ArchiveError, match="not of its kind"):
        archive.write("k", pa.table({"id": ["x"], "published": ["yesterday"]}), AT)
    with pytest.raises(ArchiveError, match="no time zone"):
        archive.write("k", [Item("x")], datetime(2026, 1, 1))
    assert archive.write("k", [], AT) == 0 and len(archive.newest()) == 2


def test_the_same_table_is_served_until_something_is_written(tmp_path: Path) -> None:
    archive, other = Archive(tmp_path), Archive(tmp_path)
    archive.write("0", some("a", 2), AT)
    table, version = archive.newest(), archive.version
    assert archive.newest() is table and other.version == version
    other.write("1", some("b", 1), AT)
    assert archive.version == other.version != version
    assert ids(table) == ["a-0", "a-1"] and ids(archive.newest()) == ["a-0", "a-1", "b-0"]


def test_pieces_of_a_day_are_merged_and_nothing_else_is_left(tmp_path: Path) -> None:
    archive, expected = Archive(tmp_path), []
    for batch in range(40):
        at = AT + timedelta(minutes=5 * batch)  # into the next day
        archive.write(str(batch), some(f"b{batch}", 3), at)
        expected += [f"b{batch}-{number}" for number in range(3)]
        assert ids(archive.newest()) == expected
    assert [(day.day.day, day.items) for day in archive.days()] == [(17, 72), (18, 48)]
    pieces = read_manifest(tmp_path).pieces
    assert len(pieces) <= 1 + 8  # the day that is over is one piece
    assert files(tmp_path) == {str(file.relative_to(tmp_path)) for piece in pieces for file in piece.files(tmp_path)}
    table = pq.read_table(tmp_path / "2026-11-17")  # as other programs read it
    assert table["id"].to_pylist() == expected[:72]
    assert all(archive.item(id).title == id.replace("-", " ") for id in expected)  # type: ignore[union-attr]
    assert archive.write("again", some("b7", 4), AT) == 1


def test_times_that_go_back_are_put_in_order(tmp_path: Path) -> None:
    archive, draw = Archive(tmp_path), random.Random(7)
    written: list[tuple[datetime, str]] = []
    for batch in range(60):
        at = AT + timedelta(minutes=draw.randrange(300))
        archive.write(str(batch), some(f"b{batch}", 2), at)
        written += [(at, f"b{batch}-0"), (at, f"b{batch}-1")]
        ordered = [id for _, id in sorted(written, key=lambda one: one[0])]
        count = draw.randrange(1, 130)
        assert ids(archive.newest(count)) == ordered[-count:]
    assert sum(day.items for day in archive.days()) == 120


def test_old_items_are_read_from_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the newest, and where the mapped files are gone or damaged."""
    monkeypatch.setattr(module.plans, "recent", lambda pieces, count=10, plan=module.plans.recent: plan(pieces, count))
    archive, expected = Archive(tmp_path), []
    for batch in range(20):
        archive.write(str(batch), some(f"b{batch}", 4), AT + timedelta(days=batch))
        expected += [f"b{batch}-{number}" for number in range(4)]
    assert len(list((tmp_path / RECENT).iterdir())) == 3
    assert ids(archive.newest(1000)) == expected and ids(archive.newest(6)) == expected[-6:]
    first, second, third = sorted((tmp_path / RECENT).iterdir())
    first.unlink()
    second.write_bytes(second.read_bytes()[:100])
    third.write_bytes(b"")
    assert ids(Archive(tmp_path).newest()) == expected[-12:] or ids(Archive(tmp_path).newest(12)) == expected[-12:]


def test_old_days_and_bytes_beyond_the_limit_are_removed(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    assert tuple(archive.prune(AT)) == (0, 0) and not list(tmp_path.iterdir())
    for day in range(10):
        archive.write(str(day), some(f"d{day}", 5), AT + timedelta(days=day))
    now, before = AT + timedelta(days=9), archive.newest()
    gone = archive.prune(now, days=3.5)
    assert gone.files == 18 and gone.bytes > 1000
    assert [day.day.day for day in archive.days()] == [23, 24, 25, 26] and len(before) == 50
    assert not (tmp_path / "2026-11-17").exists() and ids(archive.newest())[0] == "d6-0"
    each = archive.days()[0].bytes
    archive.prune(now, bytes=2 * each + each // 2)
    assert [day.day.day for day in archive.days()] == [25, 26]
    assert archive.write("0", [Item("d0-0")], now) == 1  # it is gone, and so it is new
    archive.prune(now, days=0, bytes=0)
    assert archive.days() == [] and len(archive.newest()) == 0 and files(tmp_path) == set()


def test_a_full_disk_leaves_nothing_of_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = Archive(tmp_path)
    archive.write("0", some("a", 2), AT)
    before = files(tmp_path)
    for failing in range(4):  # rows, digests, mapped rows, the list
        done = 0

        def fsync(descriptor: int, failing: int = failing) -> None:
            nonlocal done
            if not os.path.isdir(f"/proc/self/fd/{descriptor}"):  # noqa: PTH112
                done += 1
                if done > failing:
                    raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fsync)
            with pytest.raises(ArchiveError, match="No space left on device; nothing of this batch"):
                archive.write("1", some("b", 2), AT)
        assert files(tmp_path) == before and ids(archive.newest()) == ["a-0", "a-1"]
    assert archive.write("1", some("b", 2), AT) == 2


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.write("0", some("a", 2), AT)
    list_of_pieces = tmp_path / NAME
    whole = list_of_pieces.read_bytes()
    for content, reason in [(b"{", "cannot be read"), (b"[]", "no list of pieces"), (b'{"format": 9}', "format 9")]:
        list_of_pieces.write_bytes(content)
        with pytest.raises(ArchiveError, match=reason):
            Archive(tmp_path).newest()
        with pytest.raises(ArchiveError, match=reason):
            Archive(tmp_path).write("1", some("b", 1), AT)
    list_of_pieces.write_bytes(whole)
    for file in tmp_path.rglob("000000001-0.*"):
        file.unlink()
    with pytest.raises(ArchiveError, match=r"000000001-0\.parquet: a file that its list names is missing"):
        Archive(tmp_path).newest()
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    with pytest.raises(ArchiveError, match="cannot be written"):
        Archive(blocked / "archive").write("1", some("b", 1), AT)


WRITER = """
import os, sys
from datetime import UTC, datetime, timedelta
from watchword.archive import Archive
from watchword.items import Item

os.fsync = lambda descriptor: None
archive, name, count = Archive(sys.argv[1]), sys.argv[2], int(sys.argv[3])
at = datetime(2026, 11, 17, 23, 59, 50, tzinfo=UTC)
for batch in range(count):
    items = [Item(f"{name}-{batch}-{number}", text="x" * 100) for number in range(5)]
    archive.write(f"{name}:{batch}", [*items, Item(f"both-{batch}")], at + timedelta(milliseconds=200 * batch))
    print(batch, flush=True)
"""


def start(folder: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(folder), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": SOURCES})


@pytest.mark.slow
def test_two_writers_and_a_reader_see_each_item_once(tmp_path: Path) -> None:
    writers = [start(tmp_path, name, 30) for name in "ab"]
    archive, seen = Archive(tmp_path), 0
    while any(writer.poll() is None for writer in writers):
        found, whole = ids(archive.newest()), ids(Archive(tmp_path).newest())
        assert len(set(found)) == len(found) >= seen and set(found) <= set(whole)
        seen = len(whole)
        threading.Event().wait(0.02)
    assert [writer.communicate(timeout=PATIENCE) and writer.returncode for writer in writers] == [0, 0]
    expected = {f"{name}-{batch}-{number}" for name in "ab" for batch in range(30) for number in range(5)}
    found = ids(archive.newest())
    assert set(found) == expected | {f"both-{batch}" for batch in range(30)} and len(found) == 330


@pytest.mark.slow
def test_a_writer_that_is_killed_leaves_each_batch_whole_or_not_at_all(tmp_path: Path) -> None:
    draw = random.Random(24)
    done = -1
    for _ in range(3):
        writer = start(tmp_path, "a", 400)
        assert writer.stdout is not None
        for _ in range(draw.randrange(3, 20)):
            done = max(done, int(writer.stdout.readline()))
        threading.Event().wait(draw.random() / 50)
        writer.send_signal(signal.SIGKILL)
        writer.wait(PATIENCE)
        writer.stdout.close()
        found = ids(Archive(tmp_path).newest())
        assert len(set(found)) == len(found) and len(found) % 6 == 0 and len(found) >= 6 * (done + 1)
        assert set(found[:6]) == {*(f"a-0-{number}" for number in range(5)), "both-0"}
    archive = Archive(tmp_path)
    archive.write("last", [Item("last")], AT + timedelta(days=1))
    pieces = read_manifest(tmp_path).pieces
    assert files(tmp_path) <= {str(file.relative_to(tmp_path)) for piece in pieces for file in piece.files(tmp_path)}


def test_threads_share_an_archive(tmp_path: Path) -> None:
    archive, faults = Archive(tmp_path), []

    def work(name: str) -> None:
        try:
            for batch in range(6):
                archive.write(f"{name}:{batch}", some(f"{name}{batch}", 2), AT)
                assert {f"{name}{batch}-0", f"{name}{batch}-1"} <= set(ids(archive.newest()))
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not faults and len(archive.newest()) == 48
