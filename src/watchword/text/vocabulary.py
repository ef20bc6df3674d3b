"""Strings and their numbers: the class over `kernels.text.vocabulary`, which has the layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from watchword.arrays import Arrays, Int32, reserve
from watchword.kernels.text import vocabulary as kernels
from watchword.strings import Strings, from_texts

_RECENT = 1 << 16


class Vocabulary:
    """Gives strings consecutive numbers from 0, and finds them again."""

    def __init__(self) -> None:
        self.size = 0
        self.table = np.zeros(2 * 64, np.uint64)
        self.blob = np.empty(1024, np.uint8)
        self.ends = np.empty(64, np.int64)
        self._recent: dict[str, int] = {}

    def __len__(self) -> int:
        return self.size

    def intern(self, strings: Strings) -> Int32:
        """Return the numbers of `strings`; unknown ones get new numbers."""
        numbers = np.empty(strings.count, np.int32)
        done = 0
        while True:
            done, self.size = kernels.intern_many(
                strings.data,
                strings.offsets,
                done,
                self.size,
                self.table,
                self.blob,
                self.ends,
                numbers,
            )
            if done == strings.count:
                return numbers
            used = int(self.ends[self.size - 1]) if self.size else 0
            longest = int(strings.offsets[done + 1] - strings.offsets[done])
            self._grow(self.size + 1, used + longest)

    def intern_texts(self, texts: Sequence[str]) -> Int32:
        """As `intern`, for a few `str`; the last ones asked for are remembered."""
        recent = self._recent
        try:
            return np.array([recent[text] for text in texts], np.int32)
        except KeyError:
            numbers = self.intern(from_texts(texts))
        if len(recent) > _RECENT:
            recent.clear()
        if len(texts) < _RECENT:
            recent.update(zip(texts, numbers.tolist(), strict=True))
        return numbers

    def find(self, strings: Strings) -> Int32:
        """Return the numbers of `strings`, -1 where unknown."""
        numbers = np.empty(strings.count, np.int32)
        kernels.find_many(strings.data, strings.offsets, self.table, self.blob, self.ends, numbers)
        return numbers

    def text(self, number: int) -> str:
        """Return the string that has `number`."""
        start = int(self.ends[number - 1]) if number else 0
        return self.blob[start : self.ends[number]].tobytes().decode("utf-8", "surrogatepass")

    def rollback(self, size: int) -> None:
        """Forget all strings but the first `size`."""
        if size < self.size:
            self.size = size
            self._recent.clear()
            self.table = np.zeros(len(self.table), np.uint64)
            kernels.fill_table(self.table, self.blob, self.ends, size)

    @property
    def bytes(self) -> int:
        """Return the memory that the strings and the table take."""
        used = int(self.ends[self.size - 1]) if self.size else 0
        return self.table.nbytes + used + 8 * self.size

    def arrays(self) -> Arrays:
        """Return the state for a snapshot."""
        used = int(self.ends[self.size - 1]) if self.size else 0
        return {"table": self.table, "blob": self.blob[:used], "ends": self.ends[: self.size]}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Return the vocabulary that `arrays` describes."""
        self = cls()
        self.size = len(arrays["ends"])
        self.table, self.blob, self.ends = arrays["table"], arrays["blob"], arrays["ends"]
        return self

    def _grow(self, strings: int, used: int) -> None:
        self.blob = reserve(self.blob, used)
        self.ends = reserve(self.ends, strings)
        if 4 * strings > len(self.table):
            self.table = np.zeros(2 * len(self.table), np.uint64)
            kernels.fill_table(self.table, self.blob, self.ends, self.size)
