"""Files that are there whole or not at all, and locks that say who holds them."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from watchword.files import locked, make_private_folder, parse_json, remove_temporaries, replaced, write_json


def no_room(descriptor: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_the_old_content_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.json"
    write_json(file, {"n": 1})
    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(OSError, match="No space left"):
        write_json(file, {"n": 2})
    assert parse_json(file.read_bytes()) == {"n": 1}
    assert list(tmp_path.iterdir()) == [file]


def test_what_a_killed_writer_left_aside_can_be_removed(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), replaced(tmp_path / "a"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    for name in (".a.json-0011.tmp", "kept.tmp", "b.json"):
        (tmp_path / name).touch()
    remove_temporaries(tmp_path)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["b.json", "kept.tmp"]
    remove_temporaries(tmp_path / "nowhere")


def test_a_lock_names_its_holder(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    words = f"process {os.getpid()} on .*, since "
    with locked(file), pytest.raises(TimeoutError, match=words), locked(file, patience=0):
        pass
    with locked(file, patience=0):
        pass


@pytest.mark.parametrize("text", ["", "{", "[" * 200_000, '{"a":' * 200_000, b"\xff\xfe", b'"\xe9"'])
def test_what_is_no_json_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(text)


def test_new_folders_are_private_and_old_ones_keep_their_mode(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir(mode=0o755)
    (tmp_path / "old").chmod(0o755)
    make_private_folder(tmp_path / "old" / "a" / "b")
    modes = [(tmp_path / name).stat().st_mode & 0o777 for name in ("old", "old/a", "old/a/b")]
    assert modes == [0o755, 0o700, 0o700]
