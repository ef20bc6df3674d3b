"""Routing: what clauses need and what events have, by hashes that do not depend on any index.

An atom is an equality, ``name = 'RBS'`` or ``orders.price = 7``: an event has one for each of its values, whether
anybody asks for it or not. A clause needs the equalities that it joins with AND; ranges, beginnings, IN, dates, folded
case, MATCHES, HAS and LIKE do not follow from one equal value, and are left out; so is a LIKE without an attribute,
which any of several attributes may equal. A subscription whose clauses need nothing gets every event. Values that are
equal have one hash; some that are not may share theirs (integers that have one nearest double), which costs a needless
send and no match.

    hash of an atom = mixed(hash of "orders.price", hash of the value's bytes, its kind)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from watchword.arrays import Bools, Int64, UInt64, offsets_of
from watchword.index.arrow import (
    attributes,
    decode_dictionary,
    flat_values,
    group_by_event,
    is_object,
    is_string,
    may_hold_texts,
    string_hashes,
)
from watchword.index.events import refuse_nulls
from watchword.index.frames import rows_of
from watchword.index.routing import Atoms, Needs
from watchword.predicates.events.depth import refuse_deep_type
from watchword.predicates.events.documents import columns_of, parsed
from watchword.predicates.predicate import Path, Predicate, show_path
from watchword.predicates.values import BOOLEAN, NUMBER, TEXT, Key, View, plain_key
from watchword.sets.rows import Rows
from watchword.strings import Strings, from_arrow, from_texts

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xFF51AFD7ED558CCD)
_SHIFT = np.uint64(33)


def needs_of(
    plain: Rows, owners: Int64, parsed_rows: list[tuple[int, list[int]]], meanings: list[Predicate | None]
) -> Needs:
    """Return the atoms that clauses need: conjunctions are rows of predicates' numbers, others come with owners."""
    hashes, known = _equalities(meanings)
    more = Rows(
        offsets_of([len(row) for _, row in parsed_rows]), np.array([n for _, row in parsed_rows for n in row], np.int32)
    )
    atoms = np.concatenate([plain.atoms, more.atoms])
    offsets = np.concatenate([plain.offsets, plain.offsets[-1] + more.offsets[1:]])
    kept = known[atoms]
    all_owners = np.concatenate([owners, np.array([owner for owner, _ in parsed_rows], np.int64)])
    return Needs(all_owners, offsets_of(kept)[offsets], hashes[atoms[kept]])


def _equalities(predicates: list[Predicate | None]) -> tuple[UInt64, Bools]:
    """Return the atoms of predicates, and which predicates have one."""
    asked = [one if one is not None and _is_equality(one) else None for one in predicates]
    known = np.array([one is not None for one in asked], np.bool_)
    found = [(show_path(one.attribute), one.constants[0]) for one in asked if one is not None]
    hashes = np.zeros(len(predicates), np.uint64)
    hashes[known] = _hashed_keys([path for path, _ in found], [key for _, key in found])
    return hashes, known


def _is_equality(predicate: Predicate) -> bool:
    return predicate.operator == "=" and predicate.view is View.PLAIN and bool(predicate.attribute)


def atoms_of(events: pa.Array) -> Atoms | None:
    """Return the atoms of events, objects or JSON texts; None if the values of a column have no known hash."""
    refuse_nulls(events, 0)
    if may_hold_texts(events.type):
        table = columns_of(events)
        if table is None:
            return _atoms_of_objects([parsed(text, row) for row, text in enumerate(events.to_pylist())])
        events = rows_of(table)
    if not is_object(events.type):
        return None
    refuse_deep_type(events.type, 0)
    try:
        leaves = list(_leaves((), events, np.arange(len(events))))
    except _UnknownError:
        return None
    return _atoms_by_event(len(events), leaves)


class _UnknownError(Exception):
    """A column is of a type whose values have no atoms."""


def _leaves(path: Path, column: pa.Array, owners: Int64) -> Iterator[tuple[Int64, UInt64]]:
    """Yield the events that values of a column belong to, and the values' atoms; lists and objects are gone into."""
    column, owners = flat_values(column, owners)
    column = decode_dictionary(column)
    kind = column.type
    if is_object(kind):
        for name, values, inner in attributes(column, owners):
            yield from _leaves((*path, name), values, inner)
    elif not (pa.types.is_null(kind) or pa.types.is_date(kind) or pa.types.is_timestamp(kind)):  # dates equal nothing
        yield _scalars(path, column, owners)


def _scalars(path: Path, column: pa.Array, owners: Int64) -> tuple[Int64, UInt64]:
    kind, attribute = column.type, string_hashes(from_texts([show_path(path)]))
    if is_string(kind):
        return owners, _mixed(attribute, string_hashes(from_arrow(column)), TEXT)
    if pa.types.is_boolean(kind):
        return owners, _mixed(attribute, column.cast(pa.uint8()).to_numpy().astype(np.uint64), BOOLEAN)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers = column.to_numpy(zero_copy_only=False).astype(np.float64)
        return owners, _mixed(attribute, _hashed_numbers(numbers), NUMBER)
    if pa.types.is_decimal(kind):
        numbers = np.array([_near((plain_key(value) or (NUMBER, 0))[1]) for value in column.to_pylist()], np.float64)
        return owners, _mixed(attribute, _hashed_numbers(numbers), NUMBER)
    raise _UnknownError


def _atoms_of_objects(events: Sequence[Any]) -> Atoms:
    """Return the atoms of nested Python objects."""
    owners, paths, keys = [], [], []
    for position, event in enumerate(events):
        for path, value in _values((), event):
            key = plain_key(value)
            if key is not None:
                owners.append(position)
                paths.append(show_path(path))
                keys.append(key)
    return _atoms_by_event(len(events), [(np.array(owners, np.int64), _hashed_keys(paths, keys))])


def _values(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _values((*path, name), inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(path, inner)
    else:
        yield path, value


def _atoms_by_event(count: int, leaves: list[tuple[Int64, UInt64]]) -> Atoms:
    signed = [(owners, hashes.view(np.int64)) for owners, hashes in leaves]  # the kernel is compiled for int64
    offsets, hashes = group_by_event(count, signed, np.int64)
    return Atoms(offsets, hashes.view(np.uint64))


# hashes


def _hashed_keys(paths: Sequence[str], keys: Sequence[Key]) -> UInt64:
    """Return the atoms of values given as keys, texts, numbers and booleans."""
    kinds = np.array([kind for kind, _ in keys], np.int64)
    values = np.zeros(len(keys), np.uint64)
    values[kinds == TEXT] = string_hashes(from_texts([value for kind, value in keys if kind == TEXT]))
    numbers = np.array([_near(value) for kind, value in keys if kind == NUMBER], np.float64)
    values[kinds == NUMBER] = _hashed_numbers(numbers)
    values[kinds == BOOLEAN] = [int(value) for kind, value in keys if kind == BOOLEAN]
    return _mixed(string_hashes(from_texts(list(paths))), values, kinds.astype(np.uint64))


def _near(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def _hashed_numbers(numbers: Any) -> UInt64:
    """Return the hashes of doubles; both zeros have one."""
    data = np.ascontiguousarray(numbers + 0.0, "<f8").view(np.uint8)
    return string_hashes(Strings(data, np.arange(0, 8 * len(numbers) + 8, 8, dtype=np.int64)[: len(numbers) + 1]))


def _mixed(attributes: UInt64, values: UInt64, kinds: Any) -> UInt64:
    """Return atoms. They are stored with indexes, so this must never change."""
    found: UInt64 = (values + np.asarray(kinds, np.uint64) + np.uint64(1)) * _SPREAD ^ attributes
    found = (found ^ (found >> _SHIFT)) * _FIRST
    return found ^ (found >> _SHIFT)
