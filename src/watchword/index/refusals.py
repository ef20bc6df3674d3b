"""What `update` does with subscriptions that are refused: raise at the first, or leave them out and report them all.

Texts are compiled many at a time; where that fails, one by one, which says of each whether it is refused. So a few bad
rows among a million cost little more than none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from watchword.arrays import Bools, Int64
from watchword.errors import OptionError, SubscriptionError
from watchword.index.catalog import id_at, take_rows
from watchword.index.language import Language
from watchword.strings import Strings
from watchword.visible import shown

_AT_ONCE = 1024


class Refused(NamedTuple):
    """A subscription that was left out: its row in the input, its id as far as it had one, and why."""

    row: int
    id: Any
    error: SubscriptionError


class Refusals:
    """Collects refused subscriptions with ``on_error="skip"``; raises the first with ``"raise"``."""

    def __init__(self, on_error: str) -> None:
        if on_error not in ("raise", "skip"):
            raise OptionError(f"on_error is 'raise' or 'skip', not {on_error!r}")
        self.skips = on_error == "skip"
        self.found: list[Refused] = []

    def add(self, row: int, key: Any, error: SubscriptionError) -> None:
        """Take note of a row, or raise its error."""
        if not self.skips:
            raise error
        self.found.append(Refused(row, key, error))

    def rows(self) -> list[int]:
        """Return the rows that were refused."""
        return [refused.row for refused in self.found]


class Columns(NamedTuple):
    """Ids and texts to be loaded, and the row of each in the input; None for the rows if none was left out.

    `numbered`: an error names the row; those of a mapping have only ids.
    """

    ids: Int64 | Strings
    texts: Strings
    rows: Int64 | None = None
    numbered: bool = True

    def row(self, number: int) -> int:
        """Return the row in the input."""
        return number if self.rows is None else int(self.rows[number])

    def part(self, kept: Bools) -> Columns:
        """Return some of the rows."""
        chosen = np.flatnonzero(kept)
        rows = chosen if self.rows is None else self.rows[chosen]
        return Columns(take_rows(self.ids, chosen), take_rows(self.texts, chosen), rows, self.numbered)

    def placed(self, error: SubscriptionError, number: int) -> SubscriptionError:
        """Return the error of a subscription with its row in the input and its id."""
        return error.at_row(self.row(number) if self.numbered else None).of_id(id_at(self.ids, number))


def without_refused(given: Columns, error: SubscriptionError, language: Language, refusals: Refusals) -> Columns:
    """Return columns without the rows that are refused, after loading them raised `error`."""
    found = dict([*refused_texts(given.texts, language), *_repeated(given.ids)]) or {error.row or 0: error}
    kept = np.ones(given.texts.count, np.bool_)
    for number, reason in found.items():
        kept[number] = False
        refusals.add(given.row(number), id_at(given.ids, number), given.placed(reason, number))
    return given.part(kept)


def refused_texts(texts: Strings, language: Language) -> Iterator[tuple[int, SubscriptionError]]:
    """Yield the rows whose texts are refused, and why."""
    for start in range(0, texts.count, _AT_ONCE):
        part = texts.part(start, min(start + _AT_ONCE, texts.count))
        try:
            language.compile(part)
        except SubscriptionError:
            for row in range(part.count):
                try:
                    language.compile_one(text_at(part, row))
                except SubscriptionError as error:
                    yield start + row, error


def text_at(texts: Strings, row: int) -> str:
    """Return the text of a row; one that is not Unicode is refused."""
    try:
        return texts.text(row)
    except UnicodeDecodeError as error:
        raise SubscriptionError(f"it is not valid UTF-8 at byte {error.start}", row=row) from None


def _repeated(ids: Int64 | Strings) -> Iterator[tuple[int, SubscriptionError]]:
    seen = set()
    for row in range(ids.count if isinstance(ids, Strings) else len(ids)):
        key = id_at(ids, row)
        if key in seen:
            yield row, SubscriptionError(f"the id {shown(key)} stands more than once; ids must be unique")
        seen.add(key)
