"""Several languages in one pass: the pairs of each are those that `match` finds alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.oracle import matches
from watchword import KeywordIndex
from watchword.errors import PipelineError
from watchword.spark import Target, build, match, match_all

KEYWORDS = {"a": "ferry", "b": "storm NOT ferry", "c": "NOT storm", "d": '"night crossing"'}
PATTERNS = {"p": "f?rry*storm", "q": "cross", "a": "bread"}
RULES = {"r": "price > 5", "s": "name = 'x' OR price IS MISSING"}
ROWS = [
    (1, "the ferry sails", '{"price": 7}'),
    (2, "a storm, bread", '{"price": 1, "name": "x"}'),
    (3, "ferry in a storm", "no JSON"),
    (4, None, '{"name": "y"}'),
    (5, "night crossing", None),
    (6, "", "[]"),
]


@pytest.fixture
def events(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS, "n long, text string, row string").repartition(3)


@pytest.fixture
def targets(spark: SparkSession, tmp_path: Path) -> dict[str, Target]:
    made = {}
    for language, texts, column in (
        ("keywords", KEYWORDS, "text"),
        ("patterns", PATTERNS, F.col("text")),
        ("predicates", RULES, "row"),
    ):
        frame = spark.createDataFrame(list(texts.items()), "id string, subscription string")
        build(frame, tmp_path / language, language=language, shards=3)
        made[language] = Target(tmp_path / language, column, 1)
    return made


def rows_of(frame: DataFrame) -> list[tuple[object, ...]]:
    names = ("n", "language", "subscription", "error")
    return sorted((tuple(row[name] for name in names) for row in frame.collect()), key=str)


@pytest.mark.parametrize("mode", ["auto", "partitioned"])
def test_the_pairs_are_those_of_each_language_alone(events: DataFrame, targets: dict[str, Target], mode: str) -> None:
    found = match_all(events, targets, carry=["n"], on_error="keep", mode=mode)  # type: ignore[arg-type]
    assert found.columns == ["n", "subscription", "error", "language"]
    alone: list[tuple[object, ...]] = []
    for language, (path, column, _) in targets.items():
        pairs = match(events, path, column=column, carry=["n"], on_error="keep")
        alone += rows_of(pairs.withColumn("language", F.lit(language)))
    assert rows_of(found) == sorted(alone, key=str)
    keywords = {(n, key) for n, text, _ in ROWS if text is not None for key in KEYWORDS if matches(KEYWORDS[key], text)}
    assert {(row[0], row[2]) for row in rows_of(found) if row[1] == "keywords"} == keywords
    assert {row[0] for row in rows_of(found) if row[3] is not None} == {3, 6}, "what one language cannot read"


def test_some_languages_partitioned_and_some_not(
    spark: SparkSession, events: DataFrame, targets: dict[str, Target], tmp_path: Path
) -> None:
    """A large index has a branch of its own; the pairs are the same."""
    frame = spark.createDataFrame([("z", "ferry")], "id string, subscription string")
    build(frame, tmp_path / "one", language="keywords")
    mixed = {**targets, "keywords": Target(tmp_path / "one", "text")}  # one shard is never partitioned
    plan = match_all(events, mixed, carry=["n"], on_error="keep", mode="partitioned")
    assert rows_of(plan) == rows_of(match_all(events, mixed, carry=["n"], on_error="keep"))


def test_what_is_wrong_is_said_before_a_task_starts(
    events: DataFrame, targets: dict[str, Target], tmp_path: Path
) -> None:
    keywords = targets["keywords"]
    with pytest.raises(PipelineError, match="its subscriptions are keywords, not patterns"):
        match_all(events, {"patterns": keywords})
    with pytest.raises(PipelineError, match="type bigint cannot be matched by keywords"):
        match_all(events, {"keywords": keywords._replace(column="n")})
    with pytest.raises(PipelineError, match="no index"):
        match_all(events, {})
    build(KeywordIndex({1: "ferry"}), tmp_path / "numbers")
    with pytest.raises(PipelineError, match="keywords: long, predicates: string"):
        match_all(events, {"keywords": Target(tmp_path / "numbers", "text"), "predicates": targets["predicates"]})
    with pytest.raises(PipelineError, match="'language', which match adds"):
        match_all(events.withColumn("language", F.lit("en")), targets)
