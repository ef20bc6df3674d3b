"""From an accept record back: were the words of a subscription all found, at distances that go together?

The subscription is ``ab?cd?ef``, the text "ab.cd..cd.ef". The accept record of ef is reached with a window at 10. One
character before it cd must end, at 9: of the pairs of cd, (7, 9) and (3, 5), the first does, so that cd starts at 7.
Then ab must end at 6, but its only pair is (0, 2): no match. A position moved greedily, as in the pseudo-code of MATCH,
might have taken ab from one cd and ef from the other.

Invariant: `starts` holds, going down, every position at which the word at hand may start so that all words behind it
fit. The pairs of the word before go down too (`match_records`), so one pass over both finds which of them fit, and
these are again in order. Behind a star only the largest start matters.

Cost: a step per pair of each word, until a word has none that fits.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import leaf
from watchword.kernels.patterns.retriever.word_records import GAP, PREVIOUS, RECORD_WORDS
from watchword.kernels.stamped_table import VALUE, entry_of

PAIR_WORDS = 3
START, END, BEFORE = range(PAIR_WORDS)
PAIRS_END, STEPS, VISITED = range(2, 5)  # behind what `stamped_table` keeps in the marks


@leaf
def _fitting(pairs, pair, gap, starts, here, count, there, marks):
    """Write to ``starts[there:]`` where the word before may start, of a list of its pairs; returns how many there are.

    ``starts[here : here + count]`` are those of the word that follows, behind the gap.
    """
    questions, open_gap = gap >> 1, gap & 1 == 1
    k, fill, steps = 0, 0, 0
    while pair >= 0 and k < count:
        steps += 1
        wanted = pairs[PAIR_WORDS * pair + END] + questions
        while not open_gap and k < count and starts[here + k] > wanted:
            k += 1
        if k < count and (starts[here + k] == wanted or (open_gap and starts[here] > wanted)):
            starts[there + fill] = pairs[PAIR_WORDS * pair + START]
            fill += 1
        pair = np.int64(pairs[PAIR_WORDS * pair + BEFORE])
    marks[STEPS] += steps
    return fill


@leaf
def recombine(words, record, scratch, start):
    """Say whether the words before that of an accept record fit, if its own starts at `start`."""
    marks, starts = scratch.marks, scratch.starts
    here, there, count = 0, len(starts) // 2, 1
    starts[here] = start
    previous = np.int64(words[RECORD_WORDS * record + PREVIOUS])
    while previous >= 0 and count > 0:
        cell = entry_of(scratch.cells, marks, previous)
        pair = np.int64(scratch.cells[cell + VALUE]) if cell >= 0 else np.int64(-1)
        gap = np.int64(words[RECORD_WORDS * record + GAP])
        count = _fitting(scratch.pairs, pair, gap, starts, here, count, there, marks)
        here, there = there, here
        record = previous
        previous = np.int64(words[RECORD_WORDS * record + PREVIOUS])
    return count > 0 and starts[here] >= words[RECORD_WORDS * record + GAP] >> 1
