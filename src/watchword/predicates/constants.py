"""The constants of one kind of value in one field, as flat arrays: saved, mapped, and searched where they lie.

``name = 'RBS'`` as atom 0, ``name IN ('RBS', 'ACME')`` as atom 2 and ``name < 'M'`` with the label 200 are, for texts::

    known   'RBS', 'ACME'      a vocabulary; constant i is a point of atoms[offsets[i]:offsets[i + 1]]
    offsets 0, 2, 3            atoms 0, 2, 2
    breaks  'M'                ascending, with `labels` 200

Numbers (and instants, addresses, booleans) ascend and are pairs of the nearest double and the integer that is missing
to it (`kernels.predicates.values`): 2**53 + 1 is the pair 2.0**53, 1. A number that no pair can hold is kept in full in
`large`; its pair has `BEYOND` or ``-BEYOND`` for the integer.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np

from watchword.arrays import Arrays, Float64, Int32, Int64, offsets_of, prefixed, under
from watchword.predicates.values import TEXT
from watchword.strings import Strings, from_texts
from watchword.text.vocabulary import Vocabulary

BEYOND = 1 << 62
"""The rest of a number whose rest does not fit."""


def split_number(number: Any) -> tuple[float, int]:
    """Return the double nearest to a number, and the number less that double, cut off at `BEYOND` (2**62).

    >>> split_number(2**53 + 1), split_number(0.5), split_number(10**400)
    ((9007199254740992.0, 1), (0.5, 0), (inf, -4611686018427387904))
    """
    try:
        near = float(number)
    except OverflowError:  # beyond all doubles, and yet below infinity
        return (float("inf"), -BEYOND) if number > 0 else (float("-inf"), BEYOND)
    if isinstance(number, float):
        return near, 0
    return near, max(-BEYOND, min(BEYOND, number - int(near)))


class Numbers(Sequence[Any]):
    """Numbers that ascend, each once.

    >>> numbers = Numbers.of([-1, 2.5, 2**53 + 1, 10**400])
    >>> numbers[2] == 2**53 + 1, numbers[3] == 10**400, numbers.find(2.5), numbers.find(2**53)
    (True, True, 1, -1)
    """

    def __init__(self, near: Float64, rest: Int64, large_rows: Int64, large: Strings) -> None:
        self.near, self.rest, self._large_rows, self._large = near, rest, large_rows, large

    @classmethod
    def of(cls, numbers: Sequence[Any]) -> Numbers:
        """Return numbers that ascend as arrays."""
        near, rest = np.empty(len(numbers)), np.empty(len(numbers), np.int64)
        for row, number in enumerate(numbers):
            near[row], rest[row] = split_number(number)
        large = np.flatnonzero(np.abs(rest) == BEYOND)
        return cls(near, rest, large, from_texts([hex(numbers[row]) for row in large.tolist()]))

    def __len__(self) -> int:
        return len(self.near)

    @overload
    def __getitem__(self, row: int) -> Any: ...
    @overload
    def __getitem__(self, row: slice) -> list[Any]: ...
    def __getitem__(self, row: int | slice) -> Any:
        """Return a number, exactly."""
        if isinstance(row, slice):
            return self.listed()[row]
        near, rest = float(self.near[row]), int(self.rest[row])
        if abs(rest) == BEYOND:
            return int(self._large.text(int(self._large_rows.searchsorted(row))), 16)
        return int(near) + rest if near.is_integer() else near

    def listed(self) -> list[Any]:
        """Return all numbers."""
        pairs = zip(self.near.tolist(), self.rest.tolist(), strict=True)
        numbers = [int(near) + rest if near.is_integer() else near for near, rest in pairs]
        for at, row in enumerate(self._large_rows.tolist()):
            numbers[row] = int(self._large.text(at), 16)
        return numbers

    def rank(self, number: Any) -> int:
        """Return how many of the numbers are at most `number`."""
        near = split_number(number)[0]
        low = int(self.near.searchsorted(near))
        if low == len(self.near) or self.near[low] != near:  # nearly always
            return low
        return bisect_right(self, number, low, int(self.near.searchsorted(near, "right")))

    def find(self, number: Any) -> int:
        """Return the position of a number, -1 if it is missing."""
        at = self.rank(number) - 1
        return at if at >= 0 and self[at] == number else -1

    def arrays(self) -> Arrays:
        """Return the state for a snapshot."""
        own = {"near": self.near, "rest": self.rest, "large_rows": self._large_rows}
        return own | {"large": self._large.data, "large_offsets": self._large.offsets}

    @classmethod
    def restored(cls, arrays: Arrays) -> Numbers:
        """Return what `arrays` returned."""
        large = Strings(arrays["large"], arrays["large_offsets"])
        return cls(arrays["near"], arrays["rest"], arrays["large_rows"], large)


class Texts(Sequence[str]):
    """Texts that ascend, each once."""

    def __init__(self, strings: Strings) -> None:
        self.strings = strings

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        """Return texts that ascend as arrays."""
        return cls(from_texts(texts))

    def __len__(self) -> int:
        return self.strings.count

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> Any:
        """Return a text."""
        if isinstance(row, slice):
            return self.listed()[row]
        start, stop = self.strings.offsets[row : row + 2]
        return self.strings.data[start:stop].tobytes().decode("utf-8", "surrogatepass")

    def listed(self) -> list[str]:
        """Return all texts."""
        return [self[row] for row in range(len(self))]

    def rank(self, text: str) -> int:
        """Return how many of the texts are at most `text`."""
        return bisect_right(self, text)

    def arrays(self) -> Arrays:
        """Return the state for a snapshot."""
        return {"data": self.strings.data, "offsets": self.strings.offsets}

    @classmethod
    def restored(cls, arrays: Arrays) -> Texts:
        """Return what `arrays` returned."""
        return cls(Strings(arrays["data"], arrays["offsets"], surrogates=True))


class Constants:
    """Points and breakpoints of one kind of value in a field; the head of the file has the layout."""

    def __init__(
        self, known: Numbers | Vocabulary, offsets: Int64, atoms: Int32, breaks: Numbers | Texts, labels: Int64
    ) -> None:
        self.known, self.offsets, self.atoms, self.breaks, self.labels = known, offsets, atoms, breaks, labels

    @classmethod
    def of(
        cls, kind: int, points: Mapping[Any, Sequence[int]], breaks: Sequence[Any], labels: Sequence[int]
    ) -> Constants:
        """Return points by constant, and breakpoints with their labels, as arrays."""
        known: Numbers | Vocabulary
        if kind == TEXT:
            order = list(points)
            known = Vocabulary()
            known.intern_texts(order)
        else:
            order = sorted(points)
            known = Numbers.of(order)
        return cls(
            known,
            offsets_of([len(points[constant]) for constant in order]),
            np.array([atom for constant in order for atom in points[constant]], np.int32),
            Texts.of(breaks) if kind == TEXT else Numbers.of(breaks),
            np.array(labels, np.int64),
        )

    def find(self, value: Any) -> int:
        """Return the number of the constant that a value equals, -1 if there is none."""
        if isinstance(self.known, Numbers):
            return self.known.find(value)
        return int(self.known.find(from_texts([value]))[0])

    def points_of(self, row: int) -> list[int]:
        """Return the points of a constant."""
        found: list[int] = self.atoms[self.offsets[row] : self.offsets[row + 1]].tolist()
        return found

    def points(self) -> dict[Any, list[int]]:
        """Return the points by constant."""
        known = self.known
        texts = known if isinstance(known, Numbers) else Texts(known.strings())
        atoms, borders = self.atoms.tolist(), self.offsets.tolist()
        return {constant: atoms[borders[row] : borders[row + 1]] for row, constant in enumerate(texts.listed())}

    def arrays(self) -> Arrays:
        """Return the state for a snapshot."""
        own: Arrays = {"offsets": self.offsets, "atoms": self.atoms, "labels": self.labels}
        known: Arrays = self.known.arrays()
        return own | prefixed("known", known) | prefixed("breaks", self.breaks.arrays())

    @classmethod
    def restored(cls, kind: int, arrays: Arrays) -> Constants:
        """Return what `arrays` returned."""
        known: Numbers | Vocabulary
        if kind == TEXT:
            known = Vocabulary()
            known.restore(under("known", arrays))
        else:
            known = Numbers.restored(under("known", arrays))
        breaks: Any = (Texts if kind == TEXT else Numbers).restored(under("breaks", arrays))
        return cls(known, arrays["offsets"], arrays["atoms"], breaks, arrays["labels"])
