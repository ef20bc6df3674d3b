"""Phase one: from events to term numbers.

An event is a text (`str`, or UTF-8 `bytes`), several of them by names, or an iterable of terms already analysed; a
batch of them may be an Arrow array: strings, binaries, structs of these, or lists of strings, plain or
dictionary-encoded. All become rows of term numbers in the order of the text, -1 for a term that no subscription asks
for. With greece as 0 and crisis as 1, "Crisis? What crisis, Greece" is ``[1, -1, 1, 0]``. Between two texts of an event
stands a -1, across which no phrase reaches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from watchword.arrays import Int32, Int64, offsets_of
from watchword.errors import EventError
from watchword.index.arrow import TextLists, decode_dictionary, is_list, may_hold_texts, text_lists
from watchword.index.events import decoded, refuse_nulls, texts_of
from watchword.index.frames import refuse_table
from watchword.index.texts import grouped, texts_of_one
from watchword.kernels.handles import Handles
from watchword.kernels.text import read_terms as kernels
from watchword.kernels.text.characters import UNICODE_KINDS
from watchword.kernels.text.vocabulary import STRING_KINDS
from watchword.sets.rows import Rows
from watchword.strings import Strings, from_arrow, from_pieces, from_texts, valid_rows
from watchword.text.analyzer import INVALID, Analyzer, tokenize
from watchword.text.stems import StemCache
from watchword.text.vocabulary import Vocabulary
from watchword.visible import shown

EXPECTED = "strings, binaries or lists of strings"


class NumberedLists:
    """Lists of terms that share a dictionary, which was looked up once for all of them."""

    def __init__(self, lists: TextLists, vocabulary: Vocabulary) -> None:
        self._offsets = lists.offsets
        self._numbers = vocabulary.find(from_arrow(lists.texts.dictionary))
        self._indices = lists.texts.indices.to_numpy(zero_copy_only=False)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, part: slice) -> Rows:
        """Return some of the lists in term numbers."""
        start, stop, _ = part.indices(len(self))
        first, last = int(self._offsets[start]), int(self._offsets[stop])
        return Rows(self._offsets[start : stop + 1] - first, self._numbers[self._indices[first:last]])


class Reader:
    """Reads events with an analyser and a vocabulary."""

    def __init__(self, analyzer: Analyzer, vocabulary: Vocabulary, stems: StemCache | None) -> None:
        self._analyzer, self._vocabulary, self._stems = analyzer, vocabulary, stems
        self._handles = Handles(*UNICODE_KINDS, *STRING_KINDS)
        self._seen: tuple[Vocabulary | None, int, int, Int32] = (None, 0, 0, np.empty(0, np.int32))

    def prepared(self, events: Any) -> Any:
        """Return lists of terms that share a dictionary with that looked up, and anything else as it is."""
        if isinstance(events, pa.Array) and _is_numbered(events):
            return NumberedLists(text_lists(events, 0, "terms"), self._vocabulary)
        return events

    def read(self, events: Any, position: int) -> Rows:
        """Return a batch, whose first event is at `position`, in term numbers: all of each event, in order."""
        if isinstance(events, Rows):
            return events
        if isinstance(events, NumberedLists):
            return events[:]
        if isinstance(events, pa.Array):
            return self._arrow(events, position)
        for event in events:
            if type(event) is not str:
                return self._mixed(events, position)
        return self._texts(from_texts(events), position)

    def state(self) -> Int64:
        """Return what `kernels.read_texts` reads, for as long as nothing changes."""
        return self._handles.of(self._analyzer.tables, self._vocabulary.known)

    def terms(self, event: Any, position: int = 0) -> list[str]:
        """Return the terms of one event, in plain Python."""
        event = decoded(event, position)
        if isinstance(event, str):
            return self._analyzer.terms(event)
        if isinstance(event, Mapping):
            return self._several(texts_of_one(event, position), position)
        if isinstance(event, Iterable):
            refuse_table(event, position)
            terms = list(event)
            for term in terms:
                if not isinstance(term, str):
                    raise EventError(
                        f"its terms must be str, and {shown(term)} is {type(term).__name__}", position=position
                    )
            return terms
        raise EventError(f"an event is a text or an iterable of terms, not {type(event).__name__}", position=position)

    def _several(self, texts: Sequence[str | bytes], position: int) -> list[str]:
        """Return the terms of several texts, with one that no subscription can ask for between them."""
        found = [self.terms(text, position) for text in texts]
        return [term for terms in found for term in ("", *terms)][1:]

    def _arrow(self, column: pa.Array, position: int) -> Rows:
        if pa.types.is_struct(column.type):
            events = grouped(column, position)
            try:
                return _separated(self._texts(from_arrow(events.texts), 0), events.groups)
            except EventError as error:
                raise EventError(error.reason, position=position + events.event(error.position)) from None
        if is_list(column.type):
            refuse_nulls(column, position)
            lists = text_lists(column, position, "terms")
            return Rows(lists.offsets, self._vocabulary.find(from_arrow(decode_dictionary(lists.texts))))
        return self._texts(texts_of(column, position, EXPECTED), position)

    def _texts(self, strings: Strings, position: int) -> Rows:
        """Scan texts and look their terms up."""
        if self._stems is not None:
            return self._stemmed(self._stems, strings, position)
        offsets, numbers = kernels.read_texts(strings.data, strings.offsets, strings.surrogates, self.state())
        if offsets[0] < 0:
            raise EventError(INVALID, position=position - 1 - int(offsets[0]))
        return Rows(offsets, numbers)

    def _stemmed(self, cache: StemCache, strings: Strings, position: int) -> Rows:
        """Scan texts, stem their words or drop them, and look the stems up."""
        try:
            words, row_offsets = tokenize(strings, self._analyzer.tables)
        except EventError as error:
            raise EventError(error.reason, position=position + error.position) from None
        stems, names, count = cache.find(words)
        kept = stems >= 0
        return Rows(offsets_of(kept)[row_offsets], self._terms_of(names, count)[stems[kept]])

    def _terms_of(self, names: Vocabulary, count: int) -> Int32:
        """Return the term of each stem; looked up again when there are new stems, or subscriptions brought new terms.

        Threads that race here make the same.
        """
        known, stems, terms, term_of = self._seen
        if known is not names or stems < count or terms != len(self._vocabulary):
            term_of = self._vocabulary.find(names.strings().part(0, count))
            self._seen = names, count, len(self._vocabulary), term_of
        return term_of

    def _mixed(self, events: Any, position: int) -> Rows:
        """Read events of which some are not `str`."""
        pieces: list[bytes] = []
        offsets = np.zeros(len(events) + 1, np.int64)
        for row, event in enumerate(events):
            pieces += [term.encode("utf-8", "surrogatepass") for term in self.terms(event, position + row)]
            offsets[row + 1] = len(pieces)
        return Rows(offsets, self._vocabulary.find(from_pieces(pieces)))


def _separated(texts: Rows, groups: Int64) -> Rows:
    """Return the rows of texts as those of events, with a -1 between the texts of an event."""
    sizes = np.diff(groups)
    before = offsets_of(np.maximum(sizes - 1, 0))  # how many were put in before each event
    shift = np.repeat(before[:-1] - groups[:-1], sizes) + np.arange(len(texts))
    numbers = np.full(len(texts.atoms) + int(before[-1]), -1, np.int32)
    numbers[np.arange(len(texts.atoms)) + np.repeat(shift, np.diff(texts.offsets))] = texts.atoms
    return Rows(texts.offsets[groups] + before, numbers)


def _is_numbered(events: pa.Array) -> bool:
    """Return whether events are lists of dictionary-encoded terms without a null."""
    if not is_list(events.type) or not pa.types.is_dictionary(events.type.value_type):
        return False
    has_nulls = valid_rows(events) is not None or valid_rows(events.flatten()) is not None
    return not has_nulls and may_hold_texts(events.type.value_type.value_type)
