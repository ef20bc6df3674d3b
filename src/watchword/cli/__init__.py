"""The command line ``watchword``: match files of events, build and check snapshots, explain answers.

Each group of commands has its file. Importing them loads typer alone; the index, Arrow and numba are loaded
inside the command that needs them, so that ``watchword --help`` answers at once.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from watchword.cli import (
    access,
    checking,
    demo,
    estimating,
    experimenting,
    explaining,
    inboxes,
    matching,
    notifying,
    running,
    serving,
    snapshots,
    subscribing,
    system,
    topics,
    warming,
)

SYSTEM = "The running system"

app = typer.Typer(name="watchword", no_args_is_help=True, rich_markup_mode="rich", pretty_exceptions_enable=False)
app.command("match")(matching.match)
app.command("check")(checking.check)
app.command("explain")(explaining.explain)
app.command("methods")(explaining.methods)
app.command("estimate")(estimating.estimate)
app.command("warm")(warming.warm)
app.add_typer(snapshots.app, name="index")
app.add_typer(experimenting.app, name="experiments")
for command in (
    system.init,
    subscribing.subscribe,
    subscribing.unsubscribe,
    subscribing.subscriptions,
    subscribing.pause,
    subscribing.resume,
    subscribing.snooze,
    running.run,
    running.feeds,
    serving.serve,
    demo.demo,
    inboxes.inbox,
    notifying.notify,
    notifying.notifications,
    system.dead_letters,
    system.prune,
    access.login,
    access.audit,
):
    app.command(rich_help_panel=SYSTEM)(command)
app.add_typer(subscribing.app, name="subscribers", rich_help_panel=SYSTEM)
app.add_typer(access.app, name="tokens", rich_help_panel=SYSTEM)
app.add_typer(notifying.app, name="channels", rich_help_panel=SYSTEM)
app.add_typer(topics.app, name="topics", rich_help_panel=SYSTEM)


def _print_version(wanted: bool) -> None:
    if wanted:
        from watchword import __version__

        typer.echo(f"watchword {__version__}")
        raise typer.Exit


@app.callback(
    epilog="Try it: [bold]printf 'greece crisis\\nbailout NOT imf\\n' > subscriptions.txt[/bold], then "
    "[bold]echo 'Greece asks for a bailout' | watchword match subscriptions.txt -[/bold]"
)
def watchword(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Match standing subscriptions against streams of events: exactly, fast, and with reasons."""


def main() -> None:
    """Run the command line; Ctrl-C ends it with status 130, as a shell expects."""
    try:
        app(prog_name="watchword")
    except KeyboardInterrupt:
        sys.exit(130)
