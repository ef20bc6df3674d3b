"""The shards that this process has open.

Opening a shard takes milliseconds, but the first look at each of its pages does not, so shards stay open between tasks.
A shard's folder never changes: a shard is known by its folder and snapshot version, and one that two versions share is
opened once. When a shard of a version is asked for, the shards that the version does not name are closed.

All processes of a machine map the same files: the machine holds one copy, in the page cache, whatever their number.
"""

from __future__ import annotations

from watchword.errors import SnapshotError
from watchword.index import Index
from watchword.index.routing import OwnedAtoms
from watchword.locks import ForkSafe
from watchword.shards import opening
from watchword.shards.changed_shard import ChangedShard
from watchword.shards.version import Shard, Version

Key = tuple[str, int]

_open: dict[str, dict[Key, Index | ChangedShard]] = {}
_owned: dict[str, tuple[tuple[Shard, ...], OwnedAtoms]] = {}
_guard = ForkSafe()


def shard(version: Version, number: int) -> Index | ChangedShard:
    """Return an opened shard of a version."""
    with _guard.lock:
        known = _open.setdefault(version.path, {})
        for key in known.keys() - {_key(part) for one in version.shards for part in one.parts}:
            del known[key]
        wanted = version.shards[number]
        if _key(wanted) not in known:
            known[_key(wanted)] = _open_shard(version, number, known)
        return known[_key(wanted)]


def owned_atoms(version: Version) -> OwnedAtoms:
    """Return the atoms that each shard of a version owns."""
    with _guard.lock:
        known = _owned.get(version.path)
        if known is None or known[0] != version.shards:
            tables = [opening.map_owned(version, number) for number in range(len(version.shards))]
            known = _owned[version.path] = version.shards, OwnedAtoms(tables)
        return known[1]


def _key(part: Shard) -> Key:
    return part.folder, part.snapshot


def _open_shard(version: Version, number: int, known: dict[Key, Index | ChangedShard]) -> Index | ChangedShard:
    wanted = version.shards[number]
    base = wanted.base or wanted
    try:
        below = known.get(_key(base))
        if not isinstance(below, Index):
            below = known[_key(base)] = opening.open_part(version, base)
        return below if wanted.base is None else opening.open_changes(version, wanted, below)
    except SnapshotError as error:
        raise SnapshotError(
            f"shard {number} of version {version.version} cannot be opened ({error}): "
            "if the version was removed, match the current one, or keep more with keep=",
            path=version.path,
        ) from None
