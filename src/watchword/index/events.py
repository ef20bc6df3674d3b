"""Events as they come: containers of many, how they are cut into batches, and values that are no text.

Events may be any iterable or an Arrow array; either way they are matched in slices, so that the atoms read from them
and the pairs that they find take little memory. A slice has as many events as should give `PAIRS_AT_ONCE`
pairs, judging by the slice before: after 256 events with 1,000 pairs each the next has 256, after 256 events with none
it has 1,024.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, repeat
from operator import is_not
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from watchword.arrays import Int64
from watchword.errors import EventError
from watchword.index.arrow import decode_dictionary, is_object, may_hold_texts
from watchword.strings import Strings, fault_of, first_null, from_arrow, one_chunk, valid_rows, without_views

FIRST_SIZE = 256
PAIRS_AT_ONCE = 1 << 18
EVENTS_AT_ONCE = 4096

Answer = TypeVar("Answer")


def next_size(size: int, pairs: int, most: int = EVENTS_AT_ONCE) -> int:
    """Return how many events to match next, after `size` of them gave `pairs`.

    >>> next_size(256, 256_000), next_size(256, 0), next_size(1, 10_000_000)
    (262, 1024, 1)
    """
    return max(1, min(4 * size, size * PAIRS_AT_ONCE // max(pairs, 1), most))


class Pace:
    """How many events to match next: as many as should give a bounded number of pairs, judging by those before.

    >>> pace = Pace(256)
    >>> pace.record(events=100, pairs=0)
    >>> pace.size
    1024
    """

    def __init__(self, first: int = FIRST_SIZE, most: int = EVENTS_AT_ONCE) -> None:
        self.size, self.most = min(first, most), most

    def record(self, events: int, pairs: int) -> None:
        """Set the next size, after `events` gave `pairs`; they may have been fewer than `size`."""
        self.size = next_size(self.size, pairs * self.size // max(events, 1), self.most)

    def slices(self, count: int) -> Iterator[slice]:
        """Yield slices of `count` events, each of the size that is right when it is asked for."""
        start = 0
        while start < count:
            stop = min(start + self.size, count)
            yield slice(start, stop)
            start = stop


def as_sequence(events: Any) -> Any:
    """Return events in a form with a length and slices: a list, a tuple, or an Arrow array in one chunk."""
    if isinstance(events, pa.ChunkedArray | pa.Array):
        found = without_views(one_chunk(events))
        reason = None if is_object(found.type) else fault_of(found)  # columns are looked at when they are asked for
        if reason is not None:
            raise EventError(reason)
        return found
    if isinstance(events, list | tuple):
        return events
    refuse_one(events)
    return list(events)


def batches(events: Any, pace: Pace) -> Iterator[Any]:
    """Yield slices of events as they come; an iterator is read no further than asked."""
    if isinstance(events, pa.ChunkedArray | pa.Array | list | tuple):
        whole = as_sequence(events)
        for part in pace.slices(len(whole)):
            yield whole[part]
    else:
        refuse_one(events)
        iterator = iter(events)
        while batch := list(islice(iterator, pace.size)):
            yield batch


class Present(NamedTuple):
    """The events of a call that are not null; `places` has their positions among all, None if all are there."""

    events: Any
    places: Int64 | None = None
    nulls: int = 0


def without_nulls(events: Any) -> Present:
    """Return the events that are not null: neither None, nor null in Arrow, also by way of a dictionary.

    >>> without_nulls(["tea", None, "pie"])
    Present(events=['tea', 'pie'], places=array([0, 2]), nulls=1)
    """
    if not isinstance(events, pa.Array):
        if all(map(is_not, events, repeat(None))):
            return Present(events)
        places = np.array([row for row, event in enumerate(events) if event is not None], np.int64)
        return Present([events[row] for row in places.tolist()], places, len(events) - len(places))
    valid = valid_rows(events)
    if valid is None:
        return Present(events)
    places = np.flatnonzero(valid)
    return Present(events.filter(pa.array(valid)), places, len(events) - len(places))


def refuse_one(events: Any) -> None:
    """Raise if `events` is one event and not many."""
    if isinstance(events, str | bytes | dict):
        raise EventError(
            f"match_many takes many events, not one {type(events).__name__}; use match, or put it into a list"
        )
    if not hasattr(events, "__iter__") and not hasattr(events, "__getitem__"):
        raise EventError(f"match_many takes many events, an iterable or a table, not {type(events).__name__}")


def around(events: Any, ask: Callable[[Any], Answer]) -> tuple[list[tuple[int, Answer]], dict[int, str]]:
    """Ask about all events but refused ones; return answers by first position, and reasons by position.

    A refused event is known by the position that its `EventError` carries. The answer for the events before it was
    lost with the error, and they are asked about again by themselves.
    """
    answers: list[tuple[int, Answer]] = []
    refused: dict[int, str] = {}
    start, count = 0, len(events)
    stop = count
    while start < count:
        try:
            answer = ask(events[start:stop])
        except EventError as error:
            bad = start + error.position
            refused[bad] = error.reason
            start, stop = (start, bad) if error.position else (bad + 1, count)
            continue
        answers.append((start, answer))
        start, stop = (count, count) if stop == count else (stop + 1, count)
    return answers, refused


def refuse_nulls(column: pa.Array, position: int) -> None:
    """Raise an `EventError` if a row is null; the first row is event `position`."""
    row = first_null(column)
    if row is not None:
        raise EventError("it is null; leave nulls out", position=position + row)


def texts_of(column: pa.Array, position: int, expected: str) -> Strings:
    """Return a column of strings or binaries, plain or dictionary-encoded, without nulls; not checked for UTF-8."""
    refuse_nulls(column, position)
    column = decode_dictionary(column)
    if not may_hold_texts(column.type):
        raise EventError(f"an array of {column.type} has no texts; expected {expected}", position=position)
    return from_arrow(column)


def decoded(event: Any, position: int) -> Any:
    """Return an event given as bytes as a `str`, and any other as it is."""
    if isinstance(event, bytes | bytearray | memoryview):
        try:
            return bytes(event).decode()
        except UnicodeDecodeError as error:
            raise EventError(f"invalid UTF-8 at byte {error.start}", position=position) from None
    return event


def sample(kind: pa.DataType, blank: str = "") -> pa.Array:
    """Return one event of an Arrow type that any language can try to read: empty if possible, else zeros.

    >>> sample(pa.list_(pa.int8())).to_pylist(), sample(pa.string()).to_pylist(), sample(pa.date32()).to_pylist()
    ([[]], [''], [datetime.date(1970, 1, 1)])
    >>> sample(pa.struct({"n": pa.int8()})).to_pylist()
    [{'n': 0}]
    """
    if pa.types.is_null(kind):
        return pa.nulls(1)
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, sample(kind.storage_type, blank))
    if pa.types.is_dictionary(kind):
        return pa.DictionaryArray.from_arrays(pa.array([0], kind.index_type), sample(kind.value_type, blank))
    if may_hold_texts(kind):
        return pa.array([blank], kind)
    if pa.types.is_struct(kind) and kind.num_fields:
        return pa.StructArray.from_arrays([sample(field.type) for field in kind], names=[field.name for field in kind])
    if pa.types.is_nested(kind):
        empty: Any = {} if pa.types.is_struct(kind) else []
        return pa.array([empty], kind)
    zeros = pa.py_buffer(bytes(64))
    return pa.Array.from_buffers(kind, 1, [None, *[zeros] * (kind.num_buffers - 1)])
