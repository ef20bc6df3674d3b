"""The contract of every index: a mapping from id to subscription that can be asked backwards.

A language derives from `Index` and says how a subscription is compiled and an event matched; ids, order, bulk
input, errors, snapshots and the mapping itself are here, once. Subscriptions are known to a language by their
*slot* (`catalog`): hooks get slots, and give slots back.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword import snapshot
from watchword.arrays import Arrays, Int32, Int64
from watchword.errors import OptionError, SnapshotError, SubscriptionError
from watchword.index.catalog import Base, Catalog, Id, find_rows, packed, taken, value
from watchword.index.columns import columns
from watchword.index.routing import Atoms, Needs
from watchword.strings import Strings

Subscriptions: TypeAlias = Mapping[Any, str] | Iterable[tuple[Any, str]] | pa.Table

LANGUAGES: dict[str, str] = {
    "keywords": "watchword.keywords:KeywordIndex",
    "patterns": "watchword.patterns:PatternIndex",
}
"""The languages, and where their classes live."""


def language_class(language: str) -> type[Index]:
    """Return the index class of a language."""
    if language not in LANGUAGES:
        raise OptionError(f"no language {language!r}; there are: {', '.join(LANGUAGES)}")
    module, _, name = LANGUAGES[language].partition(":")
    found: type[Index] = getattr(import_module(module), name)
    return found


def methods(language: str) -> list[str]:
    """Return the names of a language's methods, `auto` first.

    >>> methods("keywords")[:3]
    ['auto', 'brute', 'brute-ordered']
    """
    return list(language_class(language).methods)


@dataclass(frozen=True)
class Stats:
    """What an index holds and takes.

    `bytes` is the index without ids and texts (those are `catalog_bytes`). `operations_per_match` is the mean
    over the events matched since the index was made or opened, in the unit `operation`; `details` has the
    method's own figures.
    """

    language: str
    method: str
    subscriptions: int
    clauses: int
    atoms: int
    nodes: int
    postings: int
    bytes: int
    catalog_bytes: int
    operation: str
    operations_per_match: float
    details: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ClauseReport:
    """How one clause of a subscription fared: atoms that it asked for and missed, or forbade and met."""

    text: str
    missing: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        """Say whether nothing failed."""
        return not self.missing and not self.forbidden

    def __str__(self) -> str:
        if self.held:
            return self.text
        reasons = [f"missing {', '.join(self.missing)}"] if self.missing else []
        reasons += [f"forbidden {', '.join(self.forbidden)}"] if self.forbidden else []
        return f"{'; '.join(reasons)} in: {self.text}"


@dataclass(frozen=True)
class Explanation:
    """Why an event matches a subscription, or does not. True where it matches."""

    subscription: str
    clauses: tuple[ClauseReport, ...]

    @property
    def matched(self) -> bool:
        """Say whether a clause held."""
        return any(clause.held for clause in self.clauses)

    @property
    def nearest(self) -> ClauseReport | None:
        """Return a clause that held, or else the one with the fewest failures; None if there is no clause."""
        return min(self.clauses, key=lambda c: len(c.missing) + len(c.forbidden), default=None)

    def __bool__(self) -> bool:
        return self.matched

    def __str__(self) -> str:
        if self.nearest is None:
            return "no match: the subscription contradicts itself"
        if self.matched:
            return f"match: {self.nearest}"
        tail = f" (nearest of {len(self.clauses)} clauses)" if len(self.clauses) > 1 else ""
        return f"no match: {self.nearest}{tail}"


class Found(NamedTuple):
    """The slots found for a batch: event `i` found ``slots[ends[i - 1]:ends[i]]``, each once."""

    ends: Int64
    slots: Int32


class Index(MutableMapping[Any, str]):
    """A mapping from subscription id to subscription text, plus `match`."""

    language: ClassVar[str]
    methods: ClassVar[Mapping[str, Any]]

    # Events matched at a time: enough to amortise a call, few enough for them and their pairs to stay in the cache.
    _events_at_once: ClassVar[int] = 4096
    _pairs_at_once: ClassVar[int] = 1 << 18

    def __init__(self, subscriptions: Subscriptions | None = None, *, method: str = "auto") -> None:
        if method not in self.methods:
            raise OptionError(f"no method {method!r} for {self.language}; there are: {', '.join(self.methods)}")
        self.method = method
        self._catalog = Catalog()
        self._events = 0
        self._operations = 0
        self._reset()
        if subscriptions is not None:
            self.update(subscriptions)

    # the mapping

    def __len__(self) -> int:
        return len(self._catalog)

    def __iter__(self) -> Iterator[Id]:
        return iter(self._catalog)

    def __contains__(self, key: object) -> bool:
        return self._catalog.slot(key) is not None

    def __getitem__(self, key: Id) -> str:
        return self._catalog.text(self._slot(key))

    def __setitem__(self, key: Id, text: str) -> None:
        self._put(self._catalog.checked(key), text, self._compile(text))

    def __delitem__(self, key: Id) -> None:
        slot = self._slot(key)
        self._unsubscribe(slot, self._catalog.text(slot))
        self._catalog.remove(slot)
        if self._catalog.removed > 4096 + len(self):
            self._compact()

    def update(self, subscriptions: Any = (), /, **more: str) -> None:
        """Subscribe many at once, replacing those already there; all of them or, on an error, none."""
        if more:
            subscriptions = dict(subscriptions, **more)
        self._load(*columns(subscriptions, self._catalog))

    def clear(self) -> None:
        """Unsubscribe everything."""
        self._catalog = Catalog()
        self._reset()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} subscriptions, method {self.method!r}>"

    # matching

    def match(self, event: Any) -> list[Any]:
        """Return the ids of the subscriptions that `event` satisfies, in the order of subscribing."""
        found = self._match([event], 0)
        slots = np.sort(found.slots).tolist()
        return [self._catalog.id(slot) for slot in slots]

    def match_many(self, events: Iterable[Any] | pa.Array | pa.ChunkedArray) -> pa.Table:
        """Match a batch: a table with a row for each event's position and each id that it satisfies.

        `events` may be any iterable of events, or an Arrow array where the language reads one.
        """
        positions: list[pa.Array] = []
        ids: list[pa.Array] = []
        first = 0
        batch = Batch(256)
        for part in self._parts(events, batch):
            found = self._match(part, first)
            counts = np.diff(found.ends, prepend=np.int64(0))
            positions.append(pa.array(np.repeat(np.arange(first, first + len(counts)), counts)))
            ids.append(self._catalog.ids(found.slots))
            first += len(counts)
            mean = len(found.slots) / max(len(counts), 1)
            batch.size = max(1, min(self._events_at_once, int(self._pairs_at_once / (mean + 1))))
        kind = pa.string() if self._catalog.kind is str else pa.int64()
        if any(pa.types.is_large_string(part.type) for part in ids):
            kind = pa.large_string()
            ids = [part.cast(kind) for part in ids]
        schema = pa.schema([pa.field("event", pa.int64()), pa.field("subscription", kind)])
        columns = [pa.chunked_array(positions, pa.int64()), pa.chunked_array(ids, kind)]
        return pa.Table.from_arrays(columns, schema=schema)

    def explain(self, event: Any, key: Id) -> Explanation:
        """Say why `event` matches the subscription with this id, or why not."""
        return self._explain(event, self._catalog.text(self._slot(key)))

    def stats(self) -> Stats:
        """Return what the index holds and takes."""
        details = dict(self._figures())
        counted = {name: int(details.pop(name, 0)) for name in ("clauses", "atoms", "nodes", "postings")}
        return Stats(
            language=self.language,
            method=self.method,
            subscriptions=len(self),
            **counted,
            bytes=int(details.pop("bytes")),
            catalog_bytes=self._catalog.bytes,
            operation=self._operation(),
            operations_per_match=self._operations / self._events if self._events else 0.0,
            details=details,
        )

    # routing: which events can reach which subscriptions

    def needs(self, texts: Strings | None = None) -> Needs | None:
        """Return what events need to satisfy subscriptions, those of this index or `texts`; None: it cannot tell."""
        if texts is None:
            self._compact()
            texts = self._catalog.base.texts
        return self._needs(texts)

    def atoms(self, events: pa.Array) -> Atoms | None:
        """Return what events have, in the terms of `needs`; None if this language or type of event cannot tell."""
        return self._atoms(events)

    # snapshots

    def save(self, path: str | Path) -> int:
        """Write a snapshot, in place of an older one if there is one; return its version."""
        self._compact()
        arrays = {f"catalog.{name}": array for name, array in self._catalog.arrays().items()}
        meta = {"method": self.method, "subscriptions": len(self), "options": self._options()}
        return snapshot.write(path, language=self.language, meta=meta, arrays=arrays | self._arrays())

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open a snapshot by memory map. `Index.open` opens one of any language."""
        if cls is Index:
            return language_class(snapshot.read(path).language).open(path)  # type: ignore[return-value]
        saved = snapshot.read(path, cls.language)
        try:
            self = cls(method=saved.meta["method"], **saved.meta["options"])
            self._catalog = Catalog.from_arrays(below("catalog", saved.arrays))
            self._restore(saved.arrays)
        except (KeyError, TypeError, ValueError) as error:
            raise SnapshotError(f"its parts do not fit together ({error}); build it anew", path=path) from error
        return self

    # what a language provides

    @abstractmethod
    def _compile(self, text: str) -> Any:
        """Return a subscription ready to be stored, or raise; changes nothing that shows."""

    @abstractmethod
    def _subscribe(self, slot: int, compiled: Any) -> None:
        """Store a compiled subscription under a slot that has none."""

    @abstractmethod
    def _unsubscribe(self, slot: int, text: str) -> None:
        """Remove the subscription `text` of a slot."""

    @abstractmethod
    def _compile_many(self, texts: Strings) -> Any:
        """As `_compile`, for a column; a `SubscriptionError` names the row."""

    @abstractmethod
    def _subscribe_many(self, slots: Int32, compiled: Any) -> None:
        """Store what `_compile_many` returned, row `i` under ``slots[i]``."""

    @abstractmethod
    def _parts(self, events: Any, batch: Batch) -> Iterator[Any]:
        """Cut events into batches that `_match` takes, each of at most `batch.size`, which changes on the way."""

    @abstractmethod
    def _match(self, events: Any, position: int) -> Found:
        """Match a batch whose first event is at `position`."""

    @abstractmethod
    def _explain(self, event: Any, text: str) -> Explanation: ...

    @abstractmethod
    def _figures(self) -> Mapping[str, float]:
        """Return figures for `stats`: clauses, atoms, nodes, postings, bytes, and the method's own."""

    @abstractmethod
    def _operation(self) -> str: ...

    @abstractmethod
    def _reset(self) -> None:
        """Forget every subscription."""

    @abstractmethod
    def _renumber(self, slots: Int32) -> None:
        """Slot `s` is from now on ``slots[s]``; those given up are -1 and not stored any more."""

    @abstractmethod
    def _options(self) -> dict[str, Any]:
        """Return the options that make an equal, empty index, fit for JSON."""

    @abstractmethod
    def _arrays(self) -> Arrays: ...

    @abstractmethod
    def _restore(self, arrays: Arrays) -> None: ...

    # what a language may provide

    def _needs(self, texts: Strings) -> Needs | None:
        """As `needs`; a `SubscriptionError` names the row of a text that is refused."""
        return None

    def _atoms(self, events: pa.Array) -> Atoms | None:
        """As `atoms`; an `EventError` names the position of an event that is refused, always the first such."""
        return None

    # private parts

    def _slot(self, key: Id) -> int:
        slot = self._catalog.slot(key)
        if slot is None:
            raise KeyError(key)
        return slot

    def _load(self, ids: Int64 | Strings, texts: Strings) -> None:
        """Subscribe whole columns: known ids by replacement, new ones in bulk. Compiles everything before it stores."""
        given = packed(ids, texts)
        singly = self._known(given)
        if self._catalog.slots > 8 * texts.count and texts.count < 20_000:
            singly[:] = True  # few into many: a bulk load would copy the many
        rows = np.flatnonzero(singly).tolist()
        compiled = [self._compile_row(texts, row) for row in rows]
        fresh = np.flatnonzero(~singly)
        try:
            bulk = self._compile_many(taken(texts, fresh)) if len(fresh) else None
        except SubscriptionError as error:
            raise error.at_row(int(fresh[error.row or 0])) from None
        for row, ready in zip(rows, compiled, strict=True):
            self._put(value(ids, row), texts.text(row), ready)
        if bulk is not None:
            if self._catalog.removed:
                self._compact()
            first = self._catalog.extend(taken(ids, fresh), taken(texts, fresh), given)
            self._subscribe_many(np.arange(first, first + len(fresh), dtype=np.int32), bulk)

    def _known(self, given: Base) -> npt.NDArray[np.bool_]:
        """Say which rows have an id that is subscribed."""
        known = np.zeros(given.count, np.bool_)
        catalog = self._catalog
        if len(catalog):
            found = find_rows(given.ids, catalog.base)
            known = found >= 0
            if catalog.removed:
                known[known] = ~catalog.is_gone(found[known])
            rows = find_rows(catalog.tail_ids(), given)
            known[rows[rows >= 0]] = True
        return known

    def _compile_row(self, texts: Strings, row: int) -> Any:
        try:
            return self._compile(texts.text(row))
        except SubscriptionError as error:
            raise error.at_row(row) from None

    def _put(self, key: Id, text: str, compiled: Any) -> None:
        slot = self._catalog.slot(key)
        if slot is None:
            self._subscribe(self._catalog.append(key, text), compiled)
        else:
            self._unsubscribe(slot, self._catalog.text(slot))
            self._catalog.replace(slot, text)
            self._subscribe(slot, compiled)

    def _compact(self) -> None:
        moved = self._catalog.compact()
        if moved is not None:
            self._renumber(moved)


@dataclass
class Batch:
    """How many events the next batch is to have."""

    size: int

    def slices(self, count: int) -> Iterator[tuple[int, int]]:
        """Cut a range of `count` events."""
        start = 0
        while start < count:
            stop = min(start + self.size, count)
            yield start, stop
            start = stop

    def lists(self, events: Iterable[Any]) -> Iterator[list[Any]]:
        """Cut any iterable."""
        iterator = iter(events)
        while batch := list(islice(iterator, self.size)):
            yield batch


def below(prefix: str, arrays: Arrays) -> Arrays:
    """Return the arrays whose names begin with `prefix` and a dot, without it."""
    return {name[len(prefix) + 1 :]: array for name, array in arrays.items() if name.startswith(prefix + ".")}
