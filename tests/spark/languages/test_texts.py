"""Conditions on texts inside of rows, through Spark: text and XML columns, structs and JSON, sharded, routed or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.predicate_oracle import matches
from tests.spark.data import found
from watchword.spark import build, match, update

TEXT = ("title", "body")
RULES = {
    "words": "MATCHES 'ferry AND storm'",
    "bare": "LIKE 'Ferry late'",
    "phrase": "body MATCHES '\"debt relief\" OR greece NOT imf' AND feed = 'energy'",
    "pattern": "NOT url MATCHES PATTERN '/sport/*' AND feed = 'harbour'",
    "path": "story MATCHES PATH '//head/title' AND priority <= 3",
    "path-or": "story MATCHES PATH '/nitf/body' OR priority = 9",
    "part": "body HAS 'RELIEF' IGNORING CASE AND NOT title LIKE '%late'",
    "form": "url LIKE '/news/_' AND feed = 'harbour'",
    "equal": "feed = 'energy' AND priority = 2",
    "missing": "NOT MATCHES 'ferry' AND feed = 'harbour'",
}
SCHEMA = "n int, title string, body string, url string, story binary, feed string, priority int"
NAMES = ["title", "body", "url", "story", "feed", "priority"]
LATIN = "<?xml version='1.0' encoding='latin-1'?><nitf><head><title>caf\u00e9</title></head></nitf>".encode("latin-1")
ROWS: list[tuple[Any, ...]] = [
    (0, "Ferry late", "A storm at sea", "/news/7", b"<nitf><head><title/></head></nitf>", "harbour", 2),
    (1, "Ferry", "no wind", "/sport/7", LATIN, "harbour", 3),
    (2, "Greece", "Debt relief for Greece", "/news/77", b"<nitf><body/></nitf>", "energy", 2),
    (3, "Greece", "imf: Greece", None, b"no XML", "energy", 9),
    (4, None, None, None, None, "harbour", None),
    (5, "storm", "Ferry late", "/news/8", b"<nitf><head><title/></head><body/></nitf>", None, 4),
]


def event(row: tuple[Any, ...]) -> dict[str, Any]:
    """Return a row as an object of texts and numbers; documents are texts, without the encoding that they declare."""
    made = dict(zip(NAMES, row[1:], strict=True))
    if made["story"] is not None:
        text = made["story"].decode("latin-1")
        made["story"] = text.partition("?>")[2] or text
    return made


def expected(rules: dict[str, str] = RULES) -> list[tuple[int, str]]:
    return sorted((row[0], key) for row in ROWS for key, rule in rules.items() if matches(rule, event(row), {}, TEXT))


def frame(spark: SparkSession, pairs: Any) -> DataFrame:
    return spark.createDataFrame(list(pairs), "id string, subscription string")


@pytest.fixture(scope="module", params=["id", "atoms"])
def index(request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("texts") / "index"
    rules = frame(spark, RULES.items())
    build(rules, path, language="predicates", shards=3, shard_by=request.param, text=list(TEXT))
    return str(path)


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS, SCHEMA)


@pytest.mark.parametrize("mode", ["replicated", "partitioned"])
def test_columns_and_reasons(events: DataFrame, index: str, mode: Any) -> None:
    hits = match(events, index, columns=NAMES, carry=["n"], explain=True, mode=mode).collect()
    assert sorted((row["n"], row["subscription"]) for row in hits) == expected()
    reasons = {(row["n"], row["subscription"]): row["explanation"] for row in hits}
    assert reasons[0, "words"] == "match: MATCHES 'ferry' (title at 0) AND MATCHES 'storm' (body at 2)"
    assert reasons[2, "part"].startswith("match: body HAS 'relief' IGNORING CASE (at 5)")


@pytest.mark.parametrize("mode", ["replicated", "partitioned"])
def test_structs_and_json(spark: SparkSession, events: DataFrame, index: str, mode: Any) -> None:
    payload = F.struct(*NAMES)
    assert found(match(events, index, column=payload, carry=["n"], mode=mode)) == expected()
    texts = [(row[0], json.dumps(event(row))) for row in ROWS]
    lines = spark.createDataFrame(texts, "n int, payload string")
    assert found(match(lines, index, column="payload", mode=mode)) == expected()


def test_some_columns_and_an_update(spark: SparkSession, events: DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "index"
    build(frame(spark, RULES.items()), path, language="predicates", shards=2, shard_by="atoms", text=list(TEXT))
    wanted = sorted(
        (row[0], key)
        for row in ROWS
        for key, rule in RULES.items()
        if matches(rule, {name: event(row)[name] for name in ("body", "feed")}, {}, TEXT)
    )
    assert found(match(events, path, columns=["body", "feed"], carry=["n"])) == wanted
    changed = {"words": "MATCHES 'wind'", "new": "LIKE 'Ferry%' AND feed = 'harbour'"}
    update(path, frame(spark, changed.items()))
    rules = RULES | changed
    assert found(match(events, path, columns=NAMES, carry=["n"], mode="partitioned")) == expected(rules)
