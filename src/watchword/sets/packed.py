"""The production index (`auto`): a packed base, a small delta, tombstones.

The base is immutable and laid out by `kernels.sets.packed`: a row under the term that items are least likely to
have, grouped by the next. Rows added since wait in the delta, linked lists under their rarest term; a row of
the base that was removed is a bit in a bitmap, looked at only where something matched. When the delta has
outgrown a quarter of the base, both are packed anew: in a thread, while matching and changes go on, unless the
whole is small.

How rare a term is, is observed: `row_counts` in subscriptions, `item_counts` in the items matched so far, which
soon outweighs the former (`PRIOR` items' worth). Keys are chosen by it when rows are added or packed.

Goes beyond the thesis, whose section 5.1.2 mentions keying on one term (after Yan and Garcia-Molina) without
building it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from watchword.arrays import Arrays, Int32, Int64, reserve, resized, tally
from watchword.errors import WatchwordError
from watchword.index.hits import Hits, collect
from watchword.kernels.sets import delta as delta_kernels
from watchword.kernels.sets import packed as kernels
from watchword.kernels.sets import packing as packing_kernels
from watchword.layers.background import Background
from watchword.sets.structure import Rows, Structure

PRIOR = 1000.0
"""How many observed items weigh as much as what the subscriptions themselves say about a term."""

OBSERVED = 1 << 20
"""Items after which the counts are left as they are, until the next packing halves them."""

LEARNED = 4096
"""Items after which it is worth while to pack a base for a snapshot anew, if it knew of none."""

HIGH = 1 << 30
"""Payloads from here on have a bitmap of tombstones of their own."""

Bits = npt.NDArray[np.uint8]
_NO_BITS: Bits = np.empty(0, np.uint8)
_NO_COUNTS = np.empty(0, np.int32)


class Base(NamedTuple):
    """An immutable packed set of rows."""

    starts: Int32
    arena: Int32
    rows: int


class Delta:
    """Rows added since the base was packed. `records` says where a payload's record lies in `pool`."""

    def __init__(self, terms: int) -> None:
        self.heads = np.full(max(terms, 16), -1, np.int32)
        self.pool = np.empty(64, np.int32)
        self.fill = 0
        self.count = 0  # of records, those of removed rows included
        self.records: dict[int, int] = {}

    def room(self, terms: int, words: int) -> None:
        """Make room for term numbers below `terms`, and for `words` more in the pool."""
        self.heads = reserve(self.heads, terms, -1)
        self.pool = reserve(self.pool, self.fill + words)

    def rows(self, begin: int, end: int) -> tuple[Rows, Int32]:
        """Return the live rows whose records lie in ``pool[begin:end]``."""
        return _written(delta_kernels.live_rows, self.heads, self.pool, begin, end)


class Packed(Structure):
    """Rows under their rarest term, in one arena."""

    operation = "groups read"
    reads_repeats = True

    background_rows = 200_000
    """From this many rows on, packing happens in a thread."""

    def __init__(self) -> None:
        self.base = Base(np.zeros(1, np.int32), np.empty(0, np.int32), 0)
        self.dead = self.dead_high = _NO_BITS
        self.buried = 0
        self.delta = Delta(0)
        self.row_counts = np.zeros(16, np.int32)
        self.item_counts = np.zeros(16, np.int32)
        self.items = 0
        self._items_known = 0  # when the base was packed
        self._hits_per_item = 16
        self._packing: _Packing | None = None

    def __len__(self) -> int:
        return self.base.rows - self.buried + len(self.delta.records)

    # changes

    def load(self, rows: Rows, payloads: Int32) -> None:
        self._poll()
        if len(rows) <= self._delta_room():
            self._delta_add(rows, payloads)
            return
        self.merge()
        self._know(int(rows.terms.max(initial=-1)) + 1)
        tally(self.row_counts, rows.terms, 1)
        parts = [(rows, payloads)]
        if self.base.rows:
            parts.insert(0, self._base_rows())
        self._install(_pack(_joined(parts), self.row_counts, self.item_counts))

    def add(self, terms: Int32, payload: int) -> None:
        self._poll()
        delta = self.delta
        record, share = delta.fill, PRIOR / (len(self) + 1)
        fill = -1
        while fill < 0:
            counts = self.row_counts, self.item_counts
            fill = delta_kernels.add_record(terms, payload, *counts, share, delta.heads, delta.pool, record)
            if fill < 0:
                self._know(int(terms.max()) + 1)
                delta.room(len(self.row_counts), len(terms) + 3)
        delta.fill = fill
        delta.records[payload] = record
        delta.count += 1
        if self._delta_room() <= 0:
            self._start()

    def remove(self, terms: Int32, payload: int) -> None:
        self._poll()
        record = self.delta.records.get(payload)
        if record is not None and delta_kernels.has_terms(self.delta.pool, record, terms):
            del self.delta.records[payload]
            self.delta.pool[record + 1] = -1
        elif record is not None or not self._in_base(terms, payload):
            raise KeyError(payload)
        else:
            self._bury(payload)
        if self._packing is not None and (record is None or record < self._packing.fill):
            self._packing.removed.append(payload)
        tally(self.row_counts, terms, -1)
        if self.buried > 4096 + self.base.rows // 2:
            self._start()

    def renumber(self, payloads: Int32) -> None:
        self.merge()
        rows, old = self._base_rows()
        low = old < len(payloads)
        old[low] = payloads[old[low]]
        self._install(_pack((rows, old), self.row_counts, self.item_counts))

    def merge(self) -> None:
        """Pack everything into the base now, also if much was learned from items since it was packed."""
        self._poll(wait=True)
        if self.delta.fill or self.buried or self.items > LEARNED + 2 * self._items_known:
            self._start(wait=True)

    # matching

    def match(self, items: Rows) -> Hits:
        learn = self.items < OBSERVED
        counts = self.item_counts if learn else _NO_COUNTS
        base, delta = self.base, self.delta

        def step(first: int, used: int, ends: Int64, payloads: Int32) -> tuple[int, int, int]:
            return kernels.match(  # type: ignore[no-any-return]
                first,
                used,
                items.offsets,
                items.terms,
                base.starts,
                base.arena,
                self.dead,
                self.dead_high,
                HIGH,
                delta.heads,
                delta.pool,
                counts,
                ends,
                payloads,
            )

        hits = collect(len(items), step, self._hits_per_item)
        if learn:
            self.items += len(items)
        if len(items) > 256:
            self._hits_per_item = len(hits.payloads) // len(items) + 16
        return hits

    # figures, snapshots

    def stats(self) -> Mapping[str, float]:
        keys = int(np.count_nonzero(np.diff(self.base.starts)))
        return {
            "postings": len(self),
            "keys": keys,
            "delta": len(self.delta.records),
            "tombstones": self.buried,
            "bytes": sum(array.nbytes for array in self._base_arrays().values())
            + (4 * (self.delta.fill + len(self.delta.heads)) if self.delta.fill else 0),
        }

    def arrays(self) -> Arrays:
        self.merge()
        return self._base_arrays() | {"counts": np.array([self.base.rows, self.items], np.int64)}

    @classmethod
    def from_arrays(cls, arrays: Arrays, **options: Any) -> Self:
        self = cls(**options)
        rows, self.items = (int(count) for count in arrays["counts"])
        self._items_known = self.items
        self.base = Base(arrays["starts"], arrays["arena"], rows)
        self.row_counts, self.item_counts = arrays["row_counts"], arrays["item_counts"]
        return self

    def _base_arrays(self) -> Arrays:
        terms = len(self.base.starts) - 1
        self._know(terms)
        return {
            "starts": self.base.starts,
            "arena": self.base.arena,
            "row_counts": self.row_counts[:terms],
            "item_counts": self.item_counts[:terms],
        }

    # private parts, in the order in which a row passes through them

    def _know(self, terms: int) -> None:
        self.row_counts = reserve(self.row_counts, terms, 0)
        self.item_counts = reserve(self.item_counts, len(self.row_counts), 0)

    def _delta_room(self) -> int:
        """Return how many more rows the delta takes before it is packed; removed ones count until then."""
        return 4096 + self.base.rows // 4 - self.delta.count

    def _delta_add(self, rows: Rows, payloads: Int32) -> None:
        if len(rows) == 0:
            return
        self._know(int(rows.terms.max()) + 1)
        delta = self.delta
        delta.room(len(self.row_counts), len(rows.terms) + 3 * len(rows))
        records = np.empty(len(rows), np.int64)
        share = PRIOR / (len(self) + len(rows))
        counts = self.row_counts, self.item_counts
        delta.fill = delta_kernels.add_records(
            *rows, payloads, *counts, share, delta.heads, delta.pool, delta.fill, records
        )
        delta.records.update(zip(payloads.tolist(), records.tolist(), strict=True))
        delta.count += len(rows)

    def _in_base(self, terms: Int32, payload: int) -> bool:
        bits, at = (self.dead_high, payload - HIGH) if payload >= HIGH else (self.dead, payload)
        if at >> 3 < len(bits) and bits[at >> 3] >> (at & 7) & 1:
            return False
        return bool(kernels.base_has(self.base.starts, self.base.arena, terms, payload))

    def _bury(self, payload: int) -> None:
        """Set the tombstone of a row of the base, which has none."""
        if payload >= HIGH:
            at = payload - HIGH
            bits = self.dead_high = reserve(self.dead_high, (at >> 3) + 1, 0)
        else:
            at = payload
            bits = self.dead = reserve(self.dead, (at >> 3) + 1, 0)
        bits[at >> 3] |= 1 << (at & 7)
        self.buried += 1

    def _start(self, wait: bool = False) -> None:
        """Begin to pack base and delta anew."""
        if self._packing is None:
            self._packing = _Packing(self)
        if wait or len(self) < self.background_rows or self._delta_room() < -(self.base.rows // 4):
            self._poll(wait=True)

    def _poll(self, wait: bool = False) -> None:
        """Take over a base that has been packed meanwhile."""
        packing = self._packing
        if packing is None or not packing.is_over(wait):
            return
        self._packing = None  # also after an error: base and delta are as they were
        base = packing.result()
        later, payloads = self.delta.rows(packing.fill, self.delta.fill)
        tally(self.row_counts, later.terms, -1)  # they are counted again as they are added again
        self._install(base)
        for payload in packing.removed:
            self._bury(payload)
        self._delta_add(later, payloads)

    def _install(self, base: Base) -> None:
        self.base = base
        self.dead = self.dead_high = _NO_BITS
        self.buried = 0
        self.delta = Delta(len(base.starts) - 1)
        if self.items >= OBSERVED:
            self.item_counts //= 2
            self.items //= 2
        self._items_known = self.items

    def _base_rows(self) -> tuple[Rows, Int32]:
        return _written(packing_kernels.unpack, self.base.starts, self.base.arena, self.dead, self.dead_high, HIGH)


class _Packing(Background[Base]):
    """One packing under way: what it was given stays as it was, whatever changes meanwhile.

    `removed` collects the payloads that were taken away since and lie in what is being packed.
    """

    def __init__(self, structure: Packed) -> None:
        self.fill = structure.delta.fill
        self.removed: list[int] = []
        base = structure.base
        dead, dead_high = structure.dead.copy(), structure.dead_high.copy()
        heads, pool = structure.delta.heads.copy(), structure.delta.pool[: self.fill].copy()
        counts = structure.row_counts.copy(), structure.item_counts.copy()

        def work() -> Base:
            kept = _written(packing_kernels.unpack, base.starts, base.arena, dead, dead_high, HIGH)
            added = _written(delta_kernels.live_rows, heads, pool, 0, len(pool))
            return _pack(_joined([kept, added]), *counts)

        super().__init__(work, "watchword-packing")


def _written(kernel: Any, *state: Any) -> tuple[Rows, Int32]:
    """Run a kernel that counts its rows and terms first, then writes them."""
    rows, terms = kernel(*state, np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.int32))
    offsets = np.zeros(rows + 1, np.int64)
    result = np.empty(terms, np.int32)
    payloads = np.empty(rows, np.int32)
    kernel(*state, offsets, result, payloads)
    return Rows(offsets, result), payloads


def _joined(parts: list[tuple[Rows, Int32]]) -> tuple[Rows, Int32]:
    """Return several sets of rows as one."""
    if len(parts) == 1:
        rows, payloads = parts[0]
        return Rows(rows.offsets, rows.terms.copy()), payloads
    offsets = [np.zeros(1, np.int64)]
    before = 0
    for rows, _ in parts:
        offsets.append(rows.offsets[1:] + before)
        before += len(rows.terms)
    terms = np.concatenate([rows.terms for rows, _ in parts])
    return Rows(np.concatenate(offsets), terms), np.concatenate([payloads for _, payloads in parts])


def _pack(given: tuple[Rows, Int32], row_counts: Int32, item_counts: Int32) -> Base:
    """Return the packed form of some rows, whose terms are put into order in place."""
    (offsets, terms), payloads = given
    count = len(payloads)
    packing_kernels.sort_rows(offsets, terms, row_counts, count, item_counts, PRIOR)
    width = len(row_counts) + 1
    order = np.arange(count, dtype=np.int32)
    for rank in (1, 0):
        order = packing_kernels.sort_by(packing_kernels.row_keys(offsets, terms, rank, width), order, width)
    starts = np.zeros(width, np.int32)
    words = packing_kernels.measure(offsets, terms, order, starts)
    if words > np.iinfo(np.int32).max:
        raise WatchwordError(f"{count} subscriptions are more than one index holds; use several")
    arena = np.empty(words, np.int32)
    packing_kernels.pack(offsets, terms, payloads, order, arena)
    return Base(resized(starts, width), arena, count)
