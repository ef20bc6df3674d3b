"""Streams of documents: boundaries that the parser finds, documents that are malformed, memory that stays small."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.paths.asking import NAMES, Condition, Node, asking, condition_lists, nodes, walked
from watchword.errors import EventError
from watchword.kernels.paths.moves import END
from watchword.paths.parsing import expat, streams
from watchword.paths.parsing.batch import KernelParser
from watchword.paths.parsing.guards import Guards
from watchword.paths.parsing.streams import Piece, documents_in, stream

TEXTS: list[Condition] = [("*", frozenset({("", "t")}))]


class Dribble(io.RawIOBase):
    """A file that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__()
        self._data, self._size, self._at = data, size, 0

    def read(self, size: int = -1) -> bytes:
        start, self._at = self._at, self._at + min(size, self._size)
        return self._data[start : self._at]


def pieces(
    data: bytes | str, conditions: list[Condition] | None = None, size: int = 1 << 20, **guards: int
) -> Iterator[Piece]:
    file = io.StringIO(data) if isinstance(data, str) else Dribble(data, size)
    both = asking(NAMES, conditions or [])
    return stream(file.read, lambda: both, Guards(**guards))


def documents(found: Iterator[Piece]) -> dict[int, list[int] | str]:
    """Return the moves of each document, or what is wrong with it."""
    moves: dict[int, list[int]] = {}
    answers: dict[int, list[int] | str] = {}
    for piece in found:
        assert piece.document not in answers
        moves.setdefault(piece.document, []).extend(piece.moves.tolist())
        if piece.ended:
            answers[piece.document] = piece.error.reason if piece.error else moves[piece.document]
            assert piece.error is None or piece.error.position == piece.document
            codes = moves[piece.document]
            assert codes.count(END) == sum(code >= 0 for code in codes)
    assert set(moves) == set(answers)
    return answers


heads = st.sampled_from(
    [
        "",
        "<?xml version='1.0'?>",
        "<!DOCTYPE a>",
        "<?xml version='1.0'?>\n<!DOCTYPE a SYSTEM 'x'>",
        "<!DOCTYPE a []>",
        "\ufeff",
    ]
)
between = st.sampled_from(
    ["", "\n", "\r\n", " \r\n\r", "\r\r\n\n ", "<!-- ü -->", "\n<?p <a?>\n", "<!-- <?xml version='1.0'?> -->"]
)


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.lists(st.tuples(heads, nodes, between), min_size=1, max_size=5),
    condition_lists(texts=True),
    st.integers(1, 40) | st.just(1 << 20),
    st.integers(1, 100),
)
def test_documents_are_told_apart(
    parts: list[tuple[str, Node, str]], conditions: list[Condition], size: int, first: int
) -> None:
    data = "".join(head + root.xml() + tail for head, root, tail in parts).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "_FIRST", first)
        found = documents(pieces(data, conditions, size))
        patch.setattr(expat, "functions", lambda: None)
        plain = documents(pieces(data, conditions, size))
    expected = [walked([root.xml().encode()], NAMES, conditions) for _, root, _ in parts]
    assert list(found.values()) == expected
    assert list(plain.values()) == expected


@given(st.lists(st.sampled_from([b"\r", b"\n", b" ", b"<a/>", b"<b>\r\n</b>\r", b"<a\r/>", b"<!--\r-->"]), max_size=40))
def test_carriage_returns_anywhere(parts: list[bytes]) -> None:
    """Lines are counted as expat counts them, whatever piece a carriage return is in."""
    data = b"<a/>" + b"".join(parts) + b"<b/>"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expat, "functions", lambda: None)
        plain = documents(pieces(data))
    assert documents(pieces(data)) == plain
    assert len(plain) == data.count(b"<a") + data.count(b"<b")


def by_kernels(data: bytes) -> int:
    """Return how many documents of a stream are parsed by kernels."""
    kernels = KernelParser.of(asking(NAMES, [])[0], Guards(), namespaces=False)
    assert kernels is not None
    return len(kernels.stream(np.frombuffer(bytearray(data), np.uint8), decoded=False)[1])


def test_whole_documents_are_parsed_by_kernels() -> None:
    data = b"<?xml version='1.0'?>\r\n<!DOCTYPE a SYSTEM 'a'>\r\n<a>\r\n<b>\xc3\xbc</b>\r\n</a>" * 1000
    assert by_kernels(data) == 999
    assert len(documents(pieces(data))) == 1000


def test_pieces_of_a_document_do_not_end_with_a_carriage_return() -> None:
    """Documents longer than the first piece that the kernel takes, with each byte of it a line break once."""
    head = b"<a>" + b"x" * 8180
    data = b"".join(head + b"y" * number + b"\r\n" * 10 + b"</a>" for number in range(20))
    assert by_kernels(data) == 19
    assert len(documents(pieces(data))) == 20


def test_what_is_asked_may_change_between_two_documents() -> None:
    first, then = asking(["a"], []), asking(["x", "b"], [])
    now = [first]
    found = stream(io.BytesIO(b"<a/><b/><a/><b/><c/>").read, lambda: now[0], Guards())
    assert next(found).moves.tolist() == [1, END]
    assert next(found).moves.tolist() == [0, END]
    now[0] = then
    assert [(piece.document, piece.moves.tolist()) for piece in found] == [(2, [0, END]), (3, [2, END]), (4, [0, END])]


def test_before_the_first_declaration() -> None:
    data = b"\n <!-- a stream --> \n<?xml version='1.0'?><a/><b/>"
    assert documents(pieces(data)) == {0: [1, END], 1: [2, END]}


def test_a_text_file_is_decoded_already() -> None:
    data = "<?xml version='1.0' encoding='latin-1'?><ü/><?xml version='1.0' encoding='utf-16'?><ü/>"
    assert documents(pieces(data)) == {0: [4, END], 1: [4, END]}


def test_nothing_but_white_space() -> None:
    for data in (b"", b" \n"):
        with pytest.raises(EventError, match="it is empty"):
            list(pieces(data))


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
@pytest.mark.parametrize("conditions", [[], TEXTS], ids=["moves", "texts"])
@pytest.mark.parametrize(
    "bad, reason",
    [
        ("<a>\n</b>", "it is no well-formed XML: mismatched tag (line 2, column 3)"),
        ("<a><b>", "it is no well-formed XML: XML or text declaration not at start of entity (line 1, column 7)"),
        ("<?xml version='1.0'?>\n<a>&nbsp;</a>", "it is no well-formed XML: undefined entity (line 2, column 4)"),
        ("<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>", "it declares the entity 'e' (line 1, column 25)"),
        ("<a>" * 11 + "</a>" * 11, "its elements are more than 10 deep (line 1, column 31)"),
        ("<a>" + "x" * 2000 + "</a>", "it is longer than 1000 bytes"),
        ("junk", "it is no well-formed XML: not well-formed (invalid token) (line 1, column 5)"),
        ("some junk ", "it is no well-formed XML: syntax error (line 1, column 1)"),
    ],
)
def test_a_malformed_document_is_reported_and_the_others_still_match(
    bad: str, reason: str, conditions: list[Condition], size: int
) -> None:
    head = "<?xml version='1.0'?>"
    data = f"<a/>{head}<b>t</b>\n{bad}{head}<a><b/></a><!DOCTYPE b><b/>".encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "_MOVES_AT_ONCE", 1)
        patch.setattr(streams, "_FIRST", 16)
        found = documents(pieces(data, conditions, size, max_depth=10, max_bytes=1000))
    broken = found.pop(2)
    assert isinstance(broken, str)
    assert broken.startswith(reason)
    assert found == {0: [1, END], 1: [2, *([-1] if conditions else []), END], 3: [1, 2, END, END], 4: [2, END]}


def test_what_follows_a_malformed_document_is_lost_up_to_a_declaration() -> None:
    found = documents(pieces(b"<a/><a></b><b/><b/><!DOCTYPE a><a/>"))
    assert list(found) == [0, 1, 2]
    assert found[2] == [1, END]


def test_a_document_that_is_cut_off_at_the_end() -> None:
    found = documents(pieces(b"<a/><b><a/>"))
    assert found == {0: [1, END], 1: "it ends before its root element does (line 1, column 8)"}


def test_junk_at_the_end() -> None:
    found = documents(pieces(b"<a/> junk"))
    assert found == {0: [1, END], 1: "it is no well-formed XML: syntax error (line 1, column 1)"}


def test_a_document_ends_before_the_next_is_read() -> None:
    """Whoever listens to a line gets a document when it is complete, not when the next has come."""
    lines = iter([b"<a/>\n", b"<b/>\n"])
    both = asking(NAMES, [])
    found = stream(lambda size: next(lines), lambda: both, Guards())
    assert next(found).moves.tolist() == [1, END]
    assert next(lines) == b"<b/>\n"


def test_a_long_stream_takes_little_memory() -> None:
    one = b"<a>" + b"<b>text</b>" * 100 + b"</a>"
    long = b"<a>" + b"<b>text</b>" * 100_000 + b"</a>"

    class File:
        def __init__(self) -> None:
            self.left = [one] * 300 + [long[start : start + 100_000] for start in range(0, len(long), 100_000)]

        def read(self, size: int) -> bytes:
            return self.left.pop(0) if self.left else b""

    file, both = File(), asking(NAMES, [])
    tracemalloc.start()
    total = sum(len(piece.moves) for piece in stream(file.read, lambda: both, Guards()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert total == 300 * 202 + 200_002
    assert peak < 8_000_000


def test_a_comment_of_megabytes_between_documents() -> None:
    data = b"<a/><!--" + b"x" * 5_000_000 + b"--><b/>"
    assert documents(pieces(data, size=10_000)) == {0: [1, END], 1: [2, END]}


FILES = [
    [b"<a/>", b"<b><c/></b>", b"<a>x</a>"],
    [b"\n<a/>\n", b"<?xml version='1.0'?>\n<b/> <!-- behind -->", b"<!DOCTYPE a><a/>"],
    [b"<a/>", b"<?xml version='1.0'?><b> <c>", b"<?xml version='1.0'?><a/>"],
    [b"<a/>", b"<!DOCTYPE b [<!ENTITY e 'x'>]><b>&e;</b>", b"<!DOCTYPE a><a/>"],
    [b"<a>" * 2_000 + b"</a>" * 2_000, b"<a/>"],
    ["<?xml version='1.0'?><a>é</a>".encode("latin-1"), b"<?xml version='1.0' encoding='latin-1'?><b/>"],
    [b"<a>" + b"<b/>" * 400_000 + b"</a>", b"<a/>", b"<a>" + b"<b/>" * 400_000],
]


@pytest.mark.parametrize("parts", FILES)
def test_a_file_is_taken_apart_into_its_documents(route: str, parts: list[bytes]) -> None:
    found = documents_in(b"".join(parts))
    assert [part.strip() for part in found] == [part.strip() for part in parts]


def test_a_file_without_documents_is_not_taken_apart(route: str) -> None:
    for nothing in (b"", b" \n"):
        with pytest.raises(EventError, match="it is empty"):
            documents_in(nothing)
