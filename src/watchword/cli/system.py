"""The running system: ``init``, ``subscribe``, ``unsubscribe``, ``subscriptions``, ``run``, ``inbox``, and what is left
of it: ``dead-letters``, ``prune``."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from watchword.cli import opening
from watchword.cli.reporting import fail, note, reported, say, size_of, spinner
from watchword.locations import scheme_of
from watchword.retention import Retention
from watchword.visible import visible

if TYPE_CHECKING:
    from watchword.spark.pipeline import Progress
    from watchword.spark.sources import Source
    from watchword.store import Store

HomeOption = Annotated[
    Path, typer.Option("--home", envvar="WATCHWORD_HOME", metavar="FOLDER", help="The system's folder, no URL.")
]
DEFAULT_HOME = Path("watchword-home")
KEPT = Retention()


@reported
@opening.offers_language_options
def init(
    home: HomeOption = DEFAULT_HOME,
    language: Annotated[
        str | None, typer.Option(help="Whose index the options below are for.", show_default="keywords")
    ] = None,
    given: opening.Given = opening.NOTHING,
) -> None:
    """Make a home folder: a store for subscribers, subscriptions and inboxes.

    The options of a language's index are chosen here, before anybody subscribes in it, and hold for all that do. It
    may be called again, for another language, or without options to see which were chosen.

    [bold]Examples[/bold]

      watchword init --home alerts

      watchword init --home alerts --language patterns --ignore-case
    """
    from watchword.home import Home

    chosen, options = opening.index_options(opening.IndexOptions(language, given=given))
    made = Home.make(home)
    with made.store() as store:
        if options:
            store.set_options(chosen, **options)
        _note_options(store)
    note(f"{made.path}: ready. Next: watchword subscribe NAME 'greece AND crisis' --home {home}")


def _note_options(store: Store) -> None:
    """Say what was chosen for each language's index."""
    for language, options in store.stats().options.items():
        note(f"{language}: {', '.join(opening.option_text(*option) for option in options.items()) or 'no options'}")


@reported
def subscribe(
    subscriber: Annotated[str, typer.Argument(metavar="NAME", help="Who subscribes; made where unknown.")],
    text: Annotated[str | None, typer.Argument(metavar="SUBSCRIPTION", help="What for.")] = None,
    id: Annotated[str | None, typer.Option(help="Its id; one of the subscriber's own is replaced.")] = None,
    language: Annotated[str, typer.Option(help="The subscription's language.")] = "keywords",
    dialect: opening.DialectOption = None,
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="Many: CSV, TSV, JSON lines, Parquet or plain lines.")
    ] = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Subscribe: whatever matches from the next batch on is in the subscriber's inbox.

    [bold]Examples[/bold]

      watchword subscribe ada 'greece AND (crisis OR bailout) NOT imf'

      watchword subscribe ada --file alerts.csv

      watchword subscribe ada "feed = 'Harbour news' AND published > '2026-11-01'" --language predicates

      watchword subscribe ada "//article[@section='sport']//photo" --language paths
    """
    from watchword.home import Home
    from watchword.store import Request

    if (text is None) == (file is None):
        fail("give a SUBSCRIPTION, or --file with many")
    chosen = opening.chosen_language(language)
    with Home(home).store() as store:
        store.add_subscriber(subscriber)
        if file is None:
            said = str(text) if dialect is None else opening.translator(chosen, dialect)(str(text))
            say(store.subscribe(subscriber, said, language=language, id=id))
            return
        from watchword.tables import read_subscriptions

        table = opening.translated(read_subscriptions(file), chosen, dialect).table
        pairs = zip(table["id"].to_pylist(), table["subscription"].to_pylist(), strict=True)
        ids = store.subscribe_many(Request(subscriber, text, str(key), language) for key, text in pairs)
        note(f"{len(ids):,} subscriptions for {subscriber}")


@reported
def unsubscribe(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of subscriptions.")],
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Unsubscribe. What was delivered stays in the inbox."""
    from watchword.home import Home

    with Home(home).store() as store:
        for id in ids:
            store.unsubscribe(id)


@reported
def subscriptions(
    subscriber: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Of whom; of all if left out.")] = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """List subscriptions, and the options chosen for their languages."""
    from watchword.cli.printing import print_table
    from watchword.home import Home

    with Home(home).store() as store:
        rows = [(s.subscriber, s.id, s.language, s.text) for s in store.subscriptions(subscriber)]
        _note_options(store)
    print_table(("subscriber", "id", "language", "subscription"), rows)


@reported
def run(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SOURCE...]", help="Feeds (URLs, files, OPML lists), or one folder of JSONL, Parquet or XML files."
        ),
    ] = None,
    format: Annotated[str | None, typer.Option(help="Any other Spark source, such as kafka.")] = None,
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the source.")] = None,
    text: Annotated[str, typer.Option(help="Column of the text, where the source is no feed.")] = "text",
    event_id: Annotated[str, typer.Option(help="Column of the id, where the source is no feed.")] = "id",
    once: Annotated[bool, typer.Option("--once", help="Take what is there, then end.")] = False,
    interval: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks.")] = 10.0,
    name: Annotated[str, typer.Option(help="The run's name: each has its own progress and remembers it.")] = "main",
    shards: Annotated[int, typer.Option(min=1, help="Parts of a new index.")] = 1,
    master: Annotated[str, typer.Option(help="Spark's master: a cluster's URL, or this machine.")] = "local[*]",
    forget: Annotated[
        bool, typer.Option("--prune/--no-prune", help="Forget what is old, every hour, as watchword prune does.")
    ] = True,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Stream items through Spark, and put what matches into inboxes.

    Stopped or killed at any moment and started again, it goes on where it was: no match is lost, none is written
    twice. New subscriptions are taken up at the next batch. A batch that fails, because a worker was killed, is tried
    three times more. Items that cannot be read are set aside: watchword dead-letters shows them.

    [bold]Examples[/bold]

      watchword run feeds.opml

      watchword run incoming/ --once

      watchword run documents/   # of *.xml, for paths

      watchword run --format kafka --option subscribe=news --option kafka.bootstrap.servers=localhost:9092 --text value
    """
    from watchword.home import Home

    at = Home(home)
    at.store().close()  # says what is wrong before Spark starts
    with at.run(name).held():
        pass  # says so if another process has the run
    chosen = _source(sources or [], format, option or [], text, event_id)
    with spinner("starting Spark"):
        from watchword.spark.java import local_session
        from watchword.spark.pipeline import Pipeline

        spark = local_session("watchword", master=master)
    try:
        retention = KEPT if forget else None
        pipeline = Pipeline(spark, at, chosen, run=name, shards=shards, retention=retention, report=_report)
        pipeline.run(once=once, interval=interval)
    finally:
        with suppress(Exception):  # a Java process that was killed cannot be stopped
            spark.stop()


def _source(sources: list[str], format: str | None, options: list[str], text: str, event_id: str) -> Source:
    from watchword.spark.sources import Source

    given = {}
    for pair in options:
        key, found, value = pair.partition("=")
        if not found:
            fail(f"--option {pair}: expected NAME=VALUE")
        given[key] = value
    if format is not None:
        if sources:
            fail("give SOURCE or --format, not both; the source's own options go into --option")
        return Source(format, given, text, event_id)
    if not sources:
        fail("give a SOURCE: feeds, an OPML list, or a folder of JSONL, Parquet or XML files; or --format")
    for name in sources:
        if scheme_of(name) not in (None, "http", "https"):
            fail(
                f"{name}: a SOURCE is a feed (http, https), or a file or folder of this machine; what Spark itself can "
                f"read there, it reads by --format json --option path={name}, with the connector that it needs"
            )
    folders = [name for name in sources if Path(name).is_dir()]
    if folders and len(sources) > 1:
        fail(f"{folders[0]} is a folder: give it alone")
    return Source.folder(folders[0], text, event_id, **given) if folders else Source.feeds(sources, **given)


def _report(done: Progress) -> None:
    versions = ", ".join(f"{language} version {version}" for language, version in done.versions.items())
    aside = f", {done.aside:,} set aside (watchword dead-letters)" if done.aside else ""
    note(f"batch {done.batch}: {done.items:,} items, {done.pairs:,} matches{aside}, {done.seconds:.1f} s ({versions})")


@reported
def inbox(
    subscriber: Annotated[str, typer.Argument(metavar="NAME", help="Whose.")],
    all: Annotated[bool, typer.Option("--all", help="Also what was read before.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Leave it unread.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="The newest so many.")] = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Show what matched, each item once, with the subscriptions that it matched and why; then mark it as read."""
    from watchword.cli.printing import print_deliveries
    from watchword.home import Home

    with Home(home).store() as store:
        found = store.inbox(subscriber, unread_only=not all, limit=limit)
        print_deliveries(subscriber, found)
        if not keep:
            store.mark_read(subscriber, [delivery.item.identity for delivery in found])


@reported
def dead_letters(
    limit: Annotated[int, typer.Option(min=1, help="The newest so many.")] = 20,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Show the items that could not be read, with where they stood and why. All are in runs/NAME/dead-letters."""
    from watchword.cli.printing import print_table
    from watchword.dead_letters import read_letters
    from watchword.home import Home

    at = Home(home)
    at.store().close()
    rows = [
        (run.name, batch, *map(visible, (letter.source, letter.position, letter.reason, letter.raw[:80])))
        for run in at.runs()
        for batch, letter in read_letters(run.dead_letters)
    ]
    say(f"{len(rows):,} dead letters")
    if rows:
        print_table(("run", "batch", "source", "position", "reason", "raw"), rows[-limit:], numbers=("batch",))


def _days(what: str) -> Any:
    return typer.Option(min=0, metavar="DAYS", help=f"Keep {what} for so long.")


@reported
def prune(
    matches: Annotated[float, _days("files of matches")] = KEPT.matches,
    read: Annotated[float, _days("what was read")] = KEPT.read,
    unread: Annotated[float, _days("what was not")] = KEPT.unread,
    dead_letters: Annotated[float, _days("dead letters")] = KEPT.dead_letters,
    compact: Annotated[bool, typer.Option("--compact", help="Make the store's file smaller too; others wait.")] = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Forget what is old: files of matches, what is in inboxes, read or unread, and dead letters.

    It says how much disk each part of the home uses. Runs may go on meanwhile, and each does the same every hour, with
    the defaults. What a run needs in order to go on is never removed.

    [bold]Examples[/bold]

      watchword prune

      watchword prune --matches 1 --unread 14 --compact
    """
    from watchword.cli.printing import print_table
    from watchword.home import Home
    from watchword.retention import disk_use
    from watchword.retention import prune as forget
    from watchword.store.records import now

    at = Home(home)
    at.store().close()
    before = disk_use(at)
    done = forget(at, Retention(matches, read, unread, dead_letters), now())
    if compact:
        with at.store() as store:
            store.compact()
    after = disk_use(at)
    rows = [(part, size_of(size), size_of(after.get(part, 0))) for part, size in before.items()]
    rows.append(("all", size_of(sum(before.values())), size_of(sum(after.values()))))
    print_table(("part", "before", "after"), rows, numbers=("before", "after"))
    note(f"forgotten: {done.deliveries:,} entries of inboxes, {done.files:,} files")
