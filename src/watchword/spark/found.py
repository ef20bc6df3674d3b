"""What a batch found: its pairs by language, and the items that they name, each read once.

`match_all` carries nothing but the number of an item (`sources.numbered`). Here the answers come to the driver as
numbers and ids, and the items that matched are then read from the cached batch: an item of 300 kB that 5,000
subscriptions ask for is sent once, not 5,000 times. Item 7 matches s1 and s2, items 8 and 9 nothing::

    answers   number  subscription  error          Found   pairs   item  subscription     items   id …
              7       s1                                           0     s1               0       urn:7 …
              7       s2                                           0     s2
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from watchword.arrays import distinct_numbers
from watchword.dead_letters import MOST, Letter
from watchword.home import Stream
from watchword.spark.columns import named
from watchword.spark.feed_source import COLUMNS
from watchword.spark.sources import NUMBER, SOURCE
from watchword.spark.tasks.matcher import LANGUAGE

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_KINDS = {"published": pa.timestamp("us", "UTC"), "categories": pa.list_(pa.string())}
ITEMS = pa.schema([(name, _KINDS.get(name, pa.string())) for name in dict.fromkeys((*COLUMNS, "row"))])
"""The columns of items: those of a stream of items, and the source's row as JSON, or null."""
_FETCHED = pa.schema([(NUMBER, pa.int64()), (SOURCE, pa.string()), *ITEMS])


@dataclass(frozen=True)
class BatchKey:
    """A batch of a run in one language."""

    run: str
    number: int
    language: str

    @property
    def id(self) -> str:
        """The key as one text: ``b7c1…:17:keywords``."""
        return Stream.batch_id(self.run, self.number, self.language)


@dataclass(frozen=True)
class Found:
    """The pairs of a batch in one language, and the items that they name, each once.

    `pairs` has the columns `item`, the position of an item in `items`, and `subscription`; `items` has the columns
    `ITEMS`, in the order of the batch. `as_of` is the number of the store's last change that the index had.
    """

    pairs: pa.Table
    items: pa.Table
    as_of: int | None = None


@dataclass(frozen=True)
class Answer:
    """The answer of one language: pairs with their items, and the items that it cannot read.

    At most `MOST` of these are in `letters`, `refused` is the number of all.
    """

    pairs: pa.Table
    items: pa.Table
    letters: list[Letter]
    refused: int
    numbers: npt.NDArray[np.int64]
    """The number of each of `items` in the batch, ascending."""


def collect_answers(batch: DataFrame, answers: DataFrame, languages: Iterable[str], row: Column) -> dict[str, Answer]:
    """Run a match of a batch, and return the answers by language; `row` makes the column `row` of items."""
    table = answers.toArrow()
    by_language = {name: table.filter(pc.equal(table[LANGUAGE], name)) for name in languages}
    numbers = [_numbers(some) for answer in by_language.values() for some in (_pairs(answer), _refused(answer))]
    fetched = _fetch(batch, distinct_numbers(np.concatenate(numbers)) if numbers else np.zeros(0, np.int64), row)
    return {name: _answer(answer, fetched) for name, answer in by_language.items()}


def _answer(answers: pa.Table, fetched: pa.Table) -> Answer:
    pairs, refused = _pairs(answers), _refused(answers)
    numbers, positions = np.unique(_numbers(pairs), return_inverse=True)
    found = pa.table({"item": pa.array(positions.astype(np.int32)), "subscription": pairs["subscription"]})
    items = _rows(fetched, numbers).select(ITEMS.names)
    rows = _rows(fetched, _numbers(refused))
    letters = map(Letter, *(_texts(column) for column in (rows[SOURCE], rows["id"], refused["error"], rows["text"])))
    return Answer(found, items, list(letters), len(answers) - len(pairs), numbers)


def _pairs(answers: pa.Table) -> pa.Table:
    return answers.filter(pc.is_null(answers["error"]))


def _refused(answers: pa.Table) -> pa.Table:
    """Return the refused events that dead letters are made of."""
    return answers.filter(pc.is_valid(answers["error"])).slice(0, MOST)


def _numbers(answers: pa.Table) -> npt.NDArray[np.int64]:
    return np.asarray(answers[NUMBER], np.int64)


def _texts(column: pa.ChunkedArray) -> list[str]:
    return [text or "" for text in column.to_pylist()]


def _fetch(batch: DataFrame, numbers: npt.NDArray[np.int64], row: Column) -> pa.Table:
    """Return the items of a batch that have these numbers."""
    if not len(numbers):
        return _FETCHED.empty_table()
    wanted = batch.sparkSession.createDataFrame(pa.table({NUMBER: numbers}))
    return read_items(batch.join(F.broadcast(wanted), NUMBER, "left_semi"), row)


def read_items(chosen: DataFrame, row: Column) -> pa.Table:
    """Return items of a batch with their numbers and sources; `row` makes the column `row`."""
    columns = [row.alias("row") if name == "row" else named(name) for name in ITEMS.names]
    return chosen.select(NUMBER, SOURCE, *columns).toArrow().cast(_FETCHED)


def _rows(fetched: pa.Table, numbers: npt.NDArray[np.int64]) -> pa.Table:
    """Return the items of these numbers, in this order."""
    places = pc.index_in(pa.array(numbers), value_set=fetched[NUMBER].combine_chunks())
    if places.null_count:  # the source must give the same items again: no match may be lost
        raise RuntimeError("the source gave other items when the batch was read again")
    return fetched.take(places)
