"""Shards as files of this machine: of a folder as they lie there, of an object store as `storage.copies`.

A copy is compared with the checksums of its manifest, byte by byte, before it is mapped. It stays in use, so that it is
not removed to make room, as long as the index or the array that maps it lives.
"""

from __future__ import annotations

import hashlib
import weakref
from pathlib import Path

from watchword import snapshot
from watchword.arrays import UInt64
from watchword.errors import SnapshotError
from watchword.index import Index, language_class
from watchword.shards.changed_shard import ChangedShard
from watchword.shards.reading import DAMAGED
from watchword.shards.shard_files import OWNED, OWNED_CHECKSUM, load_gone, load_owned
from watchword.shards.version import Shard, Version
from watchword.storage import copies, is_remote
from watchword.storage.objects import ObjectPlace


def open_shard(version: Version, number: int) -> Index | ChangedShard:
    """Open a shard by memory map, copied to this machine if it lies in an object store."""
    shard = version.shards[number]
    if shard.base is None:
        return open_part(version, shard)
    return open_changes(version, shard, open_part(version, shard.base))


def open_as_one(version: Version) -> Index:
    """Return one index with the subscriptions of all shards, which can be changed in memory.

    One shard is mapped, in milliseconds. Of several, the largest is mapped and the others are subscribed in it, which
    takes as long as subscribing always does.
    """
    numbers = sorted(range(len(version.shards)), key=lambda number: -version.shards[number].subscriptions)
    opened = (open_shard(version, number) for number in numbers)
    first, *others = (shard if isinstance(shard, Index) else shard.whole() for shard in opened)
    for other in others:
        first.update(other)
    return first


def open_changes(version: Version, shard: Shard, base: Index) -> ChangedShard:
    """Open the changes of a shard whose base is open already."""
    changes, folder = _open_in_folder(version, shard)
    return ChangedShard(base, changes, load_gone(folder))


def open_part(version: Version, shard: Shard) -> Index:
    """Open a whole shard, or the changes of one as an index by themselves."""
    return _open_in_folder(version, shard)[0]


def map_owned(version: Version, number: int) -> UInt64 | None:
    """Map the atoms that a shard owns, without copying the shard; None where it needs every event."""
    shard = version.shards[number]
    atoms = shard.atoms
    if atoms is None:
        return None
    if not is_remote(version.path):
        check_visible(version.path)
        return load_owned(version.folder(number), atoms)
    place = ObjectPlace(version.path)

    def fetch(target: Path) -> None:
        _fetch_owned(place, shard.folder, target)

    name = f"{Path(shard.folder).name}.owned"
    copy = copies.of_this_machine().get(version.path, name, 8 * atoms, fetch, lambda folder: load_owned(folder, atoms))
    try:
        table = load_owned(copy.folder, atoms)
    except BaseException:
        copy.release()
        raise
    weakref.finalize(table, copy.release)
    return table


def check_visible(path: str) -> None:
    """Refuse a folder that another machine sees and this one does not."""
    if not is_remote(path) and not Path(path).is_dir():
        raise SnapshotError(
            "this worker does not see the folder that the driver sees: put the index on a file system "
            "that every machine mounts at the same place (NFS, for example), copy it there on each machine, or put it "
            "into an object store (s3://, gs://, abfss://, hdfs://)",
            path=path,
        )


def _open_in_folder(version: Version, shard: Shard) -> tuple[Index, Path]:
    """Return an opened part of a shard, and its folder on this machine."""
    if not is_remote(version.path):
        check_visible(version.path)
        folder = version.part_folder(shard)
        return _open_exactly(folder, version.language, shard.snapshot), folder
    place = ObjectPlace(version.path)

    def fetch(target: Path) -> None:
        _fetch(place, shard.folder, target)
        _verify(place, shard.folder, target, version.language)

    name = Path(shard.folder).name
    copy = copies.of_this_machine().get(version.path, name, shard.bytes, fetch, snapshot.read)
    try:
        index = _open_exactly(copy.folder, version.language, shard.snapshot)
    except BaseException:
        copy.release()
        raise
    weakref.finalize(index, copy.release)
    return index, copy.folder


def _open_exactly(folder: Path, language: str, wanted: int) -> Index:
    """Open a snapshot, and refuse it if it is not the wanted version of itself."""
    index: Index = language_class(language).open(folder)
    found = snapshot.version_of(folder)
    if found != wanted:
        raise SnapshotError(
            f"the snapshot was replaced while the job ran (version {found}, not {wanted}): run it again, or "
            "use watchword.spark.build, which keeps the versions that jobs still use",
            path=folder,
        )
    return index


def _fetch(place: ObjectPlace, folder: str, target: Path) -> None:
    try:
        place.fetch(folder, target)
    except OSError as error:
        raise SnapshotError(
            f"cannot be copied to this machine ({error}); {copies.FOLDER_VARIABLE} says where copies go",
            path=place.label(folder),
        ) from error


def _verify(place: ObjectPlace, folder: str, target: Path, language: str) -> None:
    """Compare a copy with its checksums; an error names the object, not the copy."""
    try:
        snapshot.verify(target, language)
    except SnapshotError as error:
        inside = Path(str(error.path)).relative_to(target)
        raise SnapshotError(error.reason, path=place.label(str(Path(folder) / inside))) from None


def _fetch_owned(place: ObjectPlace, folder: str, target: Path) -> None:
    name = f"{folder}/{OWNED}"
    try:
        content, checksum = place.read(name), place.read(f"{folder}/{OWNED_CHECKSUM}").decode(errors="replace")
    except OSError as error:
        raise SnapshotError(f"cannot read it ({error}): {DAMAGED}", path=place.label(name)) from error
    if hashlib.sha256(content).hexdigest() != checksum:
        raise SnapshotError(f"altered, its checksum does not hold: {DAMAGED}", path=place.label(name))
    (target / OWNED).write_bytes(content)
