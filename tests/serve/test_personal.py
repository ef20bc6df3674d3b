"""Personal feeds: valid Atom and JSON Feed for feed readers, private, conditional, gone when the token is revoked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

import feedparser  # type: ignore[import-untyped]
import httpx
import pytest

from tests.serve.desk import Desk, desk
from watchword.feeds import parse
from watchword.store import Details, Item, Match

ATOM = "{http://www.w3.org/2005/Atom}"
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
HOSTILE = '</title><script>alert(1)</script> & "x" \x00\x0b\ufffe\x7f\ud800 {{7*7}} ]]> 東京 \U0001f6a2'
TIME = datetime(2026, 11, 17, 9, 41, tzinfo=UTC)


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk(tmp_path_factory.mktemp("desk")) as made:
        made.token()
        with made.home.store() as store:
            store.subscribe("ada", "ferry", id="ferries", details=Details(tags=("work",)))
            store.subscribe("ada", "storm", id="storm & sea")
            items = [
                Item("i1", "The ferry", "It <b>sails</b>", "https://a.test/1?a=b&c=d", "Bo", TIME, "en", "Harbour"),
                Item("i2", HOSTILE, HOSTILE, "javascript:alert(1)", HOSTILE, None, "", HOSTILE, "https://a.test/feed"),
                Item("i3", "", "a storm " * 100, "https://a.test/a b"),
                Item("i4", row='{"price": 25}'),
            ]
            matches = [("i1", "ferries"), ("i1", "storm & sea"), *((f"i{n}", "storm & sea") for n in (2, 3, 4))]
            store.record("b1", items, [Match(*match) for match in matches])
        yield made


@pytest.fixture(scope="module")
def token(at: Desk) -> str:
    return at.token("ada", "feed")


def entries(answer: httpx.Response) -> list[ElementTree.Element]:
    assert answer.status_code == 200, answer.text
    return ElementTree.fromstring(answer.content).findall(f"{ATOM}entry")


def check_atom(document: bytes) -> None:
    """Check an Atom document by the rules of RFC 4287, section 4."""
    text = document.decode("utf-8")
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]", text)
    feed = ElementTree.fromstring(document)
    assert feed.tag == f"{ATOM}feed"
    check_parts(feed, once=("id", "title", "updated"), at_most=("generator", "subtitle", "rights"))
    assert feed.find(f"{ATOM}author/{ATOM}name") is not None
    rels = [link.get("rel") for link in feed.findall(f"{ATOM}link")]
    assert sorted(rels) == ["alternate", "self"]
    ids = [entry.findtext(f"{ATOM}id") for entry in feed.findall(f"{ATOM}entry")]
    assert len(ids) == len(set(ids))
    for entry in feed.findall(f"{ATOM}entry"):
        check_parts(entry, once=("id", "title", "updated", "content"), at_most=("published", "summary", "source"))
        assert len([one for one in entry.findall(f"{ATOM}link") if one.get("rel") == "alternate"]) <= 1
        for category in entry.findall(f"{ATOM}category"):
            assert category.get("term")
        source = entry.find(f"{ATOM}source")
        if source is not None:
            check_parts(source, once=("id", "title", "updated"))
    for element in feed.iter():
        if element.tag in (f"{ATOM}updated", f"{ATOM}published"):
            assert DATE.fullmatch(element.text or "")
        if element.tag == f"{ATOM}id":
            assert re.fullmatch(r"(urn:uuid:[0-9a-f-]{36}|https?://\S+)", element.text or "")
        if element.tag == f"{ATOM}link":
            assert re.fullmatch(r"https?://[^\s<>\"]+", element.get("href") or "")
        if element.tag == f"{ATOM}title":
            assert element.get("type") in (None, "text") and len(element) == 0
        if element.tag == f"{ATOM}name":
            assert (element.text or "").strip()


def check_parts(element: ElementTree.Element, once: tuple[str, ...], at_most: tuple[str, ...] = ()) -> None:
    for name in (*once, *at_most):
        count = len(element.findall(f"{ATOM}{name}"))
        assert count == 1 or (name in at_most and count == 0), (element.tag, name, count)


def test_the_atom_feed_is_valid_and_feed_readers_read_it(at: Desk, token: str) -> None:
    answer = at.with_token(None).get(f"/f/{token}.atom")
    assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
    check_atom(answer.content)
    found = feedparser.parse(answer.content)
    assert not found.bozo and found.version == "atom10" and found.feed.title == "Watchword: ada"
    newest = found.entries[-1]
    assert (newest.title, newest.link, newest.author) == ("The ferry", "https://a.test/1?a=b&c=d", "Bo")
    assert newest.published == "2026-11-17T09:41:00Z" and newest.source.title == "Harbour"
    assert [tag.term for tag in newest.tags] == ["ferries", "storm & sea"]
    assert newest.content[0].value.startswith("It <b>sails</b>\n\nferries: match: ferry")
    assert newest.content[0].type == "text/plain"
    own = parse(answer.content, "https://desk.test/f.atom")
    assert [item.title for item in own.items][-1] == "The ferry"


def test_what_is_hostile_stays_text(at: Desk, token: str) -> None:
    found = entries(at.with_token(None).get(f"/f/{token}.atom"))
    (entry,) = (one for one in found if "{{7*7}}" in "".join(one.itertext()))
    title = entry.findtext(f"{ATOM}title") or ""
    assert title.startswith('</title><script>alert(1)</script> & "x"') and title.endswith("]]> 東京 \U0001f6a2")
    assert entry.find(f"{ATOM}link") is None, "which would run a script"
    json = next(one for one in at.with_token(None).get(f"/f/{token}.json").json()["items"] if "7*7" in one["title"])
    assert "url" not in json and "\x00" not in json["content_text"]


def test_an_item_without_a_title_is_named_by_its_text(at: Desk, token: str) -> None:
    titles = [entry.findtext(f"{ATOM}title") or "" for entry in entries(at.with_token(None).get(f"/f/{token}.atom"))]
    assert titles[0] == '{"price": 25}' and len(titles[1]) == 200 and titles[1].endswith("…")


def test_the_json_feed_is_valid(at: Desk, token: str) -> None:
    answer = at.with_token(None).get(f"/f/{token}.json")
    feed: dict[str, Any] = answer.json()
    assert answer.headers["content-type"] == "application/feed+json; charset=utf-8"
    assert feed["version"] == "https://jsonfeed.org/version/1.1" and feed["title"] == "Watchword: ada"
    assert feed["feed_url"].endswith(f"/f/{token}.json") and len(feed["items"]) == 4
    for item in feed["items"]:
        assert isinstance(item["id"], str) and isinstance(item["content_text"], str) and item["tags"]
        assert DATE.fullmatch(item["date_modified"])
    last = feed["items"][-1]
    assert (last["title"], last["url"], last["authors"]) == ("The ferry", "https://a.test/1?a=b&c=d", [{"name": "Bo"}])
    atom = entries(at.with_token(None).get(f"/f/{token}.atom"))
    assert [item["id"] for item in feed["items"]] == [entry.findtext(f"{ATOM}id") for entry in atom]


def test_a_part_of_the_inbox(at: Desk, token: str) -> None:
    reader = at.with_token(None)
    assert len(entries(reader.get(f"/f/{token}.atom", params={"subscription": "storm & sea"}))) == 4
    assert len(entries(reader.get(f"/f/{token}.atom", params={"subscription": "ferries"}))) == 1
    tagged = reader.get(f"/f/{token}.atom", params={"tag": "work"})
    assert [entry.findtext(f"{ATOM}title") for entry in entries(tagged)] == ["The ferry"]
    empty = reader.get(f"/f/{token}.atom", params={"tag": "none"})
    check_atom(empty.content)
    assert entries(empty) == [] and empty.headers["last-modified"] == "Thu, 01 Jan 1970 00:00:00 GMT"
    ids = [ElementTree.fromstring(one.content).findtext(f"{ATOM}id") for one in (tagged, empty)]
    assert ids[0] != ids[1]


def test_it_is_sent_again_only_if_it_has_changed(at: Desk, token: str) -> None:
    reader, path = at.with_token(None), f"/f/{token}.atom"
    first = reader.get(path)
    etag, changed = first.headers["etag"], first.headers["last-modified"]
    assert first.headers["cache-control"] == "private, max-age=60"
    for headers in (
        {"If-None-Match": etag},
        {"If-None-Match": f'"other", W/{etag}'},
        {"If-None-Match": "*"},
        {"If-Modified-Since": changed},
    ):
        answer = reader.get(path, headers=headers)
        assert answer.status_code == 304 and answer.content == b"" and answer.headers["etag"] == etag
    for headers in (
        {"If-None-Match": '"other"', "If-Modified-Since": changed},
        {"If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"},
        {"If-Modified-Since": "soon"},
    ):
        assert reader.get(path, headers=headers).status_code == 200
    with at.home.store() as store:
        store.record("b2", [Item("i5", "A storm")], [Match("i5", "storm & sea")])
    assert reader.get(path, headers={"If-None-Match": etag}).status_code == 200


def test_the_address_is_the_right_to_read(at: Desk, token: str) -> None:
    reader = at.with_token(None)
    for wrong in ("ww_" + "x" * 43, token[:-1], at.token("ada", "read", "write")):
        answer = reader.get(f"/f/{wrong}.atom")
        assert answer.status_code == 404 and wrong not in answer.text
    assert reader.get(f"/f/{token}.rss").status_code == 422
    mine = at.token("bob", "feed")
    assert entries(reader.get(f"/f/{mine}.atom")) == []
    with at.home.store() as store:
        store.revoke_token("bob", store.tokens("bob")[-1].number)
    assert reader.get(f"/f/{mine}.atom").status_code == 404
