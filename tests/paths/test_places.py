"""`places` of paths: the start tags of the elements that a path ends at, in characters of the document."""

from __future__ import annotations

import io

import pytest

from watchword import EventError, PathIndex
from watchword.index.places import Place

DOCUMENT = """<?xml version="1.0"?>
<!-- <em/> --><nitf n:a='>' xmlns:n="urn:n">é🙂<em a="<>'"
 b='"'/><p><![CDATA[<em>]]><em>x</em></p><n:em/></nitf>"""
FOUND = ["<em a=\"&lt;>'\"\n b='\"'/>", "<em>"]


def document() -> str:
    return DOCUMENT.replace("<>'", "&lt;>'")


def test_start_tags_are_cut_out_of_every_form_of_a_document() -> None:
    index = PathIndex()
    text = document()
    forms = [text, text.encode(), text.encode("utf-16"), text.encode("utf-8-sig"), io.BytesIO(text.encode())]
    forms.append(text.replace('1.0"?', "1.0\" encoding='utf-8'?").encode())
    for form in forms[:-1]:
        places = index.places(form, "//em")
        assert [text[place.start : place.end] for place in places] == FOUND
        assert [place.member for place in places] == [2, 4]
    assert [place.start - len(" encoding='utf-8'") for place in index.places(forms[-1], "//em")] == [
        place.start for place in index.places(text, "//em")
    ]
    assert index.places(text, "//em")[0].line_and_column(text) == (2, 47)
    latin = "<?xml version='1.0' encoding='iso-8859-1'?><a>é<b/></a>"
    assert index.places(latin.encode("latin-1"), "//b") == [Place(latin.index("<b"), latin.index("</a"), member=2)]


def test_the_places_of_a_path_are_its_occurrences() -> None:
    text = document()
    for path in ("//em", "/nitf//*", "//em[@a]", "//p/em[text()='x']", "//gone", "n:em"):
        index = PathIndex({"p": path})
        assert [place.member for place in index.places(text, path)] == [one.element for one in index.occurrences(text)]
    assert len(PathIndex().places("<a>" + "<b/>" * 2000 + "</a>", "//b")) == 1000
    assert len(PathIndex().places("<a>" + "<b/>" * 2000 + "</a>", "//b", 2000)) == 2000


def test_names_of_namespaces_and_bad_documents() -> None:
    index = PathIndex(namespaces={"m": "urn:n"})
    (place,) = index.places(document(), "//m:em")
    assert document()[place.start : place.end] == "<n:em/>"
    for bad in ("<a>", b"", None, 5):
        with pytest.raises(EventError):
            index.places(bad, "//a")
