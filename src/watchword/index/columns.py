"""Many subscriptions at once, whatever they come as: a mapping, pairs, or an Arrow table.

Either way they become two columns, ids (int64 or strings) and texts, checked row by row before anything changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from watchword.arrays import Int64
from watchword.errors import SubscriptionError
from watchword.index.catalog import checked_id
from watchword.strings import Strings, first_null, from_arrow, from_pieces, one_chunk


def as_columns(subscriptions: Any, kind: type | None) -> tuple[Int64 | Strings, Strings]:
    """Return ids and texts as columns, whatever they came as; ids are of `kind`, or all of one kind."""
    if isinstance(subscriptions, pa.Table | pa.RecordBatch):
        return _table_columns(subscriptions, kind)
    pairs = subscriptions.items() if isinstance(subscriptions, Mapping) else subscriptions
    keys: list[Any] = []
    pieces: list[bytes] = []
    for row, pair in enumerate(pairs):
        if not isinstance(pair, Sequence) or isinstance(pair, str | bytes) or len(pair) != 2:
            raise SubscriptionError(f"expected a pair (id, subscription), not {pair!r}", row=row)
        key, text = checked_id(pair[0], kind, row), pair[1]
        kind = kind or type(key)
        keys.append(key)
        pieces.append(_encoded(text, row))
    ids = np.array(keys, np.int64) if kind is int else from_pieces([key.encode() for key in keys])
    return ids, from_pieces(pieces, surrogates=True)


def _encoded(text: Any, row: int) -> bytes:
    if not isinstance(text, str):
        raise SubscriptionError(f"a subscription is a str, not {text!r} ({type(text).__name__})", row=row)
    return text.encode("utf-8", "surrogatepass")


def _check_ids(ids: Strings) -> None:
    try:
        ids.data.tobytes().decode()
    except UnicodeDecodeError as error:
        row = int(np.searchsorted(ids.offsets, error.start, side="right")) - 1
        raise SubscriptionError("column 'id' is not valid UTF-8", row=row) from None


def _table_columns(table: pa.Table | pa.RecordBatch, expected: type | None) -> tuple[Int64 | Strings, Strings]:
    for name in ("id", "subscription"):
        if name not in table.schema.names:
            raise SubscriptionError(
                f"no column {name!r} in the table, which has: {', '.join(table.schema.names) or 'none'}"
            )
        row = first_null(one_chunk(table[name]))
        if row is not None:
            raise SubscriptionError(f"column {name!r} is null; drop the row or fill it", row=row)
    ids, texts = one_chunk(table["id"]), one_chunk(table["subscription"])
    if pa.types.is_dictionary(ids.type):
        ids = ids.dictionary_decode()
    if pa.types.is_dictionary(texts.type):
        texts = texts.dictionary_decode()
    if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
        raise SubscriptionError(f"column 'subscription' must be of strings, not {texts.type}")
    if pa.types.is_integer(ids.type):
        if pa.types.is_uint64(ids.type) and len(ids) and ids.to_numpy().max() >= 2**63:
            raise SubscriptionError("column 'id' has numbers that do not fit into 64 bits with a sign")
        column: Int64 | Strings = np.ascontiguousarray(ids.cast(pa.int64()).to_numpy()).copy()
        kind: type = int
    elif pa.types.is_string(ids.type) or pa.types.is_large_string(ids.type):
        column, kind = from_arrow(ids), str
        _check_ids(column)
    else:
        raise SubscriptionError(f"column 'id' must be of strings or integers, not {ids.type}")
    if len(ids) and expected not in (None, kind):
        raise SubscriptionError(f"column 'id' is {kind.__name__}, the ids of this index are not")
    return column, from_arrow(texts)
