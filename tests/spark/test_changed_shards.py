"""A large shard that changes little keeps its files; what is on top of it counts as if it had been written anew."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.spark.changes import EVENTS, Changes, changed, pairs
from tests.spark.data import WORDS, expected, found, subscriptions
from watchword import KeywordIndex
from watchword.errors import PipelineError, SnapshotError
from watchword.shards import cache, opening, publish, resolve_checked
from watchword.shards.changed_shard import ChangedShard
from watchword.shards.shard_files import GONE
from watchword.spark import build, match, resolve, update
from watchword.spark.tasks import writer


@pytest.fixture
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a shard of ten subscriptions be a large one, of which a quarter may change."""
    monkeypatch.setattr(writer, "WHOLE", 10)
    monkeypatch.setattr(writer, "SHARE", 4)


@pytest.mark.parametrize("numbers", [False, True], ids=["strings", "numbers"])
def test_any_changes_give_what_the_oracle_says(tmp_path: Path, small_is_large: None, numbers: bool) -> None:
    """Replaced, removed, new, removed and back again; on top of each other, until the shard is written whole."""
    draw, kinds = random.Random(7), set()
    subscribed: Changes = {(int(key[1:]) if numbers else key): text for key, text in subscriptions(80).items()}
    build(KeywordIndex(subscribed), tmp_path / "index")
    for turn in range(12):
        known = [key for key in subscribed if draw.random() < 0.04]
        new = 1000 + draw.randrange(30)
        changes: Changes = {key: draw.choice([None, f"{draw.choice(WORDS)} {draw.choice(WORDS)}"]) for key in known}
        changes[new if numbers else f"s{new}"] = draw.choice(WORDS)
        shard = changed(tmp_path / "index", changes)
        subscribed = {key: text for key, text in (subscribed | changes).items() if text is not None}
        version = resolve(tmp_path / "index")
        if shard is not None:
            kinds.add(shard.base is not None)
        assert version.subscriptions == len(cache.shard(version, 0)) == len(subscribed), turn
        assert pairs(version) == expected(subscribed, EVENTS), turn
        opened = cache.shard(version, 0)
        assert all(opened.get(key) == subscribed.get(key) for key in {*subscribed, *changes})
        assert all((key in opened) == (key in subscribed) for key in changes)
    assert kinds == {True, False}, "some were written on top, some whole"


def test_the_shard_below_stays_and_goes_with_the_last_version_that_needs_it(
    tmp_path: Path, small_is_large: None
) -> None:
    path = tmp_path / "index"
    build(KeywordIndex(subscriptions(80)), path)
    first = resolve(path).shards[0]
    one = changed(path, {"s1": "goal", "s2": None})
    two = changed(path, {"s3": "goal", "s1": None})
    assert one is not None and two is not None and one.base == two.base == first
    assert one.bytes < first.bytes and resolve_checked(path).bytes == two.bytes + first.bytes
    assert len(list((path / "shards").iterdir())) == 3
    below = cache.shard(resolve(path, 2), 0)
    assert cache.shard(resolve(path, 3), 0).base is below.base  # type: ignore[union-attr]
    assert cache.shard(resolve(path, 1), 0) is below.base  # type: ignore[union-attr]
    assert changed(path, {"s1": None, "nobody": None, "s3": "goal"}) is None
    publish(resolve(path), 1)
    assert len(list((path / "shards").iterdir())) == 2
    build(KeywordIndex({"a": "greece"}), path, keep=1)
    assert len(list((path / "shards").iterdir())) == 1


def test_explanations_are_those_of_the_text_that_counts(tmp_path: Path, small_is_large: None) -> None:
    build(KeywordIndex(subscriptions(80)), tmp_path / "index")
    changed(tmp_path / "index", {"s1": "goal storm", "new": "ferry"})
    opened = opening.open_shard(resolve(tmp_path / "index"), 0)
    assert isinstance(opened, ChangedShard)
    assert opened.explain("a goal", "s1").subscription == "goal storm"
    assert not opened.explain("a goal", "s1") and opened.explain("a ferry", "new")
    assert opened.explain("a sea", "s2").subscription == subscriptions(80)["s2"]
    assert pairs(resolve(tmp_path / "index"), explain=True)


def test_a_refused_change_leaves_the_version(tmp_path: Path, small_is_large: None) -> None:
    build(KeywordIndex(subscriptions(80)), tmp_path / "index")
    with pytest.raises(PipelineError, match="'s1': this parenthesis is never closed"):
        changed(tmp_path / "index", {"s1": "greece AND (crisis"})
    assert resolve(tmp_path / "index").version == 1


@pytest.mark.parametrize("damage", ["missing", "altered"])
def test_damage_to_what_is_gone_is_named(tmp_path: Path, small_is_large: None, damage: str) -> None:
    path = tmp_path / "index"
    build(KeywordIndex(subscriptions(80)), path)
    changed(path, {"s1": None})
    file = resolve(path).folder(0) / GONE
    if damage == "missing":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-1] + b"x")
    with pytest.raises(SnapshotError, match=GONE):
        opening.open_shard(resolve(path), 0)


@pytest.mark.slow
def test_an_update_of_a_large_index_writes_changes_only(spark: Any, tmp_path: Path) -> None:
    path, size = tmp_path / "index", 150_000
    words = [f"w{number % 5000} v{number % 77}" for number in range(size)]
    subscribed = dict(enumerate(words))
    kind = "id long, subscription string"
    build(spark.createDataFrame(list(subscribed.items()), kind), path, shards=2)
    before = resolve(path)
    changes: Changes = {7: None, 8: "w1 v1", size: "w7", **{size + more: "w9" for more in range(1, 40)}}
    assert update(path, spark.createDataFrame(list(changes.items()), kind)) == 2
    after = resolve(path)
    assert [shard.base for shard in after.shards] == list(before.shards)
    assert after.bytes < 1.1 * before.bytes and after.subscriptions == size + 39
    subscribed = {key: text for key, text in (subscribed | changes).items() if text is not None}
    items = [(0, "w7 v7"), (1, "w1 v1 w8 v8"), (2, "w9"), (3, "nothing")]
    events = spark.createDataFrame(items, "n int, text string")
    wanted = sorted(
        (number, key)
        for number, text in items
        for key, subscription in subscribed.items()
        if set(subscription.split()) <= set(text.split())
    )
    assert (1, 8) in wanted and (0, 7) not in wanted
    for mode in ("replicated", "partitioned"):
        assert found(match(events, path, mode=mode)) == wanted
    assert update(path, spark.createDataFrame([(7, "w2000"), (size, None)], kind)) == 3
    assert resolve(path).subscriptions == size + 39
    events = spark.createDataFrame([(0, "w7 w2000")], "n int, text string")
    assert (0, 7) in found(match(events, path)) and (0, size) not in found(match(events, path))
