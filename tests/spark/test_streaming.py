"""Streams: equal to batches, counted, and pinned to the version that a batch first used."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.spark.data import expected, subscriptions, texts
from watchword import KeywordIndex
from watchword.errors import PipelineError
from watchword.spark import VersionLog, build, match, match_stream, update, versions

SUBSCRIBED = subscriptions(30)
EVENTS = list(enumerate(texts(120)))
SCHEMA = "n int, text string"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "events"
    folder.mkdir()
    for part in range(3):
        add(folder, part, EVENTS[part * 40 : part * 40 + 40])
    return folder


def add(folder: Path, part: int, events: list[tuple[int, str | None]]) -> None:
    lines = [json.dumps({"n": n, "text": text}) for n, text in events]
    file = folder / f"{part}.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.utime(file, (1_700_000_000 + part,) * 2)  # a stream takes files up by their time


def stream(spark: SparkSession, folder: Path) -> DataFrame:
    return spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder))


@pytest.mark.parametrize("mode", ["replicated", "partitioned"])
def test_a_stream_finds_what_a_batch_finds(spark: SparkSession, source: Path, tmp_path: Path, mode: Any) -> None:
    path = tmp_path / "index"
    rows = spark.createDataFrame(list(SUBSCRIBED.items()), "id string, subscription string")
    build(rows, path, shards=2)
    hits = stream(spark, source).transform(match, path, mode=mode, metrics="watchword", carry=["n"])
    writer = hits.writeStream.format("memory").queryName(f"hits_{mode}").trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    query.awaitTermination()
    found = sorted((row["n"], row["subscription"]) for row in spark.table(f"hits_{mode}").collect())
    assert found == expected(SUBSCRIBED, EVENTS)
    seen = [progress.observedMetrics["watchword"] for progress in query.recentProgress if progress.observedMetrics]
    assert sum(row["events"] for row in seen) == len(EVENTS)
    assert sum(row["pairs"] for row in seen) == len(found)
    assert {row["version"] for row in seen} == {1}


def test_a_stream_takes_up_versions_and_a_replay_does_not(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    path, log = tmp_path / "index", VersionLog(tmp_path / "checkpoint" / "versions")
    first = {"old": "greece OR crisis OR imf"}
    build(KeywordIndex(first), path)
    second = {"new": "greece OR crisis OR imf"}
    written: dict[int, list[tuple[Any, Any]]] = {}
    failed: list[int] = []

    def sink(hits: DataFrame, batch: int) -> None:
        if batch == 1 and not failed:
            failed.append(batch)
            raise OSError("the disk is full")
        written[batch] = sorted((row["n"], row["subscription"]) for row in hits.collect())
        if batch == 1:
            build(KeywordIndex({"third": "sea"}), path)

    def run() -> Any:
        writer = match_stream(stream(spark, source), path, sink, log=log, carry=["n"]).trigger(availableNow=True)
        return writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()

    with pytest.raises(Exception, match="the disk is full"):
        run().awaitTermination()
    assert list(written) == [0] and log.recorded(1, path) == 1
    build(KeywordIndex(second), path)  # between failure and replay
    run().awaitTermination()
    ids = {batch: {key for _, key in pairs} for batch, pairs in written.items()}
    assert ids[0] == {"old"} and ids[1] == {"old"}, "the replayed batch uses the version that it used before"
    assert ids[2] <= {"third"}, "the next batch uses the newest version"
    assert written[1] == expected(first, EVENTS[40:80])
    assert written[2] == expected({"third": "sea"}, EVENTS[80:])
    assert [log.recorded(batch, path) for batch in range(3)] == [1, 1, 3]


def test_updates_can_come_from_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "index"
    build(KeywordIndex({"a": "greece"}), path)
    folder = tmp_path / "changes"
    folder.mkdir()
    (folder / "1.json").write_text('{"id": "a"}\n{"id": "b", "subscription": "imf"}\n', encoding="utf-8")
    changes = spark.readStream.schema("id string, subscription string").json(str(folder))
    writer = changes.writeStream.foreachBatch(lambda batch, _: update(path, batch) and None)
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
    assert versions(path) == [1, 2]
    event = spark.createDataFrame([(1, "greece and the imf")], SCHEMA)
    assert [row["subscription"] for row in match(event, path).collect()] == ["b"]


def test_refused_before_the_stream_starts(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    build(KeywordIndex({"a": "greece"}), tmp_path / "index")
    log = VersionLog(tmp_path / "log")
    events = stream(spark, source)
    with pytest.raises(PipelineError, match="no column 'body'"):
        match_stream(events, tmp_path / "index", print, log=log, column="body")
    with pytest.raises(PipelineError, match="chooses the version"):
        match_stream(events, tmp_path / "index", print, log=log, version=1)
    with pytest.raises(PipelineError, match="streaming DataFrame"):
        match_stream(spark.createDataFrame(EVENTS, SCHEMA), tmp_path / "index", print, log=log)
    with pytest.raises(PipelineError, match="in foreachBatch"):
        build(events, tmp_path / "index")
