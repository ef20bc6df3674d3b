from __future__ import annotations

import numpy as np
import pytest

from watchword.index.catalog import Catalog, pack_columns
from watchword.strings import from_texts


def catalog_of(ids, later):
    """Return a catalogue with `ids` in its base, and `later` behind them."""
    catalog = Catalog()
    texts = from_texts(["x"] * len(ids))
    column = from_texts(ids) if isinstance(ids[0], str) else np.array(ids, np.int64)
    catalog.extend(column, texts, pack_columns(column, texts))
    for key in later:
        catalog.append(key, "x")
    return catalog


@pytest.mark.parametrize(
    "ids",
    [
        list(range(100, 160)),
        [f"s{number}" for number in range(60)],
        [f"š{number}" for number in range(60)],
        ["", *(f"s{number}" for number in range(59))],
        [f"s{number}\0š" for number in range(60)],
    ],
    ids=["ints", "ascii", "other", "empty", "zeros"],
)
@pytest.mark.parametrize("chosen", [[], [3], [59], list(range(8)), list(range(9)), list(range(0, 60, 2)), [0, 40, 59]])
@pytest.mark.parametrize("packed", [30, 60])
def test_ids_of_slots_are_listed_in_their_order(ids, chosen, packed):
    catalog = catalog_of(ids[:packed], ids[packed:])
    assert catalog.listed(np.array(chosen, np.int32)) == [ids[slot] for slot in chosen]


@pytest.mark.parametrize("first", [0, -30, 100, 2**40, 2**63 - 70])
@pytest.mark.parametrize("holes", [[], [0], [30], [58], [0, 58]])
@pytest.mark.parametrize("later", [0, 5])
def test_ids_that_ascend_are_found_as_others_are(first, holes, later):
    ids = [first + number for number in range(60) if number not in holes]
    catalog = catalog_of(ids, [first + 60 + number for number in range(later)])
    ids += [first + 60 + number for number in range(later)]
    for _ in range(3):  # the first are looked up, the later ones computed where they can be
        assert catalog.ids(np.arange(len(ids), dtype=np.int32)).to_pylist() == ids
        assert catalog.ids(np.array([1, 29, 40], np.int32)).to_pylist() == [ids[1], ids[29], ids[40]]


@pytest.mark.parametrize("packed", [0, 1, 30, 60])
def test_texts_are_those_of_now_whatever_was_replaced_removed_or_added(packed):
    ids = list(range(60))
    catalog = catalog_of(ids[:packed], ids[packed:]) if packed else Catalog()
    if not packed:
        for key in ids:
            catalog.append(key, "x")
    texts = ["x"] * 60
    for slot in (0, 7, 29, 30, 31, 59):
        texts[slot] = f"changed \udc80 {slot}"
        catalog.replace(slot, texts[slot])
    gone = [1, 7, 30, 58]
    for slot in gone:
        catalog.remove(ids[slot], slot)
    live = [slot for slot in range(60) if slot not in gone]
    for chosen in (live, live[::3], live[-1:], [], [0], [2, 31]):
        found = catalog.texts(np.array(chosen, np.int32))
        assert [found.text(row) for row in range(found.count)] == [texts[slot] for slot in chosen]
    catalog.compact()
    assert [catalog.text(slot) for slot in range(56)] == [texts[slot] for slot in live]
