"""The items of a batch, into the archive of the home: read to the driver in slices, so that a batch of any size fits.

A batch of feeds is one slice and one small Spark job. The files of a folder may hold gigabytes: the rows of a partition
are numbered without gaps (`sources.numbered`), so a slice is a range of numbers. With `SLICE` as 64 MB, a partition of
100,000 rows and 160 MB becomes three slices of 33,334 rows.

A slice is archived under the batch's key and its number. Items that are there already are left out by the archive, so a
batch that was killed between two slices, or is repeated as a whole, leaves each item once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as F

from watchword.archive import ARCHIVED, Archive
from watchword.archive.columns import SEEN
from watchword.items import ROW
from watchword.spark.columns import named
from watchword.spark.sources import NUMBER

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SLICE = 64 << 20
"""Bytes of texts that the driver takes at a time."""
_COLUMNS = [name for name in ARCHIVED.names if name != SEEN]
_PARTITION = 1 << 33
"""Numbers of a partition, by the definition of `monotonically_increasing_id`."""


class Part(NamedTuple):
    """The rows of one partition: their first and last number, how many they are, and the bytes of their texts."""

    first: int
    last: int
    rows: int
    bytes: int


def archive_batch(archive: Archive, key: str, batch: DataFrame, row: Column, size: int) -> None:
    """Archive the items of a batch; `row` makes the column `row`, `size` is the number of bytes of their texts."""
    chosen = batch.select(NUMBER, *[row.alias(name) if name == ROW else named(name) for name in _COLUMNS])
    if size <= SLICE:
        archive.write(key, chosen.drop(NUMBER).toArrow())
        return
    for number, (first, last) in enumerate(slices(_parts(batch))):
        some = chosen.where(named(NUMBER).between(first, last)).drop(NUMBER)
        archive.write(f"{key}:{number}", some.toArrow())


def slices(parts: list[Part], most: int = SLICE) -> Iterator[tuple[int, int]]:
    """Yield the first and last numbers of slices of about `most` bytes, in order.

    >>> list(slices([Part(0, 5, 6, 30), Part(1 << 33, (1 << 33) + 1, 2, 4)], 10))
    [(0, 1), (2, 3), (4, 5), (8589934592, 8589934593)]
    """
    for first, last, rows, size in sorted(parts):
        step = -(-rows // max(-(-size // most), 1))
        for begin in range(first, last + 1, max(step, 1)):
            yield begin, min(begin + step - 1, last)


def octets() -> Column:
    """Return the bytes of an item's title and text."""
    return F.coalesce(F.octet_length("title"), F.lit(0)) + F.coalesce(F.octet_length("text"), F.lit(0))


def _parts(batch: DataFrame) -> list[Part]:
    partition = F.floor(named(NUMBER) / F.lit(_PARTITION))
    figures = F.min(NUMBER), F.max(NUMBER), F.count(NUMBER), F.sum(octets())
    return [Part(*row[1:]) for row in batch.groupBy(partition).agg(*figures).collect()]
