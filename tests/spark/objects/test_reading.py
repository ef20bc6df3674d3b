"""Shards of an object store on a worker: copied once, checked as they are copied, mapped from there. No Spark here."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest
from pyarrow import fs

from tests.spark.objects.conftest import key
from watchword import Index, KeywordIndex
from watchword.errors import SnapshotError
from watchword.shards import Shard, Version, opening, publish, save_shard, shard_folder
from watchword.shards import cache as shard_cache
from watchword.spark import build, resolve


def altered(files: fs.FileSystem, object_key: str) -> None:
    """Change the last byte of an object."""
    with files.open_input_stream(object_key) as stream:
        content = bytearray(stream.read())
    content[-1] ^= 1
    with files.open_output_stream(object_key) as stream:
        stream.write(bytes(content))


def copied(cache: Path) -> set[str]:
    return {entry.name for entry in cache.glob("*/*") if entry.is_dir()}


def test_a_shard_is_copied_once_and_then_needs_no_store(url: str, files: fs.FileSystem, cache: Path) -> None:
    build(KeywordIndex({"a": "greece AND crisis"}), url)
    version = resolve(url)
    assert shard_cache.shard(version, 0).match("crisis in greece") == ["a"]
    assert copied(cache) == {Path(version.shards[0].folder).name}
    files.delete_dir(key(url, version.shards[0].folder))
    shard_cache._open.clear()  # another worker of the machine
    assert shard_cache.shard(version, 0).match("crisis in greece") == ["a"]


def test_a_shard_is_in_use_as_long_as_it_is_open(
    url: str, server: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHWORD_CACHE_BYTES", "1")
    other = url.replace("/index", "/other")
    for place in (url, other):
        build(KeywordIndex({"a": "greece"}), place)
    first = opening.open_shard(resolve(url), 0)
    second = opening.open_shard(resolve(other), 0)
    assert len(copied(cache)) == 2 and first.match("greece") == second.match("greece") == ["a"]
    del first
    gc.collect()
    build(KeywordIndex({"b": "imf"}), url)
    third = opening.open_shard(resolve(url), 0)
    assert copied(cache) == {Path(resolve(place).shards[0].folder).name for place in (url, other)}
    assert third.match("imf") == ["b"] and second.match("greece") == ["a"]


def test_a_damaged_or_missing_object_is_named_and_no_copy_stays(url: str, files: fs.FileSystem, cache: Path) -> None:
    build(KeywordIndex({"a": "greece"}), url)
    version = resolve(url)
    shard = version.shards[0].folder
    data = next(
        info.path
        for info in files.get_file_info(fs.FileSelector(key(url, shard), recursive=True))
        if info.base_name == "catalog.texts.data.npy"
    )
    altered(files, data)
    with pytest.raises(SnapshotError, match="altered, its checksum does not hold") as raised:
        opening.open_shard(version, 0)
    assert raised.value.path == f"s3://{data}"
    with pytest.raises(SnapshotError, match="shard 0 of version 1 cannot be opened"):
        shard_cache.shard(version, 0)
    files.delete_file(data)
    with pytest.raises(SnapshotError, match="the file is missing"):
        opening.open_shard(version, 0)
    files.delete_dir(key(url, shard))
    with pytest.raises(SnapshotError, match=r"cannot be copied to this machine \(there is nothing at s3://"):
        opening.open_shard(version, 0)
    assert copied(cache) == set()


def test_what_a_shard_owns_is_copied_without_the_shard(url: str, files: fs.FileSystem, cache: Path) -> None:
    atoms = np.array([2, 5, 9], np.uint64)
    index: Index = KeywordIndex({"a": "greece"})
    path = url.partition("?")[0]
    shards: list[Shard] = [save_shard(index, url, shard_folder(number, 1), atoms) for number in range(2)]
    version = Version(url, 1, "keywords", "string", tuple(shards))
    publish(version, 1)
    assert version.shards[0].atoms == 2
    table = opening.map_owned(version, 0)
    assert table is not None and table.tolist() == [2, 5, 9]
    assert copied(cache) == {f"{Path(version.shards[0].folder).name}.owned"}
    altered(files, key(url, f"{version.shards[1].folder}/owned.npy"))
    with pytest.raises(SnapshotError, match=rf"{path}/shards/.*/owned.npy: altered, its checksum"):
        opening.map_owned(version, 1)
