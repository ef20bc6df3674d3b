"""Properties through Spark: a column for each, lists of names, bit strings, routed by the properties that are 1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.spark.data import found
from watchword.errors import OptionError, PipelineError
from watchword.spark import build, match

NAMES = ["sports", "politics", "arts"]
RULES = {"s1": "sports=1 politics=0", "s2": "*1*", "s3": "arts=0", "s4": "111"}
BITS = ["100", "110", "011", "000", "111"]
PAIRS = [(0, "s1"), (0, "s3"), (1, "s2"), (1, "s3"), (2, "s2"), (3, "s3"), (4, "s2"), (4, "s4")]


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    rows = [(n, *[bit == "1" for bit in bits], bits) for n, bits in enumerate(BITS)]
    return spark.createDataFrame(rows, "n int, sports boolean, politics boolean, arts boolean, bits string")


@pytest.mark.parametrize("shard_by", ["id", "atoms"])
def test_every_form(spark: SparkSession, events: DataFrame, tmp_path: Path, shard_by: Any) -> None:
    rules = spark.createDataFrame(list(RULES.items()), "id string, subscription string")
    path = tmp_path / "index"
    build(rules, path, language="properties", shards=2, shard_by=shard_by, properties=NAMES)
    names = F.array_compact(F.array(*[F.when(F.col(name), F.lit(name)) for name in NAMES]))
    for mode in ("replicated", "partitioned"):
        assert found(match(events, path, mode=mode)) == PAIRS  # type: ignore[arg-type]
        assert found(match(events, path, column="bits", mode=mode)) == PAIRS  # type: ignore[arg-type]
        assert found(match(events, path, column=names, mode=mode, explain=True)) == PAIRS  # type: ignore[arg-type]


def test_what_is_wrong_is_said_before_a_task(spark: SparkSession, events: DataFrame, tmp_path: Path) -> None:
    rules = spark.createDataFrame(list(RULES.items()), "id string, subscription string")
    with pytest.raises(OptionError, match="properties is missing"):
        build(rules, tmp_path / "index", language="properties")
    build(rules, tmp_path / "index", language="properties", properties=NAMES)
    with pytest.raises(PipelineError, match="no column 'arts'"):
        match(events.drop("arts"), tmp_path / "index")
    with pytest.raises(PipelineError, match="no column for the property 'arts'"):
        match(events, tmp_path / "index", columns=["sports", "politics"])
    with pytest.raises(PipelineError, match="type int cannot be matched by properties"):
        match(events, tmp_path / "index", column="n")
