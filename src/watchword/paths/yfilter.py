"""The method `yfilter`: one automaton for all paths, run with a stack of active states (Diao et al. 2003, section 3).

Layout and cost of the automaton are told in `kernels.paths.trie`, those of a run in `kernels.paths.nfa`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from watchword.arrays import Arrays, Int32
from watchword.kernels.paths import nfa
from watchword.kernels.paths.moves import Found, Progress
from watchword.paths.passes import Pass, PathStructure
from watchword.paths.rows import Paths
from watchword.paths.trie import PathTrie


class YFilter(PathStructure):
    """One automaton for all paths; paths with a common beginning share states."""

    operation: ClassVar[str] = "states reached"

    def __init__(self) -> None:
        self._trie = PathTrie()

    def add(self, rows: Paths, payloads: Int32) -> None:
        """Add paths one after the other in compiled code."""
        self._trie.add(rows, payloads)

    def remove(self, row: Paths, payload: int) -> None:
        """Remove a path, and the states that no other one uses."""
        self._trie.remove(row, payload)

    def start(self, limits: Int32, *, elements: bool) -> Pass:
        """Begin a pass with no state active."""
        trie = self._trie
        levels = nfa.new_levels(trie.room, len(trie))

        def follow(moves: Int32, progress: Progress, found: Found) -> int:
            status: int = nfa.follow_walk(trie.states, trie.lists, levels, moves, progress, found)
            return status

        def grow() -> None:
            nonlocal levels
            levels = nfa.grown_levels(levels)

        return Pass(follow, trie.payloads, limits, elements=elements, grow=grow)

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        self._trie.renumber(payloads)

    def stats(self) -> Mapping[str, float]:
        """Return the figures of the automaton."""
        return self._trie.figures()

    def draw(self) -> str:
        """Return an indented drawing of the automaton."""
        return self._trie.draw()

    def arrays(self) -> Arrays:
        """Return the state; the arrays share memory with the automaton."""
        return self._trie.arrays()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._trie.restore(arrays)
