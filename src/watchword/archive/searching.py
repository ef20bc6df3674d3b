"""`search`: which items a query of the keyword language finds, asked over a table of the archive or of an inbox.

A search is a subscription asked over stored items: the same index class reads the same text of an item
(``Title. Text``), so a search finds what a subscription of its text would have brought.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from watchword.archive.events import text_events
from watchword.languages import language_class

_SLICE = 16_384


def search(table: pa.Table, query: str, *, limit: int, options: Mapping[str, Any] | None = None) -> list[int]:
    """Return the positions of the rows that a query finds, the last row first, at most `limit`.

    `table` has the columns `title` and `text`. `options` are those of the store for keywords. A query that is none is
    a `SubscriptionSyntaxError`.

    >>> rows = pa.table({"title": ["Ferry", "Storm", "Ferry"], "text": ["sails", "at sea", "in a storm"]})
    >>> search(rows, "ferry OR storm NOT sea", limit=5)
    [2, 0]
    """
    index = language_class("keywords")({0: query}, **(options or {}))
    found: list[int] = []
    end = len(table)
    while end and len(found) < limit:
        first = max(end - _SLICE, 0)
        part = text_events(table.slice(first, end - first))
        events = np.asarray(index.match_many(part)["event"], np.int64)
        found += (first + events[::-1]).tolist()
        end = first
    return found[:limit]
