"""The Aho-Corasick automaton of words whose letters are numbers, such as the names of elements.

`automaton` has one for bytes, which are few, so that a state can have a row of moves. Labels may be hundreds of
thousands: here all children lie in one hash table, and what has no child falls back. Of the words 1 2 and 2 3, the
states are 0 (initial), 1 (label 1), 2 (1 2), 3 (label 2) and 4 (2 3)::

    child_table   (0, 1) → 1, (1, 2) → 2, (0, 2) → 3, (3, 3) → 4
    fails         [0, 0, 3, 0, 0]       behind 1 2 lies the suffix 2
    ends          [2, 4]                the state in which each word ends

    walk over 1 2 3:  0, 1, 2, then 3 has no child of 2, falls to 3, whose child is 4

A word ends in every state whose labels end with it: in the state that is reached, and along its fails. Labels are 1 or
more. The same word may come many times, and ends in one state; the empty word ends in the initial one.

Cost: making it is linear in the labels of all words; a step is a probe for each state that it falls through.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.child_table import child_limit, find_child, put_child
from watchword.kernels.jit import kernel, leaf


class LabelAutomaton(NamedTuple):
    """The arrays that are told above: the table of children, and for each state the one to fall back to."""

    keys: Int64
    values: Int32
    fails: Int32


class LabelTrie(NamedTuple):
    """A trie in the making: the table of children, and for each state its parent, label and depth."""

    keys: Int64
    values: Int32
    parents: Int32
    labels: Int32
    depths: Int32


@kernel
def enter_words(offsets, labels, trie, states, ends, done):
    """Enter words from `done` on, and write where each ends; returns the words done and the states there are now.

    It stops before a word for which `trie` might lack room.
    """
    keys, values = trie.keys, trie.values
    room = min(child_limit(len(keys)), len(trie.parents))
    for word in range(done, len(ends)):
        if states + offsets[word + 1] - offsets[word] > room:
            return word, states
        state = np.int64(0)
        for at in range(offsets[word], offsets[word + 1]):
            label = np.int64(labels[at])
            child = find_child(keys, values, state, label)
            if child < 0:
                child = states
                states += 1
                put_child(keys, values, state, label, child)
                trie.parents[child], trie.labels[child], trie.depths[child] = state, label, trie.depths[state] + 1
            state = child
        ends[word] = state
    return len(ends), states


@kernel
def connect_suffixes(trie, order, fails):
    """Fill in the state of each state's longest proper suffix; `order` has the states by depth."""
    fails[0] = 0
    for rank in range(1, len(order)):
        state = order[rank]
        parent = trie.parents[state]
        fails[state] = step(trie.keys, trie.values, fails, fails[parent], trie.labels[state]) if parent else 0


@leaf
def step(keys, values, fails, state, label):
    """Return the state reached by a label, which is 0 where no word has it here."""
    state, label = np.int64(state), np.int64(label)
    while True:
        child = find_child(keys, values, state, label)
        if child >= 0:
            return child
        if state == 0:
            return np.int64(0)
        state = np.int64(fails[state])
