"""A look at the console: ``demo`` makes a home of made-up news, serves it, and prints a link."""

from __future__ import annotations

import signal
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from watchword.cli.reporting import INTERRUPTED, fail, note, print_logs_in_lines, reports_errors, say
from watchword.cli.serving import MISSING

LINK_MINUTES = 60.0
"""Minutes for which the printed link is good."""


@reports_errors
def demo(
    home: Annotated[
        Path | None,
        typer.Option("--home", metavar="FOLDER", help="Keep its files here.", show_default="a temporary folder"),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 0,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two new stories.")] = 5.0,
    open_browser: Annotated[bool, typer.Option("--open", help="Open a browser, too.")] = False,
) -> None:
    """Show the console over a month of made-up news: no Java, no network, no account.

    It prints a link that signs in, once. A story is published every few seconds. Ctrl-C ends it, and removes its files
    unless --home says where to keep them.

    [bold]Examples[/bold]

      watchword demo --open

      watchword demo --home /tmp/island --port 8480 --every 2
    """
    try:
        from watchword.serve.running import serve_home
        from watchword.serve.state import Settings
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("watchword"):
            raise
        fail(MISSING)
    from watchword.demo.filling import YOU, Source, fill
    from watchword.home import Home

    print_logs_in_lines()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="watchword-demo-")) if home is None else home
        at = Home.make(folder)
        note(f"{at.path}: writing a month of news from an island that does not exist")
        count = fill(at)
        note(f"{count:,} stories; a new one comes every {every:g} s")

        def ready(address: str) -> None:
            with at.store() as store:
                secret = store.add_login(YOU, minutes=LINK_MINUTES)
            link = f"{address}/login?once={secret}"
            say(link)
            note("Open the link. Ctrl-C ends the demonstration.")
            stack.enter_context(Source(at, every=every))
            if open_browser:
                typer.launch(link)

        if serve_home(at, Settings(port=port), ready) == signal.SIGINT:
            raise typer.Exit(INTERRUPTED)
