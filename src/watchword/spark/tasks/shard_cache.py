"""The shards that this Python worker has open.

A worker serves one task after the other; opening a shard takes milliseconds, but the first look at each of its
pages does not, so they stay open between tasks. A shard folder never changes, so it is known by its path and
snapshot version, and a shard that two versions share is opened once. When a version is asked for, what it does not
name is let go.

All workers of a machine map the same files: the machine holds one copy, in the page cache, whatever their number.
"""

from __future__ import annotations

import threading

from watchword.errors import PipelineError, SnapshotError
from watchword.index import Index
from watchword.index.routing import OwnedAtoms
from watchword.shards import Shard, Version
from watchword.spark.tasks import shard_copies
from watchword.spark.tasks.changed_shard import ChangedShard

Key = tuple[str, int]

_open: dict[str, dict[Key, Index | ChangedShard]] = {}
_owned: dict[str, tuple[tuple[Shard, ...], OwnedAtoms]] = {}
_lock = threading.Lock()


def shard(version: Version, number: int) -> Index | ChangedShard:
    """Return an opened shard of a version."""
    with _lock:
        known = _open.setdefault(version.path, {})
        for key in known.keys() - {_key(part) for one in version.shards for part in one.parts}:
            del known[key]
        wanted = version.shards[number]
        if _key(wanted) not in known:
            known[_key(wanted)] = _opened(version, number, known)
        return known[_key(wanted)]


def _key(part: Shard) -> Key:
    return part.folder, part.snapshot


def owned(version: Version) -> OwnedAtoms:
    """Return what the shards of a version own."""
    with _lock:
        known = _owned.get(version.path)
        if known is None or known[0] != version.shards:
            tables = [shard_copies.owned(version, number) for number in range(len(version.shards))]
            known = _owned[version.path] = version.shards, OwnedAtoms(tables)
        return known[1]


def _opened(version: Version, number: int, known: dict[Key, Index | ChangedShard]) -> Index | ChangedShard:
    wanted = version.shards[number]
    base = wanted.base or wanted
    try:
        below = known.get(_key(base))
        if not isinstance(below, Index):
            below = known[_key(base)] = shard_copies.opened_part(version, base)
        return below if wanted.base is None else shard_copies.on_top(version, wanted, below)
    except SnapshotError as error:
        raise PipelineError(
            f"shard {number} of version {version.version} cannot be opened ({error}): "
            "if the version was removed, match the current one, or keep more with keep="
        ) from None
