"""Addresses that strangers give: public ones only, however they are written; feeds that a page names."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import pytest

from tests.feeds.conftest import OUTSIDE
from tests.feeds.server import FeedServer, rss
from watchword.errors import FeedError, OptionError
from watchword.feeds import Limits, fetch, list_sources
from watchword.feeds.opml import Outline, read_opml, write_opml
from watchword.feeds.own_list import FeedList
from watchword.feeds.strangers import NOT_PUBLIC, check_address, find_feeds, get_public, is_inside, parse_networks

LOOPBACK = parse_networks(["127.0.0.0/8"])


def reason(address: str) -> str:
    with pytest.raises(FeedError) as refused:
        get_public(address, limits=Limits(timeout=5))
    return refused.value.reason


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("file:///etc/passwd", "begins with http"),
        ("/etc/passwd", "begins with http"),
        ("gopher://example.org/", "begins with http"),
        ("ftp://example.org/feed", "begins with http"),
        ("unix:///run/docker.sock", "begins with http"),
        ("http+unix://%2Frun%2Fdocker.sock/", "begins with http"),
        ("", "begins with http"),
        ("http://", "names no host"),
        ("http:///path", "names no host"),
        ("http://user:password@example.org/", "no user and no password"),
        ("http://user@example.org/", "no user and no password"),
        ("http://example.org:22/", "the port 22 is none of"),
        ("http://example.org:0/", "the port 0 is none of"),
        ("http://example.org:1023/", "the port 1023 is none of"),
        ("http://example.org:65536/", "the port 65536 is none of"),
        ("http://[::1/", "no address"),
        ("http://0177.0.0.1/", "no address"),
        ("http://exa mple.org/\x00", "no address"),
        ("http://example.org/" + "x" * 2_000, "at most 2,000 characters"),
    ],
)
def test_addresses_that_nobody_may_give(address: str, expected: str) -> None:
    assert expected in reason(address)


@pytest.mark.parametrize("port", [80, 443, 1024, 65535])
def test_ports_that_may_be_named(port: int) -> None:
    assert check_address(f"https://example.org:{port}/").host == "example.org"


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "169.254.169.254",
        "10.0.0.1",
        "0.0.0.0",
        "inside.test",
        "127.0.0.1.nip.test",
        "both.test",
    ],
)
def test_no_way_to_write_a_private_address_is_followed(
    names: dict[str, list[list[str]]], server: FeedServer, host: str
) -> None:
    names |= {name: [["127.0.0.1"]] for name in ("inside.test", "127.0.0.1.nip.test")}
    names["both.test"] = [[OUTSIDE, "10.0.0.1"]]
    server.serve("/secret", rss([1]))
    assert reason(f"http://{host}:{server.server_address[1]}/secret") == NOT_PUBLIC
    assert server.requests == []


def test_what_is_private_is_not_told_apart_from_what_is_not_there(names: dict[str, list[list[str]]]) -> None:
    names |= {"nowhere.test": [[]], "inside.test": [["10.9.8.7"]]}
    names["closed.test"] = [[OUTSIDE]]
    for host in ("nowhere.test", "inside.test", "closed.test:1024", "127.0.0.1:1024"):
        assert reason(f"http://{host}/") == NOT_PUBLIC


def test_every_hop_is_checked_by_the_address_that_is_connected_to(
    names: dict[str, list[list[str]]], outside: FeedServer, server: FeedServer
) -> None:
    secret = server.serve("/secret", rss([1]))
    names |= {"rebinding.test": [[OUTSIDE], ["127.0.0.1"]], "news.test": [[OUTSIDE]]}
    for number, target in enumerate([secret, secret.replace("127.0.0.1", "rebinding.test")]):
        outside.answers[f"/{number}"] = lambda handler, target=target: handler.reply(302, Location=target)  # type: ignore[misc]
    names["rebinding.test"] = [["127.0.0.1"]]
    assert reason(outside.url("/0").replace(OUTSIDE, "news.test")) == NOT_PUBLIC
    assert reason(outside.url("/1").replace(OUTSIDE, "news.test")) == NOT_PUBLIC
    for number, target in enumerate(["file:///etc/passwd", "http://a:b@news.test/", "http://news.test:22/"]):
        outside.answers[f"/r{number}"] = lambda handler, target=target: handler.reply(302, Location=target)  # type: ignore[misc]
        assert reason(outside.url(f"/r{number}")) in (
            NOT_PUBLIC,
            "an address begins with http:// or https://",
            "an address has no user and no password in it",
            "the port 22 is none of 80, 443 and 1024 to 65535",
        )
    outside.answers["/round"] = lambda handler: handler.reply(302, Location="/round")
    assert "redirects more than 5 times" in reason(outside.url("/round"))
    assert server.requests == []


def test_a_public_document_is_read_and_a_proxy_of_the_environment_is_not_asked(
    names: dict[str, list[list[str]]], outside: FeedServer, server: FeedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, server.url(""))
    monkeypatch.delenv("NO_PROXY", raising=False)
    outside.serve("/feed", rss([1]))
    outside.answers["/moved"] = lambda handler: handler.reply(301, Location="/feed")
    found = get_public(outside.url("/moved"))
    assert found.address == outside.url("/feed") and found.document.data == rss([1])
    assert server.requests == []
    assert reason(outside.url("/gone")) == "its server answered 404"


def test_networks_that_the_administrator_allows(server: FeedServer) -> None:
    server.serve("/feed", rss([1]))
    assert get_public(server.url("/feed"), allowed=LOOPBACK).document.data == rss([1])
    assert is_inside(server.url("/feed"), LOOPBACK) and not is_inside(server.url("/feed"), ())
    with pytest.raises(FeedError, match=NOT_PUBLIC):
        get_public(server.url("/feed"), allowed=(ipaddress.ip_network("10.0.0.0/8"),))
    with pytest.raises(OptionError, match=r"written as 10\.0\.0\.0/8: .*'loopback'"):
        parse_networks(["loopback"])


def test_the_feeds_that_a_page_names() -> None:
    page = b"""<html><head><base href="/news/"><link rel="stylesheet" href="a.css">
        <link rel="alternate" type="application/rss+xml" href="rss" title=" All  news ">
        <LINK REL="alternate home" TYPE="application/atom+xml; charset=utf-8" HREF="https://b.test/atom">
        <link rel="alternate" type="application/rss+xml" href="rss" title="again">
        <link rel="alternate" type="text/html" href="en"><link rel="alternate" type="application/rss+xml" href="file:///x">
        <link rel="alternate" type="application/rss+xml" href="http://[::1/"></head>"""
    assert find_feeds(page, "https://a.test/index.html") == [
        ("https://a.test/news/rss", "All news"),
        ("https://b.test/atom", ""),
    ]
    many = b'<link rel=alternate type=application/rss+xml href="%d">'
    assert len(find_feeds(b"".join(many % number for number in range(60)), "https://a.test/")) == 50
    assert find_feeds(b"<" * 100_000, "https://a.test/") == []


# The list of the home


def test_a_list_is_read_back_as_it_was_written() -> None:
    outlines = (
        Outline("https://a.test/1?a=b&c=<d>", 'News & "more"', ("Sea", "Boats"), True, "ada"),
        Outline("https://a.test/2", "Two", ("Sea",)),
        Outline("https://a.test/3", "Three\x00", ()),
    )
    document = write_opml(outlines, "Mine")
    back = read_opml(document, "/home/feeds.opml")
    assert back.problems == ()
    assert back.outlines == (*outlines[:2], Outline("https://a.test/3", "Three", ()))


def test_feeds_that_others_have_added_are_refused_on_private_addresses_by_the_run(
    tmp_path: Path, names: dict[str, list[list[str]]], server: FeedServer
) -> None:
    private = server.serve("/feed", rss([1]))
    path = tmp_path / "feeds.opml"
    feeds = FeedList(path)
    feeds.add([Outline(private, "Theirs", (), is_public=True), Outline(server.serve("/own", rss([2])), "Own", ())])
    found = list_sources([str(path)])
    assert found.listed == {private}
    asked = fetch(found.feeds, listed=found.listed)
    assert [item.title for item in asked.items] == ["item 2"] and len(asked.errors) == 1
    assert list_sources([str(path), private]).listed == frozenset(), "whoever runs it may name it"


def test_feeds_are_added_once_and_removed(tmp_path: Path) -> None:
    feeds = FeedList(tmp_path / "feeds.opml")
    assert feeds.read() == [] and not feeds.remove("https://a.test/1")
    one, two = Outline("https://a.test/1", "One", ()), Outline("https://a.test/2", "Two", ("Sea",))
    assert feeds.add([one, two, one]) == [] and feeds.read() == [one, two]
    assert feeds.add([Outline("https://a.test/1", "Another", ())]) == [one] and feeds.read() == [one, two]
    assert feeds.remove("https://a.test/1") and feeds.read() == [two]
    assert feeds.path.stat().st_mode & 0o777 == 0o600


def test_the_list_is_bounded_and_damage_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("watchword.feeds.own_list.MOST", 2)
    feeds = FeedList(tmp_path / "feeds.opml")
    feeds.add([Outline(f"https://a.test/{number}", "", ()) for number in range(2)])
    with pytest.raises(FeedError, match="it has room for 2 feeds"):
        feeds.add([Outline("https://a.test/3", "", ())])
    assert len(feeds.read()) == 2
    feeds.path.write_text("nothing")
    with pytest.raises(FeedError, match="no OPML document"):
        feeds.read()
