"""The two judges of the path language agree with each other, and with what can be said by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.path_oracle import occurrences, plain_occurrences
from tests.path_strategies import INVALID, SYNTAX_XPATH, URIS, documents, paths

JUDGES = pytest.mark.parametrize("judge", [occurrences, plain_occurrences])


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(document=documents, drawn=st.lists(paths, min_size=1, max_size=8))
def test_the_judges_agree(document: bytes, drawn: list[str]) -> None:
    for path in drawn:
        assert occurrences(path, document) == plain_occurrences(path, document), path
        assert occurrences(path, document, URIS) == plain_occurrences(path, document, URIS), path


@JUDGES
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a", [1]),
        ("/b", []),
        ("b", [2, 4]),
        ("//b", [2, 4]),
        ("/a/b", [2]),
        ("/a//b", [2, 4]),
        ("//a//a", [3]),
        ("/*/*/*", [3]),
        ("//*//b", [2, 4]),
        ("b/*/b", [4]),
        ("//*", [1, 2, 3, 4, 5]),
        ("a/@x", [3]),
        ("*[@x]", [3, 5]),
        ("*[@x='1']", [3]),
        ('*[@x="2"][@y]', [5]),
        ("//b[text()='one two']", [2]),
        ("//b[text()='one']", []),
        ("//c[text()='one']", [5]),
        ("//c[text()='onetwo']", []),
        ("/a[text()='z']//b", []),
    ],
)
def test_paths_select_what_xpath_says(judge, path: str, expected: list[int]) -> None:
    document = b'<a><b>one <![CDATA[two]]><a x="1"><b/></a></b><c x="2" y="">one<!-- -->two</c></a>'
    assert judge(path, document) == expected


@JUDGES
def test_qualified_names_are_compared_as_written_or_by_their_uri(judge) -> None:
    document = b'<p:a xmlns:p="urn:1"><b p:x="1"/><p:b/></p:a>'
    assert judge("p:a/b/@p:x", document) == [2]
    assert judge("q:a/q:b", document, {"q": "urn:1"}) == [3]
    assert judge("{urn:1}a/b[@{urn:1}x]", document, {}) == [2]
    assert judge("{}a", document, {}) == [] and judge("{}b", document, {}) == [2]


@JUDGES
def test_a_default_namespace_belongs_to_elements_only(judge) -> None:
    document = b'<a xmlns="urn:1" x="1"/>'
    assert judge("a", document, {}) == []
    assert judge("q:a[@x]", document, {"q": "urn:1"}) == [1]
    assert judge("q:a[@q:x]", document, {"q": "urn:1"}) == []


@pytest.mark.slow
@given(document=documents)
def test_documents_are_well_formed_and_nest(document: bytes) -> None:
    tree = etree.fromstring(document)
    assert len(list(tree.iter("*"))) == len(occurrences("//*", document)) > 0


@pytest.mark.parametrize("path", SYNTAX_XPATH)
def test_what_is_refused_though_xpath_has_it_is_xpath(path: str) -> None:
    etree.XPath(path)


@pytest.mark.parametrize("path", [path for path, why in INVALID.items() if why in ("name", "quote", "never closed")])
def test_what_is_no_path_is_no_xpath(path: str) -> None:
    with pytest.raises(etree.XPathSyntaxError):
        etree.XPath(path)


@JUDGES
def test_an_empty_section_is_no_text_node(judge) -> None:
    assert judge("//b[text()='']", b"<a><b><![CDATA[]]></b></a>") == []
    assert judge("//b[text()='xy']", b"<a><b>x<![CDATA[]]>y</b></a>") == [2]
