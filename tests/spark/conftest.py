"""One Spark session for all tests of this folder, and the patience of every session that they start."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.limits import PATIENCE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# What Spark gives up on after 10 to 120 s, which a busy machine may need: a master that hears nothing of its workers,
# a Python worker that is slow to start, an executor that is slow to answer.
DEFAULTS = {
    "spark.network.timeout": f"{PATIENCE:.0f}s",
    "spark.python.authenticate.socketTimeout": f"{PATIENCE:.0f}s",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": f"{PATIENCE:.0f}s",
    "spark.worker.timeout": f"{PATIENCE:.0f}",
}


ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true"}
"""What the S3 server of the tests asks for."""


@pytest.fixture(scope="session", autouse=True)
def patient_spark() -> Iterator[None]:
    """Let every session read these defaults, also in processes that tests start; workers get an empty cache."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        lines = [f"{name} {value}\n" for name, value in DEFAULTS.items()]
        (Path(folder) / "spark-defaults.conf").write_text("".join(lines), encoding="utf-8")
        patch.setenv("SPARK_CONF_DIR", folder)
        patch.setenv("WATCHWORD_CACHE", str(Path(folder) / "cache"))
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="session")
def spark(patient_spark: None) -> Iterator[SparkSession]:
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
