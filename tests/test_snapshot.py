"""The snapshot format: what is written comes back, damage is noticed, and no crash loses the old one."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from watchword import Index, KeywordIndex, PathIndex, PatternIndex, snapshot
from watchword.errors import SnapshotError

ARRAYS = {
    "terms": np.arange(10, dtype=np.int32),
    "terms.offsets": np.array([0, 4, 10], np.int64),
    "empty": np.empty(0, np.int32),
    "grid": np.asfortranarray(np.arange(6, dtype=np.float64).reshape(2, 3)),
    "hollow": np.empty((3, 0), np.uint8),
    "scalar": np.array(7, np.int64),
    "flags": np.array([True, False]),
    "names": np.array(["a", "βήτα"]),
}
META = {"method": "auto", "options": {"limit": 64}, "words": ["ναι", None, 1.5]}


def write(path: Path, **changes: object) -> int:
    return snapshot.write(path, **({"language": "keywords", "meta": META, "arrays": ARRAYS} | changes))


def file_of(path: Path, name: str) -> Path:
    (found,) = path.glob(f"data-*/{name}.npy")
    return found


def rewrite_manifest(path: Path, **changes: object) -> None:
    """Change the manifest and put its checksum right, as another version of the program would."""
    manifest = json.loads((path / "manifest.json").read_bytes()) | changes
    del manifest["checksum"]
    manifest["checksum"] = snapshot._checksum(manifest)
    (path / "manifest.json").write_text(json.dumps(manifest))


def fails(path: Path, *words: str, opener=snapshot.read) -> SnapshotError:
    with pytest.raises(SnapshotError) as caught:
        opener(path)
    for word in words:
        assert word in str(caught.value)
    return caught.value


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "index"
    assert write(path) == 1
    for opener in (snapshot.read, snapshot.verify):
        opened = opener(path)
        assert (opened.path, opened.version, opened.language, opened.meta) == (path, 1, "keywords", META)
        assert opened.arrays.keys() == ARRAYS.keys()
        for name, array in ARRAYS.items():
            got = opened.arrays[name]
            assert type(got) is np.ndarray
            assert (got.dtype, got.shape) == (array.dtype, array.shape)
            assert got.flags.writeable and got.flags.c_contiguous
            np.testing.assert_array_equal(got, array)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    array=npst.arrays(
        st.sampled_from(["<i4", "<i8", "|u1", "<f8", "|b1", "<U3", "|S2", "<M8[s]", ">i2"]),
        npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    )
)
def test_any_plain_array_survives(tmp_path: Path, array: np.ndarray) -> None:
    write(tmp_path / "index", arrays={"it": array})
    got = snapshot.verify(tmp_path / "index").arrays["it"]
    assert (got.dtype, got.shape, got.tobytes()) == (array.dtype, array.shape, array.tobytes())


def test_an_array_larger_than_one_chunk(tmp_path: Path) -> None:
    array = np.random.default_rng(5).integers(0, 1 << 40, snapshot._CHUNK // 8 + 999)
    write(tmp_path / "index", arrays={"it": array[::2], "all": array})
    got = snapshot.verify(tmp_path / "index").arrays
    np.testing.assert_array_equal(got["it"], array[::2])
    np.testing.assert_array_equal(got["all"], array)


def test_changes_stay_in_the_process(tmp_path: Path) -> None:
    write(tmp_path)
    first, second = snapshot.read(tmp_path), snapshot.read(tmp_path)
    first.arrays["terms"][:] = 99
    np.testing.assert_array_equal(second.arrays["terms"], ARRAYS["terms"])
    snapshot.verify(tmp_path)


def test_a_second_version_replaces_the_first_and_open_maps_live_on(tmp_path: Path) -> None:
    write(tmp_path)
    old = snapshot.read(tmp_path)
    assert write(tmp_path, arrays={name: old.arrays[name] for name in ("terms", "empty")}) == 2
    new = snapshot.verify(tmp_path)
    assert (new.version, new.arrays.keys()) == (2, {"terms", "empty"})
    np.testing.assert_array_equal(old.arrays["terms.offsets"], [0, 4, 10])
    assert len(list(tmp_path.glob("data-*"))) == 1


def test_nothing_but_names_is_needed_to_read(tmp_path: Path) -> None:
    write(tmp_path, arrays={}, meta={1: "one", 10: "ten", 2: "two"})
    opened = snapshot.verify(tmp_path)
    assert (opened.arrays, opened.meta) == ({}, {"1": "one", "10": "ten", "2": "two"})


def test_refused_arrays_names_and_meta_leave_the_old_version(tmp_path: Path) -> None:
    write(tmp_path)
    for changes, word in [
        ({"arrays": {"../out": np.zeros(1)}}, "dotted identifier"),
        ({"arrays": {"a..b": np.zeros(1)}}, "dotted identifier"),
        ({"arrays": {"it": np.array([{}], object)}}, "dtype object"),
        ({"arrays": {"it": np.zeros(1, "i4,i4")}}, "dtype"),
        ({"meta": {"it": {1, 2}}}, "JSON"),
        ({"meta": {"it": float("nan")}}, "JSON"),
    ]:
        with pytest.raises(SnapshotError, match=word):
            write(tmp_path, **changes)
        assert snapshot.verify(tmp_path).version == 1
        assert len(list(tmp_path.glob("data-*"))) == 1


def test_foreign_folders_are_refused_untouched(tmp_path: Path) -> None:
    (tmp_path / "thesis.pdf").write_text("dear")
    with pytest.raises(SnapshotError, match=r"other files \(thesis.pdf\)"):
        write(tmp_path)
    fails(tmp_path, "no Watchword snapshot", "manifest.json")
    (tmp_path / "manifest.json").write_text('{"name": "a web app"}')
    with pytest.raises(SnapshotError, match="another program"):
        write(tmp_path)
    fails(tmp_path, "another program", str(tmp_path / "manifest.json"))
    assert (tmp_path / "thesis.pdf").read_text() == "dear"
    assert not list(tmp_path.glob("data-*"))


def test_paths_that_are_no_folders(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    fails(file, "this is a file", str(file))
    with pytest.raises(SnapshotError, match="this is a file"):
        write(file)
    with pytest.raises(SnapshotError, match="Not a directory"):
        write(file / "below")
    fails(tmp_path / "absent", "no such folder", "absent")


def test_the_language_is_checked(tmp_path: Path) -> None:
    write(tmp_path, language="paths")
    assert snapshot.read(tmp_path, "paths").language == "paths"
    fails(tmp_path, "'paths'", "'keywords'", opener=lambda path: snapshot.read(path, "keywords"))


def test_a_newer_format_asks_for_an_upgrade_and_is_not_overwritten(tmp_path: Path) -> None:
    write(tmp_path)
    newer = snapshot.FORMAT_VERSION + 1
    rewrite_manifest(tmp_path, format_version=newer)
    fails(tmp_path, f"format {newer}", "upgrade watchword")
    with pytest.raises(SnapshotError, match="upgrade watchword"):
        write(tmp_path)


def test_a_snapshot_of_format_8_is_read(tmp_path: Path) -> None:
    """Whoever raises the number refuses all snapshots that were saved before: then, and only then, change it here."""
    write(tmp_path)
    assert json.loads((tmp_path / "manifest.json").read_bytes())["format_version"] == 8
    rewrite_manifest(tmp_path, format_version=8)
    assert snapshot.read(tmp_path).version == 1


@pytest.mark.parametrize("older", range(1, snapshot.FORMAT_VERSION))
def test_an_older_format_asks_to_be_built_anew_and_can_be(tmp_path: Path, older: int) -> None:
    write(tmp_path)
    rewrite_manifest(tmp_path, format_version=older)
    fails(tmp_path, f"format {older}", f"this version reads {snapshot.FORMAT_VERSION}", "build it anew")
    write(tmp_path)
    assert snapshot.read(tmp_path).version == 2


@pytest.mark.parametrize("cut", [0, 1, 100, -1])
def test_a_truncated_manifest(tmp_path: Path, cut: int) -> None:
    write(tmp_path)
    manifest = tmp_path / "manifest.json"
    manifest.write_bytes(manifest.read_bytes()[:cut])
    fails(tmp_path, "truncated", "save the index again", str(manifest))
    assert list(tmp_path.glob("data-*"))


@pytest.mark.parametrize(
    "changes",
    [
        {"language": "paths"},
        {"version": 7},
        {"files": []},
        {"data": "data-1-00"},
    ],
)
def test_an_altered_manifest(tmp_path: Path, changes: dict[str, object]) -> None:
    write(tmp_path)
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | changes))
    fails(tmp_path, "altered", str(manifest))


@pytest.mark.parametrize(
    "changes",
    [
        {"data": "../elsewhere"},
        {"data": ["x"]},
        {"files": [{"name": "../x", "bytes": 1, "sha256": "", "dtype": "<i4", "shape": [1]}]},
        {"files": [{"name": "x"}]},
        {"meta": None},
    ],
)
def test_a_manifest_cannot_point_outside(tmp_path: Path, changes: dict[str, object]) -> None:
    write(tmp_path)
    rewrite_manifest(tmp_path, **changes)
    fails(tmp_path, "altered")


def test_missing_and_truncated_files(tmp_path: Path) -> None:
    write(tmp_path)
    terms = file_of(tmp_path, "terms")
    content = terms.read_bytes()
    terms.write_bytes(content[:-1])
    fails(tmp_path, "truncated", "167 bytes instead of 168", str(terms))
    terms.write_bytes(content + b"x")
    fails(tmp_path, "altered", str(terms))
    terms.unlink()
    fails(tmp_path, "missing", "save the index again", str(terms))


def test_every_changed_byte_is_noticed_by_verify(tmp_path: Path) -> None:
    write(tmp_path)
    for file in sorted(tmp_path.glob("data-*/*.npy")):
        content = file.read_bytes()
        for place in (0, 6, 9, 20, 60, len(content) - 1):
            file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
            fails(tmp_path, "altered", str(file), opener=snapshot.verify)
        file.write_bytes(content)
    snapshot.verify(tmp_path)


def test_another_array_in_place_of_one_is_noticed_at_once(tmp_path: Path) -> None:
    write(tmp_path)
    np.save(file_of(tmp_path, "terms"), np.arange(5, dtype=np.int64))
    fails(tmp_path, "header", str(file_of(tmp_path, "terms")))


class Bomb:
    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("exploded",)


def test_nothing_is_ever_unpickled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "index")
    for name in ("terms", "empty"):  # the mapped way and the empty way
        file = file_of(tmp_path / "index", name)
        size = file.stat().st_size
        file.write_bytes(pickle.dumps(Bomb()).ljust(size, b"."))
        fails(tmp_path / "index", "altered", str(file))
        np.save(file, np.array([Bomb()], object), allow_pickle=True)
        file.write_bytes(file.read_bytes()[:size].ljust(size, b"."))
        fails(tmp_path / "index", "altered", str(file))
        write(tmp_path / "index")
    assert not (tmp_path / "exploded").exists()


def test_refused_permission_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path)

    def refuse(path: Path, *_: object, **__: object) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)  # the tests may run as root, whom nothing is refused
    fails(tmp_path, "no permission to read", "mode", str(tmp_path / "manifest.json"))
    monkeypatch.undo()
    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(SnapshotError, match="no permission to write"):
        write(tmp_path)
    monkeypatch.undo()
    assert snapshot.verify(tmp_path).version == 1


@pytest.mark.parametrize("step", ["_write_array", "_sync_folder", "_publish"])
def test_a_failed_save_keeps_the_old_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    write(tmp_path)

    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(snapshot, step, no_space)
    with pytest.raises(SnapshotError, match="No space left"):
        write(tmp_path, arrays={"terms": np.zeros(3)})
    monkeypatch.undo()
    assert snapshot.verify(tmp_path).version == 1
    assert len(list(tmp_path.glob("data-*"))) == 1
    assert write(tmp_path) == 2


KILLED = textwrap.dedent(
    """
    import os, signal, sys
    import numpy as np
    from pathlib import Path
    from watchword import snapshot
    from watchword.errors import SnapshotError

    STEPS = {"open", "write", "flush", "fsync", "mkdir", "replace", "unlink", "rmdir", "flock"}

    def save(path, value):
        arrays = {name: np.full(1000, value, np.int32) for name in ("a", "b", "c")}
        return snapshot.write(path, language="keywords", meta={"value": value}, arrays=arrays)

    def killed_at(step, path, value):
        # A child that saves and dies right before its step-th touch of the file system; whether it died.
        child = os.fork()
        if child == 0:
            left = [step]
            def hook(frame, event, function):
                if event == "c_call" and function.__name__ in STEPS:
                    left[0] -= 1
                    if left[0] < 0:
                        os.kill(os.getpid(), signal.SIGKILL)
            sys.setprofile(hook)
            save(path, value)
            os._exit(0)
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])

    def whole(path):
        opened = snapshot.verify(path)
        values = {int(v) for array in opened.arrays.values() for v in array}
        assert values == {opened.meta["value"]}, values
        return opened

    root, seen = Path(sys.argv[1]), set()
    step = 0
    while killed_at(step, root / f"again-{step}", 1):
        step += 1
    for step in range(step + 12):
        path = root / f"first-{step}"
        died = killed_at(step, path, 1)      # the first save ever
        try:
            whole(path)
        except SnapshotError:
            assert died
        old = save(path, 2)                  # what the dead left does not disturb
        died = killed_at(step, path, 3)      # a save over an old snapshot
        opened = whole(path)
        assert opened.version - old == opened.meta["value"] - 2, "neither the old nor the new"
        seen.add((died, opened.meta["value"]))
        assert save(path, 4) == opened.version + 1
        assert whole(path).meta["value"] == 4
        assert sorted(entry.name.split("-")[0] for entry in path.iterdir()) == [
            ".watchword.lock", "data", "manifest.json"
        ]
    assert seen == {(True, 2), (True, 3), (False, 3)}, seen
    print("steps", step)
    """
)


def test_what_a_killed_writer_left_is_gone_before_the_next_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path)
    (tmp_path / "data-2-0123456789abcdef").mkdir()
    (tmp_path / "manifest.json.tmp").touch()
    found: list[int] = []
    real = snapshot._write_array

    def spied(data: Path, name: str, array: np.ndarray) -> dict:
        found.append(len(list(tmp_path.glob("data-*"))))
        return real(data, name, array)

    monkeypatch.setattr(snapshot, "_write_array", spied)
    write(tmp_path)
    assert set(found) == {2} and len(list(tmp_path.glob("data-*"))) == 1


def test_altered_conditions_are_named_in_a_plain_open(tmp_path: Path) -> None:
    PathIndex({1: "//a[@x][@y='1']/b"}).save(tmp_path)
    file = file_of(tmp_path, "labels.conditions")
    array = np.load(file)
    for number in (-100, 1 << 20):
        array[-1] = number
        np.save(file, array)
        with pytest.raises(SnapshotError, match="do not fit together") as caught:
            Index.open(tmp_path)
        assert caught.value.path == tmp_path


@pytest.mark.slow
def test_a_writer_killed_at_any_step_loses_nothing(tmp_path: Path) -> None:
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[1]) > 20


RACER = textwrap.dedent(
    """
    import sys
    import numpy as np
    from watchword import snapshot

    path, value = sys.argv[1], int(sys.argv[2])
    for turn in range(15):
        arrays = {name: np.full(500, value, np.int32) for name in ("a", "b", "c")}
        print(snapshot.write(path, language="keywords", meta={"value": value}, arrays=arrays))
    """
)


@pytest.mark.slow
def test_two_writers_and_a_reader_race(tmp_path: Path) -> None:
    path = tmp_path / "index"
    write(path, meta={"value": 0}, arrays={name: np.zeros(500, np.int32) for name in "abc"})
    writers = [
        subprocess.Popen([sys.executable, "-c", RACER, str(path), str(value)], stdout=subprocess.PIPE, text=True)
        for value in (1, 2)
    ]
    reads = 0
    while any(writer.poll() is None for writer in writers):
        opened = snapshot.read(path)
        assert all((array == opened.meta["value"]).all() for array in opened.arrays.values())
        reads += 1
    versions = [int(line) for writer in writers for line in writer.communicate()[0].split()]
    assert sorted(versions) == list(range(2, 32))
    assert snapshot.verify(path).version == 31
    assert reads and len(list(path.glob("data-*"))) == 1


def test_a_reader_overtaken_by_a_writer_takes_the_new_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path)
    read_manifest, turns = snapshot._read_manifest, []

    def overtaken(folder: Path) -> dict[str, object]:
        manifest = read_manifest(folder)
        if len(turns) < 2 and threading.current_thread() is threading.main_thread():
            turns.append(manifest["version"])
            writer = threading.Thread(target=write, args=(tmp_path,))
            writer.start()
            writer.join()
        return manifest

    monkeypatch.setattr(snapshot, "_read_manifest", overtaken)
    assert snapshot.read(tmp_path).version == 3
    assert turns == [1, 2]


@pytest.mark.parametrize(
    ("name", "value"),
    [("bytes", "12"), ("bytes", None), ("shape", 3), ("shape", ["3"]), ("dtype", 4), ("sha256", []), ("name", 5)],
)
def test_a_manifest_whose_values_are_of_the_wrong_kind(tmp_path: Path, name: str, value: object) -> None:
    write(tmp_path)
    files = json.loads((tmp_path / "manifest.json").read_bytes())["files"]
    files[0][name] = value
    rewrite_manifest(tmp_path, files=files)
    fails(tmp_path, "the manifest was altered")
    fails(tmp_path, "the manifest was altered", opener=snapshot.verify)


@pytest.mark.parametrize("files", [{}, 7, [7], ["name"], None])
def test_a_manifest_whose_files_are_no_list(tmp_path: Path, files: object) -> None:
    write(tmp_path)
    rewrite_manifest(tmp_path, files=files)
    fails(tmp_path, "the manifest was altered")


def test_a_manifest_that_is_nested_too_deeply(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "manifest.json").write_text("[" * 200_000)
    fails(tmp_path, "this is not JSON")


def test_an_index_is_opened_after_reading_every_byte(tmp_path: Path) -> None:
    KeywordIndex({"s1": "greece crisis", "s2": "bailout"}).save(tmp_path)
    for kind in (Index, KeywordIndex):
        assert kind.open(tmp_path, verify=True).match("Greece in crisis") == ["s1"]
    file = max(tmp_path.glob("data-*/*.npy"), key=lambda one: one.stat().st_size)
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    KeywordIndex.open(tmp_path)  # in milliseconds, whatever the size: contents are not looked at
    for kind in (Index, KeywordIndex):
        with pytest.raises(SnapshotError, match="altered, its checksum does not hold"):
            kind.open(tmp_path, verify=True)
    with pytest.raises(SnapshotError, match="language"):
        PatternIndex.open(tmp_path, verify=True)
