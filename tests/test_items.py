"""Items as events, in plain Python; `tests/spark/test_items.py` compares Spark's expressions with it."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from xml.etree import ElementTree

import pytest

from watchword.errors import OptionError
from watchword.items import COLUMNS, DOCUMENT, EVENTS, ROW, Item, columns_of, event_of
from watchword.languages import LANGUAGES

FEED = Item(
    "urn:1",
    title="A & B",
    text="x < y\x00\x0b\ufffe > z \U0001f6a2\nend",
    author="Ann",
    published=datetime(2026, 11, 15, 23, 9, 41, 999_999, tzinfo=timezone(timedelta(hours=1))),
    feed="Harbour news",
    feed_url="http://harbour/feed",
    categories=("Sea & sand", "Night"),
)


def test_every_language_reads_items() -> None:
    ours = {name for name, home in LANGUAGES.items() if home.startswith("watchword.")}  # tests add others
    assert EVENTS.keys() == ours
    with pytest.raises(OptionError, match="runes cannot read items; languages that can are: keywords, "):
        event_of("runes", FEED)


def test_texts() -> None:
    assert event_of("keywords", FEED) == event_of("patterns", FEED) == f"A & B. {FEED.text}"
    assert event_of("keywords", Item("1", text="text")) == ". text"
    assert event_of("keywords", {"title": None, "text": "text"}) == "text"


def test_the_document_of_a_feeds_item_is_xml_with_an_element_for_each_column() -> None:
    root = ElementTree.fromstring(event_of("paths", FEED))
    assert [(element.tag, element.text) for element in root] == [
        ("id", "urn:1"),
        ("title", "A & B"),
        ("text", "x < y > z \U0001f6a2\nend"),
        ("author", "Ann"),
        ("published", "2026-11-15T22:09:41Z"),
        ("feed", "Harbour news"),
        ("feed_url", "http://harbour/feed"),
        ("category", "Sea & sand"),
        ("category", "Night"),
    ]


def test_documents_are_their_text_or_its_bytes() -> None:
    assert event_of("paths", Item("file.xml", title="file.xml", text="<a/>")) == "<a/>"
    assert event_of("paths", columns_of(Item("1", text="<a/>")) | {DOCUMENT: b"<a/>"}) == b"<a/>"
    assert event_of("paths", Item("1", text="<a/>", feed="x", row="{}")) == "<a/>"  # a table with a column `feed`


def test_objects_are_the_row_or_the_text_of_a_topic_or_the_columns() -> None:
    row = '{"name": "RBS", "value": 25}'
    expected = {"name": "RBS", "value": 25}
    for item in (Item("1", row=row), Item("1", text=row), Item("1", text="no object", row=row)):
        assert event_of("predicates", item) == expected
        assert event_of("properties", item, ["value", "more"]) == {"value": 25, "more": None}
    assert event_of("predicates", {ROW: row}) == row  # as a topic has it
    assert event_of("properties", Item("1", text="x", row="110"), ["a", "b", "c"]) == "110"
    for text in ("[1]", "{1}", "{" * 100_000, "7", ""):
        event = event_of("predicates", Item("1", title="t", text=text))
        assert list(event) == list(COLUMNS) and (event["text"], event["title"]) == (text, "t")
    event = event_of("predicates", Item("1", text=row, feed="http://harbour/feed"))
    assert event["text"] == row and event["link"] is event["author"] is event["language"] is event["published"] is None
    event = event_of("predicates", FEED)
    assert event["published"] == datetime(2026, 11, 15, 22, 9, 41, 999_999, tzinfo=UTC)
    assert event["categories"] == ["Sea & sand", "Night"] and event["author"] == "Ann"
    assert (event["feed"], event["feed_url"]) == ("Harbour news", "http://harbour/feed")
    assert event_of("predicates", Item("1", feed="Harbour news"))["feed_url"] is None


def test_items_load_no_language() -> None:
    code = "import sys, watchword.items; print(sorted({'numba', 'pyarrow', 'numpy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
