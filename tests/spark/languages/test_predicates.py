"""Events that are objects, through Spark: columns, structs, maps and JSON, batch and stream, routed or not."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from tests.predicate_oracle import matches
from tests.spark.data import found
from watchword.errors import PipelineError
from watchword.spark import VersionLog, build, match, match_stream, resolve, update
from watchword.spark.tasks.router import Router

RULES = {
    "s1": "name = 'RBS' AND value > 20",
    "s2": "NOT (name = 'RBS') OR value BETWEEN 10 AND 15",
    "s3": "tags = 'a' AND NOT tags = 'b'",
    "s4": "ANY orders (price > 5 AND sku = 'x')",
    "s5": "orders.price > 5 AND orders.sku = 'x'",
    "s6": "topic KIND OF 'politics'",
    "s7": "value = 15 OR name IN ('ACME', 'RBS') AND open = TRUE",
    "s8": '"a.b" = 1',
    "s9": "day = '2026-11-16' AND extra.k = 'v'",
    "s10": "name IS MISSING",
}
TOPICS = {"topic": {"national": "politics"}}
SCHEMA = (
    "n int, name string, value double, open boolean, tags array<string>, "
    "orders array<struct<price:int,sku:string>>, topic string, `a.b` long, day date, extra map<string,string>"
)
NAMES = ["n", "name", "value", "open", "tags", "orders", "topic", "a.b", "day", "extra"]
DAY = datetime.date(2026, 11, 16)
ROWS: list[tuple[Any, ...]] = [
    (0, "RBS", 25.0, True, ["a"], [(7, "x")], "national", 1, DAY, {"k": "v"}),
    (1, "RBS", 15.0, False, ["a", "b"], [(7, "y"), (3, "x")], "politics", 2, DAY, {"k": "w"}),
    (2, "ACME", None, True, [], None, "sports", None, None, {}),
    (3, None, 15.5, None, None, [], None, None, DAY, None),
    (4, "x", 20.0, True, ["b", None], [(None, "x"), (9, None)], "politics/local", 1, None, {"k": "v", "l": "w"}),
]


def event(row: tuple[Any, ...]) -> dict[str, Any]:
    """Return a row as the object that it is; a null is an attribute that is not there."""
    made = dict(zip(NAMES, row, strict=True))
    if made["orders"] is not None:
        made["orders"] = [{"price": price, "sku": sku} for price, sku in made["orders"]]
    return made


def expected(rules: dict[str, str] = RULES, rows: list[tuple[Any, ...]] = ROWS) -> list[tuple[int, str]]:
    return sorted((row[0], key) for row in rows for key, rule in rules.items() if matches(rule, event(row), TOPICS))


def frame(spark: SparkSession, pairs: Any) -> DataFrame:
    return spark.createDataFrame(list(pairs), "id string, subscription string")


@pytest.fixture(scope="module")
def index(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("predicates") / "index"
    build(frame(spark, RULES.items()), path, language="predicates", shards=2, hierarchies=TOPICS)
    return str(path)


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS, SCHEMA)


@pytest.mark.parametrize("mode", ["replicated", "partitioned"])
def test_columns(events: DataFrame, index: str, mode: Any) -> None:
    hits = match(events, index, mode=mode)
    assert hits.columns == [*NAMES, "subscription"]
    assert found(hits) == expected()
    hits = match(events, index, carry=["n"], explain=True, mode=mode)
    assert hits.columns == ["n", "subscription", "explanation"]
    rows = hits.collect()
    assert sorted((row["n"], row["subscription"]) for row in rows) == expected()
    assert all(row["explanation"].startswith("match: ") for row in rows)


def test_some_columns(events: DataFrame, index: str) -> None:
    wanted = sorted(
        (row[0], key)
        for row in ROWS
        for key, rule in RULES.items()
        if matches(rule, {"name": row[1], "value": row[2]}, TOPICS)
    )
    assert found(match(events, index, columns=["name", "value"], carry=["n"])) == wanted
    assert found(events.transform(match, index, columns=["value", "name"], carry=["value", "n"])) == wanted


def test_one_column_of_objects(spark: SparkSession, events: DataFrame, index: str) -> None:
    whole = F.struct(*[F.col(f"`{name}`") for name in NAMES])
    payload = events.select("n", whole.alias("payload"))
    nulls = payload.union(
        payload.limit(1).select(F.lit(99).alias("n"), F.lit(None).cast(payload.schema["payload"].dataType))
    )
    assert found(match(nulls, index, column="payload", explain=True)) == expected()
    assert found(match(events, index, column=whole, carry=["n"], mode="partitioned")) == expected()
    texts = [(row[0], json.dumps(event(row), default=str)) for row in ROWS] + [(99, None)]
    lines = spark.createDataFrame(texts, "n int, payload string")
    for mode in ("replicated", "partitioned"):
        assert found(match(lines, index, column="payload", mode=mode)) == expected()  # type: ignore[arg-type]
    flat = [(row[0], {name: value for name, value in event(row).items() if isinstance(value, str)}) for row in ROWS]
    maps = spark.createDataFrame(flat, "n int, payload map<string,string>")
    wanted = sorted((n, key) for n, said in flat for key, rule in RULES.items() if matches(rule, said, TOPICS))
    assert found(match(maps, index, column="payload", explain=True)) == wanted


def test_bad_rows(spark: SparkSession, index: str) -> None:
    texts = [(row[0], json.dumps(event(row), default=str)) for row in ROWS]
    texts[1], texts[4] = (1, "{"), (4, "[5]")
    good = [row for row in ROWS if row[0] not in (1, 4)]
    lines = spark.createDataFrame(texts, "n int, payload string")
    counts = Observation("predicates")
    kept = match(lines, index, column="payload", on_error="keep", metrics=counts).collect()
    assert sorted((row["n"], row["subscription"]) for row in kept if row["error"] is None) == expected(rows=good)
    errors = {row["n"]: row["error"] for row in kept if row["error"] is not None}
    assert "no JSON" in errors[1] and "an event is an object" in errors[4]
    assert (counts.get["events"], counts.get["errors"]) == (len(texts), 2)
    assert found(match(lines, index, column="payload", on_error="skip", mode="partitioned")) == expected(rows=good)


def test_columns_are_checked_before_a_task(events: DataFrame, index: str) -> None:
    for column, kind in [(F.col("tags"), "array<string>"), (F.col("n"), "int"), (F.col("day"), "date")]:
        with pytest.raises(PipelineError, match=f"type {kind} cannot be matched by predicates: an event is an object"):
            match(events, index, column=column)
    with pytest.raises(PipelineError, match="no column 'price'"):
        match(events, index, columns=["price"])
    with pytest.raises(PipelineError, match="'name' is there more than once"):
        match(events, index, columns=["name", "name"], carry=["n"])


def test_update(spark: SparkSession, events: DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "index"
    build(frame(spark, RULES.items()), path, language="predicates", shards=2, hierarchies=TOPICS)
    assert update(path, frame(spark, [("s1", "value < 16"), ("s6", None), ("new", "topic KIND OF 'politics'")])) == 2
    rules = {key: text for key, text in RULES.items() if key != "s6"}
    rules |= {"s1": "value < 16", "new": "topic KIND OF 'politics'"}
    assert found(match(events, path)) == expected(rules)
    with pytest.raises(PipelineError, match="'s9'"):
        update(path, frame(spark, [("s9", "a == 1")]))
    assert resolve(path).version == 2


def test_stream(spark: SparkSession, events: DataFrame, index: str, tmp_path: Path) -> None:
    events.write.parquet(str(tmp_path / "events"))
    stream = spark.readStream.schema(SCHEMA).parquet(str(tmp_path / "events"))
    pairs: list[Any] = []

    def sink(hits: DataFrame, batch: int) -> None:
        pairs.extend(found(hits))

    log = VersionLog(tmp_path / "checkpoint" / "versions")
    writer = match_stream(stream, index, sink, log=log, columns=NAMES, carry=["n"])
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
    assert sorted(pairs) == expected()


SHARP = {
    "a": "name = 'RBS' AND value > 20",
    "b": "value = 15",
    "c": "tags = 'a' AND NOT tags = 'b'",
    "d": "topic = 'sports' OR topic = 'national' AND open = TRUE",
    "e": "extra.k = 'v' AND \"a.b\" = 1",
    "f": "orders.sku = 'x' AND orders.price > 5",
}
"""Rules that all ask for an equality, so that no shard wants every event."""


@pytest.fixture(scope="module")
def routed(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("routed") / "index"
    rules = frame(spark, SHARP.items())
    build(rules, path, language="predicates", shards=4, shard_by="atoms", hierarchies=TOPICS)
    return str(path)


class TestRouted:
    def test_the_pairs_are_the_same(self, events: DataFrame, routed: str) -> None:
        counts = Observation("routed-predicates")
        hits = match(events, routed, mode="partitioned", carry=["n"], metrics=counts)
        assert found(hits) == expected(SHARP)
        assert counts.get["events"] == len(ROWS)
        assert found(match(events, routed)) == expected(SHARP)

    def test_json_and_bad_rows(self, spark: SparkSession, routed: str) -> None:
        texts = [(row[0], json.dumps(event(row), default=str)) for row in ROWS] + [(98, "{"), (99, None)]
        lines = spark.createDataFrame(texts, "n int, payload string")
        kept = match(lines, routed, column="payload", mode="partitioned", on_error="keep").collect()
        assert sorted((row["n"], row["subscription"]) for row in kept if row["error"] is None) == expected(SHARP)
        assert [row["n"] for row in kept if row["error"] is not None] == [98]

    def test_events_go_where_they_may_match(self, routed: str) -> None:
        column = pa.array([{"name": "RBS", "value": 25.0}, {"name": "nobody"}, {"topic": "sports"}])
        batch = pa.RecordBatch.from_arrays([column], names=["e"])
        (answer,) = Router(resolve(routed), "e", False).run(iter([batch]))
        assert [len(shards) for shards in answer[-1].to_pylist()] == [1, 0, 1]
