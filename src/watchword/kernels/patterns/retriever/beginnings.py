"""How REtriever's subscriptions begin: their words and gaps from the first on, in a trie (sections 3.2 and 3.3.2).

The paper gives each word of a subscription a record at its last state: the last word an accept record, any other a
half-accept record. To match, it goes back from record to record, for each accept record of a state anew. Here the
half-accept records of subscriptions that begin with the same words at the same distances are one, a *beginning*, and
accept records hang at the beginning that is their whole subscription. So what stands before a word is settled once for
all who ask for it, and of a state only those records are looked at whose beginnings were found.

Layout: a `share_trie` whose keys are by turns a gap, ``2 * questions + star``, and a state of the automaton of
words. A state of this trie behind a gap is a *wait*, for the words that may follow; one behind a word is a beginning.

    of a beginning      RECORDS, its list of accept records, -1 for none; EXACT and STARRED, its lists of waits without
                        and with a star, 0 for none
    of a wait           CHILDREN, how many words may follow, or if it never was more than one, its beginning, negated;
                        AFTER and BACK, its neighbours in the list, 0 for none

The initial state is the beginning without words; its waits stand for the characters that must precede a first word.
What may follow a beginning is asked word by word, so a state of the automaton of words says what it is good for:

    IDLE                of the beginning that consists of this word alone, with nothing before it: bit `pair_bit` is
                        clear for each pair of characters with which a word right behind may begin; 0 if something else
                        may follow or nothing needs to, -1 if there is no such beginning
    DUE, LATE           bit ``wait & 31`` is set for each wait for this word, in DUE for those of lists EXACT and in
                        LATE for the others; a clear bit saves a probe, one left over from a deleted wait costs one

Invariant: a beginning or a wait is there as long as a subscription goes through it. Cost: two look-ups per word.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel
from watchword.kernels.sequences.share_trie import ACCEPTS, KEY, PARENT, SECOND, SHARE, STATE_WORDS, THIRD, enter, leave

IDLE, DUE, LATE = ACCEPTS, SECOND, THIRD
RECORDS, EXACT, STARRED = ACCEPTS, SECOND, THIRD
CHILDREN, AFTER, BACK = ACCEPTS, SECOND, THIRD


@kernel
def _hang(ways, wait):
    """Put a new wait in front of its beginning's list."""
    states = ways.states
    at = STATE_WORDS * wait
    kind = STARRED if states[at + KEY] & 1 else EXACT
    head = STATE_WORDS * states[at + PARENT] + kind
    after = states[head]
    states[at + CHILDREN], states[at + AFTER], states[at + BACK] = 0, after, 0
    if after > 0:
        states[STATE_WORDS * after + BACK] = wait
    states[head] = wait


@kernel
def _unhang(ways, wait):
    """Take a wait out of its beginning's list."""
    states = ways.states
    at = STATE_WORDS * wait
    after, back = states[at + AFTER], states[at + BACK]
    if after > 0:
        states[STATE_WORDS * after + BACK] = back
    if back > 0:
        states[STATE_WORDS * back + AFTER] = after
    else:
        kind = STARRED if states[at + KEY] & 1 else EXACT
        states[STATE_WORDS * states[at + PARENT] + kind] = after


@kernel
def pair_bit(first, second):
    """Return the bit by which a state knows a pair of characters."""
    return (3 * first + 5 * second + (second >> 3)) & 31


@kernel
def expect(trie, ways, beginning, idle):
    """Clear those bits of IDLE that are clear in `idle`, if the beginning is a word alone."""
    wait = ways.states[STATE_WORDS * beginning + PARENT]
    if beginning > 0 and ways.states[STATE_WORDS * wait + PARENT] == 0 and ways.states[STATE_WORDS * wait + KEY] == 0:
        trie.states[STATE_WORDS * ways.states[STATE_WORDS * beginning + KEY] + IDLE] &= idle


@kernel
def extend(trie, ways, beginning, gap, state):
    """Return the beginning that is this one, a gap and the word of `state`, made if it is not there."""
    wait = enter(ways, beginning, np.int64(gap))
    if ways.states[STATE_WORDS * wait + SHARE] == 1:
        _hang(ways, wait)
    longer = enter(ways, wait, state)
    if ways.states[STATE_WORDS * longer + SHARE] == 1:
        others = ways.states[STATE_WORDS * wait + CHILDREN]
        ways.states[STATE_WORDS * wait + CHILDREN] = -longer if others == 0 else max(others, 1) + 1
        at = STATE_WORDS * state
        if (beginning == 0 and gap > 0) or gap & 1:
            trie.states[at + LATE] |= np.int32(1) << (wait & 31)
        elif beginning > 0:
            trie.states[at + DUE] |= np.int32(1) << (wait & 31)
    return longer


@kernel
def shorten(trie, ways, beginning):
    """Count a subscription less that goes through this beginning; delete what no other needs."""
    states, at = ways.states, STATE_WORDS * beginning
    while at > 0:
        wait = states[at + PARENT]
        above = STATE_WORDS * wait
        if states[at + SHARE] == 1:
            states[above + CHILDREN] = max(states[above + CHILDREN], 1) - 1
            if states[above + PARENT] == 0 and states[above + KEY] == 0:
                trie.states[STATE_WORDS * states[at + KEY] + IDLE] = -1
        if states[above + SHARE] == 1:
            _unhang(ways, wait)
        at = STATE_WORDS * states[above + PARENT]
    leave(ways, beginning)
