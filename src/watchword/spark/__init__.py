"""Watchword on Spark: DataFrame in, DataFrame out.

    build(subscriptions, "index/", language="keywords", shards=8)     DataFrame(id, subscription) -> a version
    update("index/", changes)                                         upserts and deletes -> the next version
    hits = match(events, "index/", column="text")                     events + `subscription`
    hits = events.transform(match, "index/", column="text")
    hits = match_all(events, {"keywords": Target("index/", "text"), ...})       several languages in one pass

Batch and streaming DataFrames, classic and Connect sessions; no jar, and never a session of its own. `match_stream`
and `VersionLog` let a stream take up new versions. This is the only package that imports pyspark.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from watchword.shards import Shard, Version, resolve, versions
    from watchword.spark.building import build, update
    from watchword.spark.java import ensure_java, local_session
    from watchword.spark.matching import match
    from watchword.spark.matching_all import Target, match_all
    from watchword.spark.streaming import match_stream
    from watchword.version_log import VersionLog

__all__ = [
    "Shard",
    "Target",
    "Version",
    "VersionLog",
    "build",
    "ensure_java",
    "local_session",
    "match",
    "match_all",
    "match_stream",
    "resolve",
    "update",
    "versions",
]

_HOMES = {
    **dict.fromkeys(("Shard", "Version", "resolve", "versions"), "watchword.shards"),
    **dict.fromkeys(("build", "update"), "watchword.spark.building"),
    **dict.fromkeys(("ensure_java", "local_session"), "watchword.spark.java"),
    "match": "watchword.spark.matching",
    **dict.fromkeys(("Target", "match_all"), "watchword.spark.matching_all"),
    "match_stream": "watchword.spark.streaming",
    "VersionLog": "watchword.version_log",
}
"""Imported when first asked for: Spark starts a Python for each look at a source of feeds, which needs none."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'watchword.spark' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return __all__
