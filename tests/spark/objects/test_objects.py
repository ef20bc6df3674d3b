"""`build`, `update` and `match` on an index in an object store give what they give on one in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.spark.changes import EVENTS, changed, pairs
from tests.spark.data import expected, found, subscriptions, texts
from watchword import KeywordIndex
from watchword.errors import LocationError
from watchword.shards import resolve_checked
from watchword.spark import build, match, resolve, update, versions
from watchword.spark.tasks import writer

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


def test_changes_of_a_large_shard_lie_beside_it(url: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the shard itself nothing is written again, and its copy serves both versions."""
    monkeypatch.setattr(writer, "WHOLE", 10)
    mine = subscriptions(60)
    build(KeywordIndex(mine), url)
    changes = {"s0": None, "s1": "storm", "new": "ferry OR sea"}
    shard = changed(url, changes)
    assert shard is not None and shard.base == resolve(url, 1).shards[0]
    later = {key: text for key, text in (mine | changes).items() if text is not None}
    assert pairs(resolve(url)) == expected(later, EVENTS)
    assert pairs(resolve(url, 1)) == expected(mine, EVENTS)
    assert resolve_checked(url).subscriptions == len(later)
    assert len({path.parent.name for path in cache.rglob("manifest.json")}) == 2


def test_what_cannot_be_an_index_is_refused(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("a", "greece")], "id string, subscription string")
    for use in (
        lambda: build(frame, "dbfs:/index"),
        lambda: update("dbfs:/index", frame),
        lambda: match(frame, "dbfs:/index", column="subscription"),
    ):
        with pytest.raises(LocationError, match=r"/dbfs/\.\.\. or /Volumes/"):
            use()
