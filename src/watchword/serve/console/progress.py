"""How far the runs of a home are, and the indexes that they publish: versions, batches, items and matches a second.

    versions_of(home, store)     [Published("keywords", version=8, change=17, behind=3, fault="")]
    runs_of(home)                [Run("main", batch=412, at=…, rate=Rate(total=180, seconds=3600.0))]
    rate_of(table, 100_000)      Rate(total=2412, seconds=3600.0)

Only names, times and the footers of Parquet files are read. A rate is about the last hour; of a run with more than
`FILES` files of matches in it, about the time since the newest of the others.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from watchword import shards
from watchword.archive.pieces import seen_of
from watchword.errors import SnapshotError
from watchword.following import other_options, plan_refresh
from watchword.home import Home, Stream
from watchword.languages import LANGUAGES
from watchword.store import Store

HOUR = 3_600.0
"""Seconds that a rate looks back."""
FILES = 500
"""Files of matches of a run whose rows are counted, the newest."""
_MATCHES = re.compile(r"batch-(\d+)-\w+\.parquet")


class Published(NamedTuple):
    """The newest version of a language's index, the last change that it has, and how many came since.

    With a `fault`, it is of no use, and the next run builds the index from the store.
    """

    language: str
    version: int | None
    change: int | None
    behind: int
    fault: str


class Rate(NamedTuple):
    """How many there were in how many seconds."""

    total: int
    seconds: float

    @property
    def each_second(self) -> float:
        """The number a second."""
        return self.total / self.seconds if self.seconds > 0 else 0.0


class Run(NamedTuple):
    """A run: its newest batch, when it last wrote something, and its matches, None if it keeps no files of them."""

    name: str
    batch: int | None
    at: datetime | None
    rate: Rate | None


def versions_of(home: Home, store: Store) -> list[Published]:
    """Return the newest published version of each language's index."""
    found = (_published(home, store, language) for language in LANGUAGES)
    return [one for one in found if one is not None]


def _published(home: Home, store: Store, language: str) -> Published | None:
    """Return the newest version of an index, None before the first, and decide as a run does whether it is of use."""
    path = home.index(language)
    try:
        if not shards.current(path):
            return None
        version = shards.resolve(path)
        others = other_options(language, shards.settings(version), store.options(language))
    except SnapshotError as error:
        return Published(language, None, None, 0, error.reason)
    origin = version.origin
    fault = plan_refresh(origin, None if origin is None else store.epoch(origin.counter)).fault
    if fault is None and others:
        fault = f"its options were changed: {', '.join(others)}"
    if fault is not None or origin is None:
        return Published(language, version.version, None, 0, fault or "")
    behind = store.count_changes(origin.counter, language=language)
    return Published(language, version.version, origin.counter, behind, "")


def runs_of(home: Home) -> list[Run]:
    """Return the runs of a home that have begun a batch, by name."""
    return [run for run in map(_run, home.runs()) if run.at is not None or run.batch is not None]


def _run(run: Stream) -> Run:
    files = _files(run.matches)
    checkpoint = (_newest(run.checkpoint / name) for name in ("offsets", "commits"))
    times = [_written(file) for file in (*files[:1], *checkpoint) if file is not None]
    at = max((at for at in times if at is not None), default=None)
    moment = None if at is None else datetime.fromtimestamp(at, UTC)
    return Run(run.name, run.versions.newest(), moment, _rate(files) if files else None)


def _files(folder: Path) -> list[Path]:
    """Return the files of matches, those of the newest batches first."""
    names = [_MATCHES.fullmatch(name) for name in _names(folder)]
    found = sorted(((int(name[1]), name[0]) for name in names if name), reverse=True)
    return [folder / name for _, name in found]


def _newest(folder: Path) -> Path | None:
    """Return the file of the greatest number that a folder of Spark's checkpoint has."""
    numbers = [int(name) for name in _names(folder) if name.isascii() and name.isdigit()]
    return folder / str(max(numbers)) if numbers else None


def _rate(files: list[Path]) -> Rate:
    """Return the rows of the files of the last hour, in the time that they are about."""
    now, count = time.time(), 0
    for number, (file, at) in enumerate(_recent(files, now - HOUR)):
        if number == FILES:
            return Rate(count, max(now - at, 1.0))
        with suppress(OSError, pa.ArrowException):  # removed meanwhile, or damaged
            count += pq.read_metadata(file).num_rows
    return Rate(count, HOUR)


def _recent(files: list[Path], since: float) -> Iterator[tuple[Path, float]]:
    """Yield files, the newest first, with their times, until one is too old."""
    for file in files:
        at = _written(file)
        if at is not None:
            if at < since:
                return
            yield file, at


def rate_of(table: pa.Table, most: int) -> Rate:
    """Return the items of the last hour, given the newest of the archive, at most `most`, the newest last.

    Where `most` were of this hour, there may be more, and the rate is about the time since the first of them.
    """
    seen, now = seen_of(table), time.time()
    first = int(np.searchsorted(seen, round((now - HOUR) * 1e6)))
    if first or len(seen) < most or not len(seen):
        return Rate(len(seen) - first, HOUR)
    return Rate(len(seen), max(now - int(seen[0]) / 1e6, 1.0))


def _names(folder: Path) -> list[str]:
    try:
        return [file.name for file in folder.iterdir()]
    except OSError:  # a run that has written none
        return []


def _written(file: Path) -> float | None:
    """Return when a file was written; None if it was removed meanwhile."""
    try:
        return file.stat().st_mtime
    except OSError:
        return None
