"""Fetched items on disk, numbered by fetch, so that the items of a number can be read again exactly.

Layout of the folder:

- ``00000001.jsonl``, ``00000002.jsonl``, ...: one file a fetch that brought something new. Its first line says how many
  items follow, one a line, and the states of their feeds after this fetch. Written aside, synced, then renamed.
- ``state.json``: the states of all feeds as of a number, written before files up to that number are removed.
- ``status.json``: the result of each feed's last fetch, for people.
- ``backoff.json``: the number of failures of each failing feed, and the time of its next fetch. A crash may leave it
  one fetch behind; without it all feeds are asked again.
- ``lock``: held by the process that writes.

Invariant: items and the state that says they were seen become durable in one rename. A crash at any moment leaves both
or neither, so an item is in exactly one file. A spool's state is that of ``state.json`` and then, file by file, of the
rest.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from watchword.errors import FeedError
from watchword.feeds.fetching import Round
from watchword.feeds.items import FeedItem
from watchword.feeds.state import FeedState, State, dump_state, feed_state, load_state
from watchword.files import locked, parse_json, sync_folder

_NAME = re.compile(r"(\d{8,18})\.jsonl")
_BACKOFF = ("failures", "wait_until", "gone")


class Spool:
    """A folder of fetched items; one process at a time may write.

    `patience` is how many seconds to wait for the lock: a process of a stream that was just killed may still be in the
    middle of a fetch.
    """

    def __init__(self, folder: str | Path, *, patience: float = 60.0) -> None:
        self.folder = Path(folder)
        self._patience = patience
        self._lock: ExitStack | None = None
        self.state: dict[str, FeedState] = {}
        """What has been seen; loaded by `open`."""

    # Writing

    def open(self) -> Spool:
        """Make the folder, take the lock, load the state, and remove files that a crash left half-written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._take_lock()
        except OSError as error:
            raise FeedError(f"cannot be used as a spool: {error.strerror or error}", source=self.folder) from error
        for leftover in self.folder.glob("*.tmp"):
            leftover.unlink(missing_ok=True)
        number, self.state = self._saved_state()
        for later in self.numbers():
            if later > number:
                self.state.update(self._header(later)[1])
        self._load_backoff()
        return self

    def close(self) -> None:
        """Give the lock back."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def append(self, round: Round, *, after: int = 0, interval: float | None = None) -> int | None:
        """Write the items of a fetch and return its number, greater than `after`; None if it has no new item.

        `interval` is the seconds until feeds are asked again; the status shows it for feeds that do not wait longer.
        """
        items = round.items
        self._write_status(round, interval)
        if not items:
            self._take_over(round)
            return None
        number = max(self.last(), after) + 1
        changed = {result.source: result.state for result in round.results if result.items}
        lines = [json.dumps({"items": len(items), "state": json.loads(dump_state(changed))})]
        lines += [json.dumps(item.to_json(), ensure_ascii=False) for item in items]
        self._publish(f"{number:08d}.jsonl", "\n".join(lines) + "\n")
        self._take_over(round)  # only now: an item that could not be kept was not seen
        return number

    def remove_through(self, number: int) -> None:
        """Remove the files up to `number`, except the last one; their items stay in the state as seen."""
        last = self.last()
        old = [one for one in self.numbers() if one <= min(number, last - 1)]
        if not old:
            return
        self._publish("state.json", json.dumps({"number": last, "state": json.loads(dump_state(self.state))}))
        for one in old:
            self._path(one).unlink(missing_ok=True)

    # Reading

    def numbers(self) -> list[int]:
        """Return the numbers of the files, ascending."""
        if not self.folder.is_dir():
            return []
        names = [_NAME.fullmatch(file.name) for file in self.folder.iterdir()]
        return sorted(int(name[1]) for name in names if name)

    def last(self) -> int:
        """Return the number of the last fetch with new items, 0 before the first."""
        return max(self.numbers(), default=0)

    def read(self, number: int) -> Iterator[FeedItem]:
        """Read the items of one file."""
        count, _ = self._header(number)
        try:
            with self._path(number).open(encoding="utf-8") as file:
                next(file)
                for line in file:
                    yield FeedItem.from_json(parse_json(line))
                    count -= 1
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            raise self._damage(number, error) from error
        if count:
            raise self._damage(number, "it is cut off")

    def between(self, start: int, end: int) -> Iterator[FeedItem]:
        """Read the items of the files after `start` up to `end`; a missing file is an error."""
        for number in range(start + 1, end + 1):
            if not self._path(number).exists():
                raise FeedError(
                    f"file {number:08d}.jsonl of the spool is gone, and the stream asks for it: "
                    "restore the folder, or start with a new checkpoint and a new spool",
                    source=self.folder,
                )
            yield from self.read(number)

    def status(self) -> dict[str, Any]:
        """Return the result of each feed's last fetch."""
        try:
            status = parse_json((self.folder / "status.json").read_bytes())
        except (OSError, ValueError):
            return {}
        return status if isinstance(status, dict) else {}

    # Parts

    def _take_lock(self) -> None:
        if self._lock is not None:
            return
        lock = ExitStack()
        try:
            lock.enter_context(locked(self.folder / "lock", patience=self._patience))
        except TimeoutError as error:
            raise FeedError(
                f"another stream is using this spool ({error}): give each stream its own", source=self.folder
            ) from None
        self._lock = lock

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:08d}.jsonl"

    def _saved_state(self) -> tuple[int, dict[str, FeedState]]:
        path = self.folder / "state.json"
        if not path.exists():
            return 0, {}
        try:
            saved = parse_json(path.read_bytes())
            return _check_integer(saved["number"]), load_state(json.dumps(saved["state"]), path)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FeedError(f"damaged ({error}): restore it, or use a new spool", source=path) from error

    def _header(self, number: int) -> tuple[int, State]:
        path = self._path(number)
        try:
            with path.open(encoding="utf-8") as file:
                header = parse_json(file.readline())
            return _check_integer(header["items"]), load_state(json.dumps(header["state"]), path)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._damage(number, error) from error

    def _damage(self, number: int, error: object) -> FeedError:
        return FeedError(f"damaged ({error}): restore it, or use a new spool", source=self._path(number))

    def _take_over(self, round: Round) -> None:
        before, self.state = self.state, dict(round.state)
        if _failures(before) != _failures(self.state):
            self._publish("backoff.json", json.dumps(_failures(self.state), ensure_ascii=False), durable=False)

    def _load_backoff(self) -> None:
        """Set every feed's failures from the file; a feed that it does not name has none."""
        try:
            saved = parse_json((self.folder / "backoff.json").read_bytes())
            failing = {source: feed_state({"seen": (), **one}) for source, one in saved.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            failing = {}
        for source in [*self.state, *failing]:
            told = failing.get(source, FeedState())
            waits = {name: getattr(told, name) for name in _BACKOFF}
            self.state[source] = replace(self.state.get(source, FeedState()), **waits)

    def _write_status(self, round: Round, interval: float | None) -> None:
        began = time.time()
        usual = None if interval is None else began + interval
        now, known = _time(began), self.status()
        status = {source: known[source] for source in round.waiting if source in known}
        status |= {
            result.source: {
                "at": now,
                "new": len(result.items),
                "error": None if result.error is None else result.error.reason,
                "problems": list(result.feed.problems) if result.feed else [],
                "failures": result.state.failures,
                "items": _item_count(known.get(result.source)) + len(result.items),
                "next": _time(following) if (following := result.state.wait_until or usual) else None,
                "gone": result.state.gone,
            }
            for result in round.results
        }
        self._publish("status.json", json.dumps(status, indent=1, ensure_ascii=False), durable=False)

    def _publish(self, name: str, text: str, *, durable: bool = True) -> None:
        temporary = self.folder / f"{name}.tmp"
        try:
            with temporary.open("wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            temporary.replace(self.folder / name)
            if durable:
                sync_folder(self.folder)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            reason = f"cannot be written: {error.strerror or error}; nothing of this fetch is lost, it is asked again"
            raise FeedError(reason, source=self.folder / name) from error


def _item_count(status: object) -> int:
    """Return the number of items that a feed gave before."""
    count = status.get("items") if isinstance(status, dict) else 0
    return count if type(count) is int else 0


def _check_integer(number: object) -> int:
    if type(number) is not int:
        raise TypeError(f"{number!r} is no number")
    return number


def _failures(state: State) -> dict[str, dict[str, Any]]:
    """Return the failures in a state, by source."""
    return {source: {name: getattr(one, name) for name in _BACKOFF} for source, one in state.items() if one.failures}


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
