"""Collects the positions (heads) of the blocks of an event's access keys. All are collected first and read later, so
that their cache misses overlap."""

from __future__ import annotations

import numpy as np

from watchword.kernels.child_table import find_child
from watchword.kernels.jit import leaf
from watchword.kernels.predicates.blocks import read_blocks
from watchword.kernels.predicates.layout import (
    BLOCK,
    FIELD,
    NONE,
    POINT_RANK,
    POINT_WORDS,
    POINTS,
    POINTS_AT,
    RANK,
    VALUES_AT,
)
from watchword.kernels.predicates.nodes import find_node

HEADS = 4096
"""The most heads collected before their blocks are read."""


@leaf
def base_heads(points, fields, positions, begin, end, s, heads, payloads, fill):
    """Collect the heads of an event's access keys; if `heads` is full, its blocks are read. Returns count and fill."""
    count = 0
    if s.always[0] >= 0:
        heads[0] = s.always[0]
        count = 1
    for k in range(len(points)):
        point = points[k]
        at = POINT_WORDS * np.int64(point)
        field, block = s.points[at + FIELD], s.points[at + BLOCK]
        if point >= len(s.point_blocks):
            continue
        if count == len(heads):
            fill = read_blocks(heads, count, positions, s, payloads, fill)
            count = 0
        heads[count] = block
        count += block >= 0
        if field + 1 < len(s.partner_offsets):
            first, last = s.partner_offsets[field], s.partner_offsets[field + 1]
            if count + last - first > len(heads):
                fill = read_blocks(heads, count, positions, s, payloads, fill)
                count = 0
            rank = s.points[at + POINT_RANK]
            for p in range(first, last):
                other, begins = s.marks[s.partners[3 * p], RANK], s.partners[3 * p + 1]
                if other >= 0 and begins >= 0:
                    block = s.grid[begins + rank * s.partners[3 * p + 2] + other]
                    heads[count] = block
                    count += block >= 0
                elif other != NONE:
                    count, fill = _pair_heads(p, point, points, positions, s, heads, count, payloads, fill)
        if fill < 0:
            return 0, fill
    if len(s.levels):
        for k in range(begin, end):
            if fields[k] < len(s.levels) and s.levels[fields[k]]:
                if count + 64 > len(heads) and fill >= 0:
                    fill = read_blocks(heads, count, positions, s, payloads, fill)
                    count = 0
                count = _node_heads(
                    fields[k], k, positions, s.marks, s.node_keys, s.node_blocks, s.levels, heads, count
                )
    return count, fill


@leaf
def _pair_heads(p, point, points, positions, s, heads, count, payloads, fill):
    """Collect the heads of a point paired with each point of a partner field, from the grid or the hash table."""
    partner, begins, width = s.partners[3 * p], s.partners[3 * p + 1], s.partners[3 * p + 2]
    start = s.marks[partner, POINTS_AT]
    for j in range(start, start + s.marks[partner, POINTS]):
        other = points[j]
        if other >= len(s.ranks):
            continue
        if count + 64 > len(heads):  # as many as a field has partners stay free
            fill = read_blocks(heads, count, positions, s, payloads, fill)
            count = 0
        if begins >= 0:
            block = np.int64(s.grid[begins + s.ranks[point] * width + s.ranks[other]])
        else:
            block = find_child(s.pair_keys, s.pair_blocks, point, other)
        heads[count] = block
        count += block >= 0
    return count, fill


@leaf
def _node_heads(field, k, positions, marks, keys, values, all_levels, heads, count):
    """Collect the heads of the nodes that contain the label at `k`, each once an event; at most 64."""
    levels = all_levels[field]
    level = np.int64(0)
    while levels:
        if levels & np.uint64(1):
            prefix = positions[k] >> level
            fresh = True
            for j in range(marks[field, VALUES_AT], k):
                fresh = fresh and positions[j] >> level != prefix
            head = find_node(keys, values, field, level, prefix) if fresh else np.int64(-1)
            heads[count] = head
            count += head >= 0
        levels >>= np.uint64(1)
        level += 1
    return count
