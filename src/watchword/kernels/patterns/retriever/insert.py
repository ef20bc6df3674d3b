"""REtriever's INSERT and DELETE (sections 3.3.1 and 3.3.3).

A subscription is cut into phrases at its wildcards, and a phrase into words (`splitting`). Every word is
entered into one trie of code points (`share_trie`); the words and gaps, one after the other, into the trie of
beginnings (`beginnings`), where the last one leaves an accept record (`records`). Into an empty automaton ``song?blue``
brings the words song (states 1 to 4) and blue (5 to 8), the beginnings 2 (song) and 4 (song?blue), and record 0.

Invariant: every word of a subscription is a key among its beginnings, also if its path was there already (the
pseudo-code of INSERT forgets that case). DELETE follows the beginnings, not the rule of splitting: the automaton has
changed since.

Cost: a look-up per character and two per word, and what splitting takes.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel
from watchword.kernels.patterns.retriever.beginnings import expect, extend, pair_bit, shorten
from watchword.kernels.patterns.retriever.records import (
    BEGINNING,
    BEHIND,
    RECORD_WORDS,
    WORDS,
    Records,
    add_record,
    drop_record,
    has_record_room,
)
from watchword.kernels.patterns.retriever.splitting import SplitRule, split_phrase
from watchword.kernels.sequences.share_trie import KEY, PARENT, STATE_WORDS, ShareTrie, enter, has_room, leave


@kernel
def enter_word(trie, points, start, end):
    """Enter the word ``points[start:end]``; returns its last state."""
    state = np.int64(0)
    for at in range(start, end):
        state = enter(trie, state, np.int64(points[at]))
    return state


@kernel
def longest_word(word_offsets):
    """Return the length of the longest word, 1 if there is none."""
    longest = 1
    for word in range(len(word_offsets) - 1):
        longest = max(longest, word_offsets[word + 1] - word_offsets[word])
    return longest


@kernel
def word_start(trie, state, points, least, at):
    """Return where the word of `state` starts if it ends at `at` in `points`; -1 if another stands there, or if it
    would start before `least`."""
    while state > 0:
        at -= 1
        if at < least or trie.states[STATE_WORDS * state + KEY] != points[at]:
            return -1
        state = np.int64(trie.states[STATE_WORDS * state + PARENT])
    return at


@kernel
def _insert(trie, beginnings, records, word_offsets, points, gaps, payload, rule, ends):
    """Insert one pattern, whose phrases are cut from `points` (INSERT)."""
    beginning = np.int64(0)
    for phrase in range(len(word_offsets) - 1):
        start, gap = word_offsets[phrase], gaps[phrase]
        count = split_phrase(trie, points, start, word_offsets[phrase + 1], rule, ends)
        for word in range(count):
            state = enter_word(trie, points, start, ends[word])
            idle = np.int32(0)  # anything may come next, unless two characters of the word tell
            if gap == 0 and ends[word] - start > 1:
                idle = ~np.int32(np.int64(1) << pair_bit(points[start], points[start + 1]))
            expect(trie, beginnings, beginning, idle)
            beginning = extend(trie, beginnings, beginning, gap, state)
            start, gap = ends[word], np.int32(0)
        records.counts[WORDS] += count
    expect(trie, beginnings, beginning, np.int32(0))
    add_record(beginnings, records, beginning, gaps[len(word_offsets) - 1], payload)


@kernel
def insert_patterns(trie, beginnings, records, rows, payloads, rule, first):
    """Insert patterns from `first` on; returns the first one for which room might not suffice.

    `trie` and `beginnings` (`ShareTrie`), `records`, `rows` (`PointRows`) and `rule` (`SplitRule`) are plain tuples.
    """
    trie, beginnings, records = ShareTrie(*trie), ShareTrie(*beginnings), Records(*records)
    offsets, word_offsets, points, gaps = rows
    rule = SplitRule(*rule)
    ends = np.empty(longest_word(word_offsets), np.int64)
    for row in range(first, len(payloads)):
        start, end = offsets[row], offsets[row + 1]
        most = word_offsets[end] - word_offsets[start]
        if not has_room(trie, most) or not has_room(beginnings, 2 * most) or not has_record_room(records):
            return row
        own_offsets, own_gaps = word_offsets[start : end + 1], gaps[start + row : end + row + 1]
        _insert(trie, beginnings, records, own_offsets, points, own_gaps, payloads[row], rule, ends)
    return len(payloads)


@kernel
def _is_pattern(trie, beginnings, beginning, word_offsets, points, gaps):
    """Say whether a beginning spells this pattern, read from its end, but for the gap behind."""
    phrase = len(word_offsets) - 2
    at = word_offsets[phrase + 1]
    while beginning > 0 and phrase >= 0:
        state = np.int64(beginnings.states[STATE_WORDS * beginning + KEY])
        at = word_start(trie, state, points, word_offsets[phrase], at)
        if at < 0:
            return False
        gap = np.int32(0)
        if at == word_offsets[phrase]:
            gap = gaps[phrase]
            phrase -= 1
        wait = beginnings.states[STATE_WORDS * beginning + PARENT]
        if beginnings.states[STATE_WORDS * wait + KEY] != gap:
            return False
        beginning = beginnings.states[STATE_WORDS * wait + PARENT]
    return beginning == 0 and phrase < 0


@kernel
def delete_pattern(trie, beginnings, records, row, payload):
    """Delete a payload's record and the states that only it needed, if it is this one pattern (DELETE).

    Returns whether it was. The first four are plain tuples, as for `insert_patterns`.
    """
    trie, beginnings, records = ShareTrie(*trie), ShareTrie(*beginnings), Records(*records)
    _, word_offsets, points, gaps = row
    record = np.int64(records.last[payload])
    if record < 0 or records.words[RECORD_WORDS * record + BEHIND] != gaps[len(word_offsets) - 1]:
        return False
    beginning = np.int64(records.words[RECORD_WORDS * record + BEGINNING])
    if not _is_pattern(trie, beginnings, beginning, word_offsets, points, gaps):
        return False
    drop_record(beginnings, records, record)
    states = np.empty(word_offsets[-1] - word_offsets[0], np.int64)
    count, above = 0, beginning
    while above > 0:
        states[count] = beginnings.states[STATE_WORDS * above + KEY]
        wait = beginnings.states[STATE_WORDS * above + PARENT]
        above, count = np.int64(beginnings.states[STATE_WORDS * wait + PARENT]), count + 1
    shorten(trie, beginnings, beginning)
    for state in states[:count]:
        leave(trie, state)
    records.counts[WORDS] -= count
    return True
