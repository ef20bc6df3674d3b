"""The path language as users meet it: what a path means, what is refused, where it is found. The judge is lxml."""

from __future__ import annotations

import doctest
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import path_oracle, path_strategies
from watchword import EventError, OptionError, PathIndex, SubscriptionSyntaxError
from watchword.paths import Occurrence
from watchword.paths.query import parse

METHODS = list(PathIndex.methods)
NITF = b'<nitf><head><meta/><title>Rain</title></head><body><media type="image"/><p>so</p></body></nitf>'


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_occurrences_are_those_of_lxml(method: str, data: st.DataObject) -> None:
    paths = data.draw(st.lists(path_strategies.paths, min_size=1, max_size=8, unique=True))
    document = data.draw(path_strategies.documents)
    limit = data.draw(st.sampled_from([None, 1, 2]))
    index = PathIndex(dict(enumerate(paths)), method=method)
    expected = []
    for number, path in enumerate(paths):
        elements = path_oracle.occurrences(path, document, path_strategies.URIS)
        expected += [Occurrence(number, element, 0) for element in elements[:limit]]
    assert index.occurrences(document, limit) == sorted(expected, key=lambda found: (found.element, found.id))
    assert index.match(document) == sorted({found.id for found in expected})


@settings(max_examples=30, deadline=None)
@given(path=path_strategies.paths, document=path_strategies.documents)
def test_explanations_agree(path: str, document: bytes) -> None:
    index = PathIndex({"s": path})
    explanation = index.explain(document, "s")
    assert bool(explanation) == bool(path_oracle.occurrences(path, document, path_strategies.URIS))


@pytest.mark.parametrize("text", path_strategies.INVALID)
def test_what_is_no_path_is_refused(text: str) -> None:
    index = PathIndex({"s": "//a"})
    with pytest.raises(SubscriptionSyntaxError) as caught:
        index["s"] = text
    assert 0 <= caught.value.position <= len(text)
    assert index["s"] == "//a"


@pytest.mark.parametrize("text", path_strategies.SYNTAX_XPATH)
def test_xpath_that_is_not_supported_is_named(text: str) -> None:
    with pytest.raises(SubscriptionSyntaxError, match=r"supported are|several tests|expected"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "remedy"),
    {
        "//a//@x": r"subscribe to a/@x and to a//\*/@x",
        "//a[contains(@x, '1')]": "functions are not known",
        "//a[@x or @y]": "subscribe to each path by itself",
        "//a[@x and @y]": r"several tests are written \[@a\]\[@b\]",
        "//a[@x != '1']": "compared by = only",
        "//a[@x < '1']": "compared by = only",
        "//a/@x='1'": r"asked for by \[@x='value'\]",
        "//*:a": "a name is written in full",
        "(//a)[1]": "a path has no parentheses",
        "//a AND //b": "subscribe to each by itself",
    }.items(),
)
def test_a_refusal_says_what_to_write_instead(text: str, remedy: str) -> None:
    with pytest.raises(SubscriptionSyntaxError, match=remedy):
        parse(text)


@pytest.mark.parametrize("texts", [["a/b", "a[1]", "//c"], ["a[@x]", "a/"]])
def test_a_refused_row_is_named(texts: list[str]) -> None:
    with pytest.raises(SubscriptionSyntaxError) as caught:
        PathIndex(dict(enumerate(texts)))
    assert caught.value.row == 1


def test_limits_of_paths() -> None:
    with pytest.raises(SubscriptionSyntaxError, match="max_steps=3"):
        PathIndex({"s": "/a/b/c/d"}, max_steps=3)
    with pytest.raises(SubscriptionSyntaxError, match="max_length=5"):
        PathIndex({"s": "/abcdef"}, max_length=5)
    assert PathIndex({"s": "/a/b/c"}, max_steps=3, max_length=6).match("<a><b><c/></b></a>") == ["s"]


def test_steps_are_printed_in_one_form() -> None:
    assert [str(step) for step in parse(" a / b [ @y ] [@x = \"it's\"] // * [text()='z']/@q ")] == [
        "//a",
        '/b[@x="it\'s"][@y]',
        "//*[text()='z'][@q]",
    ]


def test_names_by_namespace() -> None:
    paths = {"p": "//a:entry", "full": "//{urn:a}entry[@{urn:b}x]", "none": "//entry", "xml": "//*[@xml:lang='de']"}
    index = PathIndex(paths, namespaces={"a": "urn:a"})
    assert index.match('<entry xmlns="urn:a" xmlns:z="urn:b" z:x="1"/>') == ["p", "full"]
    assert index.match('<entry xml:lang="de"/>') == ["none", "xml"]
    with pytest.raises(SubscriptionSyntaxError, match="no namespace has the prefix 'b'; there are: a, xml"):
        index["p"] = "//b:entry"
    with pytest.raises(SubscriptionSyntaxError, match="namespaces="):
        PathIndex({"s": "//{urn:a}b"})
    for bad in ({"a": ""}, {"": "urn:a"}, {"a": 5}, "urn:a", {"a": "x}y"}):
        with pytest.raises(OptionError, match="namespaces"):
            PathIndex(namespaces=bad)


def test_names_as_written() -> None:
    index = PathIndex({"s": "//a:entry"})
    assert index.match('<a:entry xmlns:a="urn:1"/>') == ["s"]
    assert index.match('<b:entry xmlns:b="urn:1"/>') == []


def test_texts_are_known_late() -> None:
    index = PathIndex({"s": "//a[text()='x']/b", "t": "//a/b", "u": "//b[text()='x'][@y]"})
    assert index.match("<a><b/>x</a>") == ["s", "t"]
    assert index.match("<a>x<!-- -->y<b y=''>x</b></a>") == ["s", "t", "u"]
    assert index.match("<a>x<![CDATA[y]]><b/></a>") == ["t"]


def test_an_element_with_an_empty_section_has_no_text() -> None:
    index = PathIndex({"s": "//a[text()='']", "t": "//a"})
    assert index.match("<a><![CDATA[]]></a>") == index.match("<a/>") == ["t"]


@pytest.mark.parametrize("method", METHODS)
def test_limits_by_id(method: str) -> None:
    index = PathIndex({"s": "//a", "t": "//a", "u": "//b"}, method=method)
    found = index.occurrences("<a><a><a/></a><b/><b/></a>", {"s": 1, "u": 5})
    assert [(key, element) for key, element, _ in found] == [
        ("s", 1), ("t", 1), ("t", 2), ("t", 3), ("u", 4), ("u", 5)]  # fmt: skip
    with pytest.raises(KeyError):
        index.occurrences("<a/>", {"x": 1})
    for bad in (0, -1, True, 1.5, {"s": 0}):
        with pytest.raises(OptionError, match="limit must be"):
            index.occurrences("<a/>", bad)  # type: ignore[arg-type]


def test_a_table_of_occurrences() -> None:
    index = PathIndex({7: "//title", 8: "//*"})
    table = index.occurrences_table(io.BytesIO(b"<a/><title/>"))
    assert table.schema == pa.schema([("document", pa.int64()), ("element", pa.int32()), ("subscription", pa.int64())])
    assert sorted(zip(*table.to_pydict().values(), strict=True)) == [(0, 1, 8), (1, 1, 7), (1, 1, 8)]


@pytest.mark.parametrize("method", METHODS)
def test_documents_in_every_form(method: str, tmp_path: Path) -> None:
    index = PathIndex({"title": "/nitf/head/title", "image": "//media[@type='image']", "no": "//p/em"}, method=method)
    file = tmp_path / "news.xml"
    file.write_bytes(NITF)
    forms: list[Any] = [NITF, NITF.decode(), bytearray(NITF), file, io.BytesIO(NITF), io.StringIO(NITF.decode())]
    assert [index.match(form) for form in forms] == [["title", "image"]] * len(forms)
    with file.open("rb") as opened:
        assert index.match_many([NITF, opened, file]).to_pydict()["event"] == [0, 0, 1, 1, 2, 2]
    with pytest.raises(EventError, match="pathlib"):
        index.match(str(file))


def test_a_stream_goes_on_behind_what_is_broken() -> None:
    index = PathIndex({"s": "//a", "t": "/b"})
    text = b"<a/>\n<b><a/></b><?xml version='1.0'?><a><b></a><?xml version='1.0'?><b/>"
    found = list(index.match_stream(io.BytesIO(text)))
    assert [(each.document, each.ids, each.error is None) for each in found] == [
        (0, ["s"], True), (1, ["s", "t"], True), (2, [], False), (3, ["t"], True)]  # fmt: skip
    assert "line 1, column" in str(found[2].error)
    with pytest.raises(EventError) as caught:
        index.match_many(io.BytesIO(text))
    assert caught.value.position == 2


def test_an_index_may_change_between_documents_of_a_stream() -> None:
    index = PathIndex({"s": "//a"})
    answers = []
    for found in index.match_stream(io.BytesIO(b"<a/><b/><c/><a/>")):
        answers.append(found.ids)
        index["t"] = "/c"
        if found.document == 2:
            del index["s"]
    assert answers == [["s"], [], ["t"], []]


def test_a_document_larger_than_a_piece(tmp_path: Path) -> None:
    file = tmp_path / "large.xml"
    with file.open("wb") as out:
        out.write(b"<r>" + b"<a><b/>text</a>" * 300_000 + b"<c/></r>")
    index = PathIndex({"s": "/r/a/b", "t": "/r/c", "u": "//c/a"})
    assert index.match(file) == ["s", "t"]
    assert index.occurrences(file, 2)[-1] == Occurrence("t", 600_002, 0)


def test_figures() -> None:
    index = PathIndex({"s": "//a/b", "t": "//a[@x]", "u": "/c"})
    index.match(NITF)
    figures = index.stats()
    assert (figures.clauses, figures.atoms, figures.postings) == (3, 4, 3)
    assert figures.details["guide_nodes"] == 3  # names that nobody asks for are all one
    del index["t"]
    assert index.stats().atoms == 3


def test_bad_documents_are_named() -> None:
    index = PathIndex({"s": "//a"}, max_depth=10, max_bytes=1000)
    bad = {
        "its elements are more than 10 deep": b"<a>" * 11 + b"</a>" * 11,
        "longer than 1000 bytes": b"<a>" + b"x" * 1000 + b"</a>",
        "declares the entity 'x'": b"<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
        "mismatched tag": b"<a></b>",
        "it is empty": b"",
    }
    for reason, document in bad.items():
        with pytest.raises(EventError, match=reason) as caught:
            index.match_many([b"<a/>", document])
        assert caught.value.position == 1
    assert index.match(b"<a/>") == ["s"]


def declaring(count: int, elements: int = 1) -> bytes:
    """Return a document whose DOCTYPE declares attributes, with defaults, for the element `a`."""
    attributes = b"".join(b" x%d CDATA 'v'" % number for number in range(count))
    return b"<!DOCTYPE r [<!ATTLIST a" + attributes + b">]><r>" + b"<a/>" * elements + b"</r>"


@pytest.mark.parametrize("form", [bytes, io.BytesIO, lambda data: data.decode()], ids=["bytes", "file", "str"])
def test_a_doctype_may_declare_256_attributes_of_an_element_and_no_more(form: Any) -> None:
    """Expat looks at all of them for every such element: 36,000 of both took 13 s."""
    index = PathIndex({"s": "//a", "t": "//a[@x0]"})
    assert index.match(form(declaring(256, 3))) == ["s"]  # a default is not in the document
    with pytest.raises(EventError, match=r"declares more than 256 attributes for the element 'a' \(line 1, column"):
        index.match(form(declaring(257)))
    two = declaring(200).replace(b"<!ATTLIST a", b"<!ATTLIST b y CDATA #IMPLIED><!ATTLIST a")
    assert index.match(form(two)) == ["s"]
    assert PathIndex({"s": "//a"}, max_declared=257).match(form(declaring(257))) == ["s"]
    with pytest.raises(EventError, match="more than 0 attributes"):
        PathIndex({"s": "//a"}, max_declared=0).match(form(declaring(1)))


def test_a_stream_goes_on_behind_a_document_that_declares_too_much() -> None:
    index = PathIndex({"s": "//a"})
    found = list(index.match_stream(io.BytesIO(declaring(257) + b"<?xml version='1.0'?><a/>")))
    assert [(one.document, one.ids, one.error is None) for one in found] == [(0, [], False), (1, ["s"], True)]


def test_the_guide_runs_as_printed() -> None:
    guide = Path(__file__).parents[2] / "docs" / "paths.md"
    assert doctest.testfile(str(guide), module_relative=False).failed == 0
