"""Arrays that grow: numpy only, no compiled code."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Scalar = TypeVar("Scalar", bound=np.generic)


def resized(array: npt.NDArray[Scalar], size: int, fill: Any = None) -> npt.NDArray[Scalar]:
    """Return a copy of `array` with exactly `size` elements; new ones hold `fill`, or anything."""
    grown = np.empty(size, array.dtype)
    kept = min(size, len(array))
    grown[:kept] = array[:kept]
    if fill is not None:
        grown[kept:] = fill
    return grown


def tally(counts: npt.NDArray[np.int32], numbers: npt.NDArray[np.int32], by: int) -> None:
    """Add `by` to ``counts[number]`` for every number, which may repeat."""
    if len(numbers) < 16:
        for number in numbers.tolist():
            counts[number] += by
    else:
        found = np.bincount(numbers).astype(np.int32)
        counts[: len(found)] += found * np.int32(by)


def reserve(array: npt.NDArray[Scalar], needed: int, fill: Any = None) -> npt.NDArray[Scalar]:
    """Return `array` if it holds `needed` elements, else a copy with at least that and 1.5 times its own."""
    if needed <= len(array):
        return array
    return resized(array, max(needed, len(array) + len(array) // 2, 16), fill)


def power_of_two(number: int) -> int:
    """Return the least power of two that is no less."""
    return 1 << max(0, number - 1).bit_length()
