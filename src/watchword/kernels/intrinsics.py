"""What numba has no words for: many bytes at once, the lowest and the highest set bit, how many bits are
set, a cache line asked for early."""

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
def store_word(typing_context, data, at, word):
    """Write a uint64 as the eight bytes of a uint8 array from index `at` on; all eight must be inside."""
    if not (isinstance(data, types.Array) and data.dtype == types.uint8):
        return None

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.gep(array.data, [arguments[1]])
        builder.store(arguments[2], builder.bitcast(pointer, ir.IntType(64).as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(data, types.int64, types.uint64), generate


def _bytes_at(builder, array, at):
    """Return a pointer to 64 bytes of an array, as a vector."""
    vector = ir.VectorType(ir.IntType(8), 64)
    return builder.bitcast(builder.gep(array.data, [at]), vector.as_pointer())


def _all(byte):
    """Return 64 times the same byte."""
    return ir.Constant(ir.VectorType(ir.IntType(8), 64), [byte] * 64)


@intrinsic
def lower_bytes(typing_context, data, at, out, to):
    """Write 64 bytes of a uint8 array from index `at` on into `out` from `to` on, ASCII capitals in lower case.

    Returns, as uint64 with the first byte in the lowest bit, which of them are ASCII letters, digits or underscores or
    no ASCII, and which are no ASCII. All must be inside.
    """
    if not all(isinstance(array, types.Array) and array.dtype == types.uint8 for array in (data, out)):
        return None

    def generate(context, builder, signature, arguments):
        source, at, target, to = arguments
        array = context.make_array(signature.args[0])(context, builder, source)
        text = builder.load(_bytes_at(builder, array, at), align=1)

        plain = builder.and_(text, _all(0x7F))

        def from_on(byte):  # has the top bit where a byte is at least this one; no sum carries
            return builder.add(plain, _all(0x80 - byte))

        def between(first, last):
            return builder.and_(from_on(ord(first)), builder.not_(from_on(ord(last) + 1)))

        capitals = builder.and_(between("A", "Z"), builder.not_(text))
        words = builder.or_(builder.or_(between("A", "Z"), between("a", "z")), builder.or_(between("0", "9"), text))
        words = builder.or_(words, between("_", "_"))
        lower = builder.or_(text, builder.lshr(builder.and_(capitals, _all(0x80)), _all(2)))
        array = context.make_array(signature.args[2])(context, builder, target)
        builder.store(lower, _bytes_at(builder, array, to), align=1)
        word = ir.IntType(64)

        def tops(values):
            return builder.icmp_signed("<", values, _all(0))

        return context.make_tuple(
            builder, signature.return_type, tuple(builder.bitcast(tops(bits), word) for bits in (words, text))
        )

    return types.UniTuple(types.uint64, 2)(data, types.int64, out, types.int64), generate


@intrinsic
def bytes_between(typing_context, data, at, least, most):
    """Return, as a uint64, which of the 64 bytes of a uint8 array from index `at` on are from `least` to `most`, the
    first in the lowest bit; all must be inside."""
    if not (isinstance(data, types.Array) and data.dtype == types.uint8):
        return None

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        vector = ir.VectorType(ir.IntType(8), 64)
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)

        def everywhere(byte):
            first = builder.insert_element(ir.Constant(vector, ir.Undefined), byte, ir.IntType(32)(0))
            return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), zeros)

        _, at, least, most = arguments
        above = builder.sub(builder.load(_bytes_at(builder, array, at), align=1), everywhere(least))
        inside = builder.icmp_unsigned("<=", above, everywhere(builder.sub(most, least)))
        return builder.bitcast(inside, ir.IntType(64))

    return types.uint64(data, types.int64, types.uint8, types.uint8), generate


@intrinsic
def same_bytes(typing_context, one, at, two, other, size):
    """Say whether ``one[at:at + size]`` and ``two[other:other + size]`` are equal; both are uint8 arrays."""
    if not all(isinstance(data, types.Array) and data.dtype == types.uint8 for data in (one, two)):
        return None

    def generate(context, builder, signature, arguments):
        first, at, second, other, size = arguments
        left = builder.gep(context.make_array(signature.args[0])(context, builder, first).data, [at])
        right = builder.gep(context.make_array(signature.args[2])(context, builder, second).data, [other])
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(64)
        kind = ir.FunctionType(ir.IntType(32), [byte, byte, word])
        function = builder.module.globals.get("memcmp") or ir.Function(builder.module, kind, "memcmp")
        differs = builder.call(function, [builder.bitcast(left, byte), builder.bitcast(right, byte), size])
        return builder.icmp_signed("==", differs, ir.Constant(ir.IntType(32), 0))

    return types.boolean(one, types.int64, two, types.int64, types.int64), generate


@intrinsic
def trailing_zeros(typing_context, word):
    """Return how many bits of a uint64 are 0 below the lowest 1; 64 for 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def highest_bit(typing_context, word):
    """Return the place of the highest bit of a uint64 that is 1; -1 for 0."""

    def generate(context, builder, signature, arguments):
        zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return types.int64(types.uint64), generate


@intrinsic
def set_bits(typing_context, word):
    """Return how many bits of a uint64 are 1."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


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
