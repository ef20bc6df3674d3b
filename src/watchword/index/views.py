"""Views of an index's pairs and texts whose iterations show one state, whatever changes meanwhile."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from typing import TypeVar

import pyarrow as pa

from watchword.strings import Strings

_AT_ONCE = 4096

Columns = Callable[[], tuple[pa.Array, Strings]]
"""Returns ids and texts as they are when it is called."""


Key = TypeVar("Key")


class Items(ItemsView[Key, str]):
    """The pairs of an index."""

    def __init__(self, mapping: Mapping[Key, str], columns: Columns) -> None:
        super().__init__(mapping)
        self._columns = columns

    def __iter__(self) -> Iterator[tuple[Key, str]]:
        ids, texts = self._columns()
        for start in range(0, texts.count, _AT_ONCE):
            for row, key in enumerate(ids[start : start + _AT_ONCE].to_pylist(), start):
                yield key, texts.text(row)


class Values(ValuesView[str]):
    """The texts of an index."""

    def __init__(self, mapping: Mapping[Key, str], columns: Columns) -> None:
        super().__init__(mapping)
        self._columns = columns

    def __iter__(self) -> Iterator[str]:
        _, texts = self._columns()
        for row in range(texts.count):
            yield texts.text(row)

    def __contains__(self, value: object) -> bool:
        return any(text == value for text in self)
