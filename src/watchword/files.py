"""Files that are there whole, on the disk, or not at all, after a crash or a power cut too; locks; closing."""

from __future__ import annotations

import json
import os
import secrets
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

try:
    import fcntl
except ImportError:  # a platform without flock: writers must then take turns by themselves
    fcntl = None  # type: ignore[assignment]

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
"""Modes for what only its owner is to read."""
TEMPORARY = ".*.tmp"
"""The names under which `replaced` writes aside."""


@contextmanager
def replaced(file: Path) -> Iterator[IO[bytes]]:
    """Write a new content aside, and put it into `file`'s place once all of it is on the disk.

    An error on the way, such as a full disk, leaves the old content and nothing beside it.
    """
    temporary = file.with_name(f".{file.name}-{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("wb") as output:
            yield output
            output.flush()
            os.fsync(output.fileno())
        temporary.replace(file)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    sync_folder(file.parent)


@contextmanager
def written_whole(path: str) -> Iterator[IO[bytes]]:
    """Write a file that a user named, so that it is there whole or, after an error, as it was before.

    If the name is a link, its target is replaced; an existing file keeps its mode. ``/dev/stdout``, a pipe or another
    special file is written as the data comes. An `OSError` about the temporary file names the file itself.
    """
    file = Path(path).resolve()
    if file.exists() and not file.is_file():
        with file.open("wb") as special:
            yield special
        return
    with ExitStack() as stack:
        try:
            output = stack.enter_context(replaced(file))
            if file.exists():
                Path(output.name).chmod(stat.S_IMODE(file.stat().st_mode))
        except OSError as error:
            raise type(error)(error.errno, error.strerror, path) from None
        yield output


def remove_temporaries(folder: Path, *, below: bool = False) -> None:
    """Remove the temporary files of killed writers; the caller must know that no process is writing there.

    With `below`, in all folders below too, and also Spark's: it names such files alike, and their checksums
    ``.….tmp.crc``.
    """
    with suppress(OSError):
        for pattern in (TEMPORARY, f"{TEMPORARY}.crc") if below else (TEMPORARY,):
            for leftover in folder.rglob(pattern) if below else folder.glob(pattern):
                leftover.unlink(missing_ok=True)


def write_json(file: Path, value: object) -> None:
    """Replace a small file by a value; its folder is made where it is missing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with replaced(file) as output:
        output.write(json.dumps(value, indent=1).encode())


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; a `ValueError` for anything else, also for one that is nested too deeply.

    >>> parse_json("[" * 200_000)
    Traceback (most recent call last):
    ...
    ValueError: nested too deeply
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def make_private_folder(folder: Path) -> None:
    """Make a folder where it is missing, and those above it, for their owner alone; let the disk know.

    A folder that is there keeps its mode: its owner chose it.
    """
    if folder.is_dir():
        return
    make_private_folder(folder.parent)
    with suppress(FileExistsError):
        folder.mkdir(mode=PRIVATE_FOLDER)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Let the disk know which files a folder has."""
    if os.name == "nt":  # folders cannot be opened there
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked(file: Path, *, patience: float | None = None) -> Iterator[None]:
    """Hold the lock of `file`, which is made where it is missing; processes and threads wait for each other.

    The system lets go of the lock when a process dies. After `patience` seconds, if given, a `TimeoutError`; its
    message names the process that holds the lock, as the holder wrote into the file.
    """
    with file.open("a+b", buffering=0) as held:
        _take_lock(held, patience)
        try:
            with suppress(OSError):  # a full disk is no reason to do without the lock
                held.truncate(0)
                held.write(holder().encode())
            yield
        finally:
            if fcntl is not None:
                fcntl.flock(held, fcntl.LOCK_UN)  # at once, even where a forked child still has the file open


def holder() -> str:
    """Return who holds something from now on, for people."""
    since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    return f"process {os.getpid()} on {socket.gethostname()}, since {since}"


def _take_lock(held: IO[bytes], patience: float | None) -> None:
    if fcntl is None:
        return
    if patience is None:
        fcntl.flock(held, fcntl.LOCK_EX)
        return
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                held.seek(0)
                raise TimeoutError(held.read(200).decode(errors="replace") or "another process") from None
            time.sleep(0.05)
        else:
            return


class Closing:
    """A base for objects with a `close`: a context manager that calls it at the end, also after an error."""

    def close(self) -> None:
        """Close; again is no error."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
