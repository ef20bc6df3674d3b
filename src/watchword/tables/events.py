"""A file of events as a stream of batches, however large the file is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from watchword.files import Closing
from watchword.index.texts import together
from watchword.tables.lines import JsonReader, LineReader
from watchword.tables.parquet import ParquetReader
from watchword.tables.readers import choose_column, open_reader
from watchword.tables.sources import Chunk, TableError, check_kind

_GUESSES = ("text", "title", "body")


class Batch(NamedTuple):
    """Some events, none of them null: texts, or objects as structs or JSON, or a list of documents; their ids, and
    line or row numbers."""

    events: Any
    ids: pa.Array
    numbers: pa.Array

    def part(self, start: int, size: int) -> Batch:
        """Return at most `size` of the events, from `start` on; nothing is copied."""
        return Batch(*(column[start : start + size] for column in self))


class Events(Closing):
    """The events of one file, read once, in batches of at most `size`.

    `text` and `event_id` name columns; the first, or several whose texts are one event (`index.texts`), is guessed,
    the second is replaced by line or row numbers where they are not given. Events whose text is null are left out and
    counted in `without_text`. `kind` is that of the file (`KINDS`), if not the one that its name says.

    With `objects` (`Language.objects`) an event is a whole row, or what the column `text` holds where it is given; a
    line of JSON stays a text with ``"json"``, and becomes columns with ``"columns"``. Of rows that become columns only
    those in `attributes` are kept, if it is set; in JSON an attribute that is missing or null is 0.

    With `skip`, rows that cannot be read are left out; `refused` has their numbers and the reasons, until taken out.
    """

    attributes: list[str] | None = None
    guessed: str | None = None
    """The column that was taken for the events, where it might have been another."""
    documents = False

    def __init__(
        self,
        path: str,
        *,
        text: str | Sequence[str] | None = None,
        event_id: str | None = None,
        size: int = 10_000,
        objects: Literal["columns", "json"] | None = None,
        kind: str | None = None,
        skip: bool = False,
    ) -> None:
        self.refused: list[tuple[int, str]] = []
        self._reader = open_reader(path, kind, self._refuse if skip else None)
        names = [text] if isinstance(text, str) else list(dict.fromkeys(text or ()))
        self._text = names[0] if len(names) == 1 else None
        self._several = names if len(names) > 1 else []
        self._size, self._objects = size, objects
        self.without_text = 0
        self.label, self.unit = self._reader.label, self._reader.unit
        self._by_id = event_id is not None
        try:
            self._names = self._column_names(self._text, event_id)
        except TableError:
            self.close()
            raise

    def _refuse(self, number: int, reason: str) -> None:
        self.refused.append((number, reason))

    def _column_names(self, text: str | None, event_id: str | None) -> list[str]:
        columns = self._reader.columns
        if columns is None and (text or event_id or self._several):
            choose_column(self._reader, "", "--text and --event-id", None, ())
        if not columns:  # plain lines, or JSON lines with none
            return [""]
        ids = [] if event_id is None else [choose_column(self._reader, "ids", "--event-id", event_id, ())]
        if self._several:
            return [*(choose_column(self._reader, "events", "--text", name, ()) for name in self._several), *ids]
        if self._objects is not None and text is None:
            return ["", *ids]
        chosen = choose_column(self._reader, "events", "--text", text, _GUESSES, taken=event_id)
        if text is None and any(name in columns for name in _GUESSES if name not in (chosen, event_id)):
            self.guessed = chosen
        return [chosen, *ids]

    @property
    def id_type(self) -> pa.DataType:
        """The type of `Batch.ids` for a file without events, which shows none: int64, or string by column."""
        return pa.string() if self._by_id else pa.int64()

    @property
    def total(self) -> int | None:
        """The last `position`, in bytes or rows; `None` if unknown, as for standard input."""
        return self._reader.total

    def position(self) -> int:
        """Return how much has been read."""
        return self._reader.position()

    def __iter__(self) -> Iterator[Batch]:
        kind: pa.DataType | None = None
        for chunk in self._chunks():
            if not len(chunk.numbers):
                continue
            if self._several:
                chunk = self._together(chunk)
            events, numbers = chunk.columns[0], chunk.numbers
            if self._objects is None and not self._several and not pa.types.is_binary(events.type):
                check_kind(chunk, 0, pa.string(), "the event", self.label, self.unit)
            ids = chunk.columns[1] if self._by_id else numbers
            if ids.null_count:
                row = pc.index(ids.is_null(), True).as_py()
                raise TableError("the event's id is missing", path=self.label, place=self.place(numbers[row]))
            if self._by_id:
                kind = kind or ids.type
                check_kind(chunk, 1, kind, "the event's id", self.label, self.unit)
            if events.null_count:
                self.without_text += events.null_count
                there = events.is_valid()
                events, ids, numbers = events.filter(there), ids.filter(there), numbers.filter(there)
            yield Batch(events, ids, numbers)

    def _chunks(self) -> Iterator[Chunk]:
        """Return the events as the first column of chunks, and their ids as the second, if they have any."""
        reader, size = self._reader, self._size
        if self._several:
            return reader.chunks(self._names, size)
        key = self._names[1] if self._by_id else None
        if self._objects is None and isinstance(reader, ParquetReader) and reader.is_binary(self._names[0]):
            return reader.objects(key, size, self._names[0])
        if self._objects is None or isinstance(reader, LineReader):
            return reader.chunks(self._names, size)
        if isinstance(reader, ParquetReader) or (isinstance(reader, JsonReader) and self._objects == "columns"):
            found = reader.objects(key, size, self._text)
        elif self._text is not None:
            return reader.chunks(self._names, size)
        elif isinstance(reader, JsonReader):
            return reader.texts(key, size)
        else:
            found = reader.objects(key, size)
        return found if self._text is not None or self.attributes is None else map(self._declared, found)

    def _together(self, chunk: Chunk) -> Chunk:
        """Return the texts of each row as one event, which is null where all of them are."""
        count = len(self._several)
        for at, name in enumerate(self._several):
            check_kind(chunk, at, pa.string(), f"the event's {name!r}", self.label, self.unit)
        texts = {name: column.cast(pa.string()) for name, column in zip(self._several, chunk.columns, strict=False)}
        return Chunk(chunk.numbers, [together(texts), *chunk.columns[count:]])

    def _declared(self, chunk: Chunk) -> Chunk:
        """Return whole rows with the declared attributes only."""
        rows, wanted = chunk.columns[0], self.attributes or []
        columns = {field.name: column for field, column in zip(rows.type, rows.flatten(), strict=True)}
        if isinstance(self._reader, JsonReader):
            columns = {name: _zeros_for_nulls(columns.get(name, pa.nulls(len(rows)))) for name in wanted}
        kept = [name for name in wanted if name in columns]
        events = pa.StructArray.from_arrays([columns[name] for name in kept], names=kept)
        return Chunk(chunk.numbers, [events, *chunk.columns[1:]])

    def place(self, number: object) -> str:
        """Return the place of an event, given its number: ``line 7``."""
        return f"{self.unit} {number}"

    def failure(self, number: object, reason: str) -> TableError:
        """Return the error for an event that cannot be matched, given its number."""
        return TableError(reason, path=self.label, place=self.place(number))

    def close(self) -> None:
        """Close the file; standard input stays open."""
        self._reader.close()


def _zeros_for_nulls(column: pa.Array) -> pa.Array:
    if pa.types.is_null(column.type):
        return pa.array([False] * len(column))
    if not column.null_count or not (pa.types.is_boolean(column.type) or pa.types.is_integer(column.type)):
        return column
    return column.fill_null(pa.scalar(0).cast(column.type))
