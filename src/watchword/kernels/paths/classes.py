"""Classes of subscriptions that the same nodes of a guide satisfy: looked at once, and copied as one.

Most subscriptions are satisfied together with others, by the very same elements: of 46,916 that 2,738 nodes satisfy
there are 3,952 classes. A document that was given a class needs none of its members again. With the payloads of four
nodes::

    node  payloads           node  classes        class  members
    0                        0                    0      1
    1     1 7 4              1     0 1            1      4 7
    2     7 4                2     1              2      9
    3     9 1                3     2 0

Layout: node `n` has the classes ``lists[nodes[n]:nodes[n + 1]]``, class `c` the payloads
``members[starts[c]:starts[c + 1]]``. Nodes that were learned since have none.

How they are found: all payloads begin in one class, and each node parts every class that it has some members of but not
all (partition refinement). ``members[places[p]]`` is payload `p`, ``owners[p]`` its class, and the members that a node
was seen to have are swapped to the front of their class. The cost is that of a few look-ups for each payload of each
node, so the guide makes them when copying singly has cost as much.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, offsets_of
from watchword.kernels.jit import leaf


class Classes(NamedTuple):
    """The arrays that are told above."""

    nodes: Int64
    lists: Int32
    starts: Int64
    members: Int32


NO_CLASSES = Classes(np.zeros(1, np.int64), np.empty(0, np.int32), np.zeros(1, np.int64), np.empty(0, np.int32))


class _Parting(NamedTuple):
    """The classes while they are parted: class `c` is ``members[firsts[c]:ends[c]]``, of which ``seen[c]`` are at hand;
    ``touched`` is room for the classes of one node."""

    members: Int32
    places: Int32
    owners: Int32
    firsts: Int32
    ends: Int32
    seen: Int32
    touched: Int32


def classes_of(spans: Int64, payloads: Int32, limit: int) -> Classes:
    """Return the classes of the payloads of nodes: ``payloads[spans[2 * n]:spans[2 * n + 1]]``, all below `limit`."""
    owners: Int32 = np.full(limit, -1, np.int32)
    members, places = np.empty(limit, np.int32), np.empty(limit, np.int32)
    count = int(_gather(payloads, members, places, owners))
    parting = _Parting(members, places, owners, *(np.zeros(count + 1, np.int32) for _ in range(4)))
    parting.ends[0] = count
    number = int(_part(spans, payloads, parting)) if count else 0
    firsts = np.sort(parting.firsts[:number]).astype(np.int64)
    numbers = np.empty(number, np.int32)
    numbers[np.argsort(parting.firsts[:number])] = np.arange(number, dtype=np.int32)
    parting.seen[:] = -1
    sizes = np.zeros(len(spans) // 2, np.int64)
    _list_classes(spans, payloads, parting, numbers, sizes, np.empty(0, np.int32))
    nodes: Any = offsets_of(sizes)
    lists = np.empty(int(nodes[-1]), np.int32)
    parting.seen[:] = -1
    _list_classes(spans, payloads, parting, numbers, sizes, lists)
    return Classes(nodes, lists, np.append(firsts, count), members[:count].copy())


def classes_bytes(classes: Classes) -> int:
    """Return the bytes in use."""
    return sum(array.nbytes for array in classes)


@leaf
def _gather(payloads, members, places, owners):
    """Put all payloads into class 0; returns how many they are."""
    count = 0
    for k in range(len(payloads)):
        payload = payloads[k]
        if owners[payload] < 0:
            owners[payload] = 0
            members[count], places[payload] = payload, count
            count += 1
    return count


@leaf
def _part(spans, payloads, parting):
    """Part classes until no node has some members of one and not all; returns how many there are."""
    members, places, owners, firsts, ends, seen, touched = parting
    number = 1
    for node in range(len(spans) // 2):
        waiting = 0
        for k in range(spans[2 * node], spans[2 * node + 1]):
            payload = payloads[k]
            owner = owners[payload]
            if seen[owner] == 0:
                touched[waiting] = owner
                waiting += 1
            front, place = firsts[owner] + seen[owner], places[payload]
            other = members[front]
            members[front], members[place] = payload, other
            places[payload], places[other] = front, place
            seen[owner] += 1
        for k in range(waiting):
            owner = touched[k]
            middle = firsts[owner] + seen[owner]
            seen[owner] = 0
            if middle < ends[owner]:
                firsts[number], ends[number] = firsts[owner], middle
                for place in range(firsts[owner], middle):
                    owners[members[place]] = number
                firsts[owner] = middle
                number += 1
    return number


@leaf
def _list_classes(spans, payloads, parting, numbers, sizes, lists):
    """Write how many classes each node has, and, where there is room for them, which."""
    owners, seen = parting.owners, parting.seen
    fill = 0
    for node in range(len(spans) // 2):
        begin = fill
        for k in range(spans[2 * node], spans[2 * node + 1]):
            owner = owners[payloads[k]]
            if seen[owner] != node:
                seen[owner] = node
                if len(lists) > 0:
                    lists[fill] = numbers[owner]
                fill += 1
        sizes[node] = fill - begin
