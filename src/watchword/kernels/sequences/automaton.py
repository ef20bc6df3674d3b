"""The Aho-Corasick automaton in flat arrays: made from sorted words, walked byte by byte.

Of the words "he", "she" and "hers", known as 70, 71 and 72, the states 0 to 5 are the initial one, h, s, he, sh and
her; she and hers, which have no children, are 11 and 12. A walk over "ushers" reaches 11 at position 4 and 12 at
position 6:

    endings[11] = 71, 3     she ends there, and what ends in state 3
    endings[3]  = 70, 0     he, and nothing else
    endings[12] = 72, 0     hers

States are numbered. Those near the initial state, number 0, are *dense*: numbers below ``limits[DENSE]``, each with a
row of moves for every class of bytes, so that a byte costs one look. The others are *sparse*: a number is
``limits[DENSE]`` plus a slot of a double array, in which children are found by displacement, and a byte that has no
child falls back to the state of a shorter suffix.

    classes  uint8, one per byte value: bytes that stand in no word share class 0
    moves    int32, for each dense state and class two: the state reached if a word ends there, else -1; and the state
             to go on from, which is the one reached, or, where that has no children, that of its longest suffix that
             has some
    cells    int32, four per slot: where the children of the slot lie (child of class `c`: that slot plus `c`); twice
             the parent's number, plus one where a word ends, `FREE` where the slot is no state; the state to fall back
             to; the state to go on from
    endings  int32, two per state: the word that ends in it, by any number that is not negative, or -1; and the state of
             the longest proper suffix in which a word ends, or 0
    limits   int64: the most words that end at one position, the dense states, the classes of bytes

A word "ends" in a state also where it ends in one of its suffixes. Invariant: the words that end at a position of the
text are those of the state reached there and of the states along its endings.

Cost: a byte takes one look in a dense state; falls are no more than bytes. All states dense would be faster still, but
a row of moves is 8 bytes for each class, which for a million words is more than a gigabyte; all sparse would cost a
fall for most bytes of a text that has few of the words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, UInt8
from watchword.kernels.jit import kernel, leaf

FREE = -2
MOST_ENDINGS, DENSE, WIDTH = range(3)
_TRIES = 64


class Automaton(NamedTuple):
    """The arrays that are told above."""

    classes: UInt8
    moves: Int32
    cells: Int32
    endings: Int32
    limits: Int64


class RankedTrie(NamedTuple):
    """The states of the trie by rank, which is the order of depth: what the automaton is made from.

    The children of rank `r` are the ranks from ``children[r]`` up to ``children[r + 1]``; a label is the byte that
    leads to a state, or, once bytes have classes, its class; a word is the number of the one that a state spells, or
    -1.
    """

    children: Int64
    parents: Int32
    labels: UInt8
    words: Int32


@kernel
def grow_trie(data, offsets, order, parents, labels, depths, words):
    """Make the states of the trie of words, which `order` puts in the order of their bytes; returns their number.

    State 0 is the root; a state comes behind its parent, and behind the states of smaller words.
    """
    longest = np.int64(0)
    for word in range(len(offsets) - 1):
        longest = max(longest, offsets[word + 1] - offsets[word])
    path = np.zeros(longest + 1, np.int32)
    parents[0], labels[0], depths[0], words[0] = -1, 0, 0, -1
    count = 1
    before = stop = np.int64(0)  # the word before this one
    for i in range(len(order)):
        word = order[i]
        start = offsets[word]
        size = offsets[word + 1] - start
        same = np.int64(0)
        while same < size and before + same < stop and data[start + same] == data[before + same]:
            same += 1
        for depth in range(same, size):
            parents[count] = path[depth]
            labels[count] = data[start + depth]
            depths[count] = depth + 1
            words[count] = -1
            path[depth + 1] = count
            count += 1
        words[path[size]] = word
        before, stop = start, offsets[word + 1]
    return count


@kernel
def by_depth(depths, order, ranks):
    """Put states into order of depth, keeping their order within one: siblings are then side by side.

    ``order[rank]`` is a state, ``ranks[state]`` its rank.
    """
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
def relabel(order, ranks, parents, labels, words, trie):
    """Fill the trie by rank: parents, labels, words, and where each state's children begin."""
    children, trie_parents = trie.children, trie.parents
    children[:] = 0
    for rank in range(len(order)):
        state = order[rank]
        trie.words[rank] = words[state]
        trie.labels[rank] = labels[state]
        trie_parents[rank] = ranks[parents[state]] if rank else -1
        if rank:
            children[trie_parents[rank] + 1] += 1
    children[0] = 1
    for rank in range(len(order)):
        children[rank + 1] += children[rank]


@kernel
def place(trie, dense, width, cells, numbers):
    """Give every state its number; returns how many slots are used, or -1 if `cells` is too short.

    `dense` says of each rank whether it is. Free slots are linked: children of a dense state, and only children, take
    the first of them. Of several children some slots are tried, and else they go to the end.
    """
    children, labels = trie.children, trie.labels
    capacity = len(cells) >> 2
    following = np.arange(1, capacity + 2).astype(np.int32)
    previous = np.arange(-1, capacity).astype(np.int32)
    cells[:] = FREE
    rows = np.int64(0)
    for rank in range(len(labels)):
        if dense[rank]:
            numbers[rank] = rows
            rows += 1
    head = top = np.int64(width)
    for rank in range(len(labels)):
        first, last = children[rank], children[rank + 1]
        if first == last:
            continue
        base = np.int64(0)
        if not dense[rank]:
            base = _displacement(labels, first, last, cells, following, head, top)
            if base + width > capacity:
                return np.int64(-1)
            cells[4 * (numbers[rank] - rows)] = base
        for k in range(first, last):
            if dense[k]:
                continue
            slot = head if dense[rank] else base + labels[k]
            if slot + width > capacity:
                return np.int64(-1)
            numbers[k] = rows + slot
            cells[4 * slot + 1] = 2 * numbers[rank]
            following[previous[slot]] = following[slot]
            previous[following[slot]] = previous[slot]
            if slot == head:
                head = np.int64(following[slot])
            top = max(top, slot + 1)
    return top


@kernel
def _displacement(labels, first, last, cells, following, head, top):
    low = np.int64(labels[first])
    slot = head
    for _ in range(_TRIES):
        if slot >= top:
            break
        found = True
        for k in range(first + 1, last):
            if cells[4 * (slot - low + labels[k]) + 1] != FREE:
                found = False
                break
        if found:
            return slot - low
        slot = np.int64(following[slot])
    return top - low


@kernel
def connect(trie, dense, numbers, rows, width, moves, cells, endings):
    """Fill in everything but displacements, by growing depth; returns the most words that end at one position.

    While it works, `suffix` is the rank of a state's longest proper suffix, and `go` the number to go on from.
    """
    children, parents, labels, words = trie.children, trie.parents, trie.labels, trie.words
    count = len(labels)
    suffix = np.zeros(count, np.int32)
    go = np.zeros(count, np.int32)
    many = np.zeros(count, np.int32)
    link = np.zeros(count, np.int32)
    most = 0
    for rank in range(1, count):
        if parents[rank] > 0:
            suffix[rank] = _child(children, labels, suffix, suffix[parents[rank]], labels[rank])
        other = suffix[rank]
        go[rank] = numbers[rank] if children[rank] < children[rank + 1] else go[other]
        link[rank] = other if words[other] >= 0 else link[other]
        many[rank] = many[link[rank]] + (words[rank] >= 0)
        most = max(most, many[rank])
    for rank in range(count):
        number = np.int64(numbers[rank])
        endings[2 * number] = words[rank]
        endings[2 * number + 1] = numbers[link[rank]]
        if not dense[rank]:
            slot = number - rows
            cells[4 * slot + 1] += many[rank] > 0
            cells[4 * slot + 2] = go[suffix[rank]]
            cells[4 * slot + 3] = go[rank]
            continue
        row = 2 * width * number
        if rank:  # where there is no child, as from the suffix to go on from, which is dense and done
            other = 2 * width * np.int64(go[suffix[rank]])
            for k in range(2 * width):
                moves[row + k] = moves[other + k]
        else:
            for k in range(width):
                moves[2 * k] = -1
                moves[2 * k + 1] = 0
        for child in range(children[rank], children[rank + 1]):
            moves[row + 2 * labels[child]] = numbers[child] if many[child] else -1
            moves[row + 2 * labels[child] + 1] = go[child]
    return most


@kernel
def _child(children, labels, suffix, rank, label):
    """Return the rank behind `rank`, or behind the longest of its suffixes that has such a child, or 0."""
    while True:
        low, high = children[rank], children[rank + 1]
        while low < high:
            middle = (low + high) >> 1
            if labels[middle] < label:
                low = middle + 1
            else:
                high = middle
        if low < children[rank + 1] and labels[low] == label:
            return low
        if rank == 0:
            return np.int64(0)
        rank = suffix[rank]


@leaf
def step(moves, cells, dense, width, state, kind):
    """Return the state reached by a byte of class `kind` if a word ends there, else -1, and the one to go on from."""
    while state >= dense:
        slot = 4 * (state - dense)
        child = 4 * (np.int64(cells[slot]) + kind)
        if cells[child + 1] >> 1 == state:
            reached = dense + (child >> 2) if cells[child + 1] & 1 else np.int64(-1)
            return reached, np.int64(cells[child + 3])
        state = np.int64(cells[slot + 2])
    move = 2 * (state * width + kind)
    return np.int64(moves[move]), np.int64(moves[move + 1])


@leaf
def walk(data, begin, stop, automaton, states, positions):
    """Walk over the text ``data[begin:stop]``: write the states in which words end, and the positions of these ends.

    Returns how many they are, and the text's length in characters. The step through dense states is written out: a call
    for each byte would take longer than the step.
    """
    classes, moves, cells = automaton.classes, automaton.moves, automaton.cells
    dense, width = automaton.limits[DENSE], automaton.limits[WIDTH]
    state = position = fill = np.int64(0)
    for at in range(begin, stop):
        kind = np.int64(classes[data[at]])
        if state < dense:
            move = 2 * (state * width + kind)
            reached, state = np.int64(moves[move]), np.int64(moves[move + 1])
        else:
            reached, state = step(moves, cells, dense, width, state, kind)
        position += (data[at] & 0xC0) != 0x80
        states[fill] = reached
        positions[fill] = position
        fill += reached >= 0
    return fill, position
