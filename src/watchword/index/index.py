"""Every index: a mapping from id to subscription that can be asked backwards. Final: a language plugs in below it.

`Index` has the mapping, ids, order, batches, errors, snapshots, figures and threads, once; a `Language` (`language.py`)
says how a subscription is compiled and an event matched. Who calls whom for ``index["s1"] = "greece AND crisis"``::

    Index.__setitem__   Language.compile_one    the text into clauses; nothing is changed yet
                        Catalog.append          "s1" has slot 0
                        Language.add_one        its clauses are stored under slot 0
                        where the language has a `one_change` that takes the text, it does both in one
    Index.match         Language.read           the event into the atoms that hold in it
                        Language.find           the slots whose clauses they satisfy
                        Catalog.id              slot 0 is "s1"

The state, and how it changes while others read, is in `changes.py`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from functools import partial
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    cast,
    final,
    overload,
)

import numpy as np
import pyarrow as pa

from watchword import snapshot
from watchword.arrays import Arrays, prefixed, under
from watchword.errors import EventError, SnapshotError, SubscriptionError
from watchword.index.answers import EVENT, Call
from watchword.index.catalog import Catalog, Id
from watchword.index.changes import State, as_reader, as_writer
from watchword.index.columns import Named, as_columns
from watchword.index.comparing import Comparison
from watchword.index.covering import MOST_STEPS, Covering
from watchword.index.events import EVENTS_AT_ONCE, Pace, Present, as_sequence, batches, without_nulls
from watchword.index.frames import Names, Wanted, given_events, given_parts
from watchword.index.hits import Hits
from watchword.index.language import EventKind, Language, Method, constructor_of, settle_options
from watchword.index.places import MOST_PLACES, Occurrence, Place, checked_limit
from watchword.index.portions import Portions, portion_size, thread_count
from watchword.index.reasons import Reasons, refuse_read_once
from watchword.index.refusals import Refusals, Refused, without_refused
from watchword.index.report import Explanation, Stats, index_html
from watchword.index.routing import Atoms, Needs
from watchword.index.views import Items, Values
from watchword.languages import language_class
from watchword.strings import Strings, from_texts
from watchword.visible import counted

if TYPE_CHECKING:
    from typing_extensions import TypeVar as DefaultTypeVar

    Key = DefaultTypeVar("Key", bound=Id, default=Any)
else:
    Key = TypeVar("Key")


class ArrowTable(Protocol):
    """A table that exports an Arrow stream: of pyarrow, pandas, polars, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


Subscriptions: TypeAlias = Mapping[Key, str] | Iterable[tuple[Key, str]] | ArrowTable

_MISSING: Any = object()
"""The default of `pop`: no default was given."""
SHOWN = 10
"""How many subscriptions a notebook shows."""


class Index(State, MutableMapping[Key, str]):
    """A mapping from subscription id to subscription text, plus `match`. For type checkers it is generic in its ids:
    ``KeywordIndex[str]``.

    `subscriptions` is a mapping, pairs, or a table of any library with the columns `id` and `subscription`; the
    arguments `id` and `subscription` name other columns. Ids are all `str` or all `int`. `method` names one of the
    language's ways to match, which all give the same answers; `auto` is the one to use. `options` are those of the
    language and of the method; they are kept, and saved with the index.

    Subscribe by ``index[id] = text``, unsubscribe by ``del index[id]``; a text that is refused changes nothing.

    An index may be matched, changed, saved and asked by any number of threads at once. Each answer is that of a state
    which the index had between call and return; a change happens whole or not at all, also when it is interrupted.
    """

    plug: ClassVar[type[Language]]
    language: ClassVar[str]
    methods: ClassVar[Mapping[str, Method]]
    reads: ClassVar[EventKind]
    """What an event is: a text, several texts, an object, a document."""
    __signature__: ClassVar[inspect.Signature]
    """The constructor with every option of the language by name."""

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        cls.language, cls.methods, cls.reads = cls.plug.name, cls.plug.methods, cls.plug.reads
        cls.__signature__ = constructor_of(cls.plug)

    def __init__(
        self,
        subscriptions: Subscriptions[Key] | None = None,
        *,
        id: str | None = None,
        subscription: str | None = None,
        method: str = "auto",
        **options: Any,
    ) -> None:
        self._options = settle_options(self.plug, method, options)
        self.method = method
        super().__init__(partial(self.plug, method, self._options))
        self._events = 0
        self._nulls = 0
        self._operations = 0
        if subscriptions is not None or id is not None or subscription is not None:
            self.update(() if subscriptions is None else subscriptions, id=id, subscription=subscription)

    # the mapping

    @as_reader
    def __len__(self) -> int:
        return len(self._catalog)

    def __iter__(self) -> Iterator[Key]:
        """Yield the ids in the order of subscribing, as of the moment when the first is asked for."""
        ids = self._ids()
        for start in range(0, len(ids), 4096):
            yield from ids[start : start + 4096].to_pylist()

    @final
    def items(self) -> Items[Key]:
        """Return a view of the pairs; an iteration gives the pairs of the moment when it begins."""
        return Items(self, self._columns)

    @final
    def values(self) -> Values:
        """Return a view of the texts; an iteration gives the texts of the moment when it begins."""
        return Values(self, self._columns)

    @as_reader
    def __contains__(self, key: object) -> bool:
        return self._catalog.slot(key) is not None

    @as_reader
    def __getitem__(self, key: Key) -> str:
        return self._catalog.text(self._slot(key))

    def __setitem__(self, key: Key, text: str) -> None:
        quick = self._plugged.one_change
        if quick is not None and quick.takes(text):
            self._gate.refuse_nested()
            with self._gate.changes:
                if self._undo is None and self._catalog.is_free(key) and self._gate.alone(self._append_text, key, text):
                    return
        self._put(key, text, self._plugged.compile_one(text))

    def __delitem__(self, key: Key) -> None:
        self._gate.refuse_nested()
        with self._gate.changes:  # as `as_writer` does, which would cost a call more
            if self._undo is not None:
                self._repair()
            self._delete(key)

    @overload  # type: ignore[override]
    def update(
        self,
        subscriptions: Subscriptions[Key] = (),
        /,
        *,
        id: str | None = None,
        subscription: str | None = None,
        on_error: Literal["raise"] = "raise",
        **more: str,
    ) -> None: ...
    @overload
    def update(
        self,
        subscriptions: Subscriptions[Key] = (),
        /,
        *,
        id: str | None = None,
        subscription: str | None = None,
        on_error: Literal["skip"],
        **more: str,
    ) -> list[Refused]: ...
    def update(
        self,
        subscriptions: Subscriptions[Key] = (),
        /,
        *,
        id: str | None = None,
        subscription: str | None = None,
        on_error: str = "raise",
        **more: str,
    ) -> list[Refused] | None:
        """Subscribe many at once, replacing those already there: a mapping, pairs, or a table of any library with the
        columns ``id`` and ``subscription``; the arguments `id` and `subscription` name other columns.

        All of them or, if one is refused, none. With ``on_error="skip"`` refused subscriptions are left out and
        returned, each with its row, its id and the error; of an id that stands more than once the first counts.
        """
        if more:
            subscriptions = {**dict(cast("Mapping[Key, str]", subscriptions)), **cast("Mapping[Key, str]", more)}
        refusals = Refusals(on_error)
        given = as_columns(subscriptions, self._kind(), refusals, Named(id, subscription))
        while True:
            try:
                self._load(given.ids, given.texts)
                return sorted(refusals.found, key=lambda refused: refused.row) if refusals.skips else None
            except SubscriptionError as error:
                if error.row is None:
                    raise
                if not refusals.skips:
                    raise given.placed(error, error.row) from None
                given = without_refused(given, error, self._plugged, refusals)

    @final
    @as_writer
    def clear(self) -> None:
        """Unsubscribe everything."""
        self._gate.exclusively(self._start_over)

    @final
    @as_writer
    def pop(self, key: Key, default: Any = _MISSING) -> Any:
        """Unsubscribe one, and return its text; `default`, if it is given, for an id that is not subscribed."""
        if self._catalog.slot(key) is None and default is not _MISSING:
            return default
        return self._delete(key)

    @final
    @as_writer
    def setdefault(self, key: Key, default: Any = None) -> str:
        """Return the text of an id, after subscribing it to `default` if it is not subscribed."""
        slot = self._catalog.slot(key)
        if slot is not None:
            return self._catalog.text(slot)
        self._insert(key, default, self._plugged.compile_one(default))
        return str(default)

    @final
    @as_writer
    def popitem(self) -> tuple[Key, str]:
        """Unsubscribe the first, and return its id and text."""
        slot = self._catalog.first()
        if slot is None:
            raise KeyError("the index is empty")
        key = self._catalog.id(slot)
        return cast(Key, key), self._delete(key)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {counted(len(self), 'subscription')}, method {self.method!r}>"

    @as_reader
    def _repr_html_(self) -> str:
        """Return what a notebook shows: the first subscriptions, and how many there are."""
        live = self._catalog.live()
        first = live[:SHOWN].tolist()
        rows = [(self._catalog.id(slot), self._catalog.text(slot)) for slot in first]
        return index_html(type(self).__name__, self.method, rows, len(live))

    # facts

    @final
    @property
    def options(self) -> dict[str, Any]:
        """Return every option with its value; with `method` they make an equal, empty index."""
        return dict(self._options)

    @final
    @as_reader
    def refusal(self, kind: pa.DataType) -> str | None:
        """Return the reason why no event of an Arrow type can be read; None if some can."""
        return self._plugged.refusal(kind)

    @final
    @property
    def attributes(self) -> list[str] | None:
        """Return the declared attributes of events that are objects; None if any attribute is allowed."""
        declared = self._plugged.attributes
        return None if declared is None else list(declared)

    @final
    @property
    def id_type(self) -> type | None:
        """Return the type of the ids, `str` or `int`; None while there are none."""
        return self._kind()

    @final
    @classmethod
    def check_options(cls, method: str = "auto", **options: Any) -> None:
        """Raise an `OptionError` if an index could not be made with a method and options; builds no index.

        An option may be well-formed and yet refused: a stemmer may be known and not installed.
        """
        cls.plug(method, settle_options(cls.plug, method, options))

    @final
    def check(self, subscription: str | Iterable[str]) -> None:
        """Raise as subscribing would if a text, or one of several, is refused; changes nothing, builds nothing."""
        if isinstance(subscription, str) or not isinstance(subscription, Iterable):
            self._plugged.compile_one(subscription)
        else:
            self._plugged.compile(from_texts(list(subscription)))

    @final
    @as_reader
    def stats(self) -> Stats:
        """Return figures: what the index holds, and the memory it takes."""
        plugged = self._plugged
        details = dict(plugged.structure.stats())
        sizes = {"structure": int(details.pop("bytes"))}
        sizes |= {name: part.bytes for name, part in plugged.parts.items() if name != "structure"}
        counted = plugged.figures()
        return Stats(
            language=self.language,
            method=self.method,
            subscriptions=len(self._catalog),
            clauses=counted["clauses"],
            atoms=counted["atoms"],
            nodes=int(details.pop("nodes", 0)),
            postings=int(details.pop("postings", 0)),
            bytes=sum(sizes.values()),
            catalog_bytes=self._catalog.bytes,
            operation=plugged.structure.operation,
            operations_per_match=self._operations / self._events if self._events else 0.0,
            events=self._events,
            nulls=self._nulls,
            details=details | {f"{name}_bytes": size for name, size in sizes.items() if size},
        )

    # matching

    @final
    def match(self, event: Any) -> list[Key]:
        """Return the ids of the subscriptions that `event` satisfies, in the order of subscribing."""
        while True:
            with self._gate.reading():
                if self._undo is None:
                    slots, operations = self._plugged.find_one(event)
                    self._events += 1  # as `_count` does, which would cost a call more
                    self._operations += operations
                    slots.sort()
                    return self._catalog.listed(slots)
                if self._gate.is_inside_change:
                    return self._before_change().match(event)
            self._repair()

    @final
    def match_many(
        self,
        events: Any,
        column: Names = None,
        *,
        columns: Names = None,
        id: str | None = None,
        ordered: bool = False,
        explain: bool | int = False,
        threads: int | None = None,
    ) -> pa.Table:
        """Match a batch: a table with a row for each event's position and each id that it satisfies.

        `events` may be any iterable of events, which is read to its end first, an Arrow array where the language reads
        one, or a table (pandas, polars, Arrow, whatever hands out an Arrow stream). Of a table, `column` is the one
        that has the events, or several whose texts are one event; `columns` are attributes, where events are objects,
        all of them unless some are named. `match_batches` is for a stream without end.

        With `id`, a column of the table, the answer has the events' own ids for their positions; with `ordered`, the
        subscriptions of an event are in the order of subscribing. An event that is null matches nothing;
        ``stats().nulls`` counts them.

        With `explain` the table has a column ``why``, what `explain` says of each pair. Reasons take long, so more than
        10,000 pairs are an `OptionError`; ``explain=50_000`` is another limit.

        Texts and Arrow arrays of a megabyte and more are matched by as many threads as there are cores, or as the
        environment variable WATCHWORD_THREADS says, or as `threads` says, whatever their size; with the same answers
        in the same order.

        Where events are documents, `events` may be an open file of concatenated documents.
        """
        reasons = None if explain is False else Reasons(explain)
        if hasattr(events, "read") and not (column or columns or id):
            documents = self._plugged.stream(events, self._current_language)
            if documents is not None:
                if reasons is not None:
                    raise EventError("explain= reads a document twice, and a file is read once; give its documents")
                return self._match_documents(documents)
        given = given_events(events, Wanted(column, columns, id), self._plugged, self.refusal)
        call = Call(without_nulls(as_sequence(given.events)), given.ids, ordered)
        if reasons is None:
            return self._match_all(call, thread_count(threads, call.events))
        refuse_read_once(call.events)
        return reasons.added_to(self._match_all(call, 1, reasons), call.events, self.explain_text)

    def _match_documents(self, documents: Iterator[Any]) -> pa.Table:
        pieces: list[tuple[pa.Array, pa.Array]] = []
        while (pairs := self._match_next(documents, len(pieces))) is not None:
            pieces.append(pairs)
        return self._table(pieces)

    @as_reader
    def _match_next(self, documents: Iterator[Any], position: int) -> tuple[pa.Array, pa.Array] | None:
        """Return the pairs of the next document; None behind the last. The index may change between two."""
        for document in documents:
            hits = self._plugged.find(document)
            self._count(hits.events, hits.operations)
            call = Call(Present(document), None, True, position)
            return call.pairs(call.arranged(hits), 0, self._catalog)
        return None

    @as_reader
    def _match_all(self, call: Call, threads: int, reasons: Reasons | None = None) -> pa.Table:
        self._nulls += call.nulls
        count = len(call.events)
        try:
            whole = self._plugged.prepared(call.events, call.position)
            if threads == 1:
                found = [self._match_portion(call, whole, 0, count, reasons)]
            else:
                portions = Portions(
                    count,
                    portion_size(call.events, threads),
                    lambda start, stop: self._match_portion(call, self._plugged.for_thread(whole, stop), start, stop),
                )
                found = portions.run(threads, self._gate.lent)
        except EventError as error:
            raise call.at_its_position(error) from None
        for portion in found:
            self._count(portion.events, portion.operations)
        return self._table([pairs for portion in found for pairs in portion.pieces], call.kind)

    def _match_portion(
        self, call: Call, events: Any, start: int, stop: int, reasons: Reasons | None = None
    ) -> _Portion:
        """Match the events from `start` to `stop`; several threads may."""
        plugged, pace, pieces, operations = self._plugged, Pace(), [], 0
        first = start
        while first < stop:  # no `slices`: a language may read fewer events than it is given
            found = plugged.find(plugged.read(events[first : min(first + pace.size, stop)], call.position + first))
            hits = call.arranged(found)
            pieces.append(call.pairs(hits, first, self._catalog))
            if reasons is not None:
                reasons.note(hits, first, self._catalog)
            operations += hits.operations
            first += hits.events
            pace.record(hits.events, len(hits.payloads))
        return _Portion(stop - start, operations, pieces)

    @final
    def match_batches(
        self,
        events: Any,
        column: Names = None,
        *,
        columns: Names = None,
        id: str | None = None,
        ordered: bool = False,
        threads: int | None = None,
    ) -> Iterator[pa.Table]:
        """Match events as they come, some at a time; yield tables as `match_many` returns them.

        Every event is in one of them, if it matches anything; the positions go on. A table is the answer of a state
        that the index had while it was made; of an iterator no more is read than the next table needs, and of an Arrow
        stream no more than its next batch. Where several threads match, as in `match_many`, tables are larger.
        """
        position, pace = 0, Pace()
        for given in given_parts(events, Wanted(column, columns, id), self._plugged, self.refusal):
            begin = position
            pace.most = EVENTS_AT_ONCE * thread_count(threads, given.events)
            for batch in batches(given.events, pace):
                end = position + len(batch)
                ids = None if given.ids is None else given.ids[position - begin : end - begin]
                call = Call(without_nulls(batch), ids, ordered, position)
                table = self._match_all(call, thread_count(threads, call.events))
                yield table
                pace.record(len(batch), table.num_rows)
                position = end

    @final
    @as_reader
    def explain(self, event: Any, key: Key) -> Explanation:
        """Say why `event` matches the subscription with this id, or why not."""
        return self._plugged.explain(event, self._catalog.text(self._slot(key)))

    @final
    def conjuncts(self, text: str) -> list[tuple[int, int]]:
        """Return start and end, in the text of a subscription, of each part that AND joins at the top.

        Where OR joins them, or the language has no AND, the whole text is the one part. What asks nothing, such as a
        stop word, is left out.

        >>> from watchword import KeywordIndex
        >>> text = "ferry AND (storm OR gale) NOT strike"
        >>> [text[start:end] for start, end in KeywordIndex().conjuncts(text)]
        ['ferry', '(storm OR gale)', 'NOT strike']
        """
        self.check(text)
        return self._plugged.conjuncts(text)

    @final
    def explain_text(self, event: Any, text: str) -> Explanation:
        """Say why `event` matches a text, which need not be subscribed, or why not.

        >>> from watchword import KeywordIndex
        >>> print(KeywordIndex().explain_text("Greece in crisis", "greece NOT crisis"))
        no match: forbidden crisis in: greece AND NOT crisis
        """
        return self._plugged.explain(event, text)

    @final
    def places(self, event: Any, text: str, limit: int = MOST_PLACES) -> list[Place]:
        """Return where in `event` the words of a text stand, which need not be subscribed; none if it does not match.

        Each place is that of an atom which the text asks for, in a part of the text that holds, by the order of the
        event's texts, then by start and end; at most the first `limit`. A comparison of numbers has no place.

        >>> from watchword import KeywordIndex
        >>> KeywordIndex().places("Greece: a debt crisis", '"debt crisis" AND greece NOT imf')
        [Place(start=0, end=6, atom='greece'), Place(start=10, end=21, atom='"debt crisis"')]
        """
        limit = checked_limit(limit)
        if not isinstance(text, str):
            self._plugged.compile_one(text)  # which raises
        return self._plugged.placing(event).first(text, limit)

    # covering

    @final
    @as_reader
    def covers(self, a: Key, b: Key, steps: int = MOST_STEPS) -> Covering:
        """Return how the subscription with id `a` relates to that with id `b`; true if it is proven to cover it.

        >>> from watchword import KeywordIndex
        >>> index = KeywordIndex({"s1": "ferry AND storm", "s2": "ferry", "s3": "tide"})
        >>> index.covers("s2", "s1"), index.covers("s1", "s2"), index.covers("s1", "s3")
        (<Covering.COVERS: 'covers'>, <Covering.COVERED: 'covered'>, <Covering.NEITHER: 'neither'>)
        """
        return self.compare_texts(self._catalog.text(self._slot(a)), self._catalog.text(self._slot(b)), steps)

    @final
    def compare_texts(self, a: str, b: str, steps: int = MOST_STEPS) -> Covering:
        """Return how a text relates to another; they need not be subscribed.

        Whatever it says is proven for every event; ``Covering.UNKNOWN`` says that nothing is proven, also where a proof
        would take more than `steps`.

        >>> from watchword import PredicateIndex
        >>> PredicateIndex().compare_texts("price > 5 AND name = 'RBS'", "price > 3")
        <Covering.COVERED: 'covered'>
        """
        return Comparison(self._plugged, a).with_text(b, steps)

    @final
    def relatives(
        self, text: str, others: Mapping[Any, str] | Iterable[tuple[Any, str]], steps: int = MOST_STEPS
    ) -> dict[Any, Covering]:
        """Return which of other texts a text equals, covers or is covered by: their ids, with the relation of the text
        to each.

        `others` are texts by id, such as this index. Each comparison has `steps` of its own. A text that is refused
        raises, with its id.

        >>> from watchword import KeywordIndex
        >>> others = {"a": "ferry AND storm", "b": "ferry OR tide", "c": "tide", "d": '"ferry"'}
        >>> {id: str(found) for id, found in KeywordIndex().relatives("ferry", others).items()}
        {'a': 'covers', 'b': 'covered', 'd': 'equal'}
        """
        comparison = Comparison(self._plugged, text)
        found: dict[Any, Covering] = {}
        for id, other in others.items() if isinstance(others, Mapping) else others:
            try:
                relation = comparison.proven(other, steps)
            except SubscriptionError as error:
                raise error.of_id(id) from None
            if relation is not None:
                found[id] = relation
        return found

    # routing: which events can reach which subscriptions

    @final
    def needs(self, texts: Strings | None = None) -> Needs | None:
        """Return the atoms that events need to satisfy `texts`, or this index; None if the language cannot tell."""
        return self._plugged.needs(self._columns()[1] if texts is None else texts)

    @final
    def atoms(self, events: pa.Array) -> Atoms | None:
        """Return the atoms that events have, comparable with `needs`; None if they cannot be told for this type."""
        return self._plugged.atoms(as_sequence(events) if isinstance(events, pa.Array | pa.ChunkedArray) else events)

    # snapshots

    @final
    @as_writer
    def save(self, path: str | Path) -> int:
        """Write a snapshot, in place of an older one if there is one; return its version.

        Other threads match meanwhile; changes wait.
        """
        meta, arrays = self._packed_state()
        return snapshot.write(path, language=self.language, meta=meta, arrays=arrays)

    @final
    @classmethod
    def open(cls, path: str | Path, *, verify: bool = False) -> Self:
        """Open a snapshot by memory map. `Index.open` opens one of any language.

        Milliseconds, whatever its size; with `verify`, every byte is read first and compared with its checksum, and a
        snapshot that was altered is a `SnapshotError`. Do not open snapshots of strangers: checksums find accidents,
        not malice.
        """
        if cls is Index:
            return language_class(snapshot.read(path).language).open(path, verify=verify)  # type: ignore[return-value]
        saved = (snapshot.verify if verify else snapshot.read)(path, cls.language)
        try:
            return cls._restored(saved.meta, saved.arrays)
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
            raise SnapshotError(f"its parts do not fit together ({error}); build it anew", path=path) from error

    @as_writer
    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by way of a snapshot in memory."""
        meta, arrays = self._packed_state()
        return _restored, (type(self), meta, {name: np.array(array) for name, array in arrays.items()})

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return an independent index with the same subscriptions."""
        restored, arguments = self.__reduce__()
        made: Self = restored(*arguments)
        return made

    def __copy__(self) -> Self:
        """Return a deep copy: two indexes share nothing that changes."""
        return self.__deepcopy__({})

    def _packed_state(self) -> tuple[dict[str, Any], Arrays]:
        """Return meta data and arrays of a snapshot; the caller holds off changes."""
        self._compact()
        arrays = prefixed("catalog", self._catalog.arrays())
        for name, part in self._plugged.parts.items():
            arrays |= prefixed(name, part.arrays())
        return {"method": self.method, "subscriptions": len(self._catalog), "options": self._options}, arrays

    @classmethod
    def _restored(cls, meta: Mapping[str, Any], arrays: Arrays) -> Self:
        self = cls(method=meta["method"], **meta["options"])
        self._catalog = Catalog.from_arrays(under("catalog", arrays))
        for name, part in self._plugged.parts.items():
            part.restore(under(name, arrays))
        return self

    # private parts: reading, for whoever holds a lane or holds off changes

    @as_reader
    def _ids(self) -> pa.Array:
        return self._catalog.live_ids()

    @as_reader
    def _columns(self) -> tuple[pa.Array, Strings]:
        return self._catalog.live_columns()

    @as_reader
    def _kind(self) -> type | None:
        return self._catalog.kind if len(self._catalog) else None

    def _find(self, events: Any, position: int) -> Hits:
        plugged = self._plugged
        hits = plugged.find(plugged.read(events, position))
        self._count(hits.events, hits.operations)
        return hits

    def _found_places(self, event: Any, limit: int) -> list[Occurrence]:
        """Return the places of each subscription that an event satisfies, at most `limit` of each, by place."""
        if hasattr(event, "__next__"):  # terms that are read once
            event = list(event)
        slots = np.sort(self._find([event], 0).payloads).tolist()
        matched = [(self._catalog.id(slot), self._catalog.text(slot)) for slot in slots]
        return self._plugged.placing(event).occurrences(matched, checked_limit(limit))

    def _count(self, events: int, operations: int) -> None:
        """Count events that were matched, and the work that they took."""
        self._events += events
        self._operations += operations

    def _table(self, pieces: list[tuple[pa.Array, pa.Array]], event: pa.DataType = EVENT) -> pa.Table:
        """Return pairs as a table; `event` is the type of the events' positions or ids."""
        kind = pa.string() if self._catalog.kind is str else pa.int64()
        ids = [ids for _, ids in pieces]
        if any(pa.types.is_large_string(part.type) for part in ids):
            kind = pa.large_string()
            ids = [part.cast(kind) for part in ids]
        schema = pa.schema([pa.field("event", event), pa.field("subscription", kind)])
        events = pa.chunked_array([events for events, _ in pieces], event)
        return pa.Table.from_arrays([events, pa.chunked_array(ids, kind)], schema=schema)


class _Portion(NamedTuple):
    """What some events gave: their number, the operations that they took, and their pairs."""

    events: int
    operations: int
    pieces: list[tuple[pa.Array, pa.Array]]


def _restored(kind: type[Index], meta: Mapping[str, Any], arrays: Arrays) -> Index:
    return kind._restored(meta, arrays)
