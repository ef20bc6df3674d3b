"""Many events at once: columns and texts, read ahead in blocks.

An index matches a few thousand events at a time; columns are read cheaper by the ten thousand. So a block is read when
its first event is asked for, and handed out in slices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from watchword.predicates.events.held import Held

BLOCK = 32768


class Blocks:
    """Events that are read ahead, block by block; a slice of them is a `Held`: the atoms and labels of its events."""

    def __init__(self, events: Any, read: Callable[[Any, int], Held], position: int = 0) -> None:
        """Read `events` ahead with `read`; the first of them is at `position`."""
        self._events, self._read, self._position = events, read, position
        self._start, self._held = 0, None
        self._stop = len(events)

    def for_thread(self, stop: int) -> Blocks:
        """Return the same events for another thread, which asks for none from `stop` on."""
        blocks = Blocks(self._events, self._read, self._position)
        blocks._stop = stop
        return blocks

    def __len__(self) -> int:
        return len(self._events)

    def __getitem__(self, part: slice) -> Held:
        """Return the atoms and labels of some events, at most up to the end of their block."""
        start, stop, _ = part.indices(len(self))
        if self._held is None or not self._start <= start < self._start + len(self._held):
            self._start = start
            self._held = self._read(self._events[start : min(start + BLOCK, self._stop)], self._position + start)
        first = start - self._start
        return self._held.part(first, min(stop - self._start, len(self._held)))

    _held: Held | None
