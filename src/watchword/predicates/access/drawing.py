"""An indented text drawing of packed rows, for tests and documents: a line per access key, below it its rows.

>>> from watchword.predicates import PredicateIndex
>>> index = PredicateIndex({0: "name = 'RBS' AND value > 20", 1: "name = 'RBS'", 2: "value <= 5", 3: "note IS MISSING"})
>>> index._plugged.structure.condense()
>>> print(index._plugged.structure.draw(index._plugged.vocabulary.text))
name = 'RBS'
  [1]
  value > 20 [0]
node of level 55, prefix 2
  value <= 5 [2]
always
  NOT note EXISTS [3]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.predicates import packing as kernels
from watchword.kernels.predicates.layout import Base
from watchword.kernels.tombstones import FIRST_CLAUSE, Dead
from watchword.predicates.access.packing import keys_of
from watchword.sets.rows import Rows

Unpack = Callable[[Callable[..., tuple[int, int]]], tuple[Rows, Int32]]
"""Runs a kernel that counts first and then writes, and returns the rows that it wrote."""


def drawn(base: Base, fields: Int32, dead: Dead, name: Callable[[int], str], unpacked: Unpack) -> str:
    """Return the drawing of a base whose atoms have these fields."""
    keys, nodes = keys_of(base, fields), _nodes(base)
    by_place, lines = np.argsort(base.places), list[str]()
    for first, second, start in sorted(keys.tolist(), key=lambda key: (key[0] < 0, key[1], key[2] not in nodes, key)):
        points = [atom for atom in (first, second) if atom >= 0]
        heading = " + ".join(map(name, points)) or nodes.get(start, "always")
        block = np.array([(first, second, start)], np.int64)
        rows, payloads = unpacked(partial(kernels.unpack, base.arena, base.words, block, by_place, dead))
        if len(payloads):
            lines += [heading, *_rows(rows, payloads, len(points), name)]
    return "\n".join(lines)


def _nodes(base: Base) -> dict[int, str]:
    """Return the headings of nodes, by where their blocks begin."""
    taken = np.flatnonzero(base.node_blocks >= 0)
    owners: Int64 = base.node_keys[2 * taken]
    return {
        int(start): f"node of level {owner & 255}, prefix {prefix}"
        for start, owner, prefix in zip(
            base.node_blocks[taken].tolist(), owners.tolist(), base.node_keys[2 * taken + 1].tolist(), strict=True
        )
    }


def _rows(rows: Rows, payloads: Int32, points: int, name: Callable[[int], str]) -> Iterator[str]:
    """Yield a line for each row: the literals that its key leaves, and its payload. The key's points stand last."""
    for row, payload in enumerate(payloads.tolist()):
        literals = rows.atoms[rows.offsets[row] : rows.offsets[row + 1] - points].tolist()
        written = [("NOT " if literal & 1 else "") + name(literal >> 1) for literal in literals]
        owner = str(payload) if payload < FIRST_CLAUSE else f"clause {payload - FIRST_CLAUSE}"
        yield "  " + " ".join([*([" AND ".join(written)] if written else []), f"[{owner}]"])
