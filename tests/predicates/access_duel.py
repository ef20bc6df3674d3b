"""A duel of `AccessRows` against brute force: rows of literals over real predicates, events as plain objects.

What holds in an event is asked of each predicate in plain Python; a row holds where all its literals do.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from tests.sets.structures import int32, rows_of
from watchword.predicates.access.structure import AccessRows
from watchword.predicates.events.held import Held
from watchword.predicates.events.reader import Reader
from watchword.predicates.fields import Fields
from watchword.predicates.predicate import Predicate, values_at
from watchword.predicates.query import UNLIMITED, parse


def predicate(text: str) -> Predicate:
    (clause,) = parse(text, UNLIMITED)
    return clause.required[0]


class Duel:
    """One structure beside a dict of rows. Attributes ``p0``, ``p1``, … have points, ``s0``, … spans."""

    def __init__(self, seed: int, points: int = 5, values: int = 8, spans: int = 2) -> None:
        self.random = random.Random(seed)
        self.points, self.values, self.spans = points, values, spans
        self.fields, self.structure = Fields(), AccessRows()
        self.structure.fields = self.fields
        self.predicates: list[Predicate] = []
        self.rows: dict[int, list[int]] = {}
        self.next = 0
        self._numbers: dict[str, int] = {}
        self._reader = Reader(self.fields)

    # rows

    def atoms(self, texts: Iterable[str]) -> list[int]:
        """Return the numbers of predicates, which are defined where they are new."""
        texts = list(texts)
        fresh = [text for text in dict.fromkeys(texts) if text not in self._numbers]
        for text in fresh:
            self._numbers[text] = len(self.predicates)
            self.predicates.append(predicate(text))
        self.fields.define(self.predicates[self.fields.count :])
        return [self._numbers[text] for text in texts]

    def texts(self) -> list[str]:
        """Return the predicates of a row: some points, some spans."""
        draw = self.random
        fields = draw.sample(range(self.points), draw.choice([0, 1, 2, 2, 3, 3]))
        texts = [f"p{field} = {draw.randrange(self.values)}" for field in fields]
        for _ in range(draw.choice([0, 0, 1, 2]) if texts else 1):
            field, at = draw.randrange(self.spans), draw.randrange(60)
            forms = [f"< {at}", f">= {at}", f"BETWEEN {at} AND {at + 5}", f"!= {at}", "EXISTS"]
            texts.append(f"s{field} {draw.choice(forms)}")
        return list(dict.fromkeys(texts))

    def row(self) -> list[int]:
        negated = self.random.choice([0.0, 0.0, 0.3, 1.0])
        return [atom << 1 | (self.random.random() < negated) for atom in self.atoms(self.texts())]

    def add(self, count: int) -> None:
        rows = {self.next + number: self.row() for number in range(count)}
        self.next += count
        self.structure.add(rows_of(rows.values()), int32(rows))
        self.rows |= rows

    def add_one(self, texts: Iterable[str] | None = None) -> None:
        row = self.row() if texts is None else [atom << 1 for atom in self.atoms(texts)]
        self.structure.add_one(int32(row), self.next)
        self.rows[self.next] = row
        self.next += 1

    def remove(self, count: int) -> None:
        for payload in self.random.sample(sorted(self.rows), min(count, len(self.rows))):
            self.structure.remove(int32(self.rows.pop(payload)), payload)

    # events

    def event(self) -> dict[str, Any]:
        draw = self.random
        event: dict[str, Any] = {}
        for field in range(self.points):
            event[f"p{field}"] = [draw.randrange(self.values + 1) for _ in range(draw.choice([0, 1, 1, 1, 3]))]
        for field in range(self.spans):
            event[f"s{field}"] = [draw.choice([draw.randrange(70), draw.random() * 70, "x"])
                                  for _ in range(draw.choice([0, 1, 1, 2]))]  # fmt: skip
        return event

    def held(self, events: list[dict[str, Any]]) -> Held:
        return self._reader.read(events, 0)

    def expected(self, event: dict[str, Any]) -> list[int]:
        truth = [any(one.holds(value) for value in values_at(event, one.attribute)) for one in self.predicates]
        return sorted(p for p, row in self.rows.items() if all(truth[one >> 1] != one & 1 for one in row))

    def check(self, events: int = 8) -> None:
        drawn = [self.event() for _ in range(events)]
        hits = self.structure.match(self.held(drawn))
        found = [sorted(hits.payloads[a:b].tolist()) for a, b in pairwise(hits.offsets.tolist())]
        assert found == [self.expected(event) for event in drawn]
        assert len(self.structure) == len(self.rows)

    def unpacked(self) -> dict[int, list[int]]:
        """Return the rows that the structure holds, by payload, literals sorted."""
        parts = [self.structure.base.rows(self.structure.tombstones.dead), self.structure.delta.rows()()]
        return {
            int(payload): sorted(rows.atoms[rows.offsets[k] : rows.offsets[k + 1]].tolist())
            for rows, payloads in parts
            for k, payload in enumerate(payloads)
        }

    def reopened(self) -> None:
        """Go on with a copy made by way of a snapshot's arrays."""
        self.structure.condense()
        arrays = {name: np.array(array) for name, array in self.structure.arrays().items()}
        copy = AccessRows()
        copy.fields = self.fields
        copy.restore(arrays)
        copy._spreads = self.structure._spreads
        self.structure = copy
