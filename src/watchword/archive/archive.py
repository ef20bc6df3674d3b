"""`Archive`: every item that was read, once, kept by day in Parquet; the newest are served mapped.

>>> import tempfile
>>> from watchword.items import Item
>>> archive = Archive(tempfile.mkdtemp())
>>> archive.write("run:1", [Item("urn:1", title="Ferry"), Item("urn:2", title="Storm")])
2
>>> archive.write("run:2", [Item("urn:2", title="Storm, again"), Item("urn:3", title="Bread")])
1
>>> archive.newest(2)["title"].to_pylist()
['Storm', 'Bread']

Layout of its folder: ``archive.json`` lists the pieces (`manifest`), a folder for each day has their rows (`pieces`),
``ids`` their digests, ``recent`` Arrow files of the newest, and ``lock`` is held by the one that writes.

An item is known by its id, and the first counts: `write` leaves out items that the archive has (`ids`), so
readers compare nothing. A batch that is repeated after a crash therefore writes the missing items only.

A change puts its files on the disk, then replaces the list, then removes files that are no longer listed. Readers take
the list as it is and hold no lock; where a file has gone meanwhile they read the list again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword.archive import plans
from watchword.archive.columns import ARCHIVED, item_of, rows_of
from watchword.archive.ids import Ids, digests_by_row, digests_of, ids_of, map_ids
from watchword.archive.limits import BYTES, DAYS, NEWEST
from watchword.archive.manifest import NAME, Manifest, read_manifest
from watchword.archive.pieces import (
    IDS,
    RECENT,
    Piece,
    arrow_file,
    ids_file,
    read_piece,
    read_row,
    seen_of,
    write_piece,
)
from watchword.archive.plans import Removed
from watchword.arrays import Int64, UInt64
from watchword.errors import ArchiveError
from watchword.files import locked, make_private_folder, remove_temporaries
from watchword.items import Item

_TRIES = 20
_TABLES = 4
_REMEMBERED = 4_096
_CHUNKS = 64
"""Pieces of `newest` beyond which they are put together."""

Result = TypeVar("Result")


@dataclass(frozen=True)
class Day:
    """A day of the archive, in UTC, in figures."""

    day: date
    items: int
    bytes: int


class Archive:
    """The items below a folder. Any number of processes and threads may read and write at once; writers take turns."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self._known: tuple[object, Manifest] = (None, Manifest())
        self._rows: dict[Piece, pa.Table] = {}
        self._ids: dict[Piece, Ids] = {}
        self._tables: dict[object, pa.Table] = {}  # replaced, never changed: whoever reads it needs no lock
        self._swept = False

    # reading

    @property
    def version(self) -> str:
        """Return a name for the state of the archive, another one after each change."""
        return self._manifest().version

    def newest(self, count: int = NEWEST, *, since: datetime | None = None) -> pa.Table:
        """Return the newest items, at most `count`, the newest last; with `since`, none that was seen before.

        The columns are `ARCHIVED`. The same table is returned until something is written: mapped, so that it takes the
        memory of the pages that are read, for the newest `NEWEST` items; further ones are read into memory.
        """
        if count < 0:
            raise ArchiveError(f"count is a number of items, not {count}", path=self.folder)

        def read(manifest: Manifest) -> pa.Table:
            key, tables = (manifest.version, count, since), self._tables
            if key not in tables:
                kept = list(tables.items())[1 - _TABLES :]
                self._tables = tables = {**dict(kept), key: self._newest(manifest, count, since)}
            return tables[key]

        return self._read(read)

    def days(self) -> list[Day]:
        """Return the days that have items, the oldest first."""
        found: dict[date, Day] = {}
        for piece in self._manifest().pieces:
            before = found.get(piece.day, Day(piece.day, 0, 0))
            found[piece.day] = Day(piece.day, before.items + piece.items, before.bytes + piece.bytes)
        return [found[day] for day in sorted(found)]

    def item(self, id: str) -> Item | None:
        """Return the item with an id, None if the archive has none."""
        digest = digests_of([id])

        def read(manifest: Manifest) -> Item | None:
            for piece in reversed(manifest.pieces):
                row = int(self._ids_of(piece).find(digest)[0])
                if row >= 0:
                    return item_of(read_row(self.folder, piece, row))
            return None

        return self._read(read)

    # writing

    def write(self, key: str, items: pa.Table | Iterable[Item], at: datetime | None = None) -> int:
        """Archive the items of a batch; return the number of new ones.

        `key` names the batch, `at` is when they were seen, by default now. Items that the archive has, by their ids,
        are left out, and so is the second of two with one id: a batch that is repeated writes nothing. On the disk
        when it returns; an `ArchiveError`, after which nothing is there, if that cannot be done.
        """
        rows = rows_of(items, _in_utc(at, self.folder), self.folder)
        if not len(rows):
            return 0
        digests = digests_of(rows["id"].to_pylist())
        with self._changing() as manifest:
            new = self._new(manifest, digests)
            if len(new):
                rows = rows if len(new) == len(rows) else rows.take(pa.array(new))
                self._change(manifest, self._added(manifest, rows, ids_of(digests[new]), key))
            return len(new)

    def prune(self, now: datetime, *, days: float = DAYS, bytes: int = BYTES) -> Removed:
        """Remove pieces that were seen more than `days` ago, then the oldest beyond `bytes` in all."""
        if not (self.folder / NAME).exists():
            return Removed(0, 0)
        with self._changing() as manifest:
            gone = plans.expired(manifest.pieces, now, days, bytes)
            kept = [piece for piece in manifest.pieces if piece not in gone]
            if gone:
                self._change(manifest, kept)
        return Removed(sum(2 + (piece.mapped > 0) for piece in gone), sum(piece.bytes for piece in gone))

    def _added(self, manifest: Manifest, rows: pa.Table, ids: Ids, key: str | None) -> list[Piece]:
        """Write rows as a piece, merged with others where that is due, and return the pieces of the archive."""
        new = {_piece(manifest.number + 1, 0, rows): (rows, ids)}
        pieces = [*manifest.pieces, *new]
        while group := plans.mergeable(pieces):
            parts = [new.pop(piece) if piece in new else self._read_whole(piece) for piece in group]
            merged, order = _sorted(pa.concat_tables([rows for rows, _ in parts]))
            piece = _piece(manifest.number + 1, len(pieces), merged)
            new[piece] = merged, ids_of(digests_by_row([ids for _, ids in parts])[order])
            pieces = [one for one in pieces if one not in group] + [piece]
        return [write_piece(self.folder, one, *new[one], key) if one in new else one for one in pieces]

    def _read_whole(self, piece: Piece) -> tuple[pa.Table, Ids]:
        return read_piece(self.folder, piece), self._ids_of(piece)

    def _change(self, manifest: Manifest, pieces: list[Piece]) -> None:
        """Make these the pieces of the archive, and remove the files of the others."""
        mapped = set(plans.recent(pieces))
        listed = [piece if piece in mapped else replace(piece, mapped=0) for piece in pieces]
        manifest.following(listed).write(self.folder)
        names = {piece.name for piece in listed}
        files = [arrow_file(self.folder, piece) for piece in pieces if piece not in mapped]
        files += [file for piece in manifest.pieces if piece.name not in names for file in piece.files(self.folder)]
        for file in files:
            with suppress(OSError):  # on Windows while somebody maps it; swept later
                file.unlink(missing_ok=True)
        for piece in manifest.pieces:
            with suppress(OSError):
                (self.folder / piece.day.isoformat()).rmdir()  # where it is empty now

    def _new(self, manifest: Manifest, digests: UInt64) -> Int64:
        """Return the rows whose ids are new, each id once."""
        _, first = np.unique(digests, axis=0, return_index=True)
        new = np.sort(first)
        for piece in reversed(manifest.pieces):
            if not len(new):
                break
            new = new[self._ids_of(piece).find(digests[new]) < 0]
        return new.astype(np.int64)

    @contextmanager
    def _changing(self) -> Iterator[Manifest]:
        """Hold the archive for a change; files of a change that fails are removed."""
        try:
            make_private_folder(self.folder)
            with locked(self.folder / "lock"):
                manifest = read_manifest(self.folder)
                try:
                    if not self._swept:
                        self._sweep(manifest)
                    yield manifest
                except BaseException:
                    self._ids = {}
                    self._sweep(read_manifest(self.folder))
                    raise
        except (OSError, pa.ArrowException, ValueError) as error:
            raise _unwritable(error, self.folder) from error

    def _sweep(self, manifest: Manifest) -> None:
        """Remove files that are not listed, of writers that were killed; the caller holds the lock."""
        listed = {file for piece in manifest.pieces for file in piece.files(self.folder)}
        unmapped = {arrow_file(self.folder, piece) for piece in manifest.pieces if not piece.mapped}
        for folder in (self.folder / RECENT, self.folder / IDS, *self.folder.glob("????-??-??")):
            remove_temporaries(folder)
            for file in folder.glob("*.*"):
                if file not in listed or file in unmapped:
                    file.unlink(missing_ok=True)
        remove_temporaries(self.folder)
        self._swept = True

    # private parts of reading

    def _manifest(self) -> Manifest:
        """Return the list of pieces, read again if its file was replaced."""
        mark = _mark(self.folder / NAME)
        known, manifest = self._known
        if mark is None or mark != known:
            manifest = read_manifest(self.folder)
            self._known = mark, manifest  # of an earlier state if it was replaced in between, and then read again
        return manifest

    def _read(self, read: Callable[[Manifest], Result]) -> Result:
        """Return the result of reading pieces; again with the newer list if a file has gone since it was written."""
        for attempt in range(_TRIES):
            manifest = self._manifest()
            try:
                return read(manifest)
            except FileNotFoundError as error:
                if attempt and self._manifest().version == manifest.version:
                    reason = f"a file that its list names is missing: {_NEW}"
                    raise ArchiveError(reason, path=error.filename or self.folder) from error
                self._known = None, manifest
            except (OSError, pa.ArrowException, ValueError) as error:
                raise ArchiveError(f"its files cannot be read ({error}): {_NEW}", path=self.folder) from error
        raise ArchiveError("its pieces change faster than they can be read: try again", path=self.folder)

    def _newest(self, manifest: Manifest, count: int, since: datetime | None) -> pa.Table:
        chosen = plans.recent(manifest.pieces, count)
        known = self._rows
        tables = {piece: known[piece] if piece in known else read_piece(self.folder, piece) for piece in chosen}
        self._rows = {piece: table for piece, table in tables.items() if piece.mapped}
        table = pa.concat_tables([ARCHIVED.empty_table(), *tables.values()])
        if not plans.is_ascending(chosen):
            table = _sorted(table)[0]
        first = max(len(table) - count, 0)
        if since is not None:
            moment = round(_in_utc(since, self.folder).timestamp() * 1e6)
            first = max(first, int(np.searchsorted(seen_of(table), moment)))
        table = table.slice(first)
        return table.combine_chunks() if table["id"].num_chunks > _CHUNKS else table

    def _ids_of(self, piece: Piece) -> Ids:
        """Return the digests of a piece; they stay mapped, and are forgotten when there are too many."""
        found = self._ids.get(piece)
        if found is None:
            if len(self._ids) > _REMEMBERED:
                self._ids = {}
            found = self._ids[piece] = map_ids(ids_file(self.folder, piece), piece.items)
        return found


_NEW = "restore it from a copy, or move the folder away to begin a new archive"


def _piece(change: int, number: int, rows: pa.Table) -> Piece:
    """Return the piece that rows of one day are, not yet written; `number` tells it from others of the same change."""
    seen = seen_of(rows)
    first, last = int(seen[0]), int(seen[-1])
    day = datetime.fromtimestamp(first // 1_000_000, UTC).date()
    return Piece(f"{change:09}-{number}", day, len(rows), rows.nbytes, first, last)


def _in_utc(at: datetime | None, folder: Path) -> datetime:
    if at is None:
        return datetime.now(UTC)
    if at.tzinfo is None:
        raise ArchiveError(f"the time {at} has no time zone; give it one, such as tzinfo=UTC", path=folder)
    return at.astimezone(UTC)


def _sorted(rows: pa.Table) -> tuple[pa.Table, Int64]:
    """Return rows in the order in which they were seen, and which row each was before."""
    seen = seen_of(rows)
    order = np.argsort(seen, kind="stable")
    if (seen[1:] >= seen[:-1]).all():
        return rows, order
    return pc.take(rows, pa.array(order)), order


def _mark(file: Path) -> object:
    """Return what tells a file from the one that replaces it; None if there is none."""
    try:
        facts = file.stat()
    except OSError:
        return None
    return facts.st_ino, facts.st_mtime_ns, facts.st_size


def _unwritable(error: Exception, folder: Path) -> ArchiveError:
    reason = getattr(error, "strerror", None) or error
    return ArchiveError(f"cannot be written: {reason}; nothing of this batch is in it", path=folder)
