"""Which versions an index has, and what each of them is, read from its files.

`resolve("index/")` reads ``current.json``, say ``{"format": "watchword-shards", "version": 7}``, then
``versions/000007.json``, and opens no shard. Damaged, foreign and newer files are each refused with a `SnapshotError`
that says which of these it was.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from watchword import snapshot, storage
from watchword.errors import SnapshotError
from watchword.files import parse_json
from watchword.index import Index
from watchword.shards.version import Shard, Version, id_kind, parse_version
from watchword.storage import Place

FORMAT = "watchword-shards"
FORMAT_VERSION = 4
"""1 knew no sharding by atoms, 2 no origin, 3 no shards with a base; all are still read."""
CURRENT = "current.json"
DAMAGED = "restore it from a copy, or build the index again"
NOT_PLAIN = (
    "this is a plain snapshot, made by Index.save, and has no versions: build into another folder, "
    "for example build(Index.open(...), folder)"
)
_NAME = re.compile(r"(\d{6,})\.json")

_LOOKS, _PAUSE = 6, 0.2
"""How often `current.json` of an object store is read before it counts as damaged, and seconds between."""


def resolve(path: str | os.PathLike[str], version: int | None = None) -> Version:
    """Return a version of the index at `path`, the newest by default."""
    place = storage.place(path)
    if not storage.is_remote(place.path):
        folder = Path(place.path)
        if (folder / snapshot.MANIFEST).exists():
            return _plain_version(folder, version)
        if not folder.exists():
            raise SnapshotError("there is no such folder: build the index first", path=folder)
    number = current(path) if version is None else version
    if number:
        return read_version(place, number)
    if snapshot.MANIFEST in place.names():
        raise SnapshotError(NOT_PLAIN, path=place.label())
    raise SnapshotError(f"the folder holds no index: it has no {CURRENT}; build the index first", path=place.label())


def resolve_checked(path: str | os.PathLike[str], version: int | None = None) -> Version:
    """Return a version after checking that its shards can be opened; a `SnapshotError` names the fault.

    In an object store only the manifests are checked; the rest is checked as it is copied.
    """
    found = resolve(path, version)
    for part in (part for shard in found.shards for part in shard.parts):
        if _manifest_facts(found, part)["version"] != part.snapshot:
            label = storage.place(found.path).label(part.folder)
            raise SnapshotError(f"replaced by another snapshot: {DAMAGED}", path=label)
    return found


def settings(version: Version) -> dict[str, Any]:
    """Return the method and the options of a version's index, as its class takes them."""
    meta = _manifest_facts(version, version.shards[0])["meta"]
    if not isinstance(meta.get("method"), str) or not isinstance(meta.get("options"), dict):
        label = storage.place(version.path).label(version.shards[0].folder)
        raise SnapshotError(f"altered, its method and options are missing: {DAMAGED}", path=label)
    return {"method": meta["method"], **meta["options"]}


def current(path: str | os.PathLike[str]) -> int:
    """Return the newest version's number; 0 before the first is published."""
    place = storage.place(path)
    try:
        body = _read_settled(place, CURRENT)
    except FileNotFoundError:
        return 0
    number = body.get("version")
    if type(number) is not int:
        raise SnapshotError(f"altered, it names no version: {DAMAGED}", path=place.label(CURRENT))
    return number


def versions(path: str | os.PathLike[str]) -> list[int]:
    """Return the numbers of the versions that can still be read, ascending."""
    place = storage.place(path)
    with failures_named(place.label("versions"), "read"):
        names = [_NAME.fullmatch(name) for name in place.names("versions")]
    return sorted(int(name[1]) for name in names if name)


def version_file(number: int) -> str:
    """Return the name of a version's file in the index.

    >>> version_file(7)
    'versions/000007.json'
    """
    return f"versions/{number:06}.json"


def read_version(place: Place, number: int) -> Version:
    """Return a version by its number."""
    try:
        body = _read_json(place, version_file(number))
    except FileNotFoundError:
        there = ", ".join(map(str, versions(place.path))) or "none"
        raise SnapshotError(f"there is no version {number}; there are: {there}", path=place.label()) from None
    try:
        return parse_version(place.path, body)
    except (KeyError, TypeError, ValueError):
        label = place.label(version_file(number))
        raise SnapshotError(f"altered, its parts do not fit together: {DAMAGED}", path=label) from None


@contextmanager
def failures_named(path: object, action: str = "write") -> Iterator[None]:
    """Turn the system's refusals into `SnapshotError`s."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise SnapshotError(f"cannot {action} it: {reason}", path=error.filename or path) from error


def _manifest_facts(version: Version, part: Shard) -> dict[str, Any]:
    """Return `version` and `meta` of a shard's manifest; on this machine, the shard's files are checked as well."""
    if not storage.is_remote(version.path):
        opened = snapshot.read(version.part_folder(part), version.language)
        return {"version": opened.version, "meta": opened.meta}
    place, name = storage.place(version.path), f"{part.folder}/{snapshot.MANIFEST}"
    try:
        return snapshot.parsed_manifest(place.read(name), place.label(name))
    except OSError as error:
        raise SnapshotError(f"cannot read it ({error}): {DAMAGED}", path=place.label(name)) from error


def _plain_version(folder: Path, version: int | None) -> Version:
    """Return a plain snapshot as a version of one shard."""
    opened = snapshot.read(folder)
    if version is not None and version != opened.version:
        raise SnapshotError(
            f"version {version} is gone: a plain snapshot keeps the newest only, {opened.version}; "
            "watchword.spark.build keeps several",
            path=folder,
        )
    size = sum(array.nbytes for array in opened.arrays.values())
    count = opened.meta.get("subscriptions")
    if type(count) is not int:
        raise SnapshotError(f"altered, it has {count!r} subscriptions: {DAMAGED}", path=folder)
    shard = Shard("", opened.version, count, size)
    return Version(str(folder), opened.version, opened.language, id_kind(Index.open(folder)), (shard,))


def _read_settled(place: Place, name: str) -> dict[str, Any]:
    """Return the content of a file that may be replaced this moment: some stores show it before all is written."""
    for _ in range(_LOOKS - 1 if storage.is_remote(place.path) else 0):
        with suppress(SnapshotError):
            return _read_json(place, name)
        time.sleep(_PAUSE)
    return _read_json(place, name)


def _read_json(place: Place, name: str) -> dict[str, Any]:
    file = place.label(name)
    try:
        body = parse_json(place.read(name))
    except FileNotFoundError:
        raise
    except NotADirectoryError:
        raise SnapshotError("this is a file; an index is a folder", path=Path(file).parent) from None
    except OSError as error:
        raise SnapshotError(f"cannot read it: {error.strerror or error}", path=file) from error
    except ValueError:
        raise SnapshotError(f"this is not JSON, so truncated, altered or foreign: {DAMAGED}", path=file) from None
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise SnapshotError("this is another program's file, not an index of Watchword", path=file)
    written_by = body.get("format_version", FORMAT_VERSION)
    if isinstance(written_by, int) and written_by > FORMAT_VERSION:
        raise SnapshotError(
            f"the index has format {written_by}, this version reads {FORMAT_VERSION}: upgrade watchword", path=file
        )
    return body
