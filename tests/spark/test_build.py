"""`build` and `update`: versions of a sharded index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.spark.data import BAD_CHANGES, expected, found, subscriptions, texts
from watchword import Index, KeywordIndex
from watchword.errors import OptionError, PipelineError, SnapshotError
from watchword.spark import build, match, resolve, update, versions

SUBSCRIBED = subscriptions(40)
EVENTS = list(enumerate(texts(200)))


def frame(spark: SparkSession, pairs: Any, kind: str = "id string, subscription string") -> DataFrame:
    return spark.createDataFrame(list(pairs), kind)


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(EVENTS, "n int, text string")


def content(path: Path, version: int | None = None) -> dict[Any, str]:
    found = resolve(path, version)
    shards = [dict(Index.open(found.folder(number))) for number in range(len(found.shards))]
    merged = {key: text for shard in shards for key, text in shard.items()}
    assert len(merged) == sum(map(len, shards)) == found.subscriptions
    return merged


class TestBuild:
    @pytest.mark.parametrize("shards", [1, 5])
    def test_shards_divide_the_subscriptions(self, spark: SparkSession, tmp_path: Path, shards: int) -> None:
        build(frame(spark, SUBSCRIBED.items()), tmp_path / "index", shards=shards)
        assert content(tmp_path / "index") == SUBSCRIBED
        assert len(resolve(tmp_path / "index").shards) == shards

    def test_more_shards_than_subscriptions(self, spark: SparkSession, events: DataFrame, tmp_path: Path) -> None:
        path = tmp_path / "index"
        build(frame(spark, [("a", "greece")]), path, shards=4)
        assert [shard.subscriptions for shard in resolve(path).shards].count(0) == 3
        assert found(match(events, path)) == expected({"a": "greece"}, EVENTS)
        assert update(path, frame(spark, SUBSCRIBED.items())) == 2
        assert content(path) == {"a": "greece", **SUBSCRIBED}

    def test_no_subscriptions(self, spark: SparkSession, events: DataFrame, tmp_path: Path) -> None:
        build(frame(spark, [], "id long, subscription string"), tmp_path / "index")
        hits = match(events, tmp_path / "index")
        assert hits.schema["subscription"].dataType.simpleString() == "bigint"
        assert hits.collect() == []

    def test_index_in_memory_and_options(self, spark: SparkSession, tmp_path: Path) -> None:
        event = spark.createDataFrame([(1, "Cats")], "n int, text string")
        index = KeywordIndex({7: "cat"}, stemmer="english")
        assert build(index, tmp_path / "one") == 1
        assert found(match(event, tmp_path / "one")) == [(1, 7)]
        with pytest.raises(PipelineError, match="saved as it is"):
            build(index, tmp_path / "two", shards=2)
        build(frame(spark, [("s", "cat")]), tmp_path / "two", stemmer="english", method="count")
        assert found(match(event, tmp_path / "two")) == [(1, "s")]
        assert Index.open(resolve(tmp_path / "two").folder(0)).method == "count"

    def test_refusals_name_the_row_and_leave_the_version(self, spark: SparkSession, tmp_path: Path) -> None:
        path = tmp_path / "index"
        build(frame(spark, SUBSCRIBED.items()), path, shards=2)
        for bad, words in [
            ([("x", "greece AND (crisis")], "'x': this parenthesis is never closed"),
            ([("x", None)], "'x': column 'subscription' is null"),
            ([(None, "greece")], "without an id: column 'id' is null"),
            ([("x", "greece"), ("x", "imf")], "'x'"),
        ]:
            with pytest.raises(PipelineError, match=words.replace("(", r"\(")):
                build(frame(spark, [*SUBSCRIBED.items(), *bad]), path, shards=2)
            assert versions(path) == [1]
        assert content(path) == SUBSCRIBED
        build(frame(spark, [("y", "imf")]), path)  # removes what the failed ones left
        assert len(list((path / "shards").iterdir())) == 3

    def test_refused_before_a_task(self, spark: SparkSession, tmp_path: Path) -> None:
        good = frame(spark, SUBSCRIBED.items())
        for bad, words in [
            (good.drop("id"), "no column 'id'; there are: subscription"),
            (good.withColumn("subscription", F.lit(1)), "must be string, not int"),
            (good.withColumn("id", F.lit(1.5)), "whole number, not d"),
        ]:
            with pytest.raises(PipelineError, match=words):
                build(bad, tmp_path / "index")
        with pytest.raises(OptionError):
            build(good, tmp_path / "index", no_such_option=1)
        with pytest.raises(OptionError, match="no language"):
            build(good, tmp_path / "index", language="haiku")
        with pytest.raises(PipelineError, match="at least one shard"):
            build(good, tmp_path / "index", shards=0)
        assert not (tmp_path / "index").exists()


class TestUpdate:
    def test_only_changed_shards_are_written(self, spark: SparkSession, events: DataFrame, tmp_path: Path) -> None:
        path = tmp_path / "index"
        build(frame(spark, SUBSCRIBED.items()), path, shards=8)
        before = resolve(path)
        changes = [("s3", "storm OR sea"), ("s4", None), ("unknown", None), ("s5", SUBSCRIBED["s5"])]
        assert update(path, frame(spark, changes)) == 2
        after = resolve(path)
        wanted = {**SUBSCRIBED, "s3": "storm OR sea"}
        del wanted["s4"]
        assert content(path) == wanted
        touched = [one.folder != two.folder for one, two in zip(before.shards, after.shards, strict=True)]
        holders = [bool({"s3", "s4"} & set(Index.open(before.folder(number)))) for number in range(len(before.shards))]
        assert touched == holders
        assert found(match(events, path)) == expected(wanted, EVENTS)
        assert found(match(events, path, version=1)) == expected(SUBSCRIBED, EVENTS)

    def test_nothing_to_change_makes_no_version(self, spark: SparkSession, tmp_path: Path) -> None:
        build(frame(spark, SUBSCRIBED.items()), tmp_path / "index", shards=2)
        assert update(tmp_path / "index", frame(spark, [("s1", SUBSCRIBED["s1"]), ("nobody", None)])) == 1
        assert versions(tmp_path / "index") == [1]

    def test_column_deleted(self, spark: SparkSession, tmp_path: Path) -> None:
        path, kind = tmp_path / "index", "id string, subscription string, deleted boolean"
        build(frame(spark, SUBSCRIBED.items()), path, shards=2)
        update(path, frame(spark, [("s1", "greece", True), ("new", "imf", False), ("newer", "imf", None)], kind))
        kept = {key: text for key, text in SUBSCRIBED.items() if key != "s1"}
        assert content(path) == {**kept, "new": "imf", "newer": "imf"}
        with pytest.raises(PipelineError, match="'s2': column 'subscription' is null"):
            update(path, frame(spark, [("s2", None, False)], kind))

    def test_refusals(self, spark: SparkSession, tmp_path: Path) -> None:
        path = tmp_path / "index"
        with pytest.raises(SnapshotError, match="no such folder"):
            update(path, frame(spark, [("x", "imf")]))
        assert not path.exists()
        build(frame(spark, SUBSCRIBED.items()), path, shards=2)
        for bad, words in BAD_CHANGES:
            with pytest.raises(PipelineError, match=words):
                update(path, frame(spark, bad))
        with pytest.raises(PipelineError, match="cast the column"):
            update(path, frame(spark, [(1, "imf")], "id long, subscription string"))
        assert content(path) == SUBSCRIBED and versions(path) == [1]

    def test_old_versions_go(self, spark: SparkSession, tmp_path: Path) -> None:
        path = tmp_path / "index"
        build(frame(spark, SUBSCRIBED.items()), path, shards=2)
        for number in range(3):
            update(path, frame(spark, [("s0", f"greece t{number}")]), keep=2)
        assert versions(path) == [3, 4]
        assert content(path, 3)["s0"] == "greece t1" and content(path)["s0"] == "greece t2"
        assert len(list((path / "shards").iterdir())) == 3
