"""`match` over DataFrames: what it finds, its schema, bad rows, and what it refuses before a task starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from tests.oracle import terms
from tests.spark.data import expected, found, subscriptions, texts
from watchword import Index, KeywordIndex
from watchword.errors import LocationError, PipelineError, SnapshotError, WatchwordError
from watchword.spark import build, match, resolve

SUBSCRIBED = subscriptions(60)
EVENTS = list(enumerate(texts(500)))
BAD = (0, 7, 8, 250, 499)
GOOD = [event for event in EVENTS if event[0] not in BAD]


def frame(spark: SparkSession, pairs: Any, ids: str = "string") -> DataFrame:
    return spark.createDataFrame(list(pairs), f"id {ids}, subscription string")


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(EVENTS, "n int, text string")


@pytest.fixture(scope="module")
def index(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("index") / "sharded")
    assert build(frame(spark, SUBSCRIBED.items()), path, shards=3) == 1
    return path


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("single"))
    KeywordIndex(SUBSCRIBED).save(path)
    return path


class TestWhatItFinds:
    @pytest.mark.parametrize("mode", ["auto", "replicated", "partitioned"])
    def test_several_shards(self, events: DataFrame, index: str, mode: Any) -> None:
        hits = match(events, index, mode=mode)
        assert found(hits) == expected(SUBSCRIBED, EVENTS)
        assert len({shard.folder for shard in resolve(index).shards}) == 3
        assert hits.schema.simpleString() == "struct<n:int,text:string,subscription:string>"
        assert ("Shuffle" in _plan(hits) or "Exchange" in _plan(hits)) is (mode == "partitioned")

    def test_size_decides_the_mode(self, events: DataFrame, index: str) -> None:
        assert "Exchange" in _plan(match(events, index, replicate_bytes=0))

    def test_plain_snapshot(self, events: DataFrame, single: str) -> None:
        hits = match(events, single, column="text", language="keywords")
        assert found(hits) == expected(SUBSCRIBED, EVENTS)
        rows = {row["n"]: row["text"] for row in hits.collect()}
        assert rows.items() <= dict(EVENTS).items()

    def test_transform_chaining_and_carry(self, events: DataFrame, index: str) -> None:
        hits = events.where("n < 100").transform(match, index, column="text", carry=["n"]).where("n % 2 = 0")
        assert hits.columns == ["n", "subscription"]
        assert found(hits) == [pair for pair in expected(SUBSCRIBED, EVENTS[:100]) if pair[0] % 2 == 0]
        assert match(events, index, carry=[]).count() == len(expected(SUBSCRIBED, EVENTS))

    def test_binary_terms_and_expressions(self, spark: SparkSession, single: str) -> None:
        some = [(n, text) for n, text in EVENTS[:100] if text is not None]
        rows = [(n, text.encode(), terms(text), text[:5], text[5:]) for n, text in some]
        frame = spark.createDataFrame(rows, "n int, data binary, terms array<string>, `the head` string, `a.b` string")
        wanted = expected(SUBSCRIBED, some)
        assert found(match(frame, single, column="data")) == wanted
        assert found(match(frame, single, column="terms", carry=["n"])) == wanted
        assert found(match(frame, single, column=F.concat("the head", F.col("`a.b`")))) == wanted
        assert found(match(frame, single, column="a.b")) == expected(SUBSCRIBED, [(n, text[5:]) for n, text in some])
        apart = expected(SUBSCRIBED, [(n, f"{text[:5]} zzz {text[5:]}") for n, text in some])
        assert found(match(frame, single, columns=["the head", "a.b"], explain=True)) == apart

    def test_whole_numbers_as_ids(self, spark: SparkSession, events: DataFrame, tmp_path: Path) -> None:
        numbered = dict(enumerate(SUBSCRIBED.values()))
        build(frame(spark, numbered.items(), "int"), tmp_path / "index", shards=2)
        hits = match(events, tmp_path / "index", carry=["n"])
        assert hits.schema.simpleString() == "struct<n:int,subscription:bigint>"
        assert found(hits) == expected(numbered, EVENTS)

    def test_rich_columns_pass_through(self, spark: SparkSession, index: str) -> None:
        columns = (
            "n", "text", "timestamp'2026-01-02 03:04:05' as t", "array(struct(n as a, text as b)) as nested",
            "map('k', n) as m", "cast(n as decimal(12,2)) as d", "cast(null as date) as nothing",
        )  # fmt: skip
        rich = spark.createDataFrame(EVENTS[:50], "n int, text string").selectExpr(*columns)
        hits = match(rich, index)
        originals = {row["n"]: row for row in rich.collect()}
        assert all(row == originals[row["n"]] for row in hits.drop("subscription").collect())
        assert found(hits) == expected(SUBSCRIBED, EVENTS[:50])

    def test_no_events_and_no_matches(self, spark: SparkSession, events: DataFrame, index: str) -> None:
        assert match(events.where("false"), index).collect() == []
        silent = spark.createDataFrame([(1, "xyzzy"), (2, None)], "n int, text string")
        assert found(match(silent, index)) == expected(SUBSCRIBED, [(1, "xyzzy")])

    def test_explain(self, spark: SparkSession, events: DataFrame, index: str) -> None:
        rows = match(events.where("n < 30"), index, explain=True).collect()
        reference = KeywordIndex(SUBSCRIBED)
        assert len(rows) == len(expected(SUBSCRIBED, EVENTS[:30]))
        for row in rows:
            assert row["explanation"] == str(reference.explain(row["text"], row["subscription"]))

    def test_large_strings(self, spark: SparkSession, events: DataFrame, index: str) -> None:
        spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
        try:
            hits = match(events, index, explain=True, on_error="keep").collect()
            assert sorted((row["n"], row["subscription"]) for row in hits) == expected(SUBSCRIBED, EVENTS)
        finally:
            spark.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")


class TestBadRows:
    @pytest.fixture
    def mixed(self, spark: SparkSession) -> DataFrame:
        rows: list[tuple[int, bytes | None]] = [(n, None if text is None else text.encode()) for n, text in EVENTS]
        for bad in BAD:
            rows[bad] = (bad, b"greece crisis \xff")
        return spark.createDataFrame(rows, "n int, text binary")

    @pytest.mark.parametrize("mode", ["replicated", "partitioned"])
    def test_keep_and_skip(self, mixed: DataFrame, index: str, mode: Any) -> None:
        kept = match(mixed, index, on_error="keep", mode=mode)
        assert kept.columns == ["n", "text", "subscription", "error"]
        assert found(kept.where("error is null")) == expected(SUBSCRIBED, GOOD)
        errors = kept.where("error is not null").collect()
        assert sorted(row["n"] for row in errors) == list(BAD)
        assert all(row["subscription"] is None and "UTF-8" in row["error"] for row in errors)
        assert found(match(mixed, index, on_error="skip", mode=mode)) == expected(SUBSCRIBED, GOOD)

    def test_raise(self, mixed: DataFrame, index: str) -> None:
        with pytest.raises(PythonException, match=r"an event cannot be matched: .*UTF-8.*on_error='skip'"):
            match(mixed, index).collect()

    @pytest.mark.parametrize("mode", ["replicated", "partitioned"])
    @pytest.mark.parametrize("on_error", ["keep", "skip"])
    def test_counts_are_observed(self, mixed: DataFrame, index: str, mode: Any, on_error: Any) -> None:
        counts = Observation(f"{mode}-{on_error}")
        hits = match(mixed, index, metrics=counts, mode=mode, on_error=on_error)
        assert found(hits.where("subscription is not null")) == expected(SUBSCRIBED, GOOD)
        seen = counts.get
        assert seen.pop("seconds") > 0
        assert seen == {"events": 500, "pairs": len(expected(SUBSCRIBED, GOOD)), "errors": 5, "version": 1}


class TestRefused:
    """Before any task starts: none of these calls runs a job."""

    def refused(self, words: str, *arguments: Any, **options: Any) -> None:
        with pytest.raises(WatchwordError, match=words) as refusal:
            match(*arguments, **options)
        assert isinstance(refusal.value, PipelineError | SnapshotError | LocationError)

    def test_columns(self, spark: SparkSession, events: DataFrame, index: str) -> None:
        self.refused("no column 'body'; there are: n, text", events, index, column="body")
        self.refused("no column 'body'", events, index, columns=["text", "body"])
        self.refused("no column 'body'", events, index, carry=["body"])
        self.refused("not both", events, index, column="text", columns=["text"])
        self.refused("a list of names", events, index, columns="text")
        self.refused("a list of names", events, index, carry="text")
        self.refused("which match adds", events.withColumn("subscription", F.lit(1)), index)
        self.refused("more than once", events.select("*", "n"), index)

    def test_types(self, spark: SparkSession, events: DataFrame, index: str) -> None:
        self.refused("type int cannot be matched by keywords", events, index, column="n")
        self.refused("type array<int>", events.withColumn("a", F.array("n")), index, column="a")
        self.refused("type struct<.*has no texts", events, index, columns=["n", "text"])
        self.refused("type map<", events.withColumn("m", F.create_map("text", "n")), index, column="m")

    def test_options(self, events: DataFrame, index: str) -> None:
        self.refused("on_error is", events, index, on_error="ignore")
        self.refused("mode is", events, index, mode="broadcast")
        self.refused("are keywords, not paths", events, index, language="paths")

    def test_paths(self, events: DataFrame, index: str, single: str, tmp_path: Path) -> None:
        self.refused("no such folder", events, tmp_path / "nothing")
        self.refused("holds no index", events, tmp_path)
        self.refused("every machine mounts", events, "http://host/index")
        self.refused("no version 9; there are: 1", events, index, version=9)
        self.refused("version 9 is gone", events, single, version=9)

    def test_a_plain_snapshot_replaced_under_a_plan(self, events: DataFrame, tmp_path: Path) -> None:
        KeywordIndex(SUBSCRIBED).save(tmp_path)
        hits = match(events, tmp_path)
        opened = Index.open(tmp_path)
        opened["new"] = "greece"
        opened.save(tmp_path)
        with pytest.raises(PythonException, match="replaced while the job ran"):
            hits.collect()

    def test_workers_that_do_not_see_the_folder(self, events: DataFrame, tmp_path: Path) -> None:
        KeywordIndex(SUBSCRIBED).save(tmp_path / "index")
        hits = match(events, tmp_path / "index")
        (tmp_path / "index").rename(tmp_path / "elsewhere")
        with pytest.raises(PythonException, match="every machine mounts"):
            hits.collect()


def test_tasks_are_sent_no_index(spark: SparkSession, tmp_path: Path) -> None:
    from pyspark.cloudpickle import dumps

    from watchword.spark.tasks.matcher import Task

    KeywordIndex(pa.table({"id": range(10_000), "subscription": ["greece crisis"] * 10_000})).save(tmp_path)
    assert len(dumps(Task(resolve(tmp_path), "text", ("text",)))) < 2000


def _plan(hits: DataFrame) -> str:
    return str(hits._jdf.queryExecution().executedPlan().toString())
