"""What a document may be given as."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from watchword.errors import EventError
from watchword.paths.parsing.documents import chunks, load, load_many, stream_of
from watchword.paths.parsing.guards import Guards

GUARDS = Guards(max_bytes=1000)


def test_bytes_and_texts() -> None:
    assert load(b"<a/>", GUARDS) == (b"<a/>", False)
    assert load(bytearray(b"<a/>"), GUARDS) == (b"<a/>", False)
    assert load(memoryview(b"<a/>"), GUARDS) == (b"<a/>", False)
    assert load("<ü/>", GUARDS) == ("<ü/>".encode(), True)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"<a/>")
    assert load(path, GUARDS) == (b"<a/>", False)
    with path.open("rb") as file:
        assert load(file, GUARDS) == (b"<a/>", False)
    with path.open(encoding="utf-8") as text:
        assert load(text, GUARDS) == (b"<a/>", True)
    assert load(io.BytesIO(b"<a/>"), GUARDS) == (b"<a/>", False)
    assert load(io.StringIO("<ü/>"), GUARDS) == ("<ü/>".encode(), True)


def test_a_file_comes_in_chunks(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"x" * 2_500_000)
    assert [len(chunk.data) for chunk in chunks(path)] == [1 << 20, 1 << 20, 2_500_000 - (2 << 20)]


def test_a_file_is_read_no_further_than_the_guard() -> None:
    class Endless:
        count = 0

        def read(self, size: int) -> bytes:
            self.count += 1
            return b"x" * 600

    file = Endless()
    with pytest.raises(EventError, match="longer than 1000 bytes"):
        load(file, GUARDS)
    assert file.count == 2


def test_the_name_of_a_file_is_no_document(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"<a/>")
    with pytest.raises(EventError, match="this is the name of a file; give pathlib") as caught:
        load(str(path), GUARDS)
    assert repr(str(path)) in caught.value.reason
    assert load("no file\0 at all", GUARDS).decoded


def test_what_is_no_document(tmp_path: Path) -> None:
    with pytest.raises(EventError, match="a int is no document; expected bytes, str, a path"):
        load(7, GUARDS)
    with pytest.raises(EventError, match="a NoneType is no document"):
        load(None, GUARDS)
    with pytest.raises(EventError, match="No such file"):
        load(tmp_path / "missing.xml", GUARDS)
    with pytest.raises(EventError, match="Is a directory"):
        load(tmp_path, GUARDS)
    with pytest.raises(EventError, match="character 1 is a lone surrogate"):
        load("<\ud800/>", GUARDS)

    class Odd:
        def read(self, size: int) -> int:
            return 7

    with pytest.raises(EventError, match="gives int; expected bytes or str"):
        load(Odd(), GUARDS)


def test_many_at_once_and_which_is_bad() -> None:
    strings, decoded = load_many(["<a/>", b"<b/>"], GUARDS)
    assert [strings.text(0), strings.text(1)] == ["<a/>", "<b/>"]
    assert decoded.tolist() == [1, 0]
    with pytest.raises(EventError) as caught:
        load_many([b"<a/>", None], GUARDS)
    assert caught.value.position == 1
    assert load_many([], GUARDS)[0].count == 0


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.xml").write_bytes(b"<a>\xe9</a>")
    closed = (tmp_path / "latin.xml").open("rb")
    closed.close()
    with pytest.raises(EventError, match=r"the file cannot be read: .*closed"):
        list(chunks(closed))
    with (
        (tmp_path / "latin.xml").open(encoding="utf-8") as text,
        pytest.raises(EventError, match=r"cannot be read: .*utf-8"),
    ):
        list(chunks(text))


@pytest.mark.parametrize(
    ("given", "remedy"), [(Path("a.xml"), r"open\('a.xml', 'rb'\)"), (b"<a/>", "io.BytesIO"), ("<a/>", "io.StringIO")]
)
def test_a_stream_is_an_open_file(given: object, remedy: str) -> None:
    with pytest.raises(EventError, match=f"a stream is an open file, not .*; give {remedy}"):
        stream_of(given)
    with pytest.raises(EventError, match="a list is no open file"):
        stream_of([])
