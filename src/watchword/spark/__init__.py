"""Watchword on Spark: DataFrame in, DataFrame out.

    build(subscriptions, "index/", language="keywords", shards=8)     DataFrame(id, subscription) -> a version
    update("index/", changes)                                         upserts and deletes -> the next version
    hits = match(events, "index/", column="text")                     events + `subscription`
    hits = events.transform(match, "index/", column="text")

Batch and streaming DataFrames, classic and Connect sessions; no jar, and never a session of its own. `match_stream`
and `VersionLog` let a stream take up new versions. This is the only package that imports pyspark.
"""

from __future__ import annotations

from watchword.shards import Shard, Version, resolve, versions
from watchword.spark.building import build, update
from watchword.spark.java import ensure_java, local_session
from watchword.spark.matching import match
from watchword.spark.streaming import match_stream
from watchword.version_log import VersionLog

__all__ = [
    "Shard",
    "Version",
    "VersionLog",
    "build",
    "ensure_java",
    "local_session",
    "match",
    "match_stream",
    "resolve",
    "update",
    "versions",
]
