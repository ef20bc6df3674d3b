"""A file of events as a stream of batches, however large the file is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from watchword.files import Closing
from watchword.tables.readers import choose_column, open_reader
from watchword.tables.sources import TableError, check_kind

_GUESSES = ("text", "title", "body")


class Batch(NamedTuple):
    """Some events: their texts, none of them null, their ids, and their line or row numbers."""

    texts: pa.Array
    ids: pa.Array
    numbers: pa.Array

    def part(self, start: int, size: int) -> Batch:
        """Return at most `size` of the events, from `start` on; nothing is copied."""
        return Batch(*(column.slice(start, size) for column in self))


class Events(Closing):
    """The events of one file, read once, in batches of at most `size`.

    `text` and `event_id` name columns; the first is guessed, the second is replaced by line or row numbers
    where they are not given. Events whose text is null are left out and counted in `without_text`.
    """

    def __init__(self, path: str, *, text: str | None = None, event_id: str | None = None, size: int = 10_000) -> None:
        self._reader = open_reader(path)
        self._size = size
        self.without_text = 0
        self.label, self.unit = self._reader.label, self._reader.unit
        self._by_id = event_id is not None
        try:
            self._names = self._column_names(text, event_id)
        except TableError:
            self.close()
            raise

    def _column_names(self, text: str | None, event_id: str | None) -> list[str]:
        columns = self._reader.columns
        if columns is None and (text or event_id):
            choose_column(self._reader, "", "--text and --event-id", None, ())
        if not columns:  # plain lines, or JSON lines with none
            return [""]
        ids = [] if event_id is None else [choose_column(self._reader, "ids", "--event-id", event_id, ())]
        return [choose_column(self._reader, "events", "--text", text, _GUESSES, taken=event_id), *ids]

    @property
    def id_type(self) -> pa.DataType:
        """The type of `Batch.ids` for a file without events, which shows none: int64, or string by column."""
        return pa.string() if self._by_id else pa.int64()

    @property
    def total(self) -> int | None:
        """How far `position` will go: bytes or rows; `None` where nobody knows, as for standard input."""
        return self._reader.total

    def position(self) -> int:
        """Return how much has been read."""
        return self._reader.position()

    def __iter__(self) -> Iterator[Batch]:
        kind: pa.DataType | None = None
        for chunk in self._reader.chunks(self._names, self._size):
            if not len(chunk.numbers):
                continue
            texts, numbers = chunk.columns[0], chunk.numbers
            check_kind(chunk, 0, pa.string(), "the event", self.label, self.unit)
            ids = chunk.columns[1] if self._by_id else numbers
            if ids.null_count:
                row = pc.index(ids.is_null(), True).as_py()
                raise TableError("the event's id is missing", path=self.label, place=self.place(numbers[row]))
            if self._by_id:
                kind = kind or ids.type
                check_kind(chunk, 1, kind, "the event's id", self.label, self.unit)
            if texts.null_count:
                self.without_text += texts.null_count
                there = texts.is_valid()
                texts, ids, numbers = texts.filter(there), ids.filter(there), numbers.filter(there)
            yield Batch(texts, ids, numbers)

    def place(self, number: object) -> str:
        """Return the place of an event, given its number: ``line 7``."""
        return f"{self.unit} {number}"

    def close(self) -> None:
        """Close the file; standard input stays open."""
        self._reader.close()
