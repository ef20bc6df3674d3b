"""The running system on Spark, in one process: batches, new subscriptions, replays, sources, bad input."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.oracle import matches
from tests.test_snapshot import rewrite_manifest
from watchword import snapshot
from watchword.errors import PipelineError, SnapshotError, StoreError, WatchwordError
from watchword.home import Home
from watchword.languages import LANGUAGES
from watchword.shards import resolve, resolve_checked
from watchword.spark import sources
from watchword.spark.feed_source import COLUMNS
from watchword.spark.feed_source import NAME as FEEDS
from watchword.spark.found import BatchKey, Found
from watchword.spark.pipeline import Pipeline, Progress
from watchword.spark.sinks import SINKS, Sink, make_sinks
from watchword.spark.sources import Source, event_of
from watchword.store import Request

SUBSCRIPTIONS = {"a": "ferry", "b": "storm NOT ferry", "c": '"night crossing" OR bread', "d": "NOT storm"}
TEXTS = ["the ferry sails", "a storm", "ferry in a storm", "night crossing", "crossing at night", "bread, bread", ""]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home.make(tmp_path / "home")
    with made.store() as store:
        store.add_subscriber("ada")
        store.add_subscriber("bob")
        store.subscribe_many(Request("ada" if key < "c" else "bob", text, key) for key, text in SUBSCRIPTIONS.items())
    return made


def publish(folder: Path, name: str, texts: list[str]) -> None:
    folder.mkdir(exist_ok=True)
    lines = [json.dumps({"id": f"{name}-{number}", "title": "", "text": text}) for number, text in enumerate(texts)]
    temporary = folder / f".{name}"
    temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    temporary.rename(folder / f"{name}.jsonl")


Runner = Callable[..., list[Progress]]


@pytest.fixture
def once(spark: SparkSession, home: Home) -> Runner:
    def run(source: Source, **options: object) -> list[Progress]:
        done: list[Progress] = []
        Pipeline(spark, home, source, report=done.append, **options).run(once=True)  # type: ignore[arg-type]
        return done

    return run


def inbox(home: Home, subscriber: str) -> dict[str, list[str]]:
    with home.store() as store:
        return {d.item.identity: sorted(r.subscription for r in d.reasons) for d in store.inbox(subscriber)}


def expected(subscriptions: dict[str, str], published: dict[str, str]) -> dict[str, list[str]]:
    found = {
        item: sorted(key for key, query in subscriptions.items() if matches(query, text))
        for item, text in published.items()
    }
    return {item: keys for item, keys in found.items() if keys}


def test_inboxes_have_what_matched(home: Home, once: Runner, tmp_path: Path) -> None:
    publish(tmp_path / "in", "one", TEXTS)
    done = once(Source.folder(str(tmp_path / "in")))
    published = {f"one-{number}": text for number, text in enumerate(TEXTS)}
    of = {"ada": ("a", "b"), "bob": ("c", "d")}
    for subscriber, keys in of.items():
        assert inbox(home, subscriber) == expected({key: SUBSCRIPTIONS[key] for key in keys}, published)
    assert [step.items for step in done] == [len(TEXTS)]
    written = pq.read_table(home.run("main").matches)
    assert written.num_rows == sum(step.pairs for step in done)
    assert written.column_names == [*COLUMNS, "subscription"] and set(written["text"].to_pylist()) <= set(TEXTS)
    with home.store() as store:
        assert "ferry" in store.inbox("ada")[0].reasons[0].why


def test_languages_share_an_inbox(home: Home, once: Runner, tmp_path: Path) -> None:
    with home.store() as store:
        store.subscribe_many(
            [Request("ada", "f?rry*storm", "p", "patterns"), Request("ada", "cross*at", "q", "patterns")]
        )
    publish(tmp_path / "in", "one", TEXTS)
    once(Source.folder(str(tmp_path / "in")))
    published = {f"one-{number}": text for number, text in enumerate(TEXTS)}
    found = expected({key: SUBSCRIPTIONS[key] for key in "ab"}, published)
    found["one-2"] = sorted([*found["one-2"], "p"])
    found["one-4"] = ["q"]
    assert inbox(home, "ada") == found
    with home.store() as store:
        why = {reason.subscription: reason.why for item in store.inbox("ada") for reason in item.reasons}
    assert "'rry' at" in why["p"] and "'cross' at" in why["q"]


def test_every_language_reads_items(spark: SparkSession) -> None:
    row = "row struct<price: long, sports: boolean>"
    items = spark.createDataFrame([("Ferries", "none today", (5, True))], f"title string, text string, {row}")
    for language in (name for name, home in LANGUAGES.items() if home.startswith("watchword.")):  # tests add others
        assert items.select(event_of(language, items).alias("event")).first() is not None
    declared = items.select(event_of("properties", items, ["sports"]).alias("event")).first()
    assert declared is not None and declared["event"].asDict() == {"sports": True}
    with pytest.raises(PipelineError, match="properties need a column 'arts'; the source has: price, sports"):
        event_of("properties", items, ["arts"])
    with pytest.raises(PipelineError, match="songs cannot read items"):
        event_of("songs", items)


TRADES = [
    {"id": "t1", "name": "RBS", "value": 25, "tags": ["a"]},
    {"id": "t2", "name": "RBS", "value": 15},
    {"name": "ACME", "value": None, "tags": []},
]
RULES = {"r1": "name = 'RBS' AND value > 20", "r2": "tags CONTAINS 'a' OR name = 'ACME'", "r3": "value IS MISSING"}


def test_objects_from_a_folder(spark: SparkSession, tmp_path: Path) -> None:
    home = Home.make(tmp_path / "home")
    with home.store() as store:
        store.add_subscriber("ada")
        store.subscribe_many(Request("ada", text, key, "predicates") for key, text in RULES.items())
    (tmp_path / "in").mkdir()
    lines = "\n".join(json.dumps(trade) for trade in TRADES)
    (tmp_path / "in" / "a.jsonl").write_text(lines, encoding="utf-8")
    done: list[Progress] = []
    source = Source.folder(str(tmp_path / "in"))
    Pipeline(spark, home, source, report=done.append).run(once=True)
    found = inbox(home, "ada")
    assert found.pop("t1") == ["r1", "r2"]
    assert list(found.values()) == [["r2", "r3"]] and done[0].items == 3
    with home.store() as store:
        items = [delivery.item for delivery in store.inbox("ada")]
        assert {json.loads(item.text)["name"] for item in items} == {"RBS", "ACME"}
        why = {reason.subscription: reason.why for delivery in store.inbox("ada") for reason in delivery.reasons}
        assert why["r1"] == "match: name = 'RBS' AND value > 20" and why["r3"].startswith("match: ")
        store.subscribe("ada", "acme")  # somebody wants a text: the source must have one
    with pytest.raises(PipelineError, match="no column 'text'"):
        Pipeline(spark, home, source, report=done.append).run(once=True)


def test_other_sources_have_objects_as_json(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(b"k", b'{"value": 5}')], "key binary, value binary")
    (item,) = sources._as_items(frame, Source("kafka", text="value"), True).collect()
    assert item["row"] == item["text"] == '{"value": 5}'


def test_feed_items_are_objects(home: Home, once: Runner) -> None:
    with home.store() as store:
        rules = {"r": "title EXISTS AND published > '2000-01-01'", "s": "link STARTS WITH 'nowhere'"}
        store.subscribe_many(Request("ada", text, key, "predicates") for key, text in rules.items())
    feed = Path(__file__).parents[2] / "examples" / "feeds" / "feeds.opml"
    (done,) = once(Source.feeds([str(feed)]))
    keys = [key for reasons in inbox(home, "ada").values() for key in reasons]
    assert "r" in keys and "s" not in keys and done.items > 0


def test_one_subscription_asks_for_words_and_attributes_of_feed_items(home: Home, once: Runner) -> None:
    rules = {
        "combined": "MATCHES 'ferry AND NOT strike' AND feed = 'Port Amber Harbour Notices' AND NOT author = 'desk'",
        "other": "MATCHES 'ferry' AND feed = 'Flour & Coin'",
        "address": "feed_url LIKE '%/harbour.xml' AND text HAS 'tickets'",
        "path": "title MATCHES PATTERN 'Sto?m*ferry' OR text MATCHES PATH '//no'",
    }
    with home.store() as store:
        store.subscribe_many(Request("ada", text, key, "predicates") for key, text in rules.items())
    once(Source.feeds([str(Path(__file__).parents[2] / "examples" / "feeds" / "feeds.opml")]))
    with home.store() as store:
        found = {
            (delivery.item.title, reason.subscription): reason.why
            for delivery in store.inbox("ada")
            for reason in delivery.reasons
            if reason.subscription in rules
        }
        urls = {delivery.item.feed_url for delivery in store.inbox("ada", subscription="address")}
    night, storm = "Ferry line adds a night crossing", "Storm keeps the ferry in port"
    assert set(found) == {(night, "combined"), (storm, "combined"), (storm, "address"), (storm, "path")}
    assert found[night, "combined"] == (
        "match: MATCHES 'ferry' (title at 0) AND feed = 'Port Amber Harbour Notices' "
        "AND NOT MATCHES 'strike' AND NOT author = 'desk'"
    )
    assert len(urls) == 1 and urls.pop().endswith("harbour.xml")


def test_an_index_with_other_options_than_the_store_is_built_anew(home: Home, once: Runner, tmp_path: Path) -> None:
    """As an index of version 0.2 has them, which knew no bare MATCHES."""
    with home.store() as store:
        store.subscribe("ada", "title = 'x'", id="old", language="predicates")
    publish(tmp_path / "in", "one", TEXTS)
    source = Source.folder(str(tmp_path / "in"))
    (first,) = once(source)
    newest = resolve(home.index("predicates"))
    meta = snapshot.read(newest.folder(0)).meta
    meta["options"].pop("text")
    rewrite_manifest(newest.folder(0), meta=meta)
    with home.store() as store:
        store.subscribe("ada", "MATCHES 'ferry'", id="new", language="predicates")
    publish(tmp_path / "in", "two", TEXTS)
    (second,) = once(source)
    assert second.versions["predicates"] > first.versions["predicates"]
    with home.store() as store:
        assert {item.identity for item in store.matched_items("new")} == {"two-0", "two-2"}


def test_options_of_a_language_hold_for_every_version_of_its_index(
    spark: SparkSession, home: Home, once: Runner, tmp_path: Path
) -> None:
    """Chosen once, and then known from the home alone: to the first build, and to updates after reopening."""
    with home.store() as store:
        store.set_options("patterns", ignore_case=True)
        store.subscribe("ada", "F?RRY*storm", id="p", language="patterns")
    publish(tmp_path / "in", "one", ["The FERRY in a Storm", "ferry"])
    source = Source.folder(str(tmp_path / "in"))
    (first,) = once(source, shards=2)
    assert "p" in inbox(home, "ada")["one-0"] and "p" not in inbox(home, "ada")["one-1"]
    reopened = Home(home.path)
    with reopened.store() as store:
        assert store.options("patterns") == {"ignore_case": True}
        store.subscribe_many([Request("ada", "cROSSing", "q", "patterns"), Request("ada", "STRASSE", "r", "patterns")])
    publish(tmp_path / "in", "two", ["Crossing the Straße", "ferry STORM", "storm, ferry"])
    done: list[Progress] = []
    Pipeline(spark, reopened, source, report=done.append).run(once=True)
    assert done[0].versions["patterns"] > first.versions["patterns"]
    found = {item: [key for key in keys if key in "pqr"] for item, keys in inbox(reopened, "ada").items()}
    assert (found["two-0"], found["two-1"], found["two-2"]) == (["q", "r"], ["p"], [])
    with pytest.raises(StoreError, match="keeps its options"), reopened.store() as store:
        store.set_options("patterns", ignore_case=False)


def test_new_subscriptions_are_taken_up_and_old_items_do_not_come_again(
    home: Home, once: Runner, tmp_path: Path
) -> None:
    publish(tmp_path / "in", "one", TEXTS)
    first = once(Source.folder(str(tmp_path / "in")))
    with home.store() as store:
        store.subscribe("bob", "ferry", id="e")
        store.unsubscribe("d")
    publish(tmp_path / "in", "two", TEXTS)
    second = once(Source.folder(str(tmp_path / "in")))
    assert first[0].versions["keywords"] < second[0].versions["keywords"]
    published = {f"two-{number}": text for number, text in enumerate(TEXTS)}
    now = {key: text for key, text in SUBSCRIPTIONS.items() if key == "c"} | {"e": "ferry"}
    assert {k: v for k, v in inbox(home, "bob").items() if k in published} == expected(now, published)
    assert once(Source.folder(str(tmp_path / "in"))) == []  # nothing new, no batch


def test_a_batch_that_is_repeated_uses_its_version_and_writes_nothing_twice(
    spark: SparkSession, home: Home, tmp_path: Path
) -> None:
    done: list[Progress] = []
    publish(tmp_path / "in", "one", TEXTS)
    pipeline = Pipeline(spark, home, Source.folder(str(tmp_path / "in")), report=done.append)
    lines = spark.createDataFrame([("x", "ferry")], "id string, text string")
    batch = sources._as_items(lines, Source("memory"), True)
    pipeline._batch(batch, 0)
    before = inbox(home, "ada")
    with home.store() as store:
        store.subscribe("ada", "ferry", id="later")
    pipeline._batch(batch, 0)  # as after a crash behind the last step
    assert inbox(home, "ada") == before
    assert [step.pairs for step in done] == [2, 0]
    # As after a crash between recording the version and writing: the version stays, whatever was subscribed since.
    version = pipeline._versions.version_for(1, home.index("keywords"))
    with home.store() as store:
        store.subscribe("ada", "ferry", id="latest")
    pipeline._batch(batch, 1)
    assert done[-1].versions == {"keywords": version}


def test_topics_are_taken_up_and_a_repeated_batch_keeps_its_tree(spark: SparkSession, home: Home) -> None:
    with home.store() as store:
        store.subscribe("ada", "categories KIND OF 'politics'", id="t", language="predicates")
    done: list[Progress] = []
    rows = [("local", ["local"]), ("national", ["politics/national"])]

    def items(batch: int) -> DataFrame:
        schema = "id string, text string, categories array<string>"
        frame = spark.createDataFrame([(f"{batch}-{name}", name, some) for name, some in rows], schema)
        whole = sources._as_items(frame, Source("memory"), True)
        return whole.withColumn("row", F.struct(*COLUMNS))

    pipeline = Pipeline(spark, home, Source(FEEDS), report=done.append)
    pipeline._batch(items(0), 0)
    with home.store() as store:
        store.set_topics({"local": ["politics"]})
    pipeline._batch(items(1), 1)
    with home.store() as store:
        store.set_topics({"local": ["region"]})
        assert {item.identity for item in store.matched_items("t")} == {"0-national", "1-local", "1-national"}
    # As after a crash between recording the version and writing: the tree is that of the version.
    pipeline._versions.version_for(2, home.index("predicates"))
    pipeline._batch(items(2), 2)
    pipeline._batch(items(3), 3)
    with home.store() as store:
        found = {item.identity for item in store.matched_items("t")}
    assert found == {"0-national", "1-local", "1-national", "2-local", "2-national", "3-national"}
    versions = [step.versions["predicates"] for step in done]
    assert versions[0] < versions[1] == versions[2] < versions[3]


class Ended(Exception):
    """The end of a run, at a moment of its own."""


class Ending:
    """A sink that passes writes on, and ends the run in place of one of them."""

    def __init__(self, sink: Sink, writes: list[BatchKey], last: int) -> None:
        self.sink, self.writes, self.last = sink, writes, last

    def write(self, key: BatchKey, found: Found) -> None:
        self.writes.append(key)
        if len(self.writes) > self.last:
            raise Ended
        self.sink.write(key, found)

    def is_written(self, key: BatchKey) -> bool:
        return self.sink.is_written(key)


def test_a_batch_that_ended_between_two_writes_is_completed(spark: SparkSession, home: Home) -> None:
    """Two languages and two sinks: each of the four writes may be the one that did not happen any more."""
    lines = spark.createDataFrame([("x", "ferry"), ("y", "storm")], "id string, text string")
    with home.store() as store:
        store.subscribe("ada", "f?rry", id="p", language="patterns")
    for last in range(5):
        batch = sources._as_items(lines.withColumn("id", F.concat("id", F.lit(str(last)))), Source("memory"), True)
        writes: list[BatchKey] = []
        done: list[Progress] = []
        run = home.run("main")
        ending = [Ending(sink, writes, last) for sink in make_sinks(SINKS, home, run)]
        if last < 4:
            with pytest.raises(Ended):
                Pipeline(spark, home, Source("memory"), sinks=ending, report=done.append)._batch(batch, last)
        with home.store() as store:
            store.subscribe("ada", "ferry OR storm", id=f"later{last}")  # of which this batch must know nothing
        Pipeline(spark, home, Source("memory"), report=done.append)._batch(batch, last)
        earlier = [f"later{number}" for number in range(last)]
        expected = {f"x{last}": sorted(["a", "p", *earlier]), f"y{last}": sorted(["b", *earlier])}
        if last == 4:  # nothing was recorded before, so it knows all
            expected = {key: sorted([*keys, "later4"]) for key, keys in expected.items()}
        assert {key: keys for key, keys in inbox(home, "ada").items() if key in expected} == expected, last
        rows = [
            (row["id"], row["subscription"])
            for language in ("keywords", "patterns")
            for row in pq.read_table(run.matches / f"batch-{last}-{language}.parquet").to_pylist()
            if row["subscription"] not in "cd"
        ]
        assert sorted(rows) == sorted((key, one) for key, keys in expected.items() for one in keys), last


def test_an_index_of_an_older_format_is_built_anew(home: Home, once: Runner, tmp_path: Path) -> None:
    publish(tmp_path / "in", "one", TEXTS)
    source = Source.folder(str(tmp_path / "in"))
    (first,) = once(source, shards=2)
    path = home.index("keywords")
    newest = resolve(path)
    for number in range(2):
        rewrite_manifest(newest.folder(number), format_version=snapshot.FORMAT_VERSION - 1)
    with pytest.raises(SnapshotError, match="build it anew"):
        resolve_checked(path)
    publish(tmp_path / "in", "two", TEXTS)
    (second,) = once(source, shards=2)
    assert second.versions["keywords"] > first.versions["keywords"]
    resolve_checked(path)
    published = {f"{name}-{number}": text for name in ("one", "two") for number, text in enumerate(TEXTS)}
    assert inbox(home, "ada") == expected({key: SUBSCRIPTIONS[key] for key in "ab"}, published)


def test_columns_of_other_names_and_items_without_ids(home: Home, once: Runner, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    rows = [{"body": "the ferry", "n": 1}, {"body": "the ferry", "n": 2}, {"body": None, "n": 3}]
    lines = "\n".join(json.dumps(row) for row in rows)
    (tmp_path / "in" / "a.jsonl").write_text(lines, encoding="utf-8")
    once(Source.folder(str(tmp_path / "in"), text="body"))
    assert len(inbox(home, "ada")) == 1  # equal contents are one item
    once(Source.folder(str(tmp_path / "in"), text="body", id="n"), run="numbered")
    assert set(inbox(home, "ada")) >= {"1", "2"}


def test_what_is_wrong_with_a_source_is_said_before_it_starts(spark: SparkSession, home: Home, tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="no such folder"):
        Source.folder(str(tmp_path / "nowhere"))
    (tmp_path / "in").mkdir()
    with pytest.raises(PipelineError, match="no file that ends in"):
        Source.folder(str(tmp_path / "in"))
    publish(tmp_path / "in", "one", TEXTS)
    source = Source.folder(str(tmp_path / "in"), text="body")
    with pytest.raises(PipelineError, match=r"no column 'body'.*id, text, title"):
        Pipeline(spark, home, source, report=lambda done: None).run(once=True)
    with pytest.raises(StoreError, match="watchword init"):
        Home(tmp_path / "elsewhere").store()
    with pytest.raises(StoreError, match="cannot name a run"):
        home.run("../other")


LATE = {"v": "volume > 5", "n": "name = 'RBS'", "deep": "trade.kind = 'late'"}


def with_rules(home: Home) -> None:
    with home.store() as store:
        store.subscribe_many(Request("ada", text, key, "predicates") for key, text in LATE.items())


def test_a_key_that_comes_in_a_later_file_is_matched(spark: SparkSession, home: Home, tmp_path: Path) -> None:
    """The second file comes while the stream runs, which knows the first one's columns and their kinds only."""
    with_rules(home)
    folder = tmp_path / "in"
    folder.mkdir()
    first = {"id": "0", "text": "quiet", "volume": 1, "published": 0, "Link": "no link", "_line": "1", "_metadata": 1}
    (folder / "first.jsonl").write_text(json.dumps(first), encoding="utf-8")
    rows = [
        {"id": "both", "text": "ferry", "name": "RBS", "volume": 7, "trade": {"kind": "late"}, "title": "storm"},
        {"id": "few", "text": "ferry", "volume": 3, "categories": ["Sea"]},
        {"id": "other kind", "text": "ferry", "volume": "many", "categories": "Sea", "link": 5},
        {"id": 17, "text": "ferry", "volume": 5.5, "published": "1970-01-01T00:00:07Z", "_line": {}},
        {"id": 18, "text": 18, "volume": 6, "published": 7},
    ]
    done: list[Progress] = []

    def report(progress: Progress) -> None:
        done.append(progress)
        if len(done) == 1:
            made = folder / ".second"
            made.write_text("\n".join([json.dumps(row) for row in rows] + ["no JSON"]), encoding="utf-8")
            made.rename(folder / "second.jsonl")

    _run_batches(Pipeline(spark, home, Source.folder(str(folder)), report=report), done, 2)
    matched = {"both": ["a", "deep", "n", "v"], "few": ["a"], "other kind": ["a"], "17": ["a", "v"], "18": ["v"]}
    assert inbox(home, "ada") == matched
    assert (done[1].items, done[1].aside) == (6, 1)
    with home.store() as store:
        found = {delivery.item.identity: delivery for delivery in store.inbox("ada")}
    assert found["both"].item.title == "storm" and json.loads(found["both"].item.row or "") == rows[0]
    assert [found[name].item.categories for name in ("few", "other kind")] == [("Sea",), ("Sea",)]
    assert [found[name].item.link for name in ("both", "other kind")] == ["", "5"]
    seventh = datetime(1970, 1, 1, 0, 0, 7, tzinfo=UTC)
    assert [found[name].item.published for name in ("both", "17", "18")] == [None, seventh, seventh]
    assert any("volume > 5" in reason.why for reason in found["both"].reasons)


def test_a_language_of_columns_that_somebody_chooses_meanwhile_gets_them(
    spark: SparkSession, home: Home, tmp_path: Path
) -> None:
    """Properties need one kind for each column: from then on a line with a value of another kind is set aside."""
    folder = tmp_path / "in"
    folder.mkdir()
    later = [
        [{"id": "1", "text": "quiet", "sports": 1, "Title": "a column for Spark, no title"}],
        [{"id": "2", "text": "ferry", "sports": "many"}, {"id": "3", "text": "ferry", "sports": 0}],
    ]
    (folder / "first.jsonl").write_text('{"id": "0", "text": "quiet", "sports": 1}', encoding="utf-8")
    done: list[Progress] = []

    def report(progress: Progress) -> None:
        done.append(progress)
        if len(done) == 1:
            with home.store() as store:
                store.set_options("properties", properties=["sports"])
                store.subscribe("ada", "sports=1", id="p", language="properties")
        if len(done) < 3:
            (folder / ".next").write_text("\n".join(map(json.dumps, later[len(done) - 1])), encoding="utf-8")
            (folder / ".next").rename(folder / f"{len(done)}.jsonl")

    _run_batches(Pipeline(spark, home, Source.folder(str(folder)), report=report), done, 3)
    assert inbox(home, "ada") == {"1": ["p"], "3": ["a"]}
    assert [(step.items, step.aside) for step in done] == [(1, 0), (1, 0), (2, 1)]


def test_a_column_that_comes_in_a_later_parquet_file_is_matched(
    spark: SparkSession, home: Home, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with_rules(home)
    folder = tmp_path / "in here[1]"
    folder.mkdir()
    write_parquet(folder / "first.parquet", [{"id": "1", "text": "quiet"}])
    done: list[Progress] = []

    def report(progress: Progress) -> None:
        done.append(progress)
        if len(done) == 1:
            row = {"id": "2", "text": "ferry", "name": "RBS", "volume": 7, "trade": {"kind": "late"}}
            write_parquet(folder / "second {*}.parquet", [row])
        elif len(done) == 2:
            write_parquet(folder / "third.parquet", [{"id": "3", "text": "none", "volume": 8}])

    _run_batches(Pipeline(spark, home, Source.folder(str(folder)), report=report), done, 3)
    assert inbox(home, "ada") == {"2": ["a", "deep", "n", "v"], "3": ["v"]}
    assert [step.items for step in done] == [1, 1, 1]
    said = [record.getMessage() for record in caplog.records if "new are taken up" in record.getMessage()]
    assert said == ["columns that are new are taken up: name, volume, trade, trade.kind"]


def test_columns_of_all_parquet_files_are_read_from_the_start(home: Home, once: Runner, tmp_path: Path) -> None:
    with_rules(home)
    (tmp_path / "in").mkdir()
    for number, row in enumerate(({"volume": 7}, {"name": "RBS"}, {"name": "ACME", "volume": 9})):
        write_parquet(tmp_path / "in" / f"{number}.parquet", [{"id": str(number), "text": "none", **row}])
    once(Source.folder(str(tmp_path / "in")))
    assert inbox(home, "ada") == {"0": ["v"], "1": ["n"], "2": ["v"]}


def test_a_parquet_file_with_a_column_of_another_kind_is_named(home: Home, once: Runner, tmp_path: Path) -> None:
    """Spark reads columns in one kind; what was matched before it came to that file stays."""
    with_rules(home)
    folder = tmp_path / "in"
    folder.mkdir()
    for number, volume in enumerate((7, 8.5)):
        write_parquet(folder / f"{number}.parquet", [{"id": str(number), "text": "none", "volume": volume}])
    with pytest.raises(
        PipelineError, match=r"in/[01].parquet: its column volume is .* and that of other files .*: write"
    ):
        once(Source.folder(str(folder), maxFilesPerTrigger="1"))
    (folder / "1.parquet").unlink()
    once(Source.folder(str(folder)), run="again")
    assert "v" in inbox(home, "ada")["0"]


def test_a_line_may_be_a_list_and_lines_may_be_empty(home: Home, once: Runner, tmp_path: Path) -> None:
    with_rules(home)
    (tmp_path / "in").mkdir()
    rows = [{"id": str(number), "text": "none", "volume": number} for number in range(5, 8)]
    text = f"\ufeff{json.dumps(rows[0])}\r\n\r\n  \n{json.dumps(rows[1:])}\n"
    (tmp_path / "in" / "a.json").write_text(text, encoding="utf-8", newline="")
    done = once(Source.folder(str(tmp_path / "in")))
    assert inbox(home, "ada") == {"6": ["v"], "7": ["v"]}
    assert [(step.items, step.aside) for step in done] == [(3, 0)]


def write_parquet(file: Path, rows: list[dict[str, object]]) -> None:
    temporary = file.with_name(f".{file.name}")
    pq.write_table(pa.Table.from_pylist(rows), temporary)
    temporary.rename(file)


def _run_batches(pipeline: Pipeline, done: list[Progress], count: int) -> None:
    """Run a stream until it has done some batches."""
    stop = Done()
    report = pipeline._report

    def until(progress: Progress) -> None:
        report(progress)
        if len(done) == count:
            raise stop

    pipeline._report = until
    with pytest.raises(Done):
        pipeline.run(once=False, interval=0.2)


class Done(WatchwordError):
    """All batches that a test waits for are done."""
