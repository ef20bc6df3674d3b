"""The running system: a stream of items, matched against the store's subscriptions, into inboxes.

Each micro-batch sets aside what cannot be read (`dead_letters`), and then does five things for each language, in this
order:

1. take up what was subscribed and unsubscribed since the last batch (a new version of the index);
2. record which version this batch uses (`VersionLog`), unless an earlier attempt did;
3. match;
4. write the pairs to ``matches/batch-N-LANGUAGE.parquet``, replacing what an earlier attempt wrote;
5. write items and matches into the store, in one transaction keyed by run, batch and language.

Spark repeats a batch that did not finish, with the same items. Every step gives the same result when it is
repeated, so a pipeline that is killed at any moment and started again loses no match and writes none twice.

The store has everything: an index that is missing or damaged, or stands for a state that the store does not have (it
was restored from a copy), is built anew. Several runs of a home share the indexes, and bring them up to the store one
at a time; each version says which state of the store it stands for, and what a run has recorded is kept for it.

A batch that fails for a reason outside of this program, such as a Python worker that the system killed, is tried again
`RETRIES` times before the run ends.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from watchword.dead_letters import MOST, Letter, write_letters
from watchword.errors import PipelineError, SnapshotError, WatchwordError
from watchword.files import replaced
from watchword.home import Home, Stream
from watchword.languages import language_class
from watchword.retention import Retention, prune
from watchword.shards import Origin, Version, discard, resolve_checked
from watchword.spark.building import build, update
from watchword.spark.columns import named
from watchword.spark.failures import is_ours, is_over, one_line
from watchword.spark.feed_source import COLUMNS
from watchword.spark.feed_source import NAME as FEEDS
from watchword.spark.matching import match
from watchword.spark.sources import REASON, SOURCE, Source, event_of, items, letters, numbered
from watchword.store import Item, Match, Store
from watchword.store.records import now
from watchword.visible import visible

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

CHANGES = "id string, subscription string"
RETRIES = 3
"""How often in succession a batch that failed is tried again."""
PRUNE_EVERY = 3600.0
"""Seconds after which a run looks again what is old enough to be forgotten."""
_log = logging.getLogger("watchword.pipeline")


@dataclass
class Progress:
    """What one batch did, with which version of each language's index."""

    batch: int
    items: int = 0
    pairs: int = 0
    aside: int = 0
    """How many items were set aside, by the source or by a language."""
    seconds: float = 0.0
    versions: dict[str, int] = field(default_factory=dict)


Report = Callable[[Progress], None]


class Pipeline:
    """One stream of a home. `run` runs it; `report` is called after every batch.

    With a `retention`, what is older than it says is forgotten at the start and every hour.
    """

    def __init__(
        self,
        spark: SparkSession,
        home: Home,
        source: Source,
        *,
        run: str = "main",
        shards: int = 1,
        retention: Retention | None = None,
        report: Report,
    ) -> None:
        self._spark, self._home, self._source, self._shards = spark, home, source, shards
        self._run: Stream = home.run(run)
        self._versions = self._run.versions
        self._retention, self._next_prune = retention, float("-inf")
        self._report = report
        self._done = 0
        self._error: BaseException | None = None

    def run(self, *, once: bool, interval: float = 10.0) -> None:
        """Run the stream: `once` takes what is there and ends, otherwise it looks again every `interval` seconds.

        Only one at a time may: a `StoreError` names the process that has it. A `PipelineError` says in one line why the
        stream ended, after `RETRIES` more attempts where that may help.
        """
        with self._run.held():
            failures = 0
            while True:
                done, self._error = self._done, None
                try:
                    return self._stream(once, interval)
                except WatchwordError:
                    raise
                except Exception as error:
                    failures = 1 if self._done > done else failures + 1
                    self._retry_or_raise(self._error or error, failures)

    def _stream(self, once: bool, interval: float) -> None:
        try:
            query = self._start(once, interval)
        except PySparkException as error:  # an option or a file of the source, before anything has begun
            raise PipelineError(one_line(error)) from error
        try:
            query.awaitTermination()
        finally:
            with suppress(Exception):  # what ended it is what counts
                query.stop()

    def _retry_or_raise(self, error: BaseException, failures: int) -> None:
        """Wait a little and return, or raise what people can read in one line."""
        if isinstance(error, WatchwordError):
            raise error
        reason = one_line(error)
        if is_ours(error):
            raise PipelineError(reason) from error
        if is_over(error):
            raise PipelineError(f"{reason}: start it again, it goes on where it was") from error
        if failures > RETRIES:
            raise PipelineError(
                f"failed {failures} times in succession, last because: {reason}; started again, it goes on where it was"
            ) from error
        _log.warning("%s; trying again (%d of %d)", visible(reason), failures, RETRIES)
        time.sleep(min(2.0 ** (failures - 1), 10.0))

    def _start(self, once: bool, interval: float) -> StreamingQuery:
        with self._home.store() as store:
            languages = store.stats().subscriptions
        with_text = not languages or any(language_class(name).plug.objects is None for name in languages)
        stream = items(self._spark, self._source, self._run.spool, with_text=with_text)
        self._run.begin()  # in the checkpoint before Spark is
        writer = stream.writeStream.foreachBatch(self._kept_batch)
        writer = writer.option("checkpointLocation", str(self._run.checkpoint))
        trigger = writer.trigger(availableNow=True) if once else writer.trigger(processingTime=f"{interval} seconds")
        return trigger.start()

    def _kept_batch(self, batch: DataFrame, number: int) -> None:
        """Do a batch; what it raises is kept, because Spark makes a text of it."""
        try:
            self._batch(batch, number)
        except BaseException as error:
            self._error = error
            raise
        self._done += 1

    def _batch(self, batch: DataFrame, number: int) -> None:
        started = time.monotonic()
        done = Progress(number)
        with self._home.store() as store:
            languages = [name for name in store.stats().subscriptions if not store.is_recorded(self._key(number, name))]
            batch = numbered(batch).persist()
            try:
                usable = self._set_aside(batch, done)
                for language in languages:
                    version = self._version(store, language, number)
                    done.versions[language] = version.version
                    done.pairs += self._match(store, usable, language, version, done)
            finally:
                batch.unpersist()
        self._prune()
        done.seconds = time.monotonic() - started
        self._report(done)

    def _key(self, number: int, language: str) -> str:
        return Stream.batch_id(self._run.id, number, language)

    def _set_aside(self, batch: DataFrame, done: Progress) -> DataFrame:
        """Write the items that cannot be used into the batch's dead letters, and return the others."""
        counts = batch.agg(F.count(F.lit(1)), F.count(named(REASON))).first()
        assert counts is not None
        done.items, done.aside = counts
        if done.aside:
            file = self._run.dead_letters / f"batch-{done.batch}.jsonl"
            write_letters(file, letters(batch, MOST), done.aside)
        return batch.where(named(REASON).isNull())

    # The index

    def _version(self, store: Store, language: str, number: int) -> Version:
        """Return the version of an index for a batch: as recorded, or else brought up to the store and recorded."""
        path = self._home.index(language)
        with self._home.refreshing(language):
            recorded = self._versions.recorded(number, path)
            if recorded is not None and self._fault(store, language, recorded) is not None:
                self._versions.forget(number, path)
                recorded = None
            if recorded is None:
                self._refresh(store, language)
            return resolve_checked(path, self._versions.version_for(number, path))

    def _fault(self, store: Store, language: str, version: int | None = None) -> str | None:
        """Say why a version of an index, by default the newest, cannot be used with this store; None if it can."""
        try:
            origin = resolve_checked(self._home.index(language), version).origin
        except SnapshotError as error:
            return str(error)
        if origin is None:
            return "it does not say which state of the store it stands for"
        if store.epoch(origin.counter) != origin.epoch:
            return "the store is another one, or was restored from a copy"
        return None

    def _refresh(self, store: Store, language: str) -> None:
        """Bring an index up to the store; one that cannot be used is built anew, with the store's options."""
        path = self._home.index(language)
        pinned = self._home.pinned(language)
        fault = self._fault(store, language)
        old = None if fault else resolve_checked(path).origin
        changes, counter = store.changes_since(0 if old is None else old.counter, language=language)
        origin = Origin(str(store.epoch(0)), counter, str(store.epoch(counter)))
        frame = self._spark.createDataFrame([(change.id, change.text) for change in changes], CHANGES)
        if fault:
            if pinned or path.exists():
                _log.warning("the index of %s is built anew from the store: %s", language, fault)
            discard(path)
            given = frame.where("subscription IS NOT NULL")
            options = store.options(language)
            build(given, path, language=language, shards=self._shards, pinned=pinned, origin=origin, **options)
        elif changes:
            update(path, frame, pinned=pinned, origin=origin)

    # Matching

    def _match(self, store: Store, batch: DataFrame, language: str, version: Version, done: Progress) -> int:
        """Match a batch in one language and write what was found; return the number of pairs."""
        attributes = language_class(language)(**store.options(language)).attributes
        answers = match(
            batch,
            self._home.index(language),
            column=event_of(language, batch, attributes, feeds=self._source.format == FEEDS),
            carry=(*COLUMNS, SOURCE),
            version=version.version,
            explain=True,
            on_error="keep",
        ).toArrow()
        self._set_refused_aside(answers.filter(pc.is_valid(answers["error"])), language, done)
        found = answers.filter(pc.is_null(answers["error"])).select(SCHEMA.names).cast(SCHEMA)
        file = self._run.matches / f"batch-{done.batch}-{language}.parquet"
        try:
            with replaced(file) as output:
                pq.write_table(found, output)
        except OSError as error:
            raise PipelineError(f"{file}: cannot be written: {error.strerror or error}") from error
        counter = None if version.origin is None else version.origin.counter
        store.record(self._key(done.batch, language), _items(found), _matches(found), as_of=counter)
        return int(found.num_rows)

    def _set_refused_aside(self, refused: pa.Table, language: str, done: Progress) -> None:
        """Write the items that a language cannot read into its dead letters."""
        if not refused.num_rows:
            return
        done.aside += refused.num_rows
        names = (SOURCE, "id", "error", "text")
        rows = zip(*(refused[name].slice(0, MOST).to_pylist() for name in names), strict=True)
        file = self._run.dead_letters / f"batch-{done.batch}-{language}.jsonl"
        write_letters(file, [Letter(*(text or "" for text in row)) for row in rows], refused.num_rows)

    def _prune(self) -> None:
        """Forget what is old, if it is time to."""
        if self._retention is not None and time.monotonic() >= self._next_prune:
            self._next_prune = time.monotonic() + PRUNE_EVERY
            try:
                prune(self._home, self._retention, now())
            except WatchwordError as error:
                _log.warning("what is old was not forgotten: %s", error)  # no reason to end a run


_OTHERS = [("published", pa.timestamp("us", "UTC")), ("categories", pa.list_(pa.string()))]
_TEXTS = [name for name in (*COLUMNS, "subscription", "explanation") if name not in dict(_OTHERS)]
SCHEMA = pa.schema([*((name, pa.string()) for name in _TEXTS), *_OTHERS])
"""The columns of the files of matches."""


def _items(found: pa.Table) -> list[Item]:
    """Return the items of a table of pairs, each once."""
    seen: dict[str, Item] = {}
    for row in found.select(COLUMNS).to_pylist():
        if row["id"] not in seen:
            said = {name: row[name] for name in COLUMNS[1:] if row[name] is not None}
            categories = tuple(name for name in said.pop("categories", ()) if name)
            seen[row["id"]] = Item(row["id"], **said, categories=categories)
    return list(seen.values())


def _matches(found: pa.Table) -> list[Match]:
    columns = zip(*(found[name].to_pylist() for name in ("id", "subscription", "explanation")), strict=True)
    return [Match(*row) for row in columns]
