"""The automaton of all paths: the class over `kernels.paths.trie`, where layout, invariant and cost are told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import numpy as np

from watchword.arrays import Arrays, Int32, int32, prefixed, under
from watchword.kernels.paths import trie as kernels
from watchword.kernels.sequences import payload_lists, share_trie
from watchword.kernels.sequences.payload_lists import CELL_WORDS, ROWS, payloads_at
from watchword.kernels.sequences.share_trie import KEY, PARENT, SHARE, STATE_WORDS, STATES, STATES_END
from watchword.outline import outline
from watchword.parts import Part
from watchword.paths.rows import Paths


class PathTrie(Part):
    """A set of ``(path, payload)``; paths with a common beginning share states."""

    def __init__(self) -> None:
        self.states = share_trie.new_trie()
        self.lists = payload_lists.new_lists()
        self.payloads = 0
        """A number above every payload."""

    def __len__(self) -> int:
        return int(self.lists.counts[ROWS])

    @property
    def room(self) -> int:
        """Return a number above that of every state."""
        return int(self.states.figures[STATES_END])

    def add(self, paths: Paths, payloads: Int32) -> None:
        """Add paths one after the other in compiled code."""
        if len(payloads) == 0:
            return
        done, payloads = 0, int32(payloads)
        while done < len(payloads):
            longest = int(paths.offsets[done + 1] - paths.offsets[done])
            self.states = share_trie.grown(self.states, 2 * longest)
            self.lists = payload_lists.with_room(self.lists)
            done = kernels.insert_paths(self.states, self.lists, paths.offsets, paths.steps, payloads, done)
        self.payloads = max(self.payloads, int(payloads.max()) + 1)

    def remove(self, path: Paths, payload: int) -> None:
        """Remove a path, and the states that no other one uses; raises `KeyError` if it is not there."""
        if not kernels.delete_path(self.states, self.lists, path.steps, payload):
            raise KeyError(payload)

    def has(self, path: Paths, payload: int) -> bool:
        """Return whether a path is here under a payload."""
        return bool(kernels.has_path(self.states, self.lists, path.steps, payload))

    def rows(self) -> tuple[Paths, Int32]:
        """Return all paths and their payloads, in no promised order."""
        count = kernels.count_steps(self.states, self.lists, self.room)
        offsets, payloads = np.empty(len(self) + 1, np.int64), np.empty(len(self), np.int32)
        steps = np.empty(count, np.int32)
        kernels.unpack(self.states, self.lists, self.room, offsets, steps, payloads)
        return Paths(offsets, steps), payloads

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        payload_lists.renumber(self.lists, payloads)
        self._recount()

    def figures(self) -> dict[str, int]:
        """Return ``nodes`` (states but the initial one), ``postings`` (payloads) and ``bytes``."""
        states, rows = int(self.states.figures[STATES]), len(self)
        taken = 4 * STATE_WORDS * (states + 1) + 18 * states + 4 * CELL_WORDS * rows
        return {"nodes": states, "postings": rows, "bytes": taken}

    @property
    def bytes(self) -> int:
        """Return the bytes in use; of the table of transitions, two thirds full, all."""
        return self.figures()["bytes"]

    def draw(self, label: Callable[[int], str] = str, name: Callable[[int], str] = str) -> str:
        """Return an indented drawing of the automaton: number, label, share degree from two on, payloads."""
        states = share_trie.trimmed(self.states).states.reshape(-1, STATE_WORDS).tolist()
        below: dict[int, list[int]] = defaultdict(list)
        for number in range(1, len(states)):
            if states[number][SHARE] > 0:
                below[states[number][PARENT]].append(number)

        def text(number: int) -> str:
            key, share = states[number][KEY], states[number][SHARE]
            parts = [str(number), "//" if key == kernels.LOOP else label(int(kernels.label_of(key)))]
            parts += [f"×{share}"] if share > 1 else []
            found = sorted(map(name, payloads_at(self.states, self.lists, number)))
            return " ".join([*parts, *([f"accept [{', '.join(found)}]"] if found else [])])

        return outline(below[0], below, text)

    def arrays(self) -> Arrays:
        """Return the state; the arrays share memory with the automaton."""
        states, lists = share_trie.trimmed(self.states), payload_lists.trimmed(self.lists)
        return prefixed("automaton", states._asdict()) | prefixed("payloads", lists._asdict())

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self.states = share_trie.saved_trie(under("automaton", arrays))
        self.lists = payload_lists.saved_lists(under("payloads", arrays))
        self._recount()

    def _recount(self) -> None:
        """Update `payloads` from the largest payload."""
        held = payload_lists.trimmed(self.lists).cells[::CELL_WORDS]
        self.payloads = int(held.max(initial=-1)) + 1
