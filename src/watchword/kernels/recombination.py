"""REtriever's MATCH: find words by sliding windows, and put them together again (sections 3.2 and 3.3.2).

A window starts at each character and follows the automaton as far as it goes. Where it meets a half-accept state it
records the match position, once for all the records there, and only if one of them can ask for it (`OPENERS`). Where it
meets an accept state it recombines, for each accept record, the words before. The pseudo-code walks back, moves its
start position greedily and adds the subscription before the earlier words are checked, which gives wrong answers.
Here a subscription is seen as blocks with stars between them (`kernels.blocks`):

- the words of the last block must stand at their distances before the word just found: they are compared with the
  text, backwards, along the paths of their states;
- every earlier block is taken where it is found leftmost, from the first on. That is one consistent choice if there
  is any, since a block that ends earlier leaves more room for the rest. Candidates are the recorded positions of the
  block's first word.

Cost: a look-up per state visited (at most the text times the longest word), a glance at each accept record found there,
and each block of a subscription compared at most once with each position of its first word: linear in the text.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.blocks import BLOCK, END, block_start, find_block, record_position
from watchword.kernels.jit import kernel
from watchword.kernels.points import decode_points
from watchword.kernels.records import (
    AFTER,
    BEFORE,
    BEHIND,
    FOLLOWING,
    GLANCE_WORDS,
    HINT,
    OWNER,
    PAYLOAD,
    QUESTIONS,
    RECORD_WORDS,
)
from watchword.kernels.share_trie import ACCEPTS, OPENERS, STATE_WORDS, follow
from watchword.kernels.stamped import DONE, NO_ROOM, NO_SCRATCH, entry_of, new_entry, renew

_NO, _YES = 0, 1


@kernel
def _is_refuted(glances, points, cells, marks, glance, start):
    """Say whether a glance at an accept record, whose word was found at `start`, already excludes it."""
    hint = np.int64(glances[GLANCE_WORDS * glance + HINT])
    if hint < -1:
        return entry_of(cells, marks, 2 * (-2 - hint)) < 0
    end = start - glances[GLANCE_WORDS * glance + QUESTIONS]
    return end < 0 or (hint >= 0 and (end == 0 or points[end - 1] != hint))


@kernel
def _recombine(words, states, points, size, cells, marks, nodes, accept, start):
    """Say whether the words before an accept record's, found at `start`, fit: `_YES`, `_NO` or `NO_SCRATCH`."""
    memo = entry_of(cells, marks, 2 * accept + 1)
    if memo >= 0 and cells[memo + BLOCK] < 0:
        return _NO
    record, start = block_start(words, states, points, accept, start)
    if record < 0:
        return _NO
    latest = start - (words[RECORD_WORDS * record + BEFORE] >> 1)
    if latest < 0:
        return _NO
    first = np.int64(words[RECORD_WORDS * accept + FOLLOWING])
    if memo < 0:
        memo = new_entry(cells, marks, 2 * accept + 1)
        if memo < 0:
            return NO_SCRATCH
        cells[memo + BLOCK], cells[memo + END] = first, 0
    while cells[memo + BLOCK] != record:
        if not find_block(words, states, points, size, cells, marks, nodes, memo):
            return _NO
    if cells[memo + END] > latest:
        return _NO
    cells[memo + BLOCK] = -1
    return _YES


@kernel
def _accepts(words, glances, states, points, size, cells, marks, nodes, glance, start, end, used, found):
    """Report the accept records of a list that recombine, each once per text; returns the new fill or what lacks."""
    while glance >= 0:
        if not _is_refuted(glances, points, cells, marks, glance, start):
            record = np.int64(glances[GLANCE_WORDS * glance + OWNER])
            fits = _NO
            if size - end >= words[RECORD_WORDS * record + BEHIND] >> 1:
                fits = _recombine(words, states, points, size, cells, marks, nodes, record, start)
            if fits == NO_SCRATCH:
                return np.int64(NO_SCRATCH)
            if fits == _YES:
                if used == len(found):
                    return np.int64(NO_ROOM)
                found[used] = words[RECORD_WORDS * record + PAYLOAD]
                used += 1
        glance = np.int64(glances[GLANCE_WORDS * glance + AFTER])
    return np.int64(used)


@kernel
def _match_text(keys, values, states, words, glances, points, size, cells, marks, nodes, filled, used, found):
    """Write the payloads found in a text behind `used`; returns the new fill or what lacks, and the states visited."""
    visits = 0
    renew(marks)
    filled[0] = 0
    for start in range(size):
        state = np.int64(0)
        for at in range(start, size):
            state = follow(keys, values, states, state, np.int64(points[at]))
            if state < 0:
                break
            visits += 1
            opens = states[STATE_WORDS * state + OPENERS] > 0
            if opens and not record_position(cells, marks, nodes, filled, state, start):
                return np.int64(NO_SCRATCH), visits
            accept = np.int64(states[STATE_WORDS * state + ACCEPTS])
            if accept >= 0:
                used = _accepts(
                    words, glances, states, points, size, cells, marks, nodes, accept, start, at + 1, used, found
                )
                if used < 0:
                    return used, visits
    return used, visits


@kernel
def match_texts(trie, records, scratch, data, offsets, first, used, ends, found):
    """Match texts from `first` on, as `watchword.hits.Step` asks; also returns what lacks, `DONE` for nothing."""
    keys, values, states = trie.keys, trie.values, trie.states
    words, glances = records.words, records.glances
    points, cells, marks, nodes, filled = scratch.points, scratch.cells, scratch.marks, scratch.nodes, scratch.filled
    visits = 0
    for text in range(first, len(offsets) - 1):
        size = decode_points(data, offsets[text], offsets[text + 1], points)
        fill, visited = _match_text(
            keys, values, states, words, glances, points, size, cells, marks, nodes, filled, used, found
        )
        if fill < 0:
            return text, used, visits, fill
        visits += visited
        ends[text] = used = fill
    return len(offsets) - 1, used, visits, np.int64(DONE)
