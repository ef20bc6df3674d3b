"""From events to texts as UTF-8, and their case folding.

An event is a `str` (a lone surrogate counts as a character like any other) or UTF-8 `bytes`; a batch of them may be an
Arrow array of strings or binaries, plain or dictionary-encoded. All become `Strings` of valid UTF-8.

>>> texts = read(["Tea", "Straße".encode()], 0)
>>> measured(texts)[0].tolist(), folded(texts).text(1)
([3, 6], 'strasse')
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from watchword.arrays import Int64
from watchword.errors import EventError
from watchword.index.events import decoded, texts_of
from watchword.kernels.text import folding as kernels
from watchword.kernels.text.folding import FoldTables
from watchword.strings import Strings, from_pieces, from_texts
from watchword.text.analyzer import INVALID


def read(events: Any, position: int) -> Strings:
    """Return a batch, whose first event is at `position`."""
    if isinstance(events, pa.Array):
        strings = texts_of(events, position, "strings or binaries")
        _, bad = measured(strings)
        if bad >= 0:
            raise EventError(INVALID, position=position + bad)
        return strings
    for event in events:
        if type(event) is not str:
            texts = [text(event, position + row) for row, event in enumerate(events)]
            return from_pieces([piece.encode("utf-8", "surrogatepass") for piece in texts], surrogates=True)
    return from_texts(events)


def text(event: Any, position: int = 0) -> str:
    """Return one event as a `str`."""
    event = decoded(event, position)
    if not isinstance(event, str):
        raise EventError(f"an event is a text, str or UTF-8 bytes, not {type(event).__name__}", position=position)
    return event


def measured(strings: Strings) -> tuple[Int64, int]:
    """Return the number of characters of each row, and -1 or the first row that is not valid UTF-8."""
    counts = np.empty(strings.count, np.int64)
    bad = kernels.measure(strings.data, strings.offsets, strings.surrogates, counts)
    return counts, int(bad)


def folded(strings: Strings) -> Strings:
    """Return every row of valid UTF-8 case-folded, exactly as `str.casefold` does."""
    out = np.empty(3 * (int(strings.offsets[-1]) - int(strings.offsets[0])), np.uint8)
    offsets = np.empty(strings.count + 1, np.int64)
    size = kernels.fold(strings.data, strings.offsets, _tables(), out, offsets)
    return Strings(out[:size], offsets, strings.surrogates)


@cache
def _tables() -> FoldTables:
    """Build the tables of `kernels.text.folding` from Python's own Unicode data, once a process."""
    pages: list[int] = []
    values = np.zeros((1, 256), np.uint16)
    offsets, folds = [0], bytearray()
    for first in range(0, 0x110000, 256):
        page = [chr(code) for code in range(first, first + 256)]
        folded = [char.casefold() for char in page] if "".join(page).casefold() != "".join(page) else page
        if folded == page:
            pages.append(0)
            continue
        entries = np.zeros((1, 256), np.uint16)
        for at in range(256):
            if folded[at] != page[at]:
                folds += folded[at].encode()
                offsets.append(len(folds))
                entries[0, at] = len(offsets) - 1
        pages.append(len(values))
        values = np.concatenate([values, entries])
    return FoldTables(
        np.array(pages, np.uint16),
        values.reshape(-1),
        np.array(offsets, np.int64),
        np.frombuffer(folds, np.uint8),
    )
