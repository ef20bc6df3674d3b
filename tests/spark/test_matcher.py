"""The worker's half of `match`, without Spark: batches in, batches out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.oracle import matches
from watchword import Index, KeywordIndex, PredicateIndex
from watchword.errors import EventError
from watchword.index import events as slices
from watchword.shards import Shard, Version, cache, publish, save_shard, shard_folder, writing
from watchword.spark import build, resolve
from watchword.spark.tasks import matcher
from watchword.spark.tasks.matcher import SHARD, Task, pieces, row_bytes


class EvenNumbers:
    """An index of another language: an event is an object; it satisfies "even" if its `n` is even."""

    def match_many(self, column: pa.Array, *, threads: int | None = None) -> pa.Table:
        events = column.to_pylist(maps_as_pydicts="strict")
        for position, event in enumerate(events):
            if not isinstance(event.get("n"), int):
                raise EventError("n is no number", position=position)
        rows = [position for position, event in enumerate(events) if event["n"] % 2 == 0]
        return pa.table({"event": pa.array(rows, pa.int64()), "subscription": pa.array(["even"] * len(rows))})


EVEN = Version("nowhere", 1, "even", "string", (Shard("", 1, 1, 1),))


@pytest.fixture
def even_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "shard", lambda version, number: EvenNumbers())


@pytest.mark.parametrize("bad", [[], [0], [9], [0, 1, 2], [3, 7], list(range(10))])
def test_refused_events_are_isolated(bad: list[int], even_numbers: None) -> None:
    column = pa.array([{"n": None if n in bad else n} for n in range(10)])
    batch = pa.RecordBatch.from_arrays([pa.array(range(10)), column], names=["c0", "event"])
    answers = Task(EVEN, "event", ("id",), on_error="keep").run(iter([batch]))
    rows = [row for answer in answers for row in answer.to_pylist()]
    found = [(row["id"], row["subscription"]) for row in rows if row["error"] is None]
    assert sorted(found) == [(n, "even") for n in range(0, 10, 2) if n not in bad]
    refused = {row["id"]: row["error"] for row in rows if row["error"] is not None}
    assert refused == dict.fromkeys(bad, "n is no number") and len(rows) == len(found) + len(bad)


def two_shards(folder: Path, *shards: Index[Any]) -> Version:
    with writing(folder) as held:
        saved = [save_shard(index, held.path, shard_folder(n, 1)) for n, index in enumerate(shards)]
        publish(Version(held.path, 1, shards[0].language, "string", tuple(saved)), keep=1)
    return resolve(folder)


@pytest.mark.parametrize("partitioned", [False, True])
@pytest.mark.parametrize("swapped", [False, True])
def test_an_event_that_one_shard_refuses_is_reported_once(tmp_path: Path, partitioned: bool, swapped: bool) -> None:
    """Bytes that are no UTF-8 can be searched by a path, which one shard does, and not for words, as the other."""
    shards = [PredicateIndex({"p": "story MATCHES PATH '//x'"}), PredicateIndex({"w": "story MATCHES 'ferry'"})]
    version = two_shards(tmp_path / "index", *(reversed(shards) if swapped else shards))
    stories = [b"<x>ferry</x>", b"<?xml version='1.0' encoding='latin-1'?><x>\xe9</x>", b"<y/>"]
    copies = 2 if partitioned else 1
    batch = pa.RecordBatch.from_pydict(
        {"c0": [0, 1, 2] * copies, "story": stories * copies, SHARD: [n for n in range(copies) for _ in range(3)]}
    )
    task = Task(version, (("story", "story"),), ("id",), on_error="keep", partitioned=partitioned)
    rows = [row for answer in task.run(iter([batch])) for row in answer.to_pylist()]
    assert sorted((row["id"], row["subscription"]) for row in rows if not row["error"]) == [
        (0, "p"),
        (0, "w"),
        (1, "p"),
    ]
    ((number, reason),) = [(row["id"], row["error"]) for row in rows if row["error"]]
    assert number == 1 and "UTF-8" in reason


@pytest.mark.parametrize(
    "column",
    [
        pa.array([{"n": 1}, {"n": 4}, None, {"n": None}]),
        pa.array([[("n", 1)], [("n", 4)], None, []], pa.map_(pa.string(), pa.int64())),
    ],
    ids=["struct", "map"],
)
def test_objects_reach_another_language(column: pa.Array, even_numbers: None) -> None:
    batch = pa.RecordBatch.from_arrays([pa.array(range(4)), column], names=["c0", "event"])
    rows = [
        row for answer in Task(EVEN, "event", ("id",), on_error="keep").run(iter([batch])) for row in answer.to_pylist()
    ]
    assert rows == [
        {"id": 1, "subscription": "even", "error": None},
        {"id": 3, "subscription": None, "error": "n is no number"},
    ]


def test_columns_become_one_object(even_numbers: None) -> None:
    batch = pa.RecordBatch.from_pydict({"c0": [10, 11, 12], "c1": [1, 2, None]})
    task = Task(EVEN, (("n", "c1"), ("id", "c0")), ("id",), on_error="keep")
    rows = [row for answer in task.run(iter([batch])) for row in answer.to_pylist()]
    assert [tuple(row.values()) for row in rows] == [(11, "even", None), (12, None, "n is no number")]


def test_answers_are_cut_into_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matcher, "ROWS", 50)
    monkeypatch.setattr(slices, "PAIRS_AT_ONCE", 64)
    subscriptions = {number: "cat" if number % 2 else "dog" for number in range(40)}
    build(KeywordIndex(subscriptions), tmp_path / "index")
    texts = ["cat", "dog", "cat dog", "bird"] * 30
    batch = pa.RecordBatch.from_pydict({"c0": list(range(len(texts))), "text": texts})
    answers = list(Task(resolve(tmp_path / "index"), "text", ("n",)).run(iter([batch, batch.slice(7, 0)])))
    assert max(answer.num_rows for answer in answers) <= 50
    rows = sorted((row["n"], row["subscription"]) for answer in answers for row in answer.to_pylist())
    expected = [
        (n, key) for n, text in enumerate(texts) for key, wanted in subscriptions.items() if matches(wanted, text)
    ]
    assert rows == sorted(expected)


def test_events_that_match_a_great_deal_are_matched_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[int] = []

    def watched(index: Index, events: Any, *, threads: int) -> pa.Table:
        assert threads == 1  # a machine has a task for each core
        table = match_many(index, events, threads=threads)
        held.append(table.num_rows)
        return table

    match_many = Index.match_many
    monkeypatch.setattr(Index, "match_many", watched)
    monkeypatch.setattr(slices, "PAIRS_AT_ONCE", 300)
    build(KeywordIndex(dict.fromkeys(range(30), "tea")), tmp_path / "index")
    texts = ["tea"] * 400 + ["coffee"] * 400 + ["tea"] * 5
    rows = pa.RecordBatch.from_pydict({"c0": list(range(len(texts))), "text": texts})
    task = Task(resolve(tmp_path / "index"), "text", ("n",))
    answers = task.run(iter([rows.slice(0, 100), rows.slice(100)]))
    assert sum(answer.num_rows for answer in answers) == 30 * texts.count("tea")
    assert max(held[1:]) <= 300 and len(held) < 80, "also from one batch to the next"


def test_a_long_text_is_not_repeated_without_limit() -> None:
    batch = pa.RecordBatch.from_pydict({"text": ["x", "y" * 10_000_000, None], "n": [1, 2, 3]})
    sizes = row_bytes(batch)
    assert sizes[1] > 10_000_000 > 100_000 > sizes[0] - sizes[2] >= 0
    rows = np.array([0] * 10 + [1] * 20 + [2] * 10)
    cuts = list(pieces(np.array([10.0, 1e7, 10.0]), rows))
    assert [start for start, _ in cuts[1:]] == [stop for _, stop in cuts[:-1]]
    assert (cuts[0][0], cuts[-1][1]) == (0, 40)
    assert max(stop - start for start, stop in cuts) <= 13 and len(cuts) >= 6
    assert list(pieces(np.array([1e12]), np.array([0, 0]))) == [(0, 1), (1, 2)]
    assert list(pieces(np.array([1.0]), np.array([], np.int64))) == []


def test_open_shards_are_shared_by_versions_and_let_go(tmp_path: Path) -> None:
    build(KeywordIndex({"a": "cat"}), tmp_path / "index")
    first = resolve(tmp_path / "index")
    assert cache.shard(first, 0) is cache.shard(first, 0)
    same = Version(first.path, 2, first.language, first.ids, first.shards)
    assert cache.shard(same, 0) is cache.shard(first, 0)
    build(KeywordIndex({"b": "dog"}), tmp_path / "index")
    second = resolve(tmp_path / "index")
    assert list(cache.shard(second, 0)) == ["b"]
    assert len(cache._open[first.path]) == 1
