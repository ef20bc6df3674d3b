"""The NFA with shared prefixes that REtriever is compared with, in the manner of YFilter (section 2.3).

The class owns the arrays of `kernels.sequences.share_trie` and `kernels.patterns.nfa`, where layout, invariant and
cost are told, and makes them grow. A run over a text is in `kernels.patterns.nfa_run`. With the patterns ``so*be``,
``so?be``, ``blue`` and ``so?`` under the payloads 0 to 3, `Nfa.draw` shows that prefixes are shared, with wildcards or
without, and nothing else::

    9 b
      10 l
        11 u
          12 e accept [2]
    1 s ×3
      2 o ×3
        6 ? ×2 accept [3]
          7 b
            8 e accept [1]
        3 *
          4 b
            5 e accept [0]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

import numpy as np

from watchword.arrays import Arrays, Int32, int32, offsets_of, prefixed, under
from watchword.index.hits import Hits
from watchword.kernels.patterns import nfa as kernels
from watchword.kernels.patterns import nfa_run
from watchword.kernels.sequences import payload_lists, share_trie
from watchword.kernels.sequences.payload_lists import CELL_WORDS, ROWS, payloads_at
from watchword.kernels.sequences.share_trie import SHARE, STATE_WORDS, STATES
from watchword.patterns.characters import Work, point_rows, scan
from watchword.patterns.outline import outline
from watchword.patterns.rows import Patterns, PatternStructure
from watchword.strings import Strings


class Nfa(PatternStructure):
    """One non-deterministic automaton for all patterns; patterns with a common beginning share states."""

    operation: ClassVar[str] = "states reached and looping states tried"

    def __init__(self) -> None:
        self._trie = share_trie.new_trie()
        self._lists = payload_lists.new_lists()
        self._work = Work()

    def add(self, patterns: Patterns, payloads: Int32) -> None:
        """Add patterns one after the other in compiled code."""
        if len(patterns) == 0:
            return
        rows = point_rows(patterns)
        lengths = offsets_of(_steps_of(rows.gaps))
        first_gaps = rows.offsets + np.arange(len(rows.offsets))
        sizes = np.diff(rows.word_offsets[rows.offsets]) + np.diff(lengths[first_gaps])
        done, payloads = 0, int32(payloads)
        while (done := kernels.insert_patterns(self._trie, self._lists, rows, sizes, payloads, done)) < len(payloads):
            self._trie = share_trie.grown(self._trie, int(sizes[done]))
            self._lists = payload_lists.with_room(self._lists)

    def remove(self, pattern: Patterns, payload: int) -> None:
        """Remove a pattern, and the states that no other one uses."""
        row = point_rows(pattern)
        steps = np.empty(len(row.points) + int(_steps_of(row.gaps).sum()), np.int32)
        kernels.write_steps(row.word_offsets, row.points, row.gaps, steps)
        if not kernels.delete_pattern(self._trie, self._lists, steps, payload):
            raise KeyError(payload)

    def match(self, texts: Strings) -> Hits:
        """Run the automaton over each text, with a set of active states."""
        return self._work.add(*scan(texts, nfa_run.match, (self._trie, self._lists), nfa_run.new_scratch))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        payload_lists.renumber(self._lists, payloads)

    def stats(self) -> Mapping[str, float]:
        """Return ``nodes`` (states but the initial one), ``shared_states`` (on the way of two or more patterns),
        ``postings`` (payloads), ``bytes``, and what the operations so far were: ``reached_per_match`` and
        ``looping_per_match``."""
        states, rows = int(self._trie.figures[STATES]), int(self._lists.counts[ROWS])
        shares = share_trie.trimmed(self._trie).states[SHARE::STATE_WORDS]
        return {
            "nodes": states,
            "shared_states": int((shares > 1).sum()),
            "postings": rows,
            "reached_per_match": self._work.visits_per_match,
            "looping_per_match": self._work.others_per_match,
            "bytes": 4 * STATE_WORDS * (states + 1) + 12 * states + 4 * CELL_WORDS * rows,
        }

    def draw(self, name: Callable[[int], str] = str) -> str:
        """Return an indented drawing of the automaton; ``*`` is the epsilon move to a looping state."""
        return outline(self._trie, {"accept": lambda state: map(name, payloads_at(self._trie, self._lists, state))})

    def arrays(self) -> Arrays:
        """Return the state; the arrays share memory with the automaton."""
        trie, lists = share_trie.trimmed(self._trie), payload_lists.trimmed(self._lists)
        return prefixed("automaton", trie._asdict()) | prefixed("payloads", lists._asdict())

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._trie = share_trie.saved_trie(under("automaton", arrays))
        self._lists = payload_lists.saved_lists(under("payloads", arrays))


def _steps_of(gaps: Int32) -> Int32:
    """Return how many steps each gap takes: one for each `?`, and one for a `*`."""
    return (gaps >> 1) + (gaps & 1)
