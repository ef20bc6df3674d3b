"""Matches an event against the linked lists of the delta; `layout` describes them."""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import leaf
from watchword.kernels.predicates.blocks import lies
from watchword.kernels.predicates.layout import LAZY, VALUES_AT
from watchword.kernels.predicates.nodes import find_node


@leaf
def match_delta(points, fields, positions, begin, end, s, payloads, fill):
    """Match one event with the delta; returns the new fill, or -1 if there is no room."""
    fill = _read_list(s.new_always[0], positions, s, payloads, fill)
    for k in range(len(points)):
        point = points[k]
        if point >= len(s.point_heads) or s.point_heads[point] < 0:
            continue
        if fill >= 0:
            fill = _read_list(s.point_heads[point], positions, s, payloads, fill)
    for k in range(begin, end):
        if fill >= 0 and fields[k] < len(s.new_levels) and s.new_levels[fields[k]]:
            fill = _read_node_lists(fields[k], k, positions, s, payloads, fill)
    return fill


@leaf
def _read_node_lists(field, k, positions, s, payloads, fill):
    """Match the lists of the nodes that contain the label at `k`, each once an event; returns the new fill or -1."""
    levels = s.new_levels[field]
    level = np.int64(0)
    while levels and fill >= 0:
        if levels & np.uint64(1):
            prefix = positions[k] >> level
            fresh = True
            for j in range(s.marks[field, VALUES_AT], k):
                fresh = fresh and positions[j] >> level != prefix
            if fresh:
                head = find_node(s.new_node_keys, s.new_node_heads, field, level, prefix)
                fill = _read_list(head, positions, s, payloads, fill)
        levels >>= np.uint64(1)
        level += 1
    return fill


@leaf
def _read_list(record, positions, s, payloads, fill):
    """Append the payloads of matching records of a list; returns the new fill, or -1 if there is no room."""
    pool = s.pool
    record = np.int64(record)
    while record >= 0:
        payload = pool[record + 1]
        if payload >= 0:
            holds = True
            for k in range(record + 3, record + 3 + pool[record + 2]):
                atom = pool[k] >> 1
                held = np.int64(s.hold[s.places[atom]])
                if held == LAZY:
                    held = lies(atom, positions, s.kinds, s.spans, s.marks)
                if held == pool[k] & 1:
                    holds = False
                    break
            if holds:
                if fill == len(payloads):
                    return np.int64(-1)
                payloads[fill] = payload
                fill += 1
        record = np.int64(pool[record])
    return np.int64(fill)
