"""REtriever's MATCH: find words by sliding windows, and put them together again (sections 3.2 and 3.3.2).

A window starts at each character and follows the automaton as far as it goes. Where it meets the last state of a word,
it looks whether the word was waited for there (`extend_beginnings`): as the first of a subscription, at exactly this
position, or, behind a star, from somewhere before. Then one more beginning (`beginnings`) has been found, and
what may follow it is waited for in turn (`waits`).

The pseudo-code walks back from accept records, moves its start position greedily and adds the subscription before the
earlier words are checked, which gives wrong answers. Going forward every beginning found is a consistent choice of
positions. Behind a star the earliest one stands for all, since it leaves the most room.

Cost: a look-up per state visited (at most the text times the longest word), and per word found a step for each wait
that is open there: at most the text times the subscriptions' words, and linear in the text.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.child_table import find_child
from watchword.kernels.jit import kernel
from watchword.kernels.patterns.retriever.beginnings import DUE, EXACT, IDLE, LATE, pair_bit
from watchword.kernels.patterns.retriever.extend_beginnings import find_due, find_late, find_listed, recycle
from watchword.kernels.patterns.retriever.waits import HEAD, LEAD, LISTED, SPOT_WORDS, begin, open_fresh, wait_late
from watchword.kernels.sequences.share_trie import STATE_WORDS, follow
from watchword.kernels.stamped_table import DONE, NO_SCRATCH
from watchword.kernels.text.code_points import decode_points


@kernel
def match_texts(trie, beginnings, records, scratch, data, offsets, first, used, ends, found):
    """Match texts from `first` on, as `watchword.index.hits.Step` asks; also returns what lacks, `DONE` for nothing.

    All in one function: a call per window would cost more than most windows do.
    """
    keys, values, states, words = trie.keys, trie.values, trie.states, records.words
    way_keys, way_values, ways = beginnings.keys, beginnings.values, beginnings.states
    points, spots, cells, marks = scratch.points, scratch.spots, scratch.cells, scratch.marks
    due, late, fresh = scratch.due, scratch.late, scratch.fresh
    text, visits, visited, fill = first, 0, 0, np.int64(used)
    first_wait = find_child(way_keys, way_values, np.int64(0), np.int64(0))
    while text < len(offsets) - 1 and fill >= 0:
        size = decode_points(data, offsets[text], offsets[text + 1], points)
        begin(keys, values, states, points, size, spots, marks)
        if not wait_late(ways, cells, marks, due, late, np.int64(ways[EXACT]), 0, size):
            fill = np.int64(NO_SCRATCH)
        start = 0
        while start < size and fill >= 0:
            state, at = np.int64(spots[SPOT_WORDS * start + LEAD]), start
            here = np.int64(spots[SPOT_WORDS * start + HEAD])
            while state >= 0:
                at, visited, count = at + 1, visited + 1, 0
                row = STATE_WORDS * state
                idle = states[row + IDLE]
                if idle != -1 and not (idle >> pair_bit(points[at], points[at + 1])) & 1:
                    fresh[0] = find_child(way_keys, way_values, first_wait, state)
                    count = 1
                if here >= 0 and states[row + DUE] != 0:
                    count = find_due(way_keys, way_values, ways, due, here, state, states[row + DUE], fresh, count)
                sign = states[row + LATE]
                if sign != 0:
                    count = find_late(way_keys, way_values, ways, cells, marks, late, start, state, sign, fresh, count)
                    if sign & marks[LISTED]:
                        count = find_listed(ways, cells, marks, due, start, state, fresh, count)
                if count > 0:
                    fill = open_fresh(ways, words, size, spots, cells, marks, due, late, fresh, count, at, fill, found)
                goes_on = at < size and fill >= 0
                state = follow(keys, values, states, state, np.int64(points[at])) if goes_on else np.int64(-1)
            if here >= 0:
                recycle(due, marks, here)
            start += 1
        if fill >= 0:
            ends[text], used, visits = fill, fill, visited
            text += 1
    return text, used, visits, min(fill, np.int64(DONE))
