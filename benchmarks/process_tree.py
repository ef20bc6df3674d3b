"""What a process and all that it starts take together: memory at the worst moment, and CPU time.

A thread looks at the tree several times a second. `Taken.memory` is the largest sum of memory that is each process's
own (resident, less what is shared or mapped from files): an index mapped by four workers is in the page cache once, and
in none of them. `Taken.cpu` is user and system time of all processes that were seen, those that have ended included.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import psutil

PAUSE = 0.2


@dataclass
class Taken:
    """What a tree of processes has taken so far."""

    memory: int = 0
    before: dict[int, float] = field(default_factory=dict)
    spent: dict[int, float] = field(default_factory=dict)

    @property
    def cpu(self) -> float:
        """The seconds of user and system time."""
        return sum(self.spent.values()) - sum(self.before.values())

    def look(self, root: psutil.Process) -> None:
        """Note what the tree has now."""
        memory = 0
        for process in [root, *root.children(recursive=True)]:
            with suppress(psutil.Error):
                with process.oneshot():
                    size, times = process.memory_info(), process.cpu_times()
                memory += size.rss - size.shared
                self.spent[process.pid] = times.user + times.system
        self.memory = max(self.memory, memory)


@contextmanager
def watched(pause: float = PAUSE) -> Iterator[Taken]:
    """Watch this process and its descendants while the block runs."""
    root, taken, over = psutil.Process(), Taken(), threading.Event()
    taken.look(root)
    taken.before = dict(taken.spent)

    def watch() -> None:
        while not over.wait(pause):
            taken.look(root)

    thread = threading.Thread(target=watch, name="process-tree", daemon=True)
    thread.start()
    try:
        yield taken
    finally:
        over.set()
        thread.join()
        taken.look(root)
