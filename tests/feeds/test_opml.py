"""Lists of feeds, good and bad, and what names stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.feeds.server import FeedServer
from watchword.errors import FeedError
from watchword.feeds import Limits, list_sources, read_opml

EXAMPLES = Path(__file__).parents[2] / "examples" / "feeds"


def opml(body: str) -> bytes:
    return f'<?xml version="1.0"?><opml version="2.0"><body>{body}</body></opml>'.encode()


def test_nested_outlines() -> None:
    outlines = read_opml((EXAMPLES / "feeds.opml").read_bytes(), "lists/feeds.opml").outlines
    assert [outline.source for outline in outlines] == [
        str(Path("lists") / name) for name in ("harbour.xml", "town.rdf", "markets.xml", "energy.atom")
    ]
    assert [outline.groups for outline in outlines] == [
        ("Port Amber",),
        ("Port Amber",),
        ("Port Amber", "Money"),
        ("Sella",),
    ]
    assert outlines[0].title == "Harbour notices"


def test_bad_entries_are_reported_and_the_rest_is_read() -> None:
    body = """
      <outline type="rss" text="no address"/>
      <outline text="just a group"><outline xmlUrl="http://a.example/feed"/></outline>
      <outline text="gopher" xmlUrl="gopher://a.example/"/>
      <outline text="broken" xmlUrl="http://[bad/"/>
      <outline text="nowhere" xmlUrl="http:///feed"/>
      <outline type="include" text="other" url="http://a.example/more.opml"/>
      <outline XMLURL="http://b.example/feed"/>
      <outline xmlUrl="http://a.example/feed"/>"""
    found = read_opml(opml(body), "l.opml")
    assert [outline.source for outline in found.outlines] == ["http://a.example/feed", "http://b.example/feed"]
    assert len(found.problems) == 5
    assert found.problems[0] == "line 2: 'no address' has no xmlUrl"


def test_an_ill_formed_list_is_read_past_its_faults() -> None:
    body = """<outline xmlUrl="http://a.example/?x=1"/><outline xmlUrl="http://b.example/?x=1&y=2"/><p>
      <!-- <outline xmlUrl="http://not.example/"/> --><outline text=bare xmlUrl='http://c.example/?x=1&amp;y=2'>"""
    found = read_opml(opml(body), "l.opml")
    assert [outline.source for outline in found.outlines] == [
        "http://a.example/?x=1",
        "http://b.example/?x=1&y=2",
        "http://c.example/?x=1&y=2",
    ]
    assert any("ill-formed" in problem for problem in found.problems)


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"hello",
        b"<rss version='2.0'><channel/></rss>",
        b"<!DOCTYPE o [<!ENTITY a 'b'>]>" + opml("<outline xmlUrl='&a;'/>")[21:],
        opml("<outline>" * 300),
        opml("<outline xmlUrl='http://a.example/1'/><outline xmlUrl='http://a.example/2'/>" * 2),
    ],
)
def test_refused(document: bytes) -> None:
    with pytest.raises(FeedError):
        read_opml(document, "l.opml", limits=Limits(max_items=1))


def test_a_list_from_the_web_names_no_local_file() -> None:
    body = '<outline xmlUrl="/feed"/><outline xmlUrl="file:///etc/passwd"/><outline xmlUrl="../x.xml"/>'
    found = read_opml(opml(body), "http://a.example/lists/l.opml")
    assert [outline.source for outline in found.outlines] == ["http://a.example/feed", "http://a.example/x.xml"]
    assert len(found.problems) == 1


def test_names_stand_for_feeds_lists_and_folders(tmp_path: Path, server: FeedServer) -> None:
    (tmp_path / "b.xml").write_bytes(opml('<outline xmlUrl="http://c.example/"/>'))  # a list, by its content
    (tmp_path / "a.rss").write_bytes(b"")
    (tmp_path / "notes.txt").write_bytes(b"")
    (tmp_path / "bad.opml").write_bytes(b"no list")
    url = server.serve("/l.opml", opml('<outline xmlUrl="feed"/>'))
    found = list_sources([str(tmp_path), url, "http://d.example/feed", str(tmp_path / "a.rss"), server.url("/no.opml")])
    assert found.feeds == (
        str(tmp_path / "a.rss"),
        "http://c.example/",
        server.url("/feed"),
        "http://d.example/feed",
    )
    assert [Path(problem.source).name for problem in found.problems] == ["bad.opml", "no.opml"]


def test_names_in_one_text() -> None:
    assert list_sources(" http://a.example/\n\nhttp://b.example/ ").feeds == ("http://a.example/", "http://b.example/")
    assert list_sources('["http://a.example/"]').feeds == ("http://a.example/",)
    with pytest.raises(FeedError, match="JSON"):
        list_sources("[1]")
