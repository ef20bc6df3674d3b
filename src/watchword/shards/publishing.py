"""How a version becomes the newest: hold the index, write the shards, publish.

    with writing("index/") as held:
        number = next_version(held.path)
        shard = save_shard(index, held.path, shard_folder(0, number))
        publish(Version(held.path, number, "keywords", "string", (shard,)), keep=10, confirm=held.confirm)

A process that dies before `publish` has replaced ``current.json`` leaves the version before; the next writer removes
the files that no version names.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from watchword import snapshot, storage
from watchword.errors import SnapshotError
from watchword.shards.reading import (
    CURRENT,
    FORMAT,
    FORMAT_VERSION,
    NOT_PLAIN,
    current,
    failures_named,
    read_version,
    version_file,
    versions,
)
from watchword.shards.version import SHARD_NAME, Version, version_facts
from watchword.storage import Place


@dataclass(frozen=True)
class Writing:
    """An index that this process holds for writing."""

    path: str
    confirm: Callable[[], None]
    """Raises if another writer has taken over."""


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[Writing]:
    """Hold the index at `path` for writing, made where it is missing; a folder of other files is refused."""
    place = storage.place(path)
    if not storage.is_remote(place.path) and Path(place.path).exists() and not Path(place.path).is_dir():
        raise SnapshotError("this is a file; an index is a folder: choose another path", path=place.label())
    with failures_named(place.label(), "read"):
        names = place.names()
    if snapshot.MANIFEST in names:
        raise SnapshotError(NOT_PLAIN, path=place.label())
    foreign = sorted(set(names) - {CURRENT, "versions", "shards", "writers", snapshot.LOCK})
    if foreign and "versions" not in names:
        raise SnapshotError(
            f"the folder holds other files ({foreign[0]}): choose an empty or a new one", path=place.label()
        )
    with place.writing() as confirm:
        yield Writing(place.path, confirm)


def next_version(path: str) -> int:
    """Return the number that the version being written will have: no number is used twice."""
    return max([current(path), *versions(path)]) + 1


def shard_folder(number: int, version: int) -> str:
    """Return a new folder for a shard; random, so that two attempts at one task never meet."""
    return f"shards/{number:04}-{version:06}-{secrets.token_hex(6)}"


def publish(
    version: Version, keep: int, pinned: Collection[int] = (), *, confirm: Callable[[], None] = lambda: None
) -> None:
    """Make a version the newest, then remove all but the `keep` newest, the `pinned`, and unnamed shards.

    `confirm` is called at the last moment (`Writing.confirm`): an error that it raises leaves the version before.
    """
    place = storage.place(version.path)
    body = {"format": FORMAT, "format_version": FORMAT_VERSION, **version_facts(version)}
    with failures_named(place.label()):
        confirm()
        place.write(version_file(version.version), _json_bytes(body))
        confirm()
        place.write(CURRENT, _json_bytes({"format": FORMAT, "version": version.version}))
    _prune(place, max(keep, 1), pinned)


def discard(path: str | os.PathLike[str]) -> None:
    """Remove the files of damaged versions, so that the index can be built again; the others stay.

    A version that could not be read because the disk or the network failed is not known to be damaged: the failure is
    raised.
    """
    place = storage.place(path)
    if not storage.is_remote(place.path) and not Path(place.path).is_dir():
        return
    with writing(path):
        for number in versions(path):
            try:
                read_version(place, number)
            except SnapshotError as error:
                _raise_failure(error)
                place.remove(version_file(number))
        try:
            if current(path):
                read_version(place, current(path))
        except SnapshotError as error:
            _raise_failure(error)
            place.remove(CURRENT)


def _raise_failure(error: SnapshotError) -> None:
    if isinstance(error.__cause__, OSError):
        raise error


def _json_bytes(value: object) -> bytes:
    return json.dumps(value, indent=1).encode()


def _prune(place: Place, keep: int, pinned: Collection[int]) -> None:
    """Remove old versions, best effort: the next writer removes the rest."""
    try:
        known = versions(place.path)
        old = [number for number in known[:-keep] if number not in pinned]
        kept = [read_version(place, number) for number in known if number not in old]
    except SnapshotError:
        return  # a damaged version may name any of the shards
    with suppress(OSError):
        named = {part.folder for version in kept for shard in version.shards for part in shard.parts}
        named |= {version.counts for version in kept if version.counts is not None}
        for number in old:
            place.remove(version_file(number))
        for name in place.names("versions"):
            if name.endswith(".counts.npy") and f"versions/{name}" not in named:
                place.remove(f"versions/{name}")
        for name in place.names("shards"):
            if SHARD_NAME.fullmatch(name) and f"shards/{name}" not in named:
                place.remove_tree(f"shards/{name}")
