"""The files of a shard: its snapshot, and beside it the atoms that it owns and the ids that it takes from its base.

shards/0003-000008-<hex>/manifest.json …       the snapshot (`watchword.snapshot`)
shards/0003-000008-<hex>/owned.npy             hashes of the atoms that it owns (`index.routing`), with a checksum
shards/0003-000008-<hex>/gone.arrow            the ids of its base that were removed or replaced, with a checksum
versions/000007.counts.npy                     how often each bucket of atoms occurs: places later subscriptions
"""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword import snapshot, storage
from watchword.arrays import UInt64
from watchword.errors import SnapshotError
from watchword.index import Index
from watchword.index.routing import BUCKETS
from watchword.shards.reading import DAMAGED, failures_named
from watchword.shards.version import Shard, Version
from watchword.storage import copies
from watchword.strings import one_chunk

OWNED, OWNED_CHECKSUM = "owned.npy", "owned.sha256"
GONE, GONE_CHECKSUM = "gone.arrow", "gone.sha256"


def save_shard(
    index: Index, path: str, folder: str, owned: UInt64 | None = None, gone: pa.Array | None = None
) -> Shard:
    """Save an index as a shard, with the atoms that it owns if they are known.

    With `gone` it is saved as the changes of another shard, in which these ids no longer count.
    """
    if not storage.is_remote(path):
        return _save(index, Path(path) / folder, folder, owned, gone)
    from watchword.storage.objects import ObjectPlace

    place = ObjectPlace(path)
    with copies.of_this_machine().scratch() as aside, failures_named(place.label(folder)):
        shard = _save(index, aside, folder, owned, gone)
        (aside / snapshot.LOCK).unlink(missing_ok=True)
        place.store(aside, folder)
    return shard


def _save(index: Index, target: Path, folder: str, owned: UInt64 | None, gone: pa.Array | None) -> Shard:
    number = index.save(target)
    if owned is not None:
        _write_checked(target, OWNED, OWNED_CHECKSUM, _array_bytes(owned))
    if gone is not None:
        _write_checked(target, GONE, GONE_CHECKSUM, _column_bytes(gone))
    size = sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
    return Shard(folder, number, len(index), size, None if owned is None else len(owned) - 1)


def _write_checked(target: Path, name: str, checksum: str, content: bytes) -> None:
    with failures_named(target / name):
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
    """Map the hashes of the atoms that a shard owns; `atoms` is their number."""
    file = folder / OWNED
    try:
        owned: UInt64 = np.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise SnapshotError(f"cannot read it ({error}): {DAMAGED}", path=file) from error
    if owned.dtype != np.uint64 or owned.shape != (atoms + 1,) or owned[0] > atoms:
        raise SnapshotError(f"altered, its parts do not fit together: {DAMAGED}", path=file)
    return owned


def load_gone(folder: Path) -> pa.Array:
    """Return the ids that the changes in this folder take from the shard below them."""
    file = folder / GONE
    try:
        content, checksum = file.read_bytes(), (folder / GONE_CHECKSUM).read_text(encoding="ascii", errors="replace")
    except OSError as error:
        raise SnapshotError(f"cannot read it ({error}): {DAMAGED}", path=file) from error
    if hashlib.sha256(content).hexdigest() != checksum:
        raise SnapshotError(f"altered, its checksum does not hold: {DAMAGED}", path=file)
    with pa.ipc.open_stream(content) as stream:
        return one_chunk(stream.read_all()["id"])


def save_counts(path: str, version: int, counts: npt.NDArray[np.int32]) -> str:
    """Write the counts by which subscriptions are placed, for updates; return the file's name in the index."""
    name, place = f"versions/{version:06}.counts.npy", storage.place(path)
    with failures_named(place.label(name)):
        place.write(name, _array_bytes(counts))
    return name


def load_counts(version: Version) -> npt.NDArray[np.int32]:
    """Return the counts by which a version's subscriptions are placed."""
    place, name = storage.place(version.path), str(version.counts)
    try:
        counts: npt.NDArray[np.int32] = np.load(io.BytesIO(place.read(name)), allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise SnapshotError(f"cannot read it ({error}): {DAMAGED}", path=place.label(name)) from error
    if counts.dtype != np.int32 or counts.shape != (BUCKETS,):
        raise SnapshotError(f"altered, these are no counts: {DAMAGED}", path=place.label(name))
    return counts
