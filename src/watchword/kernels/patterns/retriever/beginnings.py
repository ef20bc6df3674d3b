"""How REtriever's subscriptions begin: their words and gaps from the first on, in a trie (sections 3.2 and 3.3.2).

The paper gives each word of a subscription a record at its last state: the last word an accept record, any other a
half-accept record. To match, it goes back from record to record, for each accept record of a state anew. Here the
half-accept records of subscriptions that begin with the same words at the same distances are one, a *beginning*, and
accept records hang at the beginning that is their whole subscription. So what stands before a word is settled once for
all who ask for it, and of a state only those records are looked at whose beginnings were found. Records of each
subscription, as published, are in `word_records`: there every accept record of a word is walked back anew, however many
subscriptions begin alike.

The subscriptions ``song?blue``, ``pie*tea`` and ``pie*cake``, as a trie. Its keys are by turns a gap,
``2 * questions + star``, and the last state of a word in the automaton of words (song is 4, blue 8, pie 11)::

    0                            the beginning without words
      1 gap 0                    a wait: which word may come first?
        2 song                   a beginning
          3 gap 2 (?)            a wait: which word may follow, one character behind?
            4 blue               a beginning, with the accept record of song?blue
        5 pie
          6 gap 1 (*)            waits for two words
            7 tea                with the accept record of pie*tea
            8 cake               with that of pie*cake

Layout: a `share_trie`. A state of this trie behind a gap is a *wait*, for the words that may follow; one behind a word
is a beginning. Their three words for the owner:

    of a beginning      RECORDS, its list of accept records, -1 for none; EXACT and STARRED, its lists of waits without
                        and with a star, 0 for none
    of a wait           CHILDREN, how many words may follow, or if it never was more than one, its beginning, negated;
                        AFTER and BACK, its neighbours in the list, 0 for none

The initial state is the beginning without words; its waits stand for the characters that must precede a first word.
What may follow a beginning is asked word by word, so a state of the automaton of words says what it is good for:

    IDLE                of the beginning that consists of this word alone, with nothing before it: bit `pair_bit` is
                        clear for each pair of characters with which a word right behind may begin; 0 if something else
                        may follow or nothing needs to, -1 if there is no such beginning
    EXACT_MARKS,        bit ``wait & 31`` is set for each wait for this word, in EXACT_MARKS for those of lists EXACT
    OPEN_MARKS          and in OPEN_MARKS for the others; a clear bit saves a probe, one left over from a deleted wait
                        costs one

Invariant: a beginning or a wait is there as long as a subscription goes through it. Cost: two look-ups per word.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel, leaf
from watchword.kernels.sequences.share_trie import ACCEPTS, KEY, PARENT, SECOND, SHARE, STATE_WORDS, THIRD, enter, leave

IDLE, EXACT_MARKS, OPEN_MARKS = ACCEPTS, SECOND, THIRD
RECORDS, EXACT, STARRED = ACCEPTS, SECOND, THIRD
CHILDREN, AFTER, BACK = ACCEPTS, SECOND, THIRD


@kernel
def _hang(beginnings, wait):
    """Put a new wait in front of its beginning's list."""
    states = beginnings.states
    at = STATE_WORDS * wait
    kind = STARRED if states[at + KEY] & 1 else EXACT
    head = STATE_WORDS * states[at + PARENT] + kind
    after = states[head]
    states[at + CHILDREN], states[at + AFTER], states[at + BACK] = 0, after, 0
    if after > 0:
        states[STATE_WORDS * after + BACK] = wait
    states[head] = wait


@kernel
def _unhang(beginnings, wait):
    """Take a wait out of its beginning's list."""
    states = beginnings.states
    at = STATE_WORDS * wait
    after, back = states[at + AFTER], states[at + BACK]
    if after > 0:
        states[STATE_WORDS * after + BACK] = back
    if back > 0:
        states[STATE_WORDS * back + AFTER] = after
    else:
        kind = STARRED if states[at + KEY] & 1 else EXACT
        states[STATE_WORDS * states[at + PARENT] + kind] = after


@leaf
def pair_bit(first, second):
    """Return the bit by which a state knows a pair of characters."""
    return (3 * first + 5 * second + (second >> 3)) & 31


@kernel
def expect(trie, beginnings, beginning, idle):
    """Clear those bits of IDLE that are clear in `idle`, if the beginning is a word alone."""
    states = beginnings.states
    wait = states[STATE_WORDS * beginning + PARENT]
    if beginning > 0 and states[STATE_WORDS * wait + PARENT] == 0 and states[STATE_WORDS * wait + KEY] == 0:
        trie.states[STATE_WORDS * states[STATE_WORDS * beginning + KEY] + IDLE] &= idle


@kernel
def extend(trie, beginnings, beginning, gap, state):
    """Return the beginning that is this one, a gap and the word of `state`, made if it is not there."""
    wait = enter(beginnings, beginning, np.int64(gap))
    states = beginnings.states
    if states[STATE_WORDS * wait + SHARE] == 1:
        _hang(beginnings, wait)
    longer = enter(beginnings, wait, state)
    if states[STATE_WORDS * longer + SHARE] == 1:
        others = states[STATE_WORDS * wait + CHILDREN]
        states[STATE_WORDS * wait + CHILDREN] = -longer if others == 0 else max(others, 1) + 1
        at = STATE_WORDS * state
        if (beginning == 0 and gap > 0) or gap & 1:
            trie.states[at + OPEN_MARKS] |= np.int32(1) << (wait & 31)
        elif beginning > 0:
            trie.states[at + EXACT_MARKS] |= np.int32(1) << (wait & 31)
    return longer


@kernel
def shorten(trie, beginnings, beginning):
    """Count a subscription less that goes through this beginning; delete what no other needs."""
    states, at = beginnings.states, STATE_WORDS * beginning
    while at > 0:
        wait = states[at + PARENT]
        above = STATE_WORDS * wait
        if states[at + SHARE] == 1:
            states[above + CHILDREN] = max(states[above + CHILDREN], 1) - 1
            if states[above + PARENT] == 0 and states[above + KEY] == 0:
                trie.states[STATE_WORDS * states[at + KEY] + IDLE] = -1
        if states[above + SHARE] == 1:
            _unhang(beginnings, wait)
        at = STATE_WORDS * states[above + PARENT]
    leave(beginnings, beginning)
