"""Routing: events go to the shards that own one of their atoms, and find there what they find everywhere."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from tests.oracle import matches
from tests.spark.data import BAD_CHANGES, expected, found
from watchword import Index, KeywordIndex
from watchword.errors import PipelineError, SnapshotError
from watchword.index import Language
from watchword.index.routing import OwnedAtoms, ShardRule, counted
from watchword.keywords.language import Keywords
from watchword.shards import cache
from watchword.spark import VersionLog, build, match, match_stream, resolve, update
from watchword.spark.tasks.router import Router, route
from watchword.spark.tasks.shard_counter import SHARD, ShardCounter
from watchword.strings import from_texts

WORDS = ["greece", "crisis", "bailout", "imf", "storm", "ferry", "sea", "bank", "votes", "goals", "ägäis", "東京"]
SHARDS = 4


def drawn(draw: random.Random) -> str:
    """Return a subscription with any of what the language has."""
    words = draw.sample(WORDS, draw.randint(1, 4))
    kind = draw.randrange(8)
    if kind == 0:
        return f'"{" ".join(words)}"'
    if kind == 1:
        return f"{words[0]} AND ({' OR '.join(words)})"
    if kind == 2 and len(words) > 1:
        return f'{words[0]} AND NOT "{" ".join(words[1:])}"'
    return draw.choice([" ", " OR ", " NOT "]).join(words)


def subscriptions(count: int, seed: int) -> dict[str, str]:
    draw = random.Random(seed)
    return {f"s{number}": drawn(draw) for number in range(count)}


def texts(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices([*WORDS, "other", "words"], k=draw.randint(0, 4))) for _ in range(count)]


SUBSCRIBED = subscriptions(60, 1)
EVENTS: list[tuple[int, str | None]] = [(n, None if n % 19 == 5 else text) for n, text in enumerate(texts(300, 2))]


# Without Spark


class Cluster:
    """Shards in memory."""

    def __init__(self, subscribed: dict[str, str], shards: int, **options: Any) -> None:
        empty = KeywordIndex(**options)
        needs = empty.needs(from_texts(list(subscribed.values())))
        assert needs is not None
        rule = ShardRule(shards, counted(needs).astype(np.int32))
        self.homes = rule.homes(needs, len(subscribed)).tolist()
        self.indexes = [KeywordIndex(**options) for _ in range(shards)]
        for (key, text), home in zip(subscribed.items(), self.homes, strict=True):
            self.indexes[home][key] = text
        self.owned = [rule.owned(index.needs(), number) for number, index in enumerate(self.indexes)]
        self.owned_atoms = OwnedAtoms(self.owned)

    def sent(self, events: pa.Array) -> list[list[int]]:
        return [np.flatnonzero(row).tolist() for row in route(self.indexes[0], self.owned_atoms, events)]

    def matched(self, events: list[Any], sent: list[list[int]]) -> list[set[str]]:
        return [
            {key for shard in shards for key in self.indexes[shard].match(event)}
            for event, shards in zip(events, sent, strict=True)
        ]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9), st.integers(0, 40), st.integers(0, 10**6))
def test_routed_events_find_the_same(shards: int, count: int, seed: int) -> None:
    subscribed, events = subscriptions(count, seed), texts(20, seed + 1)
    cluster = Cluster(subscribed, shards)
    sent = cluster.sent(pa.array(events))
    wanted = [{key for key, text in subscribed.items() if matches(text, event)} for event in events]
    assert cluster.matched(events, sent) == wanted


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_stemmed_words_and_stop_words(seed: int) -> None:
    options = {"stemmer": "english", "stop_words": ["sea", "storm"]}
    subscribed = {
        key: text for key, text in subscriptions(20, seed).items() if "sea" not in text and "storm" not in text
    }
    cluster = Cluster(subscribed, 5, **options)
    events = [text.replace("votes", "voting").replace("goals", "goal") for text in texts(20, seed + 1)]
    whole = KeywordIndex(subscribed, **options)
    assert cluster.matched(events, cluster.sent(pa.array(events))) == [set(whole.match(event)) for event in events]


def test_subscriptions_go_by_their_rarest_atom_that_serves_all_clauses() -> None:
    common = {f"c{number}": f"the w{number}" for number in range(50)}
    cluster = Cluster({**common, "both": "rare AND (a OR b OR c)", "open": "x OR NOT y", "none": "x NOT x"}, 7)
    assert cluster.sent(pa.array(["the"])) == [[0]], "nothing is under a word that all have; shard 0 owns everything"
    assert len(set(cluster.homes[:50])) > 3
    assert cluster.homes[51:] == [0, 0]
    (home,) = {cluster.homes[50]}
    assert all(set(sent) == {0, home} for sent in cluster.sent(pa.array(["rare a", "rare", "rare zzz"])))
    assert cluster.owned[0] is None and all(owned is not None for owned in cluster.owned[1:])


def test_lists_of_terms_and_texts_nobody_waits_for() -> None:
    cluster = Cluster({"a": "greece crisis", "b": "ferry"}, 5)
    lists = [["greece", "crisis"], [], ["Ferry"], ["ferry", "ferry"]]
    sent = cluster.sent(pa.array(lists, pa.list_(pa.string())))
    assert [len(shards) for shards in sent] == [1, 0, 0, 1]
    assert cluster.matched(lists, sent) == [{"a"}, set(), set(), {"b"}]
    assert cluster.sent(pa.array(["", "something else", "a FERRY"])) == [[], [], sent[3]]


@pytest.mark.parametrize("bad", [[], [0], [7], [2, 3], list(range(8))])
def test_events_that_cannot_be_read_go_to_the_first_shard(bad: list[int]) -> None:
    cluster = Cluster({"a": "greece", "b": "crisis", "c": "ferry", "d": "sea"}, 6)
    events = [b"ferry \xff" if n in bad else b"ferry and sea" for n in range(8)]
    good = cluster.sent(pa.array([b"ferry and sea"]))[0]
    assert cluster.sent(pa.array(events)) == [[0] if n in bad else good for n in range(8)]


def test_a_language_that_cannot_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("atoms", "needs"):
        monkeypatch.setattr(Keywords, name, getattr(Language, name))  # as a language has them that overrides neither
    assert KeywordIndex({"a": "x"}).needs() is None
    owners = OwnedAtoms([np.zeros(1, np.uint64)] * 3)
    assert route(KeywordIndex(), owners, pa.array(["x"])).tolist() == [[True] * 3]
    assert ShardRule(3, np.zeros(1 << 16, np.int32)).owned(None, 1) is None


def test_a_refused_subscription_is_left_to_the_writer() -> None:
    batch = pa.RecordBatch.from_pydict({"id": ["a", "b", "c"], "subscription": ["greece", '"', None]})
    rule = ShardRule(50, np.zeros(1 << 16, np.int32))
    (placed,) = ShardCounter("keywords", {}).place(iter([batch]), rule)
    assert placed[SHARD].to_pylist() == [0, 0, 0]
    (placed,) = ShardCounter("keywords", {}).place(iter([batch.take(pa.array([0, 2]))]), rule)
    assert placed[SHARD].to_pylist()[1] == 0 and placed["id"].to_pylist() == ["a", "c"]


def test_hashes_never_change() -> None:
    """They are stored with indexes."""
    atoms = KeywordIndex().atoms(pa.array(["a greece", "東京"]))
    assert atoms is not None and atoms.offsets.tolist() == [0, 2, 3]
    assert [hex(atom) for atom in atoms.atoms.tolist()] == [hex(_hash(word)) for word in ("a", "greece", "東京")]


def _hash(word: str) -> int:
    mask = (1 << 64) - 1
    value = 0xCBF29CE484222325
    for byte in word.encode():
        value = ((value ^ byte) * 0x100000001B3) & mask
    value = ((value ^ value >> 33) * 0xFF51AFD7ED558CCD) & mask
    value = ((value ^ value >> 33) * 0xC4CEB9FE1A85EC53) & mask
    return value ^ value >> 33


# With Spark


def frame(spark: SparkSession, pairs: Any) -> DataFrame:
    return spark.createDataFrame(list(pairs), "id string, subscription string")


@pytest.fixture(scope="module")
def index(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("routing") / "index"
    build(frame(spark, SUBSCRIBED.items()), path, shards=SHARDS, shard_by="atoms")
    return str(path)


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(EVENTS, "n int, text string")


def routed(path: Any, column: pa.Array) -> list[list[int]]:
    (batch,) = Router(resolve(path), "text", False).run(iter([pa.RecordBatch.from_arrays([column], names=["text"])]))
    lists: list[list[int]] = batch[-1].to_pylist()
    return lists


class TestDuel:
    @pytest.mark.parametrize("mode", ["replicated", "partitioned"])
    def test_the_pairs_are_the_same(self, events: DataFrame, index: str, mode: Any) -> None:
        hits = match(events, index, mode=mode)
        assert hits.columns == ["n", "text", "subscription"]
        assert found(hits) == expected(SUBSCRIBED, EVENTS)

    def test_other_columns_and_options(self, events: DataFrame, index: str) -> None:
        lists = events.where("text is not null").withColumn("terms", F.split("text", " "))
        hits = match(lists, index, column="terms", carry=["n"], explain=True, mode="partitioned")
        rows = hits.collect()
        assert sorted((row["n"], row["subscription"]) for row in rows) == expected(SUBSCRIBED, EVENTS)
        assert all(row["explanation"].startswith("match: ") for row in rows)

    @pytest.mark.parametrize("on_error", ["keep", "skip"])
    def test_bad_rows_and_counts(self, spark: SparkSession, index: str, on_error: Any) -> None:
        rows = [(n, None if text is None else text.encode()) for n, text in EVENTS]
        bad = (0, 7, 100, 299)
        for number in bad:
            rows[number] = (number, b"greece crisis \xff")
        good = [(n, text) for n, text in EVENTS if n not in bad]
        counts = Observation(f"routed-{on_error}")
        frame = spark.createDataFrame(rows, "n int, text binary")
        hits = match(frame, index, on_error=on_error, metrics=counts, mode="partitioned")
        assert found(hits.where("subscription is not null")) == expected(SUBSCRIBED, good)
        seen = counts.get
        assert seen.pop("seconds") > 0
        assert seen == {"events": 300, "pairs": len(expected(SUBSCRIBED, good)), "errors": 4, "version": 1}
        if on_error == "keep":
            errors = hits.where("error is not null").collect()
            assert sorted(row["n"] for row in errors) == list(bad)

    def test_a_bad_row_stops_the_job_by_default(self, spark: SparkSession, index: str) -> None:
        frame = spark.createDataFrame([(b"\xff",)], "text binary")
        with pytest.raises(Exception, match=r"an event cannot be matched: .*UTF-8"):
            match(frame, index, mode="partitioned").collect()


def test_a_stream(events: DataFrame, index: str, spark: SparkSession, tmp_path: Path) -> None:
    events.write.parquet(str(tmp_path / "events"))
    stream = spark.readStream.schema("n int, text string").parquet(str(tmp_path / "events"))
    pairs: list[Any] = []

    def sink(hits: DataFrame, batch: int) -> None:
        pairs.extend(found(hits))

    log = VersionLog(tmp_path / "checkpoint" / "versions")
    writer = match_stream(stream, index, sink, log=log, mode="partitioned", metrics="routed-stream")
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
    assert sorted(pairs) == expected(SUBSCRIBED, EVENTS)


def test_events_that_concern_nobody_are_not_shuffled(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "index"
    build(frame(spark, [("a", "greece crisis"), ("b", "ferry")]), path, shards=SHARDS, shard_by="atoms")
    sent = routed(path, pa.array(["greece crisis", None, "nothing at all", "ferry", "storm"]))
    assert [len(shards) for shards in sent] == [1, 0, 0, 1, 0]
    assert all(shard.atoms is not None for shard in resolve(path).shards)


class TestUpdate:
    def test_ownership_follows(self, spark: SparkSession, events: DataFrame, tmp_path: Path) -> None:
        path = tmp_path / "index"
        build(frame(spark, SUBSCRIBED.items()), path, shards=SHARDS, shard_by="atoms")
        subscribed = dict(SUBSCRIBED)
        draw = random.Random(5)
        for round in range(2):
            changes: dict[str, str | None] = {key: drawn(draw) for key in draw.sample(sorted(subscribed), 8)}
            changes |= dict.fromkeys(draw.sample(sorted(subscribed), 5))
            changes |= {f"new{round}{n}": drawn(draw) for n in range(5)}
            assert update(path, frame(spark, changes.items())) == round + 2
            subscribed = {key: text for key, text in {**subscribed, **changes}.items() if text is not None}
            version = resolve(path)
            shards = [dict(Index.open(version.folder(number))) for number in range(SHARDS)]
            assert {key: text for shard in shards for key, text in shard.items()} == subscribed
            assert sum(map(len, shards)) == len(subscribed), "each in one shard"
            assert found(match(events, path, mode="partitioned")) == expected(subscribed, EVENTS)
        assert found(match(events, path, mode="partitioned", version=1)) == expected(SUBSCRIBED, EVENTS)

    def test_shards_that_do_not_change_are_not_written(self, spark: SparkSession, tmp_path: Path) -> None:
        path = tmp_path / "index"
        words = {f"s{n}": word for n, word in enumerate(WORDS)}
        build(frame(spark, words.items()), path, shards=SHARDS, shard_by="atoms", stemmer="english")
        before = resolve(path)
        assert update(path, frame(spark, [("s3", WORDS[3]), ("nobody", None)])) == 1
        homes = [sent for (sent,) in routed(path, pa.array(WORDS))]
        other = next(n for n in range(len(WORDS)) if homes[n] != homes[3])
        assert update(path, frame(spark, [("s3", WORDS[other])])) == 2
        pairs = zip(before.shards, resolve(path).shards, strict=True)
        assert {n for n, (one, two) in enumerate(pairs) if one != two} == {homes[3], homes[other]}
        assert len(list((path / "versions").glob("*.counts.npy"))) == 1
        build(frame(spark, words.items()), path, shards=2, keep=1)
        assert not list((path / "versions").glob("*.counts.npy"))

    def test_refusals(self, spark: SparkSession, tmp_path: Path) -> None:
        path = tmp_path / "index"
        build(frame(spark, SUBSCRIBED.items()), path, shards=SHARDS, shard_by="atoms")
        for bad, words in BAD_CHANGES:
            with pytest.raises(PipelineError, match=words):
                update(path, frame(spark, bad))
        assert resolve(path).version == 1


class TestRefused:
    def test_building(self, spark: SparkSession, tmp_path: Path) -> None:
        path = tmp_path / "index"
        for bad, words in [
            ([("x", "greece"), ("x", "imf")], "'x': the id stands more than once"),
            ([("x", "greece AND (crisis")], "'x': this parenthesis is never closed"),
            ([("x", None)], "'x': column 'subscription' is null"),
            ([(None, "greece")], "without an id"),
        ]:
            with pytest.raises(PipelineError, match=words.replace("(", r"\(")):
                build(frame(spark, [*SUBSCRIBED.items(), *bad]), path, shards=3, shard_by="atoms")
        with pytest.raises(PipelineError, match="shard_by is 'id' or 'atoms'"):
            build(frame(spark, []), path, shard_by="size")  # type: ignore[arg-type]
        with pytest.raises(PipelineError, match="saved as it is"):
            build(KeywordIndex(), path, shard_by="atoms")

    def test_a_language_that_cannot_tell(
        self, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Keywords, "needs", Language.needs)
        with pytest.raises(PipelineError, match=r"keywords cannot tell .*: shard by id"):
            build(frame(spark, SUBSCRIBED.items()), tmp_path / "index", shards=2, shard_by="atoms")
        assert not (tmp_path / "index").exists()

    @pytest.mark.parametrize("damage", [b"", b"nonsense"])
    def test_damaged_files(self, spark: SparkSession, tmp_path: Path, damage: bytes) -> None:
        path = tmp_path / "index"
        build(frame(spark, SUBSCRIBED.items()), path, shards=2, shard_by="atoms")
        version = resolve(path)
        number = next(n for n, shard in enumerate(version.shards) if shard.atoms is not None)
        (version.folder(number) / "owned.npy").write_bytes(damage)
        with pytest.raises(SnapshotError, match=r"owned\.npy"):
            cache.owned_atoms(version)
        (path / "versions" / "000001.counts.npy").write_bytes(damage)
        with pytest.raises(SnapshotError, match=r"counts\.npy"):
            update(path, frame(spark, [("x", "imf")]))

    def test_one_shard_needs_no_routing(self, spark: SparkSession, events: DataFrame, tmp_path: Path) -> None:
        build(frame(spark, SUBSCRIBED.items()), tmp_path / "index", shard_by="atoms")
        assert found(match(events, tmp_path / "index", mode="partitioned")) == expected(SUBSCRIBED, EVENTS)
