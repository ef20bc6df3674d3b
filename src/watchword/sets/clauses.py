"""Clauses between the parser and a structure: term numbers, payloads, and what is left to check.

`ClauseTable` keeps the complex clauses (layout in `kernels.sets.clauses`); `Compiled` is a batch of subscriptions in
term numbers, ready to be stored.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from watchword.arrays import Arrays, Int32, Int64, reserve
from watchword.index.hits import Hits, collect
from watchword.kernels.sets import clauses as kernels
from watchword.sets.structure import Rows

HIGH = 1 << 30
"""Payloads from here on name complex clauses; below, slots."""


class Complex(NamedTuple):
    """One clause that is not its subscription's only conjunction of terms."""

    row: int
    required: list[int]
    program: list[int]
    shared: bool


class Compiled(NamedTuple):
    """Subscriptions in term numbers: `plain` conjunctions, of which `rows[i]` says whose they are, and the rest."""

    plain: Rows
    rows: Int32
    complex: list[Complex]


class ClauseTable:
    """The complex clauses of an index. Numbers of removed ones are given again."""

    def __init__(self) -> None:
        self.count = 0
        self.slots = np.empty(16, np.int32)
        self.shared = np.empty(16, np.uint8)
        self.starts = np.empty(16, np.int64)
        self.stops = np.empty(16, np.int64)
        self.program = np.empty(64, np.int32)
        self.fill = 0
        self.waste = 0
        self.phrases = 0
        self._always: dict[int, None] = {}
        self._always_array: Int32 | None = None
        self._free: list[int] = []
        self._by_slot: dict[int, list[int]] | None = {}

    def __len__(self) -> int:
        return self.count - len(self._free)

    def add(self, slot: int, clause: Complex) -> int:
        """Store a clause and return its payload."""
        number = self._free.pop() if self._free else self.count
        if number == self.count:
            self.count += 1
            for name in ("slots", "shared", "starts", "stops"):
                setattr(self, name, reserve(getattr(self, name), self.count))
        words = [*clause.required, len(clause.required), *clause.program]
        self.program = reserve(self.program, self.fill + len(words))
        self.program[self.fill : self.fill + len(words)] = words
        self.slots[number], self.shared[number] = slot, clause.shared
        self.fill += len(words)
        self.starts[number], self.stops[number] = self.fill - len(clause.program), self.fill
        self.phrases += _has_phrase(clause.program)
        if not clause.required:
            self._always[number] = None
            self._always_array = None
        if self._by_slot is not None:
            self._by_slot.setdefault(slot, []).append(number)
        return HIGH + number

    def of(self, slot: int) -> list[tuple[int, Complex]]:
        """Return a slot's clauses, each with its payload."""
        return [(HIGH + number, self._clause(number)) for number in self._numbers(slot)]

    def _clause(self, number: int) -> Complex:
        start, stop = int(self.starts[number]), int(self.stops[number])
        count = int(self.program[start - 1])
        required = self.program[start - 1 - count : start - 1].tolist()
        return Complex(0, required, self.program[start:stop].tolist(), bool(self.shared[number]))

    def _numbers(self, slot: int) -> list[int]:
        if self._by_slot is None:
            self._by_slot = {}
            for number in range(self.count):
                if self.slots[number] >= 0:
                    self._by_slot.setdefault(int(self.slots[number]), []).append(number)
        return self._by_slot.get(slot, [])

    def remove(self, slot: int) -> None:
        """Forget the clauses of a slot."""
        for number in self._numbers(slot):
            clause = self._clause(number)
            self.phrases -= _has_phrase(clause.program)
            self.waste += len(clause.required) + 1 + len(clause.program)
            self.slots[number] = -1
            self.starts[number] = self.stops[number] = 0
            self._free.append(number)
            if number in self._always:
                del self._always[number]
                self._always_array = None
        assert self._by_slot is not None
        self._by_slot.pop(slot, None)
        if self.waste > 1024 + self.fill // 2:
            self._squeeze()

    def renumber(self, slots: Int32) -> None:
        """Slot `s` is from now on ``slots[s]``."""
        used = self.slots[: self.count] >= 0
        self.slots[: self.count][used] = slots[self.slots[: self.count][used]]
        self._by_slot = None

    @property
    def always(self) -> Int32:
        """Return the numbers of the clauses that ask for no term."""
        if self._always_array is None:
            self._always_array = np.fromiter(self._always, np.int32, len(self._always))
        return self._always_array

    def settle(self, items: Rows, hits: Hits) -> Hits:
        """Turn payloads into slots, checking what structures cannot."""
        always = self.always
        if not len(always) and (not len(hits.payloads) or hits.payloads.max() < HIGH):
            return hits

        def step(first: int, used: int, ends: Int64, payloads: Int32) -> tuple[int, int, int]:
            return kernels.settle(  # type: ignore[no-any-return]
                first,
                used,
                items.offsets,
                items.terms,
                hits.ends,
                hits.payloads,
                always,
                HIGH,
                self.slots,
                self.shared,
                self.starts,
                self.stops,
                self.program,
                ends,
                payloads,
            )

        settled = collect(len(items), step, len(hits.payloads) // max(len(items), 1) + len(always) + 1)
        return settled._replace(operations=hits.operations)

    @property
    def bytes(self) -> int:
        """Return the memory in use."""
        return self.count * 21 + 4 * (self.fill - self.waste) + self.always.nbytes

    def arrays(self) -> Arrays:
        """Return the state for a snapshot."""
        self._squeeze()
        return {
            "slots": self.slots[: self.count],
            "shared": self.shared[: self.count],
            "starts": self.starts[: self.count],
            "stops": self.stops[: self.count],
            "program": self.program[: self.fill],
            "always": self.always,
            "phrases": np.array([self.phrases], np.int64),
        }

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        for name in ("slots", "shared", "starts", "stops", "program"):
            setattr(self, name, arrays[name])
        self.count, self.fill = len(self.slots), len(self.program)
        self.phrases = int(arrays["phrases"][0])
        self._always = dict.fromkeys(arrays["always"].tolist())
        self._always_array = None
        self._free = np.flatnonzero(self.slots < 0).tolist()
        self._by_slot = None

    def _squeeze(self) -> None:
        """Drop the programs of removed clauses."""
        if not self.waste:
            return
        live = np.flatnonzero(self.slots[: self.count] >= 0)
        checks = self.stops[live] - self.starts[live]
        begins = self.starts[live] - 1 - self.program[self.starts[live] - 1]
        pieces: list[Any] = [
            self.program[begin:stop] for begin, stop in zip(begins.tolist(), self.stops[live].tolist(), strict=True)
        ]
        ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
        self.program = np.concatenate([*pieces, np.empty(16, np.int32)])
        self.starts[live], self.stops[live] = ends - checks, ends
        self.fill = int(ends[-1]) if len(ends) else 0
        self.waste = 0


def _has_phrase(program: list[int]) -> bool:
    at = 0
    while at < len(program):
        size = program[at] >> 1
        if size > 1:
            return True
        at += 1 + size
    return False
