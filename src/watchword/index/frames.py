"""Tables of any library as events: which column has the events, and which has their ids.

A table is known by Arrow's stream interface, which pandas, polars, DuckDB and others have; the call names
the columns that the language reads::

    match_many(frame, column="text")                one text a row
    match_many(frame, column=["title", "body"])     all texts of a row are one event (`texts`)
    match_many(frame, columns=["name", "value"])    a row is an object with these attributes
    match_many(frame, column="text", id="id")       the answer has these ids, not positions

A missing column is refused, with the names of the table's columns. Iterating over a frame gives the names of its
columns, so a frame is never iterated over.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from watchword.errors import EventError, WatchwordError
from watchword.index.language import Language
from watchword.index.texts import together
from watchword.strings import one_chunk, without_views

_SHOWN = 20
_HAND_OUT = ("__arrow_c_stream__", "to_arrow", "toArrow", "fetch_arrow_table", "__dataframe__")
_AS_OBJECTS = "give its rows as objects, by frame.to_dict('records'), or the column as texts"
_GUESSES = ("text", "body", "content", "message", "title")

Names = str | Sequence[str] | None


Refusal = Callable[[pa.DataType], str | None]
"""Says why events of a type are never read (`Index.refusal`)."""


class Wanted(NamedTuple):
    """The names that a call gives: the column of the events, or columns of attributes, and the column of the ids."""

    column: Names = None
    columns: Names = None
    id: str | None = None


class Given(NamedTuple):
    """The events of a call, and their ids where they were asked for."""

    events: Any
    ids: pa.Array | None = None


def is_table(given: Any) -> bool:
    """Return whether something has rows and columns.

    What hands out an Arrow stream is a table if it has columns, as frames have, or if nothing else can be done with it.
    """
    if isinstance(given, list | tuple | pa.Array | pa.ChunkedArray):
        return False
    if isinstance(given, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
        return True
    if hasattr(given, "columns") and any(hasattr(given, name) for name in _HAND_OUT):
        return True
    return hasattr(given, "__arrow_c_stream__") and not hasattr(given, "__iter__")


def as_table(given: Any, names: Sequence[str] | None, refused: type[WatchwordError]) -> pa.Table:
    """Return a table as a `pyarrow.Table` that has each of the columns `names` once; None means all columns.

    >>> as_table(pa.record_batch({"id": [1], "text": ["tea"]}), ["title"], EventError)
    Traceback (most recent call last):
      ...
    watchword.errors.EventError: no column 'title' in the table, which has: id, text
    """
    if names is not None and _is_pandas(given):
        _check_names([*names_of(given), *(str(name) for name in given.index.names if name is not None)], names, refused)
        given = given[[name for name in given.columns if str(name) in names]]  # others may be what Arrow cannot read
    try:
        table = given if isinstance(given, pa.Table) else pa.table(_readable(given))
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise refused(f"Arrow cannot read this table: {error}") from None
    except OverflowError:
        raise refused(
            f"{_overflowing(given)} has an integer beyond 64 bits, which Arrow has not; {_AS_OBJECTS}"
        ) from None
    _check_names(table.column_names, table.column_names if names is None else names, refused)
    return table


def _overflowing(frame: Any) -> str:
    """Return the name of the first column of a frame of pandas with an integer that Arrow cannot hold."""
    for name in frame.columns:
        try:
            pa.array(frame[name], from_pandas=True)
        except OverflowError:
            return f"column {str(name)!r}"
        except (pa.ArrowException, TypeError, ValueError):
            continue
    return "a column"


def _is_pandas(given: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(given, pandas.DataFrame)


def _readable(given: Any) -> Any:
    """Return an object that `pyarrow.table` reads: one with an Arrow stream, or the table that an old frame makes."""
    if hasattr(given, "sparkSession"):
        raise TypeError("a DataFrame of Spark is matched where it is, by watchword.spark.match")
    if not hasattr(given, "__arrow_c_stream__"):
        for name in ("to_arrow", "fetch_arrow_table"):
            if hasattr(given, name):
                return getattr(given, name)()
    return given


def refuse_table(event: Any, position: int) -> None:
    """Raise if one event is a table: iterating over a frame would give the names of its columns."""
    if is_table(event):
        kind = type(event).__name__
        raise EventError(f"one event is no table, and this is a {kind}; match_many takes its rows", position=position)


def names_of(given: Any) -> list[str]:
    """Return the names of a table's columns, without reading it where it says them itself."""
    if isinstance(given, pa.RecordBatch | pa.RecordBatchReader):
        return list(given.schema.names)
    if not isinstance(given, pa.Table) and hasattr(given, "columns"):
        return [str(name) for name in given.columns]
    return list(as_table(given, None, EventError).column_names)


def _check_names(there: Sequence[str], names: Sequence[str], refused: type[WatchwordError]) -> None:
    counts = Counter(there)
    for name in names:
        if not counts[name]:
            raise refused(f"no column {name!r} in the table, which has: {_listed(there)}")
        if counts[name] > 1:
            raise refused(f"two columns are named {name!r}; rename one")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_SHOWN])
    return (f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown) or "none"


def given_parts(events: Any, wanted: Wanted, language: Language, refusal: Refusal) -> Iterator[Given]:
    """Yield the events of a call; those of an Arrow stream batch by batch, one in memory at a time."""
    whole = isinstance(events, pa.Table | pa.RecordBatch) or _is_pandas(events)
    if whole or not is_table(events) or not hasattr(events, "__arrow_c_stream__"):
        yield given_events(events, wanted, language, refusal)
        return
    stream = events if isinstance(events, pa.RecordBatchReader) else pa.RecordBatchReader.from_stream(events)
    yield given_events(
        stream.schema.empty_table(), wanted, language, refusal
    )  # raises schema errors even if the stream is empty
    for batch in stream:
        yield given_events(batch, wanted, language, refusal)


def given_events(events: Any, wanted: Wanted, language: Language, refusal: Refusal) -> Given:
    """Return the events of a call."""
    column, columns, id = wanted
    if column is None and columns is None and id is None and not is_table(events):
        return Given(_as_array(events))
    if column is not None and columns is not None:
        raise EventError("column= is one value a row, columns= are attributes of an object: give one of them")
    rows, absent = _rows(events)
    chosen = _names("column", column) or _names("columns", columns)
    if not chosen and language.reads.objects is None:
        raise _no_column(names_of(rows), id)
    table = as_table(rows, [*dict.fromkeys([*chosen, id or chosen[0]])] if chosen else None, EventError)
    ids = None if id is None else _ids(table, id)
    if columns is not None:
        if language.reads.objects is None:
            raise EventError(f"{language.name} read texts, not objects; write column={chosen!r}")
        return Given(rows_of(table.select(chosen), absent), ids)
    if column is None:
        return Given(rows_of(_attributes(table, language, id), absent), ids)
    found = _events(table, chosen, language, isinstance(column, str))
    reason = refusal(found.type)
    if reason is not None:
        raise EventError(f"column {', '.join(map(repr, chosen))}: {reason}")
    return Given(found, ids)


def rows_of(table: pa.Table, absent: pa.Array | None = None) -> pa.Array:
    """Return the rows of a table as structs, null where they are `absent`."""
    if not table.num_columns:
        return pa.array([{}] * table.num_rows, pa.struct([]))
    rows = table.to_struct_array().combine_chunks()
    if absent is None:
        return rows
    return pa.StructArray.from_arrays(rows.flatten(), names=table.column_names, mask=absent)


def _no_column(names: list[str], id: str | None) -> EventError:
    """Return the error for a table without a named column, in a language whose event is one value."""
    others = [name for name in names if name != id] or ["text"]
    example = next((name for name in _GUESSES if name in others), others[0])
    return EventError(
        f"a table has columns: name the one that has the events, such as column={example!r}; "
        f"the table has: {_listed(names)}"
    )


def _attributes(table: pa.Table, language: Language, id: str | None) -> pa.Table:
    """Return the columns of attributes: without the ids' column, unless that is a declared attribute."""
    declared = language.attributes
    if id is not None and declared is not None and id not in declared:
        return table.drop_columns([id])
    return table


def _events(table: pa.Table, names: list[str], language: Language, one: bool) -> pa.Array:
    """Return one column as events, or several columns of texts as events with several texts."""
    if one:
        return _column(table, names[0])
    if language.reads.several_texts:
        return together({name: _column(table, name) for name in names})
    remedy = f"columns={names!r}" if language.reads.objects else f"column={names[0]!r}"
    raise EventError(f"{language.name} do not read several texts as one event; write {remedy}")


def _ids(table: pa.Table, name: str) -> pa.Array:
    _check_names(table.column_names, [name], EventError)
    column = one_chunk(table[name])
    plain = without_views(column)
    keeps_type = isinstance(column, pa.ExtensionArray) and plain.type == column.storage.type  # as UUIDs do
    return column if keeps_type else plain


def _column(table: pa.Table, name: str) -> pa.Array:
    return without_views(one_chunk(table[name]))


def _names(option: str, names: Names) -> list[str]:
    if names is None:
        return []
    found = [names] if isinstance(names, str) else list(names) if isinstance(names, Iterable) else []
    if not found or not all(isinstance(name, str) for name in found) or len(set(found)) < len(found):
        raise EventError(f"{option} is the name of a column or several different ones, not {names!r}")
    return found


def _rows(events: Any) -> tuple[Any, pa.Array | None]:
    """Return a table, also for an array of structs, and which of its rows are null as a whole."""
    events = events if is_table(events) else _as_array(events)
    if isinstance(events, pa.Array | pa.ChunkedArray) and pa.types.is_struct(events.type):
        rows = without_views(one_chunk(events))
        absent = rows.is_null() if rows.null_count else None
        return pa.table(rows.flatten(), names=[field.name for field in rows.type]), absent
    if not is_table(events):
        kind = type(events).__name__
        raise EventError(f"column=, columns= and id= name columns of a table, and a {kind} has none: give a table")
    return events, None


def _as_array(events: Any) -> Any:
    """Return a series of any library as an Arrow array with nulls for missing values, and anything else unchanged."""
    if isinstance(events, list | tuple | pa.Array | pa.ChunkedArray):
        return events
    if hasattr(events, "__arrow_c_stream__"):
        return pa.chunked_array(events)
    if hasattr(events, "__arrow_c_array__"):
        return pa.array(events)
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(events, pandas.Series):
        return events
    if events.dtype == object and pandas.api.types.infer_dtype(events, skipna=True) != "string":
        return [None if missing else event for event, missing in zip(events, events.isna(), strict=True)]
    return pa.array(events, from_pandas=True)
