"""Small questions about a session and its columns, by public API that classic and Connect sessions share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession


def named(name: str) -> Column:
    """Return a column by its exact name, whatever characters it has."""
    return F.col("`" + name.replace("`", "``") + "`")


def large_types(session: SparkSession) -> bool:
    """Say whether a session exchanges strings with 64-bit offsets."""
    return session.conf.get("spark.sql.execution.arrow.useLargeVarTypes", "false") == "true"
