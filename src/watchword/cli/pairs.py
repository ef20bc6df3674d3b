"""Tables of pairs, the output of `watchword match`, and the events that could not be read.

A table has the columns ``file`` (where several files have numbered events), ``event``, the places (if they were asked
for: of paths ``element``, of other languages ``start`` and ``end``, and before them ``attribute`` and ``member`` where
an event has several texts), ``subscription`` and ``why`` (if that was asked for).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from watchword.cli.reporting import fail, note, track
from watchword.cli.wording import in_flags
from watchword.errors import EventError
from watchword.index import Index
from watchword.index.events import Pace, around
from watchword.index.reasons import event_at
from watchword.tables import Batch, DocumentStream, Source, TableError

FIRST_SIZE = 64
"""How many events are matched first; then as many as should give a bounded number of pairs (`Pace`)."""
DOCUMENTS_AT_ONCE, PAIRS_AT_ONCE = 256, 1 << 16
"""When the pairs of a stream of documents are written; those of standard input after each document."""


@dataclass(frozen=True)
class Wanted:
    """The options of a match: what each pair shows, and what happens to an event that cannot be read."""

    batch: int = 10_000
    explain: bool = False
    places: bool = False
    limit: int | None = None
    """How many places of a subscription in an event."""
    skip: bool | None = None
    """Whether events that cannot be read are reported and left out; if None, that is done with documents in files."""
    several_texts: bool = False
    """Whether an event is several texts of named columns."""


class Pairs:
    """Makes tables of pairs, and counts what passes."""

    def __init__(self, index: Index, wanted: Wanted, *, named: bool) -> None:
        """`named`: there are several files, and each row names its file."""
        self._index, self._wanted, self._named = index, wanted, named
        self._columns = _place_columns(index, wanted) if wanted.places else {}
        self._kind: pa.DataType | None = None
        self._pace = Pace(FIRST_SIZE, wanted.batch)
        self.events = self.pairs = self.unread = 0

    def of(self, source: Source, *, shown: bool) -> Iterator[pa.Table]:
        """Yield the pairs of a source, table by table; `shown`: under a progress bar."""
        tables = self._streamed(source, shown) if isinstance(source, DocumentStream) else self._batches(source, shown)
        for table in tables:
            self._check_kind(table, source)
            self.pairs += len(table)
            yield table

    def empty(self, source: Source) -> pa.Table:
        """Return a table without rows, so that an answer without matches has its columns."""
        return self._table(source, pa.array([], source.id_type), {}, pa.array([], self._id_type))

    @property
    def _id_type(self) -> pa.DataType:
        return pa.int64() if self._index.id_type is int else pa.string()

    def _table(self, source: Source, events: Any, places: dict[str, Any], ids: Any, why: Any = None) -> pa.Table:
        columns = {"file": pa.array([source.label] * len(events), pa.string())} if self._named else {}
        columns["event"] = events
        columns |= {name: places.get(name, pa.array([], kind)) for name, kind in self._columns.items()}
        columns["subscription"] = ids
        if self._wanted.explain:
            columns["why"] = pa.array(why or [], pa.string())
        return pa.table(columns)

    def _check_kind(self, table: pa.Table, source: Source) -> None:
        kind = table.schema.field("event").type
        self._kind = self._kind or kind
        if kind != self._kind:
            reason = f"its events' ids are {kind}, those of the files before it {self._kind}: match it by itself"
            raise TableError(reason, path=source.label)

    # what cannot be read

    def _refuse(self, source: Source, number: object, reason: str) -> None:
        """Report an event that cannot be read, or raise."""
        error = source.failure(number, reason)
        if not self._skips(source):
            raise error
        self.unread += 1
        note(in_flags(str(error)))

    def _skips(self, source: Source) -> bool:
        return source.documents if self._wanted.skip is None else self._wanted.skip

    # events in batches

    def _batches(self, source: Any, shown: bool) -> Iterator[pa.Table]:
        for batch in track(source, source, shown):
            self.events += len(batch.events)
            self._tell_refused(source)
            for part in self._pace.slices(max(len(batch.events), 1)):  # an empty batch gives an empty table
                some = batch.part(part.start, part.stop - part.start)
                table = self._places_of(source, some) if self._wanted.places else self._pairs_of(source, some)
                yield table
                self._pace.record(len(some.events), len(table))
        self._tell_refused(source)

    def _tell_refused(self, source: Any) -> None:
        """Report the rows of a file that were left out while it was read."""
        refused = getattr(source, "refused", [])
        while refused:
            self.events += 1
            self._refuse(source, *refused.pop(0))

    def _pairs_of(self, source: Source, batch: Batch) -> pa.Table:
        """Return the pairs of some events, under the events' own ids."""
        if self._skips(source):
            answers, refused = around(batch.events, self._index.match_many)
        else:
            answers, refused = _all_or_first(batch.events, self._index)
        for position, reason in refused.items():
            self._refuse(source, batch.numbers[position], reason)
        events = [pc.add(chunk, start) for start, table in answers for chunk in table["event"].chunks]
        positions = pa.chunked_array(events, pa.int64())
        columns = [table["subscription"].cast(self._id_type) for _, table in answers]  # an empty index has no type
        ids = pa.chunked_array([chunk for column in columns for chunk in column.chunks], self._id_type)
        why = self._reasons(batch.events, positions, ids) if self._wanted.explain else None
        return self._table(source, pa.chunked_array([batch.ids]).take(positions), {}, ids, why)

    def _reasons(self, events: Any, positions: pa.ChunkedArray, ids: pa.ChunkedArray) -> list[str]:
        pairs = zip(positions.to_pylist(), ids.to_pylist(), strict=True)
        return [str(self._index.explain(event_at(events, at), id)) for at, id in pairs]

    def _places_of(self, source: Source, batch: Batch) -> pa.Table:
        """Return every place where an event satisfies a subscription."""
        rows: list[tuple[Any, ...]] = []
        why: list[str] = []
        for at, number in enumerate(batch.numbers):
            event = event_at(batch.events, at)
            try:
                places = self._places(event)
            except EventError as error:
                self._refuse(source, number, error.reason)
                continue
            rows += [(at, *place) for place in places]
            why += self._reasons_of(event, [id for *_, id in places]) if self._wanted.explain else []
        positions, *columns = zip(*rows, strict=True) if rows else [()] * (2 + len(self._columns))
        *found, ids = (list(column) for column in columns)
        named = {
            name: pa.array(column, kind) for (name, kind), column in zip(self._columns.items(), found, strict=True)
        }
        events = batch.ids.take(pa.array(positions, pa.int64()))
        return self._table(source, events, named, pa.array(ids, self._id_type), why)

    def _reasons_of(self, event: Any, ids: list[Any]) -> list[str]:
        """Return why an event satisfies each subscription of `ids`; an id may repeat, once for each place."""
        reasons = {id: str(self._index.explain(event, id)) for id in dict.fromkeys(ids)}
        return [reasons[id] for id in ids]

    def _places(self, event: Any) -> list[tuple[Any, ...]]:
        """Return the places of an event, each followed by the subscription's id."""
        index: Any = self._index
        limits = [self._wanted.limit] if index.reads.documents or self._wanted.limit is not None else []
        places = index.occurrences(event, *limits)
        return [(*(getattr(place, name) for name in self._columns), place.id) for place in places]

    # concatenated documents

    def _streamed(self, source: DocumentStream, shown: bool) -> Iterator[pa.Table]:
        index: Any = self._index
        wanted = self._wanted
        matches = index.occurrences_stream(source, wanted.limit) if wanted.places else index.match_stream(source)
        numbers: list[int] = []
        elements: list[int] = []
        ids: list[Any] = []
        waiting = 0
        for document in self._read(source, track(source, matches, shown)):
            self.events, waiting = self.events + 1, waiting + 1
            if document.error is not None:
                self._refuse(source, document.document + 1, document.error.reason)
            numbers += [document.document + 1] * len(document.ids)
            elements += document.elements
            ids += document.ids
            if source.is_live or waiting == DOCUMENTS_AT_ONCE or len(ids) >= PAIRS_AT_ONCE:
                yield self._of_documents(source, numbers, elements, ids)
                numbers, elements, ids, waiting = [], [], [], 0
        yield self._of_documents(source, numbers, elements, ids)

    def _read(self, source: DocumentStream, matches: Iterator[Any]) -> Iterator[Any]:
        """Yield the matches of a stream; a stream without any document is an error."""
        try:
            yield from matches
        except EventError as error:
            raise TableError(error.reason, path=source.label) from None

    def _of_documents(self, source: Source, numbers: list[int], elements: list[int], ids: list[Any]) -> pa.Table:
        places = {"element": pa.array(elements, pa.int64())}
        return self._table(source, pa.array(numbers, pa.int64()), places, pa.array(ids, self._id_type))


def _place_columns(index: Any, wanted: Wanted) -> dict[str, pa.DataType]:
    """Return the columns of places with their types; a language without places ends the command."""
    if index.reads.documents:
        return {"element": pa.int64()}
    if not hasattr(index, "occurrences"):
        fail(f"--occurrences: {index.language} do not say where; keywords, patterns, paths and predicates do")
    if wanted.limit is not None and index.language == "patterns":
        fail(f"--limit: {index.language} say one place a subscription: leave it out")
    columns = {"start": pa.int64(), "end": pa.int64()}
    if index.reads.objects:
        return {"attribute": pa.string(), "member": pa.int64(), **columns}
    return {"attribute": pa.string(), **columns} if wanted.several_texts else columns


def _all_or_first(events: Any, index: Index) -> tuple[list[tuple[int, pa.Table]], dict[int, str]]:
    """Match events; return either all pairs, or the first event that is refused with the reason."""
    try:
        return [(0, index.match_many(events))], {}
    except EventError as error:
        return [], {error.position: error.reason}
