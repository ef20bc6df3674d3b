"""Why, for many pairs at once: the column ``why`` of ``match_many(events, explain=True)``.

A reason is worked out pair by pair in Python, from the event and the text of the subscription, and takes a hundred
times as long as the match itself. So there is a limit, `MOST_REASONS` pairs unless the call names another, which is
checked while pairs are found: a call beyond it ends before the first reason is made.

Pairs are noted, with the texts of their subscriptions, while the index is held as it is; reasons are made afterwards,
so that changes do not wait for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from watchword.errors import EventError, OptionError
from watchword.index.catalog import Catalog
from watchword.index.hits import Hits
from watchword.index.report import Explanation

MOST_REASONS = 10_000
"""How many pairs ``explain=True`` explains; ``explain=50_000`` is another limit."""


class Reasons:
    """The pairs of a call that are to be explained, in the order of its answer."""

    def __init__(self, explain: bool | int) -> None:
        """`explain` is True, or how many pairs there may be."""
        if not isinstance(explain, int) or explain < 1:
            raise OptionError(f"explain is True, False, or how many pairs may be explained, not {explain!r}")
        self._limit = MOST_REASONS if explain is True else explain
        self._pairs: list[tuple[int, str]] = []

    def note(self, hits: Hits, first: int, catalog: Catalog) -> None:
        """Take note of found pairs, in this order; `hits` are from event `first` on."""
        if len(self._pairs) + len(hits.payloads) > self._limit:
            raise OptionError(
                f"there are more than {self._limit:,} pairs to explain; explain=NUMBER raises this limit, "
                "and explain(event, id) explains single pairs of a call without it"
            )
        rows = np.repeat(np.arange(first, first + hits.events), np.diff(hits.offsets)).tolist()
        self._pairs += zip(rows, map(catalog.text, hits.payloads.tolist()), strict=True)

    def added_to(self, answer: pa.Table, events: Any, explain: Callable[[Any, str], Explanation]) -> pa.Table:
        """Return an answer with the column ``why``; `events` are the matched events, without nulls."""
        found: dict[tuple[int, str], str] = {}
        for row, text in self._pairs:
            if (row, text) not in found:
                found[row, text] = str(explain(event_at(events, row), text))
        return answer.append_column("why", pa.array([found[pair] for pair in self._pairs], pa.string()))


def event_at(events: Any, row: int) -> Any:
    """Return one event of many as Python has it."""
    return events[row].as_py(maps_as_pydicts="strict") if isinstance(events, pa.Array) else events[row]


def refuse_read_once(events: Any) -> None:
    """Raise if events cannot be read a second time, for the reason: open files, and iterators of terms."""
    if isinstance(events, pa.Array):
        return
    for position, event in enumerate(events):
        if hasattr(event, "read") or hasattr(event, "__next__"):
            kind = type(event).__name__
            raise EventError(f"explain= reads an event twice, and a {kind} is read once", position=position)
