"""The Python of Spark's workers: one without Watchword is named before the first task, and the remedy with it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from watchword.errors import PipelineError
from watchword.spark import build, match
from watchword.spark.workers import check_workers, worker_problem


def python(folder: Path, *lines: str) -> str:
    """Return the path of a program that Spark could take for a Python."""
    made = folder / "python3"
    made.write_text("\n".join(["#!/bin/sh", *lines, ""]), encoding="utf-8")
    made.chmod(0o755)
    return str(made)


def test_the_python_of_this_environment_serves_under_any_name() -> None:
    assert worker_problem(sys.executable, sys.executable) is None
    assert worker_problem(str(Path(sys.executable).with_name("python")), sys.executable) is None


def test_another_python_is_asked_what_it_has(tmp_path: Path) -> None:
    for number, (line, says) in enumerate(
        [
            (f'exec {sys.executable} "$@"', None),  # another place, the same packages
            (f'exec {sys.executable} -S -E "$@"', "has no Watchword"),
            ("echo 3 6", "is Python 3.6"),
        ]
    ):
        (folder := tmp_path / str(number)).mkdir()
        found = worker_problem(program := python(folder, line), sys.executable)
        assert (found is None) == (says is None)
        if found and says:
            assert found.startswith(f"the workers of this session run {program}, which {says}. PYSPARK_PYTHON says")
            assert f'os.environ["PYSPARK_PYTHON"] = sys.executable ({sys.executable})' in found
    assert "which is not there" in (worker_problem(str(tmp_path / "nowhere"), sys.executable) or "")


def test_a_session_whose_workers_lack_watchword(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_workers(spark)
    rows = spark.createDataFrame([("s", "tea")], "id string, subscription string")
    build(rows, tmp_path / "index")
    monkeypatch.setattr(spark.sparkContext, "pythonExec", python(tmp_path, f'exec {sys.executable} -S -E "$@"'))
    for ask in (
        lambda: build(rows, tmp_path / "index"),
        lambda: match(rows, tmp_path / "index", column="subscription"),
    ):
        with pytest.raises(PipelineError, match="has no Watchword"):
            ask()
