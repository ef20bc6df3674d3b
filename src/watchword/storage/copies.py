"""Local copies of shards in an object store: made once for all processes of a machine, whole and checked.

Layout, with two shards of one index::

    CACHE/9c1f…/0000-000007-a1b2c3/          a copy: the shard's folder
    CACHE/9c1f…/0000-000007-a1b2c3.lock      held, shared, by every process that uses it; its time is the last use
    CACHE/9c1f…/0000-000007-a1b2c3.copying   held by the process that is copying
    CACHE/9c1f…/.0000-000007-a1b2c3-5d.tmp/  a copy that is being made

Invariant: a folder under its own name is a whole copy, for it was checked byte by byte and synced before it got the
name; shards never change, so it stays one. A copy with deleted files is noticed by its size, and made again.

`WATCHWORD_CACHE_BYTES` limits the bytes of all copies: before a copy is made, the least recently used ones are
removed until it fits. A copy in use is never removed, so an index that is larger than the limit is still matched. A
version's shards are used together and so go together; a shard that two versions share is copied once.

Without `flock` (Windows) it is unknown which copies are in use, and none is removed.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from watchword.errors import LocationError, OptionError, SnapshotError
from watchword.files import locked, make_private_folder, sync_folder

try:
    import fcntl
except ImportError:  # a platform without flock
    fcntl = None  # type: ignore[assignment]

LIMIT = 20 << 30
"""Default of WATCHWORD_CACHE_BYTES: a machine keeps 20 GiB of copies."""
FOLDER_VARIABLE, LIMIT_VARIABLE = "WATCHWORD_CACHE", "WATCHWORD_CACHE_BYTES"


@dataclass(frozen=True)
class Copy:
    """A copy in use, until `release` is called."""

    folder: Path
    _held: IO[bytes]

    def release(self) -> None:
        """Allow the copy to be removed when another needs its room."""
        self._held.close()


@dataclass(frozen=True)
class Copies:
    """The copies of one machine."""

    folder: Path
    limit: int = LIMIT

    def get(
        self, index: str, name: str, size: int, fetch: Callable[[Path], None], check: Callable[[Path], object]
    ) -> Copy:
        """Return a copy of shard `name` of `index`, in use until it is released.

        If it is missing, or `check` raises `SnapshotError`, `fetch` writes it (about `size` bytes) to a new folder, and
        raises if the content is wrong. If several processes ask at once, one fetches and the others wait.
        """
        home = self.folder / hashlib.sha256(index.encode()).hexdigest()[:16]
        try:
            make_private_folder(home)
            used = _share_lock(home / f"{name}.lock")
            try:
                if not _is_sound(home / name, check):
                    with locked(home / f"{name}.copying"):
                        if not _is_sound(home / name, check):
                            self._make_room(size)
                            _copy(home, name, fetch)
                os.utime(home / f"{name}.lock")
            except BaseException:
                used.close()
                raise
        except OSError as error:
            reason = error.strerror or error
            raise SnapshotError(
                f"cannot be copied to this machine ({reason}): {FOLDER_VARIABLE} says where copies go", path=home / name
            ) from error
        return Copy(home / name, used)

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Yield a new folder for files to upload; if this process is killed, it is removed as an unused copy is."""
        home, name = self.folder / "scratch", secrets.token_hex(6)
        make_private_folder(home)
        used = _share_lock(home / f"{name}.lock")
        aside = home / f".{name}-0.tmp"
        try:
            aside.mkdir()
            yield aside
        finally:
            shutil.rmtree(aside, ignore_errors=True)
            (home / f"{name}.lock").unlink(missing_ok=True)
            used.close()

    def _make_room(self, size: int) -> None:
        """Remove unused copies, least recently used first, until `size` more bytes fit."""
        with locked(self.folder / ".room.lock"):
            kept = []
            for lock in self.folder.glob("*/*.lock"):
                with suppress(FileNotFoundError):
                    kept.append((lock.stat().st_mtime_ns, lock, sum(map(_bytes, _folders(lock)))))
            total = sum(taken for _, _, taken in kept)
            for _, lock, taken in sorted(kept):
                if total + size <= self.limit:
                    return
                if _remove_unused(lock):
                    total -= taken


def of_this_machine() -> Copies:
    """Return the cache in WATCHWORD_CACHE, or else the one in the folder for temporary files."""
    given = os.environ.get(LIMIT_VARIABLE, "").strip()
    if given and not given.isdecimal():
        raise OptionError(f"{LIMIT_VARIABLE}={given}: this is a number of bytes, {LIMIT} for 20 GiB")
    limit = int(given) if given else LIMIT
    named = os.environ.get(FOLDER_VARIABLE)
    if named:
        return Copies(Path(named).absolute(), limit)
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"watchword-cache-{user}"
    make_private_folder(folder)
    _check_ours(folder)
    return Copies(folder, limit)


def _check_ours(folder: Path) -> None:
    """Refuse a cache folder that another user made or may write to: kernels trust the arrays of copies."""
    found = folder.lstat()
    if hasattr(os, "getuid") and (
        not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022
    ):
        raise LocationError(f"others may write there, so no copy is kept in it: set {FOLDER_VARIABLE}", path=folder)


def _is_sound(folder: Path, check: Callable[[Path], object]) -> bool:
    if not folder.is_dir():
        return False
    try:
        check(folder)
    except SnapshotError:
        return False
    return True


def _copy(home: Path, name: str, fetch: Callable[[Path], None]) -> None:
    """Fetch a copy into a temporary folder, sync it to disk, then rename it."""
    for leftover in home.glob(f".{name}-*.tmp"):
        shutil.rmtree(leftover, ignore_errors=True)
    aside = home / f".{name}-{secrets.token_hex(4)}.tmp"
    aside.mkdir()
    try:
        fetch(aside)
        _sync(aside)
        if (home / name).exists():  # damaged; a process that has it mapped keeps its pages
            (home / name).rename(home / f".{name}-{secrets.token_hex(4)}.tmp")
        aside.rename(home / name)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    sync_folder(home)


def _sync(folder: Path) -> None:
    for file in folder.rglob("*"):
        if file.is_file():
            with file.open("rb") as opened:
                os.fsync(opened.fileno())
        else:
            sync_folder(file)
    sync_folder(folder)


# Locks of copies in use


def _share_lock(file: Path) -> IO[bytes]:
    """Return the opened lock file, its lock shared. Waits only for a process that is removing the copy."""
    while True:
        held = file.open("a+b", buffering=0)
        if fcntl is None:
            return held
        fcntl.flock(held, fcntl.LOCK_SH)
        if _is_there(held, file):
            return held
        held.close()


def _remove_unused(lock: Path) -> bool:
    """Remove a copy, its unfinished folders and its locks; returns False if it is in use."""
    if fcntl is None:
        return False
    with suppress(OSError), lock.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _is_there(held, lock):
            return False
        for folder in _folders(lock):
            gone = lock.with_name(f".{lock.stem}-{secrets.token_hex(4)}.tmp")
            folder.rename(gone)  # whole, or not there
            shutil.rmtree(gone, ignore_errors=True)
        lock.with_suffix(".copying").unlink(missing_ok=True)
        lock.unlink(missing_ok=True)
        return True
    return False


def _folders(lock: Path) -> list[Path]:
    """Return the folders of a copy that exist: the finished one and unfinished ones."""
    return [folder for folder in (lock.with_suffix(""), *lock.parent.glob(f".{lock.stem}-*.tmp")) if folder.is_dir()]


def _is_there(held: IO[bytes], file: Path) -> bool:
    """Return whether the opened file still has the name `file`."""
    try:
        return os.path.samestat(os.fstat(held.fileno()), file.stat())
    except FileNotFoundError:
        return False


def _bytes(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        with suppress(FileNotFoundError):
            total += file.stat().st_size if file.is_file() else 0
    return total
