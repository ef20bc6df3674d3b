"""The Aho-Corasick automaton in flat arrays: made from sorted words, walked byte by byte.

A state is a *slot*; the initial one is slot 0. Children are found by displacement (a double array): the child of `s`
for byte `c` is the slot ``cells[2 * s] + c``, provided that it belongs to `s`.

    cells   int32, two per slot. First: where the slot's children lie, or, for a state without children, ``~f``: the
            state to go on from. Second: twice the parent's slot, plus one where a word ends in the state or in one of
            its suffixes; `FREE` where the slot is no state.
    fails   int32: the state of the longest proper suffix, among states with children
    words   int32: the word that ends in the state, or -1
    links   int32: the state of the longest proper suffix in which a word ends, or 0
    roots   int32, one per byte: the initial state's child, or 0

Invariant: the words that end at a place of the text are those of the state reached there and of the states on its
`links`. A byte costs one look at a cell, and one more for each fall along `fails`; falls are no more than bytes.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, kernel

FREE = -2
_TRIES = 64


@kernel
def grow_trie(blob, ends, order, parents, labels, depths, words):
    """Make the states of the trie of words, given in ascending order; returns their number.

    State 0 is the root; a state comes behind its parent, and behind the states of smaller words.
    """
    longest = np.int64(0)
    for word in range(len(ends)):
        longest = max(longest, ends[word] - (ends[word - 1] if word else 0))
    path = np.zeros(longest + 1, np.int32)
    parents[0], labels[0], depths[0], words[0] = -1, 0, 0, -1
    count = 1
    before = stop = np.int64(0)  # the word before this one
    for i in range(len(order)):
        word = order[i]
        start = ends[word - 1] if word else np.int64(0)
        size = ends[word] - start
        same = np.int64(0)
        while same < size and before + same < stop and blob[start + same] == blob[before + same]:
            same += 1
        for depth in range(same, size):
            parents[count] = path[depth]
            labels[count] = blob[start + depth]
            depths[count] = depth + 1
            words[count] = -1
            path[depth + 1] = count
            count += 1
        words[path[size]] = word
        before, stop = start, ends[word]
    return count


@kernel
def by_depth(depths, order, ranks):
    """Put states into order of depth, keeping their order within one: siblings are then side by side."""
    deepest = np.int64(0)
    for state in range(len(depths)):
        deepest = max(deepest, depths[state])
    starts = np.zeros(deepest + 2, np.int64)
    for state in range(len(depths)):
        starts[depths[state] + 1] += 1
    for depth in range(deepest + 1):
        starts[depth + 1] += starts[depth]
    for state in range(len(depths)):
        rank = starts[depths[state]]
        starts[depths[state]] += 1
        order[rank] = state
        ranks[state] = rank


@kernel
def place(order, ranks, parents, labels, cells, slots):
    """Give every state its slot; returns how many slots there are, or -1 if `cells` is too short.

    Free slots are linked, so that a state with one child takes the first of them. One with several tries a few, and
    else goes to the end.
    """
    capacity = len(cells) >> 1
    following = np.empty(capacity + 1, np.int32)
    previous = np.empty(capacity + 1, np.int32)
    for slot in range(capacity + 1):
        following[slot] = slot + 1
        previous[slot] = slot - 1
    cells[:] = FREE
    cells[1] = 0
    head = np.int64(256)
    top = np.int64(256)
    slots[0] = 0
    first = 1
    while first < len(order):
        parent = parents[order[first]]
        last = first + 1
        while last < len(order) and parents[order[last]] == parent:
            last += 1
        low, high = np.int64(labels[order[first]]), np.int64(labels[order[last - 1]])
        slot = head
        tries = 0
        found = False
        while tries < _TRIES and slot < top:
            found = slot - low + high < capacity
            for k in range(first + 1, last):
                if cells[2 * (slot - low + labels[order[k]]) + 1] != FREE:
                    found = False
                    break
            if found:
                break
            slot = np.int64(following[slot])
            tries += 1
        if not found:
            slot = top
        base = slot - low
        if base + 256 > capacity:
            return np.int64(-1)
        home = np.int64(slots[ranks[parent]])
        cells[2 * home] = base
        for k in range(first, last):
            slot = base + labels[order[k]]
            slots[k] = slot
            cells[2 * slot + 1] = 2 * home
            following[previous[slot]] = following[slot]
            previous[following[slot]] = previous[slot]
            if slot == head:
                head = np.int64(following[slot])
            top = max(top, slot + 1)
        first = last
    return top


@kernel
def connect(order, ranks, parents, labels, trie_words, slots, cells, fails, words, links, roots):
    """Fill in everything but the displacements, by growing depth; returns the most words that end at one place."""
    fails[:] = 0
    words[:] = -1
    links[:] = 0
    roots[:] = 0
    for k in range(1, len(order)):
        state = order[k]
        slot = slots[k]
        label = np.int64(labels[state])
        words[slot] = trie_words[state]
        home = slots[ranks[parents[state]]]
        if home == 0:
            roots[label] = slot
            continue
        suffix = np.int64(fails[home])
        fails[slot] = step(cells, fails, roots, suffix, label)
    counts = np.zeros(len(fails), np.int32)
    most = 0
    for k in range(1, len(order)):
        slot = slots[k]
        suffix = fails[slot]
        links[slot] = suffix if words[suffix] >= 0 else links[suffix]
        counts[slot] = counts[links[slot]] + (words[slot] >= 0)
        most = max(most, counts[slot])
        if counts[slot]:
            cells[2 * slot + 1] |= 1
    for k in range(1, len(order)):
        slot = slots[k]
        suffix = fails[slot]
        while suffix > 0 and cells[2 * suffix] < 0:
            suffix = fails[suffix]
        if cells[2 * slot] == FREE:
            cells[2 * slot] = ~suffix
        fails[slot] = suffix
    return most


@kernel
def find_words(data, cuts, cells, roots, words, numbers):
    """Set `numbers[i]` to the word that is string `i`, -1 if there is none; returns whether all are known."""
    known = True
    for i in range(len(cuts) - 1):
        state = np.int64(roots[data[cuts[i]]])
        at = cuts[i] + 1
        while at < cuts[i + 1] and state > 0:
            child = np.int64(cells[2 * state]) + data[at]
            state = child if cells[2 * state] >= 0 and cells[2 * child + 1] >> 1 == state else np.int64(0)
            at += 1
        numbers[i] = words[state] if state > 0 else -1
        known = known and numbers[i] >= 0
    return known


@inline
def step(cells, fails, roots, state, byte):
    """Return the state behind `state`, one with children or the initial one, and a byte."""
    while state != 0:
        child = np.int64(cells[2 * state]) + byte
        if cells[2 * child + 1] >> 1 == state:
            return child
        state = np.int64(fails[state])
    return np.int64(roots[byte])
