"""Reading the compact trie of `compact_trie`: matching, renumbering, counting.

Matching is Algorithm 6 over labels instead of atoms (Kourdounakis 2011, sections 2.3.2 and 3.2.2), and the walk is that
of the simple trie (`trie_walk`). A child is entered when its whole label is in the item. Rows and items come in one
order, so the atoms of a label stand in the item in the same order, and the children of a node are looked for after the
last atom of its label. In the trie of Table 2.1, the item {2, 3, 7, 13} enters the node 2, and from there the compact
node 3 13: 3 stands at position 1, 13 at position 3, and anything below would be looked for from position 4 on, where
the item ends. The item {2, 3} finds the same node by its first atom, lacks 13, and enters it not.

Cost: a look-up per node whose first atom is in the item, and one in the item's table of positions (`positions`) for
every further atom of its label.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.child_table import EMPTY
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.sets.positions import Item, fill_slots, new_slots, position_of
from watchword.kernels.sets.tries.compact_trie import BLOCK, IDS_END, INTERNAL, LONGEST, family_field, payload_field
from watchword.kernels.sets.tries.trie_walk import new_stack, next_child, push_node


@leaf
def _report(trie, record, used, payloads):
    """Write the payloads of a node from `used` on; returns the new fill, or -1 if they do not fit."""
    words, size = trie.words, trie.state[BLOCK]
    field = payload_field(words, record)
    if words[record] & 3 == 0:
        return used
    if words[record] & 3 == 1:
        if used == len(payloads):
            return np.int64(-1)
        payloads[used] = words[field]
        return used + 1
    block, count = words[field], words[field + 1]
    if used + count > len(payloads):
        return np.int64(-1)
    inside = (count - 1) % size + 1
    while block >= 0:
        for i in range(block + 1, block + 1 + inside):
            payloads[used] = words[i]
            used += 1
        block, inside = words[block], size
    return used


@leaf
def _after_label(words, record, item, position):
    """Return the position after a label whose first atom is at `position`; -1 if the item lacks an atom."""
    for i in range(record + 2, record + 1 + (words[record] >> 3)):
        position = position_of(item, words[i])
        if position < 0:
            return np.int64(-1)
    return position + 1


@leaf
def _match_item(trie, item, stack, used, payloads):
    """Write the payloads of one item from `used` on; returns the new fill, or -1, and the nodes entered."""
    words = trie.words
    push_node(stack, 0, 0, family_field(words, trie.addresses[0]), item.start)
    depth, visits = 0, 0
    while True:
        node, position, depth = next_child(trie.keys, trie.values, words, item, stack, depth)
        if node < 0:
            return used, visits
        record = trie.addresses[node]
        behind = _after_label(words, record, item, position)
        if behind < 0:
            continue
        visits += 1
        used = _report(trie, record, used, payloads)
        if used < 0:
            return used, visits
        if words[record] & INTERNAL and behind < item.end:
            depth += 1
            push_node(stack, depth, node, family_field(words, record), behind)


@kernel
def match(item_offsets, item_atoms, trie, first, used, offsets, payloads):
    """Match items from `first` on; `index.hits.Step` has the rules. Operations: nodes entered."""
    stack = new_stack(trie.state[LONGEST])
    slots = new_slots(item_offsets)
    operations = 0
    for number in range(first, len(item_offsets) - 1):
        start, end = item_offsets[number], item_offsets[number + 1]
        item = Item(item_atoms, start, end, slots, fill_slots(slots, item_atoms, start, end))
        fill, visits = _match_item(trie, item, stack, used, payloads)
        if fill < 0:
            return number, used, operations
        operations += visits
        offsets[number + 1] = used = fill
    return len(item_offsets) - 1, used, operations


@kernel
def node_payloads(trie, node, payloads):
    """Write the payloads of one node; returns their number, or -1 if they do not fit."""
    return _report(trie, trie.addresses[node], np.int64(0), payloads)


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
    """Count nodes and label atoms by type; sum up the paths.

    Returns counts and label atoms, both by [compact or not][header bits], and over all leaves the sum of the
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


@kernel
def label_atoms(trie):
    """Count, for each atom, the nodes that have it in their label."""
    words, last = trie.words, -1
    for node in range(1, trie.state[IDS_END]):
        record = trie.addresses[node]
        if record >= 0:
            for i in range(record + 1, payload_field(words, record)):
                last = max(last, words[i])
    counts = np.zeros(last + 1, np.int64)
    for node in range(1, trie.state[IDS_END]):
        record = trie.addresses[node]
        if record >= 0:
            for i in range(record + 1, payload_field(words, record)):
                counts[words[i]] += 1
    return counts
