"""The events of a batch: the column that holds them, or the columns of their attributes, put together here."""

from __future__ import annotations

from typing import TypeAlias

import pyarrow as pa

EventColumns: TypeAlias = str | tuple[tuple[str, str], ...]
"""A column; or for each attribute its name and its column."""


def events_of(batch: pa.RecordBatch, event: EventColumns) -> pa.Array:
    """Return the events of a batch; attributes become structs, without a copy.

    >>> batch = pa.RecordBatch.from_pydict({"c0": [15, 25], "c1": ["RBS", None]})
    >>> events_of(batch, (("name", "c1"), ("value", "c0"))).to_pylist()
    [{'name': 'RBS', 'value': 15}, {'name': None, 'value': 25}]
    """
    if isinstance(event, str):
        return batch[event]
    return pa.StructArray.from_arrays([batch[column] for _, column in event], names=[name for name, _ in event])
