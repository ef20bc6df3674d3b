"""The archive: every item that was read, once, by day.

    columns    an item as a row: `ARCHIVED`, from `Item` and back
    ids        which items a piece has, and in which row: sorted digests, mapped
    pieces     one piece: rows of a day in Parquet, beside them the digests, and for new ones an Arrow file
    manifest   the list of pieces, replaced whole: it decides which items the archive has
    plans      decides, over that list: which pieces are merged, mapped, read, removed
    archive    `Archive`: writes, reads, prunes
    events     rows as the events of a language
    searching  `search`: positions of the items that a query finds

The names below are loaded when they are first asked for, so that the limits alone load no Arrow.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from watchword.archive.archive import Archive, Day
    from watchword.archive.columns import ARCHIVED, item_of
    from watchword.archive.plans import Removed
    from watchword.archive.searching import search

_HOMES = {
    "ARCHIVED": "columns",
    "Archive": "archive",
    "Day": "archive",
    "Removed": "plans",
    "item_of": "columns",
    "search": "searching",
}

__all__ = ["ARCHIVED", "Archive", "Day", "Removed", "item_of", "search"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
