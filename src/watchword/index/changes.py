"""The state of an index, and how it changes: one change at a time, whole or not at all, also when it is interrupted.

The state is a catalogue (ids, texts, slots) and a language that holds the same subscriptions, compiled, by slot. What
happens for ``index["s1"] = "greece"`` where "s1" has slot 0 and the text "imf" (`_replace`)::

    _undo = (_take_one_back, catalog, "s1", 0, "imf", 1, 0)      how the catalogue gets back to how it was
    language.remove(0, "imf")
    catalog.replace(0, "greece")
    language.add_one(0, compiled)
    _undo = None                                                 the change has ended

Invariant: while no change is under way and `_undo` is None, catalogue and language hold the same subscriptions.

A change may be cut off at any point, by an interruption or for want of memory, and then leaves its note in `_undo`.
Whoever comes next, reader or writer, finds it and repairs the state first (`_repair`): the catalogue is taken back, and
a new language is built from its texts. So nothing that a language does has to be undone step by step.

Readers hold a lane of the gate (`gate.py`); a change has the state to itself. Code that Python runs inside a change, a
finalizer or a signal handler, may read: it is answered from before the change, by an index that is made for it
(`_before_change`; that takes as long as a bulk load, and happens about never). It may not change anything.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, cast

import numpy as np

from watchword.arrays import Bools, Int64
from watchword.errors import SubscriptionError
from watchword.index.catalog import Catalog, Id, PackedColumns, checked_id, find_rows, id_at, pack_columns, take_rows
from watchword.index.gate import Gate
from watchword.index.language import Language
from watchword.index.refusals import text_at
from watchword.strings import Strings

Done = TypeVar("Done", bound=Callable[..., Any])

FEW = 20_000
"""Fewer subscriptions than this are stored one by one if the index holds more than eight times as many."""


def as_reader(method: Done) -> Done:
    """Run a method of an index while no thread changes the index."""

    @wraps(method)
    def reading(self: State, *arguments: Any, **named: Any) -> Any:
        while True:
            with self._gate.reading():
                if self._undo is None:
                    return method(self, *arguments, **named)
                if self._gate.is_inside_change:
                    return method(self._before_change(), *arguments, **named)
            self._repair()

    return cast(Done, reading)


def as_writer(method: Done) -> Done:
    """Run a method of an index while no other thread changes it; other threads see its effect as one change.

    A `RuntimeError` if this thread reads or changes the index already.
    """

    @wraps(method)
    def writing(self: State, *arguments: Any, **named: Any) -> Any:
        self._gate.refuse_nested()
        with self._gate.changes:
            if self._undo is not None:
                self._repair()
            return method(self, *arguments, **named)

    return cast(Done, writing)


class One(NamedTuple):
    """One subscription, compiled, that is new or replaces a text."""

    key: Id
    text: str
    compiled: Any


class Bulk(NamedTuple):
    """New subscriptions as columns, compiled together; they are rows of the packed columns `given`."""

    ids: Int64 | Strings
    texts: Strings
    given: PackedColumns
    compiled: Any


class State:
    """A catalogue and a language with the same subscriptions. Private: `Index` derives from it.

    Methods that are called with the gate held say so; all others take it themselves.
    """

    patience: ClassVar[int] = 512
    """How many subscriptions may go, beyond a share of those there are, before what they leave behind is cleared away:
    slots after half as many as there are, atoms that no subscription asks for after a quarter."""

    def __init__(self, new_language: Callable[[], Language]) -> None:
        self._new_language = new_language
        self._gate = Gate()
        self._catalog = Catalog()
        self._plugged = new_language()
        self._undo: tuple[Any, ...] | None = None
        """While a change is under way, a function and its arguments, a catalogue first: returns it as it was before."""
        self._forgotten = 0

    def _slot(self, key: object) -> int:
        slot = self._catalog.slot(key)
        if slot is None:
            raise KeyError(key)
        return slot

    def _current_language(self) -> Language:
        return self._plugged

    # one subscription; `_append`, `_append_text`, `_replace` and `_drop` are called by the gate

    @as_writer
    def _put(self, key: Id, text: str, compiled: Any) -> None:
        """Subscribe one, or replace its text."""
        self._insert(key, text, compiled)

    def _insert(self, key: Id, text: str, compiled: Any) -> None:
        """As `_put`, inside a change."""
        catalog = self._catalog
        slot = catalog.slot(checked_id(key, catalog.kind if len(catalog) else None))
        if slot is None:
            self._gate.alone(self._append, key, text, compiled)
        else:
            self._gate.alone(self._replace, key, slot, text, compiled)
            self._count_forgotten()

    def _delete(self, key: object) -> str:
        """Unsubscribe one, inside a change, and return its text."""
        catalog = self._catalog
        slot = self._slot(key)
        text = catalog.text(slot)
        self._gate.alone(self._drop, key, slot, text)
        if catalog.removed > self.patience + len(catalog) // 2:
            self._compact()
        self._count_forgotten()
        return text

    def _append(self, key: Id, text: str, compiled: Any) -> None:
        catalog = self._catalog
        self._undo = _take_one_back, catalog, key, None, None, catalog.slots, catalog.removed
        self._plugged.add_one(catalog.append(key, text), compiled)
        self._undo = None

    def _append_text(self, key: Id, text: str) -> bool:
        """Subscribe one whose text the language may store without compiling it first; return whether it did."""
        catalog, quick = self._catalog, self._plugged.one_change
        slot = catalog.slots
        self._undo = _take_one_back, catalog, key, None, None, slot, catalog.removed
        taken = quick is not None and quick.add(slot, text)
        if taken:
            catalog.append(key, text)
        self._undo = None
        return taken

    def _replace(self, key: Id, slot: int, text: str, compiled: Any) -> None:
        catalog = self._catalog
        before = catalog.text(slot)
        self._undo = _take_one_back, catalog, key, slot, before, catalog.slots, catalog.removed
        self._plugged.remove(slot, before)
        catalog.replace(slot, text)
        quick = self._plugged.one_change
        if quick is None or not (quick.takes(text) and quick.add(slot, text)):
            self._plugged.add_one(slot, compiled)
        self._undo = None

    def _drop(self, key: Id, slot: int, text: str) -> None:
        catalog = self._catalog
        self._undo = _take_one_back, catalog, key, slot, text, catalog.slots, catalog.removed
        self._plugged.remove(slot, text)
        catalog.remove(key, slot)
        self._undo = None

    # many subscriptions

    @as_writer
    def _load(self, ids: Int64 | Strings, texts: Strings) -> None:
        """Subscribe whole columns: ids that are there by replacement, new ones in bulk. Compiles all, then stores."""
        given = pack_columns(ids, texts)
        if len(self._catalog) and self._catalog.kind is not (str if isinstance(ids, Strings) else int) and texts.count:
            raise SubscriptionError("other ids came meanwhile, of another kind; one index has one kind of id")
        singly = self._subscribed_rows(given)
        if self._catalog.slots > 8 * texts.count and texts.count < FEW:
            singly[:] = True  # few into many: a bulk load would copy the many
        rows = np.flatnonzero(singly).tolist()
        compiled = [self._compile_row(texts, row) for row in rows]
        bulk = self._compile_bulk(ids, texts, given, np.flatnonzero(~singly))
        ones = [One(id_at(ids, row), texts.text(row), ready) for row, ready in zip(rows, compiled, strict=True)]
        self._gate.exclusively(self._store, ones, bulk)

    def _subscribed_rows(self, given: PackedColumns) -> Bools:
        """Return which rows have an id that is subscribed already."""
        is_subscribed = np.zeros(given.count, np.bool_)
        catalog = self._catalog
        if len(catalog):
            slots = find_rows(given.ids, catalog.base)
            is_subscribed = slots >= 0
            if catalog.removed:
                is_subscribed[is_subscribed] = ~catalog.is_gone(slots[is_subscribed])
            rows = find_rows(catalog.tail_ids(), given)
            is_subscribed[rows[rows >= 0]] = True
        return is_subscribed

    def _compile_row(self, texts: Strings, row: int) -> Any:
        try:
            return self._plugged.compile_one(text_at(texts, row))
        except SubscriptionError as error:
            raise error.at_row(row) from None

    def _compile_bulk(self, ids: Int64 | Strings, texts: Strings, given: PackedColumns, rows: Int64) -> Bulk | None:
        """Return some rows ready to be stored together; None if there are none."""
        if not len(rows):
            return None
        try:
            compiled = self._plugged.compile(take_rows(texts, rows))
        except SubscriptionError as error:
            raise error.at_row(int(rows[error.row or 0])) from None
        return Bulk(take_rows(ids, rows), take_rows(texts, rows), given, compiled)

    def _store(self, ones: list[One], bulk: Bulk | None) -> None:
        """Store compiled subscriptions, one by one and in bulk, all of them or none. Called by the gate."""
        catalog, plugged = self._catalog, self._plugged
        singles: list[tuple[Any, ...]] = []
        packed: list[Catalog] = []
        self._undo = _take_all_back, catalog, singles, packed
        for key, text, compiled in ones:
            slot = catalog.slot(key)
            before = None if slot is None else catalog.text(slot)
            singles.append((key, slot, before, catalog.slots, catalog.removed))
            if slot is None or before is None:
                slot = catalog.append(key, text)
            else:
                plugged.remove(slot, before)
                catalog.replace(slot, text)
            plugged.add_one(slot, compiled)
        if bulk is not None:
            packed.append(catalog.copy())
            if catalog.removed:
                self._renumber()
            first = catalog.extend(bulk.ids, bulk.texts, bulk.given)
            plugged.add(np.arange(first, first + bulk.texts.count, dtype=np.int32), bulk.compiled)
        self._undo = None

    def _start_over(self) -> None:
        """Unsubscribe everything. Called by the gate."""
        plugged = self._new_language()
        self._undo = _same, self._catalog
        self._catalog, self._plugged = Catalog(), plugged
        self._undo = None

    # what subscriptions leave behind

    def _count_forgotten(self) -> None:
        """Count a text that is gone; after many of them, replace a language that keeps much that is unused."""
        self._forgotten += 1
        if self._forgotten > self.patience + len(self._catalog) // 4:
            self._forgotten = 0
            if self._plugged.is_outworn:
                self._renew()

    def _renew(self) -> None:
        """Plug in a new language, built from all subscriptions. Matching goes on meanwhile, with the old one."""
        self._gate.exclusively(self._take_over, self._language_of(self._catalog))

    def _take_over(self, plugged: Language) -> None:
        self._plugged = plugged

    def _language_of(self, catalog: Catalog) -> Language:
        """Return a new language with the subscriptions of a catalogue, under the same slots."""
        plugged, live = self._new_language(), catalog.live()
        if len(live):
            plugged.add(live, plugged.compile(catalog.texts(live)))
        return plugged

    def _compact(self) -> None:
        """Give the subscriptions slots without gaps, and bring all parts into the form that is saved."""
        for part in self._plugged.parts.values():
            part.prepare()
        self._gate.exclusively(self._condense)

    def _condense(self) -> None:
        self._undo = _same, self._catalog.copy()
        self._renumber()
        for part in self._plugged.parts.values():
            part.condense()
        self._undo = None

    def _renumber(self) -> None:
        moved = self._catalog.compact()
        if moved is not None:
            for part in self._plugged.parts.values():
                part.renumber(moved)

    # reading inside a change, and repair

    def _before_change(self) -> Self:
        """Return an index with the subscriptions from before the change that this thread is inside of."""
        assert self._undo is not None
        undo, catalog, *arguments = self._undo
        if undo is _take_all_back:
            singles, packed = arguments
            arguments = [singles, [one.apart() for one in packed]]
        before = object.__new__(type(self))
        vars(before).update(vars(self))
        before._gate, before._undo = Gate(), None
        before._catalog = undo(catalog.apart(), *arguments)
        before._plugged = self._language_of(before._catalog)
        return before

    def _repair(self) -> None:
        """Bring a state whose change was cut off back to how it was before the change."""
        self._gate.exclusively(self._rebuild)

    def _rebuild(self) -> None:
        if self._undo is None:  # another thread was first
            return
        undo, *arguments = self._undo
        catalog = undo(*arguments)
        self._catalog, self._plugged = catalog, self._language_of(catalog)
        self._undo = None


def _same(catalog: Catalog) -> Catalog:
    return catalog


def _take_one_back(catalog: Catalog, *single: Any) -> Catalog:
    return catalog.take_back(*single)


def _take_all_back(catalog: Catalog, singles: list[tuple[Any, ...]], packed: list[Catalog]) -> Catalog:
    """Return a catalogue as it was before changes of single ids, from a copy if a bulk load had begun after them."""
    before = packed[0] if packed else catalog
    for single in reversed(singles):
        before = before.take_back(*single)
    return before
