"""Bodies of requests as items: every type, what an event becomes, and where a fault is."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from watchword.errors import EventError
from watchword.items import Item, event_of
from watchword.posted import MalformedError, bodies, read_body
from watchword.posted.bodies import UnknownTypeError
from watchword.posted.events import is_read_by

EVENT = {"specversion": "1.0", "id": "7", "source": "/till/3", "type": "sale", "time": "2026-11-18T20:15:00Z"}


def one(value: Any, kind: str = "application/json", **headers: str) -> Item:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    (item,) = read_body(body, kind, {name.replace("_", "-"): text for name, text in headers.items()})
    return item


def test_an_object_with_the_fields_of_items_is_like_an_item_of_a_feed() -> None:
    given = {"id": "urn:7", "title": "Ferry", "text": "It sails", "link": "https://a.test/", "author": "Ada"}
    given |= {"language": "en", "feed": "Harbour", "feed_url": "https://a.test/feed", "categories": ["Sea", "Sea"]}  # type: ignore[dict-item]
    item = one(given | {"published": "2026-11-18T21:15:00+01:00"})
    moment = datetime(2026, 11, 18, 20, 15, tzinfo=UTC)
    assert item == Item(
        "urn:7", "Ferry", "It sails", "https://a.test/", "Ada", moment, "en", "Harbour", "https://a.test/feed", ("Sea",)
    )


def test_fields_may_be_null_and_the_feed_may_be_missing() -> None:
    item = one({"title": "Ferry", "text": None, "published": "2026-11-18", "categories": "Sea"})
    assert (item.title, item.text, item.feed, item.categories) == ("Ferry", "", "posted", ("Sea",))
    assert item.published == datetime(2026, 11, 18, tzinfo=UTC) and len(item.identity) == 32
    assert event_of("paths", item).startswith(f"<item><id>{item.identity}</id><title>Ferry</title>")


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("title", 7, "title is a text, not 7"),
        ("published", "yesterday", "published is a time such as 2026-11-18T20:15:00Z, not 'yesterday'"),
        ("published", 1763496900, "published is a time such as"),
        ("published", "20261118", "published is a time such as"),
        ("categories", [1], r"categories is a list of texts, not \[1\]"),
        ("author", ["a"], r"author is a text, not \['a'\]"),
        ("link", ["a"], r"link is an address of http, https or ftp, not \['a'\]"),
        ("link", "javascript:alert(1)", "link is an address of http, https or ftp, not 'javascript:alert"),
        ("link", "\tJAVA\nSCRIPT:alert(1)", "link is an address of http"),
        ("link", "data:text/html,x", "link is an address of http"),
        ("feed_url", "file:///etc/passwd", "feed_url is an address of http"),
    ],
)
def test_a_field_of_another_kind_is_refused(field: str, value: Any, expected: str) -> None:
    with pytest.raises(MalformedError, match=expected):
        one({"text": "a", field: value})


def test_any_other_object_is_a_row_as_it_was_written() -> None:
    body = b'{"id": 12, "price": 1.10, "title": "A kettle", "published": "soon", "categories": ["Home"]}'
    item = one(body)
    assert (item.identity, item.title, item.text, item.published) == ("12", "A kettle", "", None)
    assert item.row == body.decode() and item.categories == ("Home",) and item.feed == ""
    assert event_of("predicates", item)["price"] == 1.1


def test_a_row_has_no_link_that_would_run_a_script() -> None:
    assert one({"price": 1, "link": "javascript:alert(1)"}).link == ""
    assert one({"price": 1, "link": "https://a.test/?u=javascript:1"}).link == "https://a.test/?u=javascript:1"
    assert one(EVENT | {"data": {"link": "vbscript:x"}}, "application/cloudevents+json").link == ""


def test_an_object_without_title_and_text_is_a_row_and_so_is_an_empty_one() -> None:
    assert one({"id": "a", "link": "b"}).row == '{"id": "a", "link": "b"}'
    assert (one({}).row, one({"event": {"a": 1}}).row) == ("{}", '{"a":1}')
    assert one({"event": "a text"}).text == "a text"
    assert one({"event": 1, "b": 2}).row == '{"event": 1, "b": 2}'


def test_texts_and_documents() -> None:
    assert one("a ferry").text == one(b"a ferry", "text/plain; charset=utf-8").text == "a ferry"
    assert one(b"caf\xe9", 'text/plain; charset="iso-8859-1"').text == "café"
    latin = b'<?xml version="1.0" encoding="iso-8859-1"?><a>caf\xe9</a>'
    for document in (one(latin, "application/xml"), one("\ufeff<a>café</a>".encode("utf-16-le"), "text/xml")):
        assert document.text.endswith("<a>café</a>") and (document.feed, document.row) == ("", None)
        assert is_read_by("paths", document) and event_of("paths", document) == document.text
    assert one(b"<a/>", "application/vnd.harbour+xml").text == "<a/>"


def test_rows_are_read_by_paths_only_where_their_text_is_a_document() -> None:
    assert not is_read_by("paths", one({"a": 1})) and is_read_by("predicates", one({"a": 1}))
    assert is_read_by("paths", one({"a": 1, "text": " <b/>"})) and is_read_by("paths", one("words"))


def test_halves_of_surrogate_pairs_become_question_marks() -> None:
    body = b'{"id": "a\\ud800", "title": "\\udc00b", "categories": ["\\ud800"]}'
    item = one(body)
    assert (item.identity, item.title, item.categories) == ("a?", "?b", ("?",))
    assert one(b'"\\ud83d\\udea2"').text == "\U0001f6a2" and one(b'"\\ud83d"').text == "?"


def test_the_same_event_twice_without_an_id_is_two_and_under_one_token_the_same() -> None:
    body = b'{"text": "a"}\n\n{"text": "a"}\r\n'
    kind = "application/x-ndjson"
    ids = [item.identity for _ in range(2) for item in read_body(body, kind)]
    assert len(set(ids)) == 4
    first, again = ([item.identity for item in read_body(body, kind, token="t")] for _ in range(2))
    assert first == again and len(set(first)) == 2
    assert [item.identity for item in read_body(body, kind, token="u")] != first


@pytest.mark.parametrize(
    ("body", "kind", "line", "character", "reason"),
    [
        (b'{"text": "x"}\n\n{"text": }', "application/x-ndjson", 3, 10, "Expecting value"),
        (b'{"text": "x"}\n{"text": 7}', "application/jsonl", 2, None, "text is a text, not 7"),
        (b'{"text": "x"}\n[1]', "application/jsonl", 2, None, "an object or a text, not a list"),
        (b'{\n "text": nope}', "application/json", 2, 10, "Expecting value"),
        (b'{"a": NaN}', "application/json", None, None, "NaN is no JSON"),
        (b"[" * 100_000, "application/json", None, None, "nested too deeply"),
        (b"[1, 2]", "", None, None, "not a list; several events are sent one a line, as NDJSON"),
        (b"null", "application/json", None, None, "an object or a text, not null"),
        (b"", "application/json", 1, 1, "Expecting value"),
        (b"\n \n", "application/x-ndjson", None, None, "there is no event in it"),
        (b" ", "text/plain", None, None, "it is empty"),
        (b"caf\xe9", "text/plain", None, None, "byte 3 is no utf-8"),
        (b"a", "text/plain; charset=zlib", None, None, "the encoding 'zlib' is unknown"),
        (b"a", "text/plain; charset=punycode", None, None, "the encoding 'punycode' is unknown"),
        (b"<a><b></a>", "text/xml", None, None, r"no well-formed XML: mismatched tag \(line 1, column 9\)"),
        (b"", "text/xml", None, None, "no well-formed XML: no element found"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "text/xml", None, None, "declares entities of its own"),
        (b"{}", "application/cloudevents+json", None, None, "specversion 1.0, not None"),
        (b"{}", "application/cloudevents-batch+json", None, None, "a batch of CloudEvents is a list"),
        (b"[{}]", "application/cloudevents-batch+json", None, None, "event 0: a CloudEvent has specversion 1.0"),
    ],
)
def test_a_fault_has_a_place(body: bytes, kind: str, line: int | None, character: int | None, reason: str) -> None:
    with pytest.raises(MalformedError, match=reason) as refused:
        read_body(body, kind)
    assert (refused.value.line, refused.value.character) == (line, character)
    assert str(refused.value).startswith(f"line {line}" if line else refused.value.reason)


def test_an_unknown_type_is_named_with_those_that_are_read() -> None:
    with pytest.raises(UnknownTypeError, match="the type 'image/png' cannot be read; send one of: application/json"):
        read_body(b"", "image/png")


def test_a_body_has_at_most_so_many_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MOST_EVENTS", 2)
    assert len(read_body(b'"a"\n"b"', "application/x-ndjson")) == 2
    with pytest.raises(EventError, match="3 events are too many at once; send at most 2"):
        read_body(b'"a"\n"b"\n"c"', "application/x-ndjson")


# CloudEvents


def test_a_cloud_event_is_a_row_known_by_source_and_id() -> None:
    item = one(EVENT | {"data": {"title": "A kettle", "price": 25}}, "application/cloudevents+json")
    assert (item.title, item.text, item.feed) == ("A kettle", "", "/till/3")
    assert item.published == datetime(2026, 11, 18, 20, 15, tzinfo=UTC)
    event = event_of("predicates", item)
    assert (event["type"], event["data"]["price"]) == ("sale", 25)
    assert one(EVENT, "application/cloudevents+json").identity == item.identity
    others = [EVENT | {"id": "8"}, EVENT | {"source": "/till/37"}, EVENT | {"source": "/till/", "id": "37"}]
    assert len({one(other, "application/cloudevents+json").identity for other in others} | {item.identity}) == 4


def test_the_three_modes_give_the_same_item() -> None:
    structured = one(EVENT | {"data": {"price": 25}}, "application/cloudevents+json; charset=utf-8")
    (batched,) = read_body(json.dumps([EVENT | {"data": {"price": 25}}]).encode(), "application/cloudevents-batch+json")
    headers = {f"ce_{name}": value for name, value in EVENT.items()}
    binary = one({"price": 25}, "application/json", **headers, authorization="Bearer x")
    rows = [json.loads(str(item.row)) for item in (structured, batched, binary)]
    assert rows[0] == rows[1] == {k: v for k, v in rows[2].items() if k != "datacontenttype"}
    assert structured.identity == batched.identity == binary.identity
    assert (structured.title, binary.title) == ("sale", "sale") and "authorization" not in rows[2]


def test_data_may_be_text_a_document_or_bytes() -> None:
    text = one(EVENT | {"data": "the ferry", "subject": "Harbour"}, "application/cloudevents+json")
    assert (text.title, text.text) == ("Harbour", "the ferry")
    headers = {f"ce_{name}": value for name, value in EVENT.items()} | {"ce_subject": "caf%C3%A9"}
    document = one(b"<a><b/></a>", "application/xml", **headers)
    assert document.text == "<a><b/></a>" and is_read_by("paths", document) and document.title == "café"
    assert one(b"", "", **headers).text == ""
    blob = one(b"\xff\xfe", "application/octet-stream", **headers)
    assert json.loads(str(blob.row))["data_base64"] == base64.b64encode(b"\xff\xfe").decode()
    encoded = EVENT | {"data_base64": base64.b64encode(b"the ferry").decode()}
    assert one(encoded, "application/cloudevents+json").text == "the ferry"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"specversion": "0.3"}, "specversion 1.0, not '0.3'"),
        ({"id": ""}, "needs id, a text that is not empty, not ''"),
        ({"source": 5}, "needs source, .* not 5"),
        ({"type": None}, "needs type, .* not None"),
        ({"data": 1, "data_base64": ""}, "data or data_base64, not both"),
        ({"data_base64": "%"}, "data_base64 is no base64"),
        ({"data_base64": 5}, "data_base64 is no base64"),
    ],
)
def test_a_cloud_event_that_is_none_is_refused(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(MalformedError, match=reason):
        one(EVENT | change, "application/cloudevents+json")


def test_data_of_binary_mode_that_is_no_json_is_refused() -> None:
    headers = {f"ce_{name}": value for name, value in EVENT.items()}
    with pytest.raises(MalformedError, match="it is no JSON: Expecting property name"):
        one(b"{", "application/json", **headers)
