"""REtriever's INSERT and DELETE (sections 3.3.1 and 3.3.3).

A subscription is cut into phrases at its wildcards, and a phrase into words (`splitting`). Every word is
entered into one trie of code points (`share_trie`); the words and gaps, one after the other, into the trie of
beginnings (`beginnings`), where the last one leaves an accept record (`records`).

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
    add_record,
    drop_record,
    has_record_room,
)
from watchword.kernels.patterns.retriever.splitting import split_phrase
from watchword.kernels.sequences.share_trie import KEY, PARENT, STATE_WORDS, enter, has_room, leave


@kernel
def _insert(trie, ways, records, cuts, points, gaps, payload, rule, min_word, min_score, ends):
    """Insert one pattern, whose phrases are ``points[cuts[k]:cuts[k + 1]]`` (INSERT)."""
    beginning = np.int64(0)
    for phrase in range(len(cuts) - 1):
        start, gap = cuts[phrase], gaps[phrase]
        count = split_phrase(trie, points, start, cuts[phrase + 1], rule, min_word, min_score, ends)
        for word in range(count):
            state = np.int64(0)
            for at in range(start, ends[word]):
                state = enter(trie, state, np.int64(points[at]))
            idle = np.int32(0)  # anything may come next, unless two characters of the word tell
            if gap == 0 and ends[word] - start > 1:
                idle = ~np.int32(np.int64(1) << pair_bit(points[start], points[start + 1]))
            expect(trie, ways, beginning, idle)
            beginning = extend(trie, ways, beginning, gap, state)
            start, gap = ends[word], np.int32(0)
        records.counts[WORDS] += count
    expect(trie, ways, beginning, np.int32(0))
    add_record(ways, records, beginning, gaps[len(cuts) - 1], payload)


@kernel
def insert_patterns(trie, ways, records, offsets, cuts, points, gaps, payloads, first, rule, min_word, min_score):
    """Insert patterns from `first` on; returns the first one for which room might not suffice."""
    longest = 1
    for word in range(len(cuts) - 1):
        longest = max(longest, cuts[word + 1] - cuts[word])
    ends = np.empty(longest, np.int64)
    for row in range(first, len(payloads)):
        start, end = offsets[row], offsets[row + 1]
        most = cuts[end] - cuts[start]
        if not has_room(trie, most) or not has_room(ways, 2 * most) or not has_record_room(records):
            return row
        row_cuts, row_gaps = cuts[start : end + 1], gaps[start + row : end + row + 1]
        _insert(trie, ways, records, row_cuts, points, row_gaps, payloads[row], rule, min_word, min_score, ends)
    return len(payloads)


@kernel
def _is_pattern(trie, ways, beginning, cuts, points, gaps):
    """Say whether a beginning spells this pattern, read from its end, but for the gap behind."""
    phrase = len(cuts) - 2
    at = cuts[phrase + 1]
    while beginning > 0 and phrase >= 0:
        state = ways.states[STATE_WORDS * beginning + KEY]
        while state > 0:
            at -= 1
            if at < cuts[phrase] or trie.states[STATE_WORDS * state + KEY] != points[at]:
                return False
            state = trie.states[STATE_WORDS * state + PARENT]
        gap = np.int32(0)
        if at == cuts[phrase]:
            gap = gaps[phrase]
            phrase -= 1
        wait = ways.states[STATE_WORDS * beginning + PARENT]
        if ways.states[STATE_WORDS * wait + KEY] != gap:
            return False
        beginning = ways.states[STATE_WORDS * wait + PARENT]
    return beginning == 0 and phrase < 0


@kernel
def delete_pattern(trie, ways, records, cuts, points, gaps, payload):
    """Delete a payload's record and the states that only it needed (DELETE); returns whether it was there."""
    record = np.int64(records.last[payload])
    if record < 0 or records.words[RECORD_WORDS * record + BEHIND] != gaps[len(cuts) - 1]:
        return False
    beginning = np.int64(records.words[RECORD_WORDS * record + BEGINNING])
    if not _is_pattern(trie, ways, beginning, cuts, points, gaps):
        return False
    drop_record(ways, records, record)
    states = np.empty(cuts[-1] - cuts[0], np.int64)
    count, above = 0, beginning
    while above > 0:
        states[count] = ways.states[STATE_WORDS * above + KEY]
        wait = ways.states[STATE_WORDS * above + PARENT]
        above, count = np.int64(ways.states[STATE_WORDS * wait + PARENT]), count + 1
    shorten(trie, ways, beginning)
    for state in states[:count]:
        leave(trie, state)
    records.counts[WORDS] -= count
    return True
