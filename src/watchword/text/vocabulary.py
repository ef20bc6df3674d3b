"""Strings and their numbers: the class over `kernels.text.vocabulary`, which has the layout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from watchword.arrays import Arrays, Int32, reserve
from watchword.kernels.tally import tally
from watchword.kernels.text import vocabulary as kernels
from watchword.kernels.text.vocabulary import StringTable
from watchword.parts import Part
from watchword.strings import Strings, from_texts

_RECENT = 1 << 16
_NO_USES = np.empty(0, np.int32)


class Vocabulary(Part):
    """Gives strings consecutive numbers from 0, and finds them again.

    >>> vocabulary = Vocabulary()
    >>> vocabulary.intern_texts(["greece", "imf", "greece"]).tolist()
    [0, 1, 0]
    >>> vocabulary.text(1), len(vocabulary)
    ('imf', 2)
    """

    def __init__(self) -> None:
        self.size = 0
        self.known = StringTable(np.zeros(2 * 64, np.uint64), np.empty(1024, np.uint8), np.zeros(64, np.int64))
        """The arrays, for kernels that look strings up."""
        self._recent: dict[str, int] = {}
        self.uses: Int32 = _NO_USES
        """The number of uses of each string; strings past its end have none."""

    def __len__(self) -> int:
        return self.size

    def strings(self) -> Strings:
        """Return all strings in the order of their numbers; they share memory with the vocabulary."""
        return Strings(self.known.blob[: self._used()], self.known.offsets[: self.size + 1], surrogates=True)

    def intern(self, strings: Strings) -> Int32:
        """Return the numbers of `strings`; unknown ones get new numbers."""
        numbers = np.empty(strings.count, np.int32)
        done = 0
        while True:
            done, self.size = kernels.intern_many(strings.data, strings.offsets, done, self.size, self.known, numbers)
            if done == strings.count:
                return numbers
            longest = int(strings.offsets[done + 1] - strings.offsets[done])
            self._grow(self.size + 1, self._used() + longest)

    def intern_texts(self, texts: Sequence[str]) -> Int32:
        """As `intern`, for a few `str`; the last ones asked for are remembered."""
        recent = self._recent
        try:
            return np.array([recent[text] for text in texts], np.int32)
        except KeyError:
            unknown = [text for text in dict.fromkeys(texts) if text not in recent]
        found = dict(zip(unknown, self.intern(from_texts(unknown)).tolist(), strict=True))
        numbers = np.array([recent[text] if text in recent else found[text] for text in texts], np.int32)
        if len(recent) > _RECENT:
            recent.clear()
        if len(texts) < _RECENT:
            recent.update(found)
        return numbers

    def find(self, strings: Strings) -> Int32:
        """Return the numbers of `strings`, -1 where unknown."""
        numbers = np.empty(strings.count, np.int32)
        kernels.find_many(strings.data, strings.offsets, self.known, numbers)
        return numbers

    def use(self, numbers: Int32 | list[int], by: int) -> None:
        """Count uses of strings, whose numbers may repeat: `by` more, or less, of each."""
        if self.size > len(self.uses):
            self.uses = reserve(self.uses, self.size, 0)
        if len(numbers) < 16:
            for number in numbers if isinstance(numbers, list) else numbers.tolist():
                self.uses[number] += by
        else:
            tally(self.uses, np.asarray(numbers, np.int32), by)

    @property
    def in_use(self) -> int:
        """Return the number of strings in use."""
        return int(np.count_nonzero(self.uses))

    def text(self, number: int) -> str:
        """Return the string that has `number`."""
        start, stop = self.known.offsets[number : number + 2]
        return self.known.blob[start:stop].tobytes().decode("utf-8", "surrogatepass")

    @property
    def bytes(self) -> int:
        """Return the memory that the strings and the table take."""
        return self.known.table.nbytes + self._used() + 8 * self.size

    def arrays(self) -> Arrays:
        """Return the state for a snapshot."""
        table, blob, offsets = self.known
        uses = reserve(self.uses, self.size, 0)[: self.size]
        return {"table": table, "blob": blob[: self._used()], "offsets": offsets[: self.size + 1], "uses": uses}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self.known = StringTable(arrays["table"], arrays["blob"], arrays["offsets"])
        self.size = len(arrays["offsets"]) - 1
        self.uses = arrays["uses"]

    def adopt(self, other: Vocabulary) -> None:
        """Take over the strings and numbers of another vocabulary; this one must be empty, the other is discarded."""
        self.known, self.size, self._recent = other.known, other.size, other._recent

    def _used(self) -> int:
        return int(self.known.offsets[self.size])

    def _grow(self, strings: int, used: int) -> None:
        table, blob, offsets = self.known
        blob, offsets = reserve(blob, used), reserve(offsets, strings + 1)
        if 4 * strings > len(table):
            table = np.zeros(2 * len(table), np.uint64)
            kernels.fill_table(StringTable(table, blob, offsets), self.size)
        self.known = StringTable(table, blob, offsets)
