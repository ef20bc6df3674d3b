"""REtriever's accept records: which subscription is whole with which beginning (section 3.2, Tables 1 and 3).

With ``song?blue`` under the payload 0 and ``pie*tea??`` under 1, whose beginnings are the states 4 and 7 of the trie of
beginnings (drawn there)::

    words   4 0 0 -1 -1 | 7 4 1 -1 -1      record 0 is beginning 4 and nothing behind; record 1 asks for two characters
    last    0 1                            the record of payload 0, and of payload 1

Layout: record `r` is the five words of `records.words` from ``5 * r`` on:

    BEGINNING             its words and gaps (`beginnings`), where the half-accept records are
    BEHIND                the gap behind the last word, ``2 * questions``
    PAYLOAD               -1 for a free record
    AFTER, BACK           the neighbours in the beginning's list, or -1

Free records are chained through `AFTER`. ``records.last[p]`` is the record of payload `p`, or -1: the paper's table of
subscriptions. `counts` also has how many words all subscriptions consist of: the paper's records of both kinds.

Invariant: the list of a beginning has exactly the subscriptions that are this beginning and a gap behind it. Cost: a
few steps per record.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, reserve
from watchword.kernels.jit import kernel
from watchword.kernels.patterns.retriever.beginnings import RECORDS
from watchword.kernels.sequences.share_trie import STATE_WORDS

RECORDS_END, FREE_RECORD, ROWS, WORDS = range(4)
RECORD_WORDS = 5
BEGINNING, BEHIND, PAYLOAD, AFTER, BACK = range(RECORD_WORDS)


class Records(NamedTuple):
    """The records of all subscriptions; `counts` holds the figures named above."""

    words: Int32
    last: Int32
    counts: Int64


def new_records() -> Records:
    """Return no records."""
    nothing = np.empty(0, np.int32)
    return Records(nothing, nothing, np.array([0, -1, 0, 0], np.int64))


def with_room(records: Records) -> Records:
    """Return the records with room for one more."""
    return records._replace(words=reserve(records.words, RECORD_WORDS * (int(records.counts[RECORDS_END]) + 1)))


def trimmed(records: Records) -> Records:
    """Return the records without spare room; they share memory with these."""
    words = records.words[: RECORD_WORDS * records.counts[RECORDS_END]]
    last = records.last[: int(np.flatnonzero(records.last >= 0).max(initial=-1)) + 1]
    return records._replace(words=words, last=last)


@kernel
def has_record_room(records):
    """Say whether one more record fits."""
    return RECORD_WORDS * (records.counts[RECORDS_END] + 1) <= len(records.words)


@kernel
def add_record(beginnings, records, beginning, behind, payload):
    """Put a new record in front of its beginning's list."""
    words, counts = records.words, records.counts
    record = counts[FREE_RECORD]
    if record >= 0:
        counts[FREE_RECORD] = words[RECORD_WORDS * record + AFTER]
    else:
        record = counts[RECORDS_END]
        counts[RECORDS_END] += 1
    head = STATE_WORDS * beginning + RECORDS
    after, at = beginnings.states[head], RECORD_WORDS * record
    words[at + BEGINNING], words[at + BEHIND], words[at + PAYLOAD] = beginning, behind, payload
    words[at + AFTER], words[at + BACK] = after, -1
    if after >= 0:
        words[RECORD_WORDS * after + BACK] = record
    beginnings.states[head] = record
    records.last[payload] = record
    counts[ROWS] += 1


@kernel
def drop_record(beginnings, records, record):
    """Take a record out of its beginning's list, and give it back."""
    words, counts, at = records.words, records.counts, RECORD_WORDS * record
    after, back = words[at + AFTER], words[at + BACK]
    if after >= 0:
        words[RECORD_WORDS * after + BACK] = back
    if back >= 0:
        words[RECORD_WORDS * back + AFTER] = after
    else:
        beginnings.states[STATE_WORDS * words[at + BEGINNING] + RECORDS] = after
    records.last[words[at + PAYLOAD]] = -1
    words[at + AFTER], words[at + PAYLOAD] = counts[FREE_RECORD], -1
    counts[FREE_RECORD] = record
    counts[ROWS] -= 1
