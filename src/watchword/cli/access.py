"""Who may come in: ``tokens`` for programs, ``login`` for a person; and ``audit``, what they did."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Annotated

import typer

from watchword.cli.reporting import fail, note, reports_errors, say
from watchword.cli.system import DEFAULT_HOME, HomeOption
from watchword.visible import brief, visible

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich", help="List, add and revoke tokens of programs.")
SubscriberArgument = Annotated[str, typer.Argument(metavar="NAME", help="Whose.")]
SOURCE = "command line"
"""Where a change comes from, in the audit log."""


@app.command()
@reports_errors
def add(
    subscriber: SubscriberArgument,
    scope: Annotated[
        str, typer.Option(help="What it may do: some of read, write, match, events, feed and admin.")
    ] = "read,write,match",
    name: Annotated[str, typer.Option(help="A name for people, such as the program's or the machine's.")] = "",
    days: Annotated[
        float | None, typer.Option(metavar="DAYS", help="When it expires.", show_default="it does not expire")
    ] = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Print a new token, once: the home keeps its hash alone.

    [bold]Examples[/bold]

      watchword tokens add ada --name laptop

      watchword tokens add ada --scope read,write,match --name laptop --days 90
    """
    from watchword.home import Home
    from watchword.store.records import now

    if days is not None and not 0 < days <= 36_500:
        fail(f"--days {days:g}: a token expires in more than 0 and at most 36,500 days")
    expires = None if days is None else now() + timedelta(days=days)
    scopes = [part.strip() for part in scope.split(",") if part.strip()]
    with Home(home).store() as store:
        secret = store.add_token(subscriber, name, scopes, expires=expires)
        store.add_audit(subscriber, "add token", name, source=SOURCE, new={"scopes": scopes, "expires": expires})
    typer.echo(secret)
    note("the token is shown this once: keep it; watchword tokens revoke takes it back")


@app.command("list")
@reports_errors
def list_tokens(
    subscriber: Annotated[str | None, typer.Argument(metavar="NAME", help="Whose; all if left out.")] = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """List tokens: their numbers, names and scopes, and when they expire and were last used.

    [bold]Example[/bold]

      watchword tokens list ada
    """
    from watchword.cli.printing import print_table
    from watchword.home import Home

    with Home(home).store() as store:
        found = store.tokens(subscriber)
    if not found:
        say("no tokens")
        return
    rows = [
        (
            visible(token.subscriber),
            token.number,
            visible(token.name),
            ",".join(sorted(token.scopes)),
            *("" if time is None else f"{time:%Y-%m-%d %H:%M}" for time in (token.created, token.expires, token.used)),
        )
        for token in found
    ]
    header = ("subscriber", "number", "name", "scopes", "created", "expires", "used")
    print_table(header, rows, numbers=("number",))


@app.command()
@reports_errors
def revoke(
    subscriber: SubscriberArgument,
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="Its number in watchword tokens list.")],
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Take a token back: from now on it opens nothing.

    [bold]Example[/bold]

      watchword tokens revoke ada 3
    """
    from watchword.home import Home

    with Home(home).store() as store:
        store.revoke_token(subscriber, number)
        store.add_audit(subscriber, "revoke token", str(number), source=SOURCE)
    note(f"token {number} of {subscriber} is revoked")


@reports_errors
def login(
    subscriber: SubscriberArgument,
    url: Annotated[str, typer.Option(metavar="URL", help="Where the server is.")] = "http://127.0.0.1:8480",
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Print a link that opens the console as a subscriber: once, within five minutes.

    [bold]Examples[/bold]

      watchword login ada

      watchword login ada --url https://alerts.example.org/desk
    """
    from urllib.parse import urlsplit

    from watchword.home import Home
    from watchword.store.access import LOGIN_MINUTES

    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
        fail(f"--url {url}: it begins with http:// or https:// and a host, such as http://127.0.0.1:8480")
    with Home(home).store() as store:
        secret = store.add_login(subscriber)
        store.add_audit(subscriber, "add login", subscriber, source=SOURCE)
    typer.echo(f"{url.rstrip('/')}/login?once={secret}")
    note(f"the link opens once, within {LOGIN_MINUTES} minutes")


@reports_errors
def audit(
    limit: Annotated[int, typer.Option(min=1, help="The newest entries, at most this many.")] = 100,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Show who changed what, the newest entry first.

    [bold]Example[/bold]

      watchword audit --limit 20
    """
    from watchword.cli.printing import print_table
    from watchword.home import Home

    with Home(home).store() as store:
        found = store.audit(limit=limit)
    if not found:
        say("no entries")
        return
    rows = [
        (
            f"{entry.time:%Y-%m-%d %H:%M:%S}",
            *map(visible, (entry.who, entry.what, entry.which, entry.source)),
            *map(_value, (entry.old, entry.new)),
        )
        for entry in found
    ]
    print_table(("time", "who", "what", "which", "source", "old", "new"), rows)


def _value(value: object) -> str:
    return "" if value is None else brief(json.dumps(value, ensure_ascii=False), 200)
