"""`build`, `update` and `match` on an index in an object store give what they give on one in a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.spark.data import expected, found, subscriptions, texts
from watchword.errors import PipelineError
from watchword.spark import build, match, resolve, update, versions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.slow
def test_an_index_in_a_store_is_one_in_a_folder(spark: SparkSession, url: str) -> None:
    """What the oracle says, which is what an index in a folder gives; replicated, and partitioned by atoms."""
    mine = subscriptions(40)
    events = list(enumerate(texts(60)))
    frame = spark.createDataFrame(events, "n int, text string")
    given = spark.createDataFrame(list(mine.items()), "id string, subscription string")
    changes = {"s0": None, "s1": "storm", "new": "ferry OR sea"}
    changed = spark.createDataFrame(list(changes.items()), "id string, subscription string")
    later = {key: text for key, text in (mine | changes).items() if text is not None}

    assert build(given, url, shards=2, shard_by="atoms") == 1
    assert found(match(frame, url, mode="partitioned")) == expected(mine, events)
    assert update(url, changed) == 2 and versions(url) == [1, 2]
    assert found(match(frame, url)) == expected(later, events)
    assert found(match(frame, url, version=1)) == expected(mine, events)
    assert resolve(url).subscriptions == len(later)


def test_what_cannot_be_an_index_is_refused(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("a", "greece")], "id string, subscription string")
    for use in (
        lambda: build(frame, "dbfs:/index"),
        lambda: update("dbfs:/index", frame),
        lambda: match(frame, "dbfs:/index", column="subscription"),
    ):
        with pytest.raises(PipelineError, match=r"/dbfs/\.\.\. or /Volumes/"):
            use()
