"""A shard and its changes, asked as one, answer as an index with the changes applied; shards stay open while named."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watchword import KeywordIndex
from watchword.errors import SnapshotError
from watchword.shards import cache, resolve
from watchword.shards.changed_shard import ChangedShard, without_changes
from watchword.spark import build

KEYS, WORDS = ["s1", "s2", "s3", "s4"], ["greece", "imf", "crisis"]
TEXTS = st.sampled_from([*WORDS, "greece NOT imf", "imf OR crisis"])
SUBSCRIPTIONS = st.dictionaries(st.sampled_from(KEYS), TEXTS)
EVENTS = ["greece", "imf", "greece imf", "crisis", "nothing"]


@settings(max_examples=8, deadline=None)
@given(SUBSCRIPTIONS.filter(bool), st.lists(st.tuples(st.sets(st.sampled_from(KEYS)), SUBSCRIPTIONS), max_size=2))
def test_changes_on_top_are_changes_applied(
    below: dict[str, str], changes: list[tuple[set[str], dict[str, str]]]
) -> None:
    shard, model = without_changes(KeywordIndex(below)), dict(below)
    for removed, news in changes:
        gone = sorted(removed & model.keys())
        kind = pa.schema([("id", pa.string()), ("subscription", pa.string())])
        shard = shard.changed(gone, pa.table([list(news), list(news.values())], schema=kind))
        model = {key: text for key, text in model.items() if key not in gone} | news
        check(shard, model)
    assert dict(shard.whole()) == model


def check(shard: ChangedShard, model: dict[str, str]) -> None:
    index = KeywordIndex(model)
    assert len(shard) == len(model)
    assert [(key in shard, shard.get(key)) for key in KEYS] == [(key in model, model.get(key)) for key in KEYS]
    pairs = shard.match_many(EVENTS).to_pydict()
    wanted = [(event, key) for event, text in enumerate(EVENTS) for key in index.match(text)]
    assert sorted(zip(pairs["event"], pairs["subscription"], strict=True)) == sorted(wanted)
    for key in model:
        assert bool(shard.explain("greece imf", key)) == (key in index.match("greece imf"))


def test_a_shard_is_opened_once_and_closed_with_its_version(tmp_path: Path) -> None:
    path = tmp_path / "index"
    build(KeywordIndex({"a": "greece"}), path)
    first = resolve(path)
    opened = cache.shard(first, 0)
    assert opened.match_many(["greece"]).num_rows == 1 and cache.shard(first, 0) is opened
    build(KeywordIndex({"a": "imf"}), path)
    newer = cache.shard(resolve(path), 0)
    assert newer.match_many(["greece"]).num_rows == 0 and cache.shard(resolve(path), 0) is newer
    assert cache.shard(first, 0) is not opened, "the older one was closed, and is opened again"


def test_a_version_that_was_removed_is_named(tmp_path: Path) -> None:
    path = tmp_path / "index"
    build(KeywordIndex({"a": "greece"}), path)
    gone = resolve(path)
    for _ in range(2):
        build(KeywordIndex({"a": "imf"}), path, keep=1)
    with pytest.raises(SnapshotError, match=r"shard 0 of version 1 cannot be opened.*keep="):
        cache.shard(gone, 0)
