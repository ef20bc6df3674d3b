"""The shards that this Python worker has open.

A worker serves one task after the other; opening a shard takes milliseconds, but the first look at each of its
pages does not, so they stay open between tasks. A shard folder never changes, so it is known by its path and
snapshot version, and a shard that two versions share is opened once. When a version is asked for, what it does not
name is let go.

All workers of a machine map the same files: the machine holds one copy, in the page cache, whatever their number.
"""

from __future__ import annotations

import threading
from pathlib import Path

from watchword import snapshot
from watchword.errors import PipelineError, SnapshotError
from watchword.index import Index
from watchword.index.routing import OwnedAtoms
from watchword.shards import Shard, Version, load_owned

_open: dict[str, dict[tuple[str, int], Index]] = {}
_owned: dict[str, tuple[tuple[Shard, ...], OwnedAtoms]] = {}
_lock = threading.Lock()


def shard(version: Version, number: int) -> Index:
    """Return an opened shard of a version."""
    with _lock:
        known = _open.setdefault(version.path, {})
        for key in known.keys() - {(one.folder, one.snapshot) for one in version.shards}:
            del known[key]
        wanted = version.shards[number]
        key = (wanted.folder, wanted.snapshot)
        if key not in known:
            known[key] = _opened(version, number)
        return known[key]


def owned(version: Version) -> OwnedAtoms:
    """Return what the shards of a version own."""
    with _lock:
        known = _owned.get(version.path)
        if known is None or known[0] != version.shards:
            check_visible(version.path)
            tables = [
                None if shard.atoms is None else load_owned(version.folder(number), shard.atoms)
                for number, shard in enumerate(version.shards)
            ]
            known = _owned[version.path] = version.shards, OwnedAtoms(tables)
        return known[1]


def _opened(version: Version, number: int) -> Index:
    folder, wanted = version.folder(number), version.shards[number].snapshot
    check_visible(version.path)
    try:
        index = Index.open(folder)
        found = snapshot.read(folder).version
    except SnapshotError as error:
        raise PipelineError(
            f"shard {number} of version {version.version} cannot be opened ({error}): "
            "if the version was removed, match the current one, or keep more with keep="
        ) from None
    if found != wanted:
        raise PipelineError(
            f"{folder}: the snapshot was replaced while the job ran (version {found}, not {wanted}): run it again, or "
            "use watchword.spark.build, which keeps the versions that jobs still use"
        )
    return index


def check_visible(path: str) -> None:
    """Refuse a path that the driver saw and this machine does not."""
    if not Path(path).is_dir():
        raise PipelineError(
            f"{path}: this worker does not see the folder that the driver sees: put the index on a file system "
            "that every machine mounts at the same place (NFS, for example), or copy it there on each machine"
        )
