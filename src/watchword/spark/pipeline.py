"""The running system: a stream of items, matched against the store's subscriptions, into inboxes and files.

Each micro-batch sets aside the items that cannot be read (`dead_letters`), and then does six things:

1. put the other items into the home's archive, whatever languages there are, none too (`archiving`);
2. for each language, take up the changes of the store since the last batch (a new version of the index);
3. record which version this batch uses (`VersionLog`), unless an earlier attempt did;
4. match all languages in one pass over the items (`match_all`), which is one Spark job;
5. read the items that matched, each once (`found`);
6. give the pairs of each language to every sink (`sinks`): by default to ``matches/batch-N-LANGUAGE.parquet``, and to
   the inboxes of the store in one transaction, keyed by run, batch and language.

Spark repeats a batch that did not finish, with the same items. Every step gives the same result when it is repeated,
and a language whose pairs all sinks have is not matched again. So a pipeline that is killed at any moment and started
again loses no match and writes none twice. The key has the language, because a batch that is killed between two
languages has written one of them, and because each version has a state of the store of its own (`Found.as_of`).

The store has everything: an index that is missing or damaged, or has a state that the store does not have (it was
restored from a copy), is built from scratch (`following.plan_refresh`). Several runs of a home share the indexes, and
bring them up to the store one at a time; each version says which state of the store it has, and a version that a run
has recorded is kept for it.

An archive that cannot be written (a full disk) ends the run before anything of the batch is matched, as a sink that
cannot be written does: the batch is not done, and is repeated when the run is started again. So nothing is lost, and
no match is delivered whose item the archive does not have.

Why an item matched is not computed here, but when an inbox is read: most pairs are never looked at.

A batch that fails for a reason outside of this program, such as a Python worker that the system killed, is tried again
`RETRIES` times before the run ends.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from watchword.auditing import Auditor
from watchword.dead_letters import MOST, write_letters
from watchword.errors import PipelineError, WatchwordError
from watchword.following import examine_version, read_origin
from watchword.home import Home, Stream
from watchword.items import ROW
from watchword.languages import language_class
from watchword.retention import Retention, prune
from watchword.shards import Version, discard, resolve_checked
from watchword.spark.archiving import archive_batch, octets
from watchword.spark.auditing import audit_batch
from watchword.spark.building import build, update
from watchword.spark.columns import named
from watchword.spark.failures import fault_of_kinds, is_ours, is_over, one_line
from watchword.spark.feed_source import NAME as FEEDS
from watchword.spark.found import Answer, BatchKey, Found, collect_answers
from watchword.spark.matching_all import Target, match_all
from watchword.spark.rows import LINE, NewColumns, check_columns
from watchword.spark.sinks import SINKS, Sink, make_sinks
from watchword.spark.sources import NUMBER, REASON, SOURCE, Source, event_of, items, letters, numbered
from watchword.store import Store
from watchword.store.records import now
from watchword.visible import counted, visible

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

CHANGES = "id string, subscription string"
RETRIES = 3
"""How often in succession a batch that failed is tried again."""
AUDIT_PATIENCE = 10.0
"""Seconds that a run waits at its end for items to be decided again."""
PRUNE_EVERY = 3600.0
"""Seconds between two removals of old files and old entries of inboxes."""
_log = logging.getLogger("watchword.pipeline")


@dataclass
class Progress:
    """What one batch did, with which version of each language's index."""

    batch: int
    items: int = 0
    pairs: int = 0
    aside: int = 0
    """The number of items that were set aside, by the source or by a language."""
    seconds: float = 0.0
    versions: dict[str, int] = field(default_factory=dict)


Report = Callable[[Progress], None]


class Pipeline:
    """One stream of a home. `run` runs it; `report` is called after every batch.

    `sinks` keep the pairs; by default, all of `sinks.SINKS` do. With a `retention`, files and entries of inboxes that
    are older than it says are removed at the start and every hour. With ``archive=False`` items are not archived. The
    share `audit` of the items is also decided by brute force, in the background (`auditor`).
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
        sinks: Iterable[Sink] | None = None,
        archive: bool = True,
        audit: float = 0.0,
        report: Report,
    ) -> None:
        self._spark, self._home, self._source, self._shards = spark, home, source, shards
        self._run: Stream = home.run(run)
        self._versions = self._run.versions
        self._sinks = make_sinks(SINKS, home, self._run) if sinks is None else list(sinks)
        self._retention, self._next_prune = retention, float("-inf")
        self._archive = home.archive() if archive else None
        self.auditor = Auditor(lambda: self._audited, audit) if audit > 0 else None
        """Decides a share of the items again; None without `audit`."""
        self._report = report
        self._done = 0
        self._error: BaseException | None = None
        self._said: set[str] = set()
        self._typed = False

    def run(self, *, once: bool, interval: float = 10.0) -> None:
        """Run the stream: `once` reads all present items and ends, else it looks for new ones every `interval` seconds.

        Only one at a time may: a `StoreError` names the process that has it. A `PipelineError` says in one line why the
        stream ended, after `RETRIES` more attempts where that may help.
        """
        with self._run.held(), self._auditing():
            failures = 0
            while True:
                done, self._error = self._done, None
                try:
                    return self._stream(once, interval)
                except WatchwordError:
                    raise
                except Exception as error:
                    if isinstance(self._error, NewColumns):
                        _log.warning("columns that are new are taken up: %s", visible(str(self._error)))
                        continue
                    failures = 1 if self._done > done else failures + 1
                    self._retry_or_raise(self._error or error, failures)

    @contextmanager
    def _auditing(self) -> Iterator[None]:
        """Decide items again while the run goes on, and for `AUDIT_PATIENCE` seconds after it."""
        if self.auditor is None:
            yield
            return
        with self._home.store() as self._audited:
            self.auditor.start()
            try:
                yield
            finally:
                self.auditor.stop(AUDIT_PATIENCE)

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
        """Wait a little and return, or raise an error that says the reason in one line."""
        if isinstance(error, WatchwordError):
            raise error
        reason = one_line(error)
        if is_ours(error):
            raise PipelineError(reason) from error
        if fault := fault_of_kinds(error):
            raise PipelineError(visible(fault)) from error
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
            languages = store.languages()
        with_text = not languages or any(language_class(name).reads.objects is None for name in languages)
        self._typed = any(map(_reads_columns, languages))
        stream = items(self._spark, self._source, self._run.spool, with_text=with_text, typed=self._typed)
        self._run.begin()  # in the checkpoint before Spark is
        writer = stream.writeStream.foreachBatch(self._kept_batch)
        writer = writer.option("checkpointLocation", str(self._run.checkpoint))
        trigger = writer.trigger(availableNow=True) if once else writer.trigger(processingTime=f"{interval} seconds")
        return trigger.start()

    def _kept_batch(self, batch: DataFrame, number: int) -> None:
        """Run a batch; an exception is kept in `_error`, because Spark passes on only its text."""
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
            batch = numbered(batch).persist()
            try:
                if self._source.format == "parquet":
                    check_columns(batch, SOURCE, batch.schema[ROW].dataType, self._said)
                usable, size = self._set_aside(batch, done)
                if self._archive is not None and done.items > done.aside:
                    row = self._row(usable, kept=True)
                    archive_batch(self._archive, f"{self._run.id}:{number}", usable, row, size)
                # Asked behind the archive: what is subscribed later finds these items there, by its back-fill.
                languages = self._unwritten(store, done)
                self._check_kinds(batch, languages)
                _log.info("batch %d: %s; bringing the indexes up to date", number, counted(done.items, "item"))
                versions = {language: self._version(store, language, number) for language in languages}
                done.versions = {language: version.version for language, version in versions.items()}
                _log.info("batch %d: matching", number)
                answers = self._match(store, usable, versions) if versions else {}
                if self.auditor is not None:
                    row = self._row(usable, kept=True)
                    audit_batch(self.auditor, usable, answers, versions, row, self._source.format == FEEDS)
            finally:
                batch.unpersist()
        for language, answer in answers.items():
            self._write(self._key(number, language), answer, versions[language], done)
        self._prune()
        done.seconds = time.monotonic() - started
        self._report(done)

    def _key(self, number: int, language: str) -> BatchKey:
        return BatchKey(self._run.id, number, language)

    def _unwritten(self, store: Store, done: Progress) -> list[str]:
        """Return the languages that have subscriptions and whose pairs of this batch a sink does not have yet."""
        keys = [self._key(done.batch, language) for language in store.languages()]
        return [key.language for key in keys if not all(sink.is_written(key) for sink in self._sinks)]

    def _check_kinds(self, batch: DataFrame, languages: list[str]) -> None:
        """Raise `NewColumns` if a language needs columns of JSON lines that were read without their kinds."""
        columns = list(filter(_reads_columns, languages))
        if columns and not self._typed and LINE in batch.columns:
            raise NewColumns(f"those of {', '.join(columns)}")

    def _set_aside(self, batch: DataFrame, done: Progress) -> tuple[DataFrame, int]:
        """Write the items that cannot be used into the batch's dead letters; return the others and all texts' bytes."""
        counts = batch.agg(F.count(F.lit(1)), F.count(named(REASON)), F.sum(octets())).first()
        assert counts is not None
        done.items, done.aside, size = counts
        if done.aside:
            file = self._run.dead_letters / f"batch-{done.batch}.jsonl"
            write_letters(file, letters(batch, MOST), done.aside)
        return batch.where(named(REASON).isNull()), size or 0

    # The index

    def _version(self, store: Store, language: str, number: int) -> Version:
        """Return the version of an index for a batch: as recorded, or else brought up to the store and recorded."""
        path = self._home.index(language)
        with self._home.refreshing(language):
            recorded = self._versions.recorded(number, path)
            if recorded is not None and examine_version(self._home, store, language, recorded).refresh.fault:
                self._versions.forget(number, path)
                recorded = None
            if recorded is None:
                self._refresh(store, language)
            return resolve_checked(path, self._versions.version_for(number, path))

    def _refresh(self, store: Store, language: str) -> None:
        """Bring an index up to the store; an unusable one is built from scratch, with the store's options."""
        path, pinned = self._home.index(language), self._home.pinned(language)
        since, fault = examine_version(self._home, store, language).refresh
        changes, counter = store.changes_since(since, language=language)
        if not changes and not fault:
            return
        origin = read_origin(store, counter)
        frame = self._spark.createDataFrame([(change.id, change.text) for change in changes], CHANGES)
        if not fault:
            update(path, frame, pinned=pinned, origin=origin)
            return
        if pinned or path.exists():
            _log.warning("the index of %s is built anew from the store: %s", language, fault)
        discard(path)
        given = frame.where("subscription IS NOT NULL")
        options = store.options(language)
        build(given, path, language=language, shards=self._shards, pinned=pinned, origin=origin, **options)

    # Matching

    def _match(self, store: Store, batch: DataFrame, versions: dict[str, Version]) -> dict[str, Answer]:
        """Match a batch in all languages, and return the answer of each."""
        targets = {}
        for language, version in versions.items():
            attributes = language_class(language)(**store.options(language)).attributes
            event = event_of(language, batch, attributes, feeds=self._source.format == FEEDS)
            targets[language] = Target(self._home.index(language), event, version.version)
        answers = match_all(batch, targets, carry=[NUMBER], on_error="keep")
        objects = any(language_class(language).reads.objects is not None for language in targets)
        return collect_answers(batch, answers, targets, self._row(batch, kept=objects))

    def _row(self, batch: DataFrame, *, kept: bool) -> Column:
        """Return the row of an item as JSON if it is kept; null for a feed, whose items are rows."""
        if not kept or self._source.format == FEEDS:
            return F.lit(None).cast("string")
        row = named(LINE if LINE in batch.columns else ROW)
        return F.to_json(row) if isinstance(batch.select(row).schema[0].dataType, StructType) else row

    def _write(self, key: BatchKey, answer: Answer, version: Version, done: Progress) -> None:
        """Write the answer of a language: dead letters, then the pairs to each sink."""
        if answer.refused:
            done.aside += answer.refused
            file = self._run.dead_letters / f"batch-{key.number}-{key.language}.jsonl"
            write_letters(file, answer.letters, answer.refused)
        found = Found(answer.pairs, answer.items, None if version.origin is None else version.origin.counter)
        for sink in self._sinks:
            sink.write(key, found)
        done.pairs += answer.pairs.num_rows

    def _prune(self) -> None:
        """Delete old matches, items and dead letters, once every `PRUNE_EVERY` seconds."""
        if self._retention is not None and time.monotonic() >= self._next_prune:
            self._next_prune = time.monotonic() + PRUNE_EVERY
            try:
                prune(self._home, self._retention, now())
            except WatchwordError as error:
                _log.warning("what is old was not forgotten: %s", error)  # no reason to end a run


def _reads_columns(language: str) -> bool:
    """Return whether a language reads an object's columns, which need kinds, and not its JSON."""
    return language_class(language).reads.objects == "columns"
