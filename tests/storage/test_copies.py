"""Copies of what lies elsewhere: one for all processes, whole, within a limit, never taken from under a user."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from watchword.errors import LocationError, OptionError, SnapshotError
from watchword.storage import copies
from watchword.storage.copies import Copies, Copy

ENDS = ("lock", "copying")
CLOCK = itertools.count(1)


def check(folder: Path) -> None:
    if not (folder / "data").exists():
        raise SnapshotError("the file is missing", path=folder)


def filling(size: int = 1000) -> Callable[[Path], None]:
    def fetch(folder: Path) -> None:
        (folder / "data").write_bytes(bytes(size))

    return fetch


def never(folder: Path) -> None:
    raise AssertionError("copied again")


def get(cache: Copies, name: str, fetch: Callable[[Path], None] | None = None, size: int = 1000) -> Copy:
    copy = cache.get("s3://bucket/index", name, size, fetch or filling(size), check)
    used = next(CLOCK)
    os.utime(copy.folder.with_name(f"{name}.lock"), (used, used))  # a file system's own clock may be coarse
    return copy


def kept(cache: Copies) -> set[str]:
    return {entry.name for entry in cache.folder.glob("*/*") if entry.is_dir()}


def test_what_was_used_least_recently_goes(tmp_path: Path) -> None:
    cache = Copies(tmp_path / "cache", limit=2500)
    for name in ("a", "b"):
        get(cache, name).release()
    get(cache, "a", never).release()
    get(cache, "c").release()
    assert kept(cache) == {"a", "c"}
    assert {entry.name for entry in cache.folder.glob("*/*")} == {"a", "c", *(f"{n}.{e}" for n in "ac" for e in ENDS)}
    get(cache, "d", size=2500).release()
    assert kept(cache) == {"d"}


def test_what_is_in_use_stays_even_beyond_the_limit(tmp_path: Path) -> None:
    cache = Copies(tmp_path / "cache", limit=1500)
    used = [get(cache, name) for name in ("a", "b", "c")]
    assert kept(cache) == {"a", "b", "c"}
    used[1].release()
    get(cache, "d").release()
    assert kept(cache) == {"a", "c", "d"}
    for copy in used:
        assert copy.folder.name == "b" or (copy.folder / "data").exists()
        copy.release()


def test_indexes_are_kept_apart(tmp_path: Path) -> None:
    cache = Copies(tmp_path / "cache")
    first = cache.get("s3://bucket/one", "a", 1, filling(1), check)
    second = cache.get("s3://bucket/two", "a", 2, filling(2), check)
    assert [(copy.folder / "data").stat().st_size for copy in (first, second)] == [1, 2]
    first.release()
    second.release()


def test_a_copy_that_fails_leaves_nothing(tmp_path: Path) -> None:
    cache = Copies(tmp_path / "cache")

    def halfway(folder: Path) -> None:
        (folder / "other").write_bytes(b"x")
        raise SnapshotError("damaged", path="s3://bucket/index/a")

    with pytest.raises(SnapshotError, match="s3://bucket/index/a: damaged"):
        get(cache, "a", halfway)
    assert kept(cache) == set()
    get(cache, "a").release()

    def full(folder: Path) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(SnapshotError, match=r"No space left on device.: WATCHWORD_CACHE says where"):
        get(cache, "b", full)
    assert kept(cache) == {"a"}


def test_a_copy_that_somebody_damaged_is_made_again(tmp_path: Path) -> None:
    cache = Copies(tmp_path / "cache")
    used = get(cache, "a")
    (used.folder / "data").unlink()
    get(cache, "a").release()  # without waiting for the other user
    assert (used.folder / "data").exists()
    used.release()


def test_what_a_killed_process_left_is_removed_with_its_like(tmp_path: Path) -> None:
    cache = Copies(tmp_path / "cache", limit=1500)
    get(cache, "a").release()
    home = next(cache.folder.glob("*/a")).parent
    for name in (".a-0000.tmp", ".b-0000.tmp"):
        (home / name).mkdir()
        (home / name / "data").write_bytes(bytes(1000))
    get(cache, "b").release()  # whose leftovers nobody else may be writing
    assert kept(cache) == {"b"}


def test_a_scratch_folder_goes_with_its_user(tmp_path: Path) -> None:
    cache = Copies(tmp_path / "cache", limit=1500)
    with cache.scratch() as mine, cache.scratch() as other:
        filling(3000)(mine)
        filling(3000)(other)
        get(cache, "a").release()  # in use: not taken for room
        assert (mine / "data").exists() and (other / "data").exists()
    assert kept(cache) == {"a"}
    (mine.parent / f"{mine.name[1:-6]}.lock").touch()  # of a process that was killed
    mine.mkdir()
    filling(3000)(mine)
    get(cache, "b").release()
    assert not mine.exists()


SCRIPT = """
import sys, time
from pathlib import Path
from watchword.storage.copies import Copies

def fetch(folder):
    with open(sys.argv[2], "a") as log:
        log.write("copied\\n")
    time.sleep(0.3)
    (folder / "data").write_text("whole")

print("ready", flush=True)
sys.stdin.readline()
copy = Copies(Path(sys.argv[1])).get("s3://bucket/index", "a", 5, fetch, lambda folder: None)
print((copy.folder / "data").read_text())
"""


@pytest.mark.slow
def test_processes_that_begin_together_copy_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "cache"), str(tmp_path / "log")]
    started = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for process in started:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate()[0] for process in started] == ["whole\n", "whole\n"]
    assert (tmp_path / "log").read_text() == "copied\n"


class TestOfThisMachine:
    """Where the environment says, and nowhere that others can write."""

    def test_the_environment_decides(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("WATCHWORD_CACHE", str(tmp_path / "mine"))
        monkeypatch.delenv("WATCHWORD_CACHE_BYTES", raising=False)
        assert copies.of_this_machine() == Copies(tmp_path / "mine", copies.LIMIT)
        monkeypatch.setenv("WATCHWORD_CACHE_BYTES", "1000")
        assert copies.of_this_machine().limit == 1000
        monkeypatch.setenv("WATCHWORD_CACHE_BYTES", "20GB")
        with pytest.raises(OptionError, match="WATCHWORD_CACHE_BYTES=20GB: this is a number of bytes"):
            copies.of_this_machine()

    def test_a_folder_that_others_may_write_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("WATCHWORD_CACHE", raising=False)
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        made = copies.of_this_machine().folder
        assert made.parent == tmp_path and made.stat().st_mode & 0o777 == 0o700
        made.chmod(0o777)
        with pytest.raises(LocationError, match="others may write there"):
            copies.of_this_machine()
        made.rmdir()
        made.symlink_to(tmp_path)
        with pytest.raises(LocationError, match="others may write there"):
            copies.of_this_machine()


def test_a_copy_whose_lock_was_removed_meanwhile_is_held_by_a_new_one(tmp_path: Path) -> None:
    """Somebody removes a copy between the opening of its lock file and the lock: the file is then another."""
    lock = tmp_path / "copy.lock"
    with copies._share_lock(lock) as first:
        assert copies._is_there(first, lock)
        lock.unlink()
        assert not copies._is_there(first, lock)
        with copies._share_lock(lock) as second:
            assert copies._is_there(second, lock) and not copies._is_there(first, lock)
