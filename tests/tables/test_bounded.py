"""Lines without end, files of thousands of columns, rows that cannot be read: one clear error, or left out and told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from watchword import PredicateIndex
from watchword.tables import Events, TableError, sources


def read(path: Path, **given: Any) -> tuple[list[Any], list[int]]:
    """Return the ids of the events of a file, and the numbers of its rows that were left out."""
    with Events(str(path), **given) as events:
        ids = [id for batch in events for id in batch.ids.to_pylist()]
        return ids, sorted(number for number, _ in events.refused)


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl"])
def test_a_line_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(sources, "_READ", 100)
    monkeypatch.setattr(sources, "LINE_BYTES", 1000)
    path = tmp_path / name
    text = '{"text": "%s"}\n'
    path.write_text(text % ("x" * 900) + text % "y")
    assert read(path) == ([1, 2], [])
    path.write_text(text % "y" + text % ("x" * 1100))
    with pytest.raises(TableError, match="line 2: a line of more than"):
        read(path, skip=True)


def test_a_line_without_end_is_not_read_to_its_end() -> None:
    with pytest.raises(TableError, match="/dev/zero: line 1: a line of more than 64 MiB"):
        read(Path("/dev/zero"))


@pytest.mark.slow
def test_columns_have_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{n}" for n in range(10_000)) + "\n" + "1," * 9_999 + "tea\n")
    assert read(path, text="c9999") == ([1], [])
    path.write_text(",".join(f"c{n}" for n in range(10_001)) + "\n")
    with pytest.raises(TableError, match="at most 10,000 columns"):
        read(path, text="c9999")


def test_a_header_without_end(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_bytes(b"x" * (1 << 23))
    with pytest.raises(TableError, match="its header is longer than 4 MiB"):
        read(path)


ROWS = {
    "a.jsonl": b'{"text": "tea", "i": "a"}\n{}\n{"text": "\xff", "i": "c"}\n[1]\n\n{"text": "tea", "i": "e"}\n',
    "a.txt": b"tea\n\xff\ntea\n",
}


@pytest.mark.parametrize(
    ("name", "given", "kept", "refused"),
    [
        ("a.jsonl", {}, [1, 6], [2, 3, 4]),
        ("a.jsonl", {"text": "text", "event_id": "i"}, ["a", "e"], [2, 3, 4]),
        ("a.jsonl", {"objects": "json"}, [1, 2, 4, 6], [3]),
        ("a.jsonl", {"objects": "json", "event_id": "i"}, ["a", "e"], [2, 3, 4]),
        ("a.txt", {}, [1, 3], [2]),
    ],
)
def test_rows_that_cannot_be_read_are_left_out(
    tmp_path: Path, name: str, given: dict, kept: list, refused: list[int]
) -> None:
    path = tmp_path / name
    path.write_bytes(ROWS[name])
    with pytest.raises(TableError, match=r"line [23]: "):
        read(path, **given)
    assert read(path, **given, skip=True) == (kept, refused)


def test_an_object_of_many_keys_makes_no_columns() -> None:
    index = PredicateIndex({"a": "a = 1", "last": "k9999 = 9999"})
    wide = "{" + ", ".join(f'"k{n}": {n}' for n in range(10_000)) + "}"
    events = ['{"a": 1}'] * 20 + [wide]
    for form in (events, pa.array(events)):
        assert index.match_many(form)["event"].to_pylist() == list(range(21))
