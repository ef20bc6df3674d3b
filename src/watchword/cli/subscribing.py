"""Who subscribes to what: ``subscribe``, ``unsubscribe``, ``subscriptions``, ``pause``, ``snooze``; ``subscribers``."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from watchword.cli import opening
from watchword.cli.reporting import fail, note, reports_errors, say
from watchword.cli.system import DEFAULT_HOME, HomeOption, note_options
from watchword.errors import UnknownNameError
from watchword.visible import counted, visible

if TYPE_CHECKING:
    from watchword.store import Details, Store, Subscription

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich", help="List, add and remove those who subscribe.")
IdsArgument = Annotated[list[str], typer.Argument(metavar="ID", help="Ids of subscriptions.")]
NamesArgument = Annotated[list[str], typer.Argument(metavar="NAME", help="Names of subscribers.")]


@reports_errors
def subscribe(
    subscriber: Annotated[str, typer.Argument(metavar="NAME", help="Who subscribes; added if new.")],
    text: Annotated[str | None, typer.Argument(metavar="SUBSCRIPTION", help="The subscription's text.")] = None,
    id: Annotated[str | None, typer.Option(help="Its id; one of the subscriber's own is replaced.")] = None,
    language: Annotated[str, typer.Option(help="The subscription's language.")] = "keywords",
    dialect: opening.DialectOption = None,
    log_sources: opening.LogSourcesOption = None,
    mapping: opening.MappingOption = None,
    dialect_set: opening.DialectSetOption = None,
    name: Annotated[str | None, typer.Option(help="A name for people.")] = None,
    note_: Annotated[str | None, typer.Option("--note", help="A note for people.")] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="A tag; may be given several times.")] = None,
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="Many: CSV, TSV, JSON lines, Parquet or plain lines.")
    ] = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Subscribe: whatever matches from the next batch on is in the subscriber's inbox.

    [bold]Examples[/bold]

      watchword subscribe ada 'greece AND (crisis OR bailout) NOT imf'

      watchword subscribe ada 'ferry AND storm' --id storms --name 'Storms at sea' --tag sea --tag weather

      watchword subscribe ada --file alerts.csv

      watchword subscribe ada "MATCHES 'ferry' AND feed = 'Harbour news' AND NOT author = 'desk'" --language predicates

      watchword subscribe ada "categories KIND OF 'politics'" --language predicates

      watchword subscribe ada "//article[@section='sport']//photo" --language paths
    """
    from watchword.home import Home
    from watchword.store import Request

    if (text is None) == (file is None):
        fail("give a SUBSCRIPTION, or --file with many")
    if file is not None and (name, note_, tag) != (None, None, None):
        fail("--name, --note and --tag are of one subscription: leave them out, or leave out --file")
    chosen = opening.check_language(language)
    options = opening.IndexOptions(
        language, dialect=dialect, log_sources=log_sources, mapping=mapping, dialect_set=dialect_set
    )
    with Home(home).store() as store:
        store.add_subscriber(subscriber)
        if file is None:
            own = str(text) if dialect is None else opening.translator(chosen, options)(str(text))
            details = _details(store, id, name, note_, tag)
            say(store.subscribe(subscriber, own, language=language, id=id, details=details))
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


def _details(
    store: Store, id: str | None, name: str | None, note: str | None, tags: list[str] | None
) -> Details | None:
    """Return the present details of a subscription with these values put in; None if there is no value."""
    from watchword.store import Details

    given = {"name": name, "note": note, "tags": None if tags is None else tuple(tags)}
    chosen: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
    if not chosen:
        return None
    try:
        return replace(Details() if id is None else store.subscription(id).details, **chosen)
    except UnknownNameError:
        return Details(**chosen)


@reports_errors
def unsubscribe(
    ids: IdsArgument,
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
        found = store.subscriptions(subscriber)
        note_options(store)
    header = ["subscriber", "id", "language", "subscription"]
    rows = [[s.subscriber, s.id, s.language, s.text] for s in found]
    for column, cells in _described(found).items():
        if any(cells):
            header.append(column)
            rows = [[*row, cell] for row, cell in zip(rows, cells, strict=True)]
    print_table(header, rows)


def _described(found: list[Subscription]) -> dict[str, list[str]]:
    """Return further columns of the list; a column is shown if a subscription has something in it."""
    from watchword.store.records import now

    time = now()
    return {
        "name": [one.details.name for one in found],
        "tags": [", ".join(one.details.tags) for one in found],
        "state": [_state(one.details, time) for one in found],
    }


def _state(details: Details, now: datetime) -> str:
    if details.paused:
        return "paused"
    until = details.snoozed
    return f"snoozed until {until:%Y-%m-%d %H:%M}" if until is not None and until > now else ""


@reports_errors
def pause(ids: IdsArgument, home: HomeOption = DEFAULT_HOME) -> None:
    """Let subscriptions match nothing until they are resumed.

    [bold]Example[/bold]

      watchword pause storms
    """
    _change(home, ids, paused=True)


@reports_errors
def resume(ids: IdsArgument, home: HomeOption = DEFAULT_HOME) -> None:
    """Let paused or snoozed subscriptions match and be delivered again.

    [bold]Example[/bold]

      watchword resume storms
    """
    _change(home, ids, paused=False, snoozed=None)


@reports_errors
def snooze(
    ids: IdsArgument,
    days: Annotated[float, typer.Option(min=0, max=36_500, metavar="DAYS", help="For how long.")] = 1.0,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Deliver nothing of subscriptions for some days; what they match meanwhile is not delivered later either.

    [bold]Example[/bold]

      watchword snooze storms --days 7
    """
    from watchword.store.records import now

    _change(home, ids, snoozed=now() + timedelta(days=days))


def _change(home: Path, ids: list[str], **changed: Any) -> None:
    """Change details of subscriptions; if one is unknown, none is changed."""
    from watchword.home import Home

    with Home(home).store() as store:
        for one in [store.subscription(id) for id in ids]:
            store.set_details(one.id, replace(one.details, **changed))


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
