"""From events to term numbers.

An event is a text (`str`, or UTF-8 `bytes`) or an iterable of terms already analysed; a batch of them may be an
Arrow array: strings, binaries, or lists of strings, plain or dictionary-encoded. All become `Items`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword.buffers import Strings, first_null, from_arrow, from_pieces, from_texts
from watchword.errors import EventError
from watchword.hits import Int32, Int64
from watchword.index import Batch
from watchword.kernels import clauses as kernels
from watchword.kernels import items as item_kernels
from watchword.keywords.structure import Rows
from watchword.text import INVALID, Analyzer, tables, tokenize
from watchword.vocabulary import Vocabulary


class Sequences(NamedTuple):
    """Terms in order, -1 where unknown: event `i` has ``numbers[row_ends[i - 1]:row_ends[i]]``."""

    row_ends: Int64
    numbers: Int32


class Items(NamedTuple):
    """Events in term numbers: the distinct known terms of each, and all of them in order."""

    sets: Rows
    sequences: Sequences


class ItemReader:
    """Reads events with an analyser and a vocabulary."""

    def __init__(self, analyzer: Analyzer, vocabulary: Vocabulary) -> None:
        self._analyzer = analyzer
        self._vocabulary = vocabulary
        self._surfaces = None if analyzer.is_plain else _Surfaces(analyzer, vocabulary)

    def parts(self, events: Any, batch: Batch) -> Iterator[Any]:
        """Cut events into batches for `read`."""
        if isinstance(events, pa.ChunkedArray):
            for chunk in events.chunks:
                yield from self.parts(chunk, batch)
        elif isinstance(events, pa.Array):
            if _is_list(events.type) and pa.types.is_dictionary(events.type.value_type):
                yield from self._dictionary_parts(events, batch)
            else:
                for start, stop in batch.slices(len(events)):
                    yield events[start:stop]
        elif isinstance(events, str | bytes | dict):
            raise EventError(
                f"match_many takes many events, not one {type(events).__name__}; use match, or put it into a list"
            )
        else:
            yield from batch.lists(events)

    def read(self, events: Any, position: int) -> Items:
        """Return a batch, whose first event is at `position`, in term numbers."""
        if isinstance(events, Sequences):
            return _items(events)
        if isinstance(events, pa.Array):
            return self._arrow(events, position)
        for event in events:
            if type(event) is not str:
                return _items(self._mixed(events, position))
        return self._texts(from_texts(events), position)

    def _arrow(self, column: pa.Array, position: int) -> Items:
        row = first_null(column)
        if row is not None:
            raise EventError("it is null; leave nulls out", position=position + row)
        if _is_list(column.type):
            return _items(self._lists(column, position))
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if not _is_text(column.type):
            raise EventError(
                f"an array of {column.type} has no texts; expected strings, binaries or lists of strings",
                position=position,
            )
        return self._texts(from_arrow(column), position)

    def _lists(self, column: pa.Array, position: int) -> Sequences:
        values = column.flatten()
        if not _is_text(values.type):
            raise EventError(f"a list of {values.type} has no terms; expected strings", position=position)
        ends = np.cumsum(_list_lengths(column), dtype=np.int64)
        row = first_null(values)
        if row is not None:
            event = int(np.searchsorted(ends, row, side="right"))
            raise EventError("one of its terms is null", position=position + event)
        return Sequences(ends, self._vocabulary.find(from_arrow(values)))

    def _dictionary_parts(self, column: pa.Array, batch: Batch) -> Iterator[Any]:
        """Look the dictionary up once, whatever the number of events."""
        if column.null_count or column.flatten().null_count:
            for start, stop in batch.slices(len(column)):
                yield column[start:stop].cast(pa.large_list(pa.large_string()))
            return
        values = column.flatten()
        numbers = self._vocabulary.find(from_arrow(values.dictionary))
        ends = np.cumsum(_list_lengths(column), dtype=np.int64)
        indices = values.indices.to_numpy(zero_copy_only=False)
        for start, stop in batch.slices(len(column)):
            first = int(ends[start - 1]) if start else 0
            yield Sequences(ends[start:stop] - first, numbers[indices[first : ends[stop - 1]]])

    def _texts(self, strings: Strings, position: int) -> Items:
        """Scan texts and look their terms up."""
        if self._surfaces is not None:
            try:
                words, row_ends = tokenize(strings)
            except EventError as error:
                raise EventError(error.reason, position=position + error.position) from None
            return _items(self._surfaces.find(words, row_ends))
        known = self._vocabulary
        offsets, terms, row_ends, numbers = item_kernels.read_texts(
            strings.data, strings.offsets, strings.surrogates, *tables(), known.table, known.blob, known.ends
        )
        if len(row_ends) and row_ends[0] < 0:
            raise EventError(INVALID, position=position - 1 - int(row_ends[0]))
        return Items(Rows(offsets, terms), Sequences(row_ends, numbers))

    def _mixed(self, events: list[Any], position: int) -> Sequences:
        """Read events of which some are not `str`."""
        pieces: list[bytes] = []
        ends = np.empty(len(events), np.int64)
        for row, event in enumerate(events):
            pieces += [term.encode("utf-8", "surrogatepass") for term in self.terms(event, position + row)]
            ends[row] = len(pieces)
        return Sequences(ends, self._vocabulary.find(from_pieces(pieces)))

    def terms(self, event: Any, position: int = 0) -> list[str]:
        """Return the terms of one event, in plain Python."""
        if isinstance(event, bytes | bytearray | memoryview):
            try:
                event = bytes(event).decode()
            except UnicodeDecodeError as error:
                raise EventError(f"invalid UTF-8 at byte {error.start}", position=position) from None
        if isinstance(event, str):
            return self._analyzer.terms(event)
        if isinstance(event, Iterable) and not isinstance(event, dict):
            terms = list(event)
            for term in terms:
                if not isinstance(term, str):
                    raise EventError(f"its terms must be str, and {term!r} is {type(term).__name__}", position=position)
            return terms
        raise EventError(f"an event is a text or an iterable of terms, not {type(event).__name__}", position=position)


class _Surfaces:
    """Remembers which term a word of a text becomes, for analysers that a kernel cannot run.

    A surface (folded run) has a stem, or -1 where it is dropped; a stem has a term number, or -1 while no
    subscription asks for it. Both tables are forgotten when they have grown past `LIMIT`.
    """

    LIMIT = 1 << 20

    def __init__(self, analyzer: Analyzer, vocabulary: Vocabulary) -> None:
        self._analyzer, self._vocabulary = analyzer, vocabulary
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._words, self._stems = Vocabulary(), Vocabulary()
        self._stem_of = np.empty(0, np.int32)
        self._term_of = np.empty(0, np.int32)
        self._seen = (-1, -1)

    def find(self, words: Strings, row_ends: Int64) -> Sequences:
        """Return the terms of rows of words, dropped ones left out."""
        with self._lock:
            if len(self._words) > self.LIMIT:
                self._forget()
            numbers = self._words.intern(words)
            self._learn()
            stems = self._stem_of[numbers]
            terms = self._term_of
        kept = stems >= 0
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept, dtype=np.int64)])
        return Sequences(before[row_ends], terms[stems[kept]])

    def _learn(self) -> None:
        """Stem the words that are new, and look all stems up again if subscriptions brought new terms."""
        known = len(self._stem_of)
        if known < len(self._words):
            refined = [self._analyzer.refine([self._words.text(n)]) for n in range(known, len(self._words))]
            stems = self._stems.intern_texts([terms[0] if terms else "" for terms in refined])
            dropped = np.array([not terms for terms in refined], np.bool_)
            self._stem_of = np.concatenate([self._stem_of, np.where(dropped, -1, stems).astype(np.int32)])
        seen = (len(self._stems), len(self._vocabulary))
        if seen != self._seen:
            offsets = np.concatenate([np.zeros(1, np.int64), self._stems.ends[: len(self._stems)]])
            self._term_of = self._vocabulary.find(Strings(self._stems.blob, offsets))
            self._seen = seen


def _items(sequences: Sequences) -> Items:
    offsets = np.empty(len(sequences.row_ends) + 1, np.int64)
    terms = np.empty(len(sequences.numbers), np.int32)
    count = kernels.distinct(sequences.row_ends, sequences.numbers, offsets, terms)
    return Items(Rows(offsets, terms[:count]), sequences)


def _list_lengths(column: pa.Array) -> npt.NDArray[np.int64]:
    lengths: npt.NDArray[np.int64] = column.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
    return lengths


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _is_text(kind: pa.DataType) -> bool:
    checks = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_string_view,
        pa.types.is_null,
    )
    return any(check(kind) for check in checks)
