"""From documents to moves: by kernels and by handlers in Python, whole and in chunks, in any encoding."""

from __future__ import annotations

import ctypes
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paths.asking import NAMES, Condition, Node, asking, condition_lists, nodes, walked, with_sets
from watchword.errors import EventError
from watchword.kernels.cache.folders import places
from watchword.kernels.paths import drive, handlers
from watchword.kernels.paths.moves import END
from watchword.paths.parsing import expat
from watchword.paths.parsing.chunked import ChunkedDocument
from watchword.paths.parsing.guards import Guards


def by_python(documents: list[bytes], names: list[str], conditions: list[Condition]) -> list[int]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expat, "functions", lambda: None)
        return walked(documents, names, conditions)


# What moves are


def test_the_parser_is_driven_from_kernels_here() -> None:
    """Otherwise these tests would compare handlers in Python with themselves."""
    assert expat.functions() is not None


def test_names_tests_and_conditions(route: str) -> None:
    conditions: list[Condition] = [
        ("a", frozenset({("x", None)})),
        ("*", frozenset({("x", "1")})),
        ("a", frozenset({("x", None), ("", "hi")})),
        ("b", frozenset({("x", "1")})),
    ]
    moves = walked([b'<a x="1"><b/>hi</a>', b"<c>hi</c>"], ["a", "b"], conditions)
    assert with_sets(moves) == [1, frozenset({-1, -2, -3}), 2, END, END, 0, END]


def test_no_documents(route: str) -> None:
    assert walked([]) == []


def test_a_text_node_is_all_between_two_tags(route: str) -> None:
    conditions: list[Condition] = [("a", frozenset({("", "one & two")}))]
    whole = b"<a>one &amp;<![CDATA[ two]]></a>"
    cut = [
        b"<a>one &amp;<!-- --> two</a>",
        b"<a>one &amp;<?p?> two</a>",
        b"<a>one &amp;<b/> two</a>",
        b"<a>one &#38; two </a>",
    ]
    assert walked([whole, *cut], ["a"], conditions) == [1, -1, END, *[1, END] * 2, 1, 0, END, END, 1, END]


def test_a_text_belongs_to_the_element_around_it(route: str) -> None:
    conditions: list[Condition] = [("*", frozenset({("", "t")}))]
    assert walked([b"<a>t<b>u</b>t<b>t</b></a>"], ["a", "b"], conditions) == [1, -1, 2, END, 2, -1, END, END]


@pytest.mark.slow
@given(st.lists(nodes, min_size=1, max_size=4), condition_lists(texts=True))
def test_moves_are_those_of_the_tree(roots: list[Node], conditions: list[Condition]) -> None:
    documents = [root.xml().encode() for root in roots]
    found = walked(documents, NAMES, conditions)
    assert with_sets(found) == [move for root in roots for move in root.moves(NAMES, conditions)]
    assert by_python(documents, NAMES, conditions) == found


@pytest.mark.slow
@given(nodes, condition_lists(texts=True), st.sampled_from(["utf-16", "latin-1", "cp1252", "cp437", "utf-8"]))
def test_the_encoding_does_not_matter(root: Node, conditions: list[Condition], encoding: str) -> None:
    document = f"<?xml version='1.0' encoding='{encoding}'?>{root.xml()}"
    expected = root.moves(NAMES, conditions)
    assert with_sets(walked([document.encode(encoding)], NAMES, conditions)) == expected
    assert with_sets(walked([document.encode()], NAMES, conditions, decoded=np.ones(1, np.uint8))) == expected


def test_many_names_and_attributes(route: str) -> None:
    """Tables that have grown, and strings on both sides of eight bytes."""
    names = [f"n{'x' * (number % 17)}{number}" for number in range(3000)]
    inside = "".join(f'<{name} {name}="{name}"/>' for name in names)
    conditions: list[Condition] = [("*", frozenset({(name, name)})) for name in names[::7]]
    moves = walked([f"<r>{inside}</r>".encode()], names, conditions)
    expected = [0]
    for number in range(3000):
        expected += [number + 1, *([-1 - number // 7] if number % 7 == 0 else []), END]
    assert moves == [*expected, END]


def test_an_element_may_satisfy_more_conditions_than_it_has_tests(route: str) -> None:
    conditions: list[Condition] = [("*", frozenset({("x", None), (f"y{number}", None)})) for number in range(500)]
    conditions += [("*", frozenset({("x", None)}))] * 500
    moves = walked([b"<a x=''/>"], ["a"], conditions)
    assert sorted(moves[1:-1]) == [-1 - number for number in reversed(range(500, 1000))]


def test_namespaces_are_resolved_where_asked(route: str) -> None:
    document = b"<p:a xmlns:p='urn:p' xmlns='urn:d' p:x='1' y='2'><b/></p:a>"
    names = ["p:a", "urn:p}a", "b", "urn:d}b"]
    conditions: list[Condition] = [("*", frozenset({("p:x", "1")})), ("*", frozenset({("urn:p}x", "1"), ("y", "2")}))]
    assert walked([document], names, conditions) == [1, -1, 3, END, END]
    assert walked([document], names, conditions, namespaces=True) == [2, -2, 4, END, END]


def test_an_internal_subset_is_read_and_its_defaults_left_out(route: str) -> None:
    conditions: list[Condition] = [("a", frozenset({("x", None)})), ("a", frozenset({("y", None)}))]
    document = b"<!DOCTYPE a [<!ATTLIST a x CDATA 'd'><!ELEMENT a ANY>]><a y='1'/>"
    assert walked([b"<b/>", document, b"<b/>"], ["a", "b"], conditions) == [2, END, 1, -2, END, 2, END]


def test_an_external_subset_is_not_opened(route: str, tmp_path: Path) -> None:
    other = tmp_path / "other.dtd"
    other.write_text("<!ENTITY e '<b/>'>")
    assert walked([f"<!DOCTYPE a SYSTEM '{other.as_uri()}'><a>&e;</a>".encode()], ["a", "b"]) == [1, END]


def test_threads_do_not_meet() -> None:
    """Parsing holds no lock: what one thread's handlers write is its own."""
    documents = [f"<a x='{number % 3}'>{'<b>t</b>' * (number % 50)}</a>".encode() for number in range(400)]
    conditions: list[Condition] = [("*", frozenset({("x", "1")})), ("b", frozenset({("", "t")}))]
    expected = walked(documents, NAMES, conditions)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: walked(documents, NAMES, conditions), range(12)))
    assert all(moves == expected for moves in found)


# In chunks


def fed(document: bytes, cuts: list[int], names: list[str], conditions: list[Condition], **more: bool) -> list[int]:
    feed = ChunkedDocument(*asking(names, conditions), Guards(), **more)
    borders = [0, *sorted(min(cut, len(document)) for cut in cuts), len(document)]
    moves: list[int] = []
    for start, stop in pairwise(borders):
        moves += feed.feed(document[start:stop]).tolist()
    return moves + feed.close().tolist()


@pytest.mark.slow
@given(nodes, condition_lists(texts=True), st.lists(st.integers(0, 200)), st.sampled_from(["", "<!DOCTYPE r []>"]))
def test_cuts_do_not_matter(root: Node, conditions: list[Condition], cuts: list[int], head: str) -> None:
    document = (head + root.xml()).encode()
    whole = walked([document], NAMES, conditions)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("watchword.paths.parsing.chunked._KernelReader.wanted", 1)  # chunks are parsed as they come
        patch.setattr("watchword.paths.parsing.chunked._PIECE", 1)
        assert fed(document, cuts, NAMES, conditions) == whole
        patch.setattr(expat, "functions", lambda: None)
        assert fed(document, cuts, NAMES, conditions) == whole


def test_moves_come_while_a_document_is_read(route: str) -> None:
    feed = ChunkedDocument(*asking(["a", "b"], []), Guards())
    assert feed.feed(b"<a>").tolist() == []
    first = feed.feed(b"<b>text</b>" * 200_000)
    assert first[:3].tolist() == [1, 2, END]
    assert len(first) > 100_000
    rest = feed.feed(b"</a>").tolist() + feed.close().tolist()
    assert len(first) + len(rest) == 400_002


def test_an_attribute_longer_than_many_chunks(route: str) -> None:
    conditions: list[Condition] = [("*", frozenset({("x", "1" * 5_000_000)}))]
    document = b"<a x='" + b"1" * 5_000_000 + b"' y='1'/>"
    assert fed(document, list(range(0, 5_000_000, 100_000)), ["a"], conditions) == [1, -1, END]


def test_a_tag_with_more_attributes_than_its_last_chunk_has_bytes(route: str) -> None:
    names = [f"a{number}" for number in range(50_000)]
    document = ("<a " + " ".join(f"{name}=''" for name in names) + "/>").encode()
    conditions: list[Condition] = [("*", frozenset({(name, None)})) for name in names[:1000]]
    moves = fed(document, [len(document) - 2], ["a"], conditions)
    assert sorted(moves[1:-1], reverse=True) == list(range(-1, -1001, -1))


def test_a_decoded_feed_ignores_what_is_declared(route: str) -> None:
    document = "<?xml version='1.0' encoding='latin-1'?><ü/>".encode()
    assert fed(document, [10], ["ü"], [], decoded=True) == [1, END]


def test_a_feed_that_is_not_complete(route: str) -> None:
    feed = ChunkedDocument(*asking(["a"], []), Guards())
    feed.feed(b"<a>")
    with pytest.raises(EventError, match=r"ends before its root element does \(line 1, column 4\)"):
        feed.close()
    with pytest.raises(EventError, match="empty"):
        ChunkedDocument(*asking(["a"], []), Guards()).close()


# The capsule


@pytest.mark.parametrize("change", ["magic", "size", "version"])
def test_another_struct_is_not_used(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert expat._struct_functions() is not None
    if change == "magic":
        monkeypatch.setattr(expat, "_MAGIC", b"pyexpat.expat_CAPI 9.9")
    elif change == "version":
        monkeypatch.setattr(expat, "_OLDEST", (99, 0, 0))
    else:
        monkeypatch.setitem(expat._PLACES, 1000, drive.ERROR_CODE)
    assert expat._struct_functions() is None


def test_handlers_are_kept_in_the_folder_of_what_they_are_made_of() -> None:
    folder = places().folders(Path(str(handlers.__file__)))[1]
    for handler in (handlers.start_tag, handlers.end_tag, handlers.character_data, handlers.doctype):
        assert handler._made._cache.cache_path == str(folder)


def test_a_handler_can_be_called_as_a_c_function() -> None:
    state = np.zeros(handlers.PLACES, np.int64)
    state[handlers.DEPTH] = 3
    ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(handlers.end_tag.address)(state.ctypes.data, 0)
    assert state[handlers.DEPTH] == 2
    assert state[handlers.STATUS] == handlers.OVERFULL
