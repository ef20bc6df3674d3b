"""The compact trie: path compression, and nodes that store only what they have.

Kourdounakis 2011, section 3.2.2, Table 3.3. A node is of class a, b or c after its payloads (none, one, several) and of
class I or II after its children (none, some); Ia cannot be. A *compact* node stands for a chain of nodes, its label has
several atoms. The rows of Table 2.1 make nine nodes, one of them compact, where the simple trie has ten; before each
label stands the number of its node, behind it the node's record in `words`:

                              header       label  payloads  count  XOR  marks
    0                  IIa     0<<3|4                             2    3  1 2       the root, without a label
    2  1               IIa     1<<3|4          1                  3   22  2 12 24
    4      2           IIa     1<<3|4          2                  2    7  3 4
    5          3       Ib      1<<3|1          3       3                            S3
    1          4       Ib      1<<3|1          4       1                            S1
    6     12           Ib      1<<3|1         12       4                            S4
    3     24           Ib      1<<3|1         24       2                            S2
    8  2               IIa     1<<3|4          2                  2    7  3 4
    9      3 13        Ib      2<<3|1       3 13       6                            S6, a compact node
    7      4           Ib      1<<3|1          4       5                            S5

Layout: a node's number leads through `addresses` (int32) to its record in `words` (see `arena`), so that the number
stays when the record changes its type. A record is::

    header      label length << 3 | INTERNAL if class II | 0, 1, 2 for class a, b, c
    label       its atoms
    payloads    a: nothing      b: the payload      c: first block, count
    children    I: nothing      II: count, XOR and marks of the children's first atoms: the family of `trie_walk`

so the number of payload words is the class itself. A block is a record too: next block, then K payloads; only the first
block may be partly filled. Children are found by (node, first atom) in `keys` and `values` (`child_table`).
The XOR also names the child of a node that has only one, which is merged into it once the node has no payload left.
Free node numbers are chained through `addresses`, as -2 - the next one.

Invariant: a node other than the root has a payload or at least two children; two children of a node never start with
the same atom. Node 0 is the root: class IIa, with an empty label.

Cost: as the simple trie's, with one look-up per node instead of one per atom. It takes about half the memory, for most
rows have an end that they share with no other, and there a label takes one word an atom. Adding splits labels and
removing merges them, each by writing one or two new records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.arena import WORDS_END, give_back, take
from watchword.kernels.child_table import child_limit, drop_child, find_child, new_table, put_child
from watchword.kernels.jit import kernel
from watchword.kernels.sets.tries.trie_walk import COUNT, FAMILY_WORDS, XOR, add_to_family, take_from_family

IDS_END, FREE_ID, NODES, ROWS, LONGEST, BLOCK = range(2, 8)
INTERNAL = 4


class CompactArrays(NamedTuple):
    """The whole trie; `state` holds the arena's figures and those named above."""

    keys: Int64
    values: Int32
    addresses: Int32
    words: Int32
    bins: Int32
    state: Int64


def new_compact_trie(block: int) -> CompactArrays:
    """Return a trie that has only its root."""
    words = np.array([INTERNAL, 0, 0, 0], np.int32)
    state = np.array([len(words), len(words), 1, -1, 0, 0, 0, block], np.int64)
    return CompactArrays(*new_table(), np.zeros(1, np.int32), words, np.full(block + 8, -1, np.int32), state)


@kernel
def slack(state):
    """Return the most words that one change needs: four records with the longest label, and two blocks."""
    return 4 * (state[LONGEST] + 8) + 2 * (state[BLOCK] + 1)


@kernel
def _record_size(header):
    return 1 + (header >> 3) + (header & 3) + (FAMILY_WORDS if header & INTERNAL else 0)


@kernel
def payload_field(words, record):
    """Return the address of the payload words."""
    return record + 1 + (words[record] >> 3)


@kernel
def family_field(words, record):
    """Return the address of the family: count, XOR and marks of the children."""
    return payload_field(words, record) + (words[record] & 3)


@kernel
def _new_record(trie, node, header):
    """Give a node a new record, with only its header written."""
    record = take(trie.words, trie.bins, trie.state, _record_size(header))
    trie.words[record] = header
    trie.addresses[node] = record
    return record


@kernel
def _free_record(trie, record):
    give_back(trie.words, trie.bins, trie.state, record, _record_size(trie.words[record]))


@kernel
def _new_node(trie):
    """Return a node number."""
    state = trie.state
    node = state[FREE_ID]
    if node >= 0:
        state[FREE_ID] = -2 - trie.addresses[node]
    else:
        node = state[IDS_END]
        state[IDS_END] += 1
    state[NODES] += 1
    return node


@kernel
def _free_node(trie, node):
    _free_record(trie, trie.addresses[node])
    trie.addresses[node] = -2 - trie.state[FREE_ID]
    trie.state[FREE_ID] = node
    trie.state[NODES] -= 1


@kernel
def _copy(words, source, target, count):
    for i in range(count):
        words[target + i] = words[source + i]


@kernel
def _retype(trie, node, payload_class, internal):
    """Move a node to a record of another type; fields that both types have are kept, a new family is empty."""
    words = trie.words
    old = np.int64(trie.addresses[node])
    header = words[old]
    length = header >> 3
    new = _new_record(trie, node, length << 3 | internal | payload_class)
    _copy(words, old + 1, new + 1, length)
    if payload_class == header & 3:
        _copy(words, payload_field(words, old), payload_field(words, new), payload_class)
    if internal:
        field = family_field(words, new)
        words[field : field + FAMILY_WORDS] = 0
        if header & INTERNAL:
            _copy(words, family_field(words, old), field, FAMILY_WORDS)
    _free_record(trie, old)


@kernel
def _push_block(trie, field, payload):
    """Add a payload to the blocks of a class c node, whose payload words stand at `field`."""
    words, size = trie.words, trie.state[BLOCK]
    fill = words[field + 1] % size
    if fill == 0:
        block = take(words, trie.bins, trie.state, size + 1)
        words[block] = words[field]
        words[field] = block
    words[words[field] + 1 + fill] = payload
    words[field + 1] += 1


@kernel
def _push(trie, node, payload):
    """Add a payload to a node: a becomes b, b becomes c."""
    words = trie.words
    record = trie.addresses[node]
    header = words[record]
    if header & 3 == 0:
        _retype(trie, node, 1, header & INTERNAL)
        words[payload_field(words, trie.addresses[node])] = payload
        return
    if header & 3 == 1:
        first = words[payload_field(words, record)]
        _retype(trie, node, 2, header & INTERNAL)
        field = payload_field(words, trie.addresses[node])
        words[field] = -1
        words[field + 1] = 0
        _push_block(trie, field, first)
    _push_block(trie, payload_field(words, trie.addresses[node]), payload)


@kernel
def _pop_block(trie, field, payload):
    """Remove a payload from the blocks, and fill its place with the last one; returns whether it was there."""
    words, size = trie.words, trie.state[BLOCK]
    head, count = np.int64(words[field]), np.int64(words[field + 1])
    fill = (count - 1) % size + 1
    block, inside, hole = head, fill, np.int64(-1)
    while block >= 0 and hole < 0:
        for i in range(block + 1, block + 1 + inside):
            if words[i] == payload:
                hole = i
        block, inside = np.int64(words[block]), size
    if hole < 0:
        return False
    words[hole] = words[head + fill]
    words[field + 1] = count - 1
    if fill == 1:
        words[field] = words[head]
        give_back(words, trie.bins, trie.state, head, size + 1)
    return True


@kernel
def _pop(trie, node, payload):
    """Remove a payload from a node: c becomes b, b becomes a; returns whether it was there."""
    words = trie.words
    record = trie.addresses[node]
    header = words[record]
    field = payload_field(words, record)
    if header & 3 == 0:
        return False
    if header & 3 == 1:
        if words[field] != payload:
            return False
        _retype(trie, node, 0, header & INTERNAL)
        return True
    if not _pop_block(trie, field, payload):
        return False
    if words[field + 1] == 1:
        block = words[field]
        last = words[block + 1]
        give_back(words, trie.bins, trie.state, block, trie.state[BLOCK] + 1)
        _retype(trie, node, 1, header & INTERNAL)
        words[payload_field(words, trie.addresses[node])] = last
    return True


@kernel
def _adopt(trie, parent, atom, child):
    """Add a child whose label starts with `atom`; I becomes II."""
    words = trie.words
    header = words[trie.addresses[parent]]
    if not header & INTERNAL:
        _retype(trie, parent, header & 3, INTERNAL)
    field = family_field(words, trie.addresses[parent])
    add_to_family(words, field, atom)
    put_child(trie.keys, trie.values, parent, atom, child)


@kernel
def _add_leaf(trie, parent, atoms, start, end, payload):
    """Put a node of type Ib below `parent`, with the rest of a row as its label."""
    node = _new_node(trie)
    length = end - start
    record = _new_record(trie, node, length << 3 | 1)
    for i in range(length):
        trie.words[record + 1 + i] = atoms[start + i]
    trie.words[record + 1 + length] = payload
    _adopt(trie, parent, atoms[start], node)


@kernel
def _split(trie, parent, child, length):
    """Put a new node between `parent` and `child` that takes the first `length` atoms of the child's label."""
    words = trie.words
    old = np.int64(trie.addresses[child])
    header = words[old]
    middle = _new_node(trie)
    record = _new_record(trie, middle, length << 3 | INTERNAL)
    _copy(words, old + 1, record + 1, length)
    field = record + 1 + length
    words[field : field + FAMILY_WORDS] = 0
    rest = _new_record(trie, child, ((header >> 3) - length) << 3 | header & 7)
    _copy(words, old + 1 + length, rest + 1, _record_size(words[rest]) - 1)
    _free_record(trie, old)
    put_child(trie.keys, trie.values, parent, words[record + 1], middle)
    _adopt(trie, middle, words[rest + 1], child)
    return middle


@kernel
def _common(words, record, atoms, start, end):
    """Return the length of the common prefix of a label and the rest of a row."""
    length = min(np.int64(words[record] >> 3), end - start)
    same = 0
    while same < length and words[record + 1 + same] == atoms[start + same]:
        same += 1
    return same


@kernel
def _insert(trie, atoms, start, end, payload):
    """Add one row, splitting the label from which it departs."""
    node = np.int64(0)
    while start < end:
        child = find_child(trie.keys, trie.values, node, atoms[start])
        if child < 0:
            _add_leaf(trie, node, atoms, start, end, payload)
            return
        record = trie.addresses[child]
        same = _common(trie.words, record, atoms, start, end)
        if same < trie.words[record] >> 3:
            child = _split(trie, node, child, same)
        node = child
        start += same
    _push(trie, node, payload)


@kernel
def insert_rows(trie, row_offsets, row_atoms, payloads, first):
    """Add rows from `first` on; returns the first row for which the room might not suffice."""
    state = trie.state
    limit = child_limit(len(trie.keys))
    room = len(trie.words) - slack(state)
    for row in range(first, len(payloads)):
        if state[WORDS_END] > room or state[IDS_END] + 2 > len(trie.addresses) or state[NODES] + 2 > limit:
            return row
        _insert(trie, row_atoms, row_offsets[row], row_offsets[row + 1], payloads[row])
        state[ROWS] += 1
    return len(payloads)


@kernel
def _merge(trie, parent, node):
    """Merge a node that has one child and no payload into that child, which keeps its number."""
    words = trie.words
    record = np.int64(trie.addresses[node])
    length = words[record] >> 3
    atom = words[family_field(words, record) + XOR]
    child = find_child(trie.keys, trie.values, node, atom)
    old = np.int64(trie.addresses[child])
    header = words[old]
    new = _new_record(trie, child, ((header >> 3) + length) << 3 | header & 7)
    _copy(words, record + 1, new + 1, length)
    _copy(words, old + 1, new + 1 + length, _record_size(header) - 1)
    drop_child(trie.keys, trie.values, node, atom)
    put_child(trie.keys, trie.values, parent, words[new + 1], child)
    _free_record(trie, old)
    _free_node(trie, node)


@kernel
def _prune(trie, grandparent, parent, node):
    """Remove a leaf without payloads, and restore the invariant above it."""
    words = trie.words
    atom = words[trie.addresses[node] + 1]
    drop_child(trie.keys, trie.values, parent, atom)
    _free_node(trie, node)
    record = trie.addresses[parent]
    left = take_from_family(words, family_field(words, record), atom)
    if parent == 0:
        return
    if left == 0:
        _retype(trie, parent, words[record] & 3, 0)
    elif left == 1 and words[record] & 3 == 0:
        _merge(trie, grandparent, parent)


@kernel
def remove_row(trie, atoms, payload):
    """Remove a row; returns whether it was there. There must be room for `slack` words."""
    words = trie.words
    grandparent, parent, node = np.int64(-1), np.int64(-1), np.int64(0)
    start, end = 0, len(atoms)
    while start < end:
        child = find_child(trie.keys, trie.values, node, atoms[start])
        if child < 0:
            return False
        record = trie.addresses[child]
        if _common(words, record, atoms, start, end) < words[record] >> 3:
            return False
        grandparent, parent, node = parent, node, child
        start += words[record] >> 3
    if not _pop(trie, node, payload):
        return False
    trie.state[ROWS] -= 1
    record = trie.addresses[node]
    if words[record] & 7 == 0:
        _prune(trie, grandparent, parent, node)
    elif words[record] & 7 == INTERNAL and words[family_field(words, record) + COUNT] == 1:
        _merge(trie, parent, node)
    return True
