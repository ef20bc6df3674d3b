"""Where the blocks of a subscription stand in a text; a block is a run of words at fixed distances.

Layout of the scratch: `points` is the text; `cells` and `marks` are a `kernels.stamped` table of two kinds of entries.

    2 * state           the first and the last node of the positions at which the state's word was found; node `n` is
                        ``nodes[2n]``, a start, and ``nodes[2n + 1]``, the next node or -1; `filled` nodes are in use
    2 * record + 1      of an accept record: the record that opens the block to be found next, or -1 once the
                        subscription was reported; the end of the blocks before; the node last tried, or -1

Invariant: positions of a state are in ascending order. Blocks are found from the first on, each leftmost behind the one
before; a position that was tried is never tried again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.kernels.jit import kernel
from watchword.kernels.records import BEFORE, FOLLOWING, LENGTH, PREVIOUS, RECORD_WORDS, STATE
from watchword.kernels.share_trie import KEY, PARENT, STATE_WORDS
from watchword.kernels.stamped import CELL_WORDS, FIRST, SECOND, THIRD, entry_of, new_entry

BLOCK, END, NODE = FIRST, SECOND, THIRD


class Scratch(NamedTuple):
    """What one call keeps in mind about the text at hand."""

    points: npt.NDArray[np.int32]
    cells: npt.NDArray[np.int32]
    marks: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int32]
    filled: npt.NDArray[np.int64]


def new_scratch(points: npt.NDArray[np.int32], entries: int) -> Scratch:
    """Return scratch for texts of at most ``len(points)`` characters; `entries` is a power of two."""
    cells = np.zeros(CELL_WORDS * entries, np.int32)
    return Scratch(points, cells, np.zeros(2, np.int64), np.empty(2 * entries, np.int32), np.zeros(1, np.int64))


@kernel
def record_position(cells, marks, nodes, filled, state, start):
    """Add a position to those of a state; returns whether there was room."""
    node = filled[0]
    if 2 * node == len(nodes):
        return False
    entry = entry_of(cells, marks, 2 * state)
    if entry < 0:
        entry = new_entry(cells, marks, 2 * state)
        if entry < 0:
            return False
        cells[entry + FIRST] = node
    else:
        nodes[2 * cells[entry + SECOND] + 1] = node
    cells[entry + SECOND] = node
    nodes[2 * node], nodes[2 * node + 1] = start, -1
    filled[0] += 1
    return True


@kernel
def _stands(states, points, state, end):
    """Say whether the word of a state ends at `end`, which is inside of the text."""
    while state > 0:
        end -= 1
        if end < 0 or states[STATE_WORDS * state + KEY] != points[end]:
            return False
        state = np.int64(states[STATE_WORDS * state + PARENT])
    return True


@kernel
def block_start(words, states, points, record, start):
    """Walk back from a word found at `start` to its block's first; returns its record, or -1, and where it starts."""
    while True:
        at = RECORD_WORDS * record
        previous, gap = np.int64(words[at + PREVIOUS]), np.int64(words[at + BEFORE])
        if previous < 0 or gap & 1:
            return record, start
        end = start - (gap >> 1)
        if not _stands(states, points, np.int64(words[RECORD_WORDS * previous + STATE]), end):
            return np.int64(-1), start
        record, start = previous, end - words[RECORD_WORDS * previous + LENGTH]


@kernel
def _block_end(words, states, points, size, record, start):
    """Walk on from a block's first word, found at `start`; returns the next block's record, or -1, and the end."""
    while True:
        end = start + words[RECORD_WORDS * record + LENGTH]
        record = np.int64(words[RECORD_WORDS * record + FOLLOWING])
        gap = np.int64(words[RECORD_WORDS * record + BEFORE])
        if gap & 1:
            return record, end
        start = end + (gap >> 1)
        after = start + words[RECORD_WORDS * record + LENGTH]
        if after > size or not _stands(states, points, np.int64(words[RECORD_WORDS * record + STATE]), after):
            return np.int64(-1), end


@kernel
def find_block(words, states, points, size, cells, marks, nodes, memo):
    """Go on to the leftmost place of the block that a subscription looks for; returns whether it is known."""
    block = np.int64(cells[memo + BLOCK])
    node = np.int64(cells[memo + NODE])
    if node >= 0:
        node = np.int64(nodes[2 * node + 1])
    else:
        entry = entry_of(cells, marks, 2 * np.int64(words[RECORD_WORDS * block + STATE]))
        if entry >= 0:
            node = np.int64(cells[entry + FIRST])
    least = cells[memo + END] + (words[RECORD_WORDS * block + BEFORE] >> 1)
    while node >= 0:
        cells[memo + NODE] = node
        if nodes[2 * node] >= least:
            after, end = _block_end(words, states, points, size, block, np.int64(nodes[2 * node]))
            if after >= 0:
                cells[memo + BLOCK], cells[memo + END], cells[memo + NODE] = after, end, -1
                return True
        node = np.int64(nodes[2 * node + 1])
    return False
