"""What streams through a home: ``run``, and the state of its ``feeds``."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from watchword.cli.reporting import fail, note, print_logs_in_lines, reports_errors, say, spinner
from watchword.cli.system import DEFAULT_HOME, KEPT, HomeOption
from watchword.locations import scheme_of
from watchword.visible import counted, visible

if TYPE_CHECKING:
    from watchword.auditing import Auditor
    from watchword.home import Home
    from watchword.spark.pipeline import Progress
    from watchword.spark.sources import Source

SHORT_RUN = {"spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""For a run of seconds: Java otherwise spends a third of them on compiling for speed. The user may add options."""


@reports_errors
def run(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE", help="Feeds (URLs, files, OPML lists), or one folder of JSONL, Parquet or XML files."
        ),
    ] = None,
    format: Annotated[str | None, typer.Option(help="Any other Spark source, such as kafka.")] = None,
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the source.")] = None,
    text: Annotated[str, typer.Option(help="Column of the text, where the source is no feed.")] = "text",
    event_id: Annotated[str, typer.Option(help="Column of the id, where the source is no feed.")] = "id",
    stream: Annotated[
        bool, typer.Option("--stream", help="XML files of the folder hold concatenated documents.")
    ] = False,
    once: Annotated[bool, typer.Option("--once", help="Read the items that are there, then end.")] = False,
    interval: Annotated[float, typer.Option(min=0.1, help="Seconds between two rounds of reading.")] = 10.0,
    name: Annotated[str, typer.Option(help="The run's name: each has its own progress and remembers it.")] = "main",
    shards: Annotated[int, typer.Option(min=1, help="Parts of a new index.")] = 1,
    sink: Annotated[
        str, typer.Option(metavar="NAMES", help="Where matches go: files, inboxes, or both with a comma between them.")
    ] = "files,inboxes",
    master: Annotated[str, typer.Option(help="Spark's master: a cluster's URL, or this machine.")] = "local[*]",
    archive: Annotated[
        bool, typer.Option("--archive/--no-archive", help="Keep each item in the archive, also where nothing matches.")
    ] = True,
    audit: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of items that is also decided by brute force.")
    ] = 0.0,
    forget: Annotated[
        bool,
        typer.Option(
            "--prune/--no-prune",
            help="Delete old matches, inbox and archived items, dead letters every hour, as watchword prune does.",
        ),
    ] = True,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Stream items through Spark, and put matches into inboxes and files.

    Stopped or killed at any moment and started again, it goes on where it was: no match is lost, none is written
    twice. New subscriptions are taken up at the next batch. A batch that fails, because a worker was killed, is tried
    three times more. Items that cannot be read are set aside: watchword dead-letters shows them. Feeds that were added
    over HTTP (HOME/feeds.opml) are read beside the named ones.

    [bold]Examples[/bold]

      watchword run feeds.opml

      watchword run incoming/ --once

      watchword run documents/   # of *.xml, for paths; with --stream, several documents in each

      watchword run --format kafka --option subscribe=news --option kafka.bootstrap.servers=localhost:9092 --text value
    """
    from watchword.home import Home
    from watchword.spark.sinks import make_sinks

    at = Home(home)
    at.store().close()  # raises before Spark starts
    with at.run(name).held():
        pass  # raises if another process has the run
    sinks = make_sinks(filter(None, map(str.strip, sink.split(","))), at, at.run(name))
    chosen = _source(sources or [], format, option or [], text, event_id, stream, at.feeds)
    _note_subscriptions(at)
    how_often = "once" if once else f"again every {interval:g} s, until it is stopped (Ctrl-C)"
    note(f"reading {chosen.description}; {how_often}")
    note(f"starting Spark ({master}), which takes some seconds")
    print_logs_in_lines()
    started = time.monotonic()
    with spinner("starting Spark"):
        from watchword.spark.failures import say_it_once
        from watchword.spark.java import local_session
        from watchword.spark.pipeline import Pipeline

        spark = local_session("watchword", master=master, **(SHORT_RUN if once else {}))
        say_it_once(spark)
    note(f"Spark has started ({time.monotonic() - started:.1f} s); asking for items")
    try:
        report, retention = Report(), KEPT if forget else None
        pipeline = Pipeline(
            spark,
            at,
            chosen.source,
            run=name,
            shards=shards,
            retention=retention,
            sinks=sinks,
            archive=archive,
            audit=audit,
            report=report,
        )
        pipeline.run(once=once, interval=interval)
        note(report.summary())
        if pipeline.auditor is not None:
            note(_audit_summary(pipeline.auditor))
    finally:
        with suppress(Exception):  # a Java process that was killed cannot be stopped
            spark.stop()


class Report:
    """Prints the figures of each batch, and at the end of all batches."""

    def __init__(self) -> None:
        self._batches = self._items = self._pairs = 0

    def __call__(self, done: Progress) -> None:
        """Print the figures of a batch."""
        self._batches, self._items, self._pairs = self._batches + 1, self._items + done.items, self._pairs + done.pairs
        versions = ", ".join(f"{language} version {version}" for language, version in done.versions.items())
        aside = f", {done.aside:,} set aside (watchword dead-letters)" if done.aside else ""
        found = f"{counted(done.items, 'item')}, {counted(done.pairs, 'match', 'matches')}{aside}"
        note(f"batch {done.batch}: {found}, {done.seconds:.1f} s{f' ({versions})' if versions else ''}")

    def summary(self) -> str:
        """Return the figures of all batches."""
        if not self._batches:
            return "done: nothing new"
        found = f"{counted(self._items, 'item')}, {counted(self._pairs, 'match', 'matches')}"
        return f"done: {found} in {counted(self._batches, 'batch', 'batches')}; watchword inbox NAME shows them"


def _audit_summary(auditor: Auditor) -> str:
    """Return how many answers were decided again, and how many of them otherwise."""
    found = counted(auditor.found, "difference") if auditor.found else "no difference"
    return (
        f"self-audit: {counted(auditor.decided, 'answer')} decided again, {found if auditor.found else 'no difference'}"
    )


def _note_subscriptions(home: Home) -> None:
    """Print how many subscriptions there are in each language."""
    with home.store() as store:
        held = store.stats().subscriptions
    counts = ", ".join(f"{number:,} of {language}" for language, number in held.items())
    nobody = "nobody has subscribed yet: watchword subscribe NAME 'greece AND crisis'"
    note(f"{home.path}: {f'subscriptions: {counts}' if counts else nobody}")


class Chosen(NamedTuple):
    """A source of items, and its description for people."""

    source: Source
    description: str


def _source(
    sources: list[str], format: str | None, options: list[str], text: str, event_id: str, stream: bool, own: Path
) -> Chosen:
    """Return the source that the arguments name; a wrong argument ends the command before Spark starts.

    `own` is the home's list of feeds, which is read beside other feeds, if it is there.
    """
    from watchword.spark.sources import Source

    given = {}
    for pair in options:
        key, found, value = pair.partition("=")
        if not found:
            fail(f"--option {pair}: expected NAME=VALUE")
        given[key] = value
    if format is not None:
        if stream:
            fail("--stream: it is for a folder of XML files, not for --format")
        if sources:
            fail("give SOURCE or --format, not both; the source's own options go into --option")
        return Chosen(Source(format, given, text, event_id), f"the source {format}")
    if not sources and own.exists():
        sources = [str(own)]
    if not sources:
        fail("give a SOURCE: feeds, an OPML list, or a folder of JSONL, Parquet or XML files; or --format")
    for name in sources:
        if scheme_of(name) not in (None, "http", "https"):
            fail(
                f"{name}: a SOURCE is a feed (http, https), or a file or folder of this machine; files elsewhere are "
                f"read by --format json --option path={name}, with the connector that they need"
            )
    folders = [name for name in sources if Path(name).is_dir()]
    if folders and len(sources) > 1:
        fail(f"{folders[0]} is a folder: give it alone")
    if folders:
        source = Source.folder(folders[0], text, event_id, stream=stream, **given)
        return Chosen(source, f"the {'documents' if stream else 'files'} of {folders[0]}")
    if stream:
        fail("--stream: it is for a folder of XML files that hold concatenated documents")
    if own.exists():
        sources = list(dict.fromkeys([*sources, str(own)]))
    return Chosen(Source.feeds(sources, **given), _check_feeds(sources))


def _check_feeds(names: list[str]) -> str:
    """Return a description of the feeds; a name that is no feed ends the command."""
    from watchword.feeds import check_sources
    from watchword.tables.sources import kind_of

    for name in names:
        if Path(name).is_file() and kind_of(name) != "lines":
            fail(f"{name}: this is no feed; items in files are read from a folder: run {Path(name).parent}{os.sep}")
    found = check_sources(names)
    for problem in found.problems:
        note(f"left out: {problem}")
    return f"{counted(len(found.feeds), 'feed')} ({', '.join(names)})"


@reports_errors
def feeds(home: HomeOption = DEFAULT_HOME) -> None:
    """Show how each feed fared: when it was last asked, what it had, and when it is asked again.

    [bold]new[/bold] is what the last answer had that was not known, [bold]items[/bold] all that the feed has given.
    A feed that fails is asked later and later.

    [bold]Example[/bold]

      watchword feeds --home alerts
    """
    from watchword.cli.printing import print_table
    from watchword.feeds import Spool
    from watchword.home import Home

    at = Home(home)
    at.store().close()
    rows = [
        (run.name, visible(feed), *_feed_row(status))
        for run in at.runs()
        for feed, status in sorted(Spool(run.spool).status().items())
    ]
    if not rows:
        say("no feeds yet: watchword run SOURCE reads them")
        return
    print_table(("run", "feed", "asked (UTC)", "status", "new", "items", "next (UTC)"), rows, numbers=("new", "items"))


def _feed_row(status: Any) -> tuple[str, ...]:
    """Return the columns of a feed from its state in the spool, which may be damaged."""
    known = status if isinstance(status, dict) else {}
    problems, failures = known.get("problems"), known.get("failures")
    read = f"read, but: {problems[0]}" if isinstance(problems, list) and problems else "read"
    state = str(known.get("error") or read)
    if isinstance(failures, int) and failures:
        state += f" ({counted(failures, 'failure')} in succession)"
    following = "never: it is gone" if known.get("gone") else _moment(known.get("next"))
    figures = (_moment(known.get("at")), state, known.get("new", ""), known.get("items", ""), following)
    return tuple(visible(str(figure)) for figure in figures)


def _moment(time: object) -> str:
    """Return a time of the spool to the minute: ``2026-11-16 19:22``."""
    return str(time or "")[:16].replace("T", " ")
