"""A cache of stems: kernels cannot stem words or drop stop words.

A word of a text, as it is cut and folded, has a *stem*: a number, or -1 where the word is dropped (a stop word). With
English stems, and "the" as a stop word::

    words   cats  the  cat  greece          stems   cat  greece
    stem      0   -1    0      1
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Int32
from watchword.locks import ForkSafe
from watchword.strings import Strings
from watchword.text.analyzer import Analyzer
from watchword.text.vocabulary import Vocabulary

LIMIT = 1 << 20
"""The number of words at which the cache is emptied: texts bring new words without end."""


class _Memory:
    """Words, their stems, and the stem of each word; of the last words it may not be known yet."""

    def __init__(self) -> None:
        self.words, self.stems = Vocabulary(), Vocabulary()
        self.stem_of = np.empty(0, np.int32)


class StemCache:
    """Finds the stems of words, and remembers them. Several threads may ask at once, also a thread inside itself."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._guard = ForkSafe()
        self._memory = _Memory()

    @property
    def stems(self) -> Vocabulary:
        """Return the stems that are remembered."""
        return self._memory.stems

    def find(self, words: Strings) -> tuple[Int32, Vocabulary, int]:
        """Return the stem of each word, or -1; the stems themselves; and their number at this moment."""
        with self._guard.lock:
            if len(self._memory.words) > LIMIT:
                self._memory = _Memory()
            memory = self._memory  # a finalizer that asks, too, may forget it meanwhile
            numbers = memory.words.intern(words)
            self._learn(memory)
            return memory.stem_of[numbers], memory.stems, len(memory.stems)

    def _learn(self, memory: _Memory) -> None:
        """Stem the words that are new."""
        first, stop = len(memory.stem_of), len(memory.words)
        if first < stop:
            refined = [self._analyzer.refine([memory.words.text(number)]) for number in range(first, stop)]
            stems = memory.stems.intern_texts([terms[0] if terms else "" for terms in refined])
            dropped = np.array([not terms for terms in refined], np.bool_)
            learned = np.where(dropped, -1, stems).astype(np.int32)
            memory.stem_of = np.concatenate([memory.stem_of[:first], learned])
