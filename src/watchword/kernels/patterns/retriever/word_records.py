"""REtriever's records as published: one for each word of each subscription (section 3.2, Tables 1 and 3).

The last word of a subscription has an *accept record* at its last state, any other a *half-accept record*. A record
points to that of the word before. With ``song?blue`` under the payload 0 and ``pie*tea??`` under 1, whose words end in
the states 4 (song), 8 (blue), 11 (pie) and 14 (tea)::

    record   STATE  PREVIOUS  GAP  BEHIND  PAYLOAD  AFTER  BACK
    0            4        -1    0      -1        0     -1    -1    half accepts song?blue
    1            8         0    2       0        0     -1    -1    accepts it: blue, one character behind record 0
    2           11        -1    0      -1        1     -1    -1
    3           14         2    1       4        1     -1    -1    a star before tea, two characters behind it

    last     1 3                                                   the accept record of payload 0, and of payload 1

Layout: record `r` is the seven words of `records.words` from ``7 * r`` on:

    STATE           the word's last state in the automaton of words
    PREVIOUS        the half-accept record of the word before, or -1
    GAP             the gap before the word, ``2 * questions + star``
    BEHIND          of an accept record the gap behind the word; -1 for a half-accept record
    PAYLOAD         the subscription; -1 for a free record
    AFTER, BACK     the neighbours in its state's list, or -1

A state's three words for its owner: `ACCEPTED`, its first accept record or -1; `HALF`, its first half-accept record
plus one, 0 for none; the third is not used. Free records are chained through `AFTER`. ``records.last[p]`` is the accept
record of payload `p`, or -1: the paper's table of subscriptions. `counts` also has the numbers of subscriptions and of
records in use. numMatch and the positions of Table 3 belong to a text (`match_records`).

Invariant: the lists of a state have exactly the words that end there, also if their path was there already (the
pseudo-code of INSERT forgets that case). Cost: a few steps per record.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, reserve
from watchword.kernels.jit import kernel
from watchword.kernels.sequences.share_trie import ACCEPTS, SECOND, STATE_WORDS

RECORDS_END, FREE_RECORD, ROWS, WORDS = range(4)
RECORD_WORDS = 7
STATE, PREVIOUS, GAP, BEHIND, PAYLOAD, AFTER, BACK = range(RECORD_WORDS)
ACCEPTED, HALF = ACCEPTS, SECOND


class WordRecords(NamedTuple):
    """The records of all subscriptions; `counts` holds the figures named above."""

    words: Int32
    last: Int32
    counts: Int64


def new_records() -> WordRecords:
    """Return no records."""
    nothing = np.empty(0, np.int32)
    return WordRecords(nothing, nothing, np.array([0, -1, 0, 0], np.int64))


def with_room(records: WordRecords, more: int) -> WordRecords:
    """Return the records with room for so many more."""
    return records._replace(words=reserve(records.words, RECORD_WORDS * (int(records.counts[RECORDS_END]) + more)))


def trimmed(records: WordRecords) -> WordRecords:
    """Return the records without spare room; they share memory with these."""
    words = records.words[: RECORD_WORDS * records.counts[RECORDS_END]]
    last = records.last[: int(np.flatnonzero(records.last >= 0).max(initial=-1)) + 1]
    return records._replace(words=words, last=last)


@kernel
def has_record_room(records, more):
    """Say whether so many more records fit."""
    return RECORD_WORDS * (records.counts[RECORDS_END] + more) <= len(records.words)


@kernel
def _set_first(states, state, accepts, record):
    """Make a record, or -1, the first of a state's list."""
    if accepts:
        states[STATE_WORDS * state + ACCEPTED] = record
    else:
        states[STATE_WORDS * state + HALF] = record + 1


@kernel
def add_record(trie, records, state, previous, gap, behind, payload):
    """Return a new record, put in front of its state's list; `behind` is -1 for a half-accept record."""
    words, counts, states = records.words, records.counts, trie.states
    record = counts[FREE_RECORD]
    if record >= 0:
        counts[FREE_RECORD] = words[RECORD_WORDS * record + AFTER]
    else:
        record = counts[RECORDS_END]
        counts[RECORDS_END] += 1
    accepts = behind >= 0
    after = states[STATE_WORDS * state + ACCEPTED] if accepts else states[STATE_WORDS * state + HALF] - 1
    at = RECORD_WORDS * record
    words[at + STATE], words[at + PREVIOUS], words[at + GAP] = state, previous, gap
    words[at + BEHIND], words[at + PAYLOAD] = behind, payload
    words[at + AFTER], words[at + BACK] = after, -1
    if after >= 0:
        words[RECORD_WORDS * after + BACK] = record
    _set_first(states, state, accepts, record)
    if accepts:
        records.last[payload] = record
        counts[ROWS] += 1
    counts[WORDS] += 1
    return record


@kernel
def drop_record(trie, records, record):
    """Take a record out of its state's list, and give it back."""
    words, counts, at = records.words, records.counts, RECORD_WORDS * record
    after, back, accepts = words[at + AFTER], words[at + BACK], words[at + BEHIND] >= 0
    if after >= 0:
        words[RECORD_WORDS * after + BACK] = back
    if back >= 0:
        words[RECORD_WORDS * back + AFTER] = after
    else:
        _set_first(trie.states, np.int64(words[at + STATE]), accepts, np.int64(after))
    if accepts:
        records.last[words[at + PAYLOAD]] = -1
        counts[ROWS] -= 1
    words[at + AFTER], words[at + PAYLOAD] = counts[FREE_RECORD], -1
    counts[FREE_RECORD] = record
    counts[WORDS] -= 1
