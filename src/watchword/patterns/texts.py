"""From events to texts as UTF-8, and their case folding.

An event is a `str` (a lone surrogate counts as a character like any other) or UTF-8 `bytes`, or several of them by
names; a batch of them may be an Arrow array of strings or binaries, plain or dictionary-encoded, or of structs of them.
All become `Strings` of valid UTF-8, and, where an event has several, the borders between those of different events.

>>> texts, _ = read(["Tea", "Straße".encode()], 0)
>>> count_characters(texts)[0].tolist(), casefold(texts).text(1)
([3, 6], 'strasse')
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from watchword.arrays import Int64, offsets_of
from watchword.errors import EventError
from watchword.index.events import decoded, texts_of
from watchword.index.texts import Grouped, grouped, texts_of_one
from watchword.kernels.text import folding as kernels
from watchword.strings import Strings, from_arrow, from_pieces, from_texts
from watchword.text.analyzer import INVALID
from watchword.text.unicode import fold_tables


class Texts(NamedTuple):
    """The texts of a batch; `groups` has the borders between events where they may have several, None where not."""

    strings: Strings
    groups: Int64 | None = None


def read(events: Any, position: int) -> Texts:
    """Return a batch, whose first event is at `position`."""
    if isinstance(events, pa.Array):
        if pa.types.is_struct(events.type):
            return _several(grouped(events, position), position)
        return Texts(valid(texts_of(events, position, "strings or binaries"), position))
    for event in events:
        if type(event) is not str:
            return _mixed(events, position)
    return Texts(from_texts(events))


def _several(events: Grouped, position: int) -> Texts:
    try:
        return Texts(valid(from_arrow(events.texts), 0), events.groups)
    except EventError as error:
        raise EventError(error.reason, position=position + events.event(error.position)) from None


def valid(strings: Strings, position: int) -> Strings:
    """Return texts as they are; an `EventError` names the first that is not valid UTF-8."""
    _, bad = count_characters(strings)
    if bad >= 0:
        raise EventError(INVALID, position=position + bad)
    return strings


def _mixed(events: Any, position: int) -> Texts:
    """Read events that are not all `str`."""
    sizes, pieces = [], []
    for row, event in enumerate(events):
        several = texts_of_one(event, position + row) if isinstance(event, Mapping) else [event]
        pieces += [text(one, position + row).encode("utf-8", "surrogatepass") for one in several]
        sizes.append(len(several))
    groups = offsets_of(sizes) if any(isinstance(event, Mapping) for event in events) else None
    return Texts(from_pieces(pieces, surrogates=True), groups)


def text(event: Any, position: int = 0) -> str:
    """Return one event as a `str`; only one that has a single text."""
    event = decoded(event, position)
    if isinstance(event, Mapping):
        raise EventError("it has several texts: ask about each by itself", position=position)
    if not isinstance(event, str):
        raise EventError(f"an event is a text, str or UTF-8 bytes, not {type(event).__name__}", position=position)
    return event


def count_characters(strings: Strings) -> tuple[Int64, int]:
    """Return the number of characters of each row, and -1 or the first row that is not valid UTF-8."""
    counts = np.empty(strings.count, np.int64)
    bad = kernels.measure(strings.data, strings.offsets, strings.surrogates, counts)
    return counts, int(bad)


def casefold(strings: Strings) -> Strings:
    """Return every row of valid UTF-8 case-folded, exactly as `str.casefold` does."""
    out = np.empty(3 * (int(strings.offsets[-1]) - int(strings.offsets[0])), np.uint8)
    offsets = np.empty(strings.count + 1, np.int64)
    size = kernels.fold(strings.data, strings.offsets, fold_tables(), out, offsets)
    return Strings(out[:size], offsets, strings.surrogates)
