"""A second language through the same door: everything on Spark serves `patterns` without knowing it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from tests.spark.data import found
from watchword.errors import OptionError, PipelineError
from watchword.spark import VersionLog, build, match, match_stream, resolve, update

SUBSCRIBED = {
    "s1": "song?blue",
    "s2": "pie*tea",
    "s3": "blue",
    "s4": "b?u",
    "s5": r"what\?",
    "s6": "é?",
    "s7": "*",
}
TEXTS = [
    "a song, blue",
    "song blue",
    "pie and tea",
    "tea and pie",
    "what?",
    "whatever",
    "éa",
    "é",
    "",
    None,
    "blue tea",
]
EVENTS: list[tuple[int, str | None]] = list(enumerate(TEXTS))


def expected(subscribed: dict[str, str], events: list[tuple[int, str | None]]) -> list[tuple[int, str]]:
    """Return the pairs by Python's own regular expressions."""
    pieces = {"?": ".", "*": ".*"}
    wanted = {
        key: re.compile(
            "".join(pieces.get(part, re.escape(part[-1])) for part in re.findall(r"\\.|.", text)), re.DOTALL
        )
        for key, text in subscribed.items()
    }
    pairs = [
        (n, key) for n, text in events if text is not None for key, pattern in wanted.items() if pattern.search(text)
    ]
    return sorted(pairs)


def frame(spark: SparkSession, pairs: Any) -> DataFrame:
    return spark.createDataFrame(list(pairs), "id string, subscription string")


@pytest.fixture(scope="module")
def index(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("patterns") / "index"
    build(frame(spark, SUBSCRIBED.items()), path, language="patterns", shards=2)
    return str(path)


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(EVENTS, "n int, text string")


@pytest.mark.parametrize("mode", ["replicated", "partitioned"])
def test_match(events: DataFrame, index: str, mode: Any) -> None:
    rows = match(events, index, language="patterns", explain=True, mode=mode).collect()
    assert sorted((row["n"], row["subscription"]) for row in rows) == expected(SUBSCRIBED, EVENTS)
    assert all(row["explanation"].startswith("match: ") for row in rows)


def test_update(spark: SparkSession, events: DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "index"
    build(frame(spark, SUBSCRIBED.items()), path, language="patterns", shards=2, ignore_case=True)
    assert update(path, frame(spark, [("s1", "TEA*P"), ("s7", None), ("s8", "WHAT")])) == 2
    subscribed = {key: text for key, text in SUBSCRIBED.items() if key != "s7"} | {"s1": "tea*p", "s8": "what"}
    assert found(match(events, path)) == expected(subscribed, EVENTS)
    with pytest.raises(PipelineError, match="'s9'"):
        update(path, frame(spark, [("s9", "ends with \\")]))
    assert resolve(path).version == 2


def test_bad_rows(spark: SparkSession, index: str) -> None:
    rows = [(n, None if text is None else text.encode()) for n, text in EVENTS]
    bad = (0, 5, 10)
    for number in bad:
        rows[number] = (number, b"blue \xff")
    good = [(n, text) for n, text in EVENTS if n not in bad]
    binaries = spark.createDataFrame(rows, "n int, text binary")
    counts = Observation("patterns")
    kept = match(binaries, index, on_error="keep", metrics=counts).collect()
    assert sorted((row["n"], row["subscription"]) for row in kept if row["error"] is None) == expected(SUBSCRIBED, good)
    assert sorted(row["n"] for row in kept if row["error"] is not None and "UTF-8" in row["error"]) == list(bad)
    assert (counts.get["events"], counts.get["errors"]) == (len(EVENTS), len(bad))
    assert found(match(binaries, index, on_error="skip", mode="partitioned")) == expected(SUBSCRIBED, good)


def test_types_are_refused_before_a_task(events: DataFrame, index: str) -> None:
    for column, kind in [
        (F.split("text", " "), "array<string>"),
        (F.create_map("text", "text"), "map<string,string>"),
        (F.struct("n", "text"), "struct<n:int,text:string>"),
        (F.col("n"), "int"),
    ]:
        with pytest.raises(PipelineError, match=f"type {kind} cannot be matched by patterns"):
            match(events, index, column=column)


def test_it_cannot_be_routed(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="patterns cannot tell"):
        build(frame(spark, SUBSCRIBED.items()), tmp_path / "a", language="patterns", shards=2, shard_by="atoms")
    with pytest.raises(OptionError, match="no option 'stemmer'"):
        build(frame(spark, SUBSCRIBED.items()), tmp_path / "b", language="patterns", stemmer="english")


def test_stream(spark: SparkSession, index: str, tmp_path: Path) -> None:
    spark.createDataFrame(EVENTS, "n int, text string").write.parquet(str(tmp_path / "events"))
    stream = spark.readStream.schema("n int, text string").parquet(str(tmp_path / "events"))
    pairs: dict[int, list[Any]] = {}

    def sink(hits: DataFrame, batch: int) -> None:
        pairs[batch] = found(hits)

    writer = match_stream(stream, index, sink, log=VersionLog(tmp_path / "checkpoint" / "versions"))
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
    assert sorted(pair for batch in pairs.values() for pair in batch) == expected(SUBSCRIBED, EVENTS)
