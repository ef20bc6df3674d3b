"""Flat arrays: their names in signatures, the one form that kernels take, and how they grow. numpy only.

One convention for borders, everywhere: `offsets` has one entry more than there are pieces, begins at 0 and ascends;
piece `i` is ``data[offsets[i]:offsets[i + 1]]``. Three words, "to", "be" and "", are the data ``tobe`` and the offsets
``[0, 2, 4, 4]``.
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Bools: TypeAlias = npt.NDArray[np.bool_]
UInt8: TypeAlias = npt.NDArray[np.uint8]
UInt16: TypeAlias = npt.NDArray[np.uint16]
UInt32: TypeAlias = npt.NDArray[np.uint32]
Int8: TypeAlias = npt.NDArray[np.int8]
Int16: TypeAlias = npt.NDArray[np.int16]
Int32: TypeAlias = npt.NDArray[np.int32]
Int64: TypeAlias = npt.NDArray[np.int64]
UInt64: TypeAlias = npt.NDArray[np.uint64]
Float64: TypeAlias = npt.NDArray[np.float64]
Arrays: TypeAlias = dict[str, npt.NDArray[Any]]
"""The state of something by names, as a snapshot keeps it."""

NO_BYTES: UInt8 = np.empty(0, np.uint8)

Scalar = TypeVar("Scalar", bound=np.generic)


def int32(array: npt.NDArray[Any]) -> Int32:
    """Return the array, or a copy, in the one form for which kernels are compiled."""
    return _ready(array, np.dtype(np.int32))


def int64(array: npt.NDArray[Any]) -> Int64:
    """Return the array, or a copy, in the one form for which kernels are compiled."""
    return _ready(array, np.dtype(np.int64))


def _ready(array: npt.NDArray[Any], dtype: np.dtype[Scalar]) -> npt.NDArray[Scalar]:
    if array.dtype == dtype and array.flags.carray:  # nearly always, and `require` takes long to find out
        return array
    return np.require(array, dtype, ["C", "W"])


def offsets_of(lengths: npt.ArrayLike) -> Int64:
    """Return the borders of pieces that have these lengths.

    >>> offsets_of([2, 2, 0]).tolist()
    [0, 2, 4, 4]
    """
    lengths = np.asarray(lengths)
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def resized(array: npt.NDArray[Scalar], size: int, fill: Any = None) -> npt.NDArray[Scalar]:
    """Return a copy of `array` with exactly `size` elements; new ones hold `fill`, or anything."""
    grown = np.empty(size, array.dtype)
    kept = min(size, len(array))
    grown[:kept] = array[:kept]
    if fill is not None:
        grown[kept:] = fill
    return grown


def reserve(array: npt.NDArray[Scalar], needed: int, fill: Any = None) -> npt.NDArray[Scalar]:
    """Return `array` if it holds `needed` elements, else a copy with at least that and 1.5 times its own."""
    if needed <= len(array):
        return array
    return resized(array, max(needed, len(array) + len(array) // 2, 16), fill)


def distinct_numbers(values: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Return the different ones of some numbers, ascending: `np.unique`, which takes forty times as long for integers.

    >>> distinct_numbers(np.array([3, 1, 3, 2, 1])).tolist(), distinct_numbers(np.array([], np.int64)).tolist()
    ([1, 2, 3], [])
    """
    ordered = np.sort(values)
    is_new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return ordered[is_new]


def power_of_two(number: int) -> int:
    """Return the least power of two that is no less."""
    return 1 << max(0, number - 1).bit_length()


def concatenated(parts: Any, dtype: Any) -> npt.NDArray[Any]:
    """Return the parts end to end; of no parts, an empty array."""
    arrays = list(parts)
    return np.concatenate(arrays) if arrays else np.empty(0, dtype)


def prefixed(prefix: str, arrays: Arrays) -> Arrays:
    """Return the arrays with `prefix` and a dot before their names."""
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def under(prefix: str, arrays: Arrays) -> Arrays:
    """Return the arrays whose names begin with `prefix` and a dot, without it: the inverse of `prefixed`."""
    return {name[len(prefix) + 1 :]: array for name, array in arrays.items() if name.startswith(prefix + ".")}
