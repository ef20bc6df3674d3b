"""What tests of path structures share: paths and walks out of lists, and a run told as occurrences."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np

from tests.paths import judge
from watchword.arrays import Int32, offsets_of
from watchword.paths.passes import Pass, PathStructure
from watchword.paths.rows import Paths

Occurrence = tuple[int, int, int]
"""Payload, document, element."""

EVERY = (1 << 31) - 1


def paths_of(rows: Sequence[Sequence[int]]) -> Paths:
    """Return paths, each given as its steps."""
    steps = [step for row in rows for step in row]
    return Paths(offsets_of([len(row) for row in rows]), np.array(steps, np.int32))


def steps_of(path: str, labels: Mapping[str, int]) -> list[int]:
    """Return the steps of a path such as ``/a//*``."""
    steps, descendant = [], False
    for name in path.split("/")[1:]:
        if name:
            steps.append(labels[name] << 1 | descendant)
        descendant = not name
    return steps


def holding(made: PathStructure, rows: Mapping[int, Sequence[int]]) -> PathStructure:
    """Return the structure with rows by payloads added."""
    made.add(paths_of(list(rows.values())), np.array(list(rows), np.int32))
    return made


def limits_of(limit: int) -> Int32:
    return np.array([limit], np.int32)


def followed(run: Pass, moves: Sequence[int], draw: random.Random | None = None) -> list[Occurrence]:
    """Return what a run finds, sorted, when it is fed the moves at once, or in pieces that are drawn."""
    found: list[Occurrence] = []
    document = at = 0
    while at < len(moves):
        size = len(moves) if draw is None else draw.choice([1, 2, 3, 10, 100])
        pairs = run.feed(np.array(moves[at : at + size], np.int32))
        at += size
        for p, (payload, element) in enumerate(zip(pairs.payloads.tolist(), pairs.elements.tolist(), strict=True)):
            ended = int(np.searchsorted(pairs.borders, p, side="right"))
            found.append((payload, document + ended, element))
        document += len(pairs.borders)
    return sorted(found)


def judged(
    rows: Mapping[int, Sequence[int]], moves: Sequence[int], limits: int | Mapping[int, int] = EVERY
) -> list[Occurrence]:
    """Return what should be found, sorted."""
    found = []
    for payload, steps in rows.items():
        limit = limits if isinstance(limits, int) else limits[payload]
        occurrences = judge.limited(judge.occurrences(steps, moves), limit)
        found += [(payload, document, element) for document, element in occurrences]
    return sorted(found)


def duel(made: PathStructure, draw: random.Random) -> None:
    """Set a structure, still empty, against the judge: random paths and documents, some limits, in pieces."""
    labels, loose = draw.choice([1, 2, 3, 6]), draw.choice([0.1, 0.4, 0.7])
    payloads = draw.sample(range(30), draw.randint(0, 12))
    rows = {payload: judge.random_path(draw, labels, loose=loose) for payload in payloads}
    moves: list[int] = []
    for _ in range(draw.randint(0, 4)):
        deep, elements = draw.choice([0.3, 0.5, 0.8]), draw.choice([0, 3, 20, 50])
        moves += judge.random_document(draw, labels, elements=elements, deep=deep)
    holding(made, rows)
    for limit in (1, 2, EVERY):
        run = made.start(limits_of(limit), elements=True)
        assert followed(run, moves, draw) == judged(rows, moves, limit), (rows, moves, limit)
    each = {payload: draw.choice([0, 1, 2, EVERY]) for payload in range(30)}
    run = made.start(np.array(list(each.values()), np.int32), elements=True)
    assert followed(run, moves) == judged(rows, moves, each), (rows, moves, each)
