"""Rows in search trees: what `tree` and `rapid` share, so that they are compared on one implementation.

`kernels.properties.forest` has the layout. The class owns its arrays and makes them grow; a subclass says which trees
there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from watchword.arrays import Arrays, Int32, Int64, int32, int64, reserve
from watchword.errors import WatchwordError
from watchword.index.hits import Hits, collect
from watchword.index.structure import Structure
from watchword.kernels.arena import WORDS_END, WORDS_LIVE
from watchword.kernels.properties import forest as kernels
from watchword.kernels.properties.forest import CELL_WORDS, NODE_WORDS, RECORD_HEAD, Forest
from watchword.kernels.properties.forest_match import match
from watchword.kernels.properties.forest_removal import remove_row
from watchword.outline import outline
from watchword.properties.bits import Bits
from watchword.sets.rows import Rows

MANY = 256
"""From this many rows on, each tree gets its rows sorted, so that its nodes lie as they are walked."""


class SearchTree(NamedTuple):
    """Which properties a tree asks, and which rows it holds (`kernels.properties.forest`)."""

    start: int
    depth: int
    least: int
    most: int


class SearchForest(Structure[Rows, Int32, Bits]):
    """A mutable set of rows in some search trees."""

    operation: ClassVar[str] = "nodes visited"

    def __init__(self, width: int, trees: list[SearchTree]) -> None:
        self._forest = kernels.new_forest(width, np.array(trees, np.int32).ravel())
        self._hits_per_event = 64

    def add(self, rows: Rows, payloads: Int32) -> None:
        """Add rows, none of them empty: a few tree by tree for each, many row by row for each tree."""
        self._reserve(words=len(rows.atoms) + RECORD_HEAD * len(rows))
        addresses = np.empty(len(rows), np.int32)
        order = _storing_order(rows)
        kernels.store_rows(self._forest, order, int64(rows.offsets), int32(rows.atoms), int32(payloads), addresses)
        trees = len(self._forest.roots)
        if len(rows) < MANY:
            self._reserve(entries=trees * len(rows))
            kernels.insert_everywhere(self._forest, addresses)
            return
        for tree in range(trees):
            held = self._held(tree, addresses)
            self._reserve(entries=len(held))
            kernels.insert_rows(self._forest, tree, held)

    def remove(self, row: Int32, payload: int) -> None:
        """Remove a row from all trees."""
        if not remove_row(self._forest, int32(row), payload):
            raise KeyError(payload)

    def match(self, events: Bits) -> Hits:
        """Walk down the tree that serves each event."""
        hits = collect(len(events), partial(match, events.words, self._forest), self._hits_per_event)
        if len(events):
            self._hits_per_event = 64 + 2 * len(hits.payloads) // len(events)
        return hits

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        kernels.renumber(self._forest, int32(payloads))

    def stats(self) -> Mapping[str, float]:
        """Return ``nodes`` at which rows part, ``postings`` (rows, once for each tree that holds them), ``trees``."""
        state = self._forest.state
        nodes, cells = int(state[kernels.NODES]), int(state[kernels.CELLS])
        size = 4 * (NODE_WORDS * nodes + CELL_WORDS * cells + int(state[WORDS_LIVE]))
        return {"nodes": nodes, "postings": cells, "trees": len(self._forest.roots), "bytes": size}

    def draw(self, name: Callable[[int], str] = str, tree: int = 0) -> str:
        """Return an indented drawing of a tree: the properties it asks where rows part, their values, payloads."""
        forest = self._forest
        below: dict[int, list[int]] = {}
        lines: dict[int, str] = {}
        waiting = [(0, int(forest.roots[tree]), "")]
        while waiting:
            place, link, value = waiting.pop()
            lines[place] = value + (f" {self._payloads(link)}" if link < kernels.NONE else "")
            below[place] = []
            if link >= 0:
                asked, *children = forest.nodes[NODE_WORDS * link :][:NODE_WORDS].tolist()
                for branch, child in zip("01*", children, strict=True):
                    if child != kernels.NONE:
                        below[place].append(len(lines) + len(waiting))
                        waiting.append((below[place][-1], child, f"{name(asked)}={branch}"))
        return outline(below[0], below, lines.__getitem__)

    def arrays(self) -> Arrays:
        """Return all trees, without what was never used."""
        forest, state = self._forest, self._forest.state
        nodes, cells = int(state[kernels.NODES_END]), int(state[kernels.CELLS_END])
        return forest._replace(
            nodes=forest.nodes[: NODE_WORDS * nodes],
            cells=forest.cells[: CELL_WORDS * cells],
            words=forest.words[: state[WORDS_END]],
        )._asdict()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._forest = Forest(*(np.asarray(arrays[field]) for field in Forest._fields))

    def _held(self, tree: int, addresses: Int32) -> Int32:
        """Return the rows that a tree holds, sorted by the first values that it asks."""
        held, keys = np.empty(len(addresses), np.int32), np.empty(len(addresses), np.uint64)
        count = kernels.held_rows(self._forest, tree, addresses, held, keys)
        return held[:count][np.argsort(keys[:count])]

    def _reserve(self, entries: int = 0, words: int = 0) -> None:
        """Make room for so many entries of rows into trees, or words of records."""
        forest, state = self._forest, self._forest.state
        if state[WORDS_END] + words > np.iinfo(np.int32).max or state[kernels.CELLS_END] + entries > 1 << 30:
            raise WatchwordError("these subscriptions are more than one index holds; use several")
        self._forest = forest._replace(
            nodes=reserve(forest.nodes, NODE_WORDS * (int(state[kernels.NODES_END]) + entries)),
            cells=reserve(forest.cells, CELL_WORDS * (int(state[kernels.CELLS_END]) + entries)),
            words=reserve(forest.words, int(state[WORDS_END]) + words),
        )

    def _payloads(self, link: int) -> list[int]:
        found, cell = [], -2 - link
        while cell >= 0:
            address, cell = self._forest.cells[CELL_WORDS * cell :][:CELL_WORDS].tolist()
            found.append(int(self._forest.words[address]))
        return sorted(found)


def _storing_order(rows: Rows) -> Int64:
    """Return rows by the number of their ones, so that those which trees of few ones hold lie together in memory."""
    if len(rows) < MANY:
        return np.arange(len(rows))
    firsts = rows.offsets[:-1]
    return np.lexsort((rows.atoms[firsts], np.add.reduceat(rows.atoms & 1, firsts)))
