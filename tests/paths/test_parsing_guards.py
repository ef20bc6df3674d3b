"""Documents that are malformed or mean harm: a clear error, soon, and the documents before are not to blame."""

from __future__ import annotations

import pytest

from tests.paths.asking import Condition, asking, walked
from watchword.errors import EventError
from watchword.paths.parsing.chunked import ChunkedDocument
from watchword.paths.parsing.guards import Guards

TEXTS: list[Condition] = [("*", frozenset({("x", "1"), ("", "lol")}))]

LAUGHS = (
    "<!DOCTYPE a [<!ENTITY l0 'lol'>"
    + "".join(f"<!ENTITY l{number} '{f'&l{number - 1};' * 10}'>" for number in range(1, 10))
    + "]><a>&l9;</a>"
).encode()
QUADRATIC = b"<!DOCTYPE a [<!ENTITY e '" + b"x" * 50_000 + b"'>]><a>" + b"&e;" * 50_000 + b"</a>"
ELEMENTS = b"<!DOCTYPE a [<!ENTITY e '" + b"<b/>" * 1000 + b"'>]><a>" + b"&e;" * 1000 + b"</a>"

ENTITY = "it declares the entity '{}' (line 1, column {}); entity declarations are refused"
BAD = {
    "laughs": (LAUGHS, ENTITY.format("l0", 26)),
    "quadratic": (QUADRATIC, ENTITY.format("e", 25)),
    "elements": (ELEMENTS, ENTITY.format("e", 25)),
    "parameter": (b"<!DOCTYPE a [<!ENTITY % p 'x'>%p;]><a/>", ENTITY.format("p", 27)),
    "external": (b"<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>", ENTITY.format("e", 52)),
    "empty": (b"", "it is empty; expected an XML document"),
    "blank": (b"\xef\xbb\xbf \n", "it is empty; expected an XML document"),
    "comment only": (b"<!-- -->", "it ends before its root element does (line 1, column 9)"),
    "not closed": (b"<a>\n<b>", "it ends before its root element does (line 2, column 4)"),
    "cut off": (b"<a>\n<b", "it ends inside a tag, a comment or the like (line 2, column 1)"),
    "mismatch": (b"<a>\n</b>", "it is no well-formed XML: mismatched tag (line 2, column 3)"),
    "twice": (b"<a x='' x=''/>", "it is no well-formed XML: duplicate attribute (line 1, column 9)"),
    "zero": (b"<a>\0</a>", "it is no well-formed XML: not well-formed (invalid token) (line 1, column 4)"),
    "no utf-8": (b"<a>\xff</a>", "it is no well-formed XML: not well-formed (invalid token) (line 1, column 4)"),
    "utf-16 declared": (b"<?xml version='1.0' encoding='utf-16'?><a/>", "it is no well-formed XML: encoding"),
    "no such encoding": (b"<?xml version='1.0' encoding='x-none'?><a/>", "it declares an encoding that is not known"),
    "wide encoding": (b"<?xml version='1.0' encoding='gbk'?><a/>", "it declares an encoding that is not known"),
    "undefined": (b"<a>&nbsp;</a>", "it is no well-formed XML: undefined entity (line 1, column 4)"),
    "two roots": (b"<a/><a/>", "it goes on behind its root element; several documents are read as a stream"),
    "text": (b"once upon a time", "it is no well-formed XML: syntax error (line 1, column 1)"),
    "unbound": (b"<p:a/>", "it is no well-formed XML: unbound prefix"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("way", ["batch", "feed"])
def test_a_bad_document(route: str, way: str, name: str) -> None:
    document, reason = BAD[name]
    with pytest.raises(EventError) as caught:
        if way == "batch":
            walked([b"<a/>", document, b"<"], ["a"], TEXTS, namespaces=True)
        else:
            feed = ChunkedDocument(*asking(["a"], TEXTS), Guards(), namespaces=True)
            feed.feed(document)
            feed.close()
    assert caught.value.reason.startswith(reason)
    assert caught.value.position == (1 if way == "batch" else 0)


@pytest.mark.parametrize("deep", [b"<a>" * 500_000, b"<a>" * 500_000 + b"</a>" * 500_000])
def test_deep_nesting(route: str, deep: bytes) -> None:
    with pytest.raises(EventError, match=r"more than 1000 deep.*raise max_depth"):
        walked([deep])
    feed = ChunkedDocument(*asking(["a"], []), Guards())
    with pytest.raises(EventError, match="more than 1000 deep"):
        feed.feed(deep)


def test_the_depth_is_exact(route: str) -> None:
    document = b"<a>" * 7 + b"</a>" * 7
    assert len(walked([document], guards=Guards(max_depth=7))) == 14
    with pytest.raises(EventError, match="more than 6 deep"):
        walked([document], guards=Guards(max_depth=6))


def test_the_size_is_exact(route: str) -> None:
    assert len(walked([b"<a>123</a>"], guards=Guards(max_bytes=10))) == 2
    with pytest.raises(EventError, match="longer than 9 bytes; raise max_bytes") as caught:
        walked([b"<a/>", b"<a>123</a>"], guards=Guards(max_bytes=9))
    assert caught.value.position == 1
    feed = ChunkedDocument(*asking(["a"], []), Guards(max_bytes=9))
    with pytest.raises(EventError, match="longer than 9 bytes"):
        feed.feed(b"<a>123</a>")


@pytest.mark.slow
@pytest.mark.parametrize("open_, close", [(b"<a x='", b"'/>"), (b"<a><!--", b"--></a>"), (b"<a><?p ", b"?></a>")])
def test_tokens_of_ten_megabytes(route: str, open_: bytes, close: bytes) -> None:
    document = open_ + b"x" * 10_000_000 + close
    assert len(walked([document], ["a"], TEXTS)) == 2
    with pytest.raises(EventError, match="it ends inside"):
        walked([document[: -len(close)]], ["a"], TEXTS)
    feed = ChunkedDocument(*asking(["a"], TEXTS), Guards())
    for start in range(0, len(document), 10_000):
        feed.feed(document[start : start + 10_000])
    assert len(feed.close()) == 2


def test_names_that_collide_under_a_known_salt_do_not_matter(route: str) -> None:
    """A hundred thousand attributes in one tag: hashed with a salt that nobody knows, so in linear time."""
    document = b"<a " + b" ".join(b"a%d=''" % number for number in range(100_000)) + b"/>"
    assert len(walked([document], ["a"], TEXTS)) == 2
