"""Which atoms the shards of a version own, and so which shards an event concerns. No Spark here.

Layout of a shard's ``owned.npy``, uint64: how many of the owned atoms are at home (their hash mod shards is this
shard), those, sorted, then the others, sorted. Atoms are known by their hashes (`kernels.atoms`), so two of them with
one hash cost a needless send at worst. A shard that cannot tell owns everything, and has no such file.

An atom of an event is looked up in its home shard only, and among the others of all shards, which are few: those of
subscriptions with OR.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from watchword.errors import SnapshotError
from watchword.files import replaced
from watchword.index import Atoms, UInt64

FILE = "owned.npy"
Flags = npt.NDArray[np.bool_]
Int32 = npt.NDArray[np.int32]


def write(folder: Path, owned: UInt64) -> None:
    """Write what a shard owns into its folder."""
    with replaced(folder / FILE) as output:
        np.save(output, owned, allow_pickle=False)


def read(folder: Path, atoms: int) -> UInt64:
    """Map what a shard owns, which is so many atoms."""
    try:
        owned: UInt64 = np.load(folder / FILE, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise SnapshotError(f"cannot read it ({error}): build the index again", path=folder / FILE) from error
    if owned.dtype != np.uint64 or owned.shape != (atoms + 1,) or owned[0] > atoms:
        raise SnapshotError("altered, its parts do not fit together: build the index again", path=folder / FILE)
    return owned


@dataclass
class Owners:
    """What the shards of a version own; None for everything. Tables may be memory maps."""

    tables: Sequence[UInt64 | None]
    _others: UInt64 = field(init=False)
    _whose: Int32 = field(init=False)

    def __post_init__(self) -> None:
        others = [np.empty(0, np.uint64) if table is None else table[1 + int(table[0]) :] for table in self.tables]
        whose = np.repeat(np.arange(len(others), dtype=np.int32), [len(part) for part in others])
        joined = np.concatenate(others)
        order = np.argsort(joined, kind="stable")
        self._others, self._whose = joined[order], whose[order]

    def of(self, found: Atoms) -> Flags:
        """Return which shards (columns) each event (row) has to be sent to."""
        events = np.repeat(np.arange(len(found.ends)), np.diff(found.ends, prepend=np.int64(0)))
        sent = np.zeros((len(found.ends), len(self.tables)), np.bool_)
        homes = (found.atoms % np.uint64(len(self.tables))).astype(np.int32)
        for shard, table in enumerate(self.tables):
            if table is None:
                sent[:, shard] = True
                continue
            here = np.flatnonzero(homes == shard)
            sent[events[here[_present(table[1 : 1 + int(table[0])], found.atoms[here])]], shard] = True
        at = np.searchsorted(self._others, found.atoms, side="left")
        ends = np.searchsorted(self._others, found.atoms, side="right")
        live = np.flatnonzero(at < ends)
        while len(live):  # as often as one atom has owners that are not its home
            sent[events[live], self._whose[at[live]]] = True
            at[live] += 1
            live = live[at[live] < ends[live]]
        return sent


def _present(table: UInt64, atoms: UInt64) -> Flags:
    if not len(table):
        return np.zeros(len(atoms), np.bool_)
    at = np.minimum(np.searchsorted(table, atoms), len(table) - 1)
    present: Flags = table[at] == atoms
    return present
