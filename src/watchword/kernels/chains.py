"""A chain of REtriever's records made a subscription, and undone: its accept record, its openers, its glance.

Layout, and what a glance is: see `kernels.records`. Invariant: between `close_chain` and `open_chain` the chain is a
ring from the first word to the last and on to the first, its payload is in the table of subscriptions, and its glance
is in the list of its accept state. Cost: a few steps per record.
"""

from __future__ import annotations

from watchword.kernels.jit import kernel
from watchword.kernels.records import (
    AFTER,
    BACK,
    BEFORE,
    FOLLOWING,
    FREE_GLANCE,
    GLANCE_WORDS,
    GLANCES_END,
    HINT,
    NEXT,
    OWNER,
    PAYLOAD,
    PREVIOUS,
    QUESTIONS,
    RECORD_WORDS,
    ROWS,
    STATE,
    count_openers,
)
from watchword.kernels.share_trie import ACCEPTS, KEY, STATE_WORDS


@kernel
def _hint(trie, words, accept, first):
    """Return what a glance at an accept record should compare."""
    at = RECORD_WORDS * accept
    if words[at + BEFORE] & 1:
        return -2 - words[RECORD_WORDS * first + STATE]
    if first == accept:
        return -1
    state = words[RECORD_WORDS * words[at + PREVIOUS] + STATE]
    return trie.states[STATE_WORDS * state + KEY]


@kernel
def close_chain(trie, records, accept):
    """Make a chain of records a subscription: join its ends, count its openers, hang its accept record."""
    words, glances, counts = records.words, records.glances, records.counts
    first = count_openers(trie, records, accept, 1)
    glance = counts[FREE_GLANCE]
    if glance >= 0:
        counts[FREE_GLANCE] = glances[GLANCE_WORDS * glance + AFTER]
    else:
        glance = counts[GLANCES_END]
        counts[GLANCES_END] += 1
    at = RECORD_WORDS * accept
    words[at + FOLLOWING], words[at + NEXT], words[at + BACK] = first, glance, -1
    place = STATE_WORDS * words[at + STATE] + ACCEPTS
    after = trie.states[place]
    if after >= 0:
        words[RECORD_WORDS * glances[GLANCE_WORDS * after + OWNER] + BACK] = accept
    trie.states[place] = glance
    glances[GLANCE_WORDS * glance + AFTER], glances[GLANCE_WORDS * glance + OWNER] = after, accept
    glances[GLANCE_WORDS * glance + QUESTIONS] = words[at + BEFORE] >> 1
    glances[GLANCE_WORDS * glance + HINT] = _hint(trie, words, accept, first)
    records.last[words[at + PAYLOAD]] = accept
    counts[ROWS] += 1


@kernel
def open_chain(trie, records, accept):
    """Undo `close_chain`; the records themselves stay."""
    words, glances, counts = records.words, records.glances, records.counts
    count_openers(trie, records, accept, -1)
    at = RECORD_WORDS * accept
    glance, back = words[at + NEXT], words[at + BACK]
    after = glances[GLANCE_WORDS * glance + AFTER]
    if after >= 0:
        words[RECORD_WORDS * glances[GLANCE_WORDS * after + OWNER] + BACK] = back
    if back >= 0:
        glances[GLANCE_WORDS * words[RECORD_WORDS * back + NEXT] + AFTER] = after
    else:
        trie.states[STATE_WORDS * words[at + STATE] + ACCEPTS] = after
    glances[GLANCE_WORDS * glance + AFTER] = counts[FREE_GLANCE]
    counts[FREE_GLANCE] = glance
    records.last[words[at + PAYLOAD]] = -1
    counts[ROWS] -= 1
