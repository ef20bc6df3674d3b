"""Two things that numba has no words for: reading eight bytes at once, and asking for a cache line early."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def load_word(typing_context, data, at):
    """Return the eight bytes of a uint8 array from index `at` on, as a uint64; all eight must be inside."""
    if not (isinstance(data, types.Array) and data.dtype == types.uint8):
        return None

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.gep(array.data, [arguments[1]])
        return builder.load(builder.bitcast(pointer, ir.IntType(64).as_pointer()), align=1)

    return types.uint64(data, types.int64), generate


@intrinsic
def prefetch(typing_context, array, at):
    """Begin to bring the cache line of ``array[at]`` into the cache. Harmless outside of the array."""
    if not isinstance(array, types.Array):
        return None

    def generate(context, builder, signature, arguments):
        made = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.gep(made.data, [arguments[1]])
        byte = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        name = "llvm.prefetch.p0"
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        builder.call(function, [builder.bitcast(pointer, byte), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate
