"""A sharded snapshot: a folder of versions, each a list of immutable shards.

Layout::

    PATH/current.json                       the newest version's number
    PATH/versions/000007.json               what version 7 is: language, kind of ids, its shards with their sizes
    PATH/shards/0003-000007-<hex>/          shard 3 as version 7 wrote it: a snapshot (`watchword.snapshot`)
    PATH/.watchword.lock                    held by the one driver that is writing

A version that follows a store says in its own file which state of it it stands for (`Origin`), so that the two cannot
come apart.

Invariant: a file of `versions/` appears whole, after every shard that it names is on the disk, and `current.json`
is replaced after that. So a reader sees a version entirely or not at all, whatever happens to a writer; a shard
folder is never changed, and versions share the shards that did not change between them. What a dead writer left
is removed by the next one, as are versions older than the newest few, unless somebody has pinned them.

A plain snapshot, a folder made by `Index.save`, is read as a version of one shard: itself.

Nothing here knows Spark; a worker and a driver read the same way.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from watchword import snapshot
from watchword.arrays import UInt64
from watchword.errors import PipelineError, SnapshotError
from watchword.files import locked, parse_json, remove_temporaries, replaced, write_json
from watchword.index import Index
from watchword.index.routing import BUCKETS

FORMAT = "watchword-shards"
FORMAT_VERSION = 3
"""1 knew no sharding by atoms, 2 no origin; both are still read."""
CURRENT = "current.json"
OWNED = "owned.npy"
"""What a shard owns, in its folder, where it can tell."""
_NAME = re.compile(r"(\d{6,})\.json")
_COUNTS_NAME = re.compile(r"versions/\d{6,}\.counts\.npy")
_SHARD_NAME = re.compile(r"\d+-\d+-[0-9a-f]+")
_DAMAGED = "restore it from a copy, or build the index again"

IdKind = Literal["string", "long"]


@dataclass(frozen=True)
class Shard:
    """One shard: its folder (relative to the index; empty for a plain snapshot), snapshot version and size."""

    folder: str
    snapshot: int
    subscriptions: int
    bytes: int
    atoms: int | None = None
    """How many atoms it owns (`index.routing`); None where every event is to be sent to it."""


@dataclass(frozen=True)
class Origin:
    """Which state of a store a version stands for: whose, its last change, and the name of that state."""

    store: str
    counter: int
    epoch: str


@dataclass(frozen=True)
class Version:
    """One version of an index. Small: this is what a task is sent in place of the index."""

    path: str
    version: int
    language: str
    ids: IdKind
    shards: tuple[Shard, ...]
    counts: str | None = None
    """Where subscriptions are sharded by atoms: the file, relative to the index, by which they are placed."""
    origin: Origin | None = None
    """Where the index follows a store: the state of it that this version has."""

    @property
    def bytes(self) -> int:
        """The bytes of all shards on disk, and so of memory where every page of them is in use."""
        return sum(shard.bytes for shard in self.shards)

    @property
    def subscriptions(self) -> int:
        """How many subscriptions there are in all shards."""
        return sum(shard.subscriptions for shard in self.shards)

    def folder(self, number: int) -> Path:
        """Where a shard lies."""
        return Path(self.path) / self.shards[number].folder


def local_path(path: str | os.PathLike[str]) -> str:
    """Return `path` as the absolute path that driver and workers will use; refuse what cannot be memory-mapped."""
    text = os.fspath(path)
    if text.startswith("file:"):
        text = "/" + text.removeprefix("file:").lstrip("/")
    if re.match(r"[A-Za-z][\w+.-]+://", text):
        raise PipelineError(
            f"{text}: an index is memory-mapped, so its path must be a folder that every machine mounts, not a URL"
        )
    return str(Path(text).absolute())


def resolve(path: str | os.PathLike[str], version: int | None = None) -> Version:
    """Return a version of the index at `path`, the newest by default."""
    folder = Path(local_path(path))
    if (folder / snapshot.MANIFEST).exists():
        return _plain(folder, version)
    if not folder.exists():
        raise SnapshotError("there is no such folder: build the index first", path=folder)
    number = current(folder) if version is None else version
    if number == 0:
        raise SnapshotError(f"the folder holds no index: it has no {CURRENT}; build the index first", path=folder)
    return _read(folder, number)


def checked(path: str | os.PathLike[str], version: int | None = None) -> Version:
    """Return a version all of whose shards can be opened; a `SnapshotError` says what is wrong."""
    found = resolve(path, version)
    for number, shard in enumerate(found.shards):
        if snapshot.read(found.folder(number), found.language).version != shard.snapshot:
            raise SnapshotError(f"replaced by another snapshot: {_DAMAGED}", path=found.folder(number))
    return found


def settings(version: Version) -> dict[str, Any]:
    """Return the method and the options of a version's index, as its class takes them."""
    folder = version.folder(0)
    meta = snapshot.read(folder).meta
    if not isinstance(meta.get("method"), str) or not isinstance(meta.get("options"), dict):
        raise SnapshotError(f"altered, its method and options are missing: {_DAMAGED}", path=folder)
    return {"method": meta["method"], **meta["options"]}


def current(path: str | os.PathLike[str]) -> int:
    """Return the newest version's number; 0 where none was published yet."""
    file = Path(local_path(path)) / CURRENT
    try:
        body = _json(file)
    except FileNotFoundError:
        return 0
    number = body.get("version")
    if type(number) is not int:
        raise SnapshotError(f"altered, it names no version: {_DAMAGED}", path=file)
    return number


def versions(path: str | os.PathLike[str]) -> list[int]:
    """Return the numbers of the versions that can still be read, ascending."""
    folder = Path(local_path(path)) / "versions"
    names = [_NAME.fullmatch(entry.name) for entry in folder.iterdir()] if folder.is_dir() else []
    return sorted(int(name[1]) for name in names if name)


# Writing


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Hold the index at `path` for writing, made where it is missing; a folder of anything else is refused."""
    folder = Path(local_path(path))
    if folder.exists() and not folder.is_dir():
        raise SnapshotError("this is a file; an index is a folder: choose another path", path=folder)
    if (folder / snapshot.MANIFEST).exists():
        raise SnapshotError(
            "this is a plain snapshot, made by Index.save, and has no versions: build into another folder, "
            "for example build(Index.open(...), folder)",
            path=folder,
        )
    ours = {CURRENT, "versions", "shards", snapshot.LOCK}
    foreign = sorted(e.name for e in folder.iterdir() if e.name not in ours) if folder.exists() else []
    if foreign and not (folder / "versions").is_dir():
        raise SnapshotError(f"the folder holds other files ({foreign[0]}): choose an empty or a new one", path=folder)
    try:
        (folder / "versions").mkdir(parents=True, exist_ok=True)
        (folder / "shards").mkdir(exist_ok=True)
    except OSError as error:
        raise SnapshotError(f"cannot write it: {error.strerror}", path=folder) from error
    with locked(folder / snapshot.LOCK):
        for place in (folder, folder / "versions"):
            remove_temporaries(place)
        yield folder


def discard(path: str | os.PathLike[str]) -> None:
    """Remove the files of versions that cannot be read, so that the index can be built anew; the others stay."""
    if not Path(local_path(path)).is_dir():
        return
    with writing(path) as folder:
        for number in versions(folder):
            try:
                _read(folder, number)
            except SnapshotError:
                (folder / "versions" / f"{number:06}.json").unlink(missing_ok=True)
        try:
            if current(folder):
                _read(folder, current(folder))
        except SnapshotError:
            (folder / CURRENT).unlink(missing_ok=True)


def next_version(folder: Path) -> int:
    """Return the number that the version being written will have: no number is used twice."""
    return max([current(folder), *versions(folder)]) + 1


def shard_folder(number: int, version: int) -> str:
    """Return a new folder for a shard; random, so that two attempts at one task never meet."""
    return f"shards/{number:04}-{version:06}-{secrets.token_hex(6)}"


def saved(index: Index, path: str, folder: str, owned: UInt64 | None = None) -> Shard:
    """Save an index as a shard, with the atoms that it owns if that is known."""
    number = index.save(Path(path) / folder)
    if owned is not None:
        file = Path(path) / folder / OWNED
        with _failures_named(file), replaced(file) as output:
            np.save(output, owned, allow_pickle=False)
    size = sum(file.stat().st_size for file in (Path(path) / folder).rglob("*") if file.is_file())
    return Shard(folder, number, len(index), size, None if owned is None else len(owned) - 1)


def load_owned(folder: Path, atoms: int) -> UInt64:
    """Map what a shard owns, which is so many atoms."""
    file = folder / OWNED
    try:
        owned: UInt64 = np.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise SnapshotError(f"cannot read it ({error}): {_DAMAGED}", path=file) from error
    if owned.dtype != np.uint64 or owned.shape != (atoms + 1,) or owned[0] > atoms:
        raise SnapshotError(f"altered, its parts do not fit together: {_DAMAGED}", path=file)
    return owned


def save_counts(path: str, version: int, counts: npt.NDArray[np.int32]) -> str:
    """Keep the counts by which subscriptions are placed, for updates; return the file's name in the index."""
    name = f"versions/{version:06}.counts.npy"
    file = Path(path) / name
    with _failures_named(file), replaced(file) as output:
        np.save(output, counts, allow_pickle=False)
    return name


def load_counts(version: Version) -> npt.NDArray[np.int32]:
    """Return the counts by which a version's subscriptions are placed."""
    file = Path(version.path) / str(version.counts)
    try:
        counts: npt.NDArray[np.int32] = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise SnapshotError(f"cannot read it ({error}): {_DAMAGED}", path=file) from error
    if counts.dtype != np.int32 or counts.shape != (BUCKETS,):
        raise SnapshotError(f"altered, these are no counts: {_DAMAGED}", path=file)
    return counts


def publish(version: Version, keep: int, pinned: Collection[int] = ()) -> None:
    """Make a version the current one, then remove all but the `keep` newest, those `pinned`, and unnamed shards."""
    folder = Path(version.path)
    body = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(version)}
    del body["path"]  # so that the folder can be moved
    with _failures_named(folder):
        write_json(folder / "versions" / f"{version.version:06}.json", body)
        write_json(folder / CURRENT, {"format": FORMAT, "version": version.version})
    _prune(folder, max(keep, 1), pinned)


def _prune(folder: Path, keep: int, pinned: Collection[int]) -> None:
    """Best effort: what cannot be removed now is removed by the next writer."""
    known = versions(folder)
    old = [number for number in known[:-keep] if number not in pinned]
    try:
        kept = [_read(folder, number) for number in known if number not in old]
    except SnapshotError:
        return  # a damaged version may name any of them
    named = {shard.folder for version in kept for shard in version.shards} | {version.counts for version in kept}
    with suppress(OSError):
        for number in old:
            (folder / "versions" / f"{number:06}.json").unlink(missing_ok=True)
        for entry in (folder / "versions").glob("*.counts.npy"):
            if f"versions/{entry.name}" not in named:
                entry.unlink(missing_ok=True)
        for entry in (folder / "shards").iterdir():
            if _SHARD_NAME.fullmatch(entry.name) and f"shards/{entry.name}" not in named:
                shutil.rmtree(entry, ignore_errors=True)


# Reading


def _plain(folder: Path, version: int | None) -> Version:
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
        raise SnapshotError(f"altered, it has {count!r} subscriptions: {_DAMAGED}", path=folder)
    shard = Shard("", opened.version, count, size)
    return Version(str(folder), opened.version, opened.language, id_kind(Index.open(folder)), (shard,))


def id_kind(index: Index) -> IdKind:
    """Return which kind of ids an index has; an empty one may get any, and is taken to have numbers."""
    return "string" if index.id_type is str else "long"


def _read(folder: Path, number: int) -> Version:
    file = folder / "versions" / f"{number:06}.json"
    try:
        body = _json(file)
    except FileNotFoundError:
        there = ", ".join(map(str, versions(folder))) or "none"
        raise SnapshotError(f"there is no version {number}; there are: {there}", path=folder) from None
    try:
        shards = tuple(Shard(**shard) for shard in body["shards"])
        counts, origin = body.get("counts"), body.get("origin")
        if (
            type(body["version"]) is not int
            or not isinstance(body["language"], str)
            or body["ids"] not in ("string", "long")
            or not shards
            or not all(map(_is_shard, shards))
            or (counts is not None and _COUNTS_NAME.fullmatch(counts) is None)
        ):
            raise ValueError(number)
        found = None if origin is None else Origin(str(origin["store"]), int(origin["counter"]), str(origin["epoch"]))
        return Version(str(folder), body["version"], body["language"], body["ids"], shards, counts, found)
    except (KeyError, TypeError, ValueError):
        raise SnapshotError(f"altered, its parts do not fit together: {_DAMAGED}", path=file) from None


def _is_shard(shard: Shard) -> bool:
    """Whether these are the facts of a shard, whose folder stays inside the index."""
    parent, _, name = str(shard.folder).partition("/")
    numbers = (shard.snapshot, shard.subscriptions, shard.bytes, 0 if shard.atoms is None else shard.atoms)
    return (
        parent == "shards"
        and _SHARD_NAME.fullmatch(name) is not None
        and all(type(number) is int for number in numbers)
    )


@contextmanager
def _failures_named(path: Path) -> Iterator[None]:
    """Turn the system's refusals to write into `SnapshotError`s."""
    try:
        yield
    except OSError as error:
        raise SnapshotError(f"cannot write it: {error.strerror or error}", path=error.filename or path) from error


def _json(file: Path) -> dict[str, Any]:
    try:
        body = parse_json(file.read_bytes())
    except FileNotFoundError:
        raise
    except NotADirectoryError:
        raise SnapshotError("this is a file; an index is a folder", path=file.parent) from None
    except OSError as error:
        raise SnapshotError(f"cannot read it: {error.strerror}", path=file) from error
    except ValueError:
        raise SnapshotError(f"this is not JSON, so truncated, altered or foreign: {_DAMAGED}", path=file) from None
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise SnapshotError("this is another program's file, not an index of Watchword", path=file)
    written_by = body.get("format_version", FORMAT_VERSION)
    if isinstance(written_by, int) and written_by > FORMAT_VERSION:
        raise SnapshotError(
            f"the index has format {written_by}, this version reads {FORMAT_VERSION}: upgrade watchword", path=file
        )
    return body
