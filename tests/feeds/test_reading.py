"""Documents that are made to be expensive cost a limited time and memory, and other feeds nothing."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.feeds.server import rss
from watchword.errors import FeedError
from watchword.feeds import Limits, fetch, reading
from watchword.feeds.document import parse
from watchword.feeds.reading import read

pytestmark = pytest.mark.slow

LIMITS = Limits(read_seconds=0.5)
ITEM = "<rss version='2.0' xmlns:dc='http://purl.org/dc/elements/1.1/'><channel><item><title>x</title>{}</item></channel></rss>"
CATEGORIES = "".join(f"<category>{n}</category>" for n in range(60_000))
HOSTILE = {  # each of which takes feedparser many minutes
    "author": ITEM.format(f"<author>{'a' * 1_000_000}</author>"),
    "creator": ITEM.format(f"<dc:creator>{'a.' * 500_000}</dc:creator>"),
    "categories": ITEM.format(CATEGORIES),
}


@pytest.fixture(autouse=True)
def only_time_of_computing_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a reader on a busy machine have all its CPU time, however long that takes."""
    monkeypatch.setattr(reading, "_PATIENCE", 1000)


@pytest.mark.parametrize("document", HOSTILE.values(), ids=HOSTILE)
def test_an_expensive_document_meets_the_limit(document: str) -> None:
    with pytest.raises(FeedError, match=r"f: reading it takes more than 0.5 seconds; raise read_seconds"):
        read(document.encode(), "f", limits=LIMITS)


def test_expensive_documents_fail_alone(tmp_path: Path) -> None:
    sources = []
    for name, document in [*HOSTILE.items(), *((f"good{n}", rss([n]).decode()) for n in range(5))]:
        (tmp_path / f"{name}.xml").write_text(document)
        sources.append(str(tmp_path / f"{name}.xml"))
    found = fetch(sources, limits=LIMITS)
    assert [Path(error.source).stem for error in found.errors] == list(HOSTILE)
    assert [item.title for item in found.items] == [f"item {n}" for n in range(5)]


def test_memory_is_limited() -> None:
    document = ITEM.format(f"<description>{'a &amp; b ' * 200_000}</description>").encode()
    read(document, "f")
    with pytest.raises(FeedError, match="read_bytes"):
        read(document, "f", limits=Limits(read_bytes=1 << 20))
    assert read(rss([1]), "f").items


def test_what_is_read_is_what_is_parsed() -> None:
    for document in (
        rss(range(3)),
        rss([1])[:-40],
        "<rss><channel><title>é\u202e</title></channel></rss>".encode("utf-16"),
    ):
        assert read(document, "http://a/f") == parse(document, "http://a/f")
    for document in (b"", b"<html></html>"):
        with pytest.raises(FeedError) as expected:
            parse(document, "f")
        with pytest.raises(FeedError) as found:
            read(document, "f")
        assert str(found.value) == str(expected.value)


def test_a_reader_that_died_is_replaced() -> None:
    reader = reading._Reader()
    assert reader.read(rss([1]), "f", None, Limits()).items
    process = reader._process
    assert process is not None
    process.kill()
    process.wait()
    assert reader.read(rss([2]), "f", None, Limits()).items[0].title == "item 2"
    reader.close()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let an interruption interrupt, also in a process that pytest has started, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupted_answer_is_not_taken_for_the_next(interruptible: None) -> None:
    reader = reading._Reader()
    assert reader.read(rss([1]), "f", None, Limits()).items
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        reader.read(HOSTILE["author"].encode(), "f", None, Limits(read_seconds=60))
    assert reader.read(rss([2]), "f", None, Limits()).items[0].title == "item 2"
    reader.close()
