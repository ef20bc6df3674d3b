"""Feeds, tokens and health as pages."""

from __future__ import annotations

import json
import os
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from tests.serve.console.visitors import Page, Visitor
from tests.serve.desk import Desk, desk
from watchword.dead_letters import Letter, write_letters

FEED = b"""<rss version="2.0"><channel><title>Harbour &lt;news&gt;</title><link>https://harbour.example</link>
<item><title>Ferry</title><link>https://harbour.example/1</link><guid>1</guid></item></channel></rss>"""
OPML = """<opml version="2.0"><body><outline text="Sea"><outline type="rss" text="Tides"
xmlUrl="https://tides.example/feed.xml"/></outline><outline type="rss" xmlUrl="file:///etc/passwd"/></body></opml>"""


def test_a_token_is_shown_once_and_works_until_it_is_revoked(ada: Visitor, island: Desk) -> None:
    page = ada.submit("/console/tokens", do="add", name="laptop <1>", days="90", scope=["read", "match"]).text
    secret = re.search(r"<code>(ww_[\w-]{43})</code>", page)[1]
    assert "laptop &lt;1&gt;" in page
    headers = {"Authorization": f"Bearer {secret}"}
    assert httpx.get(f"{island.address}/subscriptions", headers=headers).status_code == 200
    assert httpx.put(f"{island.address}/subscriptions/x", headers=headers, json={"text": "x"}).status_code == 403
    again = ada.get("/console/tokens").text
    assert secret not in again
    assert "match, read" in again
    number = re.search(r'name="number" value="(\d+)"', again)[1]
    assert "laptop &lt;1" not in ada.submit("/console/tokens", do="revoke", number=number).text
    assert httpx.get(f"{island.address}/subscriptions", headers=headers).status_code == 401
    assert secret not in (island.home.path / "store.sqlite").read_bytes().decode("latin-1")


def test_a_feed_token_comes_with_the_address_of_the_feed(ada: Visitor) -> None:
    page = ada.submit("/console/tokens", do="add", name="reader", scope="feed").text
    feed = re.search(r"<code>(http://[^<]+\.atom)</code>", page)[1]
    assert httpx.get(feed).headers["content-type"].startswith("application/atom+xml")


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"scope": "admin"},
        {"scope": ["read", "everything"]},
        {"scope": "read", "days": "-1"},
        {"scope": "read", "name": "x" * 201},
        {"scope": "read", "name": "two\nlines"},
    ],
)
def test_a_token_that_may_not_be_made_is_refused(ada: Visitor, island: Desk, fields: dict[str, object]) -> None:
    before = island.service.store().tokens("ada")
    assert ada.submit("/console/tokens", do="add", **fields).status_code == 422
    assert island.service.store().tokens("ada") == before


def test_nobody_revokes_the_token_of_somebody_else(ada: Visitor, island: Desk) -> None:
    island.token("bob")
    number = island.service.store().tokens("bob")[0].number
    for wrong in (str(number), "0", "x", "9" * 30):
        assert ada.submit("/console/tokens", do="revoke", number=wrong).status_code == 404
    assert island.service.store().tokens("bob")


def test_health_says_what_there_is(you: Visitor, island: Desk) -> None:
    page = Page(you.get("/console/health").text)
    assert {"Store", "Indexes", "Archive", "Free disk", "Posted events", "Lag", "Disk"} <= {
        one.split(" ")[0] if one.startswith("Archive") else one for one in page.texts("h2")
    }
    assert page.texts("span", "state")[:3] == ["well", "well", "well"]
    rows = dict(re.findall(r"<tr><td>(\w+)</td><td class=\"n\">([\d.]+ [kM]?B)", you.get("/console/health").text))
    assert {"archive", "store"} <= rows.keys()


def test_health_shows_the_run_beside_the_server(you: Visitor, island: Desk) -> None:
    file = island.home.path / "run-child.json"
    file.write_text(json.dumps({"server": os.getpid(), "state": "waiting", "starts": 3, "ended": 1}))
    try:
        text = Page(you.get("/console/health").text).texts("li", "figure-card")
    finally:
        file.unlink()
    assert "Run beside itlook at itwaiting, started 3 times" in text


def test_health_names_dead_and_covered_subscriptions(island: Desk) -> None:
    with Visitor(island, "planner") as visitor, island.home.store() as store:
        for id, text in (("wide", "ferry"), ("narrow", "ferry AND storm"), ("none", "unicorn")):
            store.subscribe("planner", text, id=f"planner-{id}")
        store.subscribe("planner", "feed = 'Nowhere'", id="planner-nowhere", language="predicates")
        page = visitor.get("/console/health?look=true").text
        dead, covered = re.search(
            r"Found nothing</h3>(.*?)</ul>.*?did not find</h3>(.*?)</ul>", page, re.DOTALL
        ).groups()
        assert re.findall(r"id=([\w-]+)", dead) == ["planner-none", "planner-nowhere"]
        assert re.findall(r"id=([\w-]+)", covered) == ["planner-narrow", "planner-wide"]
        assert "None of" not in page


def test_health_shows_dead_letters_as_text(you: Visitor, island: Desk) -> None:
    letter = Letter("posted", "<b>7</b>", "its <script> is empty", "{")
    write_letters(island.home.posted / "dead-letters" / "batch-1.jsonl", [letter], 1)
    page = you.get("/console/health").text
    assert "&lt;b&gt;7&lt;/b&gt;" in page
    assert "its &lt;script&gt; is empty" in page


@pytest.mark.slow
def test_feeds_are_added_shown_and_removed(tmp_path: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Feeds)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}/feed.xml"
    try:
        with desk(tmp_path) as refusing, Visitor(refusing) as visitor:
            answer = visitor.submit("/console/feeds", do="add", url=url)
            assert answer.status_code == 422
            assert f'value="{url}"' in answer.text
            assert visitor.submit("/console/feeds", do="add", url="file:///etc/passwd").status_code == 422
        with desk(tmp_path, feed_networks=("127.0.0.0/8",)) as allowing, Visitor(allowing) as visitor:
            answer = visitor.submit("/console/feeds", do="add", url=url)
            assert answer.status_code == 303
            assert "Added Harbour &lt;news&gt;" in visitor.get(answer.headers["location"]).text
            page = visitor.get("/console/feeds").text
            assert "not asked yet" in page
            assert url in page
            with Visitor(allowing, "bob") as bob:
                assert "Remove Harbour" not in bob.get("/console/feeds").text
                assert bob.submit("/console/feeds", do="remove", url=url).status_code == 403
            assert visitor.submit("/console/feeds", do="remove", url=url).status_code == 303
            assert "No feeds yet" in visitor.get("/console/feeds").text
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Feeds(BaseHTTPRequestHandler):
    """One feed at every address."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/rss+xml")
        self.end_headers()
        self.wfile.write(FEED)

    def log_message(self, *words: object) -> None:
        pass


def test_a_list_of_feeds_is_imported_and_refused_addresses_are_named(ada: Visitor) -> None:
    page = ada.submit("/console/feeds", do="import", opml=OPML).text
    assert "1 feed added" in page
    assert "Tides" in page
    assert "file:///etc/passwd" in page
    assert "<opml" in ada.get("/feeds/opml").text
    assert ada.submit("/console/feeds", do="import", opml="no list").status_code == 422
