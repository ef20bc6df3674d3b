"""The NFA with shared prefixes that REtriever is compared with, in the manner of YFilter (section 2.3).

The class owns the arrays of `kernels.sequences.share_trie` and `kernels.patterns.nfa`, where layout, invariant and
cost are told, and makes them grow. A run over a text is in `kernels.patterns.nfa_run`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from watchword.arrays import Arrays, Int32, int32, int64
from watchword.index.hits import Hits
from watchword.kernels.patterns import nfa as kernels
from watchword.kernels.patterns.nfa import CELL_WORDS, Payloads
from watchword.kernels.patterns.nfa_run import match_texts, new_scratch
from watchword.kernels.sequences import share_trie
from watchword.kernels.sequences.share_trie import ACCEPTS, SHARE, STATE_WORDS, STATES, ShareTrie
from watchword.patterns.characters import scan, word_points
from watchword.patterns.outline import outline
from watchword.patterns.structure import Patterns, Structure
from watchword.strings import Strings


class Nfa(Structure):
    """One non-deterministic automaton for all patterns; those that begin alike share states."""

    operation: ClassVar[str] = "states reached"

    def __init__(self) -> None:
        self._trie = share_trie.new_trie()
        self._lists = kernels.new_payloads()

    def add(self, patterns: Patterns, payloads: Int32) -> None:
        """Add patterns one after the other in compiled code."""
        if len(patterns) == 0:
            return
        points, cuts = word_points(patterns)
        offsets, gaps, payloads = int64(patterns.offsets), int32(patterns.gaps), int32(payloads)
        lengths = np.concatenate([[0], np.cumsum((gaps >> 1) + (gaps & 1), dtype=np.int64)])
        first_gaps = offsets + np.arange(len(offsets))
        sizes = np.diff(cuts[offsets]) + np.diff(lengths[first_gaps])
        rows = (offsets, cuts, points, gaps, sizes, payloads)
        done = 0
        while (done := kernels.insert_patterns(self._trie, self._lists, *rows, done)) < len(payloads):
            self._trie = share_trie.grown(self._trie, int(sizes[done]))
            self._lists = kernels.with_room(self._lists)

    def remove(self, pattern: Patterns, payload: int) -> None:
        """Remove a pattern, and every state that only it needed."""
        points, cuts = word_points(pattern)
        gaps = int32(pattern.gaps)
        steps = np.empty(len(points) + int(((gaps >> 1) + (gaps & 1)).sum()), np.int32)
        kernels.write_steps(cuts, points, gaps, steps)
        if not kernels.delete_pattern(self._trie, self._lists, steps, payload):
            raise KeyError(payload)

    def match(self, texts: Strings) -> Hits:
        """Run the automaton over each text, with a set of active states."""
        return scan(texts, new_scratch, partial(match_texts, self._trie, self._lists))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        held = self._cells()[::CELL_WORDS]
        known = (held >= 0) & (held < len(payloads))
        held[known] = payloads[held[known]]

    def stats(self) -> Mapping[str, float]:
        """Return ``nodes`` (states but the initial one), ``shared_states`` (on the way of two patterns or more),
        ``postings`` (payloads) and ``bytes``."""
        states, rows = int(self._trie.figures[STATES]), int(self._lists.counts[kernels.ROWS])
        shares = share_trie.trimmed(self._trie).states[SHARE::STATE_WORDS]
        return {
            "nodes": states,
            "shared_states": int((shares > 1).sum()),
            "postings": rows,
            "bytes": 4 * STATE_WORDS * (states + 1) + 12 * states + 4 * CELL_WORDS * rows,
        }

    def draw(self, name: Callable[[int], str] = str) -> str:
        """Return an indented drawing of the automaton; ``*`` is the epsilon move to a looping state."""
        return outline(self._trie, {"accept": lambda state: map(name, self._payloads(state))})

    def arrays(self) -> Arrays:
        """Return the state; the arrays share memory with the automaton."""
        return share_trie.trimmed(self._trie)._asdict() | self._lists._replace(cells=self._cells())._asdict()

    @classmethod
    def from_arrays(cls, arrays: Arrays, **options: Any) -> Self:
        """Return the automaton that `arrays` describes."""
        made = cls(**options)
        made._trie = ShareTrie(*(np.asarray(arrays[field]) for field in ShareTrie._fields))
        made._lists = Payloads(*(np.asarray(arrays[field]) for field in Payloads._fields))
        return made

    def _cells(self) -> Int32:
        """Return the cells ever used; they share memory with the lists."""
        return self._lists.cells[: CELL_WORDS * int(self._lists.counts[kernels.CELLS_END])]

    def _payloads(self, state: int) -> Iterator[int]:
        cell = int(self._trie.states[STATE_WORDS * state + ACCEPTS])
        while cell >= 0:
            payload, cell = self._lists.cells[CELL_WORDS * cell :][:CELL_WORDS].tolist()
            yield payload
