"""From events to texts as UTF-8, and their case folding.

An event is a `str` (a lone surrogate counts as a character like any other) or UTF-8 `bytes`; a batch of them may be an
Arrow array of strings or binaries, plain or dictionary-encoded. All become `Strings` of valid UTF-8.

>>> texts = read(["Tea", "Straße".encode()], 0)
>>> measured(texts)[0].tolist(), folded(texts).text(1)
([3, 6], 'strasse')
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from watchword.arrays import Int64
from watchword.errors import EventError
from watchword.index.events import decoded, texts_of
from watchword.kernels.text import folding as kernels
from watchword.strings import Strings, from_pieces, from_texts
from watchword.text.analyzer import INVALID
from watchword.text.unicode import fold_tables


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
    size = kernels.fold(strings.data, strings.offsets, fold_tables(), out, offsets)
    return Strings(out[:size], offsets, strings.surrogates)
