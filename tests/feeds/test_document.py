"""Documents into items: formats, identity, encodings, ill-formed and hostile ones."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.feeds.server import rss
from watchword.errors import FeedError, OptionError
from watchword.feeds import Feed, FeedItem, Limits, parse

EXAMPLES = Path(__file__).parents[2] / "examples" / "feeds"


def example(name: str) -> Feed:
    return parse((EXAMPLES / name).read_bytes(), name)


def one(body: str, head: str = '<rss version="2.0"><channel>', tail: str = "</channel></rss>") -> FeedItem:
    (item,) = parse(f"{head}{body}{tail}".encode(), "feed").items
    return item


@pytest.mark.parametrize(
    ("name", "version", "items"),
    [("harbour.xml", "rss20", 3), ("town.rdf", "rss10", 4), ("energy.atom", "atom10", 3), ("markets.xml", "rss092", 3)],
)
def test_every_format_is_read(name: str, version: str, items: int) -> None:
    feed = example(name)
    assert (feed.version, len(feed.items)) == (version, items)
    assert all(item.title and item.text and item.link and item.feed_url == name for item in feed.items)
    assert feed.title and {item.feed for item in feed.items} == {feed.title}
    assert {item.language for item in feed.items} <= {"en", "en-GB"}
    assert bool(feed.problems) == (name == "markets.xml")


def test_items_that_an_earlier_version_kept_have_the_address_as_the_name_of_their_feed() -> None:
    item = one("<title>News</title><item><title>t</title></item>")
    assert FeedItem.from_json(item.to_json()) == item and (item.feed, item.feed_url) == ("News", "feed")
    kept = {name: value for name, value in item.to_json().items() if name != "feed_url"} | {"feed": "http://feed"}
    assert FeedItem.from_json(kept) == replace(item, feed="http://feed", feed_url="http://feed")


def test_a_feed_without_a_title_is_called_by_its_address() -> None:
    assert one("<item><title>t</title></item>").feed == "feed"
    assert one("<title> <![CDATA[<b></b>]]> </title><item><title>t</title></item>").feed == "feed"


def test_a_long_title_of_a_feed_does_not_multiply() -> None:
    head = f'<rss version="2.0"><channel><title>{"x" * 50_000}</title>'
    item = one("<item><title>t</title></item>", head=head)
    assert item.feed == "x" * 10_000


def test_rss_fields() -> None:
    ferry, storm, _ = example("harbour.xml").items
    assert ferry.text.endswith("the island of Sella will run after midnight from June. Fishermen fear for their nets.")
    assert ferry.published == datetime(2026, 6, 2, 4, 30, tzinfo=UTC)
    assert ferry.author == "Harbour office"
    assert "called off — tickets" in storm.text, "the longer of summary and content"


def test_atom_fields() -> None:
    wind, solar, _ = example("energy.atom").items
    assert (wind.author, wind.language) == ("Energy board", "en-GB")
    assert solar.title == "Solar panels on every school"
    assert solar.published == datetime(2026, 6, 3, 5, 45, tzinfo=UTC)
    assert "the schools use. The panels" in solar.text


def test_an_ill_formed_feed_is_read_whole() -> None:
    rate, bread, care = example("markets.xml").items
    assert (
        rate.text
        == "The interest rate stays at 3 percent. Analysts had expected a cut after inflation slowed in spring."
    )
    assert rate.link == "https://markets.amber.example/?story=rate&page=1"
    assert bread.text.endswith("flour & energy cost more than a year ago.")
    assert care.title == "Long-term care: a follow-up"


def test_the_examples_meet_the_example_subscriptions() -> None:
    from watchword import KeywordIndex

    with (EXAMPLES.parent / "subscriptions.csv").open(encoding="utf-8") as file:
        index = KeywordIndex([(row["id"], row["subscription"]) for row in csv.DictReader(file)])
    names = ("harbour.xml", "town.rdf", "energy.atom", "markets.xml")
    items = [item for name in names for item in example(name).items]
    matches = [set(index.match(f"{item.title} {item.text}")) for item in items]
    assert all(matches)
    assert set().union(*matches) == set(index)


def test_identity_is_guid_then_link_then_content() -> None:
    def identities(*bodies: str) -> int:
        return len({one(f"<item>{body}</item>").id for body in bodies})

    assert identities("<guid>g</guid><title>a</title>", "<guid>g</guid><title>b</title><link>http://x/</link>") == 1
    assert identities("<link>http://x/</link><title>a</title>", "<link>http://x/</link><title>b</title>") == 1
    assert identities("<title>a</title>", "<title>a</title>", "<title>b</title>") == 2
    assert identities("<guid isPermaLink='false'>http://x/</guid>", "<link>http://x/</link><title>a</title>") == 2


def test_identity_is_within_the_feed() -> None:
    assert parse(rss([1]), "a").items[0].id != parse(rss([1]), "b").items[0].id


def test_an_id_is_taken_once() -> None:
    assert [item.title for item in parse(rss([1, 2, 1]), "f").items] == ["item 1", "item 2"]


def test_what_is_absent_is_none() -> None:
    item = one("<item><title>t</title><pubDate>some day</pubDate></item>")
    assert (item.text, item.link, item.author, item.published, item.language) == ("", None, None, None, None)


def test_dangerous_links_are_dropped() -> None:
    assert one("<item><title>t</title><link>javascript:alert(1)</link></item>").link is None


def test_relative_links_are_resolved() -> None:
    document = b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>t</title><link href="a"/></entry></feed>'
    assert parse(document, "http://host.example/b/feed").items[0].link == "http://host.example/b/a"


def declared(encoding: str, title: str) -> str:
    head = f'<?xml version="1.0" encoding="{encoding}"?><rss version="2.0"><channel>'
    return f"{head}<item><title>{title}</title></item></channel></rss>"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "iso-8859-1", "shift_jis"])
def test_encodings(encoding: str) -> None:
    title = "東京" if encoding == "shift_jis" else "Grüße"
    name = encoding.removesuffix("-sig")
    assert parse(declared(name, title).encode(encoding), "f").items[0].title == title


def test_a_lying_declaration_does_not_spoil_utf8() -> None:
    assert parse(declared("iso-8859-1", "Łódź").encode(), "f", charset="us-ascii").items[0].title == "Łódź"


@pytest.mark.parametrize("charset", ["punycode", "no-such", "zlib", "utf-7"])
def test_odd_codecs_are_not_used(charset: str) -> None:
    assert [item.title for item in parse(rss([1]), "f", charset=charset).items] == ["item 1"]


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"  \n",
        b"<!doctype html><html><body><p>hello</p></body></html>",
        b'{"version": "https://jsonfeed.org/version/1", "items": []}',
        b"<opml version='2.0'><body><outline xmlUrl='x'/></body></opml>",
        bytes(range(256)),
    ],
)
def test_no_feed_is_an_error(document: bytes) -> None:
    with pytest.raises(FeedError) as caught:
        parse(document, "http://x.example/")
    assert caught.value.source == "http://x.example/"
    assert caught.value.reason in str(caught.value)


@given(st.data())
@settings(max_examples=60)
def test_missing_end_tags_lose_nothing(data: st.DataObject) -> None:
    document = rss(range(4)).decode()
    ends = list(re.finditer("</(title|guid|description|item)>", document))
    missing = data.draw(st.sets(st.sampled_from(ends), min_size=1))
    for end in sorted(missing, key=lambda end: -end.start()):
        document = document[: end.start()] + document[end.end() :]
    items = parse(document.encode(), "f").items
    assert [(item.title, item.text) for item in items] == [(f"item {n}", f"text {n}") for n in range(4)]
    assert [item.id for item in items] == [item.id for item in parse(rss(range(4)), "f").items]


def test_an_empty_feed_is_a_feed() -> None:
    assert parse(rss([]), "f").items == ()


def test_a_document_cut_off_inside_an_item() -> None:
    document = rss([1, 2, 3])
    feed = parse(document[: document.index(b"text 3")], "f")
    assert [item.title for item in feed.items] == ["item 1", "item 2"]
    assert any("ends inside an item" in problem for problem in feed.problems)


@given(st.data())
@settings(max_examples=40)
def test_a_damaged_feed_gives_items_or_an_error(data: st.DataObject) -> None:
    document = bytearray((EXAMPLES / data.draw(st.sampled_from(["harbour.xml", "energy.atom"]))).read_bytes())
    for position in data.draw(st.lists(st.integers(0, len(document) - 1), min_size=1, max_size=8)):
        document[position] = data.draw(st.sampled_from(b"<>&;\"'/\0\xff\xc3x"))
    try:
        feed = parse(bytes(document), "f")
    except FeedError:
        return
    assert len({item.id for item in feed.items}) == len(feed.items)
    assert all(item.text.encode() is not None for item in feed.items)


# Hostile ones


BOMB = '<!DOCTYPE r [<!ENTITY a "{}"><!ENTITY b "{}">]>'.format("a" * 10_000, "&a;" * 1_000)


@pytest.mark.parametrize("lead", ["", "<!-- <x -->"])
def test_entities_do_not_expand(lead: str) -> None:
    item = one(f"<item><title>{'&b;' * 1_000}</title></item>", head=f'{lead}{BOMB}<rss version="2.0"><channel>')
    assert len(item.title) < 10_000


def test_files_cannot_be_pulled_in() -> None:
    secret = Path(__file__).as_uri()
    head = f'<!DOCTYPE r [<!ENTITY x SYSTEM "{secret}">]><rss version="2.0"><channel>'
    assert "hypothesis" not in one("<item><title>got &x;</title></item>", head=head).title


@pytest.mark.slow
def test_attribute_defaults_do_not_multiply() -> None:
    many = " ".join(f'a{i} CDATA "1"' for i in range(2_000))
    head = f'<!DOCTYPE r [<!ATTLIST x {many}>]><rss version="2.0"><channel>'
    assert one(f"{'<x/>' * 20_000}<item><title>t</title></item>", head=head).title == "t"


@pytest.mark.parametrize(
    ("limit", "document"),
    [
        ({"max_depth": 20}, b"<rss version='2.0'><channel>" + b"<a>" * 30),
        ({"max_tags": 50}, rss(range(20))),
        ({"max_bytes": 100}, rss(range(20))),
    ],
)
def test_limits(limit: dict[str, int], document: bytes) -> None:
    with pytest.raises(FeedError, match=next(iter(limit))):
        parse(document, "f", limits=Limits(**limit))


def test_too_many_items_are_cut_and_said() -> None:
    feed = parse(rss(range(20)), "f", limits=Limits(max_items=5))
    assert [item.title for item in feed.items] == [f"item {n}" for n in range(5)]
    assert feed.problems == ("only the first 5 of 20 items are taken",)


@pytest.mark.parametrize("reference", ["&#xD800;", "&#0;", "&#99999999999999;", "&#x110000;", "&#xfffe;", "&#;"])
def test_impossible_characters(reference: str) -> None:
    item = one(f"<item><title>a{reference}b &unknown; c & d</title></item>")
    assert item.title.startswith("a") and item.title.endswith("c & d")


@pytest.mark.parametrize("option", [{"timeout": 0}, {"max_bytes": 0}, {"max_items": 1.5}, {"max_redirects": -1}])
def test_bad_limits(option: dict[str, float]) -> None:
    with pytest.raises(OptionError, match=next(iter(option))):
        Limits(**option)  # type: ignore[arg-type]
