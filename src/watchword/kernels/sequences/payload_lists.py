"""Lists of payloads that hang at the states of a `share_trie`.

The payloads 5 and 7 at one state, 6 at another: the trie's word `ACCEPTS` of the first is 2, of the second 1::

    cells   5 -1 | 6 -1 | 7 0

Layout: cell `c` is the two words of `cells` from ``2 * c`` on: payload (-1 for a free cell), next cell or -1. The
trie's word `ACCEPTS` is a state's first cell. Free cells are chained through their second word.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from watchword.arrays import Arrays, Int32, Int64, reserve
from watchword.kernels.jit import kernel
from watchword.kernels.sequences.share_trie import ACCEPTS, STATE_WORDS, ShareTrie

CELLS_END, FREE_CELL, ROWS = range(3)
CELL_WORDS = 2


class PayloadLists(NamedTuple):
    """The lists of payloads; `counts` holds the figures named above."""

    cells: Int32
    counts: Int64


def new_lists() -> PayloadLists:
    """Return no payloads."""
    return PayloadLists(np.empty(0, np.int32), np.array([0, -1, 0], np.int64))


def saved_lists(arrays: Arrays) -> PayloadLists:
    """Return the lists whose arrays, `PayloadLists._asdict`, were saved."""
    return PayloadLists(**{field: np.asarray(arrays[field]) for field in PayloadLists._fields})


def with_room(lists: PayloadLists, more: int = 1) -> PayloadLists:
    """Return the lists with room for so many more."""
    return lists._replace(cells=reserve(lists.cells, CELL_WORDS * (int(lists.counts[CELLS_END]) + more)))


def trimmed(lists: PayloadLists) -> PayloadLists:
    """Return the lists without spare room; they share memory with these."""
    return lists._replace(cells=lists.cells[: CELL_WORDS * int(lists.counts[CELLS_END])])


def renumber(lists: PayloadLists, payloads: Int32) -> None:
    """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``; larger ones stay."""
    held = trimmed(lists).cells[::CELL_WORDS]
    known = (held >= 0) & (held < len(payloads))
    held[known] = payloads[held[known]]


def payloads_at(trie: ShareTrie, lists: PayloadLists, state: int) -> Iterator[int]:
    """Yield the payloads that hang at a state."""
    cell = int(trie.states[STATE_WORDS * state + ACCEPTS])
    while cell >= 0:
        payload, cell = lists.cells[CELL_WORDS * cell :][:CELL_WORDS].tolist()
        yield payload


@kernel
def list_has_room(lists):
    """Say whether one more payload fits."""
    return CELL_WORDS * (lists.counts[CELLS_END] + 1) <= len(lists.cells)


@kernel
def hang(trie, lists, state, payload):
    """Put a payload in front of a state's list."""
    cells, counts = lists.cells, lists.counts
    cell = counts[FREE_CELL]
    if cell >= 0:
        counts[FREE_CELL] = cells[2 * cell + 1]
    else:
        cell = counts[CELLS_END]
        counts[CELLS_END] += 1
    head = STATE_WORDS * state + ACCEPTS
    cells[2 * cell], cells[2 * cell + 1] = payload, trie.states[head]
    trie.states[head] = cell
    counts[ROWS] += 1


@kernel
def take_down(trie, lists, state, payload):
    """Take a payload out of a state's list; returns whether it was there."""
    cells, counts = lists.cells, lists.counts
    head = STATE_WORDS * state + ACCEPTS
    before, cell = np.int64(-1), np.int64(trie.states[head])
    while cell >= 0 and cells[2 * cell] != payload:
        before, cell = cell, np.int64(cells[2 * cell + 1])
    if cell < 0:
        return False
    if before < 0:
        trie.states[head] = cells[2 * cell + 1]
    else:
        cells[2 * before + 1] = cells[2 * cell + 1]
    cells[2 * cell], cells[2 * cell + 1] = -1, counts[FREE_CELL]
    counts[FREE_CELL] = cell
    counts[ROWS] -= 1
    return True
