"""Events as JSON texts: one by one in plain Python, many through Arrow's reader, which makes columns of them.

Arrow is asked first, since it makes no object for an event. It does not read everything as we do: it takes texts for
timestamps, rounds an integer among decimals, and refuses columns of mixed kinds. Where any of that may be, or where a
text is refused, the texts are read one by one in Python, which also says what is wrong with which.
"""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pyarrow as pa
import pyarrow.json as pj

from watchword.errors import EventError
from watchword.index.events import decoded

MAX_DEPTH = 200
"""How deep an event may be nested."""

_LONG_NUMBER = re.compile(rb"\d{16}|\d\.\d{16}|[eE][+-]?\d")


def parsed(text: Any, position: int) -> Any:
    """Return the event that a JSON text is, as nested Python objects.

    >>> parsed('{"value": 15}', 0)
    {'value': 15}
    """
    text = decoded(text, position)
    try:
        event = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except RecursionError:
        raise EventError(f"it is nested more than {MAX_DEPTH} deep", position=position) from None
    except ValueError as error:
        raise EventError(f"it is no JSON: {error}", position=position) from None
    if not isinstance(event, dict):
        raise EventError(f"an event is an object, not {_kind(event)}", position=position)
    return event


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(
            f"the key {next(name for name in names if names.count(name) > 1)!r} stands in one object twice"
        )
    return made


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number; leave the key out, or write null")


def _kind(value: Any) -> str:
    kinds = {list: "an array", str: "a text", bool: "a boolean", type(None): "null"}
    return kinds.get(type(value), "a number")


def columns_of(texts: list[bytes]) -> pa.Table | None:
    """Return JSON texts as columns; None where only Python can be trusted to read them."""
    if not texts or any(b"\n" in text or b"\r" in text for text in texts):
        return None
    whole = b"\n".join(texts)
    if _LONG_NUMBER.search(whole) or any(_is_deep(text) for text in texts if text.count(b"[") + text.count(b"{") > 64):
        return None
    try:
        table = _read(whole, None)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    if table.num_rows != len(texts):
        return None
    plain = _without_timestamps(table.schema)
    if plain is not None:
        try:
            table = _read(whole, plain)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None
    return table


def _read(whole: bytes, schema: pa.Schema | None) -> pa.Table:
    options = pj.ParseOptions(explicit_schema=schema, newlines_in_values=False)
    size = max(1 << 20, len(whole) + 1)
    return pj.read_json(io.BytesIO(whole), pj.ReadOptions(block_size=size, use_threads=False), options)


def _is_deep(text: bytes) -> bool:
    depth = 0
    for byte in text:
        depth += (byte in b"[{") - (byte in b"]}")
        if depth > 64:
            return True
    return False


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
