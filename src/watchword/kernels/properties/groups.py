"""Rows grouped by the properties that they want to be 1: the base of `auto`, and its matching.

Rows are sorted by their ones, as numbers whose highest bit is the last property. So rows that share their last ones lie
together, and a trie over ones, the last first, is ranges of rows. Over three properties the rows ``***`` cannot be, and
``0**`` ``*00`` ``1**`` ``10*`` ``**1`` ``1*1`` ``011``, as they lie, with `ones` and `zeros` as binary numbers::

    row       0    1    2    3    4    5    6
              0**  *00  1**  10*  **1  1*1  011          (property 0 is the first character, the last bit of a mask)
    ones      000  000  001  001  100  101  110
    zeros     001  110  000  010  000  000  001

    node   begin  exact  end    children                  if a node may have two rows without being divided
    0      0      2      7      {0: node 1, 2: node 2}    rows 0 and 1 want no 1
    1      2      2      4                                rows 2 and 3: too few to be divided, both are read
    2      4      5      7      {0: node 3, 1: node 4}    row 4 wants 2 only
    3      5      5      6
    4      6      6      7

The event ``101`` has the ones 0 and 2. It reads rows 0 and 1 and refuses both, for each wants a 0 where it has a 1;
goes to node 1, and finds rows 2 and 3; to node 2, and finds row 4; from there to node 3, and finds row 5. Node 4 wants
property 1, and is passed by.

Layout: node `n` has four words of `nodes`: begin, exact, end, first child. Rows from `begin` to `exact` want no more
than the path says, so only their zeros are looked at; those from `exact` to `end` lie below the children or, where
there are none, are read one by one. ``branches[n, word]`` has a bit for every child; children are consecutive nodes, in
the order of their bits. `ones` and `zeros` are `masks`, ``payloads[row]`` what a row hands back.

Invariant: the ranges of the children of a node are disjoint, in order, and cover its rows from `exact` on.

Cost: an event with few ones visits few nodes, and most rows that it reads match. Every row that is read asks only for
ones that the event has, but for undivided nodes; it is refused only if it asks for a 0 where the event has a 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, UInt64
from watchword.kernels.intrinsics import set_bits, trailing_zeros
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.properties.group_delta import match_delta
from watchword.kernels.tombstones import drop_dead

NODE_WORDS = 4
BEGIN, EXACT, END, CHILD = range(NODE_WORDS)
_ONE = np.uint64(1)


class Groups(NamedTuple):
    """Rows by their ones."""

    nodes: Int32
    branches: UInt64
    ones: UInt64
    zeros: UInt64
    payloads: Int32


@leaf
def _read_exact(groups, begin, end, bits, busy, payloads, fill):
    """Append the payloads of rows that want none of an event's ones to be 0; reads only the `busy` words of masks."""
    zeros = groups.zeros
    if len(busy) == 1:
        word = busy[0]
        for row in range(begin, end):
            payloads[fill] = groups.payloads[row]
            fill += (zeros[word, row] & bits[word]) == 0
        return fill
    for row in range(begin, end):
        met = np.uint64(0)
        for word in busy:
            met |= zeros[word, row] & bits[word]
        payloads[fill] = groups.payloads[row]
        fill += met == 0
    return fill


@leaf
def _read_all(groups, begin, end, bits, payloads, fill):
    """Append the payloads of rows that an event satisfies, by both masks."""
    ones, zeros = groups.ones, groups.zeros
    for row in range(begin, end):
        failed = np.uint64(0)
        for word in range(len(bits)):
            failed |= (ones[word, row] & ~bits[word]) | (zeros[word, row] & bits[word])
        payloads[fill] = groups.payloads[row]
        fill += failed == 0
    return fill


@leaf
def _push_children(groups, node, bits, stack, depth):
    """Push the children whose property is 1 in the event, the first on top; returns the new depth of the stack.

    The waiting nodes have different properties, so there is room for them.
    """
    child = np.int64(groups.nodes[NODE_WORDS * node + CHILD])
    wanted = 0
    for word in range(len(bits)):
        wanted += set_bits(groups.branches[node, word] & bits[word])
    at = depth + wanted
    for word in range(len(bits)):
        branches = groups.branches[node, word]
        left = branches & bits[word]
        while left != 0:
            below = (_ONE << np.uint64(trailing_zeros(left))) - _ONE
            at -= 1
            stack[at] = child + set_bits(branches & below)
            left &= left - _ONE
        child += set_bits(branches)
    return depth + wanted


@leaf
def _walk(groups, bits, busy, stack, payloads, fill):
    """Append the payloads of all rows that an event satisfies; returns the new fill, or -1, and the groups read."""
    nodes = groups.nodes
    visits, depth = 0, 1
    stack[0] = 0
    while depth > 0:
        depth -= 1
        node = np.int64(stack[depth])
        at = NODE_WORDS * node
        begin, exact, end = np.int64(nodes[at + BEGIN]), np.int64(nodes[at + EXACT]), np.int64(nodes[at + END])
        is_divided = nodes[at + CHILD] > 0
        visits += 1
        if fill + (exact if is_divided else end) - begin > len(payloads):
            return np.int64(-1), visits
        fill = _read_exact(groups, begin, exact, bits, busy, payloads, fill)
        if is_divided:
            depth = _push_children(groups, node, bits, stack, depth)
        else:
            fill = _read_all(groups, exact, end, bits, payloads, fill)
    return np.int64(fill), visits


@leaf
def _turned(bits, width, turned):
    """Write an event with 0 and 1 exchanged to `turned`; returns whether it has more ones than zeros."""
    ones = 0
    for word in range(len(bits)):
        ones += set_bits(bits[word])
        turned[word] = ~bits[word]
    if width & 63:
        turned[len(bits) - 1] &= (_ONE << np.uint64(width & 63)) - _ONE
    return 2 * ones > width


@leaf
def _busy_words(bits, busy):
    """Collect the words in which an event has a 1; returns their number."""
    count = 0
    for word in range(len(bits)):
        busy[count] = word
        count += bits[word] != 0
    return count


@kernel
def match(words, state, first, used, offsets, payloads):
    """Match events from `first` on; `index.hits.Step` has the rules. Operations: groups and rows of the delta read.

    The rows are stored twice, as they are and with 0 and 1 exchanged: an event of many ones has few zeros.
    """
    by_ones, by_zeros, delta, dead = state
    width = len(delta.heads) - 1
    busy = np.empty(words.shape[1] + 1, np.int64)
    stack = np.empty(width + 2, np.int32)
    turned = np.empty(words.shape[1], np.uint64)
    operations = 0
    for event in range(first, len(words)):
        bits = words[event]
        if _turned(bits, width, turned):
            fill, visits = _walk(by_zeros, turned, busy[: _busy_words(turned, busy)], stack, payloads, used)
        else:
            fill, visits = _walk(by_ones, bits, busy[: _busy_words(bits, busy)], stack, payloads, used)
        if fill >= 0:
            fill = drop_dead(dead, payloads, used, fill)
            fill, read = match_delta(delta, bits, payloads, fill)
            visits += read
        if fill < 0:
            return event, used, operations
        offsets[event + 1] = used = fill
        operations += visits
    return len(words), used, operations
