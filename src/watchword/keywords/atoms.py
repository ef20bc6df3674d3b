"""The atoms of events, for routing: their terms, by hashes that do not depend on any index.

A `Reader` finds the numbers of terms that an index knows; here terms are hashed whether anybody knows them or not, so
that one machine can say which of many indexes an event concerns.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from watchword.arrays import UInt64, offsets_of
from watchword.errors import EventError
from watchword.index.arrow import decode_dictionary, is_list, string_hashes, text_lists
from watchword.index.events import refuse_nulls, texts_of
from watchword.index.routing import Atoms
from watchword.index.texts import Grouped, grouped
from watchword.keywords.reader import EXPECTED
from watchword.strings import from_arrow
from watchword.text.analyzer import Analyzer, tokenize
from watchword.text.stems import StemCache
from watchword.text.vocabulary import Vocabulary


class AtomReader:
    """Reads Arrow arrays of texts, binaries, structs of these, or lists of terms."""

    def __init__(self, analyzer: Analyzer, stems: StemCache | None) -> None:
        self._analyzer, self._stems = analyzer, stems
        self._seen: tuple[Vocabulary | None, UInt64] = (None, np.empty(0, np.uint64))

    def read(self, events: pa.Array) -> Atoms:
        """Return the atoms of events; the first that has none because it cannot be read is an `EventError`."""
        refuse_nulls(events, 0)
        if pa.types.is_struct(events.type):
            return self._several(grouped(events, 0))
        if is_list(events.type):
            offsets, terms = text_lists(events, 0, "terms")
            return Atoms(offsets, string_hashes(from_arrow(decode_dictionary(terms))))
        tokens = tokenize(texts_of(events, 0, EXPECTED), self._analyzer.tables)
        if self._stems is None:
            return Atoms(tokens.row_offsets, string_hashes(tokens.strings))
        stems, names, count = self._stems.find(tokens.strings)
        kept = stems >= 0
        return Atoms(offsets_of(kept)[tokens.row_offsets], self._hashes(names, count)[stems[kept]])

    def _several(self, events: Grouped) -> Atoms:
        """Return the atoms of events that have several texts each."""
        try:
            offsets, atoms = self.read(events.texts)
        except EventError as error:
            raise EventError(error.reason, position=events.event(error.position)) from None
        return Atoms(offsets[events.groups], atoms)

    def _hashes(self, names: Vocabulary, count: int) -> UInt64:
        """Return the hash of each stem. Threads that race here make the same."""
        known, hashes = self._seen
        if known is not names:
            hashes = np.empty(0, np.uint64)
        if len(hashes) < count:
            hashes = np.concatenate([hashes, string_hashes(names.strings().part(len(hashes), count))])
            self._seen = names, hashes
        return hashes
