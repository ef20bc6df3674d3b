"""Rows in search trees: what `tree` and `rapid` share, so that they are compared on one implementation.

`kernels.properties.forest` has the layout. The class owns its arrays and makes them grow; a subclass says which trees
there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from watchword.arrays import Arrays, Int32, int32, int64, reserve
from watchword.errors import WatchwordError
from watchword.index.hits import Hits, collect
from watchword.index.structure import Structure
from watchword.kernels.arena import WORDS_END, WORDS_LIVE
from watchword.kernels.properties import forest as kernels
from watchword.kernels.properties.forest import ENTRY_HEAD, NODE_WORDS, Batch, Forest
from watchword.kernels.properties.forest_insertion import held_rows, insert_everywhere, insert_rows
from watchword.kernels.properties.forest_match import match
from watchword.kernels.properties.forest_removal import remove_row
from watchword.outline import outline
from watchword.properties.bits import Bits
from watchword.sets.rows import Rows

MANY = 256
"""From this many rows on, each tree gets its rows sorted, so that its nodes lie in the order of a walk."""


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
        """Add rows, none of them empty: a few row by row, each into all its trees; many tree by tree."""
        batch = Batch(int64(rows.offsets), int32(rows.atoms), int32(payloads))
        trees, sizes = len(self._forest.roots), np.diff(batch.offsets)
        if len(rows) < MANY:
            self._reserve(trees * len(rows), trees * len(rows.atoms))
            insert_everywhere(self._forest, batch)
            return
        for tree in range(trees):
            held = self._held(tree, batch)
            self._reserve(len(held), int(sizes[held].sum()))
            insert_rows(self._forest, tree, batch, held)

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
        """Return ``nodes`` at which rows differ, ``postings`` (rows, once for each tree that holds them), ``trees``."""
        state = self._forest.state
        nodes = int(state[kernels.NODES])
        size = 4 * (NODE_WORDS * nodes + int(state[WORDS_LIVE]))
        return {
            "nodes": nodes,
            "postings": int(state[kernels.ENTRIES]),
            "trees": len(self._forest.roots),
            "bytes": size,
        }

    def draw(self, name: Callable[[int], str] = str, tree: int = 0) -> str:
        """Return an indented drawing of a tree: the properties at which rows differ, their values, payloads."""
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
        """Return the arrays of all trees, without unused room."""
        forest, state = self._forest, self._forest.state
        nodes = forest.nodes[: NODE_WORDS * state[kernels.NODES_END]]
        return forest._replace(nodes=nodes, words=forest.words[: state[WORDS_END]])._asdict()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._forest = Forest(*(np.asarray(arrays[field]) for field in Forest._fields))

    def _held(self, tree: int, batch: Batch) -> Int32:
        """Return the rows that a tree holds, sorted by the first values that it asks."""
        held, keys = np.empty(len(batch.payloads), np.int32), np.empty(len(batch.payloads), np.uint64)
        count = held_rows(self._forest, tree, batch, held, keys)
        return held[:count][np.argsort(keys[:count])]

    def _reserve(self, entries: int, literals: int) -> None:
        """Make room for `entries` entries with `literals` literals in all, and a node for each."""
        forest, state = self._forest, self._forest.state
        words = int(state[WORDS_END]) + ENTRY_HEAD * entries + (entries + literals) // 2 + 1
        nodes = NODE_WORDS * (int(state[kernels.NODES_END]) + entries)
        if words > np.iinfo(np.int32).max:
            raise WatchwordError("these subscriptions are more than one index of this method holds; use several")
        self._forest = forest._replace(nodes=reserve(forest.nodes, nodes), words=reserve(forest.words, words))

    def _payloads(self, link: int) -> list[int]:
        found, address = [], -2 - link
        while address >= 0:
            address, payload = self._forest.words[address:][:2].tolist()
            found.append(payload)
        return sorted(found)
