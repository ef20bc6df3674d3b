"""The atoms of events, for routing: their terms, by hashes that do not depend on any index.

A `Reader` finds the numbers of terms that an index knows; here terms are hashed whether anybody knows them or not, so
that one machine can say which of many indexes an event concerns.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from watchword.arrays import UInt64, offsets_of
from watchword.errors import EventError
from watchword.index.routing import Atoms
from watchword.index.texts import Grouped, grouped
from watchword.kernels.stable_hash import hash_strings
from watchword.strings import Strings, first_null, from_arrow, writable
from watchword.text.analyzer import Analyzer, tokenize
from watchword.text.stems import StemCache
from watchword.text.vocabulary import Vocabulary


def hashed(strings: Strings) -> UInt64:
    """Return the hash of each string."""
    hashes = np.empty(strings.count, np.uint64)
    hash_strings(writable(strings.data), writable(strings.offsets), hashes)
    return hashes


class AtomReader:
    """Reads Arrow arrays of texts, binaries, structs of these, or lists of terms."""

    def __init__(self, analyzer: Analyzer, stems: StemCache | None) -> None:
        self._analyzer, self._stems = analyzer, stems
        self._seen: tuple[Vocabulary | None, UInt64] = (None, np.empty(0, np.uint64))

    def read(self, events: pa.Array) -> Atoms:
        """Return the atoms of events; the first that has none because it cannot be read is an `EventError`."""
        row = first_null(events)
        if row is not None:
            raise EventError("it is null; leave nulls out", position=row)
        if pa.types.is_struct(events.type):
            return self._several(grouped(events, 0))
        if pa.types.is_list(events.type) or pa.types.is_large_list(events.type):
            return _lists(events)
        tokens = tokenize(from_arrow(events), self._analyzer.tables)
        if self._stems is None:
            return Atoms(tokens.row_offsets, hashed(tokens.strings))
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
            hashes = np.concatenate([hashes, hashed(names.strings().part(len(hashes), count))])
            self._seen = names, hashes
        return hashes


def _lists(events: pa.Array) -> Atoms:
    terms = events.flatten()
    offsets = offsets_of(events.value_lengths().to_numpy(zero_copy_only=False))
    row = first_null(terms)
    if row is not None:
        raise EventError("one of its terms is null", position=int(np.searchsorted(offsets, row, side="right")) - 1)
    return Atoms(offsets, hashed(from_arrow(terms)))
