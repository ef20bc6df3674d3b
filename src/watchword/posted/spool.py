"""A spool of posted events in HOME/posted: what `append` returned for is on the disk, and is delivered once.

    with Spool(home.posted) as spool:
        spool.append([Item("urn:7", title="Ferry"), Item("urn:8", title="Storm")])     # 8, the number of the last

Layout of the folder:

- ``00000000000000000001.jsonl``, ``00000000000000031263.jsonl``, ...: segments, each named after the number of its
  first item, with groups of items (`segments`). A segment of `SEGMENT_BYTES` or more is followed by another one.
- ``append.lock``: held by the process that appends.
- ``delivered.json``, ``archived.json``: how far each reader is (`batches`); ``deliver.lock``: held by the deliverer.
- ``dead-letters/``: events that a language could not read.

All processes append to one segment, under a lock, so that items have one order and one number each, and a reader one
position. Tried instead: a segment for each process needs no lock, but then there are several positions, and one busy
process makes another one's events wait. The lock costs little: while a process waits for it, or for the disk, its
threads gather, and one sync is for them all.

A process that is killed while it appends leaves an unfinished group, which the next append cuts off. Nothing else is
ever changed in a segment. Segments that every reader has finished are removed, but for the last `KEPT` of them.
"""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

from watchword.errors import StoreError
from watchword.files import Closing, locked, make_private_folder, parse_json, sync_folder
from watchword.items import Item
from watchword.posted.segments import MARK_BYTES, groups, item_lines, mark, read_items, read_mark
from watchword.visible import counted

SEGMENT_BYTES = 16 << 20
"""Bytes from which a segment is followed by the next."""
MOST_BYTES = 1 << 30
"""Bytes of undelivered events from which no more are taken."""
GROUP_BYTES = 64 << 20
"""Bytes that one append may have."""
KEPT = 2
"""Segments that are kept after all of their events were delivered."""
READERS = ("delivered", "archived")
"""The readers that a segment waits for."""
_log = logging.getLogger("watchword.posted")
_NAME = re.compile(r"(\d{20})\.jsonl")


class SpoolFullError(StoreError):
    """A spool has no room for more events until some were delivered."""


class Position(NamedTuple):
    """A border between two groups: the number in a segment's name, and an offset in bytes. ``(0, 0)`` is the start."""

    segment: int = 0
    offset: int = 0


@dataclass(eq=False)
class _Waiting:
    """Lines of one `append` until they are on the disk, or an error is known."""

    lines: bytes
    count: int
    last: int = 0
    error: BaseException | None = None
    is_done: bool = False


class Spool(Closing):
    """Durable appends to a folder, by any number of threads and processes at once.

    `most_bytes` bounds the events that wait for delivery: beyond it, `append` raises `SpoolFullError`.
    """

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES) -> None:
        self.folder, self.most_bytes = folder, most_bytes
        self._waiting: list[_Waiting] = []
        self._guard = threading.Lock()
        self._turn = threading.Lock()
        self._checked = ""  # the segment whose groups this process has looked at, since it began

    def append(self, items: Iterable[Item]) -> int:
        """Append items, all or none, and return the number of the last when they are on the disk; 0 for no items.

        A `SpoolFullError` if too many events wait, a `StoreError` if they cannot be written: none is accepted then.
        """
        lines, count = item_lines(items)
        if not count:
            return 0
        if len(lines) > GROUP_BYTES:
            raise StoreError(f"{len(lines):,} bytes of events at once are more than {GROUP_BYTES:,}", path=self.folder)
        mine = _Waiting(lines, count)
        with self._guard:
            self._waiting.append(mine)
        with self._turn:  # whoever has it writes what has gathered
            if not mine.is_done:
                self._write_waiting()
        if mine.error is not None:
            raise mine.error
        return mine.last

    def last(self) -> int:
        """Return the number of the last item, 0 before the first; one that is just being written may be left out."""
        number = max(self.segments(), default=1)
        with suppress(FileNotFoundError), self.path(number).open("rb") as file:
            file.seek(max(file.seek(0, os.SEEK_END) - MARK_BYTES, 0))
            last = read_mark(file.read())
            return max((group.last for group in groups(file, 0)), default=number - 1) if last is None else last
        return number - 1

    def waiting_bytes(self) -> int:
        """Return the bytes of segments after the position up to which events were delivered."""
        return self._bytes_after(self.position("delivered"))

    def segments(self) -> list[int]:
        """Return the numbers of the first items of the segments, ascending."""
        try:
            names = [_NAME.fullmatch(name) for name in os.listdir(self.folder)]  # noqa: PTH208 (twice as fast)
        except FileNotFoundError:
            return []
        return sorted(int(name[1]) for name in names if name)

    def path(self, segment: int) -> Path:
        """Return the file of a segment."""
        return self.folder / f"{segment:020d}.jsonl"

    def position(self, reader: str) -> Position:
        """Return how far a reader is; the start if it has not begun."""
        try:
            state = self._state(reader)
        except FileNotFoundError:
            return Position()
        return Position(*state["end" if state["done"] else "begin"])

    def items_after(self, position: Position) -> Iterator[Item]:
        """Yield the items after a border, up to the last that is on the disk now; groups that are damaged are left out.

        Nothing is taken: any process may read along with the readers. Of a segment that is removed meanwhile every
        reader has the items.
        """
        while (end := self.durable_end(position)) != position:
            begin = position.offset if end.segment == position.segment else 0
            with suppress(FileNotFoundError), self.path(end.segment).open("rb") as file:
                for group in groups(file, begin):
                    if group.end > end.offset:
                        break
                    with suppress(ValueError):
                        yield from [] if group.is_damaged else read_items(group.lines)
            position = end

    def remove_finished(self) -> int:
        """Remove the segments that all readers have finished, but for the last `KEPT`; return their number."""
        needed = min(self.position(reader).segment for reader in READERS)
        finished = [number for number in self.segments() if number < needed]
        gone = finished[: max(len(finished) - KEPT, 0)]
        for number in gone:
            self.path(number).unlink(missing_ok=True)
        return len(gone)

    def durable_end(self, after: Position) -> Position:
        """Return the border up to which the segment of a position is on the disk; the next segment's if it is done.

        It waits for an append at work, so one that fails, and takes back its group, was not seen. An unfinished group
        at the end is cut off here too, before anybody takes it for a damaged one.
        """
        later = [number for number in self.segments() if number >= after.segment]
        if not later or (later == [after.segment] and self._size(after.segment) <= after.offset):
            return after
        with self._held():
            self._tail()
            for number in later:
                size = self._size(number)
                if number > after.segment or size > after.offset:
                    _sync(self.path(number))
                    return Position(number, size)
        return after

    def make_folder(self) -> None:
        """Make the folder where it is missing; a `StoreError` if the home around it is gone."""
        if not self.folder.parent.is_dir():
            raise StoreError("the home is gone; none of the events was accepted", path=self.folder.parent)
        make_private_folder(self.folder)

    # private parts

    def _write_waiting(self) -> None:
        with self._guard:
            taken, self._waiting = self._waiting, []
        try:
            with self._held():
                self._write(taken)
        except BaseException as error:
            for one in taken:
                one.error = one.error or error
            if not isinstance(error, Exception):
                raise
        finally:
            for one in taken:
                one.is_done = True

    def _write(self, taken: list[_Waiting]) -> None:
        """Write groups to the last segment, and sync it; each that finds no room gets its error."""
        segment, size, last = self._tail()
        room = self.most_bytes - self._bytes_after(self.position("delivered"))
        data = bytearray()
        for one in taken:
            if len(data) + len(one.lines) > room:
                one.error = SpoolFullError(
                    f"{counted(max(self.most_bytes - room, 0), 'byte')} of events wait for delivery, and it has room "
                    f"for {self.most_bytes:,}: post again later, and look why they are not delivered",
                    path=self.folder,
                )
                continue
            last += one.count
            one.last = last
            data += one.lines + mark(one.lines, last)
        if data:
            self._write_durably(segment, size, data)

    def _write_durably(self, segment: int, size: int, data: bytes | bytearray) -> None:
        """Append bytes to a segment of `size` bytes; after an error it has that size again."""
        descriptor = os.open(self.path(segment), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fsync(descriptor)
        except BaseException:
            with suppress(OSError):
                os.ftruncate(descriptor, size)
            raise
        finally:
            os.close(descriptor)
        if not size:
            sync_folder(self.folder)

    def _tail(self) -> tuple[int, int, int]:
        """Return the segment to append to, its size, and the number of the last item; an unfinished group is cut off.

        The first time, and where the end is no mark, all groups of the segment are checked.
        """
        known = self.segments()
        if not known:
            delivered = _last_number(self.folder)
            return delivered + 1, 0, delivered
        path = self.path(known[-1])
        with path.open("rb+") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - MARK_BYTES, 0))
            last = read_mark(file.read()) if size else known[-1] - 1
            if last is None or self._checked != path.name:
                size, last = _cut_off(file, size, known[-1] - 1, self._taken(known[-1]))
        self._checked = path.name
        return (known[-1], size, last) if size < SEGMENT_BYTES else (last + 1, 0, last)

    def _taken(self, segment: int) -> int:
        """Return the offset in a segment up to which a reader has taken it, finished or not."""
        ends = [self._state(reader)["end"] for reader in READERS if (self.folder / f"{reader}.json").exists()]
        return max((offset for number, offset in ends if number == segment), default=0)

    def _state(self, reader: str) -> dict[str, Any]:
        """Return what a reader has written about its last batch."""
        file = self.folder / f"{reader}.json"
        try:
            state = parse_json(file.read_bytes())
            Position(*state["begin"]), Position(*state["end"]), state["done"]
            return dict(state)
        except FileNotFoundError:
            raise
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise damaged_state(file, error) from None

    def _bytes_after(self, position: Position) -> int:
        total = 0
        for number in self.segments():
            if number >= position.segment:
                total += self._size(number)
        return max(total - position.offset, 0)

    def _size(self, segment: int) -> int:
        try:
            return self.path(segment).stat().st_size
        except FileNotFoundError:
            return 0

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Hold the folder for appending; an `OSError` becomes a `StoreError`."""
        try:
            self.make_folder()
            with locked(self.folder / "append.lock"):
                yield
        except OSError as error:
            reason = f"events cannot be written: {error.strerror or error}; none of them was accepted"
            raise StoreError(reason, path=self.folder) from error


def damaged_state(file: Path, error: object) -> StoreError:
    """Return the error for a file of a reader's progress that cannot be read."""
    return StoreError(
        f"truncated or altered ({error}): restore it; or remove it, and the events that are still there come again",
        path=file,
    )


def _sync(file: Path) -> None:
    descriptor = os.open(file, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _cut_off(file: IO[bytes], size: int, before: int, taken: int) -> tuple[int, int]:
    """Cut a segment off after its last whole group; return its size, and the number of its last item.

    Up to `taken` it stays as it is: a reader stands there.
    """
    end, last = 0, before
    for group in groups(file, 0):
        if not group.is_damaged:
            end, last = group.end, group.last
    end = max(end, min(taken, size))
    if end < size:
        _log.warning("%s: %s of an append that was not finished are cut off", file.name, counted(size - end, "byte"))
        file.truncate(end)
    return end, last


def _last_number(folder: Path) -> int:
    """Return the number of the last delivered item, where no segment is left to say it."""
    try:
        return int(parse_json((folder / "delivered.json").read_bytes())["last"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0
