"""REtriever's MATCH: find words by sliding windows, and put them together again (sections 3.2 and 3.3.2).

A window starts at each character and follows the automaton as far as it goes. Where it meets the last state of a word,
it looks whether the word was waited for there (`extend_beginnings`): as the first of a subscription, at exactly this
position, or, behind a star, from somewhere before. Then one more beginning (`beginnings`) has been found, and
what may follow it is waited for in turn (`waits`).

The subscription ``pie*tea`` in "welikeapplepieandtea": the window at 11 finds pie, the first word of a subscription;
from 14 on tea is waited for. The window at 17 finds tea, which completes the beginning whose record is that
subscription.

The pseudo-code walks back from accept records, moves its start position greedily and adds the subscription before the
earlier words are checked, which gives wrong answers. Going forward every beginning found is a consistent choice of
positions. Behind a star the earliest one stands for all, since it leaves the most room.

Cost: a look-up per state visited (at most the text times the longest word), and per word found a step for each wait
that is open there: at most the text times the subscriptions' words, and linear in the text.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.child_table import find_child
from watchword.kernels.jit import leaf
from watchword.kernels.patterns.retriever.beginnings import EXACT, EXACT_MARKS, IDLE, OPEN_MARKS, pair_bit
from watchword.kernels.patterns.retriever.extend_beginnings import extend_exact, extend_listed, extend_open, recycle
from watchword.kernels.patterns.retriever.waits import (
    FIRST_WAIT,
    LEAD,
    LISTED,
    POSITION_WORDS,
    STEPS,
    VISITED,
    begin,
    note_found,
    wait_openly,
)
from watchword.kernels.sequences.share_trie import STATE_WORDS, follow
from watchword.kernels.stamped_table import DONE, NO_SCRATCH
from watchword.kernels.text.code_points import decode_points


@leaf
def match(data, text_offsets, trie, beginnings, records, scratch, first, used, offsets, payloads):
    """Match texts from `first` on, as `watchword.index.hits.Step` asks; also returns what lacks, `DONE` for nothing.

    All in one function: a call per window would cost more than most windows do.
    """
    keys, values, states = trie.keys, trie.values, trie.states
    points, positions, marks = scratch.points, scratch.positions, scratch.marks
    exact_waits, found_now = scratch.exact_waits, scratch.found_now
    text, spent, visited, fill = first, 0, 0, np.int64(used)
    first_wait = find_child(beginnings.keys, beginnings.values, np.int64(0), np.int64(0))
    while text < len(text_offsets) - 1 and fill >= 0:
        size = decode_points(data, text_offsets[text], text_offsets[text + 1], points)
        begin(trie, size, scratch)
        if not wait_openly(beginnings.states, scratch, np.int64(beginnings.states[EXACT]), 0, size):
            fill = np.int64(NO_SCRATCH)
        start = 0
        while start < size and fill >= 0:
            state, at = np.int64(positions[POSITION_WORDS * start + LEAD]), start
            here = np.int64(positions[POSITION_WORDS * start + FIRST_WAIT])
            while state >= 0:
                at, visited, count = at + 1, visited + 1, 0
                row = STATE_WORDS * state
                idle = states[row + IDLE]
                if idle != -1 and not (idle >> pair_bit(points[at], points[at + 1])) & 1:
                    found_now[0] = find_child(beginnings.keys, beginnings.values, first_wait, state)
                    count = 1
                waiting = states[row + EXACT_MARKS]
                if here >= 0 and waiting != 0:
                    count = extend_exact(beginnings, scratch, here, state, waiting, count)
                waiting = states[row + OPEN_MARKS]
                if waiting != 0:
                    count = extend_open(beginnings, scratch, start, state, waiting, count)
                    if waiting & marks[LISTED]:
                        count = extend_listed(beginnings.states, scratch, start, state, count)
                if count > 0:
                    fill = note_found(beginnings.states, records.words, size, scratch, count, at, fill, payloads)
                goes_on = at < size and fill >= 0
                state = follow(keys, values, states, state, np.int64(points[at])) if goes_on else np.int64(-1)
            if here >= 0:
                recycle(exact_waits, marks, here)
            start += 1
        if fill >= 0:
            offsets[text + 1], used = fill, fill
            spent += visited + marks[STEPS]
            marks[VISITED] += visited
            text, visited = text + 1, 0
    return text, used, spent, min(fill, np.int64(DONE))
