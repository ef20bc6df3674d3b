"""A search finds what a subscription of its text would have brought."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.oracle import matches
from watchword.archive import search
from watchword.errors import SubscriptionSyntaxError
from watchword.items import Item, event_of

ITEMS = [
    Item("0", "Ferry", "It sails"),
    Item("1", "Storm", "a ferry in harbour"),
    Item("2", "", "Straße nach Fähre_2"),
    Item("3", "Bread", ""),
]
ROWS = pa.table({"title": [item.title for item in ITEMS], "text": [item.text for item in ITEMS]})


@pytest.mark.parametrize(
    "query", ["ferry", "ferry NOT storm", '"ferry it"', "STRASSE", "fähre", "fähre_2", "bread OR harbour", "x"]
)
def test_a_search_is_a_subscription(query: str) -> None:
    expected = [at for at, item in enumerate(ITEMS) if matches(query, event_of("keywords", item))]
    assert search(ROWS, query, limit=10) == expected[::-1]
    assert search(ROWS, query, limit=1) == expected[::-1][:1]


def test_edges_of_searches() -> None:
    assert search(ROWS.slice(0, 0), "ferry", limit=5) == [] and search(ROWS, "ferry", limit=0) == []
    assert search(ROWS, "ferries", limit=5, options={"stop_words": ["a"]}) == []
    with pytest.raises(SubscriptionSyntaxError):
        search(ROWS, "(ferry", limit=5)
    nothing = pa.table({"title": pa.array([None, "ferry"]), "text": pa.array([None, None], pa.string())})
    assert search(nothing, "ferry", limit=5) == [1]


def test_a_search_of_many_slices_keeps_positions() -> None:
    count = 40_000
    rows = pa.table({"title": ["t"] * count, "text": ["ferry" if at % 10_000 == 5 else "x" for at in range(count)]})
    assert search(rows, "ferry", limit=3) == [30_005, 20_005, 10_005]
