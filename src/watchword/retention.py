"""Which files and entries of inboxes a running system removes, and when. The defaults are here only.

An inbox keeps unread entries for longer than read ones. Everything that a run needs in order to go on stays: the
versions of the indexes, its checkpoint, its spool, and the ids of batches that may be repeated.

At ten items a second, with about 0.7 GB of files of matches a day and language and 1 GB of store, the defaults amount
to 5 GB of files for each language, and 7 to 30 GB of store, as people read or do not. The archive takes at most
`archive_bytes`; the oldest items go first.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from watchword.archive.limits import BYTES, DAYS
from watchword.errors import OptionError
from watchword.languages import LANGUAGES

if TYPE_CHECKING:
    from watchword.home import Home


@dataclass(frozen=True)
class Retention:
    """The days for which each kind of thing is kept, and the bytes that the archive may take."""

    matches: float = 7.0
    """Files of matches, and the ids of batches."""
    read: float = 7.0
    """Entries of an inbox that were read, since they matched."""
    unread: float = 30.0
    """Entries of an inbox that were not read."""
    dead_letters: float = 30.0
    """Files of items that could not be read."""
    archive: float = DAYS
    """Items of the archive."""
    archive_bytes: int = BYTES
    """Bytes of the archive, not days: beyond them the oldest items are removed."""

    def __post_init__(self) -> None:
        for name, days in vars(self).items():
            if name == "archive_bytes":
                if days < 0:
                    raise OptionError(f"archive_bytes is a number of bytes, not {days}")
            elif not 0 <= days <= 100_000:
                raise OptionError(f"{name} is a number of days, not {days}")


@dataclass
class Pruned:
    """The numbers of removed files, bytes, entries of inboxes and ids of batches."""

    files: int = 0
    bytes: int = 0
    deliveries: int = 0
    batches: int = 0


def prune(home: Home, retention: Retention, now: datetime) -> Pruned:
    """Remove files and entries that are older than `retention` says; safe while runs are running."""
    done = Pruned()
    for run in home.runs():
        for name, days in (("matches", retention.matches), ("dead-letters", retention.dead_letters)):
            for folder in (run.path / name, *run.path.glob(f"{name}-before-*")):
                _prune_files(folder, now - timedelta(days=days), done)
    _prune_files(home.posted / "dead-letters", now - timedelta(days=retention.dead_letters), done)
    repeatable = [key for run in home.runs() for key in run.repeatable(list(LANGUAGES))] + home.posted_batches()
    with home.store() as store:
        done.batches = store.forget_batches(now - timedelta(days=retention.matches), repeatable=repeatable)
        done.deliveries = store.prune(now - timedelta(days=retention.read))
        done.deliveries += store.prune(now - timedelta(days=retention.unread), unread=True)
    gone = home.archive().prune(now, days=retention.archive, bytes=retention.archive_bytes)
    done.files, done.bytes = done.files + gone.files, done.bytes + gone.bytes
    return done


def _prune_files(folder: Path, before: datetime, done: Pruned) -> None:
    """Remove files that were written before a time; a file that another process removes meanwhile is no error."""
    for file in folder.glob("batch-*") if folder.is_dir() else []:
        with suppress(OSError):
            facts = file.stat()
            if facts.st_mtime < before.timestamp():
                file.unlink()
                done.files += 1
                done.bytes += facts.st_size
    if "-before-" in folder.name:
        with suppress(OSError):
            folder.rmdir()  # where it is empty now


def disk_use(home: Home) -> dict[str, int]:
    """Return the bytes of each part of a home: store, archive, posted events, each index, each folder of a run."""
    parts = {"store": sum(map(_size, home.path.glob("store.sqlite*")))}
    patterns = ("archive/", "posted/", "index/*/", "runs/*/*/")
    for folder in sorted(found for pattern in patterns for found in home.path.glob(pattern)):
        parts[str(folder.relative_to(home.path))] = sum(_size(file) for file in folder.rglob("*"))
    return parts


def _size(file: Path) -> int:
    try:
        return file.stat().st_size if file.is_file() else 0
    except OSError:
        return 0
