"""The production index (`auto`) over sets: rows under their rarest atom, in layers.

`layers.layered` has the life cycle; here is what a base and a delta are. `kernels.sets.packed` has the layout of the
base with an example, `kernels.sets.delta` that of the delta.

How rare an atom is, is observed: `Counts.rows` in subscriptions, `Counts.items` in the events matched so far, which
soon outweigh the former (`PRIOR` events' worth). Keys are chosen by it when rows are added or packed. With 1,000 events
seen, 5 with "greece" and 50 with "crisis", ``greece AND crisis`` lies under greece.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np

from watchword.arrays import Arrays, Int32, Int64, reserve, resized
from watchword.errors import WatchwordError
from watchword.index.hits import Hits, collect
from watchword.kernels.handles import Handles
from watchword.kernels.sets import delta as delta_kernels
from watchword.kernels.sets import packed as kernels
from watchword.kernels.sets import packing as packing_kernels
from watchword.kernels.sets.delta import Counts
from watchword.kernels.sets.packed import Packed
from watchword.kernels.tally import tally
from watchword.kernels.tombstones import FIRST_CLAUSE, Dead
from watchword.layers.layered import Layered
from watchword.sets.rows import Rows, joined, written
from watchword.sets.structure import SetStructure

PRIOR = 1000.0
"""How many observed events weigh as much as what the subscriptions themselves say about an atom."""

OBSERVED = 1 << 20
"""Events after which the counts are left as they are, until the next packing halves them."""

LEARNED = 4096
"""Events after which a base that was packed without any is packed again for a snapshot."""

BROAD, BROAD_SHARE = 16, 512
"""How many rows more a broad atom counts for, and that one row in 512 is another: it holds in more events than its own
rows let one expect."""

_NO_COUNTS = Counts(np.empty(0, np.int32), np.empty(0, np.int32))


class RowBase:
    """An immutable packed set of rows."""

    def __init__(self, packed: Packed, count: int) -> None:
        self.packed = packed
        self.count = count

    def __len__(self) -> int:
        return self.count

    def has(self, row: Int32, payload: int) -> bool:
        """Return whether this row is here under this payload."""
        return bool(kernels.has_row(self.packed, row, payload))

    def rows(self, dead: Dead) -> tuple[Rows, Int32]:
        """Return the rows that are not dead, and their payloads."""
        return written(partial(packing_kernels.unpack, self.packed, dead))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        packing_kernels.renumber(self.packed, payloads)

    @property
    def keys(self) -> int:
        """Return the number of atoms that are a key."""
        return int(np.count_nonzero(np.diff(self.packed.starts)))


class RowDelta:
    """Rows added since the base was packed. `records` has the pool position of each payload's record.

    Matching looks up the head of every atom of an event, so heads are made only with the first row.
    """

    def __init__(self) -> None:
        self.lists = delta_kernels.Delta(np.empty(0, np.int32), np.empty(64, np.int32))
        self.mark = 0
        self.came = 0
        self.records: dict[int, int] = {}
        self.change_state: Any = None
        """Kernel handles cached by `keywords.OneChange`; dropped when an array is reallocated."""

    def __len__(self) -> int:
        return len(self.records)

    @property
    def bytes(self) -> int:
        """Return the bytes in use."""
        return 4 * (self.mark + len(self.lists.heads)) if self.mark else 0

    def reserve(self, atoms: int, words: int) -> None:
        """Make room for atom numbers below `atoms`, and for `words` more in the pool."""
        heads, pool = self.lists
        self.change_state = None
        self.lists = delta_kernels.Delta(reserve(heads, atoms, -1), reserve(pool, self.mark + words))

    def mark_of(self, payload: int) -> int | None:
        """Return the pool position of a payload's record, or None."""
        return self.records.get(payload)

    def remove(self, row: Int32, payload: int) -> None:
        """Remove a row of this delta; raises `KeyError` if its payload belongs to another row."""
        record = self.records[payload]
        if not delta_kernels.has_atoms(self.lists.pool, record, row):
            raise KeyError(payload)
        del self.records[payload]
        self.lists.pool[record + 1] = -1

    def rows(self, since: int = 0) -> Callable[[], tuple[Rows, Int32]]:
        """Return what returns the rows that have come since a mark and are here now."""
        lists = delta_kernels.Delta(self.lists.heads.copy(), self.lists.pool[: self.mark].copy())
        return partial(written, partial(delta_kernels.live_rows, lists, since, self.mark))


class PackedRows(Layered[Rows, Int32, Rows], SetStructure):
    """Rows under their rarest atom, in one arena."""

    operation = "groups read"
    reads_repeats: ClassVar[bool] = True
    has_quorums: ClassVar[bool] = True
    delta_rows: ClassVar[int] = 1024
    background_rows: ClassVar[int] = 200_000

    base: RowBase
    delta: RowDelta

    def __init__(self) -> None:
        self.counts = Counts(np.zeros(16, np.int32), np.zeros(16, np.int32))
        self.items = 0
        self._items_known = 0  # when the base was packed
        self._hits_per_item = 16
        self.broad: Callable[[], Int32] = _no_atoms
        """Returns the atoms that are broad: ``ferr*`` stands in one row, and its words in many events."""
        super().__init__()

    # what `Layered` asks for

    def packer(self) -> Callable[[list[tuple[Rows, Int32]]], RowBase]:
        """Return what packs rows by the counts of now."""
        return partial(_pack, Counts(self.counts.rows.copy(), self.counts.items.copy()), self.broad().copy())

    def new_delta(self) -> RowDelta:
        """Return an empty delta."""
        return RowDelta()

    def _install(self, base: RowBase) -> None:
        super()._install(base)
        self._handles = Handles(*kernels.STATE_KINDS)  # which lets the arrays before go
        if self.items >= OBSERVED:
            np.floor_divide(self.counts.items, 2, out=self.counts.items)
            self.items //= 2
        self._items_known = self.items

    def add(self, rows: Rows, payloads: Int32) -> None:
        """Add rows, and count their atoms."""
        if len(rows):
            self._know(int(rows.atoms.max()) + 1)
            tally(self.counts.rows, rows.atoms, 1)
            super().add(rows, payloads)

    def note_broad(self, atoms: Int32) -> None:
        """Let atoms that are broad count for some rows more, so that rows in the delta lie under others."""
        self._know(int(atoms.max()) + 1)
        self.counts.rows[atoms] += BROAD

    def put(self, rows: Rows, payloads: Int32) -> None:
        """Put rows, whose atoms are counted, into the delta."""
        if len(rows) == 0:
            return
        delta = self.delta
        delta.reserve(len(self.counts.rows), len(rows.atoms) + 3 * len(rows))
        records = np.empty(len(rows), np.int64)
        share = PRIOR / (len(self) + len(rows))
        delta.mark = delta_kernels.add_records(*rows, payloads, self.counts, share, delta.lists, delta.mark, records)
        delta.records.update(zip(payloads.tolist(), records.tolist(), strict=True))
        delta.came += len(rows)

    def is_stale(self) -> bool:
        """Return whether much was learned from events since the base was packed."""
        return self.items > LEARNED + 2 * self._items_known

    # one at a time

    def add_one(self, atoms: Int32, payload: int) -> None:
        """Add one row to the delta, without an array that a batch would need."""
        share, record = self.next_row()
        delta = self.delta
        mark = -1
        while mark < 0:
            counts, lists = tuple(self.counts), tuple(delta.lists)
            mark = delta_kernels.count_and_add(atoms, payload, counts, share, lists, record)
            if mark < 0:
                self._know(int(atoms.max()) + 1)
                delta.reserve(len(self.counts.rows), len(atoms) + 3)
        self.note_added(payload, record, mark)

    def next_row(self) -> tuple[float, int]:
        """Return the weight of row counts (`share`) and the pool position of the next record."""
        if self._packing is not None:
            self._poll()
        delta = self.delta
        return PRIOR / (self.base.count + delta.came + 1), delta.mark

    def note_added(self, payload: int, record: int, mark: int) -> None:
        """Register a row that a kernel has counted and put into the delta, which now ends at `mark`."""
        delta = self.delta
        delta.mark = mark
        delta.records[payload] = record
        delta.came += 1
        if delta.came >= self._limit:
            self._start()

    def remove(self, row: Int32, payload: int) -> None:
        """Remove a row, and subtract its atoms from the counts."""
        super().remove(row, payload)
        counts = self.counts.rows
        for atom in row.tolist():
            counts[atom] -= 1

    def record_of(self, payload: int) -> int | None:
        """Return the pool position of a payload's record; -1 if it may be in the base, None if it has a tombstone."""
        if self._packing is not None:
            self._poll()
        record = self.delta.records.get(payload)
        if record is None:
            return None if payload in self.tombstones else -1
        return record

    def note_removed(self, payload: int, record: int) -> None:
        """Register the removal of a row by a kernel: from its record in the delta, or, with -1, from the base."""
        if record >= 0:
            del self.delta.records[payload]
        else:
            self.tombstones.add(payload)
        self._note_removed(payload, record)

    # matching

    def match(self, events: Rows) -> Hits:
        """Read the blocks of each event's atoms, and the lists of the delta."""
        if not len(self):
            return Hits(np.zeros(len(events) + 1, np.int64), np.empty(0, np.int32), 0)
        step: Any = partial(kernels.match, events.offsets, events.atoms, self.state())
        hits = collect(len(events), step, self._hits_per_item)
        self.count_events(len(events))
        if len(events) > 256:
            self._hits_per_item = len(hits.payloads) // len(events) + 16
        return hits

    def state(self) -> Int64:
        """Return the handles for `kernels.match`, valid until the next change."""
        counts = self.counts if self.items < OBSERVED else _NO_COUNTS
        return self._handles.of(self.base.packed, self.delta.lists, self.tombstones.dead, counts)

    def count_events(self, events: int) -> None:
        """Add to the number of matched events, whose atoms `kernels.match` has counted."""
        if self.items < OBSERVED:
            self.items += events

    # figures, snapshots

    def stats(self) -> Mapping[str, float]:
        """Return rows as ``postings``; ``keys``, rows in the ``delta``, ``tombstones`` and ``bytes``."""
        return {
            "postings": len(self),
            "keys": self.base.keys,
            "delta": len(self.delta),
            "tombstones": len(self.tombstones),
            "bytes": sum(array.nbytes for array in self._base_arrays().values()) + self.delta.bytes,
        }

    def draw(self, name: Callable[[int], str] = str) -> str:
        """Return an indented drawing: a line per key, below it its groups, with the rows in each.

        The rows of the delta follow, a line each.
        """
        rows, payloads = self.base.rows(self.tombstones.dead)
        lines: list[str] = []
        above: tuple[int, ...] = ()
        for row, payload in enumerate(payloads.tolist()):
            atoms = rows.atoms[rows.offsets[row] : rows.offsets[row + 1]].tolist()
            path = tuple(atoms[:2])
            fresh = [depth for depth in range(len(path)) if path[: depth + 1] != above[: depth + 1]]
            lines += ["  " * depth + name(path[depth]) for depth in fresh]
            rest = "".join(f"{name(atom)} " for atom in atoms[2:])
            lines[-1] += f" [{rest}{_owner(payload)}]"
            above = path
        later, numbers = self.delta.rows()()
        for row, payload in enumerate(numbers.tolist()):
            atoms = later.atoms[later.offsets[row] : later.offsets[row + 1]].tolist()
            lines.append(f"not packed yet: {' '.join(map(name, atoms))} [{_owner(payload)}]")
        return "\n".join(lines)

    def arrays(self) -> Arrays:
        """Return the arrays of the base, with everything packed into it, and of the counts."""
        counts = np.array([len(self.base), self.items], np.int64)
        return self._base_arrays() | {"counts": counts}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        count, self.items = (int(value) for value in arrays["counts"])
        self.counts = Counts(arrays["row_counts"], arrays["item_counts"])
        super()._install(RowBase(Packed(arrays["starts"], arrays["arena"]), count))
        self._handles = Handles(*kernels.STATE_KINDS)
        self._items_known = self.items

    def _base_arrays(self) -> Arrays:
        atoms = len(self.base.packed.starts) - 1
        rows, items = (reserve(counts, atoms, 0)[:atoms] for counts in self.counts)
        # Matching goes on while a snapshot is written, and counts.
        return {**self.base.packed._asdict(), "row_counts": rows, "item_counts": items.copy()}

    def _know(self, atoms: int) -> None:
        if atoms > len(self.counts.rows) or atoms > len(self.counts.items):
            rows = reserve(self.counts.rows, atoms, 0)
            self.counts = Counts(rows, reserve(self.counts.items, len(rows), 0))


def _no_atoms() -> Int32:
    return np.empty(0, np.int32)


def _pack(counts: Counts, broad: Int32, parts: list[tuple[Rows, Int32]]) -> RowBase:
    """Return the packed form of some rows; `counts` are this packing's own."""
    if not any(len(payloads) for _, payloads in parts):
        return RowBase(Packed(np.zeros(1, np.int32), np.empty(0, np.int32)), 0)
    (offsets, given), payloads = joined(parts)
    counts.rows[broad[broad < len(counts.rows)]] += len(payloads) // BROAD_SHARE
    atoms = np.empty_like(given)
    packing_kernels.sort_rows(offsets, given, counts, PRIOR, atoms)
    width = len(counts.rows) + 1
    order = np.arange(len(payloads), dtype=np.int32)
    for rank in (1, 0):
        order = packing_kernels.sort_by(packing_kernels.row_keys(offsets, atoms, rank, width), order, width)
    rows = np.empty_like(offsets), np.empty_like(atoms)
    owners = np.empty_like(payloads)
    packing_kernels.take_rows(offsets, atoms, payloads, order, *rows, owners)
    starts = np.zeros(width, np.int32)
    words = packing_kernels.measure(*rows, starts)
    if words > np.iinfo(np.int32).max:
        raise WatchwordError(f"{len(payloads)} subscriptions are more than one index holds; use several")
    arena = np.empty(words, np.int32)
    packing_kernels.pack(*rows, owners, arena)
    return RowBase(Packed(resized(starts, width), arena), len(payloads))


def _owner(payload: int) -> str:
    """Return the label of a payload in drawings: a slot, or a clause number."""
    return str(payload) if payload < FIRST_CLAUSE else f"clause {payload - FIRST_CLAUSE}"
