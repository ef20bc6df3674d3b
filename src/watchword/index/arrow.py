"""One walk through Arrow columns: what a type holds, which values are there, and the event that each belongs to.

Two events whose `tags` are ``["a", null, "b"]`` and ``["c"]`` are one column of lists. Flattened, it has three values,
and `owners` names the event of each::

    values    a  b  c
    owners    0  0  1

>>> tags = pa.array([["a", None, "b"], ["c"]])
>>> values, owners = flat_values(tags, np.arange(2))
>>> values.to_pylist(), owners.tolist()
(['a', 'b', 'c'], [0, 0, 1])

Every reader of columns uses these functions, so that all of them agree on four points:

- A null is no value, whether the row is null, or its index in a dictionary, or the value that the index names. NaN is
  no number.
- A list may be of any kind, with short or long offsets, of fixed size, or a list view; a list in a list is flattened.
- An object is a struct or a map. Names of a map's attributes are its keys, texts or binaries.
- Extension types count as what they store, and a run-end encoded column as the values that it repeats.

List views are flattened and never cast: Arrow 26.0 casts a view ``[[7], [8, 9]]`` to the list ``[[7], []]``.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword.arrays import Int64, UInt64, offsets_of
from watchword.errors import EventError
from watchword.kernels.grouping import group_by_owner
from watchword.kernels.stable_hash import hash_strings
from watchword.strings import Strings, fault_of, first_null, has_runs, valid_rows, validate, without_views, writable

# types


def is_list(kind: pa.DataType) -> bool:
    """Return whether a column of this type holds lists."""
    types = pa.types
    checks = (
        types.is_list,
        types.is_large_list,
        types.is_fixed_size_list,
        types.is_list_view,
        types.is_large_list_view,
    )
    return any(check(kind) for check in checks)


def is_object(kind: pa.DataType) -> bool:
    """Return whether a column of this type holds objects: structs or maps."""
    return bool(pa.types.is_struct(kind) or pa.types.is_map(kind))


def is_string(kind: pa.DataType) -> bool:
    """Return whether a column of this type holds strings; binaries are none."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def may_hold_texts(kind: pa.DataType) -> bool:
    """Return whether a column of this type can hold texts: strings, binaries of UTF-8, or nothing but nulls."""
    types = pa.types
    checks = (types.is_binary, types.is_large_binary, types.is_binary_view, types.is_null)
    return is_string(kind) or any(check(kind) for check in checks)


def decode_dictionary(column: pa.Array) -> pa.Array:
    """Return a dictionary-encoded column as a plain one, and any other as it is."""
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


# values and their owners


class Owned(NamedTuple):
    """Values of one column, and the event of each."""

    values: pa.Array
    owners: Int64


def flat_values(values: pa.Array, owners: Int64) -> Owned:
    """Return the values that are there, without nulls and NaN, lists flattened at every depth.

    What comes out is empty, objects, or scalars; scalars may still be dictionary-encoded.
    """
    values, owners = _without_missing(values, owners)
    while is_list(values.type):
        owners = np.repeat(owners, values.value_lengths().to_numpy(zero_copy_only=False))
        values, owners = _without_missing(without_views(values.flatten()), owners)
    return Owned(values, owners)


class InvalidValueError(EventError):
    """A value of a column is none: Arrow's buffers contradict each other, or a string is not UTF-8."""


def refuse_invalid(values: pa.Array, owners: Int64) -> None:
    """Raise an `InvalidValueError` if a column of scalars or lists is not valid; its position is the value's owner.

    Lists are checked by their lengths only: their values are checked when they are flattened.
    """
    if is_list(values.type):
        lengths = values.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        if len(lengths) and lengths.min() < 0:
            raise InvalidValueError(f"no valid {values.type}: a length below 0", position=int(owners[lengths.argmin()]))
    elif not is_object(values.type):
        try:
            validate(values)
        except pa.ArrowException as error:
            row = next((row for row in range(len(values)) if not _is_valid(values[row : row + 1])), 0)
            reason = "invalid UTF-8; decode or repair the text" if "UTF8" in str(error) else f"no value: {error}"
            raise InvalidValueError(reason, position=int(owners[row])) from None


def _is_valid(values: pa.Array) -> bool:
    try:
        (decode_dictionary(values) if pa.types.is_dictionary(values.type) else values).validate(full=True)
    except pa.ArrowException:
        return False
    return True


def _without_missing(values: pa.Array, owners: Int64) -> Owned:
    values = _storage(values)
    refuse_invalid(values, owners)
    valid = valid_rows(values)
    if valid is not None:
        values, owners = values.filter(pa.array(valid)), owners[valid]
        if pa.types.is_dictionary(values.type) and values.dictionary.null_count:
            values = values.dictionary_decode()
    if pa.types.is_floating(values.type):
        is_number = ~np.isnan(values.to_numpy(zero_copy_only=False))
        if not is_number.all():
            values, owners = values.filter(pa.array(is_number)), owners[is_number]
    return Owned(values, owners)


def _storage(values: pa.Array) -> pa.Array:
    """Return what an extension type stores, and a plain column for a dictionary of anything but simple values."""
    while True:
        if isinstance(values, pa.ExtensionArray):
            values = without_views(values.storage)
        elif has_runs(values.type):
            values = without_views(values)
        elif pa.types.is_dictionary(values.type) and not _is_simple(values.type.value_type):
            reason = fault_of(values)
            if reason is not None:
                raise InvalidValueError(reason, position=0)
            values = values.dictionary_decode()
        else:
            return values


def _is_simple(kind: pa.DataType) -> bool:
    """Return whether values of this type need no look inside; a double may be NaN."""
    is_extension = isinstance(kind, pa.BaseExtensionType)
    return not (is_extension or pa.types.is_nested(kind) or pa.types.is_dictionary(kind) or pa.types.is_floating(kind))


def attributes(
    objects: pa.Array, owners: Int64, asked: Container[str] | None = None
) -> Iterator[tuple[str, pa.Array, Int64]]:
    """Yield the name, the values and the owners of each attribute of objects without nulls; of `asked` names, or all.

    >>> map_of = pa.array([[("a", 1), ("b", 2)], [("a", 3)]], pa.map_(pa.string(), pa.int64()))
    >>> [(name, values.to_pylist(), owners.tolist()) for name, values, owners in attributes(map_of, np.arange(2))]
    [('a', [1, 3], [0, 1]), ('b', [2], [0])]
    """
    if pa.types.is_map(objects.type):
        yield from _entries(objects, owners, asked)
        return
    for number, field in enumerate(objects.type):
        if asked is None or field.name in asked:
            yield field.name, pc.struct_field(objects, [number]), owners


def _entries(objects: pa.Array, owners: Int64, asked: Container[str] | None) -> Iterator[tuple[str, pa.Array, Int64]]:
    offsets = objects.offsets.to_numpy()
    keys, items = (part[offsets[0] : offsets[-1]] for part in (objects.keys, objects.items))
    inner = np.repeat(owners, np.diff(offsets))
    keys = decode_dictionary(keys)
    if not may_hold_texts(keys.type):
        if asked is not None:  # 1 is not the attribute that is named "1"
            return
        keys = pa.array([str(key) for key in keys.to_pylist()], pa.string())
    encoded = keys.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy()
    for code, key in enumerate(encoded.dictionary.to_pylist()):
        name = key.decode("utf-8", "backslashreplace") if isinstance(key, bytes) else key
        if asked is None or name in asked:
            here = codes == code
            yield name, items.filter(pa.array(here)), inner[here]


def group_by_event(count: int, parts: Sequence[tuple[Int64, Any]], kind: Any) -> tuple[Int64, Any]:
    """Return where the values of each of `count` events begin, and the values; a part has owners and values.

    >>> offsets, values = group_by_event(2, [(np.array([0, 1]), [5, 6]), (np.array([0]), [7])], np.int64)
    >>> offsets.tolist(), values.tolist()
    ([0, 2, 3], [5, 7, 6])
    """
    offsets = np.zeros(count + 1, np.int64)
    if not parts:
        return offsets, np.empty(0, kind)
    owners, values = (np.concatenate(both) for both in zip(*parts, strict=True))
    grouped = np.empty(len(values), kind)
    group_by_owner(owners, values.astype(kind, copy=False), offsets, grouped)
    return offsets, grouped


# lists of texts


class TextLists(NamedTuple):
    """Texts of lists, plain or dictionary-encoded: list `i` has ``texts[offsets[i]:offsets[i + 1]]``."""

    offsets: Int64
    texts: pa.Array

    def owner(self, text: int) -> int:
        """Return the list that has a text."""
        return int(np.searchsorted(self.offsets, text, side="right")) - 1


def text_lists(column: pa.Array, position: int, noun: str) -> TextLists:
    """Return the texts of lists; no list is null, the first is at `position`. A null text inside a list is refused.

    `noun` says in errors what the texts are: terms, names.
    """
    texts = without_views(column.flatten())
    kind = texts.type.value_type if pa.types.is_dictionary(texts.type) else texts.type
    if not may_hold_texts(kind):
        raise EventError(f"a list of {kind} has no {noun}; expected strings", position=position)
    lists = TextLists(offsets_of(column.value_lengths().to_numpy(zero_copy_only=False)), texts)
    row = first_null(texts)
    if row is not None:
        raise EventError(f"one of its {noun} is null", position=position + lists.owner(row))
    return lists


def string_hashes(strings: Strings) -> UInt64:
    """Return the hash of each string, the same in every process and on every machine."""
    hashes = np.empty(strings.count, np.uint64)
    hash_strings(writable(strings.data), writable(strings.offsets), hashes)
    return hashes
