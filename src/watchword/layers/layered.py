"""The life cycle of `auto`, for every language: an immutable packed *base*, a small *delta*, and *tombstones*.

A row that is added goes into the delta, which takes changes in place; a row of the base that is removed gets a
tombstone. When the delta has outgrown a quarter of the base, or a third of the base is dead, both are packed into a new
base: in a thread where that takes long, while matching and changing go on. With room for two rows in the delta::

    base {1 2 3 4}   delta {}         remove 2      tombstones {2}
    base {1 2 3 4}   delta {5 6}      add 5, add 6  the delta is full: base, delta and tombstones are packed in a thread
    base {1 2 3 4}   delta {5 6 7}    add 7, remove 1 while it is packed: 7 came too late for it, and 1 is noted
    base {1 3 4 5 6} delta {7}        the next change finds it done, uses it and adds the removed 1: tombstones {1}

Invariant: the stored rows are the base without the tombstones, and the delta; no payload is in both. The input of a
packing never changes, whatever is added or removed meanwhile.

A packing that fails, for want of memory say, changes nothing: it is logged, and tried again when the delta has grown by
as much again. Only `prepare`, whose caller needs the packed form, raises the error.
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from watchword.arrays import Int32
from watchword.index.structure import Batch, Events, Row, Structure
from watchword.kernels.tombstones import Dead
from watchword.layers.background import Background
from watchword.layers.tombstones import Tombstones

_LOG = logging.getLogger("watchword")

Given = TypeVar("Given", covariant=True)
Asked = TypeVar("Asked", contravariant=True)


class Base(Protocol[Given, Asked]):
    """Immutable packed rows."""

    def __len__(self) -> int: ...

    def has(self, row: Asked, payload: int) -> bool:
        """Return whether this row is in the base with this payload."""

    def rows(self, dead: Dead) -> tuple[Given, Int32]:
        """Return the rows that are not dead, and their payloads."""

    def renumber(self, payloads: Int32) -> None:
        """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``; nothing is dead."""


class Delta(Protocol[Given, Asked]):
    """Rows that came since the base was packed."""

    came: int
    """The number of rows ever added, removed ones included."""

    mark: int
    """A position that grows with every added row."""

    def __len__(self) -> int:
        """Return the number of rows in the delta."""

    def mark_of(self, payload: int) -> int | None:
        """Return the mark before the row with this payload was added; None if it is not in the delta."""

    def remove(self, row: Asked, payload: int) -> None:
        """Remove a row of the delta; raises `KeyError` if its payload belongs to another row."""

    def rows(self, since: int = 0) -> Callable[[], tuple[Given, Int32]]:
        """Return a function that returns the rows added since a mark and still present now.

        It may be called later, in another thread: it returns the rows of this moment.
        """


class Layered(Structure[Batch, Row, Events], Generic[Batch, Row, Events]):
    """A structure of base, delta and tombstones. A subclass packs rows, puts rows into its delta, and matches."""

    delta_rows: ClassVar[int]
    """The rows that the delta takes, in addition to a share of the base."""

    delta_share: ClassVar[int] = 4
    """The delta takes one row for each `delta_share` rows of the base; more where its rows are large."""

    background_rows: ClassVar[int]
    """From this many rows on, packing happens in a thread."""

    base: Any
    delta: Any

    def __init__(self) -> None:
        self.tombstones = Tombstones()
        self._packing: _Packing | None = None
        self._install(self.packer()([]))

    @abstractmethod
    def packer(self) -> Callable[[list[tuple[Batch, Int32]]], Any]:
        """Return a function that packs sets of rows into a base. It may run in another thread, while rows change."""

    @abstractmethod
    def new_delta(self) -> Any:
        """Return a delta without rows."""

    @abstractmethod
    def put(self, rows: Batch, payloads: Int32) -> None:
        """Put rows into the delta."""

    def __len__(self) -> int:
        return len(self.base) - len(self.tombstones) + len(self.delta)

    # changes

    def add(self, rows: Batch, payloads: Int32) -> None:
        """Add a few rows to the delta, also while it is packed; many, and all before them, are packed at once."""
        self._poll()
        if len(payloads) <= self._room() or (self._packing is not None and len(payloads) <= self.delta_rows):
            self.put(rows, payloads)
            if self._room() <= 0:
                self._start()
        else:
            self._forget_packing()
            kept = self.base.rows(self.tombstones.dead), self.delta.rows()()
            self._install(self.packer()([*kept, (rows, payloads)]))

    def remove(self, row: Row, payload: int) -> None:
        """Remove a row from the delta, or give it a tombstone."""
        if self._packing is not None:
            self._poll()
        mark = self.delta.mark_of(payload)
        if mark is not None:
            self.delta.remove(row, payload)
        elif payload >= 0 and payload not in self.tombstones and self.base.has(row, payload):
            self.tombstones.add(payload)
        else:
            raise KeyError(payload)
        self._note_removed(payload, -1 if mark is None else mark)

    def prepare(self) -> None:
        """Pack everything, but leave it aside."""
        if self._packing is not None and self._packing.is_over(wait=True):
            self._packing = None if self._packing.error or self._packing.removed else self._packing
        packing = self._packing
        if packing is not None and packing.mark == self.delta.mark:
            return
        if self.delta.came or len(self.tombstones) or self.is_stale():
            self._packing = _Packing(self, aside=False)
            self._packing.result()

    def condense(self) -> None:
        """Make sure that everything is in the base."""
        self.prepare()
        self._poll()

    def is_stale(self) -> bool:
        """Return whether packing again would make a better base."""
        return False

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place once everything is packed."""
        self.condense()
        self.base.renumber(payloads)

    # private parts, in the order in which a row passes through them

    def _note_removed(self, payload: int, mark: int) -> None:
        """Register the removal of a row: from the delta, at its mark, or, with -1, from the base."""
        if self._packing is not None and mark < self._packing.mark:
            self._packing.removed.append(payload)
        if mark < 0 and len(self.tombstones) > self.delta_rows + len(self.base) // 3:
            self._start()

    def _room(self) -> int:
        """Return the number of rows that the delta takes before it is packed; removed rows count until then."""
        return self._limit - int(self.delta.came)

    def _start(self) -> None:
        """Begin to pack base and delta into a new base; waits if that is short, or overdue."""
        is_short = len(self) < self.background_rows
        if self._packing is None:
            self._packing = _Packing(self, aside=not is_short)
        if is_short or self._room() < -(len(self.base) // self.delta_share):
            self._poll(wait=True)

    def _poll(self, wait: bool = False) -> None:
        """Replace the base by one whose packing has ended."""
        packing = self._packing
        if packing is None or not packing.is_over(wait):
            return
        self._packing = None
        if packing.error is not None:
            self._limit += int(self.delta.came)
            _LOG.warning("packing %d rows failed, it will be tried again: %r", len(self), packing.error)
            return
        later = self.delta.rows(packing.mark)()
        self._install(packing.result())
        for payload in packing.removed:
            self.tombstones.add(payload)
        self.put(*later)

    def _forget_packing(self) -> None:
        """Drop a packing whose result is obsolete, after waiting for its end so that its memory is freed."""
        if self._packing is not None:
            self._packing.is_over(wait=True)
            self._packing = None

    def _install(self, base: Any) -> None:
        self.base = base
        self.tombstones = Tombstones()
        self.delta = self.new_delta()
        self._limit = self.delta_rows + len(base) // self.delta_share


class _Packing(Background[Any]):
    """One packing under way; its input never changes.

    It packs the delta up to `mark`; `removed` collects the payloads of its input that were removed since.
    """

    def __init__(self, owner: Layered[Any, Any, Any], *, aside: bool) -> None:
        self.mark = owner.delta.mark
        self.removed: list[int] = []
        base, dead, added, pack = owner.base, owner.tombstones.copy_bitmaps(), owner.delta.rows(), owner.packer()
        super().__init__(lambda: pack([base.rows(dead), added()]), "watchword-packing", aside=aside)
