"""The batches in which a reader takes the events of a spool, each with the same events however often it is repeated.

    batches = Batches(spool, "delivered")
    batch = batches.next()       # the bounds of batch 18 are on the disk now
    ...                          # killed here, the next process gets batch 18 again, with these events
    batches.finish(batch)        # batch 18 will not come again

``delivered.json`` has the bounds of the last batch, and whether it is done::

    {"id": "b7c1…", "batch": 18, "begin": [1, 9200], "end": [1, 11950], "before": 190, "last": 214, "done": false}

`begin` and `end` are positions, `before` and `last` the numbers of the last events of the batch before and of this one.
The `id` tells the batches of this file from any others; it is drawn with the first batch. A batch has whole groups of
one segment: as many as make `AT_ONCE` events, or `BYTES_AT_ONCE`, and at least one.
"""

from __future__ import annotations

import logging
import secrets
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from watchword.errors import StoreError
from watchword.files import parse_json, write_json
from watchword.home import Home
from watchword.items import Item
from watchword.posted.segments import Group, groups, read_items
from watchword.posted.spool import Position, Spool, damaged_state

AT_ONCE = 1_000
"""Events from which a batch takes no further group."""
BYTES_AT_ONCE = 8 << 20
"""Bytes from which a batch takes no further group."""
_log = logging.getLogger("watchword.posted")


@dataclass(frozen=True)
class Bounds:
    """The bounds of a batch, as they are on the disk."""

    id: str
    batch: int
    begin: Position
    end: Position
    before: int
    last: int
    done: bool = False


@dataclass
class Batch:
    """The events of a batch, and the damaged groups between them."""

    bounds: Bounds
    items: list[Item] = field(default_factory=list)
    damaged: list[bytes] = field(default_factory=list)

    @property
    def key(self) -> str:
        """The name of the batch in the store and the archive: ``b7c1…:18:posted``."""
        return Home.posted_key(self.bounds.id, self.bounds.batch)


class Batches:
    """The batches of one reader; one process at a time may have it."""

    def __init__(self, spool: Spool, reader: str, *, at_once: int = AT_ONCE) -> None:
        self._spool, self._at_once = spool, at_once
        self._file = spool.folder / f"{reader}.json"

    def next(self) -> Batch | None:
        """Return the batch that was not finished, or else the next one, whose bounds are now on the disk; or None."""
        last = self._load()
        if last is not None and not last.done:
            return self._read(last)
        begin = Position() if last is None else last.end
        end = self._spool.durable_end(begin)
        if end.segment != begin.segment:
            begin = Position(end.segment, 0)
        batch = self._take(begin, end, last)
        if batch is not None:
            write_json(self._file, asdict(batch.bounds))
        return batch

    def finish(self, batch: Batch) -> None:
        """Note that a batch is done, on the disk."""
        write_json(self._file, asdict(replace(batch.bounds, done=True)))

    def last(self) -> int:
        """Return the number of the last event of finished batches; 0 before the first."""
        bounds = self._load()
        return 0 if bounds is None else bounds.last if bounds.done else bounds.before

    # private parts

    def _take(self, begin: Position, end: Position, last: Bounds | None) -> Batch | None:
        """Return the batch that begins at a position; None if there is no whole group before `end`."""
        id, number, before = (secrets.token_hex(8), 0, 0) if last is None else (last.id, last.batch, last.last)
        batch = Batch(Bounds(id, number + 1, begin, begin, before, before))
        if end == begin or not self._spool.path(begin.segment).exists():
            return None
        if begin.offset == 0 and begin.segment != before + 1:
            _log.warning("%s: events %d to %d are gone", self._spool.folder, before + 1, begin.segment - 1)
        with self._spool.path(begin.segment).open("rb") as file:
            for group in groups(file, begin.offset):
                if group.end > end.offset:
                    break
                _add(batch, group)
                to = Position(begin.segment, group.end)
                batch.bounds = replace(batch.bounds, end=to, last=group.last or batch.bounds.last)
                if len(batch.items) >= self._at_once or group.end - begin.offset >= BYTES_AT_ONCE:
                    break
            if batch.bounds.end == begin and end.segment != max(self._spool.segments()):
                file.seek(begin.offset)  # no group to the end of a segment that is not the last: its marks are damaged
                _add(batch, Group(end.offset, 0, file.read()))
                batch.bounds = replace(batch.bounds, end=end)
        return batch if batch.bounds.end != begin else None

    def _read(self, bounds: Bounds) -> Batch:
        """Return the batch of these bounds once more."""
        batch, path = Batch(bounds), self._spool.path(bounds.begin.segment)
        end = bounds.begin.offset
        try:
            with path.open("rb") as file:
                for group in groups(file, bounds.begin.offset):
                    if group.end > bounds.end.offset:
                        break
                    _add(batch, group)
                    end = group.end
        except FileNotFoundError:
            pass
        if end != bounds.end.offset:
            raise StoreError(
                f"events {bounds.last} and before, which were not yet delivered, are gone from it: restore it; or "
                f"remove {self._file}, and the events that are still there come again",
                path=path,
            )
        return batch

    def _load(self) -> Bounds | None:
        try:
            saved: dict[str, Any] = parse_json(self._file.read_bytes())
            bounds = Bounds(**saved | {"begin": Position(*saved["begin"]), "end": Position(*saved["end"])})
            if not _is_sound(bounds):
                raise ValueError("a value is of the wrong kind")
            return bounds
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise damaged_state(self._file, error) from None


def _is_sound(bounds: Bounds) -> bool:
    numbers = (bounds.batch, bounds.before, bounds.last, *bounds.begin, *bounds.end)
    return bool(bounds.id) and isinstance(bounds.id, str) and all(type(one) is int and one >= 0 for one in numbers)


def _add(batch: Batch, group: Group) -> None:
    """Add the items of a group to a batch; one that cannot be read counts as damaged."""
    if not group.is_damaged:
        try:
            batch.items += read_items(group.lines)
            return
        except ValueError:
            pass
    batch.damaged.append(group.lines)
