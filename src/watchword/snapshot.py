"""The snapshot: a folder of flat arrays that every language saves to and opens from by memory map.

Layout::

    PATH/manifest.json              what the snapshot is, and every file's size and SHA-256
    PATH/data-<version>-<hex>/      the arrays of that version, one NAME.npy each, never pickled
    PATH/.watchword.lock            held by the one process that is writing

Invariant: `manifest.json` is only ever replaced whole, and only once every file that it names is on the
disk. So whatever happens to a writer, at any moment, the folder holds the old snapshot or the new one. The
next writer removes the files of a dead one. Writers wait for each other (``flock``, which the system
lets go of when a process dies); readers never wait: one whose data folder was replaced under its hands
starts again with the new manifest, and maps that are already open keep the old files alive.

Cost: writing passes over the arrays once. Reading looks at the manifest, at each file's header and at its
size, not at its contents: milliseconds, whatever the size. `verify` also hashes every byte.

The manifest carries a checksum of itself, over its canonical JSON, so that an altered one is noticed.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from watchword.errors import SnapshotError
from watchword.files import locked, parse_json
from watchword.files import sync_folder as _sync_folder
from watchword.locations import local_path, normal, scheme_of

FORMAT = "watchword"
FORMAT_VERSION = 8
MANIFEST = "manifest.json"
LOCK = ".watchword.lock"

_TEMPORARY = "manifest.json.tmp"
_CHUNK = 1 << 22
_ARRAY_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_DATA_NAME = re.compile(r"data-[0-9]+-[0-9a-f]+")
_DAMAGED = "restore it from a copy, or save the index again"


@dataclass(frozen=True)
class Snapshot:
    """An opened snapshot. The arrays are private maps: changes to them stay in this process."""

    path: Path
    version: int
    language: str
    meta: dict[str, Any]
    arrays: dict[str, npt.NDArray[Any]]


def write(
    path: str | os.PathLike[str],
    *,
    language: str,
    meta: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
) -> int:
    """Publish `arrays` as the snapshot at `path`, and return its version: one more than that of the old one.

    `path` is made where it is missing. A folder that holds anything else than a snapshot is refused.
    `meta` is whatever JSON can hold; array names are dotted identifiers.
    """
    folder = local_folder(path)
    _check_names(folder, arrays)
    with _failures_named(folder, "write"):
        _make_folder(folder)
        with locked(folder / LOCK):
            version = _version_to_replace(folder) + 1
            _remove_unnamed(folder)  # of a writer that died: two may need more room than there is
            try:
                data = folder / f"data-{version}-{secrets.token_hex(8)}"
                data.mkdir()
                files = [_write_array(data, name, array) for name, array in sorted(arrays.items())]
                _sync_folder(data)
                body = {
                    "format": FORMAT,
                    "format_version": FORMAT_VERSION,
                    "version": version,
                    "language": language,
                    "meta": dict(meta),
                    "data": data.name,
                    "files": files,
                }
                _publish(folder, body)
            finally:
                _remove_unnamed(folder)
    return version


def read(path: str | os.PathLike[str], language: str | None = None) -> Snapshot:
    """Open the snapshot at `path` by memory map, and check everything but the arrays' contents.

    With `language`, a snapshot of another one is refused.
    """
    return _open(local_folder(path), language, _map_array)


def verify(path: str | os.PathLike[str], language: str | None = None) -> Snapshot:
    """Open the snapshot at `path` as `read` does, after comparing every byte of it with the manifest's checksums.

    This finds accidents. It proves nothing about a snapshot that a stranger wrote: who writes the arrays writes the
    checksums too, and kernels trust what arrays say.
    """
    return _open(local_folder(path), language, _hash_and_map_array)


def version_of(path: str | os.PathLike[str]) -> int:
    """Return the version of the snapshot at `path`; only its manifest is looked at."""
    folder = local_folder(path)
    with _failures_named(folder, "read"):
        return int(_read_manifest(folder)["version"])


def local_folder(path: str | os.PathLike[str]) -> Path:
    """Return the folder of a snapshot; a URL is refused, for it would become a folder with an odd name."""
    if scheme_of(path) is None and not os.fspath(path).startswith("file:"):
        return Path(path)
    try:
        return local_path(path)
    except ValueError as error:
        raise SnapshotError(f"{error}; {_remedy(path)}", path=path) from None


def _remedy(path: str | os.PathLike[str]) -> str:
    """Say what to do about a URL: an index may lie in some stores, and in others not at all."""
    try:
        normal(path)
    except ValueError as error:
        return str(error)
    return "watchword.spark.build(index, URL) puts it into a store"


# Reading


def _open(folder: Path, language: str | None, load: Callable[[Path, dict[str, Any]], npt.NDArray[Any]]) -> Snapshot:
    with _failures_named(folder, "read"):
        manifest = _read_manifest(folder)
        while True:
            _check_language(folder, manifest, language)
            if manifest["format_version"] < FORMAT_VERSION:
                found = f"the snapshot has format {manifest['format_version']}, this version reads {FORMAT_VERSION}"
                raise SnapshotError(f"{found}: build it anew", path=folder / MANIFEST)
            data = folder / manifest["data"]
            try:
                arrays = {entry["name"]: load(data / f"{entry['name']}.npy", entry) for entry in manifest["files"]}
            except FileNotFoundError as error:
                newer = _read_manifest(folder)
                if newer["data"] == manifest["data"]:
                    raise SnapshotError(f"the file is missing: {_DAMAGED}", path=error.filename) from None
                manifest = newer
                continue
            return Snapshot(folder, manifest["version"], manifest["language"], manifest["meta"], arrays)


def _read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of `folder`, checked; a `SnapshotError` names the fault."""
    path = folder / MANIFEST
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        if not folder.exists():
            raise SnapshotError("there is no such folder", path=folder) from None
        raise SnapshotError(f"the folder holds no Watchword snapshot: it has no {MANIFEST}", path=folder) from None
    except NotADirectoryError:
        raise SnapshotError("this is a file; a snapshot is a folder", path=folder) from None
    return parsed_manifest(text, path)


def parsed_manifest(text: bytes, path: object) -> dict[str, Any]:
    """Return what a manifest says, checked, wherever it was read; `path` is where, for the error."""
    try:
        manifest = parse_json(text)
    except ValueError:
        raise SnapshotError(f"this is not JSON, so truncated, altered or foreign: {_DAMAGED}", path=path) from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise SnapshotError("this is another program's file, not a Watchword manifest", path=path)
    written_by = manifest.get("format_version")
    if isinstance(written_by, int) and written_by > FORMAT_VERSION:
        raise SnapshotError(
            f"the snapshot has format {written_by}, this version reads {FORMAT_VERSION}: upgrade watchword",
            path=path,
        )
    if manifest.pop("checksum", None) != _checksum(manifest) or not _is_well_formed(manifest):
        raise SnapshotError(f"the manifest was altered, its checksum does not hold: {_DAMAGED}", path=path)
    found: dict[str, Any] = manifest
    return found


def _is_well_formed(manifest: dict[str, Any]) -> bool:
    """Whether the names in `manifest` stay inside its folder: a checksum keeps out accidents, not malice."""
    try:
        return (
            isinstance(manifest["version"], int)
            and isinstance(manifest["format_version"], int)
            and isinstance(manifest["language"], str)
            and isinstance(manifest["meta"], dict)
            and _DATA_NAME.fullmatch(manifest["data"]) is not None
            and isinstance(manifest["files"], list)
            and all(_is_entry(entry) for entry in manifest["files"])
        )
    except (KeyError, TypeError):
        return False


def _is_entry(entry: dict[str, Any]) -> bool:
    """Whether this describes a file of an array."""
    return (
        _ARRAY_NAME.fullmatch(entry["name"]) is not None
        and type(entry["bytes"]) is int
        and isinstance(entry["sha256"], str)
        and isinstance(entry["dtype"], str)
        and isinstance(entry["shape"], list)
        and all(type(length) is int for length in entry["shape"])
    )


def _check_language(folder: Path, manifest: dict[str, Any], language: str | None) -> None:
    if language is not None and manifest["language"] != language:
        raise SnapshotError(
            f"the snapshot's language is {manifest['language']!r}, not {language!r}: "
            "open it with Index.open, or with the class of its language",
            path=folder,
        )


def _map_array(path: Path, entry: dict[str, Any]) -> npt.NDArray[Any]:
    size = path.stat().st_size
    if size != entry["bytes"]:
        change = "truncated" if size < entry["bytes"] else "altered"
        raise SnapshotError(f"{change}: {size} bytes instead of {entry['bytes']}: {_DAMAGED}", path=path)
    empty = 0 in entry["shape"]  # no bytes, no map
    try:
        array: npt.NDArray[Any] = np.load(path, mmap_mode=None if empty else "c", allow_pickle=False)
    except OSError:
        raise
    except Exception:  # numpy's parser of headers fails in many ways
        raise SnapshotError(f"altered, this is no array: {_DAMAGED}", path=path) from None
    if array.dtype.str != entry["dtype"] or list(array.shape) != entry["shape"]:
        raise SnapshotError(f"altered, the header is not the manifest's: {_DAMAGED}", path=path)
    return array.view(np.ndarray)


def _hash_and_map_array(path: Path, entry: dict[str, Any]) -> npt.NDArray[Any]:
    array = _map_array(path, entry)
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != entry["sha256"]:
            raise SnapshotError(f"altered, its checksum does not hold: {_DAMAGED}", path=path)
    return array


# Writing


def _check_names(folder: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    for name, array in arrays.items():
        if not _ARRAY_NAME.fullmatch(name):
            raise SnapshotError(f"array name {name!r} is not a dotted identifier", path=folder)
        if array.dtype.hasobject or array.dtype.names:
            raise SnapshotError(
                f"array {name!r} has dtype {array.dtype}: only plain numbers and strings can be mapped",
                path=folder,
            )


def _make_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise SnapshotError("this is a file; a snapshot is a folder: choose another path", path=folder)
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _sync_folder(folder.parent)


def _version_to_replace(folder: Path) -> int:
    """Return the version of the snapshot in `folder`, 0 where it is empty; refuse anything else's folder."""
    names = {entry.name for entry in folder.iterdir()}
    if MANIFEST in names:
        return int(_read_manifest(folder)["version"])
    # A writer that died during the first save leaves its own files, and no manifest.
    foreign = sorted(name for name in names - {LOCK, _TEMPORARY} if not _DATA_NAME.fullmatch(name))
    if foreign:
        raise SnapshotError(
            f"the folder holds other files ({foreign[0]}) and no snapshot: choose an empty or a new folder",
            path=folder,
        )
    return 0


def _write_array(data: Path, name: str, array: npt.NDArray[Any]) -> dict[str, Any]:
    """Write one array and return its entry in the manifest. Hashed on the way, so read once."""
    array = np.asarray(array, order="C")
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    digest = hashlib.sha256(header.getvalue())
    content = memoryview(array.reshape(-1).view(np.uint8)) if array.size else memoryview(b"")  # type: ignore[arg-type]
    with (data / f"{name}.npy").open("xb") as file:
        file.write(header.getvalue())
        for start in range(0, len(content), _CHUNK):
            piece = content[start : start + _CHUNK]
            digest.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
        size = file.tell()
    return {
        "name": name,
        "bytes": size,
        "sha256": digest.hexdigest(),
        "dtype": array.dtype.str,
        "shape": list(array.shape),
    }


def _publish(folder: Path, body: dict[str, Any]) -> None:
    try:
        body = json.loads(json.dumps(body, allow_nan=False))  # what a reader will see, keys as strings
    except (TypeError, ValueError) as error:
        raise SnapshotError(f"meta cannot be written as JSON: {error}", path=folder) from None
    text = json.dumps({**body, "checksum": _checksum(body)}, indent=1)
    temporary = folder / _TEMPORARY
    with temporary.open("wb") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(folder / MANIFEST)
    _sync_folder(folder)


def _remove_unnamed(folder: Path) -> None:
    """Remove what the manifest does not name: older versions, and what failed or died half-way.

    Best effort: what cannot be removed now is removed by the next writer.
    """
    try:
        kept = _read_manifest(folder)["data"]
    except (SnapshotError, OSError):
        if (folder / MANIFEST).exists():
            return  # damaged or unreadable: it may name any of them
        kept = None
    with suppress(OSError):
        (folder / _TEMPORARY).unlink(missing_ok=True)
        for entry in folder.iterdir():
            if _DATA_NAME.fullmatch(entry.name) and entry.name != kept:
                shutil.rmtree(entry, ignore_errors=True)


def _checksum(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@contextmanager
def _failures_named(folder: Path, action: str) -> Iterator[None]:
    """Turn the system's refusals into `SnapshotError`s that name the file and what to do."""
    try:
        yield
    except PermissionError as error:
        raise SnapshotError(
            f"no permission to {action} it: check the owner and the mode", path=error.filename or folder
        ) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise SnapshotError(f"cannot {action} it: {reason}", path=error.filename or folder) from error
