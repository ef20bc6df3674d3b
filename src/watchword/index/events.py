"""Events as they come, for every language whose events are texts: cut into batches, refused where they are none.

A batch of events may be any iterable or an Arrow array; either way it is matched in parts, so that what is read of
them and the pairs that they find stay small.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from watchword.errors import EventError
from watchword.index import Batch
from watchword.strings import Strings, first_null, from_arrow


def cut(events: Any, batch: Batch) -> Iterator[Any]:
    """Yield Arrow arrays of an Arrow array, and lists of anything else, of `batch.size` events each."""
    if isinstance(events, pa.ChunkedArray):
        for chunk in events.chunks:
            yield from cut(chunk, batch)
    elif isinstance(events, pa.Array):
        for start, stop in batch.slices(len(events)):
            yield events[start:stop]
    elif isinstance(events, str | bytes | dict):
        raise EventError(
            f"match_many takes many events, not one {type(events).__name__}; use match, or put it into a list"
        )
    else:
        yield from batch.lists(events)


def refuse_nulls(column: pa.Array, position: int) -> None:
    """Raise if a row of the column is null; its first event is at `position`."""
    row = first_null(column)
    if row is not None:
        raise EventError("it is null; leave nulls out", position=position + row)


def texts_of(column: pa.Array, position: int, expected: str) -> Strings:
    """Return a column of strings or binaries, plain or dictionary-encoded, without nulls; not checked for UTF-8."""
    refuse_nulls(column, position)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
        refuse_nulls(column, position)  # a dictionary may name null as a value
    if not is_text(column.type):
        raise EventError(f"an array of {column.type} has no texts; expected {expected}", position=position)
    return from_arrow(column)


def is_text(kind: pa.DataType) -> bool:
    """Say whether a column of this type holds texts, or nothing at all."""
    checks = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_string_view,
        pa.types.is_null,
    )
    return any(check(kind) for check in checks)


def decoded(event: Any, position: int) -> Any:
    """Return an event given as bytes as a `str`, and any other as it is."""
    if isinstance(event, bytes | bytearray | memoryview):
        try:
            return bytes(event).decode()
        except UnicodeDecodeError as error:
            raise EventError(f"invalid UTF-8 at byte {error.start}", position=position) from None
    return event
