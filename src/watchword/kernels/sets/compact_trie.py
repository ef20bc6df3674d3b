"""The compact trie: path compression, and nodes that store only what they have.

Kourdounakis 2011, section 3.2.2, Table 3.3. A node is of class a, b or c after its payloads (none, one, several)
and of class I or II after its children (none, some); Ia cannot be. A *compact* node stands for a chain of nodes,
its label has several terms.

Layout: a node's number leads through `addresses` (int32) to its record in `words` (see `arena`), so that
the number stays when the record changes its type. A record is::

    header      label length << 3 | INTERNAL if class II | 0, 1, 2 for class a, b, c
    label       its terms
    payloads    a: nothing      b: the payload      c: first block, count
    children    I: nothing      II: count, XOR of their first terms, marks (see `child_table`)

so the number of payload words is the class itself. A block is a record too: next block, then K payloads, of which
only the first block may be partly filled. Children are found by (node, first term) in `keys` and `values`. The XOR
names the child of a node that has only one, which is merged into it once the node has no payload left. Free node
numbers are chained through `addresses`, as -2 - the next one.

Invariant: a node other than the root has a payload or at least two children; two children of a node never start
with the same term. Node 0 is the root: class IIa, with an empty label.

Cost: as the simple trie's, with one look-up per node instead of one per term.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.kernels.arena import WORDS_END, give_back, take
from watchword.kernels.child_table import child_limit, drop_child, find_child, new_table, put_child
from watchword.kernels.jit import kernel

IDS_END, FREE_ID, NODES, ROWS, LONGEST, BLOCK = range(2, 8)
INTERNAL = 4
_CHILD_WORDS = 3


class CompactArrays(NamedTuple):
    """The whole state; `state` holds the arena's figures and those named above."""

    keys: npt.NDArray[np.int64]
    values: npt.NDArray[np.int32]
    addresses: npt.NDArray[np.int32]
    words: npt.NDArray[np.int32]
    bins: npt.NDArray[np.int32]
    state: npt.NDArray[np.int64]


def new_compact_trie(block: int) -> CompactArrays:
    """Return a trie that has only its root."""
    words = np.array([INTERNAL, 0, 0, 0], np.int32)
    state = np.array([len(words), len(words), 1, -1, 0, 0, 0, block], np.int64)
    return CompactArrays(*new_table(), np.zeros(1, np.int32), words, np.full(block + 8, -1, np.int32), state)


@kernel
def slack(state):
    """Return how many words one change may need: four records with the longest label, and two blocks."""
    return 4 * (state[LONGEST] + 8) + 2 * (state[BLOCK] + 1)


@kernel
def _record_size(header):
    return 1 + (header >> 3) + (header & 3) + (_CHILD_WORDS if header & INTERNAL else 0)


@kernel
def payload_field(words, record):
    """Return the address of the payload words."""
    return record + 1 + (words[record] >> 3)


@kernel
def child_field(words, record):
    """Return the address of the child words: count, XOR, marks."""
    return payload_field(words, record) + (words[record] & 3)


@kernel
def _new_record(trie, node, header):
    """Give a node a new record, of which only the header is written."""
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
    """Move a node to a record of another type; fields that both types have are kept, new child words are 0."""
    words = trie.words
    old = np.int64(trie.addresses[node])
    header = words[old]
    length = header >> 3
    new = _new_record(trie, node, length << 3 | internal | payload_class)
    _copy(words, old + 1, new + 1, length)
    if payload_class == header & 3:
        _copy(words, payload_field(words, old), payload_field(words, new), payload_class)
    if internal:
        field = child_field(words, new)
        words[field : field + _CHILD_WORDS] = 0
        if header & INTERNAL:
            _copy(words, child_field(words, old), field, _CHILD_WORDS)
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
    """Take a payload out of the blocks, the last one fills its place; returns whether it was there."""
    words, size = trie.words, trie.state[BLOCK]
    head, count = np.int64(words[field]), np.int64(words[field + 1])
    fill = (count - 1) % size + 1
    block, inside, place = head, fill, np.int64(-1)
    while block >= 0 and place < 0:
        for i in range(block + 1, block + 1 + inside):
            if words[i] == payload:
                place = i
        block, inside = np.int64(words[block]), size
    if place < 0:
        return False
    words[place] = words[head + fill]
    words[field + 1] = count - 1
    if fill == 1:
        words[field] = words[head]
        give_back(words, trie.bins, trie.state, head, size + 1)
    return True


@kernel
def _pop(trie, node, payload):
    """Take a payload out of a node: c becomes b, b becomes a; returns whether it was there."""
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
def _adopt(trie, parent, term, child):
    """Enter a child that starts with `term`; I becomes II."""
    words = trie.words
    header = words[trie.addresses[parent]]
    if not header & INTERNAL:
        _retype(trie, parent, header & 3, INTERNAL)
    field = child_field(words, trie.addresses[parent])
    words[field] += 1
    words[field + 1] ^= term
    words[field + 2] |= np.int32(1) << (term & 31)
    put_child(trie.keys, trie.values, parent, term, child)


@kernel
def _add_leaf(trie, parent, terms, start, end, payload):
    """Put a node of type Ib below `parent`, with the rest of a row as its label."""
    node = _new_node(trie)
    length = end - start
    record = _new_record(trie, node, length << 3 | 1)
    for i in range(length):
        trie.words[record + 1 + i] = terms[start + i]
    trie.words[record + 1 + length] = payload
    _adopt(trie, parent, terms[start], node)


@kernel
def _split(trie, parent, child, length):
    """Put a new node between `parent` and `child` that takes the first `length` terms of the child's label."""
    words = trie.words
    old = np.int64(trie.addresses[child])
    header = words[old]
    middle = _new_node(trie)
    record = _new_record(trie, middle, length << 3 | INTERNAL)
    _copy(words, old + 1, record + 1, length)
    field = record + 1 + length
    words[field : field + _CHILD_WORDS] = 0
    rest = _new_record(trie, child, ((header >> 3) - length) << 3 | header & 7)
    _copy(words, old + 1 + length, rest + 1, _record_size(words[rest]) - 1)
    _free_record(trie, old)
    put_child(trie.keys, trie.values, parent, words[record + 1], middle)
    _adopt(trie, middle, words[rest + 1], child)
    return middle


@kernel
def _common(words, record, terms, start, end):
    """Return how many terms a label and the rest of a row have in common at their beginning."""
    length = min(np.int64(words[record] >> 3), end - start)
    same = 0
    while same < length and words[record + 1 + same] == terms[start + same]:
        same += 1
    return same


@kernel
def _insert(trie, terms, start, end, payload):
    """Add one row, splitting the label that it leaves half-way."""
    node = np.int64(0)
    while start < end:
        child = find_child(trie.keys, trie.values, node, terms[start])
        if child < 0:
            _add_leaf(trie, node, terms, start, end, payload)
            return
        record = trie.addresses[child]
        same = _common(trie.words, record, terms, start, end)
        if same < trie.words[record] >> 3:
            child = _split(trie, node, child, same)
        node = child
        start += same
    _push(trie, node, payload)


@kernel
def insert_rows(trie, offsets, terms, payloads, first):
    """Add rows from `first` on; returns the first row for which the room might not suffice."""
    state = trie.state
    limit = child_limit(len(trie.keys))
    room = len(trie.words) - slack(state)
    for row in range(first, len(payloads)):
        if state[WORDS_END] > room or state[IDS_END] + 2 > len(trie.addresses) or state[NODES] + 2 > limit:
            return row
        _insert(trie, terms, offsets[row], offsets[row + 1], payloads[row])
        state[ROWS] += 1
    return len(payloads)


@kernel
def _merge(trie, parent, node):
    """Merge a node that has one child and no payload into that child, which keeps its number."""
    words = trie.words
    record = np.int64(trie.addresses[node])
    length = words[record] >> 3
    term = words[child_field(words, record) + 1]
    child = find_child(trie.keys, trie.values, node, term)
    old = np.int64(trie.addresses[child])
    header = words[old]
    new = _new_record(trie, child, ((header >> 3) + length) << 3 | header & 7)
    _copy(words, record + 1, new + 1, length)
    _copy(words, old + 1, new + 1 + length, _record_size(header) - 1)
    drop_child(trie.keys, trie.values, node, term)
    put_child(trie.keys, trie.values, parent, words[new + 1], child)
    _free_record(trie, old)
    _free_node(trie, node)


@kernel
def _prune(trie, grandparent, parent, node):
    """Remove a leaf without payloads, and restore the invariant above it."""
    words = trie.words
    term = words[trie.addresses[node] + 1]
    drop_child(trie.keys, trie.values, parent, term)
    _free_node(trie, node)
    record = trie.addresses[parent]
    field = child_field(words, record)
    words[field] -= 1
    words[field + 1] ^= term
    if words[field] == 0:
        words[field + 2] = 0
        if parent != 0:
            _retype(trie, parent, words[record] & 3, 0)
    elif parent != 0 and words[field] == 1 and words[record] & 3 == 0:
        _merge(trie, grandparent, parent)


@kernel
def remove_row(trie, terms, payload):
    """Remove a row; returns whether it was there. The caller has seen to `slack` words of room."""
    words = trie.words
    grandparent, parent, node = np.int64(-1), np.int64(-1), np.int64(0)
    start, end = 0, len(terms)
    while start < end:
        child = find_child(trie.keys, trie.values, node, terms[start])
        if child < 0:
            return False
        record = trie.addresses[child]
        if _common(words, record, terms, start, end) < words[record] >> 3:
            return False
        grandparent, parent, node = parent, node, child
        start += words[record] >> 3
    if not _pop(trie, node, payload):
        return False
    trie.state[ROWS] -= 1
    record = trie.addresses[node]
    if words[record] & 7 == 0:
        _prune(trie, grandparent, parent, node)
    elif words[record] & 7 == INTERNAL and words[child_field(words, record)] == 1:
        _merge(trie, parent, node)
    return True
