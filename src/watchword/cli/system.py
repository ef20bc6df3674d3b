"""The home of a running system: ``init`` makes it, ``dead-letters`` lists items that could not be read, ``prune``
removes old data.

`subscribing` has the commands about subscribers and subscriptions, `running` those about streams, `inboxes` those about
matches.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from watchword.cli import opening
from watchword.cli.reporting import note, reports_errors, say, size_of
from watchword.retention import Retention
from watchword.visible import counted, visible

if TYPE_CHECKING:
    from watchword.store import Store

HomeOption = Annotated[
    Path, typer.Option("--home", envvar="WATCHWORD_HOME", metavar="FOLDER", help="The system's folder, no URL.")
]
DEFAULT_HOME = Path("watchword-home")
KEPT = Retention()


@reports_errors
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
        note_options(store)
    note(f"{made.path}: ready. Next: watchword subscribe NAME 'greece AND crisis' --home {home}")


def note_options(store: Store) -> None:
    """Print the options that were chosen for each language."""
    for language, options in store.stats().options.items():
        note(f"{language}: {', '.join(opening.option_text(*option) for option in options.items()) or 'no options'}")


@reports_errors
def dead_letters(
    limit: Annotated[int, typer.Option(min=1, help="The newest so many.")] = 20,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Show the items that could not be read, with where they stood and why. All are in runs/NAME/dead-letters, and in
    posted/dead-letters for events that were posted over HTTP."""
    from watchword.cli.printing import print_table
    from watchword.dead_letters import read_letters
    from watchword.home import Home

    at = Home(home)
    at.store().close()
    rows = [
        (run, batch, *map(visible, (letter.source, letter.position, letter.reason, letter.raw[:80])))
        for run, folder in at.dead_letters().items()
        for batch, letter in read_letters(folder)
    ]
    say(counted(len(rows), "dead letter"))
    if rows:
        print_table(("run", "batch", "source", "position", "reason", "raw"), rows[-limit:], numbers=("batch",))


def _days(what: str) -> Any:
    return typer.Option(min=0, metavar="DAYS", help=f"Keep {what} for so long.")


@reports_errors
def prune(
    matches: Annotated[float, _days("files of matches")] = KEPT.matches,
    read: Annotated[float, _days("what was read")] = KEPT.read,
    unread: Annotated[float, _days("what was not")] = KEPT.unread,
    dead_letters: Annotated[float, _days("dead letters")] = KEPT.dead_letters,
    archive: Annotated[float, _days("archived items")] = KEPT.archive,
    archive_bytes: Annotated[
        int, typer.Option(min=0, metavar="BYTES", help="Keep at most this much of the archive, its newest items.")
    ] = KEPT.archive_bytes,
    compact: Annotated[bool, typer.Option("--compact", help="Make the store's file smaller too; others wait.")] = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Delete old files of matches, old items of inboxes, read or unread, old dead letters, old items of the archive.

    It says how much disk each part of the home uses. Runs may go on meanwhile, and each does the same every hour, with
    the defaults. What a run needs in order to go on is never removed.

    [bold]Examples[/bold]

      watchword prune

      watchword prune --matches 1 --unread 14 --compact

      watchword prune --archive 90 --archive-bytes 20000000000
    """
    from watchword.cli.printing import print_table
    from watchword.home import Home
    from watchword.retention import disk_use
    from watchword.retention import prune as forget
    from watchword.store.records import now

    at = Home(home)
    at.store().close()
    before = disk_use(at)
    done = forget(at, Retention(matches, read, unread, dead_letters, archive, archive_bytes), now())
    if compact:
        with at.store() as store:
            store.compact()
    after = disk_use(at)
    rows = [(part, size_of(size), size_of(after.get(part, 0))) for part, size in before.items()]
    rows.append(("all", size_of(sum(before.values())), size_of(sum(after.values()))))
    print_table(("part", "before", "after"), rows, numbers=("before", "after"))
    entries = counted(done.deliveries, "entry of inboxes", "entries of inboxes")
    note(f"forgotten: {entries}, {counted(done.files, 'file')}")
