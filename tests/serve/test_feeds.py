"""Feeds over HTTP: added by address or from a page, public ones only, listed with their state, removed, OPML."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from tests.feeds.server import FeedServer, rss, running
from tests.serve.desk import Desk, desk
from watchword.feeds import list_sources

ALLOWED = ("127.0.0.2/32",)
PAGE = b'<html><link rel="alternate" type="application/rss+xml" href="/feed" title="The news"><p>News</p></html>'


@pytest.fixture(scope="module")
def running_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk(tmp_path_factory.mktemp("desk"), feed_networks=ALLOWED) as made:
        yield made


@pytest.fixture
def at(running_desk: Desk) -> Desk:
    running_desk.home.feeds.unlink(missing_ok=True)
    return running_desk


@pytest.fixture
def outside() -> Iterator[FeedServer]:
    """A server in a network that the administrator allows: the others of loopback are private."""
    with running("127.0.0.2") as server:
        server.serve("/feed", rss([1]))
        yield server


@pytest.fixture
def inside() -> Iterator[FeedServer]:
    with running() as server:
        server.serve("/feed", rss(["secret"]))
        yield server


def add(client: httpx.Client, url: str) -> httpx.Response:
    return client.post("/feeds", json={"url": url})


def listed(client: httpx.Client) -> list[str]:
    return [feed["url"] for feed in client.get("/feeds").json()["feeds"]]


def test_a_feed_is_added_by_its_address_once(at: Desk, outside: FeedServer) -> None:
    ada, url = at.client(), outside.url("/feed")
    answer = add(ada, url)
    assert (answer.status_code, answer.json()) == (201, {"url": url, "title": "t"})
    assert add(at.client("bob"), url).status_code == 200
    (feed,) = ada.get("/feeds").json()["feeds"]
    assert feed == {"url": url, "title": "t", "groups": [], "added_by": "ada"}
    assert list_sources([str(at.home.feeds)]).feeds == (url,)
    with at.home.store() as store:
        (entry,) = (one for one in store.audit() if one.which == url)
    assert (entry.who, entry.what, entry.new) == ("ada", "add feed", "t")


def test_a_page_leads_to_its_feed_and_redirects_to_where_it_is_now(at: Desk, outside: FeedServer) -> None:
    ada, page = at.client(), outside.serve("/", PAGE)
    assert add(ada, page).json() == {"url": outside.url("/feed"), "title": "t"}
    outside.answers["/old"] = lambda handler: handler.reply(301, Location="/feed")
    assert add(ada, outside.url("/old")).json()["url"] == outside.url("/feed")
    two = PAGE.replace(b"<p>", b'<link rel="alternate" type="application/atom+xml" href="/atom"><p>')
    answer = add(ada, outside.serve("/two", two))
    assert answer.status_code == 422
    choices = [{"url": outside.url("/feed"), "title": "The news"}, {"url": outside.url("/atom"), "title": ""}]
    assert answer.json()["choices"] == choices and listed(ada) == [outside.url("/feed")]


def test_what_is_no_feed_is_refused_and_nothing_of_it_is_told(at: Desk, outside: FeedServer) -> None:
    ada = at.client()
    secret = outside.serve("/status", b'{"password": "hunter2"}')
    false = outside.serve("/false", PAGE.replace(b"/feed", b"/status"))
    for url, reason in (
        (secret, "neither a feed nor a page"),
        (false, "it is none"),
        (outside.url("/x"), "answered 404"),
    ):
        answer = add(ada, url)
        assert answer.status_code == 422 and reason in answer.json()["detail"]
        assert "hunter2" not in answer.text and answer.json()["type"] == "urn:watchword:problem:feed-refused"
    assert listed(ada) == []


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "/etc/passwd",
        "http://127.0.0.1:PORT/feed",
        "http://localhost:PORT/feed",
        "http://[::1]/feed",
    ],
)
def test_private_addresses_and_files_are_refused(at: Desk, inside: FeedServer, outside: FeedServer, url: str) -> None:
    ada = at.client()
    answer = add(ada, url.replace("PORT", str(inside.server_address[1])))
    assert answer.status_code == 422 and listed(ada) == []
    outside.answers["/in"] = lambda handler: handler.reply(302, Location=inside.url("/feed"))
    outside.serve("/page", PAGE.replace(b"/feed", inside.url("/feed").encode()))
    for path in ("/in", "/page"):
        assert "no such address on the public network" in add(ada, outside.url(path)).json()["detail"]
    assert inside.requests == []


def test_only_who_has_added_a_feed_and_administrators_remove_it(at: Desk, outside: FeedServer) -> None:
    ada, url = at.client(), {"url": outside.url("/feed")}
    add(ada, url["url"])
    assert at.client("bob").delete("/feeds", params=url).status_code == 403
    assert at.client("ada", "read").delete("/feeds", params=url).status_code == 403
    assert ada.delete("/feeds", params=url).status_code == 204 and listed(ada) == []
    assert ada.delete("/feeds", params=url).status_code == 404
    add(ada, url["url"])
    assert at.client("root", "admin").delete("/feeds", params=url).status_code == 204


def test_lists_come_and_go_as_opml(at: Desk, outside: FeedServer) -> None:
    ada = at.client()
    document = b"""<opml version="2.0"><body><outline text="Sea"><outline text="One" xmlUrl="https://a.test/1"/></outline>
        <outline text="Two" xmlUrl="https://a.test/2"/><outline text="File" xmlUrl="file:///etc/passwd"/>
        <outline text="Port" xmlUrl="http://a.test:22/"/><outline text="Part" xmlUrl="feed.xml"/></body></opml>"""
    answer = ada.post("/feeds/opml", content=document, headers={"Content-Type": "text/x-opml"})
    assert answer.status_code == 200, answer.text
    done = answer.json()
    assert (done["added"], done["known"]) == (2, 0)
    assert [one["url"] for one in done["refused"]] == ["http://a.test:22/", "http://list.invalid/feed.xml"]
    assert "cannot name local files" in done["problems"][0]
    assert list_sources([str(at.home.feeds)]).listed == {"https://a.test/1", "https://a.test/2"}
    out = ada.get("/feeds/opml")
    assert out.headers["content-type"] == "text/x-opml; charset=utf-8" and b"addedBy" not in out.content
    again = at.client("bob").post("/feeds/opml", content=out.content).json()
    assert (again["added"], again["known"], again["refused"]) == (0, 2, [])
    assert b'text="Sea"' in out.content
    assert ada.post("/feeds/opml", content=b"<html/>").status_code == 422
    bomb = b'<!DOCTYPE opml [<!ENTITY a "b">]><opml><body/></opml>'
    assert "entities" in ada.post("/feeds/opml", content=bomb).json()["detail"]


def test_the_state_of_a_runs_feeds_is_there(at: Desk, outside: FeedServer) -> None:
    run = at.home.run("main")
    run.spool.mkdir(exist_ok=True)
    status = {"at": "2026-11-18T20:15:00Z", "new": 2, "error": "the server answered 500", "failures": 3}
    private = "http://ada:secret@10.0.0.7/feed?key=secret"
    asked = dict.fromkeys([outside.url("/feed"), "/home/ada/own.xml", private], status)
    (run.spool / "status.json").write_text(json.dumps(asked))
    add(at.client(), outside.url("/feed"))
    feeds = at.client("bob", "read").get("/feeds").json()["feeds"]
    assert [feed["url"] for feed in feeds] == [outside.url("/feed"), "own.xml", "http://10.0.0.7/feed?…"]
    assert listed(at.client("root", "admin")) == list(asked)
    assert feeds[0]["state"] == feeds[1]["state"] == status and feeds[0]["run"] == "main"


def test_few_addresses_are_tried_at_once(at: Desk, outside: FeedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at.service, "trying", 4)
    assert add(at.client(), outside.url("/feed")).status_code == 429


def test_topics_are_read_by_all_and_replaced_by_administrators(at: Desk) -> None:
    ada, root = at.client(), at.client("root", "admin")
    tree = {"national": ["politics"], "local": ["national", "towns"]}
    assert ada.put("/topics", json=tree).status_code == 403
    assert root.put("/topics", json=tree).status_code == 204
    assert ada.get("/topics").json() == tree and ada.get("/topics?attribute=tags").json() == {}
    cycle = root.put("/topics", json={"a": ["b"], "b": ["a"]})
    assert cycle.status_code == 422 and ada.get("/topics").json() == tree
    assert root.put("/topics", json={"a": ["x" * 1_001]}).status_code == 422
    assert root.put("/topics", json={"a": "b"}).status_code == 422
    assert root.put("/topics", json={}).status_code == 204 and ada.get("/topics").json() == {}
