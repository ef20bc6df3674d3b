"""REtriever's INSERT and DELETE as published: records at the states (sections 3.3.1 and 3.3.3).

A subscription is cut into phrases at its wildcards, and a phrase into words (`splitting`). Every word is entered into
one trie of code points (`share_trie`) and leaves a record at its last state (`word_records`), which points to that of
the word before. Into an empty automaton ``song?blue`` brings the states 1 to 4 and 5 to 8, the half-accept record 0 at
state 4 and the accept record 1 at state 8.

DELETE goes from the accept record back, not by the rule of splitting: the automaton has changed since. It first makes
sure that the records spell the pattern.

Cost: a look-up per character, a few steps per word, and what splitting takes.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel
from watchword.kernels.patterns.retriever.insert import enter_word, longest_word, word_start
from watchword.kernels.patterns.retriever.splitting import SplitRule, split_phrase
from watchword.kernels.patterns.retriever.word_records import (
    BEHIND,
    GAP,
    PREVIOUS,
    RECORD_WORDS,
    STATE,
    WordRecords,
    add_record,
    drop_record,
    has_record_room,
)
from watchword.kernels.sequences.share_trie import ShareTrie, has_room, leave


@kernel
def _insert(trie, records, word_offsets, points, gaps, payload, rule, ends):
    """Insert one pattern, whose phrases are cut from `points` (INSERT)."""
    phrases = len(word_offsets) - 1
    record = np.int64(-1)
    for phrase in range(phrases):
        start, gap = word_offsets[phrase], gaps[phrase]
        count = split_phrase(trie, points, start, word_offsets[phrase + 1], rule, ends)
        for word in range(count):
            is_last = phrase == phrases - 1 and word == count - 1
            behind = gaps[phrases] if is_last else np.int32(-1)
            state = enter_word(trie, points, start, ends[word])
            record = add_record(trie, records, state, record, gap, behind, payload)
            start, gap = ends[word], np.int32(0)


@kernel
def insert_patterns(trie, records, rows, payloads, rule, first):
    """Insert patterns from `first` on; returns the first one for which room might not suffice.

    `trie` (`ShareTrie`), `records` (`WordRecords`), `rows` (`PointRows`) and `rule` (`SplitRule`) are plain tuples.
    """
    trie, records, rule = ShareTrie(*trie), WordRecords(*records), SplitRule(*rule)
    offsets, word_offsets, points, gaps = rows
    ends = np.empty(longest_word(word_offsets), np.int64)
    for row in range(first, len(payloads)):
        start, end = offsets[row], offsets[row + 1]
        most = word_offsets[end] - word_offsets[start]
        if not has_room(trie, most) or not has_record_room(records, most):
            return row
        own_offsets, own_gaps = word_offsets[start : end + 1], gaps[start + row : end + row + 1]
        _insert(trie, records, own_offsets, points, own_gaps, payloads[row], rule, ends)
    return len(payloads)


@kernel
def _is_pattern(trie, words, record, word_offsets, points, gaps):
    """Say whether a subscription's records, from the last one on, spell this pattern, but for the gap behind."""
    phrase = len(word_offsets) - 2
    at = word_offsets[phrase + 1]
    while record >= 0 and phrase >= 0:
        row = RECORD_WORDS * record
        at = word_start(trie, np.int64(words[row + STATE]), points, word_offsets[phrase], at)
        if at < 0:
            return False
        gap = np.int32(0)
        if at == word_offsets[phrase]:
            gap = gaps[phrase]
            phrase -= 1
        if words[row + GAP] != gap:
            return False
        record = np.int64(words[row + PREVIOUS])
    return record < 0 and phrase < 0


@kernel
def delete_pattern(trie, records, row, payload):
    """Delete a payload's records and the states that only it needed, if it is this one pattern (DELETE).

    Returns whether it was. The first three are plain tuples, as for `insert_patterns`.
    """
    trie, records = ShareTrie(*trie), WordRecords(*records)
    words = records.words
    _, word_offsets, points, gaps = row
    record = np.int64(records.last[payload])
    if record < 0 or words[RECORD_WORDS * record + BEHIND] != gaps[len(word_offsets) - 1]:
        return False
    if not _is_pattern(trie, words, record, word_offsets, points, gaps):
        return False
    while record >= 0:
        state, previous = np.int64(words[RECORD_WORDS * record + STATE]), words[RECORD_WORDS * record + PREVIOUS]
        drop_record(trie, records, record)
        leave(trie, state)
        record = np.int64(previous)
    return True
