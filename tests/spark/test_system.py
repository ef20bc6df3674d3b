"""What may happen to a running system from outside: damage, copies, other runs, bad lines, killed workers."""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.spark.test_pipeline import expected, publish
from watchword.dead_letters import read_letters
from watchword.errors import PipelineError
from watchword.files import locked
from watchword.following import Follower, read_origin
from watchword.home import STORE, Home
from watchword.shards import resolve
from watchword.spark import pipeline as module
from watchword.spark import sources
from watchword.spark.failures import is_over, one_line
from watchword.spark.pipeline import Pipeline, Progress
from watchword.spark.sinks import make_sinks
from watchword.spark.sources import Source
from watchword.store import Details, Request, Store

SUBSCRIPTIONS = {"a": "ferry", "b": "storm"}


class System:
    """A home and a folder of items, with a pipeline for each named run."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder, self.input = spark, folder, folder / "in"
        self.home = Home.make(folder / "home")
        with self.home.store() as store:
            store.add_subscriber("ada")
            store.subscribe_many(Request("ada", text, key) for key, text in SUBSCRIPTIONS.items())
        publish(self.input, "one", ["the ferry", "a storm"])
        self.done: list[Progress] = []

    def pipeline(self, run: str = "main", **options: Any) -> Pipeline:
        source = Source.folder(str(self.input))
        return Pipeline(self.spark, self.home, source, run=run, report=self.done.append, **options)

    def refresh(self, batch: int, run: str = "main") -> dict[str, str]:
        """Choose the version of a batch as a run does, and return the subscriptions that it has."""
        with self.home.store() as store:
            version = self.pipeline(run)._version(store, "keywords", batch)
        return {key: text for n in range(len(version.shards)) for key, text in module_index(version.folder(n)).items()}

    def store(self) -> Store:
        return self.home.store()

    def inbox(self) -> dict[str, list[str]]:
        with self.store() as store:
            return {d.item.identity: sorted(r.subscription for r in d.reasons) for d in store.inbox("ada")}


def module_index(folder: Path) -> dict[str, str]:
    from watchword import KeywordIndex

    return dict(KeywordIndex.open(folder).items())  # type: ignore[arg-type]


@pytest.fixture
def system(spark: SparkSession, tmp_path: Path) -> System:
    return System(spark, tmp_path)


def test_what_cannot_be_read_is_set_aside_with_its_reason(system: System) -> None:
    lines = [
        b'{"id": "good", "text": "ferry"}',
        b'{"id": "", "text": "the ferry without a name"}',
        b'{"id": "latin", "text": "caf\xe9 ferry"}',
        b'{"id": "cut", "text": "ferry',
        b'{"id": "good too", "text": "storm"}',
    ]
    (system.input / "two.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    system.pipeline().run(once=True)
    found = system.inbox()
    assert found == {"one-0": ["a"], "one-1": ["b"], "good": ["a"], "good too": ["b"]}
    assert [(step.items, step.aside, step.pairs) for step in system.done] == [(7, 3, 4)]
    letters = [letter for _, letter in read_letters(system.home.run("main").dead_letters)]
    assert [Path(letter.source).name for letter in letters] == ["two.jsonl"] * 3
    told = {letter.position: (letter.reason, letter.raw) for letter in letters}
    assert told["2"][0] == "its id is empty" and json.loads(told["2"][1])["text"] == "the ferry without a name"
    assert told["3"] == ("the line is not UTF-8", '{"id": "latin", "text": "caf\ufffd ferry"}')
    assert told["4"][0].startswith("the line is not JSON") and told["4"][1] == '{"id": "cut", "text": "ferry'


def test_what_a_language_cannot_read_is_set_aside(system: System) -> None:
    """Of a source whose items are texts, predicates read JSON: what is none is a dead letter of theirs alone."""
    with system.store() as store:
        store.subscribe("ada", "price > 5", id="p", language="predicates")
    rows = [("1", '{"price": 7}'), ("2", "the ferry")]
    frame = system.spark.createDataFrame(rows, "id string, text string")
    system.pipeline()._batch(sources._as_items(frame, Source("memory"), True), 0)
    assert system.inbox() == {"1": ["p"], "2": ["a"]}
    ((_, letter),) = read_letters(system.home.run("main").dead_letters)
    assert (letter.source, letter.position, letter.raw) == ("memory", "2", "the ferry") and "no JSON" in letter.reason
    assert system.done[0].aside == 1


def test_a_message_that_is_not_utf_8_is_set_aside(spark: SparkSession) -> None:
    schema = "topic string, partition int, offset long, value binary"
    frame = spark.createDataFrame([("news", 3, 17, b"caf\xe9"), ("news", 3, 18, b"ferry")], schema)
    batch = sources.numbered(sources._as_items(frame, Source("kafka", text="value"), True)).persist()
    (letter,) = sources.letters(batch, 10)
    assert (letter.source, letter.position, letter.reason) == ("news", "3:17", "its id or its text is not UTF-8")


def test_a_date_that_is_none_is_left_out(spark: SparkSession) -> None:
    dates = ["2026-11-01T12:00:00Z", "yesterday", "+20000-01-01T00:00:00Z", None]
    frame = spark.createDataFrame([("ferry", date) for date in dates], "text string, published string")
    items = sources._as_items(frame, Source("memory"), True).collect()
    assert [item["published"] is None for item in items] == [False, True, True, True]
    assert [item["reason"] for item in items] == [None] * 4


def test_a_run_whose_checkpoint_was_removed_skips_nothing(system: System, caplog: pytest.LogCaptureFixture) -> None:
    """The numbers of batches begin at 0 again; those of the run before are in the store."""
    system.pipeline().run(once=True)
    shutil.rmtree(system.home.run("main").checkpoint)
    publish(system.input, "two", ["another ferry"])
    with caplog.at_level(logging.WARNING):
        system.pipeline().run(once=True)
    assert [step.batch for step in system.done] == [0, 0]
    assert set(system.inbox()) == {"one-0", "one-1", "two-0"}
    assert "its checkpoint is gone, so it begins anew" in caplog.text


def test_one_refresh_at_a_time(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the look into the store until the version is recorded, no other run touches the index."""
    lock, seen = system.home.path / "index" / "keywords.lock", []
    changes_since = Store.changes_since

    def looked(self: Store, *arguments: Any, **options: Any) -> Any:
        with pytest.raises(TimeoutError), locked(lock, patience=0):
            pass
        seen.append(arguments)
        return changes_since(self, *arguments, **options)

    monkeypatch.setattr(Store, "changes_since", looked)
    assert system.refresh(0) == SUBSCRIPTIONS
    with system.store() as store:
        store.subscribe("ada", "harbour", id="a")
    assert system.refresh(0, run="other")["a"] == "harbour"
    assert len(seen) == 2
    origin = resolve(system.home.index("keywords")).origin
    with system.store() as store:
        assert origin is not None and origin.epoch == store.epoch(origin.counter) and origin.store == store.epoch(0)


def test_a_version_that_a_stopped_run_has_recorded_is_kept(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    before = system.refresh(4, run="stopped")
    for number in range(3):
        with system.store() as store:
            store.subscribe("ada", f"word{number}", id="a")
        monkeypatch.setattr(module, "update", lambda *a, **o: update(*a, **(o | {"keep": 1})))
        system.refresh(number)
    assert system.refresh(4, run="stopped") == before != system.refresh(5, run="stopped")


update = module.update


def test_a_store_restored_from_a_copy_is_followed_again(system: System, caplog: pytest.LogCaptureFixture) -> None:
    """Also when its counter has caught up with that of the index: the index would miss what came since the copy."""
    copy = system.folder / "copy"
    shutil.copy(system.home.path / STORE, copy)
    with system.store() as store:
        store.subscribe("ada", "lost", id="lost")
    assert "lost" in system.refresh(0)
    for file in system.home.path.glob(f"{STORE}-*"):
        file.unlink()
    shutil.copy(copy, system.home.path / STORE)
    with system.store() as store:
        store.subscribe("ada", "new", id="new")
        now = dict(SUBSCRIPTIONS, new="new")
    with caplog.at_level(logging.WARNING):
        assert system.refresh(0) == now  # the batch that is repeated, too
        assert system.refresh(1) == now
    assert caplog.text.count("was restored from a copy") == 1


@pytest.mark.parametrize("damage", ["folder", "shards", "current.json"])
def test_an_index_that_is_gone_is_built_from_the_store(
    system: System, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    system.refresh(0)
    path = system.home.index("keywords")
    if damage == "current.json":
        (path / damage).unlink()
    else:
        shutil.rmtree(path if damage == "folder" else path / damage)
    with caplog.at_level(logging.WARNING):
        assert system.refresh(1) == SUBSCRIPTIONS
    assert "the index of keywords is built anew from the store" in caplog.text
    with system.store() as store:
        store.unsubscribe("b")
    assert system.refresh(2) == {"a": "ferry"}


def test_an_id_given_up_and_taken_again_is_matched(system: System) -> None:
    """The index has its text already, but the version must stand for the later state."""
    system.refresh(0, run="other")
    with system.store() as store:
        store.unsubscribe("a")
        store.subscribe("ada", "ferry", id="a")
    system.pipeline().run(once=True)
    assert system.inbox() == expected(SUBSCRIPTIONS, {"one-0": "the ferry", "one-1": "a storm"})


def test_a_follower_begins_with_the_version_of_a_run(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several shards, and of another language that the run has not seen."""
    with system.store() as store:
        store.subscribe_many(Request("ada", f"word{number}", f"n{number}") for number in range(20))
    system.pipeline(shards=3).run(once=True)
    origin = resolve(system.home.index("keywords")).origin
    with system.store() as store:
        store.subscribe("ada", "harbour", id="a")
        store.unsubscribe("n3")
        store.subscribe("ada", "f?rry", id="n4", language="patterns")
        now = {one.id: one.text for one in store.subscriptions(language="keywords")}
    seen: list[tuple[int, str | None]] = []
    changes_since = Store.changes_since

    def noted(self: Store, counter: int, *, language: str | None = None) -> Any:
        seen.append((counter, language))
        return changes_since(self, counter, language=language)

    monkeypatch.setattr(Store, "changes_since", noted)
    with Follower(system.home) as follower:
        assert dict(follower.index("keywords").items()) == now
        assert follower.index("patterns").match("the ferry") == ["n4"]
    assert origin is not None and (origin.counter, "keywords") in seen and (0, "keywords") not in seen


def test_a_batch_is_one_pass_however_many_languages(system: System) -> None:
    context = system.spark.sparkContext

    def count(number: int) -> int:
        """Return the jobs of a batch, in a group of their own: Spark forgets the oldest of all jobs."""
        frame = system.spark.createDataFrame([(f"i{number}", '{"price": 7}')], "id string, text string")
        context.setJobGroup(f"batch {number} of {system.home.path}", "one batch")
        try:
            system.pipeline()._batch(sources._as_items(frame, Source("memory"), True), number)
            return len(context.statusTracker().getJobIdsForGroup(f"batch {number} of {system.home.path}"))
        finally:
            for name in ("spark.jobGroup.id", "spark.job.description"):
                context.setLocalProperty(name, None)

    with system.store() as store:
        store.subscribe("ada", "price", id="k")
    count(0)
    one = count(1)
    assert one > 0
    with system.store() as store:
        texts = {"patterns": "pr?ce", "predicates": "price > 5", "paths": "//price"}
        store.subscribe_many(Request("ada", text, language, language) for language, text in texts.items())
    count(2)  # which builds the indexes
    assert count(3) == one
    assert system.inbox()["i3"] == ["k", "patterns", "predicates"] and system.done[-1].aside == 1


def test_every_item_of_a_run_is_decided_again_and_a_planted_error_is_found(
    system: System, caplog: pytest.LogCaptureFixture
) -> None:
    with system.store() as store:
        texts = {"patterns": "f?rry", "predicates": "text MATCHES 'storm'"}
        store.subscribe_many(Request("ada", text, language, language) for language, text in texts.items())
    publish(system.input, "two", ["a storm and no ferry", "nothing", ""])
    pipeline = system.pipeline(audit=1.0)
    pipeline.run(once=True)
    assert pipeline.auditor is not None
    assert (pipeline.auditor.decided, pipeline.auditor.found) == (3 * 5, 0)

    path = system.home.index("keywords")
    with system.store() as store:
        origin = read_origin(store, store.changes_since(0).counter)
    wrong = system.spark.createDataFrame([("a", "gale")], "id string, subscription string")
    module.update(path, wrong, origin=origin)  # an index that is not what the store has
    publish(system.input, "three", ["the ferry"])
    pipeline = system.pipeline(audit=1.0)
    pipeline.run(once=True)
    assert pipeline.auditor is not None and pipeline.auditor.found == 1
    assert "the index missed 'a' for the event" in caplog.text


def test_a_paused_subscription_gets_nothing_until_it_is_resumed(system: System) -> None:
    system.pipeline().run(once=True)
    with system.store() as store:
        store.set_details("a", Details(paused=True))
    publish(system.input, "two", ["the ferry in a storm"])
    system.pipeline().run(once=True)
    with system.store() as store:
        store.set_details("a", Details())
    publish(system.input, "three", ["the ferry"])
    system.pipeline().run(once=True)
    assert system.inbox() == {"one-0": ["a"], "one-1": ["b"], "two-0": ["b"], "three-0": ["a"]}


def test_long_items_that_many_subscriptions_ask_for(system: System) -> None:
    """The text of an item goes to the driver once; repeated for each of its pairs, these two would be 3 GB."""
    with system.store() as store:
        store.subscribe_many(Request("ada", "ferry", f"f{number}") for number in range(5_000))
    publish(system.input, "long", [f"ferry {number} " * 38_000 for number in range(2)])
    system.pipeline().run(once=True)
    assert {item: len(keys) for item, keys in system.inbox().items()} == {
        "one-0": 5_001,
        "one-1": 1,
        "long-0": 5_001,
        "long-1": 5_001,
    }
    assert system.done[-1].pairs == 3 * 5_001 + 1


def test_the_sinks_of_a_run_are_chosen(system: System) -> None:
    """With inboxes alone there are no files; a run with files alone then fills no inbox."""
    run = system.home.run("main")
    system.pipeline(sinks=make_sinks(["inboxes"], system.home, run)).run(once=True)
    assert set(system.inbox()) == {"one-0", "one-1"} and not list(run.matches.iterdir())
    publish(system.input, "two", ["another ferry"])
    system.pipeline(sinks=make_sinks(["files"], system.home, run)).run(once=True)
    assert set(system.inbox()) == {"one-0", "one-1"}
    assert [file.name for file in run.matches.iterdir()] == ["batch-1-keywords.parquet"]


class Killed:
    """Kills the Python worker that runs a task, so many times, counted in a file that all workers see."""

    def __init__(self, file: Path, times: int) -> None:
        self.file, self.times = file, times

    def __call__(self, task: Any) -> None:
        count = len(self.file.read_bytes()) if self.file.exists() else 0
        if count < self.times:
            with self.file.open("ab") as file:
                file.write(b"x")
            os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def killed(system: System, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let the tasks of matching be killed."""
    monkeypatch.setattr(module.time, "sleep", lambda seconds: None)
    match_all = module.match_all

    def kill(times: int) -> None:
        killer = Killed(system.folder / "kills", times)

        def killing(events: DataFrame, *arguments: Any, **options: Any) -> DataFrame:
            def task(batches: Any) -> Any:
                for batch in batches:
                    killer(batch)
                    yield batch

            pairs = match_all(events, *arguments, **options)
            return pairs.mapInArrow(task, pairs.schema)

        monkeypatch.setattr(module, "match_all", killing)

    return kill


def test_a_worker_that_is_killed_is_no_end(system: System, killed: Any, caplog: pytest.LogCaptureFixture) -> None:
    killed(1)
    with caplog.at_level(logging.WARNING):
        system.pipeline().run(once=True)
    assert set(system.inbox()) == {"one-0", "one-1"} and len(system.done) == 1
    said = [record.getMessage() for record in caplog.records if record.name == "watchword.pipeline"]
    assert [line.split("; ")[1] for line in said] == ["trying again (1 of 3)"]
    assert all("a Python worker ended unexpectedly" in line and "\n" not in line for line in said)


def test_workers_that_are_always_killed_end_the_run_in_one_line(
    system: System, killed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(99)
    monkeypatch.setattr(module, "RETRIES", 1)
    with pytest.raises(PipelineError, match="failed 2 times in succession, last because: a Python worker") as ended:
        system.pipeline().run(once=True)
    assert "\n" not in str(ended.value) and len(str(ended.value)) < 300
    with system.home.run("main").held():
        pass  # the run is free again


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Job aborted\njava.io.IOException: No space left on device\n\tat java.base/x", "No space left on device"),
        ("boom", "boom"),
        ("", "Exception"),
        ("x" * 1000, "x" * 300 + "…"),
        ("Traceback:\n  File\nwatchword.errors.FeedError: a.xml: gone\n\tat org.x", "a.xml: gone"),
    ],
)
def test_one_line(text: str, line: str) -> None:
    assert one_line(Exception(text)) == line


def test_a_java_process_that_is_gone() -> None:
    assert is_over(ConnectionRefusedError()) and "Java process ended" in one_line(ConnectionResetError())
    assert not is_over(ValueError())
