"""Between Arrow's columns and the flat arrays that kernels read, without an object per row.

A column of strings is a `Strings`: all bytes in one run, and int64 offsets that cut it; row `i` is
``data[offsets[i]:offsets[i + 1]]``. Arrow's own buffers are used where their layout allows, so a `Strings`
is never written to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword.arrays import NO_BYTES, Bools, Int64, UInt8
from watchword.errors import EventError, WatchwordError

_FEW = 64
_SHORT_OFFSETS = 2**31 - 1
"""The most bytes that a column of Arrow's plain strings can have in one piece."""


@dataclass(frozen=True, slots=True)
class Strings:
    """Byte strings in one run. `surrogates`: lone surrogates may stand in it, each as its three bytes."""

    data: UInt8
    offsets: Int64
    surrogates: bool = False

    @property
    def count(self) -> int:
        """Return the number of strings."""
        return len(self.offsets) - 1

    def part(self, first: int, last: int) -> Strings:
        """Return the rows from `first` up to `last`; the bytes are shared."""
        start, stop = int(self.offsets[first]), int(self.offsets[last])
        return Strings(self.data[start:stop], self.offsets[first : last + 1] - start, self.surrogates)

    def text(self, row: int) -> str:
        """Return one row as a `str`."""
        raw = self.data[self.offsets[row] : self.offsets[row + 1]].tobytes()
        return raw.decode("utf-8", "surrogatepass" if self.surrogates else "strict")


def first_repeated(names: Iterable[str]) -> str | None:
    """Return the first name that has stood before, None if each stands once.

    >>> first_repeated(["a", "b", "a", "b"]), first_repeated("ab")
    ('a', None)
    """
    met: set[str] = set()
    for name in names:
        if name in met:
            return name
        met.add(name)
    return None


def from_texts(texts: Sequence[str]) -> Strings:
    """Return a list of `str`, lone surrogates and all."""
    if len(texts) > _FEW:
        try:
            return from_arrow(pa.array(texts, pa.large_string()))
        except UnicodeEncodeError:
            pass
    return from_pieces([text.encode("utf-8", "surrogatepass") for text in texts], surrogates=True)


def from_pieces(pieces: Sequence[bytes], *, surrogates: bool = False) -> Strings:
    """Return a list of byte strings."""
    offsets = np.array([0, *accumulate(map(len, pieces))], np.int64)
    data = np.frombuffer(bytearray().join(pieces), np.uint8)
    return Strings(data, offsets, surrogates)


def from_arrow(column: pa.Array) -> Strings:
    """Return a column of strings or binaries; nulls read as empty."""
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        width: Any = np.int32
    elif pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        width = np.int64
    else:
        return from_arrow(column.cast(pa.large_string()))
    _, cuts, payload = column.buffers()
    if len(column) == 0 or cuts is None:
        return Strings(NO_BYTES, np.zeros(len(column) + 1, np.int64))
    offsets = np.frombuffer(cuts, width)[column.offset : column.offset + len(column) + 1].astype(np.int64)
    if payload is None:
        return Strings(NO_BYTES, np.zeros(len(column) + 1, np.int64))
    first, last = int(offsets[0]), int(offsets[-1])
    data = writable(np.frombuffer(payload, np.uint8)[first:last])
    return Strings(data, offsets - first if first else offsets)


def writable(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a view of `array` that is typed as writable, for kernels that only read.

    Arrow's buffers are read-only, and numba compiles a second kernel for a read-only array.
    """
    if array.flags.writeable:
        return array
    interface = dict(array.__array_interface__)
    address, _ = interface["data"]
    interface["data"] = (address, False)
    return np.asarray(_Unlocked(interface, array))


class _Unlocked:
    """Hands an array's memory on under a changed interface, and keeps its owner alive."""

    def __init__(self, interface: dict[str, Any], owner: npt.NDArray[Any]) -> None:
        self.__array_interface__ = interface
        self.owner = owner


def to_arrow(strings: Strings) -> pa.Array:
    """Return the strings as a `large_string` column; the bytes must be valid UTF-8."""
    data = strings.data[: strings.offsets[-1]]
    buffers = [None, pa.py_buffer(strings.offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_string(), strings.count, buffers)


def one_chunk(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return the column in one piece; strings that take more than 2 GiB together become large ones."""
    if isinstance(column, pa.ChunkedArray):
        if column.num_chunks == 1:
            return column.chunk(0)
        large = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}.get(column.type)
        return (column.cast(large) if large and column.nbytes > _SHORT_OFFSETS else column).combine_chunks()
    return column


def without_views(column: pa.Array, refused: type[WatchwordError] = EventError) -> pa.Array:
    """Return a column with large strings and binaries for views of them, also inside lists, structs and dictionaries;
    of an extension type what it stores.

    Few of Arrow's functions take views, which polars and DuckDB hand out, or values that are run-end encoded, which are
    written out here. List views and their values stay (`index.arrow`). A type that is nested too deeply, and a view
    that points outside of its bytes, are refused with the error `refused`.
    """
    while isinstance(column, pa.ExtensionArray):
        column = column.storage
    try:
        if has_runs(column.type):
            column = _without_runs(column)
        kind = _without_views(column.type)
    except RecursionError:
        raise refused("a column of a type that is nested too deeply") from None
    if kind == column.type:
        return column
    reason = fault_of(column)  # a cast follows the views wherever they point
    if reason is not None:
        raise refused(reason)
    return column.cast(kind)


def fault_of(column: pa.Array) -> str | None:
    """Return why a column is no valid array of Arrow's; None if it is one, UTF-8 aside.

    >>> fault_of(pa.DictionaryArray.from_arrays(pa.array([0, 5]), pa.array(["tea"]), safe=False))
    'a column that is no valid dictionary<values=string, indices=int64, ordered=0>: Dictionary indices invalid: \
Invalid: Value at position 1 out of bounds: 5 (should be in [0, 0])'
    """
    try:
        validate(column)
    except pa.ArrowException as error:
        return None if "UTF8" in str(error) else f"a column that is no valid {column.type}: {error}"
    return None


def validate(column: pa.Array) -> None:
    """Raise Arrow's error if a column is not valid; most columns of strings are known to be at a tenth of the cost."""
    if not _is_ascii(column):
        column.validate(full=True)


def _is_ascii(column: pa.Array) -> bool:
    """Return whether a column has strings, their offsets ascend within the bytes, and every byte is ASCII."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)) or not len(column):
        return False
    column.validate()
    _, cuts, payload = column.buffers()
    if cuts is None or payload is None:
        return False
    width = np.int32 if pa.types.is_string(column.type) else np.int64
    offsets = np.frombuffer(cuts, width)[column.offset : column.offset + len(column) + 1]
    if not np.all(np.diff(offsets) >= 0):
        return False
    data = np.frombuffer(payload, np.uint8)[int(offsets[0]) : int(offsets[-1])]
    return not len(data) or int(data.max()) < 128


def has_runs(kind: pa.DataType) -> bool:
    """Return whether values of this type, or of the parts of its structs and lists, are run-end encoded."""
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return has_runs(kind.value_type)
    return pa.types.is_run_end_encoded(kind) or (pa.types.is_struct(kind) and any(has_runs(part.type) for part in kind))


def _without_runs(column: pa.Array) -> pa.Array:
    """Return a column with each value written out, also in the parts of structs and lists.

    >>> _without_runs(pa.RunEndEncodedArray.from_arrays([2, 3], ["x", "y"]).slice(1)).to_pylist()
    ['x', 'y']
    """
    if not has_runs(column.type):
        return column
    missing = column.is_null() if column.null_count else None
    if isinstance(column, pa.ListArray | pa.LargeListArray):
        offsets = pa.array(column.offsets.to_numpy())
        return type(column).from_arrays(offsets, _without_runs(column.values), mask=missing)
    if pa.types.is_struct(column.type):
        parts = [_without_runs(column.field(number)) for number in range(column.type.num_fields)]
        return pa.StructArray.from_arrays(parts, names=[part.name for part in column.type], mask=missing)
    places = np.arange(column.offset, column.offset + len(column))
    runs = np.searchsorted(column.run_ends.to_numpy(), places, side="right")
    return without_views(column.values).take(pa.array(runs))


@lru_cache(256)
def _without_views(kind: pa.DataType) -> pa.DataType:
    return _type_without_views(kind)


def _type_without_views(kind: pa.DataType) -> pa.DataType:
    types = pa.types
    if types.is_string_view(kind):
        return pa.large_string()
    if types.is_binary_view(kind):
        return pa.large_binary()
    if types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _type_without_views(kind.value_type), kind.ordered)
    if types.is_struct(kind):
        return pa.struct([field.with_type(_type_without_views(field.type)) for field in kind])
    if types.is_map(kind):
        return pa.map_(_type_without_views(kind.key_type), _type_without_views(kind.item_type))
    if types.is_fixed_size_list(kind):
        return pa.list_(_type_without_views(kind.value_type), kind.list_size)
    if types.is_list(kind) or types.is_large_list(kind):
        made = pa.list_ if types.is_list(kind) else pa.large_list
        return made(kind.value_field.with_type(_type_without_views(kind.value_type)))
    return kind


def valid_rows(column: pa.Array) -> Bools | None:
    """Return which rows are not null, nor name a null of a dictionary; None if that is all of them.

    >>> valid_rows(pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["tea", None])))
    array([ True, False])
    """
    if pa.types.is_dictionary(column.type) and column.dictionary.null_count:
        column = column.dictionary_decode()
    return column.is_valid().to_numpy(zero_copy_only=False) if column.null_count else None


def first_null(column: pa.Array) -> int | None:
    """Return the first row that is null."""
    valid = valid_rows(column)
    return None if valid is None else int(np.argmin(valid))
