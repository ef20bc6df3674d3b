"""The atoms of events, for routing: their terms, by hashes that do not depend on any index.

An `ItemReader` finds the numbers of terms that an index knows; here terms are hashed whether anybody knows them or not,
so that one machine can say which of many indexes an event concerns.
"""

from __future__ import annotations

import threading

import numpy as np
import pyarrow as pa

from watchword.arrays import UInt64, offsets_of
from watchword.errors import EventError
from watchword.index.routing import Atoms
from watchword.kernels.stable_hash import hash_strings
from watchword.strings import Strings, first_null, from_arrow, from_texts, writable
from watchword.text.analyzer import Analyzer, Tokens, tokenize
from watchword.text.vocabulary import Vocabulary


def hashed(strings: Strings) -> UInt64:
    """Return the hash of each string."""
    hashes = np.empty(strings.count, np.uint64)
    hash_strings(writable(strings.data), writable(strings.offsets), hashes)
    return hashes


class AtomReader:
    """Reads Arrow arrays of texts, binaries or lists of terms with an analyser."""

    LIMIT = 1 << 20
    """Words whose terms are remembered, where words are stemmed or dropped."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._words = Vocabulary()
        self._hashes = np.empty(0, np.uint64)
        self._kept = np.empty(0, np.bool_)

    def read(self, events: pa.Array) -> Atoms:
        """Return the atoms of events; the first that has none because it cannot be read is an `EventError`."""
        row = first_null(events)
        if row is not None:
            raise EventError("it is null; leave nulls out", position=row)
        if pa.types.is_list(events.type) or pa.types.is_large_list(events.type):
            return self._lists(events)
        tokens = tokenize(from_arrow(events))
        return Atoms(tokens.row_offsets, hashed(tokens.strings)) if self._analyzer.is_plain else self._refined(tokens)

    def _lists(self, events: pa.Array) -> Atoms:
        terms = events.flatten()
        offsets = offsets_of(events.value_lengths().to_numpy(zero_copy_only=False))
        row = first_null(terms)
        if row is not None:
            raise EventError("one of its terms is null", position=int(np.searchsorted(offsets, row, side="right")) - 1)
        return Atoms(offsets, hashed(from_arrow(terms)))

    def _refined(self, tokens: Tokens) -> Atoms:
        with self._lock:
            if len(self._words) > self.LIMIT:
                self._forget()
            numbers = self._words.intern(tokens.strings)
            fresh = [self._words.text(number) for number in range(len(self._kept), len(self._words))]
            refined = [self._analyzer.refine([word]) for word in fresh]
            hashes = hashed(from_texts([terms[0] if terms else "" for terms in refined]))
            self._hashes = np.concatenate([self._hashes, hashes])
            self._kept = np.concatenate([self._kept, np.array([bool(terms) for terms in refined], np.bool_)])
            all_hashes, all_kept = self._hashes, self._kept
        kept = all_kept[numbers]
        return Atoms(offsets_of(kept)[tokens.row_offsets], all_hashes[numbers[kept]])
