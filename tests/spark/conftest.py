"""One Spark session for all tests of this folder, and small helpers."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from watchword.spark import local_session

    session = local_session(
        "watchword-tests",
        2,
        **{
            "spark.driver.memory": "1g",
            "spark.sql.shuffle.partitions": "2",
            # Output columns bind by position; only this makes Spark compare names and types.
            "spark.sql.execution.arrow.pyspark.validateSchema.enabled": "true",
            "spark.sql.execution.arrow.maxRecordsPerBatch": "100",
            "spark.sql.session.timeZone": "UTC",
        },
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
