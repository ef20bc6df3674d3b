"""Who subscribes to what: ``subscribe``, ``unsubscribe``, ``subscriptions``, and ``subscribers``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from watchword.cli import opening
from watchword.cli.reporting import fail, note, reports_errors, say
from watchword.cli.system import DEFAULT_HOME, HomeOption, note_options
from watchword.visible import counted, visible

if TYPE_CHECKING:
    from watchword.store import Store

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich", help="List, add and remove those who subscribe.")
NamesArgument = Annotated[list[str], typer.Argument(metavar="NAME", help="Names of subscribers.")]


@reports_errors
def subscribe(
    subscriber: Annotated[str, typer.Argument(metavar="NAME", help="Who subscribes; added if new.")],
    text: Annotated[str | None, typer.Argument(metavar="SUBSCRIPTION", help="The subscription's text.")] = None,
    id: Annotated[str | None, typer.Option(help="Its id; one of the subscriber's own is replaced.")] = None,
    language: Annotated[str, typer.Option(help="The subscription's language.")] = "keywords",
    dialect: opening.DialectOption = None,
    log_sources: opening.LogSourcesOption = None,
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="Many: CSV, TSV, JSON lines, Parquet or plain lines.")
    ] = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Subscribe: whatever matches from the next batch on is in the subscriber's inbox.

    [bold]Examples[/bold]

      watchword subscribe ada 'greece AND (crisis OR bailout) NOT imf'

      watchword subscribe ada --file alerts.csv

      watchword subscribe ada "MATCHES 'ferry' AND feed = 'Harbour news' AND NOT author = 'desk'" --language predicates

      watchword subscribe ada "categories KIND OF 'politics'" --language predicates

      watchword subscribe ada "//article[@section='sport']//photo" --language paths
    """
    from watchword.home import Home
    from watchword.store import Request

    if (text is None) == (file is None):
        fail("give a SUBSCRIPTION, or --file with many")
    chosen = opening.check_language(language)
    options = opening.IndexOptions(language, dialect=dialect, log_sources=log_sources)
    with Home(home).store() as store:
        store.add_subscriber(subscriber)
        if file is None:
            own = str(text) if dialect is None else opening.translator(chosen, options)(str(text))
            say(store.subscribe(subscriber, own, language=language, id=id))
            _note_unknown_topics(store, language, own)
            return
        found = opening.translate(opening.read(file, options), chosen, options)
        pairs = zip(found.table["id"].to_pylist(), found.table["subscription"].to_pylist(), strict=True)
        with opening.naming_the_place(found):
            ids = store.subscribe_many(Request(subscriber, text, str(key), language) for key, text in pairs)
        note(f"{counted(len(ids), 'subscription')} for {subscriber}")


def _note_unknown_topics(store: Store, language: str, text: str) -> None:
    """Say which topics of a subscription the home does not have; it hears of them once the tree or an item does."""
    if language != "predicates":
        return
    from watchword.predicates import unknown_nodes

    for topic, near in unknown_nodes(text, store.options(language)).items():
        similar = f"; similar: {', '.join(map(visible, near))}" if near else ""
        note(f"no topic {visible(topic)!r} is known yet{similar} (watchword topics list)")


@reports_errors
def unsubscribe(
    ids: Annotated[list[str], typer.Argument(metavar="ID", help="Ids of subscriptions.")],
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Unsubscribe. Delivered matches stay in the inbox."""
    from watchword.home import Home

    with Home(home).store() as store:
        for id in ids:
            store.unsubscribe(id)


@reports_errors
def subscriptions(
    subscriber: Annotated[str | None, typer.Argument(metavar="NAME", help="One subscriber; all if left out.")] = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """List subscriptions, and the options chosen for their languages."""
    from watchword.cli.printing import print_table
    from watchword.home import Home

    with Home(home).store() as store:
        rows = [(s.subscriber, s.id, s.language, s.text) for s in store.subscriptions(subscriber)]
        note_options(store)
    print_table(("subscriber", "id", "language", "subscription"), rows)


@app.command()
@reports_errors
def add(names: NamesArgument, home: HomeOption = DEFAULT_HOME) -> None:
    """Add subscribers; existing ones are left unchanged.

    [bold]Example[/bold]

      watchword subscribers add ada bob
    """
    from watchword.home import Home

    with Home(home).store() as store:
        for name in names:
            note(f"{name}: {'added' if store.add_subscriber(name) else 'was there already'}")


@app.command()
@reports_errors
def remove(names: NamesArgument, home: HomeOption = DEFAULT_HOME) -> None:
    """Remove subscribers with their subscriptions and their inboxes.

    [bold]Example[/bold]

      watchword subscribers remove bob
    """
    from watchword.home import Home

    with Home(home).store() as store:
        for name in names:
            gone = len(store.subscriptions(name))
            store.remove_subscriber(name)
            note(f"{name}: removed, with {counted(gone, 'subscription')} and the inbox")


@app.command("list")
@reports_errors
def list_subscribers(home: HomeOption = DEFAULT_HOME) -> None:
    """List subscribers, since when they are there, and how many subscriptions each has.

    [bold]Example[/bold]

      watchword subscribers list
    """
    from watchword.cli.printing import print_table
    from watchword.home import Home

    with Home(home).store() as store:
        have = Counter(one.subscriber for one in store.subscriptions())
        rows = [(visible(one.name), f"{one.created:%Y-%m-%d}", f"{have[one.name]:,}") for one in store.subscribers()]
    if not rows:
        say("no subscribers")
        return
    print_table(("subscriber", "since", "subscriptions"), rows, numbers=("subscriptions",))
