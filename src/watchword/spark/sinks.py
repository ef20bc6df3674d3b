"""Where the pairs of a batch go: `FileSink` writes files of matches, `InboxSink` the inboxes of the store.

A sink is given the pairs of one batch in one language (`Found`) under a key. Spark repeats a batch whose run was
killed, with the same items and the same version of the index, so a sink is given the same key and pairs again: it must
then replace what it wrote, or write nothing. Both sinks here do so by themselves, whatever the other one did::

    FileSink     matches/batch-17-keywords.parquet     replaced whole
    InboxSink    the key b7c1…:17:keywords              in the transaction of the matches; a known key writes nothing
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from watchword.archive import item_of
from watchword.errors import OptionError, PipelineError
from watchword.files import replaced
from watchword.home import Home, Stream
from watchword.spark.feed_source import COLUMNS
from watchword.spark.found import ITEMS, BatchKey, Found
from watchword.store import Item, Match


class Sink(Protocol):
    """Something that keeps pairs."""

    def write(self, key: BatchKey, found: Found) -> None:
        """Write the pairs of a batch; repeated with the same key and pairs, nothing is there twice."""

    def is_written(self, key: BatchKey) -> bool:
        """Return whether the pairs of a batch were written, so that they need not be computed again."""


SCHEMA = pa.schema([*(field for field in ITEMS if field.name in COLUMNS), ("subscription", pa.string())])
"""The columns of the files of matches."""
_PAGE = 1 << 20
"""Bytes of a dictionary in a Parquet file, at least."""


class FileSink:
    """Files of matches: a row for each pair, with all columns of its item.

    A long text that matches thousands of subscriptions is in memory and in the file once, as an entry of a dictionary.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, key: BatchKey, found: Found) -> None:
        """Write the file of a batch and language, in place of an earlier one."""
        positions, file = found.pairs["item"].combine_chunks(), self._file(key)
        columns = {name: _repeat(found.items[name], positions) for name in COLUMNS}
        table = pa.table(columns | {"subscription": found.pairs["subscription"].cast(pa.string())})
        largest = found.items.nbytes + _PAGE
        try:
            with replaced(file) as output:
                # Without Arrow's own schema, which would make dictionaries of the texts for whoever reads them.
                pq.write_table(table, output, store_schema=False, dictionary_pagesize_limit=largest)
        except OSError as error:
            raise PipelineError(f"{file}: cannot be written: {error.strerror or error}") from error

    def is_written(self, key: BatchKey) -> bool:
        """Return whether there is a file, which is then whole."""
        return self._file(key).exists()

    def _file(self, key: BatchKey) -> Path:
        return self._folder / f"batch-{key.number}-{key.language}.parquet"


def _repeat(column: pa.ChunkedArray, positions: pa.Array) -> pa.Array | pa.ChunkedArray:
    """Return the values at positions, texts as a dictionary: each is there once however often it is repeated."""
    one = column.combine_chunks()
    return one.dictionary_encode().take(positions) if pa.types.is_string(column.type) else one.take(positions)


class InboxSink:
    """The inboxes of a home's store: items and matches of a batch in one transaction, with the key."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def write(self, key: BatchKey, found: Found) -> None:
        """Write a batch, unless the store has its key."""
        items = found.items.to_pylist()
        names = found.items["id"].to_numpy(zero_copy_only=False)[np.asarray(found.pairs["item"])]
        matches = map(Match, names.tolist(), found.pairs["subscription"].to_pylist())
        with self._home.store() as store:
            store.record(key.id, make_items(items), matches, as_of=found.as_of)

    def is_written(self, key: BatchKey) -> bool:
        """Return whether the store has the key of a batch."""
        with self._home.store() as store:
            return store.is_recorded(key.id)


def make_items(rows: Iterable[dict[str, object]]) -> list[Item]:
    """Return the items of a batch as the store keeps them; of two with one id the first counts."""
    made: dict[str, Item] = {}
    for row in rows:
        if str(row["id"]) not in made:
            made[str(row["id"])] = item_of(row)
    return list(made.values())


SINKS: dict[str, Callable[[Home, Stream], Sink]] = {
    "files": lambda home, stream: FileSink(stream.matches),
    "inboxes": lambda home, stream: InboxSink(home),
}
"""The sinks of a run by name, in the order in which they are written."""


def make_sinks(names: Iterable[str], home: Home, stream: Stream) -> list[Sink]:
    """Return the sinks of these names; an `OptionError` if there is none of a name, or no name."""
    wanted = set(names)
    unknown = sorted(wanted - set(SINKS))
    if unknown or not wanted:
        raise OptionError(f"sinks are {', '.join(SINKS)}, one or more of them, not {', '.join(unknown) or 'none'}")
    return [make(home, stream) for name, make in SINKS.items() if name in wanted]
