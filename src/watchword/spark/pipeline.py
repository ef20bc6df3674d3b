"""The running system: a stream of items, matched against the store's subscriptions, into inboxes.

Each micro-batch does five things for each language, in this order:

1. take up what was subscribed and unsubscribed since the last batch (a new version of the index);
2. record which version this batch uses (`VersionLog`), unless an earlier attempt did;
3. match;
4. write the pairs to ``matches/batch-N-LANGUAGE.parquet``, replacing what an earlier attempt wrote;
5. write items and matches into the store, in one transaction keyed by run, batch and language.

Spark repeats a batch that did not finish, with the same items. Every step gives the same result when it is
repeated, so a pipeline that is killed at any moment and started again loses no match and writes none twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from watchword.files import replaced
from watchword.home import Home, Run
from watchword.languages import language_class
from watchword.shards import is_outdated
from watchword.spark.building import build, update
from watchword.spark.feed_source import COLUMNS
from watchword.spark.matching import match
from watchword.spark.sources import Source, event_of, items
from watchword.spark.streaming import VersionLog
from watchword.store import Item, Match, Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

CHANGES = "id string, subscription string"


@dataclass
class Progress:
    """What one batch did, with which version of each language's index."""

    batch: int
    items: int = 0
    pairs: int = 0
    seconds: float = 0.0
    versions: dict[str, int] = field(default_factory=dict)
    unread: dict[str, list[str]] = field(default_factory=dict)
    """By language, of every item that it could not read, the id and the reason."""


Report = Callable[[Progress], None]


class Pipeline:
    """One stream of a home. `start` begins it; `report` is called after every batch."""

    def __init__(
        self, spark: SparkSession, home: Home, source: Source, *, run: str = "main", shards: int = 1, report: Report
    ) -> None:
        self._spark, self._home, self._source, self._shards = spark, home, source, shards
        self._run: Run = home.run(run)
        self._report = report
        self._versions = VersionLog(self._run.versions)

    def start(self, *, once: bool, interval: float = 10.0) -> StreamingQuery:
        """Start the stream: `once` takes what is there and ends, otherwise it looks again every `interval` seconds."""
        with self._home.store() as store:
            languages = store.stats().subscriptions
        with_text = not languages or any(language_class(name).plug.objects is None for name in languages)
        stream = items(self._spark, self._source, self._run.spool, with_text=with_text)
        writer = stream.writeStream.foreachBatch(self._batch).option("checkpointLocation", str(self._run.checkpoint))
        trigger = writer.trigger(availableNow=True) if once else writer.trigger(processingTime=f"{interval} seconds")
        return trigger.start()

    def _batch(self, batch: DataFrame, number: int) -> None:
        started = time.monotonic()
        done = Progress(number)
        with self._home.store() as store:
            languages = [name for name in store.stats().subscriptions if not store.is_recorded(self._key(number, name))]
            batch = batch.persist()
            try:
                done.items = batch.count()
                for language in languages:
                    done.versions[language] = self._version(store, language, number)
                    done.pairs += self._match(store, batch, language, done)
            finally:
                batch.unpersist()
        done.seconds = time.monotonic() - started
        self._report(done)

    def _key(self, number: int, language: str) -> str:
        return f"{self._run.id}:{number}:{language}"

    def _version(self, store: Store, language: str, number: int) -> int:
        """Return the version of an index for a batch: as recorded, or else brought up to the store and recorded."""
        path = self._home.index(language)
        recorded = self._versions.recorded(number, path)
        if recorded is not None and is_outdated(path, recorded):
            self._versions.forget(number, path)
            recorded = None
        if recorded is None:
            self._refresh(store, language)
        return self._versions.version_for(number, path)

    def _refresh(self, store: Store, language: str) -> None:
        """Bring an index up to the store; a new one gets the options that the store has for its language.

        An index that was written in an older format is built anew.
        """
        path = self._home.index(language)
        noted = self._home.counters(language)
        if noted and is_outdated(path):
            noted = {}
        since = next(reversed(noted.values()), 0)
        changes, counter = store.changes_since(since, language=language)
        frame = self._spark.createDataFrame([(change.id, change.text) for change in changes], CHANGES)
        if not noted:
            given = frame.where("subscription IS NOT NULL")
            version = build(given, path, language=language, shards=self._shards, **store.options(language))
        elif changes:
            version = update(path, frame)
        else:
            version = next(reversed(noted))
        self._home.note_counter(language, version, counter)

    def _match(self, store: Store, batch: DataFrame, language: str, done: Progress) -> int:
        """Match a batch in one language and write what was found; return the number of pairs."""
        version = done.versions[language]
        attributes = language_class(language)(**store.options(language)).attributes
        pairs = match(
            batch,
            self._home.index(language),
            column=event_of(language, batch, attributes),
            carry=COLUMNS,
            version=version,
            explain=True,
            on_error="keep",
        ).toArrow()
        self._note_unread(pairs, language, done)
        found = pairs.filter(pc.is_null(pairs["error"])).select(SCHEMA.names).cast(SCHEMA)
        with replaced(self._run.matches / f"batch-{done.batch}-{language}.parquet") as file:
            pq.write_table(found, file)
        counter = self._home.counters(language).get(version)
        store.record(self._key(done.batch, language), _items(found), _matches(found), as_of=counter)
        return int(found.num_rows)

    def _note_unread(self, pairs: pa.Table, language: str, done: Progress) -> None:
        refused = pairs.filter(pc.is_valid(pairs["error"]))
        rows = zip(refused["id"].to_pylist(), refused["error"].to_pylist(), strict=True)
        if refused.num_rows:
            done.unread[language] = [f"{key}: {reason}" for key, reason in rows]


_TEXTS = [name for name in (*COLUMNS, "subscription", "explanation") if name != "published"]
SCHEMA = pa.schema([*((name, pa.string()) for name in _TEXTS), ("published", pa.timestamp("us", "UTC"))])
"""The columns of the files of matches."""


def _items(found: pa.Table) -> list[Item]:
    """Return the items of a table of pairs, each once."""
    seen: dict[str, Item] = {}
    for row in found.select(COLUMNS).to_pylist():
        if row["id"] not in seen:
            said = {name: row[name] for name in COLUMNS[1:] if row[name] is not None}
            seen[row["id"]] = Item(row["id"], **said)
    return list(seen.values())


def _matches(found: pa.Table) -> list[Match]:
    columns = zip(*(found[name].to_pylist() for name in ("id", "subscription", "explanation")), strict=True)
    return [Match(*row) for row in columns]
