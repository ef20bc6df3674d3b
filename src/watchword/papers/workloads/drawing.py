"""How workloads of predicates are drawn: row i depends on the seed and on i, not on how many rows are asked for.

Rows are drawn in blocks, each with a seed of its own; texts are put together by Arrow, so that no row is ever a Python
object.

>>> all_of([pa.array(["a = 1", "a = 2"]), pa.array(["b < 3", "b < 4"])]).to_pylist()
['a = 1 AND b < 3', 'a = 2 AND b < 4']
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword.arrays import Int64
from watchword.errors import OptionError

BLOCK = 1 << 16
RULES, EVENTS = 0, 1
"""Kinds of rows; each kind has its own seed."""


def random_of(seed: int, kind: int, block: int) -> np.random.Generator:
    """Return the numbers from which a block of rows of a kind is drawn."""
    return np.random.default_rng([seed % 2**64, kind, block])


def attribute_names(count: int) -> list[str]:
    """Return the names ``a0``, ``a1`` and so on."""
    return [f"a{number}" for number in range(count)]


def distinct(random: np.random.Generator, size: int, count: int) -> Int64:
    """Return `count` rows of numbers below `size`, no number twice in a column: a shuffle cut short."""
    places = np.tile(np.arange(size, dtype=np.int32), (BLOCK, 1))
    columns = np.arange(BLOCK)
    for at in range(count):
        other = random.integers(at, size, BLOCK)
        taken = places[columns, other]
        places[columns, other] = places[:, at]
        places[:, at] = taken
    return places[:, :count].T.astype(np.int64)


def blocks(count: int, draw: Callable[[int], pa.Array | pa.Table], schema: pa.Schema | None = None) -> list[pa.Array]:
    """Draw whole blocks and cut the last; nothing asked for is one empty block."""
    if count < 0:
        raise OptionError(f"{count} rows cannot be drawn")
    if count == 0 and schema is not None:
        return [schema.empty_table()]
    return [draw(at // BLOCK).slice(0, count - at) for at in range(0, count, BLOCK)]


def numbered(texts: list[pa.Array], count: int) -> pa.Table:
    """Return texts with ids, from 0."""
    return pa.table({"id": np.arange(count), "subscription": pa.chunked_array(texts, pa.string())})


def glued(*parts: str | pa.Array) -> pa.Array:
    """Return texts put together, row by row; a part that is one text is in every row."""
    return pc.binary_join_element_wise(*parts, "")


def all_of(parts: list[pa.Array]) -> pa.Array:
    """Return the conjunctions of predicates, row by row."""
    return pc.binary_join_element_wise(*parts, " AND ")
