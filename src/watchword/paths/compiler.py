"""From the texts of path subscriptions to rows of steps, a column at a time.

Plain paths are cut by a kernel, without an object per row; those with tests, white space or other letters are parsed
one at a time. Labels are given out when paths are stored, not before: compiled paths number their own names from 1, and
their own steps with tests from -1 downwards. The paths ``/a//b`` and ``//a/b[@x]``::

    offsets  [0, 2, 4]
    steps    [2, 5, 3, -2]          1<<1, 2<<1|1;  1<<1|1, -1<<1
    names    a, b
    tested   [b[@x]]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, offsets_of
from watchword.errors import SubscriptionSyntaxError
from watchword.kernels.paths.cut import Cut, cut_paths
from watchword.paths.labels import Labels
from watchword.paths.query import Step, parse
from watchword.paths.rows import Paths
from watchword.sequences.words import distinct_words
from watchword.strings import Strings, from_texts

_BLOCK = 1 << 16


class Compiled(NamedTuple):
    """Paths with numbers of their own for names and for steps with tests."""

    offsets: Int64
    steps: Int32
    names: Strings
    tested: list[Step]

    @property
    def number(self) -> int:
        """Return the number of paths."""
        return len(self.offsets) - 1

    def with_labels(self, labels: Labels) -> Paths:
        """Return the paths with the labels of an index; missing labels are added to it."""
        known = np.zeros(self.names.count + 1 + len(self.tested), np.int32)
        if self.names.count:
            known[1 : self.names.count + 1] = labels.names(self.names)
        if self.tested:
            known[: -1 - len(self.tested) : -1] = labels.labels(self.tested)  # from the end, as their numbers are
        return Paths(self.offsets, known[self.steps >> 1] << 1 | self.steps & 1)


class Compiler:
    """Makes `Compiled` paths of texts, under the options of an index."""

    def __init__(self, namespaces: Mapping[str, str] | None, max_length: int, max_steps: int) -> None:
        self._namespaces, self._limits = namespaces, np.array([max_length, max_steps], np.int64)

    def parse(self, text: str) -> tuple[Step, ...]:
        """Return the steps of one text."""
        return parse(text, self._namespaces, *self._limits.tolist())

    def compile(self, texts: Strings) -> Compiled:
        """Return paths ready to be stored; an error names the row of one that is refused."""
        blocks = [self._block(texts, first) for first in range(0, texts.count, _BLOCK)]
        return blocks[0] if len(blocks) == 1 else _together(blocks)

    def compile_one(self, text: str) -> Compiled:
        """Return one path."""
        return compile_paths([self.parse(text)])

    def _block(self, texts: Strings, first: int) -> Compiled:
        part = texts.part(first, min(first + _BLOCK, texts.count))
        size = len(part.data) + 1
        cut = Cut(np.empty(size, np.int32), np.empty(size, np.uint8), np.zeros(size, np.int64))
        counts = np.empty(part.count, np.int32)
        qualified = self._namespaces is None
        steps, names = cut_paths(part.data, part.offsets, qualified, self._limits, cut, counts)
        spelled = Strings(cut.names[: cut.name_offsets[names]], cut.name_offsets[: names + 1])
        numbers, distinct = distinct_words(spelled)
        known = np.concatenate([[0], numbers + 1]).astype(np.int32)
        plain = Compiled(
            offsets_of(np.maximum(counts, 0)), known[cut.steps[:steps] >> 1] << 1 | cut.steps[:steps] & 1, distinct, []
        )
        others = np.flatnonzero(counts < 0)
        return plain if len(others) == 0 else _mixed(plain, counts, others, self._parsed(part, others, first))

    def _parsed(self, texts: Strings, rows: Int64, first: int) -> Compiled:
        parsed = []
        for row in rows.tolist():
            try:
                parsed.append(self.parse(texts.text(row)))
            except SubscriptionSyntaxError as error:
                raise error.at_row(first + row) from None
        return compile_paths(parsed)


def compile_paths(paths: list[tuple[Step, ...]]) -> Compiled:
    """Return parsed paths with numbers of their own."""
    names: dict[str, int] = {}
    tested: dict[Step, int] = {}
    steps = []
    for path in paths:
        for step in path:
            if step.tests:
                number = -1 - tested.setdefault(step._replace(descendant=False), len(tested))
            else:
                number = 0 if step.name is None else names.setdefault(step.name, len(names)) + 1
            steps.append(number << 1 | step.descendant)
    offsets = offsets_of([len(path) for path in paths])
    return Compiled(offsets, np.array(steps, np.int32), from_texts(list(names)), list(tested))


def _mixed(plain: Compiled, counts: Int32, others: Int64, parsed: Compiled) -> Compiled:
    """Return plain and parsed paths in the order of their rows; `counts` has the lengths of the plain ones."""
    both = _together([plain._replace(offsets=offsets_of(counts[counts >= 0])), parsed])
    rows = np.concatenate([np.flatnonzero(counts >= 0), others])
    order = np.argsort(rows, kind="stable")
    lengths = np.diff(both.offsets)[order]
    begins = both.offsets[:-1][order]
    offsets = offsets_of(lengths)
    places = np.repeat(begins - offsets[:-1], lengths) + np.arange(offsets[-1])
    return both._replace(offsets=offsets, steps=both.steps[places])


def _together(parts: list[Compiled]) -> Compiled:
    """Return several batches as one; a name in two of them has two numbers."""
    offsets, steps, tested = [np.zeros(1, np.int64)], [np.empty(0, np.int32)], list[Step]()
    data, name_offsets = [np.empty(0, np.uint8)], [np.zeros(1, np.int64)]
    names = used = begin = 0
    for part in parts:
        offsets.append(part.offsets[1:] + begin)
        begin += len(part.steps)
        number = part.steps >> 1
        shifted = np.where(number > 0, number + names, np.where(number < 0, number - len(tested), 0))
        steps.append((shifted << 1 | part.steps & 1).astype(np.int32))
        data.append(part.names.data)
        name_offsets.append(part.names.offsets[1:] + used)
        names += part.names.count
        used += len(part.names.data)
        tested += part.tested
    strings = Strings(np.concatenate(data), np.concatenate(name_offsets), surrogates=True)
    return Compiled(np.concatenate(offsets), np.concatenate(steps), strings, tested)
