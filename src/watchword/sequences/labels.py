"""Making the automaton of words whose letters are numbers; `kernels.sequences.labels` has the layout.

>>> made = label_automaton(np.array([0, 2, 4]), np.array([1, 2, 2, 3], np.int32))  # the words 1 2 and 2 3
>>> made.automaton.fails.tolist(), made.ends.tolist()
([0, 0, 3, 0, 0], [2, 4])
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, resized
from watchword.kernels.child_table import new_table, roomy_table
from watchword.kernels.sequences import labels as kernels
from watchword.kernels.sequences.automaton import by_depth
from watchword.kernels.sequences.labels import LabelAutomaton, LabelTrie


class MadeAutomaton(NamedTuple):
    """The automaton, the state in which each word ends, and the states by depth: shorter suffixes come first."""

    automaton: LabelAutomaton
    ends: Int32
    order: Int32


def label_automaton(offsets: Int64, labels: Int32) -> MadeAutomaton:
    """Return the automaton of the words ``labels[offsets[i]:offsets[i + 1]]``, which may repeat and be empty."""
    trie, ends = _trie(offsets, labels)
    states = len(trie.parents)
    order, ranks, fails = (np.empty(states, np.int32) for _ in range(3))
    by_depth(trie.depths, order, ranks)
    kernels.connect_suffixes(trie, order, fails)
    return MadeAutomaton(LabelAutomaton(trie.keys, trie.values, fails), ends, order)


def _trie(offsets: Int64, labels: Int32) -> tuple[LabelTrie, Int32]:
    """Return the trie, its states as they were first needed, and the state in which each word ends."""
    ends = np.zeros(len(offsets) - 1, np.int32)
    trie = LabelTrie(*new_table(), *(np.zeros(16, np.int32) for _ in range(3)))
    done, states = 0, 1
    while True:
        done, states = kernels.enter_words(offsets, labels, trie, states, ends, done)
        if done == len(ends):
            parents, by, depths = (array[:states].copy() for array in trie[2:])
            return LabelTrie(trie.keys, trie.values, parents, by, depths), ends
        room = 2 * states + int(offsets[done + 1] - offsets[done])
        grown = (resized(array, room) for array in trie[2:])
        trie = LabelTrie(*roomy_table(trie.keys, trie.values, room), *grown)
