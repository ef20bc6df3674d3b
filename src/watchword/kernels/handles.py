"""Many arrays as one argument: an array of *handles*, each an address and a length.

A call of a kernel from Python takes apart every array that it is given, which costs up to a fifth of a microsecond
each; the thirty of an index cost more than many an event. An index that is matched one event at a time keeps them as
one array of int64 instead, made when its arrays are, and a kernel looks them up inside, at no cost::

    Handles(np.int32, np.int32).of((starts, arena))     [address of starts, 101, address of arena, 5000]
    array_at(handles, 1, np.int32)                      the arena again, in a kernel

Invariant: who uses handles keeps the arrays meanwhile; arrays are replaced, never resized. An array has one dimension
and lies in one piece. A kernel names the types that `Handles` was given: nobody checks that inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from watchword.arrays import Int64
from watchword.kernels.numba_private import needed

cgutils, populate_array = needed("numba.core", "cgutils"), needed("numba.np.arrayobj", "populate_array")

AnyArray: TypeAlias = npt.NDArray[Any]


class Handles:
    """The handles of several groups of arrays, made anew when one of the groups is another than before."""

    def __init__(self, *kinds: Any) -> None:
        """Expect arrays of these types, group after group."""
        self._kinds = [np.dtype(kind) for kind in kinds]
        self._made: tuple[tuple[Sequence[AnyArray], ...], Int64] | None = None

    def of(self, *groups: Sequence[AnyArray]) -> Int64:
        """Return the handles of groups of arrays, which the caller keeps. Threads that race here make the same."""
        made = self._made
        if made is None or not all(map(is_, made[0], groups)):
            made = self._made = groups, handles_of([array for group in groups for array in group], self._kinds)
        return made[1]


def handles_of(arrays: Sequence[AnyArray], kinds: Sequence[Any]) -> Int64:
    """Return the handles of arrays, which the caller keeps as long as these."""
    for array, kind in zip(arrays, kinds, strict=True):
        if array.ndim != 1 or array.dtype != kind or not array.flags.carray:
            raise ValueError(f"expected {np.dtype(kind)} in one piece, not {array.dtype} of the shape {array.shape}")
    found = [(array.__array_interface__["data"][0], len(array)) for array in arrays]
    return np.array(found, np.int64).reshape(-1)


@intrinsic
def array_at(typing_context, handles, number, dtype):
    """Return the array of a handle; `dtype` is its type, such as ``np.int32``."""
    kind = types.Array(dtype.dtype, 1, "C")

    def generate(context, builder, signature, arguments):
        return _array(context, builder, signature, arguments[0], arguments[1], kind)

    return kind(handles, types.int64, dtype), generate


@intrinsic
def arrays_at(typing_context, handles, first, dtypes):
    """Return the arrays of several handles from number `first` on, as a tuple; `dtypes` are their types."""
    kinds = [types.Array(dtype.dtype, 1, "C") for dtype in dtypes]

    def generate(context, builder, signature, arguments):
        made = [
            _array(context, builder, signature, arguments[0], builder.add(arguments[1], ir.IntType(64)(number)), kind)
            for number, kind in enumerate(kinds)
        ]
        return context.make_tuple(builder, signature.return_type, made)

    return types.Tuple(kinds)(handles, types.int64, dtypes), generate


def _array(context, builder, signature, handles, number, kind):
    word = ir.IntType(64)
    made = context.make_array(signature.args[0])(context, builder, handles)
    at = builder.mul(number, word(2))
    address = builder.load(builder.gep(made.data, [at]))
    size = builder.load(builder.gep(made.data, [builder.add(at, word(1))]))
    return _view(context, builder, kind, address, size)


@intrinsic
def bytes_at(typing_context, data, dtype):
    """Return Python's bytes as an array of a type, which nobody may write to."""
    kind = types.Array(dtype.dtype, 1, "C")

    def generate(context, builder, signature, arguments):
        made = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.ptrtoint(made.data, ir.IntType(64))
        width = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        size = builder.sdiv(builder.extract_value(made.shape, 0), ir.IntType(64)(width))
        return _view(context, builder, kind, address, size)

    return kind(data, dtype), generate


def _view(context, builder, kind, address, size):
    made = context.make_array(kind)(context, builder)
    width = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    shape, strides = (cgutils.pack_array(builder, [number]) for number in (size, width))
    data = builder.inttoptr(address, made.data.type)
    populate_array(made, data=data, shape=shape, strides=strides, itemsize=width, meminfo=None)
    return made._getvalue()
