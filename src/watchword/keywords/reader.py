"""Phase one: from events to term numbers.

An event is a text (`str`, or UTF-8 `bytes`), several of them by names, or an iterable of terms already analysed; a
batch of them may be an Arrow array: strings, binaries, structs of these, or lists of strings, plain or
dictionary-encoded. All become rows of term numbers in the order of the text, -1 for a term that no subscription asks
for. With greece as 0 and crisis as 1, "Crisis? What crisis, Greece" is ``[1, -1, 1, 0]``. Between two texts of an event
stands a `BORDER`, across which nothing reaches. Where subscriptions ask for families (`text.families`), those of an
event's words stand behind its terms (`kernels.text.positions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
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
from watchword.kernels.text.families import rows_with_families
from watchword.kernels.text.positions import BORDER, UNKNOWN
from watchword.kernels.text.vocabulary import STRING_KINDS
from watchword.sets.rows import Rows
from watchword.strings import Strings, from_arrow, from_pieces, from_texts, valid_rows
from watchword.text.analyzer import INVALID, Analyzer, tokenize
from watchword.text.families import Families, FamilyCache, Found
from watchword.text.stems import StemCache
from watchword.text.vocabulary import Vocabulary
from watchword.visible import shown

EXPECTED = "strings, binaries or lists of strings"


class NumberedLists:
    """Lists of terms that share a dictionary, which was looked up once for all of them."""

    def __init__(self, lists: TextLists, reader: Reader) -> None:
        self._offsets = lists.offsets
        terms = from_arrow(lists.texts.dictionary)
        self._numbers, self._families = reader.numbers_of_terms(terms), reader.families_of(terms)
        self._indices = lists.texts.indices.to_numpy(zero_copy_only=False)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, part: slice) -> Rows:
        """Return some of the lists in term numbers."""
        start, stop, _ = part.indices(len(self))
        first, last = int(self._offsets[start]), int(self._offsets[stop])
        indices = self._indices[first:last]
        rows = Rows(self._offsets[start : stop + 1] - first, self._numbers[indices])
        return with_families(rows, self._families and self._families.taken(indices))


def with_families(rows: Rows, found: Found | None) -> Rows:
    """Return rows of terms with the families of their words behind them, if there are any."""
    if found is None:
        return rows
    numbers = rows.atoms
    asked = numbers if found.by_number else np.where(numbers == BORDER, np.int32(BORDER), np.int32(UNKNOWN))
    return Rows(*rows_with_families(*rows, asked, found.words, found.terms, found.others, found.atoms))


class Reader:
    """Reads events with an analyser and a vocabulary."""

    def __init__(
        self,
        analyzer: Analyzer,
        vocabulary: Vocabulary,
        stems: StemCache | None,
        families: Families | None = None,
    ) -> None:
        """An index without families gives none."""
        self._analyzer, self._vocabulary, self._stems = analyzer, vocabulary, stems
        self._families = Families() if families is None else families
        self._cache = FamilyCache(self._families, vocabulary)
        self._handles = Handles(*UNICODE_KINDS, *STRING_KINDS)
        self._seen: tuple[Vocabulary | None, int, int, Int32] = (None, 0, 0, np.empty(0, np.int32))

    def prepared(self, events: Any) -> Any:
        """Return lists of terms that share a dictionary with that looked up, and anything else as it is."""
        if isinstance(events, pa.Array) and _is_numbered(events):
            return NumberedLists(text_lists(events, 0, "terms"), self)
        return events

    def numbers_of_terms(self, terms: Strings) -> Int32:
        """Return the numbers of terms that are given; one that is called like a family is unknown."""
        numbers = self._vocabulary.find(terms)
        if len(self._families):
            numbers[np.isin(numbers, self._families.atoms)] = UNKNOWN
        return numbers

    def families_of(self, words: Strings) -> Found | None:
        """Return the families of words; None if there are none at all."""
        return self._cache.find(words) if len(self._families) else None

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
        """Return the terms of an event that is a text or a list of terms, in plain Python."""
        event = decoded(event, position)
        if isinstance(event, str):
            return self._analyzer.terms(event)
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

    def _words(self, text: Any, position: int) -> list[str]:
        """Return the word of each term of a text, or of a list of terms, before it was stemmed."""
        text = decoded(text, position)
        if isinstance(text, str):
            return [word for word in self._analyzer.folding.runs(text) for _ in self._analyzer.refine([word])]
        return self.terms(text, position)

    def _arrow(self, column: pa.Array, position: int) -> Rows:
        if pa.types.is_struct(column.type):
            events = grouped(column, position)
            try:
                rows, found = self._cut(from_arrow(events.texts), 0)
            except EventError as error:
                raise EventError(error.reason, position=position + events.event(error.position)) from None
            return with_families(_separated(rows, events.groups), found)
        if is_list(column.type):
            refuse_nulls(column, position)
            lists = text_lists(column, position, "terms")
            return self._given(lists.offsets, from_arrow(decode_dictionary(lists.texts)))
        return self._texts(texts_of(column, position, EXPECTED), position)

    def _texts(self, strings: Strings, position: int) -> Rows:
        """Scan texts and look their terms up."""
        return with_families(*self._cut(strings, position))

    def _cut(self, strings: Strings, position: int) -> tuple[Rows, Found | None]:
        """Return the terms of texts, and the families of their words."""
        if self._stems is not None:
            return self._stemmed(self._stems, strings, position)
        texts = strings.data, strings.offsets, strings.surrogates
        if len(self._families):
            offsets, numbers, data, ends = kernels.read_unknown(*texts, self.state())
        else:
            offsets, numbers = kernels.read_texts(*texts, self.state())
        if offsets[0] < 0:
            raise EventError(INVALID, position=position - 1 - int(offsets[0]))
        rows = Rows(offsets, numbers)
        if not len(self._families):
            return rows, None
        return rows, self._cache.find_among(numbers, Strings(data, ends, surrogates=True))

    def _stemmed(self, cache: StemCache, strings: Strings, position: int) -> tuple[Rows, Found | None]:
        """As `_cut`: cut texts into words, stem them or drop them, look the stems up, and the families of the words."""
        try:
            words, row_offsets = tokenize(strings, self._analyzer.tables)
        except EventError as error:
            raise EventError(error.reason, position=position + error.position) from None
        stems, names, count = cache.find(words)
        kept = stems >= 0
        rows = Rows(offsets_of(kept)[row_offsets], self._terms_of(names, count)[stems[kept]])
        found = self.families_of(words)
        return rows, found and found.taken(kept)

    def _given(self, offsets: Int64, terms: Strings) -> Rows:
        """Return lists of terms that are given, in term numbers."""
        return with_families(Rows(offsets, self.numbers_of_terms(terms)), self.families_of(terms))

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
        """Read events that are not all `str`."""
        texts: list[list[Any]] = []  # of each event
        for row, event in enumerate(events):
            decoded_event = decoded(event, position + row)
            is_several = isinstance(decoded_event, Mapping)
            texts.append(texts_of_one(decoded_event, position + row) if is_several else [_kept(decoded_event)])
        offsets, borders, terms = _laid_out(texts, self.terms, position)
        numbers = self.numbers_of_terms(terms)
        numbers[borders] = BORDER
        if not len(self._families):
            return Rows(offsets, numbers)
        words = terms if self._stems is None else _laid_out(texts, self._words, position)[2]
        found = self.families_of(words)
        return with_families(Rows(offsets, numbers), found and found.taken(numbers != BORDER))


def _kept(event: Any) -> Any:
    """Return an event that can be read twice."""
    return list(event) if isinstance(event, Iterator) else event


def _laid_out(
    texts: list[list[Any]], read: Callable[[Any, int], list[str]], position: int
) -> tuple[Int64, list[int], Strings]:
    """Return the borders of events, the places of the borders between the texts of an event, and the terms, an empty
    one for each border."""
    offsets, borders = np.zeros(len(texts) + 1, np.int64), []
    pieces: list[bytes] = []
    for row, parts in enumerate(texts):
        for number, part in enumerate(parts):
            if number:
                borders.append(len(pieces))
                pieces.append(b"")
            pieces += [term.encode("utf-8", "surrogatepass") for term in read(part, position + row)]
        offsets[row + 1] = len(pieces)
    return offsets, borders, from_pieces(pieces)


def _separated(texts: Rows, groups: Int64) -> Rows:
    """Return the rows of texts as those of events, with a `BORDER` between the texts of an event."""
    sizes = np.diff(groups)
    before = offsets_of(np.maximum(sizes - 1, 0))  # how many were put in before each event
    shift = np.repeat(before[:-1] - groups[:-1], sizes) + np.arange(len(texts))
    numbers = np.full(len(texts.atoms) + int(before[-1]), BORDER, np.int32)
    numbers[np.arange(len(texts.atoms)) + np.repeat(shift, np.diff(texts.offsets))] = texts.atoms
    return Rows(texts.offsets[groups] + before, numbers)


def _is_numbered(events: pa.Array) -> bool:
    """Return whether events are lists of dictionary-encoded terms without a null."""
    if not is_list(events.type) or not pa.types.is_dictionary(events.type.value_type):
        return False
    has_nulls = valid_rows(events) is not None or valid_rows(events.flatten()) is not None
    return not has_nulls and may_hold_texts(events.type.value_type.value_type)
