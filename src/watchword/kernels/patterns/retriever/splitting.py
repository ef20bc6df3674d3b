"""Where to cut a phrase into words, so that more states are shared (REtriever, section 3.1).

The *score* of a part of a phrase is the number of states that it would share with the automaton as it is. A phrase is
cut where the scores of its words add up to more than `min_score` above the score of the phrase in one piece; among
the cuts with the highest sum the leftmost is taken. No word is shorter than `min_word`.

If the automaton has the words song, blue, pie, tea and berry, "blueberrypie" in one piece would share the four states
of blue; as blue, berrypie nine; as blue, berry, pie all twelve. SINGLESPLIT takes the second, MULTIPLESPLIT the third.

Where pseudo-code and prose disagree, the prose is followed: GETSCORE stops at the first missing transition; SINGLESPLIT
takes the maximum over all positions (printed, a better one would have to beat the previous by `min_score` once
more); MULTIPLESPLIT may cut a prefix of exactly twice `min_word`, as SINGLESPLIT may.

The walk for a part ``(j, i)`` is the beginning of that for ``(j, end)``, so its score is ``min(reach[j], i - j)`` where
`reach` holds the scores up to the end. Cost, for a phrase of `n` characters: `n` walks, and for MULTIPLESPLIT n² steps.
So that a hostile phrase cannot stall the rest, one of more than `LONGEST` characters stays in one piece.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.kernels.jit import kernel
from watchword.kernels.sequences.share_trie import follow

NONE, SINGLE, MULTI = range(3)
LONGEST = 4096


class SplitRule(NamedTuple):
    """`NONE`, `SINGLE` or `MULTI`; the least characters of a word; and by how much a cut must raise the score."""

    rule: int
    min_word: int
    min_score: int


@kernel
def get_score(trie, points, start, end):
    """Return how many states the word ``points[start:end]`` would share (GETSCORE)."""
    keys, values, states = trie.keys, trie.values, trie.states
    state, score = np.int64(0), 0
    for at in range(start, end):
        state = follow(keys, values, states, state, np.int64(points[at]))
        if state < 0:
            break
        score += 1
    return score


@kernel
def _single_split(reach, size, min_word, min_score):
    """Return the one place at which to cut a phrase, 0 for none (SINGLESPLIT)."""
    best, cut = reach[0] + min_score, 0
    for i in range(min_word, size - min_word + 1):
        score = min(reach[0], i) + reach[i]
        if score > best:
            best, cut = score, i
    return cut


@kernel
def _multiple_split(reach, size, min_word, min_score, splits):
    """Fill ``splits[i]``, the last cut of the phrase's first `i` characters, 0 for none (MULTIPLESPLIT)."""
    scores = np.empty(size + 1, np.int64)
    for i in range(size + 1):
        whole = min(reach[0], i)
        best, cut = whole + min_score, 0
        for j in range(min_word, i - min_word + 1):
            score = scores[j] + min(reach[j], i - j)
            if score > best:
                best, cut = score, j
        splits[i] = cut
        scores[i] = best if cut > 0 else whole


@kernel
def split_phrase(trie, points, start, end, rule, ends):
    """Write the ends of the words of the phrase ``points[start:end]``; returns the number of words.

    `ends` must have room for a word per character.
    """
    size, min_word, min_score = end - start, rule.min_word, rule.min_score
    ends[0] = end
    if rule.rule == NONE or size < 2 * min_word or size > LONGEST:
        return 1
    reach = np.empty(size, np.int64)
    for i in range(size):
        reach[i] = get_score(trie, points, start + i, end)
    if rule.rule == SINGLE:
        cut = _single_split(reach, size, min_word, min_score)
        if cut == 0:
            return 1
        ends[0], ends[1] = start + cut, end
        return 2
    splits = np.empty(size + 1, np.int64)
    _multiple_split(reach, size, min_word, min_score, splits)
    words, at = 0, size
    while at > 0:
        ends[words] = start + at
        words += 1
        at = splits[at]
    ends[:words] = ends[:words][::-1].copy()
    return words
