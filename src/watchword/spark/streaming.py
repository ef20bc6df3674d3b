"""A stream that takes up new versions, and a replayed batch that does not (`watchword.version_log`)."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from watchword.errors import PipelineError
from watchword.spark.matching import match
from watchword.version_log import VersionLog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

WritePairs = Callable[["DataFrame", int], None]


def match_stream(
    events: DataFrame, path: str | os.PathLike[str], sink: WritePairs, *, log: VersionLog, **options: Any
) -> DataStreamWriter:
    """Match a stream, each micro-batch with the newest version when it first ran.

    `sink` is called with the pairs (as `match` returns them; `options` are its) and the batch's number, once per
    batch, or again after a failure: then with the same pairs, so that a write keyed by the number is exactly once.
    `log` belongs into the checkpoint folder. Returns a writer, to be given a checkpoint, a trigger and a start::

        writer = match_stream(items, "index/", sink, log=VersionLog("checkpoint/versions"), column="text")
        query = writer.option("checkpointLocation", "checkpoint").start()
    """
    if not events.isStreaming:
        raise PipelineError("match_stream takes a streaming DataFrame; for a batch, use match")
    if "version" in options:
        raise PipelineError("match_stream chooses the version of each batch; to keep to one, use match(version=...)")
    match(events, path, **options)  # raises for wrong columns and options before the stream starts

    def each(batch: DataFrame, batch_id: int) -> None:
        sink(match(batch, path, version=log.version_for(batch_id, path), **options), batch_id)

    return events.writeStream.foreachBatch(each)
