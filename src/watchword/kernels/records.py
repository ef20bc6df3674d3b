"""REtriever's records: which word of which subscription ends at a state (section 3.2, Tables 1 and 3).

The last word of a subscription has an *accept record* at its last state, any other word a *half-accept record*; a state
has a list of either kind (`ACCEPTS` and `HALVES` of `kernels.share_trie`).

Layout: record `r` is the nine words of `records.words` from ``9 * r`` on:

    PREVIOUS, FOLLOWING   the records of the subscription's words before (or -1) and behind (for the last: the first)
    BEFORE, BEHIND        the gaps there, ``2 * questions + star``; 0 between words of one phrase
    STATE, LENGTH         where the word ends, and the depth of that state
    PAYLOAD               -1 for a free record
    NEXT, BACK            the neighbours in the state's list, or -1; for an accept record `NEXT` is its glance

The list of accept records, which matching walks again and again, is a chain of *glances*, small and close together.
Glance `g` is the four words of `records.glances` from ``4 * g`` on: the next glance or -1, the record, and what can
refute it at once: the questions before its word and a hint, which is the last key of the previous word, or ``-2 - s``
where a star stands between and `s` is the state of the subscription's first word, or -1 without a previous word.

Free records are chained through `NEXT`, free glances through `AFTER`. ``records.last[p]`` is the accept record of
payload `p`, or -1: the paper's table of subscriptions.

A *block* is a run of words without a star between them. The state of a block's first word counts it as an *opener*,
unless the block is the subscription's last: these are the states whose match positions MATCH will ask for.

Invariant: the records of a subscription are a chain from its last word to its first, which tells how its phrases were
cut. Cost: everything here takes a few steps per record.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.kernels.arrays import reserve
from watchword.kernels.jit import kernel
from watchword.kernels.share_trie import HALVES, OPENERS, STATE_WORDS

RECORDS_END, FREE_RECORD, RECORDS, ROWS, GLANCES_END, FREE_GLANCE = range(6)
RECORD_WORDS, GLANCE_WORDS = 9, 4
PREVIOUS, FOLLOWING, BEFORE, BEHIND, STATE, LENGTH, PAYLOAD, NEXT, BACK = range(RECORD_WORDS)
AFTER, OWNER, QUESTIONS, HINT = range(GLANCE_WORDS)


class Records(NamedTuple):
    """The records of all subscriptions; `counts` holds the figures named above."""

    words: npt.NDArray[np.int32]
    glances: npt.NDArray[np.int32]
    last: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]


def new_records() -> Records:
    """Return no records."""
    nothing = np.empty(0, np.int32)
    return Records(nothing, nothing, nothing, np.array([0, -1, 0, 0, 0, -1], np.int64))


def with_room(records: Records, new: int) -> Records:
    """Return the records with room for one more subscription of so many words."""
    words = reserve(records.words, RECORD_WORDS * (int(records.counts[RECORDS_END]) + new))
    glances = reserve(records.glances, GLANCE_WORDS * (int(records.counts[GLANCES_END]) + 1))
    return records._replace(words=words, glances=glances)


def trimmed(records: Records) -> Records:
    """Return the records without spare room; they share memory with these."""
    words = records.words[: RECORD_WORDS * records.counts[RECORDS_END]]
    glances = records.glances[: GLANCE_WORDS * records.counts[GLANCES_END]]
    last = records.last[: int(np.flatnonzero(records.last >= 0).max(initial=-1)) + 1]
    return records._replace(words=words, glances=glances, last=last)


@kernel
def has_record_room(records, new):
    """Say whether one more subscription of so many words fits."""
    fits = RECORD_WORDS * (records.counts[RECORDS_END] + new) <= len(records.words)
    return fits and GLANCE_WORDS * (records.counts[GLANCES_END] + 1) <= len(records.glances)


@kernel
def hang(trie, records, record):
    """Put a half-accept record in front of its state's list."""
    words, states = records.words, trie.states
    place = STATE_WORDS * words[RECORD_WORDS * record + STATE] + HALVES
    first = states[place]
    words[RECORD_WORDS * record + NEXT] = first
    words[RECORD_WORDS * record + BACK] = -1
    if first >= 0:
        words[RECORD_WORDS * first + BACK] = record
    states[place] = record


@kernel
def unhang(trie, records, record):
    """Take a half-accept record out of its state's list."""
    words = records.words
    at = RECORD_WORDS * record
    after, back = words[at + NEXT], words[at + BACK]
    if after >= 0:
        words[RECORD_WORDS * after + BACK] = back
    if back >= 0:
        words[RECORD_WORDS * back + NEXT] = after
    else:
        trie.states[STATE_WORDS * words[at + STATE] + HALVES] = after


@kernel
def new_record(records, previous, state, length, before, behind, payload):
    """Return a new record that hangs nowhere yet."""
    words, counts = records.words, records.counts
    record = counts[FREE_RECORD]
    if record >= 0:
        counts[FREE_RECORD] = words[RECORD_WORDS * record + NEXT]
    else:
        record = counts[RECORDS_END]
        counts[RECORDS_END] += 1
    at = RECORD_WORDS * record
    words[at + PREVIOUS], words[at + STATE], words[at + LENGTH] = previous, state, length
    words[at + BEFORE], words[at + BEHIND], words[at + PAYLOAD] = before, behind, payload
    if previous >= 0:
        words[RECORD_WORDS * previous + FOLLOWING] = record
    counts[RECORDS] += 1
    return record


@kernel
def count_openers(trie, records, record, by):
    """Count a subscription's blocks, but the last, at their first words' states; returns the first record."""
    words, starred = records.words, False
    while True:
        at = RECORD_WORDS * record
        opens = words[at + PREVIOUS] < 0 or words[at + BEFORE] & 1
        if opens and starred:
            trie.states[STATE_WORDS * words[at + STATE] + OPENERS] += by
        if words[at + PREVIOUS] < 0:
            return record
        starred = starred or words[at + BEFORE] & 1
        record = np.int64(words[at + PREVIOUS])


@kernel
def free_record(records, record):
    """Give back a record that hangs nowhere any more."""
    at = RECORD_WORDS * record
    records.words[at + NEXT], records.words[at + PAYLOAD] = records.counts[FREE_RECORD], -1
    records.counts[FREE_RECORD] = record
    records.counts[RECORDS] -= 1
