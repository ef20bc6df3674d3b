"""WebSub, with a hub of the tests' own on the loopback interface."""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest

from tests.limits import wait_until
from tests.notify.receivers import LOOPBACK
from tests.serve.desk import Desk, desk
from watchword.feeds.addresses import Networks
from watchword.feeds.opml import Outline
from watchword.feeds.own_list import FeedList
from watchword.feeds.strangers import parse_networks
from watchword.feeds.websub import AGAIN, LONGEST, Hub, Pushes, find_hub, is_signed, pushes_of_spool
from watchword.serve.websub import Hubs

FEED = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Port</title><id>urn:port</id>
<updated>2026-11-19T12:00:00Z</updated>{links}{entries}</feed>"""
ENTRY = "<entry><id>urn:{0}</id><title>A ferry, {0}</title><updated>2026-11-19T12:00:00Z</updated></entry>"


@dataclass
class TestHub:
    """A feed at /feed and its hub at /hub, which verifies every subscription and pushes to it."""

    __test__ = False
    url: str = ""
    in_header: bool = True
    answer: int = 202
    asked: list[dict[str, str]] = field(default_factory=list)
    verified: list[bool] = field(default_factory=list)

    def document(self, *names: str) -> bytes:
        links = (
            ""
            if self.in_header
            else f'<link rel="hub" href="{self.url}/hub"/><link rel="self" href="{self.url}/feed"/>'
        )
        return FEED.format(links=links, entries="".join(map(ENTRY.format, names))).encode()

    def verify(self, form: dict[str, str]) -> None:
        query = {
            "hub.mode": "subscribe",
            "hub.topic": form["hub.topic"],
            "hub.challenge": "c4",
            "hub.lease_seconds": "600",
        }
        answer = httpx.get(form["hub.callback"], params=query, trust_env=False)
        self.verified.append(answer.status_code == 200 and answer.text == "c4")

    def push(self, body: bytes, secret: str | None = None, digest: str = "sha256") -> httpx.Response:
        form = self.asked[-1]
        signed = hmac.new((secret or form["hub.secret"]).encode(), body, digest).hexdigest()
        headers = {"X-Hub-Signature": f"{digest}={signed}", "Content-Type": "application/atom+xml"}
        return httpx.post(form["hub.callback"], content=body, headers=headers, trust_env=False)


@contextmanager
def hub() -> Iterator[TestHub]:
    made = TestHub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            if made.in_header:
                self.send_header("Link", f'<{made.url}/hub>; rel="hub", <{made.url}/feed>; rel="self"')
            self.end_headers()
            self.wfile.write(made.document("first"))

        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
            made.asked.append({name: values[0] for name, values in form.items()})
            self.send_response(made.answer)
            self.end_headers()
            if made.answer == 202:
                threading.Thread(target=made.verify, args=(made.asked[-1],)).start()

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Desk]:
    with desk(tmp_path) as made:
        with made.home.store() as store:
            store.add_subscriber("ada")
            store.subscribe("ada", "ferry", id="ferries")
        yield made


def hubs(here: Desk) -> Hubs:
    networks: Networks = parse_networks(LOOPBACK)
    return Hubs(here.home, here.address, networks)


def titles(here: Desk) -> list[str]:
    return sorted(one.item.title for one in here.service.store().inbox("ada"))


@pytest.mark.parametrize("in_header", [True, False])
def test_a_feed_that_names_a_hub_is_pushed_once_it_was_verified(here: Desk, in_header: bool) -> None:
    with hub() as port:
        port.in_header = in_header
        source = f"{port.url}/feed"
        FeedList(here.home.feeds).add([Outline(source, "Port", (), False, "ada")])
        asking = hubs(here)
        assert asking.look() == 1 and asking.look() == 0
        wait_until(lambda: port.verified != [], "the verification")
        assert port.verified == [True] and asking.pushes.pushed(time.time()) == {source}
        form = port.asked[0]
        assert form["hub.topic"] == source and len(form["hub.callback"].rpartition("/")[2]) == 43
        assert (here.home.path / "websub.json").stat().st_mode & 0o777 == 0o600
        assert port.push(port.document("one", "two")).status_code == 202
        wait_until(lambda: titles(here) == ["A ferry, one", "A ferry, two"], "the items")
        assert port.push(port.document("one", "three"), digest="sha1").status_code == 202
        wait_until(lambda: len(titles(here)) == 3, "the new one")
        (delivery,) = [one for one in here.service.store().inbox("ada") if one.item.title == "A ferry, one"]
        from watchword.feeds.reading import read

        polled = read(port.document("one"), source).items[0]
        assert delivery.item.identity == polled.id and delivery.item.feed_url == source, "polled, it is the same item"


def test_what_was_not_asked_for_is_refused_and_what_is_not_signed_is_dropped(here: Desk) -> None:
    with hub() as port, here.with_token(None) as anybody:
        FeedList(here.home.feeds).add([Outline(f"{port.url}/feed", "Port", (), False, "ada")])
        hubs(here).look()
        wait_until(lambda: port.verified == [True], "the verification")
        path = port.asked[0]["hub.callback"].removeprefix(here.address)
        topic = port.asked[0]["hub.topic"]
        good = {"hub.mode": "subscribe", "hub.topic": topic, "hub.challenge": "x"}
        assert anybody.get(path, params=good).text == "x"
        for wrong in (
            good | {"hub.topic": topic + "x"},
            good | {"hub.mode": "unsubscribe"},
            good | {"hub.challenge": ""},
            good | {"hub.challenge": "x" * 2001},
            {},
        ):
            assert anybody.get(path, params=wrong).status_code == 404
        assert anybody.get("/websub/" + "x" * 43, params=good).status_code == 404
        assert anybody.post("/websub/" + "x" * 43, content=b"x").status_code == 410
        assert port.push(port.document("forged"), secret="wrong").status_code == 202
        assert anybody.post(path, content=port.document("unsigned")).status_code == 202
        assert port.push(b"this is no feed").status_code == 202
        assert port.push(port.document("true")).status_code == 202
        wait_until(lambda: titles(here) != [], "the item")
        assert titles(here) == ["A ferry, true"]
        assert anybody.get(path, params={"hub.mode": "denied", "hub.topic": topic}).status_code == 200
        assert port.push(port.document("late")).status_code == 410


def test_a_hub_that_refuses_is_asked_again_after_a_day_and_a_private_one_never(here: Desk) -> None:
    with hub() as port:
        port.answer = 404
        source = f"{port.url}/feed"
        FeedList(here.home.feeds).add([Outline(source, "Port", (), False, "ada")])
        asking = hubs(here)
        assert asking.look() == 0 and len(port.asked) == 1
        known = asking.pushes.read()
        assert known[source].state == "none" and not asking.pushes.is_due(source, time.time(), known)
        assert asking.pushes.is_due(source, time.time() + AGAIN + 1, known)
        (here.home.path / "websub.json").unlink()
        assert Hubs(here.home, here.address).look() == 0 and len(port.asked) == 1, (
            "neither the feed nor the hub is public"
        )


def test_leases_end_and_are_renewed_before_with_the_same_secret(tmp_path: Path) -> None:
    pushes, target = (
        Pushes(tmp_path / "runs" / "main" / "websub.json"),
        Hub("https://h.example/", "https://a.example/t"),
    )
    pushes = Pushes(tmp_path / "websub.json")
    made = pushes.ask("feed", target, 1000.0)
    assert pushes.pushed(1000.0) == set() and not pushes.confirm(made.token, "other", 600, 1000.0)
    assert pushes.confirm(made.token, target.topic, 600, 1000.0)
    assert pushes.pushed(1599.0) == {"feed"} and pushes.pushed(1600.0) == set()
    assert not pushes.is_due("feed", 1500.0, pushes.read()) and pushes.is_due("feed", 1541.0, pushes.read())
    again = pushes.ask("feed", target, 1541.0)
    assert (again.token, again.secret, again.state) == (made.token, made.secret, "active")
    assert pushes.ask("feed", Hub("https://other.example/", "x"), 1542.0).token != made.token
    pushes.confirm(pushes.read()["feed"].token, "x", 10**12, 1542.0)
    assert pushes.read()["feed"].expires == 1542.0 + LONGEST
    assert pushes_of_spool(tmp_path / "runs" / "main" / "spool").path == pushes.path
    pushes.path.write_text("{broken")
    assert pushes.read() == {} and pushes.pushed(0) == set()


def test_hubs_are_found_in_headers_and_documents() -> None:
    rss = '<rss><channel><atom:link rel="self hub" href="https://h.example/"/></channel>'
    assert find_hub("", rss, "https://a.example/f") == Hub("https://h.example/", "https://h.example/")
    assert find_hub("<x>; rel=hub", "", "https://a.example/b/f") == Hub(
        "https://a.example/b/x", "https://a.example/b/f"
    )
    assert find_hub('<x>; rel="next"', "<feed>", "https://a.example/f") is None
    assert find_hub("<" * 5000, "<link" * 5000, "https://a.example/f") is None
    for header in ("", "sha256", "sha256=", "md5=" + hashlib.md5(b"x").hexdigest(), "sha256=é", "sha256=" + "0" * 64):
        assert not is_signed("s", header, b"x")
    assert not is_signed("", "sha256=" + hmac.new(b"", b"x", "sha256").hexdigest(), b"x")
