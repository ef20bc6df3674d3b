"""Reading the compact trie of `compact_trie`: matching, renumbering, counting.

Matching is Algorithm 6 over labels instead of terms (Kourdounakis 2011, sections 2.3.2 and 3.2.2): a child is
entered when its whole label is in the item. Rows and items come in one order, so the terms of a label stand in
the item behind each other, and the children of a node are sought behind the last term of its label. Where a
term stands tells a hash table of the item (`positions`).
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.child_table import EMPTY, find_child, next_child
from watchword.kernels.jit import kernel
from watchword.kernels.sets.compact_trie import BLOCK, IDS_END, INTERNAL, LONGEST, child_field, payload_field
from watchword.kernels.sets.positions import fill_slots, new_slots, position


@kernel
def _report(trie, record, used, found):
    """Write the payloads of a node behind `used`; returns the new fill, or -1 if they do not fit."""
    words, size = trie.words, trie.state[BLOCK]
    field = payload_field(words, record)
    if words[record] & 3 == 0:
        return used
    if words[record] & 3 == 1:
        if used == len(found):
            return np.int64(-1)
        found[used] = words[field]
        return used + 1
    block, count = words[field], words[field + 1]
    if used + count > len(found):
        return np.int64(-1)
    inside = (count - 1) % size + 1
    while block >= 0:
        for i in range(block + 1, block + 1 + inside):
            found[used] = words[i]
            used += 1
        block, inside = words[block], size
    return used


@kernel
def _after_label(words, record, slots, mask, terms, start, place):
    """Return the place in the item behind a label whose first term is at `place`; -1 if a term is missing."""
    for i in range(record + 2, record + 1 + (words[record] >> 3)):
        place = position(slots, mask, terms, start, words[i])
        if place < 0:
            return np.int64(-1)
    return place + 1


@kernel
def _next_child(trie, node, place, start, end, terms, slots, mask):
    """Return the first child of an inner node that starts with a term from `place` on, and where; -1 if none."""
    field = child_field(trie.words, trie.addresses[node])
    if trie.words[field] == 1:
        at = position(slots, mask, terms, start, trie.words[field + 1])
        if at < place:
            return np.int64(-1), end
        return find_child(trie.keys, trie.values, node, terms[at]), np.int64(at)
    marks = trie.words[field + 2]
    return next_child(trie.keys, trie.values, marks, node, place, end, terms)


@kernel
def _match_item(trie, terms, start, end, slots, stack, used, found):
    """Write the payloads of one item behind `used`; returns the new fill, or -1, and the nodes entered.

    `stack` holds, for each node between the root and the current one, the node and where in the item to go on.
    """
    mask = fill_slots(slots, terms, start, end)
    node, place, depth, visits = np.int64(0), start, 0, 0
    while True:
        child, at = _next_child(trie, node, place, start, end, terms, slots, mask)
        if child < 0:
            if depth == 0:
                return used, visits
            depth -= 1
            node, place = stack[depth, 0], stack[depth, 1]
            continue
        place = at + 1
        record = trie.addresses[child]
        behind = _after_label(trie.words, record, slots, mask, terms, start, at)
        if behind < 0:
            continue
        visits += 1
        used = _report(trie, record, used, found)
        if used < 0:
            return used, visits
        if trie.words[record] & INTERNAL and behind < end:
            stack[depth, 0], stack[depth, 1] = node, place
            depth += 1
            node, place = child, behind


@kernel
def match_items(trie, offsets, terms, first, used, ends, found):
    """Match items from `first` on, as `watchword.sets.structure.Step` asks."""
    stack = np.empty((trie.state[LONGEST] + 1, 2), np.int64)
    slots = new_slots(offsets)
    operations = 0
    for item in range(first, len(offsets) - 1):
        fill, visits = _match_item(trie, terms, offsets[item], offsets[item + 1], slots, stack, used, found)
        if fill < 0:
            return item, used, operations
        operations += visits
        ends[item] = used = fill
    return len(offsets) - 1, used, operations


@kernel
def node_payloads(trie, node, found):
    """Write the payloads of one node; returns how many, or -1 if they do not fit."""
    return _report(trie, trie.addresses[node], np.int64(0), found)


@kernel
def renumber(trie, numbers):
    """Replace every payload ``p < len(numbers)`` by ``numbers[p]``."""
    words, size = trie.words, trie.state[BLOCK]
    for node in range(trie.state[IDS_END]):
        record = trie.addresses[node]
        if record < 0 or words[record] & 3 == 0:
            continue
        field = np.int64(payload_field(words, record))
        if words[record] & 3 == 1:
            if words[field] < len(numbers):
                words[field] = numbers[words[field]]
            continue
        block, inside = np.int64(words[field]), np.int64((words[field + 1] - 1) % size + 1)
        while block >= 0:
            for i in range(block + 1, block + 1 + inside):
                if words[i] < len(numbers):
                    words[i] = numbers[words[i]]
            block, inside = np.int64(words[block]), size


@kernel
def census(trie):
    """Count nodes and label terms by type; sum up the paths.

    Returns counts and label terms, both by [compact or not][header bits], and over all leaves the sum of the
    nodes on their path, with the leaf and the root. The root is in none of the counts.
    """
    words = trie.words
    counts, sizes = np.zeros((2, 8), np.int64), np.zeros((2, 8), np.int64)
    parents = np.zeros(trie.state[IDS_END], np.int32)
    for slot in range(len(trie.keys)):
        if trie.keys[slot] != EMPTY:
            parents[trie.values[slot]] = trie.keys[slot] >> 32
    path_nodes = 0
    for node in range(1, trie.state[IDS_END]):
        record = trie.addresses[node]
        if record < 0:
            continue
        kind, length = words[record] & 7, words[record] >> 3
        counts[int(length > 1), kind] += 1
        sizes[int(length > 1), kind] += length
        if not kind & INTERNAL:
            above = np.int64(node)
            while above != 0:
                path_nodes += 1
                above = np.int64(parents[above])
            path_nodes += 1
    return counts, sizes, path_nodes
