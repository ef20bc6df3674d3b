"""The method `lazy-dfa`: a deterministic automaton whose states are made when a document first asks for them.

`kernels.paths.lazy_dfa` tells how. States are bounded: when there are `max_states`, all are dropped but those of the
elements that are open. Threads that follow documents share one automaton, one after the other; a thread whose automaton
is full goes on with a new one, which the next documents of all threads begin with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from watchword.arrays import Int32
from watchword.kernels.paths import lazy_dfa as kernels
from watchword.kernels.paths.lazy_dfa import CROWDED, MOST, STATES, TOO_MANY, DfaTrail
from watchword.kernels.paths.moves import DEPTH, Found, Progress
from watchword.locks import ForkSafe, is_owned
from watchword.paths.options import MAX_STATES
from watchword.paths.passes import Pass
from watchword.paths.rows import Paths
from watchword.paths.trie import PathTrie
from watchword.paths.yfilter import YFilter


class LazyDfa(YFilter):
    """The automaton of `yfilter`, made deterministic on demand."""

    operation: ClassVar[str] = "transitions"

    def __init__(self, max_states: int = MAX_STATES) -> None:
        super().__init__()
        self._most = max_states
        self._shared: _Shared | None = None

    def add(self, rows: Paths, payloads: Int32) -> None:
        """Add paths; drops the states made so far."""
        super().add(rows, payloads)
        self._shared = None

    def remove(self, row: Paths, payload: int) -> None:
        """Remove a path; drops the states made so far."""
        super().remove(row, payload)
        self._shared = None

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads; drops the states made so far."""
        super().renumber(payloads)
        self._shared = None

    def start(self, limits: Int32, *, elements: bool) -> Pass:
        """Begin a pass with the states that documents have asked for so far."""
        walker = _Walker(self)
        return Pass(walker.follow, self._trie.payloads, limits, elements=elements, grow=walker.grow)

    def stats(self) -> Mapping[str, float]:
        """Return the figures of the automaton, and of its deterministic states."""
        shared = self._shared
        states, taken = (0, 0) if shared is None else (int(shared.dfa.figures[STATES]), kernels.dfa_bytes(shared.dfa))
        figures = self._trie.figures()
        return figures | {"bytes": figures["bytes"] + taken, "dfa_states": states, "dfa_bytes": taken}

    def shared(self, full: _Shared | None = None) -> _Shared:
        """Return the deterministic automaton; a new one if there is none, or if it is `full`."""
        shared = self._shared
        if shared is not None and is_owned(shared.guard.lock):  # this thread is inside it: a finalizer has its own
            return _Shared(self._trie, self._most)
        if shared is None or shared is full or shared.guard.was_cut:
            shared = self._shared = _Shared(self._trie, self._most)
        return shared


class _Shared:
    """A deterministic automaton that passes share under its lock."""

    def __init__(self, trie: PathTrie, most: int) -> None:
        self.guard = ForkSafe()
        self.trie = trie
        self.dfa = kernels.new_dfa(most)

    def make_room(self, trail: DfaTrail) -> None:
        """Make room for one more state."""
        self.dfa = kernels.grown_dfa(self.dfa, self.trie.room, len(trail.found))


class _Walker:
    """One pass of one thread: its position in an automaton."""

    def __init__(self, owner: LazyDfa) -> None:
        self._owner = owner
        self._shared = owner.shared()
        trie = self._shared.trie
        self._automaton = trie.states, trie.lists
        self._trail = kernels.new_dfa_trail(trie.room, max(1, len(trie)))

    def follow(self, moves: Int32, progress: Progress, found: Found) -> int:
        """Follow moves, with room made and the automaton renewed as needed."""
        while True:
            with self._shared.guard.lock:
                status = self._begun()
                if status == 0:
                    status = kernels.follow_dfa(self._automaton, self._shared.dfa, self._trail, moves, progress, found)
                if status == CROWDED:
                    self._shared.make_room(self._trail)
            if status == TOO_MANY:
                self._renew(int(progress.counters[DEPTH]))
            elif status != CROWDED:
                return int(status)

    def _begun(self) -> int:
        """Give the document its first state; returns 0, or the outcome if there is no room."""
        if self._trail.states[0] < 0:
            state = kernels.first_state(*self._automaton, self._shared.dfa, self._trail)
            if state < 0:
                return int(-state)
            self._trail.states[0] = state
        return 0

    def _renew(self, depth: int) -> None:
        """Go on with a new automaton, in which the open elements have the same sets of states."""
        old = self._shared.dfa
        sets = [
            old.members[old.spans[4 * state] : old.spans[4 * state + 1]].copy()
            for state in self._trail.states[: depth + 1].tolist()
        ]
        self._shared = self._owner.shared(full=self._shared)
        for level, members in enumerate(sets):
            self._trail.states[level] = self._enter(members)
        with self._shared.guard.lock:  # where all states that are allowed are open, one more
            figures = self._shared.dfa.figures
            figures[MOST] = max(figures[MOST], figures[STATES] + 1)

    def _enter(self, members: Int32) -> int:
        while True:
            with self._shared.guard.lock:
                state = kernels.enter_set(*self._automaton, self._shared.dfa, self._trail, members)
                if state >= 0:
                    return int(state)
                if state == -TOO_MANY:
                    self._shared.dfa.figures[MOST] += 1
                else:
                    self._shared.make_room(self._trail)

    def grow(self) -> None:
        """Make room for deeper elements."""
        self._trail = kernels.grown_dfa_trail(self._trail)
