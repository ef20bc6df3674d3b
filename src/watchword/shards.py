"""A sharded snapshot: a folder of versions, each a list of immutable shards.

Layout::

    PATH/current.json                       the newest version's number
    PATH/versions/000007.json               what version 7 is: language, kind of ids, its shards with their sizes
    PATH/shards/0003-000007-<hex>/          shard 3 as version 7 wrote it: a snapshot (`watchword.snapshot`)
    PATH/shards/0003-000008-<hex>/          shard 3 as version 8 changed it: a snapshot of what came or was replaced
                                            since, and gone.arrow, the ids that no longer count below
    PATH/.watchword.lock                    held by the one driver that is writing; in an object store, writers/ has
                                            a marker of it instead (`storage.writers`)

PATH is a folder, or a URL of an object store: ``s3://bucket/index`` (`watchword.storage` has what differs).

A large shard that changes little is not written anew: the version names the changes and, as their `Shard.base`, the
shard below them. ``spark.tasks.changed_shard`` reads both as one.

A version that follows a store says in its own file which state of it it stands for (`Origin`), so that the two cannot
come apart.

Invariant: a file of `versions/` appears whole, after every shard that it names is on the disk, and `current.json`
is replaced after that. So a reader sees a version entirely or not at all, whatever happens to a writer; a shard
folder is never changed, and versions share the shards that did not change between them. What a dead writer left
is removed by the next one, as are versions older than the newest few, unless somebody has pinned them.

A plain snapshot, a folder made by `Index.save`, is read as a version of one shard: itself. Not so in an object store,
where it could be replaced under a reader's hands.

Nothing here knows Spark; a worker and a driver read the same way.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import secrets
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword import snapshot, storage
from watchword.arrays import UInt64
from watchword.errors import SnapshotError
from watchword.files import parse_json
from watchword.index import Index
from watchword.index.routing import BUCKETS
from watchword.storage import Place, copies
from watchword.strings import one_chunk

FORMAT = "watchword-shards"
FORMAT_VERSION = 4
"""1 knew no sharding by atoms, 2 no origin, 3 no shards with a base; all are still read."""
CURRENT = "current.json"
OWNED = "owned.npy"
"""What a shard owns, in its folder, where it can tell."""
OWNED_CHECKSUM = "owned.sha256"
GONE, GONE_CHECKSUM = "gone.arrow", "gone.sha256"
"""The ids of the base that were removed or replaced, in the folder of a shard that has one."""
_NAME = re.compile(r"(\d{6,})\.json")
_COUNTS_NAME = re.compile(r"versions/\d{6,}\.counts\.npy")
_SHARD_NAME = re.compile(r"\d+-\d+-[0-9a-f]+")
_DAMAGED = "restore it from a copy, or build the index again"
_NOT_PLAIN = (
    "this is a plain snapshot, made by Index.save, and has no versions: build into another folder, "
    "for example build(Index.open(...), folder)"
)

_LOOKS, _PAUSE = 6, 0.2
"""How often `current.json` of an object store is looked at before it is called damaged, and seconds between."""

IdKind = Literal["string", "long"]


@dataclass(frozen=True)
class Shard:
    """One shard: its folder (relative to the index; empty for a plain snapshot), snapshot version and size.

    Of one with a base, `bytes` are those of the changes alone, `subscriptions` all that it has.
    """

    folder: str
    snapshot: int
    subscriptions: int
    bytes: int
    atoms: int | None = None
    """How many atoms it owns (`index.routing`); None where every event is to be sent to it."""
    base: Shard | None = None
    """The shard to which this one is changes; None where it is whole."""

    @property
    def parts(self) -> tuple[Shard, ...]:
        """The shard, and its base if it has one: what has a folder."""
        return (self,) if self.base is None else (self, self.base)


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
        return sum(part.bytes for shard in self.shards for part in shard.parts)

    @property
    def subscriptions(self) -> int:
        """How many subscriptions there are in all shards."""
        return sum(shard.subscriptions for shard in self.shards)

    def folder(self, number: int) -> Path:
        """Where a shard lies, if that is a folder (`spark.tasks.shard_copies` has the others)."""
        return self.part_folder(self.shards[number])

    def part_folder(self, part: Shard) -> Path:
        """Where a shard, or the base of one, lies."""
        return Path(self.path) / part.folder


def resolve(path: str | os.PathLike[str], version: int | None = None) -> Version:
    """Return a version of the index at `path`, the newest by default."""
    place = storage.place(path)
    if not storage.is_remote(place.path):
        folder = Path(place.path)
        if (folder / snapshot.MANIFEST).exists():
            return _plain(folder, version)
        if not folder.exists():
            raise SnapshotError("there is no such folder: build the index first", path=folder)
    number = current(path) if version is None else version
    if number:
        return _read(place, number)
    if snapshot.MANIFEST in place.names():
        raise SnapshotError(_NOT_PLAIN, path=place.label())
    raise SnapshotError(f"the folder holds no index: it has no {CURRENT}; build the index first", path=place.label())


def checked(path: str | os.PathLike[str], version: int | None = None) -> Version:
    """Return a version all of whose shards can be opened; a `SnapshotError` says what is wrong.

    Of an object store, only the manifests are looked at; the rest is checked as it is copied.
    """
    found = resolve(path, version)
    for part in (part for shard in found.shards for part in shard.parts):
        if _facts(found, part)["version"] != part.snapshot:
            label = storage.place(found.path).label(part.folder)
            raise SnapshotError(f"replaced by another snapshot: {_DAMAGED}", path=label)
    return found


def settings(version: Version) -> dict[str, Any]:
    """Return the method and the options of a version's index, as its class takes them."""
    meta = _facts(version, version.shards[0])["meta"]
    if not isinstance(meta.get("method"), str) or not isinstance(meta.get("options"), dict):
        label = storage.place(version.path).label(version.shards[0].folder)
        raise SnapshotError(f"altered, its method and options are missing: {_DAMAGED}", path=label)
    return {"method": meta["method"], **meta["options"]}


def _facts(version: Version, part: Shard) -> dict[str, Any]:
    """Return what the manifest of a shard says; where it is a folder, its files are looked at, too."""
    if not storage.is_remote(version.path):
        opened = snapshot.read(version.part_folder(part), version.language)
        return {"version": opened.version, "meta": opened.meta}
    place, name = storage.place(version.path), f"{part.folder}/{snapshot.MANIFEST}"
    try:
        return snapshot.parsed_manifest(place.read(name), place.label(name))
    except OSError as error:
        raise SnapshotError(f"cannot read it ({error}): {_DAMAGED}", path=place.label(name)) from error


def current(path: str | os.PathLike[str]) -> int:
    """Return the newest version's number; 0 where none was published yet."""
    place = storage.place(path)
    try:
        body = _settled(place, CURRENT)
    except FileNotFoundError:
        return 0
    number = body.get("version")
    if type(number) is not int:
        raise SnapshotError(f"altered, it names no version: {_DAMAGED}", path=place.label(CURRENT))
    return number


def versions(path: str | os.PathLike[str]) -> list[int]:
    """Return the numbers of the versions that can still be read, ascending."""
    place = storage.place(path)
    with _failures_named(place.label("versions"), "read"):
        names = [_NAME.fullmatch(name) for name in place.names("versions")]
    return sorted(int(name[1]) for name in names if name)


# Writing


@dataclass(frozen=True)
class Writing:
    """An index that this process holds for writing."""

    path: str
    confirm: Callable[[], None]
    """Raises if another writer has taken over."""


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[Writing]:
    """Hold the index at `path` for writing, made where it is missing; a folder of anything else is refused."""
    place = storage.place(path)
    if not storage.is_remote(place.path) and Path(place.path).exists() and not Path(place.path).is_dir():
        raise SnapshotError("this is a file; an index is a folder: choose another path", path=place.label())
    with _failures_named(place.label(), "read"):
        names = place.names()
    if snapshot.MANIFEST in names:
        raise SnapshotError(_NOT_PLAIN, path=place.label())
    foreign = sorted(set(names) - {CURRENT, "versions", "shards", "writers", snapshot.LOCK})
    if foreign and "versions" not in names:
        raise SnapshotError(
            f"the folder holds other files ({foreign[0]}): choose an empty or a new one", path=place.label()
        )
    with place.writing() as confirm:
        yield Writing(place.path, confirm)


def discard(path: str | os.PathLike[str]) -> None:
    """Remove the files of versions that are damaged, so that the index can be built anew; the others stay.

    What could not be read because the disk or the network failed is not known to be damaged: the failure is raised.
    """
    place = storage.place(path)
    if not storage.is_remote(place.path) and not Path(place.path).is_dir():
        return
    with writing(path):
        for number in versions(path):
            try:
                _read(place, number)
            except SnapshotError as error:
                _raise_failure(error)
                place.remove(_file(number))
        try:
            if current(path):
                _read(place, current(path))
        except SnapshotError as error:
            _raise_failure(error)
            place.remove(CURRENT)


def _raise_failure(error: SnapshotError) -> None:
    if isinstance(error.__cause__, OSError):
        raise error


def next_version(path: str) -> int:
    """Return the number that the version being written will have: no number is used twice."""
    return max([current(path), *versions(path)]) + 1


def shard_folder(number: int, version: int) -> str:
    """Return a new folder for a shard; random, so that two attempts at one task never meet."""
    return f"shards/{number:04}-{version:06}-{secrets.token_hex(6)}"


def saved(index: Index, path: str, folder: str, owned: UInt64 | None = None, gone: pa.Array | None = None) -> Shard:
    """Save an index as a shard, with the atoms that it owns if that is known.

    With `gone` it is saved as changes to another shard, in which these ids do not count any more.
    """
    if not storage.is_remote(path):
        return _saved(index, Path(path) / folder, folder, owned, gone)
    from watchword.storage.objects import ObjectPlace

    place = ObjectPlace(path)
    with copies.of_this_machine().scratch() as aside, _failures_named(place.label(folder)):
        shard = _saved(index, aside, folder, owned, gone)
        (aside / snapshot.LOCK).unlink(missing_ok=True)
        place.store(aside, folder)
    return shard


def _saved(index: Index, target: Path, folder: str, owned: UInt64 | None, gone: pa.Array | None) -> Shard:
    number = index.save(target)
    if owned is not None:
        _write_checked(target, OWNED, OWNED_CHECKSUM, _array_bytes(owned))
    if gone is not None:
        _write_checked(target, GONE, GONE_CHECKSUM, _column_bytes(gone))
    size = sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
    return Shard(folder, number, len(index), size, None if owned is None else len(owned) - 1)


def _write_checked(target: Path, name: str, checksum: str, content: bytes) -> None:
    with _failures_named(target / name):
        place = storage.place(target)
        place.write(name, content)
        place.write(checksum, hashlib.sha256(content).hexdigest().encode())


def _column_bytes(column: pa.Array) -> bytes:
    output = pa.BufferOutputStream()
    table = pa.table({"id": column})
    with pa.ipc.new_stream(output, table.schema) as stream:
        stream.write_table(table)
    content: bytes = output.getvalue().to_pybytes()
    return content


def _array_bytes(array: npt.NDArray[Any]) -> bytes:
    content = io.BytesIO()
    np.save(content, array, allow_pickle=False)
    return content.getvalue()


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


def load_gone(folder: Path) -> pa.Array:
    """Return the ids that changes, which lie in this folder, take from the shard below them."""
    file = folder / GONE
    try:
        content, checksum = file.read_bytes(), (folder / GONE_CHECKSUM).read_text(encoding="ascii", errors="replace")
    except OSError as error:
        raise SnapshotError(f"cannot read it ({error}): {_DAMAGED}", path=file) from error
    if hashlib.sha256(content).hexdigest() != checksum:
        raise SnapshotError(f"altered, its checksum does not hold: {_DAMAGED}", path=file)
    with pa.ipc.open_stream(content) as stream:
        return one_chunk(stream.read_all()["id"])


def save_counts(path: str, version: int, counts: npt.NDArray[np.int32]) -> str:
    """Keep the counts by which subscriptions are placed, for updates; return the file's name in the index."""
    name, place = f"versions/{version:06}.counts.npy", storage.place(path)
    with _failures_named(place.label(name)):
        place.write(name, _array_bytes(counts))
    return name


def load_counts(version: Version) -> npt.NDArray[np.int32]:
    """Return the counts by which a version's subscriptions are placed."""
    place, name = storage.place(version.path), str(version.counts)
    try:
        counts: npt.NDArray[np.int32] = np.load(io.BytesIO(place.read(name)), allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise SnapshotError(f"cannot read it ({error}): {_DAMAGED}", path=place.label(name)) from error
    if counts.dtype != np.int32 or counts.shape != (BUCKETS,):
        raise SnapshotError(f"altered, these are no counts: {_DAMAGED}", path=place.label(name))
    return counts


def publish(
    version: Version, keep: int, pinned: Collection[int] = (), *, confirm: Callable[[], None] = lambda: None
) -> None:
    """Make a version the current one, then remove all but the `keep` newest, those `pinned`, and unnamed shards.

    `confirm` is called at the last moment (`Writing.confirm`): what it raises leaves the version before.
    """
    place = storage.place(version.path)
    body = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(version)}
    del body["path"]  # so that the folder can be moved
    with _failures_named(place.label()):
        confirm()
        place.write(_file(version.version), _json_bytes(body))
        confirm()
        place.write(CURRENT, _json_bytes({"format": FORMAT, "version": version.version}))
    _prune(place, max(keep, 1), pinned)


def _json_bytes(value: object) -> bytes:
    return json.dumps(value, indent=1).encode()


def _file(number: int) -> str:
    return f"versions/{number:06}.json"


def _prune(place: Place, keep: int, pinned: Collection[int]) -> None:
    """Best effort: what cannot be removed now is removed by the next writer."""
    try:
        known = versions(place.path)
        old = [number for number in known[:-keep] if number not in pinned]
        kept = [_read(place, number) for number in known if number not in old]
    except SnapshotError:
        return  # a damaged version may name any of them
    with suppress(OSError):
        named = {part.folder for version in kept for shard in version.shards for part in shard.parts}
        named |= {version.counts for version in kept if version.counts is not None}
        for number in old:
            place.remove(_file(number))
        for name in place.names("versions"):
            if name.endswith(".counts.npy") and f"versions/{name}" not in named:
                place.remove(f"versions/{name}")
        for name in place.names("shards"):
            if _SHARD_NAME.fullmatch(name) and f"shards/{name}" not in named:
                place.remove_tree(f"shards/{name}")


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


def _read(place: Place, number: int) -> Version:
    try:
        body = _json(place, _file(number))
    except FileNotFoundError:
        there = ", ".join(map(str, versions(place.path))) or "none"
        raise SnapshotError(f"there is no version {number}; there are: {there}", path=place.label()) from None
    try:
        shards = tuple(_shard(**shard) for shard in body["shards"])
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
        found = None if origin is None else Origin(str(origin["store"]), origin["counter"], str(origin["epoch"]))
        if found is not None and type(found.counter) is not int:
            raise ValueError(number)
        return Version(place.path, body["version"], body["language"], body["ids"], shards, counts, found)
    except (KeyError, TypeError, ValueError):
        label = place.label(_file(number))
        raise SnapshotError(f"altered, its parts do not fit together: {_DAMAGED}", path=label) from None


def _shard(*, base: dict[str, Any] | None = None, **facts: Any) -> Shard:
    return Shard(**facts, base=None if base is None else Shard(**base))


def _is_shard(shard: Shard) -> bool:
    """Whether these are the facts of a shard, whose folder stays inside the index, and of a base that is whole."""
    if shard.base is not None and (shard.base.base is not None or not _is_shard(shard.base)):
        return False
    parent, _, name = str(shard.folder).partition("/")
    numbers = (shard.snapshot, shard.subscriptions, shard.bytes, 0 if shard.atoms is None else shard.atoms)
    return (
        parent == "shards"
        and _SHARD_NAME.fullmatch(name) is not None
        and all(type(number) is int for number in numbers)
    )


@contextmanager
def _failures_named(path: object, action: str = "write") -> Iterator[None]:
    """Turn the system's refusals into `SnapshotError`s."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise SnapshotError(f"cannot {action} it: {reason}", path=error.filename or path) from error


def _settled(place: Place, name: str) -> dict[str, Any]:
    """Return what a file says that may be replaced this moment; some stores show it before all of it is written."""
    for _ in range(_LOOKS - 1 if storage.is_remote(place.path) else 0):
        with suppress(SnapshotError):
            return _json(place, name)
        time.sleep(_PAUSE)
    return _json(place, name)


def _json(place: Place, name: str) -> dict[str, Any]:
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
        raise SnapshotError(f"this is not JSON, so truncated, altered or foreign: {_DAMAGED}", path=file) from None
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise SnapshotError("this is another program's file, not an index of Watchword", path=file)
    written_by = body.get("format_version", FORMAT_VERSION)
    if isinstance(written_by, int) and written_by > FORMAT_VERSION:
        raise SnapshotError(
            f"the index has format {written_by}, this version reads {FORMAT_VERSION}: upgrade watchword", path=file
        )
    return body
