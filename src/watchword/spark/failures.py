"""What Spark says when something fails, in one line for people."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError, Py4JNetworkError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NAMED = re.compile(r"^(?:[\w.$]+\.)?[A-Z]\w*(?:Error|Exception): (.+)")
_KIND = re.compile(
    r"reading file (\S+)\. Data type mismatches when reading Parquet column \[(.+?)\]\. "
    r"Expected Spark type (\S+), actual Parquet type (\w+)"
)
_KILLED = "Python worker exited unexpectedly"
LONGEST = 300

SPARK_ERRORS = (PySparkException, Py4JJavaError)
"""What PySpark raises; errors of Java that it has no class for come as they are."""


def one_line(error: BaseException) -> str:
    """Return the innermost reason that an error of Spark names, without its stack.

    >>> one_line(Exception("Job aborted\\njava.io.IOException: No space left on device\\n\\tat java.base/java.io.File"))
    'No space left on device'
    """
    text = str(error)
    if _KILLED in text:
        return "a Python worker ended unexpectedly (killed, perhaps for its use of memory)"
    if is_over(error):
        return "Spark's Java process ended (killed, perhaps for its use of memory)"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reasons = [found[1] for line in lines if (found := _NAMED.match(line.removeprefix("Caused by: ")))]
    chosen = reasons[-1] if reasons else next(iter(lines), type(error).__name__)
    return chosen if len(chosen) <= LONGEST else chosen[:LONGEST] + "…"


def is_ours(error: BaseException) -> bool:
    """Return whether a worker raised one of Watchword's own errors, which it would raise again."""
    return "watchword.errors." in str(error)


def fault_of_kinds(error: BaseException) -> str | None:
    """Return the fault of a Parquet file with a column of another kind than in other files; None for other errors.

    >>> text = "Encountered error while reading file file:///in/b.parquet. Data type mismatches when reading Parquet "
    >>> text += "column [price]. Expected Spark type bigint, actual Parquet type DOUBLE."
    >>> (fault_of_kinds(Exception(text)) or "")[:75]
    'file:///in/b.parquet: its column price is DOUBLE and that of other files bi'
    """
    found = _KIND.search(str(error))
    if not found:
        return None
    file, column, expected, actual = found.groups()
    remedy = "write it in one kind, or move it away"
    return f"{file}: its column {column} is {actual} and that of other files {expected}: {remedy}"


def is_over(error: BaseException) -> bool:
    """Return whether the Java process has ended, so that this session cannot try anything again."""
    return isinstance(error, Py4JNetworkError | ConnectionError) or "Answer from Java side is empty" in str(error)


def say_it_once(spark: SparkSession) -> None:
    """Keep Spark from printing stack traces when its Java process ends: the waiting call reports that already.

    Spark's server for accumulators, which is not used here, would print that its connection was closed. If the driver
    was killed, the Java process stops in the middle of its work, and each thread that fails is logged in a line.
    """
    jvm: Any = spark.sparkContext._jvm
    handler = jvm.org.apache.spark.util.SparkUncaughtExceptionHandler(False)  # which does not end the process
    jvm.java.lang.Thread.setDefaultUncaughtExceptionHandler(handler)
    server = getattr(spark.sparkContext, "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda request, address: None
