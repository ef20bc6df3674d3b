"""Many subscriptions at once, whatever they come as: a mapping, pairs, or a table of any library.

Either way they become two columns, ids (int64 or strings) and texts, checked row by row before anything changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from watchword.arrays import Int64
from watchword.errors import SubscriptionError
from watchword.index.arrow import decode_dictionary, is_string
from watchword.index.catalog import checked_id
from watchword.index.frames import as_table, is_table
from watchword.index.refusals import Columns, Refusals
from watchword.strings import Strings, from_arrow, from_pieces, one_chunk, without_views
from watchword.visible import shown


class Named(NamedTuple):
    """The names of a table's columns of ids and of texts, where a call gives them."""

    id: str | None = None
    subscription: str | None = None


def as_columns(subscriptions: Any, kind: type | None, refusals: Refusals, named: Named) -> Columns:
    """Return ids and texts as columns, whatever they came as; ids are of `kind`, or all of one kind."""
    if is_table(subscriptions):
        return _table_columns(_two_columns(subscriptions, named), kind, refusals)
    if named != Named():
        raise SubscriptionError(
            f"id= and subscription= name columns of a table, and a {type(subscriptions).__name__} has none; "
            "a subscription whose id is 'id' or 'subscription' goes into the mapping"
        )
    return _pairs_columns(subscriptions, kind, refusals)


def _pairs_columns(subscriptions: Any, kind: type | None, refusals: Refusals) -> Columns:
    numbered = not isinstance(subscriptions, Mapping)
    pairs = subscriptions if numbered else subscriptions.items()
    if not isinstance(pairs, Iterable):
        raise SubscriptionError(f"expected a mapping, pairs or a table of subscriptions, not {type(pairs).__name__}")
    keys: list[Any] = []
    pieces: list[bytes] = []
    for row, pair in enumerate(pairs):
        try:
            if not isinstance(pair, Sequence) or isinstance(pair, str | bytes) or len(pair) != 2:
                raise SubscriptionError(f"expected a pair (id, subscription), not {shown(pair)}", row=row)
            key, piece = checked_id(pair[0], kind, row), _encoded(pair[1], row)
        except SubscriptionError as error:
            bad = pair[0] if isinstance(pair, tuple | list) and pair else None
            refusals.add(row, bad, (error if numbered else error.without_row()).of_id(bad))
            continue
        kind = kind or type(key)
        keys.append(key)
        pieces.append(piece)
    ids = np.array(keys, np.int64) if kind is int else from_pieces([key.encode() for key in keys])
    return Columns(ids, from_pieces(pieces, surrogates=True), _rows_besides(refusals, len(pieces)), numbered)


def _rows_besides(refusals: Refusals, count: int) -> Int64 | None:
    """Return the input rows of the `count` subscriptions that were not refused; None if none was refused."""
    if not refusals.found:
        return None
    rows = np.arange(count + len(refusals.found))
    return np.delete(rows, refusals.rows())


def _encoded(text: Any, row: int) -> bytes:
    if not isinstance(text, str):
        raise SubscriptionError(f"a subscription is a str, not {shown(text)} ({type(text).__name__})", row=row)
    return text.encode("utf-8", "surrogatepass")


# tables


def _two_columns(subscriptions: Any, named: Named) -> pa.Table:
    """Return a table of two columns: the ids, then the texts, under the names that they have."""
    names = [
        "id" if named.id is None else named.id,
        "subscription" if named.subscription is None else named.subscription,
    ]
    if names[0] == names[1]:
        raise SubscriptionError(f"id= and subscription= are two columns, not both {names[0]!r}")
    try:
        return as_table(subscriptions, names, SubscriptionError).select(names)
    except SubscriptionError as error:
        if not error.reason.startswith("no column"):
            raise
        raise SubscriptionError(f"{error.reason}; name yours: id='key', subscription='query'") from None


def _table_columns(table: pa.Table, expected: type | None, refusals: Refusals) -> Columns:
    ids, texts = (_plain_column(column) for column in table.columns)
    id, text = table.column_names
    kind = _id_kind(ids, id)
    if not (is_string(texts.type) or (pa.types.is_null(texts.type) and not len(texts))):
        raise SubscriptionError(f"column {text!r} must be of strings, not {texts.type}")
    nameless = {**_bad_ids(ids, id), **_nulls(ids, id)}
    bad = {**_nulls(texts, text), **nameless}
    for row in sorted(bad):
        key = None if row in nameless else ids[row].as_py()
        refusals.add(row, key, bad[row].of_id(key))
    if len(ids) and expected not in (None, kind):
        raise SubscriptionError(f"column {id!r} is {kind.__name__}, the ids of this index are not")
    if bad:
        kept = np.ones(len(ids), np.bool_)
        kept[list(bad)] = False
        ids, texts = ids.filter(pa.array(kept)), texts.filter(pa.array(kept))
    rows = _rows_besides(refusals, len(ids))
    if kind is str:
        return Columns(from_arrow(ids), from_arrow(texts), rows)
    return Columns(np.ascontiguousarray(ids.cast(pa.int64()).to_numpy()).copy(), from_arrow(texts), rows)


def _plain_column(column: pa.ChunkedArray) -> pa.Array:
    return decode_dictionary(without_views(one_chunk(column), SubscriptionError))


def _id_kind(ids: pa.Array, name: str) -> type:
    """Return the type of the ids of a column; a column without rows may be of any."""
    if pa.types.is_integer(ids.type) or (pa.types.is_null(ids.type) and not len(ids)):
        return int
    if not is_string(ids.type):
        raise SubscriptionError(f"column {name!r} must be of strings or integers, not {ids.type}")
    return str


def _nulls(column: pa.Array, name: str) -> dict[int, SubscriptionError]:
    """Return an error for each row of a column that is null."""
    if not column.null_count:
        return {}
    rows = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False)).tolist()
    return {row: SubscriptionError(f"column {name!r} is null; drop the row or fill it", row=row) for row in rows}


def _bad_ids(ids: pa.Array, name: str) -> dict[int, SubscriptionError]:
    """Return an error for each id that is invalid: a number beyond 64 bits, a string that is not Unicode."""
    if pa.types.is_uint64(ids.type):
        large = np.flatnonzero(ids.fill_null(0).to_numpy() >= 2**63).tolist()
        message = f"column {name!r} has a number that does not fit into 64 bits with a sign"
        return {row: SubscriptionError(message, row=row) for row in large}
    if not is_string(ids.type):
        return {}
    strings = from_arrow(ids)
    if _is_unicode(strings.data.tobytes()):
        return {}
    rows = [row for row in range(strings.count) if not _is_unicode(_bytes(strings, row))]
    return {row: SubscriptionError(f"column {name!r} is not valid UTF-8", row=row) for row in rows}


def _bytes(strings: Strings, row: int) -> bytes:
    return strings.data[strings.offsets[row] : strings.offsets[row + 1]].tobytes()


def _is_unicode(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
