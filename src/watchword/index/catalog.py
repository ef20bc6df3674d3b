"""Who is subscribed, with what text, in which order: the mapping side of an index.

Every subscription has a *slot*, a number that grows in the order of subscribing; replacing a text keeps the slot. Slots
below `base.count` lie in packed columns (ids, texts, a hash table from id to slot), which may be memory maps; later
ones in a tail that grows. A text of the base that was replaced is in `changed`, a slot that was given up in `gone`.
`compact` packs everything into a new base without gaps. After loading s1 and s2, replacing s1's text, adding s3 and
removing s2:

    slot      0       1       2                 after `compact`: s1, s3
              s1      s2      s3                slot 2 is then 1
    where     base    base    tail
              changed gone

Catalogues are changed whole or not at all: `take_back` undoes one change of one slot, however much of it had happened;
`extend` and `compact`, which pack everything again, replace arrays and never write into them, so that a shallow copy
made before is still as it was.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any, Self, overload

import numpy as np
import pyarrow as pa

from watchword.arrays import NO_BYTES, Arrays, Bools, Int32, Int64, UInt8, reserve
from watchword.errors import SubscriptionError
from watchword.kernels import ids as kernels
from watchword.kernels.handles import handles_of
from watchword.kernels.jit import BYTES, HANDLES, INT, entry
from watchword.lazy import lazy
from watchword.strings import Strings, from_arrow, from_pieces
from watchword.visible import shown

Id = str | int

_FEW = 8
"""At most this number of ids is listed one by one."""

_MANY = 64
"""From this number of ids on, calling the kernel that copies ids pays."""

_NO_INTS = np.empty(0, np.int64)
_NO_STRINGS = Strings(NO_BYTES, np.zeros(1, np.int64))


@dataclass
class PackedColumns:
    """Ids and texts, packed. `ids` is an int64 array or `Strings`; `table` finds a row by its id."""

    ids: Int64 | Strings
    texts: Strings
    table: Int32
    count: int = field(init=False)
    """The number of rows."""

    def __post_init__(self) -> None:
        self.count = self.texts.count

    @lazy
    def first(self) -> int | None:
        """The first id if all ascend by one, as the numbers of a table's rows do: then none has to be looked up."""
        ids = self.ids
        if isinstance(ids, Strings) or not len(ids) or int(ids[-1]) - int(ids[0]) != len(ids) - 1:
            return None
        return int(ids[0]) if kernels.ascend_by_one(ids) else None

    @lazy
    def row_of(self) -> Callable[[Any], int]:
        """A function from an id, a 64-bit int or the bytes of a text, to its row; -1 if it is not here."""
        if isinstance(self.ids, Strings):
            columns = self.ids.data, self.ids.offsets, self.table
            handles = handles_of(columns, kernels.STRING_ID_KINDS)
            return partial(entry(kernels.row_of_string, HANDLES, BYTES), handles)
        handles = handles_of((self.ids, self.table), kernels.INT_ID_KINDS)
        return partial(entry(kernels.row_of_int, HANDLES, INT), handles)


class Catalog:
    """Ids, texts and slots. Ids are all `str` or all `int`, whichever came first."""

    def __init__(self) -> None:
        self.base = PackedColumns(_NO_INTS, _NO_STRINGS, np.full(1, -1, np.int32))
        self.kind: type | None = None
        self._clear_tail()
        self.changed: dict[int, str] = {}
        self.gone = np.empty(0, np.bool_)
        self._asked = 0
        self.removed = 0

    def _clear_tail(self) -> None:
        self.where: dict[Id, int] = {}
        self.tail_texts: list[str | None] = []
        self.tail_ints = np.empty(0, np.int64)
        self.tail_bytes = np.empty(0, np.uint8)
        self.tail_offsets = np.zeros(1, np.int64)

    # reading

    @property
    def slots(self) -> int:
        """Return the number of slots, those given up included."""
        return self.base.count + len(self.tail_texts)

    def __len__(self) -> int:
        return self.base.count + len(self.tail_texts) - self.removed

    def first(self) -> int | None:
        """Return the first slot in use."""
        return next((slot for slot in range(self.slots) if not self._is_gone(slot)), None)

    def live(self) -> Int32:
        """Return the slots in use, ascending: the order of subscribing."""
        return np.flatnonzero(~self._gone_flags()).astype(np.int32)

    def live_ids(self) -> pa.Array:
        """Return the ids in the order of subscribing, in a column that no change touches."""
        return self.ids(self.live())

    def live_columns(self) -> tuple[pa.Array, Strings]:
        """Return ids and texts in the order of subscribing, in columns that no change touches."""
        live = self.live()
        return self.ids(live), self.texts(live)

    def texts(self, slots: Int32) -> Strings:
        """Return the texts of ascending slots."""
        return self._texts(slots.astype(np.int64))

    def slot(self, key: object) -> int | None:
        """Return the slot of an id, None if it is not subscribed."""
        if type(key) is not self.kind:  # True equals 1, and is no id
            return None
        found = self.where.get(key)  # type: ignore[call-overload]
        if found is not None or self.base.count == 0:
            return found  # type: ignore[no-any-return]
        row = self._row(key)
        return None if row < 0 or self._is_gone(row) else row

    def is_free(self, key: object) -> bool:
        """Return whether a value is an id of this catalogue's kind that is not subscribed."""
        if type(key) is not self.kind or key in self.where or not _is_valid(key):
            return False
        if not self.base.count:
            return True
        row = self.base.row_of(key if self.kind is int else key.encode())  # type: ignore[attr-defined]
        return row < 0 or self._is_gone(row)

    def id(self, slot: int) -> Any:
        """Return the id of a slot."""
        ids, tail = self.base.ids, slot - self.base.count
        if self.kind is int:
            return int(self.tail_ints[tail] if tail >= 0 else ids[slot])  # type: ignore[index]
        if tail < 0:
            return ids.text(slot)  # type: ignore[union-attr]
        slot = tail
        return self.tail_bytes[self.tail_offsets[slot] : self.tail_offsets[slot + 1]].tobytes().decode()

    def listed(self, slots: Int32) -> list[Any]:
        """Return the ids of slots, which ascend."""
        if not len(slots):
            return []
        if self.kind is int and len(slots) < _MANY and slots[-1] < self.base.count:
            return self.base.ids[slots].tolist()  # type: ignore[index, no-any-return]
        if len(slots) <= _FEW:
            return [self.id(slot) for slot in slots.tolist()]
        if self.kind is int:
            return self._ints(slots).tolist()  # type: ignore[no-any-return]
        cuts, data = self._strings(slots, 1)
        raw = data.tobytes()
        ids = raw[:-1].decode().split("\0")  # twice as fast as to cut the text, four times as to decode its pieces
        if len(ids) == len(slots):
            return ids
        return [raw[start : stop - 1].decode() for start, stop in pairwise(cuts.tolist())]  # one has a zero in it

    def text(self, slot: int) -> str:
        """Return the text of a slot."""
        if slot >= self.base.count:
            text = self.tail_texts[slot - self.base.count]
            assert text is not None
            return text
        changed = self.changed.get(slot)
        return changed if changed is not None else self.base.texts.text(slot)

    def ids(self, slots: Int32) -> pa.Array:
        """Return the ids of many slots as an Arrow column: int64 or string."""
        if self.kind is not str:
            return pa.array(self._ints(slots))
        cuts, data = self._strings(slots)
        if cuts[-1] <= np.iinfo(np.int32).max:
            cuts = cuts.astype(np.int32)
        kind = pa.string() if cuts.dtype == np.int32 else pa.large_string()
        return pa.Array.from_buffers(kind, len(slots), [None, pa.py_buffer(cuts), pa.py_buffer(data)])

    # changing

    def copy(self) -> Catalog:
        """Return another catalogue with the same arrays, to keep while `extend` or `compact` replaces them."""
        return copy.copy(self)

    def apart(self) -> Catalog:
        """Return another catalogue with the same subscriptions, which changes of this one do not reach."""
        return copy.deepcopy(self, {id(self.base): self.base})

    def append(self, key: Id, text: str) -> int:
        """Give a new id, which `checked_id` has passed, the next slot."""
        if self.kind is not type(key):
            self._adopt(type(key))
        at = len(self.tail_texts)
        slot = self.base.count + at
        if isinstance(key, int):
            if at >= len(self.tail_ints):
                self.tail_ints = reserve(self.tail_ints, at + 1)
            self.tail_ints[at] = key
        else:
            raw = key.encode()
            start = self.tail_offsets.item(at)
            end = start + len(raw)
            if end > len(self.tail_bytes) or at + 2 > len(self.tail_offsets):
                self.tail_bytes = reserve(self.tail_bytes, end)
                self.tail_offsets = reserve(self.tail_offsets, at + 2)
            self.tail_bytes.data[start:end] = raw  # a third of the time that an array made of it takes
            self.tail_offsets[at + 1] = end
        self.where[key] = slot
        self.tail_texts.append(text)
        return slot

    def replace(self, slot: int, text: str) -> None:
        """Give a slot another text."""
        if slot < self.base.count:
            self.changed[slot] = text
        else:
            self.tail_texts[slot - self.base.count] = text

    def remove(self, key: Id, slot: int) -> None:
        """Give the slot of an id up."""
        if slot < self.base.count:
            self.changed.pop(slot, None)
        else:
            del self.where[key]
            self.tail_texts[slot - self.base.count] = None
        if slot >= len(self.gone):
            self.gone = reserve(self.gone, self.slots, False)
        self.gone[slot] = True
        self.removed += 1

    def take_back(self, key: Id, slot: int | None, text: str | None, slots: int, removed: int) -> Catalog:
        """Take back a change of one id, however much of it had happened, and return the catalogue.

        `slot`, `text`, `slots` and `removed` are the values before the change; `slot` is None if `key` was new.
        Calling it again changes nothing.
        """
        if slot is None:
            if slots == removed:  # it was empty
                return Catalog()
            if self.where.get(key, -1) >= slots:
                del self.where[key]
            del self.tail_texts[slots - self.base.count :]
        else:
            at = slot - self.base.count
            if at < 0:
                self.changed[slot] = str(text)
            else:
                self.where[key] = slot
                self.tail_texts[at] = text
            if slot < len(self.gone):
                self.gone[slot] = False
        self.removed = removed
        return self

    def extend(self, ids: Int64 | Strings, texts: Strings, given: PackedColumns) -> int:
        """Append many new rows to the base, and return the slot of the first.

        `given` are the packed columns that the rows were taken from. An empty catalogue takes them as they are;
        otherwise all rows are packed again. The caller has seen to it that no slot is given up.
        """
        first = self.slots
        kind = str if isinstance(ids, Strings) else int
        if first == 0:
            base = given
        else:
            ids_before, texts_before = self._columns()
            joined: Any = np.concatenate([ids_before, ids]) if kind is int else _append_column(ids_before, ids)  # type: ignore[arg-type]
            base = pack_columns(joined, _append_column(texts_before, texts))
        self._install(base, kind)
        return first

    def compact(self) -> Int32 | None:
        """Pack everything without gaps. Returns the new slot of each old one (-1: gone), None if all keep theirs."""
        if not (self.tail_texts or self.changed or self.removed):
            return None
        any_moved = self.removed > 0
        live = ~self._gone_flags()
        moved = np.where(live, np.cumsum(live) - 1, -1).astype(np.int32)
        ids, texts = self._columns(np.flatnonzero(live))
        self._install(pack_columns(ids, texts), self.kind)
        return moved if any_moved else None

    # snapshots

    def arrays(self) -> Arrays:
        """Return the packed columns; `compact` was called before."""
        arrays: Arrays = {
            "table": self.base.table,
            "texts.data": self.base.texts.data,
            "texts.offsets": self.base.texts.offsets,
        }
        if isinstance(self.base.ids, Strings):
            return arrays | {"ids.data": self.base.ids.data, "ids.offsets": self.base.ids.offsets}
        return arrays | {"ids": self.base.ids}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Return the catalog that `arrays` describes."""
        self = cls()
        ids = arrays.get("ids")
        texts = Strings(arrays["texts.data"], arrays["texts.offsets"], surrogates=True)
        column = Strings(arrays["ids.data"], arrays["ids.offsets"]) if ids is None else ids
        if texts.count:
            self.base = PackedColumns(column, texts, arrays["table"])
            self.kind = str if ids is None else int
        return self

    @property
    def bytes(self) -> int:
        """Return the memory that ids and texts take."""
        return sum(array.nbytes for array in self.arrays().values()) + len(self.tail_bytes)

    # private parts

    def _gone_flags(self) -> Bools:
        """Return a flag for each slot: whether it was given up."""
        return reserve(self.gone, self.slots, False)[: self.slots]

    def _is_gone(self, slot: int) -> bool:
        return slot < len(self.gone) and bool(self.gone[slot])

    def is_gone(self, slots: Int32) -> Bools:
        """Return which slots were given up."""
        gone: Bools = self._gone_flags()[slots]
        return gone

    def tail_ids(self) -> Int64 | Strings:
        """Return the ids that were subscribed since the base was packed."""
        slots = np.array(sorted(self.where.values()), np.int32)
        return self._id_column(slots)

    def _id_column(self, slots: Int32) -> Int64 | Strings:
        return from_arrow(self.ids(slots)) if self.kind is str else self._ints(slots)

    def _ints(self, slots: Int32) -> Int64:
        self._asked += len(slots)  # to find out whether all ascend, all are read: not before as many were asked for
        if self._asked > self.base.count and not self.tail_texts and (first := self.base.first) is not None:
            return np.add(slots, first, dtype=np.int64)
        taken = np.empty(len(slots), np.int64)
        kernels.take_ints(slots, self.base.ids, self.tail_ints, taken)
        return taken

    def _strings(self, slots: Int32, gap: int = 0) -> tuple[Int64, UInt8]:
        """Return the ids of slots as borders and bytes, each followed by that many zeros."""
        column = self._base_strings()
        cuts = np.empty(len(slots) + 1, np.int64)
        kernels.take_lengths(slots, column.offsets, self.tail_offsets, gap, cuts)
        data = np.empty(cuts[-1], np.uint8)
        kernels.take_strings(slots, column.data, column.offsets, self.tail_bytes, self.tail_offsets, gap, cuts, data)
        return cuts, data

    def _base_strings(self) -> Strings:
        return self.base.ids if isinstance(self.base.ids, Strings) else _NO_STRINGS

    def _row(self, key: Any) -> int:
        """Return the row of an id in the base, -1 if it is not there."""
        if self.kind is int:
            return self.base.row_of(key) if -(2**63) <= key < 2**63 else -1
        return self.base.row_of(key.encode("utf-8", "surrogatepass"))

    def _adopt(self, kind: type) -> None:
        """Start over with another kind of id: nothing is subscribed."""
        self.__init__()  # type: ignore[misc]
        self.kind = kind
        if kind is str:
            self.base.ids = _NO_STRINGS

    def _columns(self, slots: Int64 | None = None) -> tuple[Int64 | Strings, Strings]:
        """Return ids and texts of `slots`, or of all, as packed columns."""
        if slots is None:
            slots = np.arange(self.slots)
        return self._id_column(slots.astype(np.int32)), self._texts(slots)

    def _texts(self, slots: Int64) -> Strings:
        count = self.base.count
        if not self.changed and not self.tail_texts and len(slots) == count:
            return self.base.texts
        late = np.array(sorted(self.changed), np.int64)
        aside = _encoded([self.changed[slot] for slot in late.tolist()] + [text or "" for text in self.tail_texts])
        # Texts of the base that were replaced lie aside, then those of the tail: both behind the base's own.
        rows = np.where(slots < count, slots, slots + len(late)).astype(np.int32)
        at = np.searchsorted(slots, late)
        there = np.flatnonzero(slots[np.minimum(at, len(slots) - 1)] == late) if len(slots) else at[:0]
        rows[at[there]] = count + there
        return replace(_take_some(rows, self.base.texts, aside), surrogates=True)

    def _install(self, base: PackedColumns, kind: type | None) -> None:
        self.base = base
        self.kind = kind
        self.changed = {}
        self.gone = np.empty(0, np.bool_)
        self.removed = 0
        self._clear_tail()


def checked_id(key: object, kind: type | None, row: int | None = None) -> Id:
    """Return `key` if it is a valid id, and of `kind` if other ids are; else raise."""
    if type(key) not in (str, int):
        raise SubscriptionError(f"an id is a str or an int, not {shown(key)} ({type(key).__name__})", row=row)
    if kind is not None and type(key) is not kind:
        raise SubscriptionError(
            f"the ids of this index are {kind.__name__}, and {shown(key)} is {type(key).__name__}; "
            "one index has one kind of id",
            row=row,
        )
    if not _is_valid(key):
        fault = "does not fit into 64 bits" if isinstance(key, int) else "is not valid Unicode"
        raise SubscriptionError(f"the id {shown(key)} {fault}", row=row)
    return key  # type: ignore[return-value]


def _is_valid(key: Any) -> bool:
    """Return whether an int fits into 64 bits, or a text has no lone surrogates."""
    if isinstance(key, int):
        return -(2**63) <= key < 2**63
    try:
        return bool(key.isascii() or key.encode())
    except UnicodeEncodeError:
        return False


def pack_columns(ids: Int64 | Strings, texts: Strings) -> PackedColumns:
    """Return packed columns with their table; a duplicate id is refused, by its row."""
    table = np.full(texts.count + texts.count // 2 + 1, -1, np.int32)
    if isinstance(ids, Strings):
        row = kernels.index_strings(ids.data, ids.offsets, table)
    else:
        row = kernels.index_ints(ids, table)
    if row >= 0:
        raise SubscriptionError(f"the id {shown(id_at(ids, row))} stands more than once; ids must be unique", row=row)
    return PackedColumns(ids, replace(texts, surrogates=True), table)


def find_rows(ids: Int64 | Strings, base: PackedColumns) -> Int32:
    """Return the row of each id in `base`, -1 where there is none."""
    rows = np.full(ids.count if isinstance(ids, Strings) else len(ids), -1, np.int32)
    if isinstance(ids, Strings) and isinstance(base.ids, Strings):
        column = base.ids
        kernels.find_strings(ids.data, ids.offsets, column.data, column.offsets, base.table, rows)
    elif not isinstance(ids, Strings) and not isinstance(base.ids, Strings):
        kernels.find_ints(ids, base.ids, base.table, rows)
    return rows


def id_at(ids: Int64 | Strings, row: int) -> Id:
    """Return one id of a column."""
    return ids.text(row) if isinstance(ids, Strings) else int(ids[row])


@overload
def take_rows(column: Int64, rows: Int64) -> Int64: ...
@overload
def take_rows(column: Strings, rows: Int64) -> Strings: ...
def take_rows(column: Int64 | Strings, rows: Int64) -> Int64 | Strings:
    """Return some rows of a column, in ascending order."""
    if not isinstance(column, Strings):
        return column if len(rows) == len(column) else column[rows]
    strings = column
    if len(rows) == strings.count:
        return strings
    return _take_some(rows.astype(np.int32), strings, _NO_STRINGS)


def _take_some(rows: Int32, strings: Strings, more: Strings) -> Strings:
    """Return some rows of two columns as if they were concatenated."""
    cuts = np.empty(len(rows) + 1, np.int64)
    kernels.take_lengths(rows, strings.offsets, more.offsets, 0, cuts)
    data = np.empty(cuts[-1], np.uint8)
    kernels.take_strings(rows, strings.data, strings.offsets, more.data, more.offsets, 0, cuts, data)
    return Strings(data, cuts, strings.surrogates)


def _encoded(texts: list[str]) -> Strings:
    return from_pieces([text.encode("utf-8", "surrogatepass") for text in texts], surrogates=True)


def _append_column(left: Strings, right: Strings) -> Strings:
    """Return two columns end to end."""
    if left.count == 0:
        return right
    return Strings(
        np.concatenate([left.data, right.data]),
        np.concatenate([left.offsets, right.offsets[1:] + left.offsets[-1]]),
    )
