"""An operator that a reader adds, on Spark: workers import the reader by the home that the snapshot names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from watchword.spark import build, match

READER = Path(__file__).parents[2] / "predicates" / "divisible.py"
RULES = {"seven": "n DIVISIBLE BY 7", "both": "n DIVISIBLE BY 7 AND name = 'x'", "any": "ANY items (k DIVISIBLE BY 5)"}


@pytest.mark.parametrize("mode", ["replicated", "partitioned"])
def test_workers_know_the_operator(spark: SparkSession, tmp_path: Path, mode: Any) -> None:
    spark.sparkContext.addPyFile(str(READER))  # as any module that tasks need: workers import it as `divisible`
    rules = spark.createDataFrame(list(RULES.items()), "id string, subscription string")
    build(rules, tmp_path / "index", language="predicates", shards=2, operators=["divisible:Divisible"])
    rows = [(0, 14, "x", [(5,)]), (1, 21, "y", [(4,), (10,)]), (2, 8, "x", [(3,)]), (3, None, None, None)]
    events = spark.createDataFrame(rows, "row int, n long, name string, items array<struct<k:long>>")
    hits = match(events, tmp_path / "index", columns=["n", "name", "items"], mode=mode)
    found = sorted((row["row"], row["subscription"]) for row in hits.collect())
    assert found == [(0, "any"), (0, "both"), (0, "seven"), (1, "any"), (1, "seven")]
