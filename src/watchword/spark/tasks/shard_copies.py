"""Shards as files of this machine: those of a folder as they lie, those of an object store as `storage.copies`.

A copy is compared with the checksums of its manifest, byte by byte, before anybody maps it; and it is in use, so that
nobody removes it to make room, as long as the index or the array that was made of it lives.
"""

from __future__ import annotations

import hashlib
import weakref
from pathlib import Path

from watchword import snapshot
from watchword.arrays import UInt64
from watchword.errors import PipelineError, SnapshotError
from watchword.index import Index, language_class
from watchword.shards import OWNED, OWNED_CHECKSUM, Shard, Version, load_gone, load_owned
from watchword.spark.tasks.changed_shard import ChangedShard
from watchword.storage import copies, is_remote
from watchword.storage.objects import ObjectPlace

_DAMAGED = "restore it from a copy, or build the index again"


def opened(version: Version, number: int) -> Index | ChangedShard:
    """Open a shard by memory map, copied if need be."""
    shard = version.shards[number]
    return (
        opened_part(version, shard) if shard.base is None else on_top(version, shard, opened_part(version, shard.base))
    )


def on_top(version: Version, shard: Shard, base: Index) -> ChangedShard:
    """Open the changes of a shard, whose base is open already."""
    changes, folder = _opened_in(version, shard)
    return ChangedShard(base, changes, load_gone(folder))


def opened_part(version: Version, shard: Shard) -> Index:
    """Open a shard that is whole, or the changes of one that is not."""
    return _opened_in(version, shard)[0]


def _opened_in(version: Version, shard: Shard) -> tuple[Index, Path]:
    """Return an opened part of a shard, and the folder of this machine that it is in."""
    if not is_remote(version.path):
        check_visible(version.path)
        folder = version.part_folder(shard)
        return _opened(folder, version.language, shard.snapshot), folder
    place = ObjectPlace(version.path)

    def fetch(target: Path) -> None:
        _fetch(place, shard.folder, target)
        _verify(place, shard.folder, target, version.language)

    name = Path(shard.folder).name
    copy = copies.of_this_machine().get(version.path, name, shard.bytes, fetch, snapshot.read)
    try:
        index = _opened(copy.folder, version.language, shard.snapshot)
    except BaseException:
        copy.release()
        raise
    weakref.finalize(index, copy.release)
    return index, copy.folder


def owned(version: Version, number: int) -> UInt64 | None:
    """Map what a shard owns, without copying the shard; None where every event is for it."""
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


def _opened(folder: Path, language: str, wanted: int) -> Index:
    index: Index = language_class(language).open(folder)
    found = snapshot.version_of(folder)
    if found != wanted:
        raise PipelineError(
            f"{folder}: the snapshot was replaced while the job ran (version {found}, not {wanted}): run it again, or "
            "use watchword.spark.build, which keeps the versions that jobs still use"
        )
    return index


def check_visible(path: str) -> None:
    """Refuse a folder that the driver saw and this machine does not."""
    if not is_remote(path) and not Path(path).is_dir():
        raise PipelineError(
            f"{path}: this worker does not see the folder that the driver sees: put the index on a file system "
            "that every machine mounts at the same place (NFS, for example), copy it there on each machine, or put it "
            "into an object store (s3://, gs://, abfss://, hdfs://)"
        )


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
        raise SnapshotError(f"cannot read it ({error}): {_DAMAGED}", path=place.label(name)) from error
    if hashlib.sha256(content).hexdigest() != checksum:
        raise SnapshotError(f"altered, its checksum does not hold: {_DAMAGED}", path=place.label(name))
    (target / OWNED).write_bytes(content)
