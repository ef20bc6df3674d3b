"""REtriever's INSERT and DELETE (sections 3.3.1 and 3.3.3).

A subscription is cut into phrases at its wildcards, and a phrase into words (`kernels.splitting`). Every word is
entered into one trie of code points (`kernels.share_trie`) and leaves a record at its last state (`kernels.records`).

Invariant: a word in the trie has exactly one record, also if its path was there already (the pseudo-code of INSERT
forgets that case). DELETE follows the chain of records, not the rule of splitting: the automaton has changed since.

Cost: a look-up per character, and what splitting takes.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.chains import close_chain, open_chain
from watchword.kernels.jit import kernel
from watchword.kernels.records import (
    BEFORE,
    BEHIND,
    PREVIOUS,
    RECORD_WORDS,
    STATE,
    free_record,
    hang,
    has_record_room,
    new_record,
    unhang,
)
from watchword.kernels.share_trie import KEY, PARENT, STATE_WORDS, enter, has_room, leave
from watchword.kernels.splitting import split_phrase


@kernel
def _insert(trie, records, cuts, points, gaps, payload, rule, min_word, min_score, ends):
    """Insert one pattern, whose phrases are ``points[cuts[k]:cuts[k + 1]]`` (INSERT)."""
    previous = np.int64(-1)
    for phrase in range(len(cuts) - 1):
        start, before = cuts[phrase], gaps[phrase]
        count = split_phrase(trie, points, start, cuts[phrase + 1], rule, min_word, min_score, ends)
        for word in range(count):
            state = np.int64(0)
            for at in range(start, ends[word]):
                state = enter(trie, state, np.int64(points[at]))
            ended = word == count - 1
            behind = gaps[phrase + 1] if ended else np.int32(0)
            previous = new_record(records, previous, state, ends[word] - start, before, behind, payload)
            if not (ended and phrase == len(cuts) - 2):
                hang(trie, records, previous)
            start, before = ends[word], np.int32(0)
    close_chain(trie, records, previous)


@kernel
def insert_patterns(trie, records, offsets, cuts, points, gaps, payloads, first, rule, min_word, min_score):
    """Insert patterns from `first` on; returns the first one for which room might not suffice."""
    longest = 1
    for word in range(len(cuts) - 1):
        longest = max(longest, cuts[word + 1] - cuts[word])
    ends = np.empty(longest, np.int64)
    for row in range(first, len(payloads)):
        start, end = offsets[row], offsets[row + 1]
        most = cuts[end] - cuts[start]
        if not has_room(trie, most) or not has_record_room(records, most):
            return row
        row_gaps = gaps[start + row : end + row + 1]
        _insert(trie, records, cuts[start : end + 1], points, row_gaps, payloads[row], rule, min_word, min_score, ends)
    return len(payloads)


@kernel
def _is_pattern(trie, records, record, cuts, points, gaps):
    """Say whether the chain that ends in `record` spells this pattern, read from its end."""
    phrase = len(cuts) - 2
    at, behind = cuts[phrase + 1], gaps[phrase + 1]
    while record >= 0 and phrase >= 0:
        if records.words[RECORD_WORDS * record + BEHIND] != behind:
            return False
        state = records.words[RECORD_WORDS * record + STATE]
        while state > 0:
            at -= 1
            if at < cuts[phrase] or trie.states[STATE_WORDS * state + KEY] != points[at]:
                return False
            state = trie.states[STATE_WORDS * state + PARENT]
        behind = np.int32(0)
        if at == cuts[phrase]:
            behind = gaps[phrase]
            phrase -= 1
        if records.words[RECORD_WORDS * record + BEFORE] != behind:
            return False
        record = records.words[RECORD_WORDS * record + PREVIOUS]
    return record < 0 and phrase < 0


@kernel
def delete_pattern(trie, records, cuts, points, gaps, payload):
    """Delete a payload's records and the states that only they needed (DELETE); returns whether it was there."""
    words = records.words
    record = np.int64(records.last[payload])
    if not _is_pattern(trie, records, record, cuts, points, gaps):
        return False
    open_chain(trie, records, record)
    hung = False
    while record >= 0:
        previous = np.int64(words[RECORD_WORDS * record + PREVIOUS])
        if hung:
            unhang(trie, records, record)
        leave(trie, np.int64(words[RECORD_WORDS * record + STATE]))
        free_record(records, record)
        record, hung = previous, True
    return True
