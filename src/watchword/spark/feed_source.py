"""Feeds as a Spark source: ``spark.readStream.format("watchword-feeds")``, and ``spark.read`` for one look.

The driver fetches; executors get the items with their partition and need neither the network nor the spool. As a
stream, what a fetch brings is first made durable in the folder of the option ``spool`` (`watchword.feeds.spool`), under
the next number. An offset is the number of the last file, so a range of offsets gives the same items however often it
is read: a restart repeats an unfinished batch exactly, publishes no seen item again and loses none. Spool and
checkpoint belong together: keep or remove both. A feed that fails is logged when its failure is new, and is in the
spool's ``status.json``. It is asked again after ``interval``, then after twice as long, and so on up to ``max_wait``,
or when its server said; one that its server called gone is left alone until ``backoff.json`` is removed from the spool.

Options: ``feeds`` (or the path given to ``load``): a feed, an OPML list or a folder, or several, one a line or as a
JSON list. ``spool``: the folder, for streams. ``interval``: seconds between fetches, whatever the trigger (default 60).
``keep``: files kept behind the finished batch (default 100). ``rows``: items in a partition (default 1,000). And every
field of `watchword.feeds.Limits`, such as ``timeout``, ``max_bytes`` and ``max_wait``.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow
from pyspark.sql.types import ArrayType, StringType, StructType, TimestampType

from watchword.errors import FeedError, OptionError
from watchword.items import COLUMNS as COLUMNS
from watchword.visible import visible

# `watchword.feeds` is imported where it is used, on the driver: executors unpickle this module's classes, and need
# neither the packages that read feeds nor the time to import them.
if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from watchword.feeds import FeedItem, FeedState, Limits, Round, Spool

NAME = "watchword-feeds"
_KINDS = {"published": TimestampType(), "categories": ArrayType(StringType())}
_OWN_OPTIONS = ("feeds", "path", "spool", "interval", "keep", "rows")
_GONE = "; it will not be asked again, unless backoff.json is removed from the spool"
_log = logging.getLogger("watchword.feeds")


def register(spark: SparkSession) -> None:
    """Make the format ``watchword-feeds`` known to a session."""
    spark.dataSource.register(FeedDataSource)


def feed_schema() -> StructType:
    """Return the columns of an item; all may be null but ``id``, ``title``, ``text`` and ``feed``."""
    schema = StructType()
    for name in COLUMNS:
        schema = schema.add(name, _KINDS.get(name, StringType()))
    return schema


class FeedDataSource(DataSource):
    """Items of RSS and Atom feeds."""

    @classmethod
    def name(cls) -> str:
        return NAME

    def schema(self) -> StructType:
        _Options(self.options)
        return feed_schema()

    def reader(self, schema: StructType) -> DataSourceReader:
        _check_schema(schema)
        return FeedReader(_Options(self.options))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        _check_schema(schema)
        options = _Options(self.options)
        if not options.spool:
            raise OptionError(
                "a stream of feeds needs the option 'spool': a folder of its own, beside the checkpoint, "
                "where fetched items are kept until they are processed"
            )
        return FeedStreamReader(options)


class _Options:
    """The options, checked."""

    def __init__(self, given: Mapping[str, str]) -> None:
        limits = _limits()
        for name in given:
            if name.lower() not in (*_OWN_OPTIONS, *limits):
                known = ", ".join((*_OWN_OPTIONS, *limits))
                raise OptionError(f"{NAME} has no option {name!r}; it has {known}")
        self.feeds = given.get("feeds") or given.get("path") or ""
        if not self.feeds.strip():
            raise OptionError(f"{NAME} needs the option 'feeds': a URL, a path, an OPML list or a folder")
        self.spool = given.get("spool") or ""
        self.interval = _number(given, "interval", 60.0, float, 0)
        self.keep = _number(given, "keep", 100, int, 1)
        self.rows = _number(given, "rows", 1000, int, 1)
        self._limits = {name: _number(given, name, None, kind) for name, kind in limits.items() if name in given}
        self.limits()

    def limits(self) -> Limits:
        from watchword.feeds import Limits

        return Limits(**self._limits)


class ItemPartition(InputPartition):
    """Items of one partition, as rows."""

    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        super().__init__(None)
        self.rows = rows


class FeedReader(DataSourceReader):
    """Fetches once, and gives all items that the feeds have at that moment."""

    def __init__(self, options: _Options) -> None:
        self._options = options

    def partitions(self) -> Sequence[InputPartition]:
        from watchword.feeds import fetch, list_sources

        options = self._options
        sources = list_sources(options.feeds, limits=options.limits())
        round = fetch(sources.feeds, limits=options.limits(), listed=sources.listed)
        failures = [*sources.problems, *round.errors]
        if failures and len(round.errors) == len(round.results):
            raise failures[-1]  # nothing at all could be read; an empty answer would hide it
        for failure in failures:
            _log.warning("%s", visible(str(failure)))
        return _partitions(round.items, options.rows) or [ItemPartition([])]

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        assert isinstance(partition, ItemPartition)
        return iter(partition.rows)


class FeedStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Fetches into a spool, and reads from it."""

    def __init__(self, options: _Options) -> None:
        self._options = options
        self._spool: Spool | None = None  # opened where it is first used: executors get a copy of this object
        self._feeds: tuple[str, ...] = ()
        self._listed: frozenset[str] = frozenset()
        self._next_fetch = float("-inf")
        self._fetched = False
        self._one_fetch = False
        self._reported: dict[str, str] = {}
        self._polled: dict[str, float] = {}

    def initialOffset(self) -> dict[str, int]:
        numbers = self._open().numbers()
        return {"spool": numbers[0] - 1 if numbers else 0}

    def prepareForTriggerAvailableNow(self) -> None:
        self._one_fetch = True

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        due = not self._fetched if self._one_fetch else time.monotonic() >= self._next_fetch
        if due:
            self._fetch(start["spool"])  # after the start, so that a lost spool does not number below the checkpoint
        return {"spool": max(start["spool"], self._open().last())}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        return _partitions(self._open().between(start["spool"], end["spool"]), self._options.rows)

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        assert isinstance(partition, ItemPartition)
        return iter(partition.rows)

    def commit(self, end: dict[str, int]) -> None:
        self._open().remove_through(end["spool"] - self._options.keep)

    def stop(self) -> None:
        if self._spool is not None:
            self._spool.close()
            self._spool = None

    def _open(self) -> Spool:
        if self._spool is None:
            from watchword.feeds import Spool

            patience = max(60.0, 3 * self._options.limits().timeout)
            self._spool = Spool(self._options.spool, patience=patience).open()
        return self._spool

    def _fetch(self, after: int) -> None:
        """Ask all feeds and append new items to the spool, under a number greater than `after`."""
        from watchword.feeds import Backoff, fetch, list_sources

        spool, limits = self._open(), self._options.limits()
        sources = list_sources(self._options.feeds, limits=limits)
        if sources.feeds or not sources.problems:
            self._feeds, self._listed = sources.feeds, sources.listed
        elif not self._feeds:
            raise sources.problems[0]  # at the start there are no feeds to go on with
        backoff = Backoff(first=max(self._options.interval, 1.0), most=limits.max_wait)
        round = fetch(self._asked_now(), spool.state, limits=limits, backoff=backoff, listed=self._listed)
        spool.append(round, after=after, interval=self._options.interval)
        self._report(sources.problems, round)
        self._fetched = True
        self._next_fetch = time.monotonic() + self._options.interval

    def _asked_now(self) -> list[str]:
        """Return the feeds to ask; a feed that a hub pushes (`feeds.websub`) is asked every hour."""
        from watchword.feeds.websub import SLOW, pushes_of_spool

        now = time.monotonic()
        pushed = pushes_of_spool(Path(self._options.spool)).pushed(time.time())
        asked = [feed for feed in self._feeds if feed not in pushed or now - self._polled.get(feed, now - SLOW) >= SLOW]
        self._polled |= dict.fromkeys(asked, now)
        return asked

    def _report(self, problems: Iterable[FeedError], round: Round) -> None:
        failures = {str(error): error.source for error in (*problems, *round.errors)}
        told = set(self._reported.values())
        # A feed that was not asked this time keeps its last reported failure.
        failures |= {text: source for text, source in self._reported.items() if source in round.waiting}
        failures |= {_waits(source, round.state[source]): source for source in round.waiting if source not in told}
        for text, source in failures.items():
            if text not in self._reported:
                gone = source in round.state and round.state[source].gone
                _log.warning("%s%s", visible(text), _GONE if gone else "")
        for source in dict.fromkeys(self._reported.values()):
            if source not in failures.values():
                _log.warning("%s: it can be read again", visible(source))
        self._reported = failures


def _waits(source: str, state: FeedState) -> str:
    """Return the message about a feed that failed before this process began and is not asked yet."""
    return f"{source}: it failed when it was last asked ({state.failures} in succession), and is left alone"


def _limits() -> dict[str, Callable[[str], Any]]:
    """Return, by the name of each limit, the function that reads it from an option's text."""
    from watchword.feeds.limits import SECONDS, SWITCHES, Limits

    kinds = dict.fromkeys(SECONDS, float) | dict.fromkeys(SWITCHES, _switch)
    return {field.name: kinds.get(field.name, int) for field in fields(Limits)}


def _switch(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise OptionError(f"a yes or no is true or false, not {text!r}")
    return text.lower() == "true"


def _partitions(items: Iterable[FeedItem], rows: int) -> list[ItemPartition]:
    table = [tuple(_value(getattr(item, name)) for name in COLUMNS) for item in items]
    return [ItemPartition(table[start : start + rows]) for start in range(0, len(table), rows)]


def _value(value: Any) -> Any:
    """Return a field of an item in the type of its Spark column."""
    return list(value) if isinstance(value, tuple) else value


def _check_schema(schema: StructType) -> None:
    expected = feed_schema()
    given = [(field.name, field.dataType) for field in schema.fields]
    if given != [(field.name, field.dataType) for field in expected.fields]:
        raise OptionError(
            f"the columns of {NAME} are {expected.simpleString()}; leave .schema() out and select from them"
        )


def _number(
    given: Mapping[str, str], name: str, default: Any, kind: Callable[[str], Any], least: float | None = None
) -> Any:
    text = given.get(name)
    if text is None:
        return default
    try:
        value = kind(text)
    except ValueError:
        raise OptionError(f"{name} must be a number, not {text!r}") from None
    if least is not None and not value >= least:
        raise OptionError(f"{name} must be {least} or more, not {text}")
    return value
