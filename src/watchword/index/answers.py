"""The answer to a call of `match_many`: pairs of events and subscriptions, under the names that the caller has.

Nulls are left out before events are matched, so matched events are numbered without them. Of the events ``["tea", None,
"pie"]`` tea and pie are matched, as 0 and 1; `Call` gives them back their positions 0 and 2, or the ids 7 and 9 where
the call brought the ids ``[7, 8, 9]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from watchword.errors import EventError
from watchword.index import hits as found
from watchword.index.catalog import Catalog
from watchword.index.events import Present
from watchword.index.hits import Hits

EVENT = pa.int64()
"""The type of positions."""


class Call:
    """The events of a call, or of one of its batches, whose first is at `position`."""

    def __init__(self, present: Present, ids: pa.Array | None, ordered: bool, position: int = 0) -> None:
        self.events: Any = present.events
        self.nulls = present.nulls
        self.position = position
        self._places, self._ids, self._ordered = present.places, ids, ordered

    @property
    def kind(self) -> pa.DataType:
        """Return the type of the column `event`: positions, or the events' own ids."""
        return EVENT if self._ids is None else self._ids.type

    def arranged(self, hits: Hits) -> Hits:
        """Return hits in the order that the call asks for."""
        return found.ordered(hits) if self._ordered else hits

    def pairs(self, hits: Hits, first: int, catalog: Catalog) -> tuple[pa.Array, pa.Array]:
        """Return event (position or id) and subscription id of each pair; `hits` are from event `first` on."""
        rows = np.arange(first, first + hits.events)
        places = rows if self._places is None else self._places[rows]
        start = self.position if self._ids is None else 0
        events = pa.array(np.repeat(places + start if start else places, np.diff(hits.offsets)))
        return events if self._ids is None else self._ids.take(events), catalog.ids(hits.payloads)

    def at_its_position(self, error: EventError) -> EventError:
        """Return an event's error with its position in the whole call, nulls counted."""
        if self._places is None:
            return error
        place = int(self._places[error.position - self.position])
        return EventError(error.reason, position=place + self.position)
