"""A cache of stems: kernels cannot stem words or drop stop words.

A word of a text, as it is cut and folded, has a *stem*: a number, or -1 where the word is dropped (a stop word). With
English stems, and "the" as a stop word::

    words   cats  the  cat  greece          stems   cat  greece
    stem      0   -1    0      1
"""

from __future__ import annotations

import threading

import numpy as np

from watchword.arrays import Int32
from watchword.strings import Strings
from watchword.text.analyzer import Analyzer
from watchword.text.vocabulary import Vocabulary

LIMIT = 1 << 20
"""The number of words at which the cache is emptied: texts bring new words without end."""


class StemCache:
    """Finds the stems of words, and remembers them. Several threads may ask at once."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._words = Vocabulary()
        self._stem_of = np.empty(0, np.int32)
        self.stems = Vocabulary()

    def find(self, words: Strings) -> tuple[Int32, Vocabulary, int]:
        """Return the stem of each word, or -1; the stems themselves; and their number at this moment."""
        with self._lock:
            if len(self._words) > LIMIT:
                self._forget()
            numbers = self._words.intern(words)
            self._learn()
            return self._stem_of[numbers], self.stems, len(self.stems)

    def _learn(self) -> None:
        """Stem the words that are new."""
        fresh = range(len(self._stem_of), len(self._words))
        if len(fresh):
            refined = [self._analyzer.refine([self._words.text(number)]) for number in fresh]
            stems = self.stems.intern_texts([terms[0] if terms else "" for terms in refined])
            dropped = np.array([not terms for terms in refined], np.bool_)
            self._stem_of = np.concatenate([self._stem_of, np.where(dropped, -1, stems).astype(np.int32)])
