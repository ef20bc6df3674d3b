"""Events as JSON texts: one by one in plain Python, and many through Arrow's reader, which makes columns of them.

`parsed` is the rule for every other way. Most texts of a batch are read by a kernel (`scanning`), which leaves rare and
wrong ones to `parsed`. An index with a schema looks at whole events, and asks Arrow first, which makes no object for an
event. Arrow does not read everything as we do: it takes texts for timestamps, rounds an integer among decimals, reads
NaN and Infinity, refuses columns of mixed kinds, crashes on a line that is ``null``, and of a first list that begins
with null it makes an array that is not valid. Where any of that may be, or where a text is refused, the texts are read
one by one in Python, which also names the wrong text and its fault.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from watchword.arrays import Int64
from watchword.errors import EventError
from watchword.index.events import decoded
from watchword.kernels.predicates.pieces import shape_of
from watchword.predicates.events.depth import MAX_DEPTH, TOO_DEEP, refuse_deep
from watchword.strings import first_repeated
from watchword.visible import shown

ARROW_DEPTH = 64
"""How deep a JSON text that Arrow reads may be nested, counting brackets inside quoted texts, too."""

ARROW_KEYS = 4096
"""How many keys a JSON text that Arrow reads may have, counting colons inside quoted texts, too: each is a column."""

_LONG = 6 * ARROW_KEYS
"""A text of this many bytes or fewer has no more keys than that."""

_LONG_INTEGER = re.compile(rb"\d{16}")


def parsed(text: Any, position: int) -> dict[str, Any]:
    """Return the event that a JSON text is, as nested Python objects.

    >>> parsed('{"value": 15}', 0)
    {'value': 15}
    """
    text = decoded(text, position)
    try:
        event = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except RecursionError:
        raise EventError(TOO_DEEP, position=position) from None
    except ValueError as error:
        raise EventError(f"it is no JSON: {error}", position=position) from None
    if not isinstance(event, dict):
        raise EventError(f"an event is an object, not {_kind(event)}", position=position)
    if text.count("{") + text.count("[") > MAX_DEPTH:
        refuse_deep(event, position)
    return event


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError(f"the key {shown(first_repeated(name for name, _ in pairs))} stands in one object twice")
    return made


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number; leave the key out, or write null")


def _kind(value: Any) -> str:
    kinds = {list: "an array", str: "a text", bool: "a boolean", type(None): "null"}
    return kinds.get(type(value), "a number")


def columns_of(events: Any, known: pa.Schema | None = None) -> pa.Table | None:
    """Return JSON texts, a list or an Arrow array, as columns; None where only Python can be trusted to read them.

    `known` is the schema of texts before these: where they are alike, Arrow need not guess.

    >>> columns_of(['{"name": "RBS"}', '{"value": 15}']).to_pylist()
    [{'name': 'RBS', 'value': None}, {'name': None, 'value': 15}]
    """
    whole = _lines(events)
    if whole is None:
        return None
    if not _is_utf8(whole) or _is_wide(events, whole):
        return None
    breaks, objects, depth = shape_of(np.frombuffer(whole, np.uint8))
    if breaks != len(events) - 1 or objects != len(events) or depth > ARROW_DEPTH:
        return None
    table = None if known is None else _tried(whole, known)
    if table is None:
        table = _tried(whole, None)
    plain = None if table is None else _without_timestamps(table.schema)
    if plain is not None:
        table = _tried(whole, plain)
    if table is None:
        return None
    doubles = any(_has_double(kind) for kind in table.schema.types)
    if doubles and (_LONG_INTEGER.search(whole) or not all(map(_is_finite, table.columns))):
        return None
    return table if table.num_rows == len(events) else None


def listed(events: Any) -> Any:
    """Return texts as a sequence, those of an array as a list; of bytes if one is not UTF-8, which `parsed` refuses."""
    if not isinstance(events, pa.Array):
        return events
    try:
        found: list[Any] = events.to_pylist()
    except UnicodeDecodeError:
        found = events.cast(pa.large_binary()).to_pylist()
    return found


def taken(events: Any, rows: Int64) -> Any:
    """Return some of the texts."""
    if isinstance(events, pa.Array):
        return listed(events.take(pa.array(rows)))
    return [events[row] for row in rows.tolist()]


def _is_wide(events: Any, whole: Any) -> bool:
    """Return whether a text may have more keys than Arrow should make columns of."""
    longest = pc.max(pc.binary_length(events)).as_py() if isinstance(events, pa.Array) else max(map(len, events))
    if longest <= _LONG:
        return False
    return any(len(line) > _LONG and line.count(b":") > ARROW_KEYS for line in bytes(whole).split(b"\n"))


def _is_utf8(whole: Any) -> bool:
    ends = pa.py_buffer(np.array([0, len(whole)], np.int64))
    try:
        pa.Array.from_buffers(pa.large_string(), 1, [None, ends, pa.py_buffer(whole)]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _lines(events: Any) -> Any:
    """Return texts as lines in one buffer; None if they cannot be."""
    if not len(events):
        return None
    if isinstance(events, pa.Array):
        if events[:1].cast(pa.large_binary())[0].as_py()[-1:] == b"\n":
            events = _without_line_ends(events)
            if events is None:
                return None
        lines = pa.ListArray.from_arrays([0, len(events)], events.cast(pa.large_binary()))
        return pc.binary_join(lines, pa.scalar(b"\n", pa.large_binary()))[0].as_buffer()
    try:
        if events[0][-1:] in ("\n", b"\n"):
            end = "\r\n" if isinstance(events[0], str) else b"\r\n"
            events = [event.rstrip(end) for event in events]
        if isinstance(events[0], str):
            return "\n".join(events).encode()
        return b"\n".join(events)
    except (AttributeError, TypeError, UnicodeEncodeError):  # mixed, or with half a surrogate pair
        return None


def _without_line_ends(events: pa.Array) -> pa.Array | None:
    """Return texts without the line ends behind them; None if they are not UTF-8."""
    try:
        return pc.utf8_rtrim(events.cast(pa.large_string()), characters="\r\n")
    except pa.ArrowInvalid:
        return None


def _tried(whole: Any, schema: pa.Schema | None) -> pa.Table | None:
    try:
        table = _read(whole, schema)
        table.validate()
        return table
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _read(whole: Any, schema: pa.Schema | None) -> pa.Table:
    options = pj.ParseOptions(explicit_schema=schema, newlines_in_values=False)
    reader = pj.ReadOptions(block_size=max(1 << 20, len(whole) + 1), use_threads=False)
    return pj.read_json(pa.BufferReader(whole), reader, options)


def _is_finite(column: Any) -> bool:
    """Return whether no double of a column, however deep, is NaN or infinite."""
    kind = column.type
    if pa.types.is_floating(kind):
        return bool(pc.all(pc.is_finite(column)).as_py() in (True, None))  # None: all are null
    if pa.types.is_list(kind):
        return not _has_double(kind) or _is_finite(pc.list_flatten(column))
    if pa.types.is_struct(kind):
        fields = (k for k in range(kind.num_fields) if _has_double(kind.field(k).type))
        return all(_is_finite(pc.struct_field(column, [k])) for k in fields)
    return True


def _has_double(kind: pa.DataType) -> bool:
    if pa.types.is_list(kind):
        return _has_double(kind.value_type)
    if pa.types.is_struct(kind):
        return any(_has_double(kind.field(k).type) for k in range(kind.num_fields))
    return bool(pa.types.is_floating(kind))


def _without_timestamps(schema: pa.Schema) -> pa.Schema | None:
    """Return a schema with texts where Arrow saw timestamps; None if there are none."""
    plain = pa.schema([pa.field(field.name, _plain(field.type)) for field in schema])
    return None if plain.equals(schema) else plain


def _plain(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_plain(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(kind.field(k).name, _plain(kind.field(k).type)) for k in range(kind.num_fields)])
    return kind
