"""Redirects from the public network into a private one. The public network is played by 127.0.0.2."""

from __future__ import annotations

import pytest

from tests.feeds.conftest import OUTSIDE
from tests.feeds.server import FeedServer, rss
from watchword.errors import OptionError
from watchword.feeds import Limits, fetch, list_sources
from watchword.feeds.addresses import is_private


def redirect(server: FeedServer, path: str, target: str) -> str:
    server.answers[path] = lambda handler: handler.reply(302, Location=target)
    return server.url(path)


def reason(source: str, limits: Limits | None = None) -> str:
    (error,) = fetch([source], limits=limits).errors
    return error.reason


def named(url: str, name: str) -> str:
    """Return a URL with a name for its host."""
    return url.replace(OUTSIDE, name).replace("127.0.0.1", name)


@pytest.mark.parametrize(
    "address",
    [
        *(
            "127.0.0.1",
            "10.0.0.1",
            "192.168.1.1",
            "172.16.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
        ),
        *(
            "::1",
            "fe80::1%eth0",
            "fd00::1",
            "::ffff:10.0.0.1",
            "2002:7f00:1::",
            "64:ff9b::7f00:1",
            "ff02::1",
            "224.0.0.1",
        ),
    ],
)
def test_private_addresses(address: str) -> None:
    assert is_private(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:4700::1", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"])
def test_public_addresses(address: str) -> None:
    assert not is_private(address)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "inside.test"]
)
def test_a_public_feed_is_not_followed_to_a_private_address(
    names: dict[str, list[list[str]]], outside: FeedServer, server: FeedServer, host: str
) -> None:
    names |= {"news.test": [[OUTSIDE]], "inside.test": [["127.0.0.1"]]}
    server.serve("/secret", rss([1]))
    target = server.url("/secret").replace("127.0.0.1", host)
    source = named(redirect(outside, "/feed", target), "news.test")
    assert "which is on a private address; private_redirects allows that" in reason(source)
    assert server.requests == []


def test_every_hop_is_checked(names: dict[str, list[list[str]]], outside: FeedServer, server: FeedServer) -> None:
    names["news.test"] = [[OUTSIDE]]
    redirect(outside, "/one", "/two")
    redirect(outside, "/two", server.serve("/secret", rss([1])))
    assert "private address" in reason(named(outside.url("/one"), "news.test"))
    assert server.requests == []


def test_a_name_that_changes_its_meaning_is_not_followed(
    names: dict[str, list[list[str]]], outside: FeedServer, server: FeedServer
) -> None:
    server.serve("/feed", rss([1]))
    names["two-faced.test"] = [[OUTSIDE], ["127.0.0.1"]]  # checked, then connected to
    assert "private address" in reason(named(server.url("/feed"), "two-faced.test"))
    names["both.test"] = [[OUTSIDE, "127.0.0.1"]]
    source = redirect(outside, "/away", named(server.url("/feed"), "both.test"))
    assert "private address" in reason(source)
    assert server.requests == []


def test_a_public_list_names_no_feed_on_a_private_address(
    names: dict[str, list[list[str]]], outside: FeedServer, server: FeedServer
) -> None:
    private, public = server.serve("/feed", rss([1])), outside.serve("/feed", rss([2]))
    document = f'<opml><body><outline xmlUrl="{private}"/><outline xmlUrl="{public}"/></body></opml>'.encode()
    found = list_sources([outside.serve("/l.opml", document)])
    assert found.feeds == (private, public) and found.listed == {private, public}
    asked = fetch(found.feeds, listed=found.listed)
    assert [item.title for item in asked.items] == ["item 2"]
    (error,) = asked.errors
    assert error.source == private and "a list from the public network names it" in error.reason
    assert server.requests == []
    allowed = fetch(found.feeds, listed=found.listed, limits=Limits(private_redirects=True))
    assert [item.title for item in allowed.items] == ["item 1", "item 2"]
    # A list of the user's own may name them, and so may the user, whatever a list says.
    assert list_sources([server.serve("/l.opml", document)]).listed == frozenset()
    assert list_sources([outside.url("/l.opml"), private]).listed == {public}


def test_what_is_allowed(names: dict[str, list[list[str]]], outside: FeedServer, server: FeedServer) -> None:
    names["news.test"] = [[OUTSIDE]]
    private = server.serve("/feed", rss([1]))
    public = outside.serve("/feed", rss([2]))
    source = redirect(outside, "/inwards", private)
    assert "private address" in reason(source)
    (item,) = fetch([source], limits=Limits(private_redirects=True)).items
    assert item.title == "item 1"
    (item,) = fetch([redirect(server, "/private", private)]).items  # a feed that is itself on a private address
    assert item.title == "item 1"
    (item,) = fetch([named(redirect(outside, "/stays", named(public, "news.test")), "news.test")]).items
    assert item.title == "item 2"
    with pytest.raises(OptionError, match="private_redirects must be True or False"):
        Limits(private_redirects=1)  # type: ignore[arg-type]
