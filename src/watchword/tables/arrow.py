"""Shared by the readers that use Arrow: row numbers, and Arrow's errors as `TableError`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from watchword.tables.sources import TableError, name_failures

BLOCK = 1 << 23
"""Bytes of a text file that Arrow reads at a time."""


def row_numbers(first: int, count: int) -> pa.Array:
    """Return `count` numbers from `first` on."""
    return pa.array(range(first, first + count), pa.int64())


@contextmanager
def place_failures(label: str) -> Iterator[None]:
    """Replace Arrow's errors by a `TableError` that names the file, and the row if Arrow knows it."""
    try:
        with name_failures(label):
            yield
    except pa.ArrowException as error:
        message = str(error).removeprefix("CSV parse error: ")
        found = re.match(r"(?:In CSV column #\d+: )?Row #(\d+): (.*)", message, re.DOTALL)
        place = None if found is None else f"row {int(found[1]) - 1}"
        reason = message if found is None else found[2]
        if reason.startswith("CSV conversion error"):
            reason += "; the column begins with values of that type: give the events as JSON lines or Parquet"
        raise TableError(reason, path=label, place=place) from None
