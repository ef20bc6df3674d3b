"""Arrow streams of strangers, read so that none costs more than it says: `read_events`.

    events = read_events(body, Limits())            a pyarrow.Table, validated in full

A stream may lie: about offsets, lengths, types, and how large its buffers are when they are unpacked. So, before a
buffer is unpacked, the head of each message is read here (`unpacked_size`), which is a flatbuffer:

    FF FF FF FF | length of the head | head: a Message | padding | body of the message
    Message       version 0, header type 1, header 2, length of the body 3
    RecordBatch   rows 0, nodes 1, buffers 2, compression 3          DictionaryBatch   id 0, data 1: a RecordBatch
    Buffer        offset and length in the body; if it is packed, its first 8 bytes are its size unpacked

Each batch is then validated in full, its rows, columns, depth and nested values are counted, and types whose values may
share bytes (views, runs, unions, extensions) are refused: a few bytes of them could stand for any number.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from watchword.errors import EventError
from watchword.serve.limits import Limits

_BATCH, _DICTIONARY = 3, 2
"""Types of a message's header that have buffers."""
_CONTINUED = b"\xff\xff\xff\xff"


def read_events(body: bytes, limits: Limits) -> pa.Table:
    """Return the table of a stream; an `EventError` names its fault, or the limit that it exceeds."""
    try:
        size = sum(unpacked_size(head, content) for head, content in messages(body))
        if size > limits.unpacked:
            raise EventError(f"it unpacks to {size:,} bytes, and {limits.unpacked:,} are the most: send less at a time")
        batches, rows = [], 0
        with pa.ipc.open_stream(pa.py_buffer(body)) as reader:
            check_schema(reader.schema, limits)
            for batch in reader:
                rows += batch.num_rows
                if rows > limits.events:
                    raise EventError(f"it has more than {limits.events:,} events: send fewer at a time")
                batch.validate(full=True)
                check_values(batch, limits)
                batches.append(batch)
            return pa.Table.from_batches(batches, reader.schema)
    except (pa.ArrowException, struct.error, OSError, ValueError, OverflowError, MemoryError) as error:
        if isinstance(error, EventError):
            raise
        raise EventError(f"it is no Arrow stream, or a damaged one: {str(error).splitlines()[0][:200]}") from None


def check_schema(schema: pa.Schema, limits: Limits) -> None:
    """Raise an `EventError` for too many columns, too deep ones, and types that are not taken."""
    if not len(schema):
        raise EventError("the table has no column")
    count = sum(_count_types(field.type, limits.nesting) for field in schema)
    if count > limits.columns:
        raise EventError(f"it has {count:,} columns, at all depths, and {limits.columns:,} are the most")


def _count_types(kind: pa.DataType, depth: int) -> int:
    if depth == 0:
        raise EventError("its columns are nested too deeply")
    types = pa.types
    if types.is_dictionary(kind):
        if not (types.is_string(kind.value_type) or types.is_large_string(kind.value_type)):
            raise EventError(f"a column of type {kind} is not taken: send its values")
        return 1
    if types.is_struct(kind) or types.is_list(kind) or types.is_large_list(kind):
        return 1 + sum(_count_types(kind.field(number).type, depth - 1) for number in range(kind.num_fields))
    if types.is_nested(kind) or isinstance(kind, pa.BaseExtensionType) or _is_view(kind):
        raise EventError(f"a column of type {kind} is not taken: cast it to a plain type")
    return 1


def _is_view(kind: pa.DataType) -> bool:
    return "view" in str(kind) or pa.types.is_run_end_encoded(kind)


def check_values(batch: pa.RecordBatch, limits: Limits) -> None:
    """Raise an `EventError` if nested values are too many, or dictionaries stand for too much."""
    most, size = 50 * limits.events, 0
    for column in batch.columns:
        for array in _arrays(column):
            most -= len(array)
            if pa.types.is_dictionary(array.type) and len(array):
                lengths = pc.binary_length(array.dictionary)
                size += int(pc.sum(lengths.take(array.indices)).as_py() or 0)
    if most < 0:
        raise EventError(f"it has more than {50 * limits.events:,} values: send fewer at a time")
    if size > limits.unpacked:
        raise EventError("its dictionaries stand for too much text: send less at a time")


def _arrays(array: pa.Array) -> Iterator[pa.Array]:
    yield array
    if pa.types.is_struct(array.type):
        for number in range(array.type.num_fields):
            yield from _arrays(array.field(number))
    elif pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        yield from _arrays(array.values)


def messages(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield head and body of each message of a stream."""
    at, view = 0, memoryview(body)
    while at + 4 <= len(body):
        if body[at : at + 4] == _CONTINUED:
            at += 4
        (length,) = struct.unpack_from("<i", body, at)
        at += 4
        if length == 0:
            return
        if length < 0 or at + length > len(body):
            raise EventError("it is no Arrow stream, or a damaged one: a message is longer than the stream")
        head = bytes(view[at : at + length])
        at += length
        size = _scalar(head, _root(head), 3, "<q")
        if size < 0 or at + size > len(body):
            raise EventError("it is no Arrow stream, or a damaged one: a message is longer than the stream")
        yield head, bytes(view[at : at + size])
        at += size


def unpacked_size(head: bytes, content: bytes) -> int:
    """Return the bytes that the buffers of a message take when they are unpacked.

    >>> stream = pa.BufferOutputStream()
    >>> table = pa.table({"text": ["ferry" * 1000]})
    >>> options = pa.ipc.IpcWriteOptions(compression="zstd")
    >>> with pa.ipc.new_stream(stream, table.schema, options=options) as writer:
    ...     writer.write(table)
    >>> sum(unpacked_size(*message) for message in messages(stream.getvalue().to_pybytes())) >= 5000
    True
    """
    message = _root(head)
    kind = _scalar(head, message, 1, "<B")
    if kind not in (_BATCH, _DICTIONARY):
        return 0
    batch = _offset(head, message, 2)
    if kind == _DICTIONARY and batch is not None:
        batch = _offset(head, batch, 1)
    if batch is None or not _field(head, batch, 3):
        return len(content)
    buffers = _offset(head, batch, 2)
    if buffers is None:
        return 0
    (count,) = struct.unpack_from("<I", head, buffers)
    total = 0
    for number in range(count):
        offset, length = struct.unpack_from("<qq", head, buffers + 4 + 16 * number)
        if length >= 8:
            if offset < 0:
                raise EventError("it is no Arrow stream, or a damaged one: a buffer is before its message")
            (size,) = struct.unpack_from("<q", content, offset)
            total += length if size == -1 else size
            if size < -1:
                raise EventError("it is no Arrow stream, or a damaged one: a buffer has a size below 0")
    return total


def _root(head: bytes) -> int:
    (root,) = struct.unpack_from("<I", head, 0)
    return int(root)


def _field(head: bytes, table: int, number: int) -> int:
    """Return where a field of a flatbuffer's table is; 0 if the table does not have it."""
    (back,) = struct.unpack_from("<i", head, table)
    vtable = table - back
    if vtable < 0:
        raise struct.error("a table without fields")
    (size,) = struct.unpack_from("<H", head, vtable)
    if 4 + 2 * number >= size:
        return 0
    (offset,) = struct.unpack_from("<H", head, vtable + 4 + 2 * number)
    return table + offset if offset else 0


def _scalar(head: bytes, table: int, number: int, form: str) -> int:
    at = _field(head, table, number)
    return int(struct.unpack_from(form, head, at)[0]) if at else 0


def _offset(head: bytes, table: int, number: int) -> int | None:
    """Return where the table or vector is that a field refers to; None if there is none."""
    at = _field(head, table, number)
    return at + int(struct.unpack_from("<I", head, at)[0]) if at else None
