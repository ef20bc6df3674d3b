"""Files that are there whole, on the disk, or not at all, after a crash or a power cut too; locks; closing."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Self

try:
    import fcntl
except ImportError:  # a platform without flock: writers must then take turns by themselves
    fcntl = None  # type: ignore[assignment]


@contextmanager
def replaced(file: Path) -> Iterator[IO[bytes]]:
    """Write a new content aside, and put it into `file`'s place once all of it is on the disk."""
    temporary = file.with_name(f".{file.name}-{secrets.token_hex(4)}.tmp")
    with temporary.open("wb") as output:
        yield output
        output.flush()
        os.fsync(output.fileno())
    temporary.replace(file)
    sync_folder(file.parent)


def write_json(file: Path, value: object) -> None:
    """Replace a small file by a value; its folder is made where it is missing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with replaced(file) as output:
        output.write(json.dumps(value, indent=1).encode())


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

    The system lets go of the lock when a process dies. With `patience`, a `TimeoutError` after so many seconds.
    """
    with file.open("ab") as held:
        _take_lock(held, patience)
        try:
            yield
        finally:
            if fcntl is not None:
                fcntl.flock(held, fcntl.LOCK_UN)  # at once, even where a forked child still has the file open


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
                raise TimeoutError(f"{held.name} is locked") from None
            time.sleep(0.05)
        else:
            return


class Closing:
    """What has a `close`, as a context manager that calls it, also after an error."""

    def close(self) -> None:
        """Close; again is no error."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
