"""From events to term numbers.

An event is a text (`str`, or UTF-8 `bytes`) or an iterable of terms already analysed; a batch of them may be an
Arrow array: strings, binaries, or lists of strings, plain or dictionary-encoded. All become rows of term numbers, -1
for a term that no subscription asks for.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from watchword.arrays import Int64, offsets_of
from watchword.errors import EventError
from watchword.index import Batch
from watchword.index.events import cut, decoded, is_text, refuse_nulls, texts_of
from watchword.kernels.sets import clauses as clause_kernels
from watchword.kernels.text import read_terms as kernels
from watchword.sets.structure import Rows
from watchword.strings import Strings, first_null, from_arrow, from_pieces, from_texts
from watchword.text.analyzer import INVALID, Analyzer, tables, tokenize
from watchword.text.vocabulary import Vocabulary


class ItemReader:
    """Reads events with an analyser and a vocabulary."""

    def __init__(self, analyzer: Analyzer, vocabulary: Vocabulary) -> None:
        self._analyzer = analyzer
        self._vocabulary = vocabulary
        self._surfaces = None if analyzer.is_plain else _Surfaces(analyzer, vocabulary)

    def parts(self, events: Any, batch: Batch) -> Iterator[Any]:
        """Cut events into batches for `read`."""
        if isinstance(events, pa.Array | pa.ChunkedArray) and _is_numbered(events.type):
            for chunk in events.chunks if isinstance(events, pa.ChunkedArray) else [events]:
                yield from self._dictionary_parts(chunk, batch)
        else:
            yield from cut(events, batch)

    def read(self, events: Any, position: int) -> Rows:
        """Return a batch, whose first event is at `position`, in term numbers: all of each event, in order."""
        if isinstance(events, Rows):
            return events
        if isinstance(events, pa.Array):
            return self._arrow(events, position)
        for event in events:
            if type(event) is not str:
                return self._mixed(events, position)
        return self._texts(from_texts(events), position)

    def _arrow(self, column: pa.Array, position: int) -> Rows:
        if _is_list(column.type):
            refuse_nulls(column, position)
            return self._lists(column, position)
        return self._texts(texts_of(column, position, "strings, binaries or lists of strings"), position)

    def _lists(self, column: pa.Array, position: int) -> Rows:
        values = column.flatten()
        if not is_text(values.type):
            raise EventError(f"a list of {values.type} has no terms; expected strings", position=position)
        offsets = _list_offsets(column)
        row = first_null(values)
        if row is not None:
            event = int(np.searchsorted(offsets, row, side="right")) - 1
            raise EventError("one of its terms is null", position=position + event)
        return Rows(offsets, self._vocabulary.find(from_arrow(values)))

    def _dictionary_parts(self, column: pa.Array, batch: Batch) -> Iterator[Any]:
        """Look the dictionary up once, whatever the number of events."""
        if column.null_count or column.flatten().null_count:
            for start, stop in batch.slices(len(column)):
                yield column[start:stop].cast(pa.large_list(pa.large_string()))
            return
        values = column.flatten()
        numbers = self._vocabulary.find(from_arrow(values.dictionary))
        offsets = _list_offsets(column)
        indices = values.indices.to_numpy(zero_copy_only=False)
        for start, stop in batch.slices(len(column)):
            first = int(offsets[start])
            yield Rows(offsets[start : stop + 1] - first, numbers[indices[first : offsets[stop]]])

    def _texts(self, strings: Strings, position: int) -> Rows:
        """Scan texts and look their terms up."""
        if self._surfaces is not None:
            try:
                words, row_offsets = tokenize(strings)
            except EventError as error:
                raise EventError(error.reason, position=position + error.position) from None
            return self._surfaces.find(words, row_offsets)
        known = self._vocabulary
        offsets, numbers = kernels.read_texts(
            strings.data, strings.offsets, strings.surrogates, *tables(), known.table, known.blob, known.ends
        )
        if offsets[0] < 0:
            raise EventError(INVALID, position=position - 1 - int(offsets[0]))
        return Rows(offsets, numbers)

    def _mixed(self, events: list[Any], position: int) -> Rows:
        """Read events of which some are not `str`."""
        pieces: list[bytes] = []
        offsets = np.zeros(len(events) + 1, np.int64)
        for row, event in enumerate(events):
            pieces += [term.encode("utf-8", "surrogatepass") for term in self.terms(event, position + row)]
            offsets[row + 1] = len(pieces)
        return Rows(offsets, self._vocabulary.find(from_pieces(pieces)))

    def terms(self, event: Any, position: int = 0) -> list[str]:
        """Return the terms of one event, in plain Python."""
        event = decoded(event, position)
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

    def find(self, words: Strings, row_offsets: Int64) -> Rows:
        """Return the terms of rows of words, dropped ones left out."""
        with self._lock:
            if len(self._words) > self.LIMIT:
                self._forget()
            numbers = self._words.intern(words)
            self._learn()
            stems = self._stem_of[numbers]
            terms = self._term_of
        kept = stems >= 0
        return Rows(offsets_of(kept)[row_offsets], terms[stems[kept]])

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


def distinct(items: Rows) -> Rows:
    """Return the known terms of each item, once each."""
    offsets = np.empty(len(items) + 1, np.int64)
    terms = np.empty(len(items.terms), np.int32)
    count = clause_kernels.distinct(items.offsets, items.terms, offsets, terms)
    return Rows(offsets, terms[:count])


def _list_offsets(column: pa.Array) -> Int64:
    lengths = column.value_lengths().to_numpy(zero_copy_only=False)
    return offsets_of(lengths)


def _is_numbered(kind: pa.DataType) -> bool:
    return _is_list(kind) and bool(pa.types.is_dictionary(kind.value_type))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))
