"""A judge for paths: plain Python over steps and moves, which shares no code with the package.

A walk is first told as trees: each element is its labels and the chain of its ancestors. `occurrences` then asks of
each element whether a path ends there, by the meaning of the steps.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

END = -(1 << 31)


def chains(moves: Sequence[int]) -> Iterator[tuple[int, int, list[set[int]]]]:
    """Yield for each element its document, its number from 1, and the labels of each element on the way down to it."""
    document, number, path = 0, 0, list[set[int]]()
    waiting = False  # an element whose conditions may follow
    for move in moves:
        if move < 0 and move != END:
            path[-1].add(move)
            continue
        if waiting:
            yield document, number, [set(labels) for labels in path]
            waiting = False
        if move == END:
            path.pop()
            if not path:
                document, number = document + 1, 0
        else:
            number += 1
            path.append({0, move})
            waiting = True


def ends_at(steps: Sequence[int], chain: Sequence[set[int]]) -> bool:
    """Say whether a path ends in the last element of a chain."""
    reached = {0}  # how many elements of the chain may lie behind the steps so far
    for step in steps:
        label, descendant = step >> 1, step & 1
        depths = range(1, len(chain) + 1)
        reached = {
            depth
            for depth in depths
            if label in chain[depth - 1]
            and (any(before < depth for before in reached) if descendant else depth - 1 in reached)
        }
    return len(chain) in reached


def occurrences(steps: Sequence[int], moves: Sequence[int]) -> list[tuple[int, int]]:
    """Return document and element of each occurrence of a path."""
    return [(document, number) for document, number, chain in chains(moves) if ends_at(steps, chain)]


def limited(found: list[tuple[int, int]], limit: int) -> list[tuple[int, int]]:
    """Return the first `limit` occurrences of each document."""
    kept: list[tuple[int, int]] = []
    for document, number in found:
        if sum(other == document for other, _ in kept) < limit:
            kept.append((document, number))
    return kept


def random_path(draw: random.Random, labels: int, *, longest: int = 6, loose: float = 0.4) -> list[int]:
    """Return the steps of a path; `loose` is how often a step is `*`, and how often it is a descendant."""
    steps = []
    for _ in range(draw.randint(1, longest)):
        kind = draw.random()
        label = 0 if kind < loose else -draw.randint(1, 2) if kind > 0.93 else draw.randint(1, labels)
        steps.append(label << 1 | (draw.random() < loose))
    return steps


def random_document(draw: random.Random, labels: int, *, elements: int, deep: float = 0.5) -> list[int]:
    """Return the moves of a document; `deep` is how readily it goes down. Label 0 is a name that no path has."""
    moves = [*_opening(draw, labels)]
    depth = 1
    for _ in range(draw.randint(0, elements)):
        while depth > 1 and draw.random() > deep:
            moves.append(END)
            depth -= 1
        moves += _opening(draw, labels)
        depth += 1
    return moves + [END] * depth


def _opening(draw: random.Random, labels: int) -> list[int]:
    conditions = [-number for number in (1, 2, 3) if draw.random() < 0.15]
    return [draw.randint(0, labels), *conditions]
