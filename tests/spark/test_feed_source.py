"""The Spark source of feeds: batch, stream, replay, restart."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql.functions import spark_partition_id

from tests.feeds.server import FeedServer, rss, running
from tests.limits import wait_until
from watchword.errors import FeedError, OptionError
from watchword.feeds import Round
from watchword.spark.feed_source import COLUMNS, FeedDataSource, feed_schema, register

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

EXAMPLES = Path(__file__).parents[2] / "examples" / "feeds"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FeedServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with running() as server:
        yield server


@pytest.fixture
def feeds(spark: SparkSession) -> SparkSession:
    register(spark)
    return spark


class Pipeline:
    """A stream from feeds to a file for each batch, with everything it keeps in one folder."""

    def __init__(self, spark: SparkSession, folder: Path, feeds: str, **options: Any) -> None:
        self.folder = folder
        (folder / "out").mkdir(exist_ok=True)
        reader = spark.readStream.format("watchword-feeds").option("feeds", feeds)
        self.items: DataFrame = reader.options(spool=str(folder / "spool"), **options).load()
        self.failing = False

    def run(self) -> None:
        """Take what there is, and stop."""
        self.start(availableNow=True).awaitTermination()

    def start(self, **trigger: Any) -> StreamingQuery:
        def write(batch: DataFrame, number: int) -> None:
            titles = [row.title for row in batch.select("title").collect()]
            if self.failing:
                raise RuntimeError("the disk is full")
            path = self.folder / "out" / f"{number}.json"
            path.with_suffix(".tmp").write_text(json.dumps(titles))
            path.with_suffix(".tmp").replace(path)

        writer = self.items.writeStream.foreachBatch(write)
        return writer.option("checkpointLocation", str(self.folder / "checkpoint")).trigger(**trigger).start()

    def written(self) -> Counter[str]:
        return Counter(title for file in (self.folder / "out").glob("*.json") for title in json.loads(file.read_text()))


def once(*guids: object) -> Counter[str]:
    return Counter(f"item {guid}" for guid in guids)


def test_executors_need_no_feed_packages() -> None:
    check = (
        "import sys, watchword.spark.feed_source as s; sys.exit('feedparser' in sys.modules or 'httpx' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_batch(feeds: SparkSession) -> None:
    frame = feeds.read.format("watchword-feeds").option("rows", 4).load(str(EXAMPLES / "feeds.opml"))
    assert frame.columns == list(COLUMNS)
    rows = {row.title: row for row in frame.withColumn("partition", spark_partition_id()).collect()}
    assert len(rows) == 13
    assert len({row.partition for row in rows.values()}) == 4
    ferry = rows["Ferry line adds a night crossing"]
    assert (ferry.author, ferry.language, ferry.feed) == ("Harbour office", "en", "Port Amber Harbour Notices")
    assert ferry.feed_url == str(EXAMPLES / "harbour.xml")
    assert ferry.published.astimezone(UTC) == datetime(2026, 6, 2, 4, 30, tzinfo=UTC)
    assert rows["Inflation slows, bread does not"].published is None


def test_a_stopped_stream_publishes_everything_once(feeds: SparkSession, server: FeedServer, tmp_path: Path) -> None:
    url = server.serve_with_etag("/feed", rss([1, 2]))
    bad = server.url("/missing")
    pipeline = Pipeline(feeds, tmp_path, f"{url}\n{bad}")
    pipeline.run()
    assert pipeline.written() == once(1, 2)
    status = json.loads((tmp_path / "spool" / "status.json").read_text())
    assert status[bad]["error"].startswith("the server answered 404")

    # A batch that fails half-way is repeated as it was, though the feed has gone on.
    server.serve_with_etag("/feed", rss([4, 3, 2]))
    pipeline.failing = True
    with pytest.raises(StreamingQueryException, match="the disk is full"):
        pipeline.run()
    assert pipeline.written() == once(1, 2)
    server.serve_with_etag("/feed", rss([5, 2]))
    again = Pipeline(feeds, tmp_path, f"{url}\n{bad}")
    again.run()
    assert again.written() == once(1, 2, 3, 4, 5)
    assert len(list((tmp_path / "out").glob("*.json"))) == 3

    # Without its spool the stream has forgotten what it saw, but still delivers what comes.
    shutil.rmtree(tmp_path / "spool")
    server.serve_with_etag("/feed", rss([6]))
    again.run()
    assert again.written() == once(1, 2, 3, 4, 5, 6)


def test_a_continuous_stream_follows_a_changing_feed(feeds: SparkSession, server: FeedServer, tmp_path: Path) -> None:
    url = server.serve_with_etag("/feed", rss([0]))
    pipeline = Pipeline(feeds, tmp_path, url, interval=0.1, keep=1)
    query = pipeline.start(processingTime="100 milliseconds")
    try:
        for guid in range(1, 4):
            server.serve_with_etag("/feed", rss([guid, 0]))
            _wait_for(query, pipeline, f"item {guid}")
    finally:
        query.stop()
    server.serve_with_etag("/feed", rss([5, 4, 0]))
    pipeline.run()
    assert pipeline.written() == once(*range(6))
    assert len(list((tmp_path / "spool").glob("*.jsonl"))) < 4, "files of finished batches are removed"


def _wait_for(query: StreamingQuery, pipeline: Pipeline, title: str) -> None:
    def came() -> bool:
        error = query.exception()
        if error is not None:
            raise error
        return title in pipeline.written()

    wait_until(came, title)


# Bad input, at the source itself


def source(**options: Any) -> FeedDataSource:
    return FeedDataSource({name: str(value) for name, value in options.items()})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "needs the option 'feeds'"),
        ({"feeds": " "}, "needs the option 'feeds'"),
        ({"feeds": "a.xml", "spol": "x"}, "no option 'spol'"),
        ({"feeds": "a.xml", "interval": "often"}, "interval must be a number"),
        ({"feeds": "a.xml", "keep": 0}, "keep must be 1 or more"),
        ({"feeds": "a.xml", "max_bytes": 0}, "max_bytes must be"),
    ],
)
def test_bad_options(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        source(**options).schema()


def test_a_stream_needs_a_spool() -> None:
    with pytest.raises(OptionError, match="spool"):
        source(feeds="a.xml").streamReader(feed_schema())


def test_another_schema_is_refused() -> None:
    with pytest.raises(OptionError, match="the columns of watchword-feeds are struct<id:string"):
        source(feeds="a.xml").reader(feed_schema().add("more", "string"))


def test_a_batch_of_which_nothing_can_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "page.xml").write_bytes(b"<html></html>")
    (tmp_path / "feed.xml").write_bytes(rss([1]))
    with pytest.raises(FeedError, match="it is a web page"):
        source(feeds=tmp_path / "page.xml").reader(feed_schema()).partitions()
    with pytest.raises(FeedError, match="No such file"):
        source(feeds=tmp_path / "missing.opml").reader(feed_schema()).partitions()
    assert len(source(feeds=tmp_path).reader(feed_schema()).partitions()[0].rows) == 1  # type: ignore[attr-defined]


def test_a_stream_whose_list_vanishes_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "feed.xml").write_bytes(rss([1]))
    outlines = tmp_path / "l.opml"
    outlines.write_text('<opml version="2.0"><body><outline xmlUrl="feed.xml"/></body></opml>')
    reader = source(feeds=outlines, spool=tmp_path / "spool", interval=0).streamReader(feed_schema())
    assert reader.latestOffset({"spool": 0}, None) == {"spool": 1}  # type: ignore[arg-type]
    outlines.unlink()
    (tmp_path / "feed.xml").write_bytes(rss([2]))
    for _ in range(3):
        assert reader.latestOffset({"spool": 1}, None) == {"spool": 2}  # type: ignore[arg-type]
    reader.stop()
    assert len([record for record in caplog.records if "l.opml" in record.getMessage()]) == 1, "said once"
    fresh = source(feeds=outlines, spool=tmp_path / "other").streamReader(feed_schema())
    with pytest.raises(FeedError, match=r"l\.opml"):
        fresh.latestOffset({"spool": 0}, None)  # type: ignore[arg-type]
    fresh.stop()


def test_a_feed_that_was_taken_from_the_list_is_not_asked_any_more(server: FeedServer, tmp_path: Path) -> None:
    outlines, url = tmp_path / "l.opml", server.serve("/feed", rss([1]))
    outlines.write_text(f'<opml version="2.0"><body><outline xmlUrl="{url}"/></body></opml>')
    reader = source(feeds=outlines, spool=tmp_path / "spool", interval=0).streamReader(feed_schema())
    assert reader.latestOffset({"spool": 0}, None) == {"spool": 1}  # type: ignore[arg-type]
    asked = len(server.requests)
    outlines.write_text('<opml version="2.0"><body/></opml>')
    server.serve("/feed", rss([2]))
    assert reader.latestOffset({"spool": 1}, None) == {"spool": 1}  # type: ignore[arg-type]
    reader.stop()
    assert len(server.requests) == asked


def test_feeds_are_asked_no_more_often_than_the_interval(server: FeedServer, tmp_path: Path) -> None:
    url = server.serve("/feed", rss([1]))
    reader = source(feeds=url, spool=tmp_path, interval=3600).streamReader(feed_schema())
    for _ in range(5):
        reader.latestOffset({"spool": 0}, None)  # type: ignore[arg-type]
    reader.stop()
    assert len(server.requests) == 1


def test_feeds_that_fail_wait_and_say_so(server: FeedServer, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    server.answers["/gone"] = lambda handler: handler.reply(410)
    server.answers["/busy"] = lambda handler: handler.reply(503, Retry_After="7200")
    feeds = "\n".join([server.url("/gone"), server.url("/busy"), server.serve("/good", rss([1]))])

    def look(times: int) -> list[str]:
        caplog.clear()
        reader = source(feeds=feeds, spool=tmp_path, interval=0, max_wait=4000).streamReader(feed_schema())
        for _ in range(times):
            reader.latestOffset({"spool": 0}, None)  # type: ignore[arg-type]
        reader.stop()
        return [record.getMessage() for record in caplog.records]

    said = look(3)
    assert len(said) == 2 and "410 Gone; it will not be asked again" in said[0] and "503" in said[1]
    assert [sum(path == one for path, _ in server.requests) for one in ("/gone", "/busy", "/good")] == [1, 1, 3]
    said = look(2)
    assert len(said) == 2 and all("failed when it was last asked (1 in succession)" in text for text in said), (
        "also after a restart"
    )
    server.serve("/busy", rss([2]))
    waits = json.loads((tmp_path / "backoff.json").read_text())
    assert waits[server.url("/busy")]["wait_until"] < time.time() + 4000
    waits[server.url("/busy")]["wait_until"] = time.time() - 1
    (tmp_path / "backoff.json").write_text(json.dumps(waits))
    assert len(look(2)) == 1, "the other is asked again, and is fine"
    assert sum(path == "/gone" for path, _ in server.requests) == 1


def test_what_strangers_write_is_shown_in_the_log(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    """The name of a feed comes from a list, and what is wrong with it perhaps from the feed."""
    source = FeedDataSource({"feeds": "list.opml", "spool": str(tmp_path)}).streamReader(feed_schema())
    evil = FeedError("it is \x1b[2J\u202eill-formed", source="http://a.example/\x9b31m")
    source._report([evil], Round((), {}))
    source._report([], Round((), {}))
    assert len(caplog.messages) == 2 and all(message.isprintable() for message in caplog.messages)
    assert r"http://a.example/\x9b31m: it is \x1b[2J\u202eill-formed" in caplog.messages


def test_a_process_that_looks_at_feeds_loads_no_index() -> None:
    """Spark starts several of them; numba and pyarrow cost each half a second."""
    code = "import sys, watchword.spark.feed_source; print({'numba', 'pyarrow', 'watchword.index'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"
