"""C functions and C memory, from kernels: both are known by addresses, which are plain numbers (int64).

An address is given when a kernel runs, so that its machine code can be kept on disk. With `strlen` at 139855 and a C
string ``nitf`` at 94321::

    call_long(139855, (94321,))              4
    memory(94321, 5, np.uint8)               [110, 105, 116, 102, 0]

Arguments are passed as their numba types say: an int64 as a C `long` or any pointer, an int32 as a C `int`. Nothing is
checked, and nothing keeps the memory alive.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from watchword.kernels.numba_private import needed

cgutils, populate_array = needed("numba.core", "cgutils"), needed("numba.np.arrayobj", "populate_array")


@intrinsic
def memory(typing_context, address, size, dtype):
    """Return `size` values from `address` on as an array, which owns nothing."""
    kind = types.Array(dtype.dtype, 1, "C")

    def generate(context, builder, signature, arguments):
        address, size, _ = arguments
        array = context.make_array(kind)(context, builder)
        width = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        data = builder.inttoptr(address, array.data.type)
        populate_array(array, data, [size], [width], width, None)
        return array._getvalue()

    return kind(types.int64, types.int64, dtype), generate


@intrinsic
def length(typing_context, address):
    """Return how many bytes a C string has before its zero."""

    def generate(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.IntType(64), [cgutils.voidptr_t])
        function = builder.module.globals.get("strlen") or ir.Function(builder.module, kind, "strlen")
        return builder.call(function, [builder.inttoptr(arguments[0], cgutils.voidptr_t)])

    return types.int64(types.int64), generate


def _caller(returned):
    """Return what makes the machine code of a call to a function that returns this type."""

    def make(address, arguments):
        def generate(context, builder, signature, values):
            given = cgutils.unpack_tuple(builder, values[1])
            result = ir.VoidType() if returned == types.void else context.get_value_type(returned)
            kind = ir.FunctionType(result, [value.type for value in given])
            called = builder.call(builder.inttoptr(values[0], kind.as_pointer()), given)
            return context.get_dummy_value() if returned == types.void else called

        return returned(types.int64, arguments), generate

    return make


_make_void, _make_int, _make_long = (_caller(kind) for kind in (types.void, types.int32, types.int64))


@intrinsic
def call_void(typing_context, address, arguments):
    """Call the C function at `address`, which returns nothing, with a tuple of arguments."""
    return _make_void(address, arguments)


@intrinsic
def call_int(typing_context, address, arguments):
    """Call the C function at `address`, which returns an `int`, with a tuple of arguments."""
    return _make_int(address, arguments)


@intrinsic
def call_long(typing_context, address, arguments):
    """Call the C function at `address`, which returns a `long` or a pointer, with a tuple of arguments."""
    return _make_long(address, arguments)
