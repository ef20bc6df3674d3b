"""``watchword index``: build, describe and check snapshots."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from watchword.cli import opening
from watchword.cli.reporting import SOME_UNREAD, note, reports_errors, say, size_of, spinner
from watchword.visible import counted

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Build, describe and check snapshots: indexes on disk that open in milliseconds.",
)
PathArgument = Annotated[str, typer.Argument(metavar="PATH", help="The snapshot's folder.")]


@app.command()
@reports_errors
@opening.offers_language_options
def build(
    subscriptions: opening.SubscriptionsArgument,
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="The folder to write, no URL: new, empty, or a snapshot.")
    ],
    language: opening.LanguageOption = None,
    method: opening.MethodOption = None,
    id: opening.IdOption = None,
    subscription: opening.SubscriptionOption = None,
    dialect: opening.DialectOption = None,
    log_sources: opening.LogSourcesOption = None,
    mapping: opening.MappingOption = None,
    dialect_set: opening.DialectSetOption = None,
    on_error: opening.OnErrorOption = None,
    given: opening.Given = opening.NOTHING,
) -> None:
    """Build an index and save it as a snapshot.

    A snapshot already at PATH is replaced in one step: readers see the old one or the new one, and a crash
    loses neither.

    [bold]Examples[/bold]

      watchword index build alerts.csv snapshot/

      watchword index build queries.parquet snapshot/ --id key --subscription query --stemmer english

      watchword index build patterns.txt snapshot/ --language patterns --ignore-case

      watchword index build rules.csv snapshot/ --language predicates --hierarchies topics.json

      watchword index build rules/ snapshot/ --language predicates --dialect sigma --on-error skip
    """
    from watchword import snapshot

    snapshot.local_folder(path)  # raises for a wrong path before the index is built
    started = time.perf_counter()
    options = opening.IndexOptions(
        language, method, id, subscription, given, dialect, log_sources, mapping, dialect_set
    )
    options.skips = on_error is opening.OnError.skip
    index = opening.open_index(subscriptions, options)
    with spinner(f"saving {path}"):
        index.save(path)
    version, seconds = snapshot.read(path).version, time.perf_counter() - started
    note(f"{path}: version {version}, {counted(len(index), 'subscription')}, {seconds:.2f} s")
    if options.refused:
        raise typer.Exit(SOME_UNREAD)


@app.command()
@reports_errors
def info(path: PathArgument) -> None:
    """Say what a snapshot holds: its language, method and options, its figures, its files.

    [bold]Example[/bold]

      watchword index info snapshot/
    """
    from watchword import Index, snapshot
    from watchword.cli.printing import print_table

    stats, opened = Index.open(path).stats(), snapshot.read(path)
    names = ("language", "method", "subscriptions", "clauses", "atoms", "nodes", "postings")
    figures = [("version", str(opened.version)), *((name, _figure(getattr(stats, name))) for name in names)]
    figures[3:3] = [(name.replace("_", " "), _figure(value)) for name, value in opened.meta["options"].items()]
    figures.append(("size of the index", size_of(stats.bytes)))
    figures += [(name, _figure(value)) for name, value in stats.details.items()]
    print_table(("figure", "value"), figures, numbers=("value",))
    arrays = sorted(opened.arrays.items(), key=lambda item: -item[1].nbytes)
    files = [(name, str(a.dtype), " x ".join(map(str, a.shape)), size_of(a.nbytes)) for name, a in arrays]
    files.append(("all files", "", "", size_of(sum(array.nbytes for _, array in arrays))))
    print_table(("array", "type", "shape", "size"), files, numbers=("shape", "size"))


@app.command()
@reports_errors
def verify(path: PathArgument) -> None:
    """Compare every byte of a snapshot with its checksums; ends with status 2 where one differs.

    [bold]Example[/bold]

      watchword index verify snapshot/
    """
    from watchword import snapshot

    with spinner(f"reading every byte of {path}"):
        opened = snapshot.verify(path)
    size = size_of(sum(array.nbytes for array in opened.arrays.values()))
    say(f"{path}: version {opened.version}, {len(opened.arrays)} arrays, {size}: as they were written")


def _figure(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):  # of words
        return f"{len(value):,}"
    if isinstance(value, dict):
        return ", ".join(value) or "-"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.2f}" if isinstance(value, float) else "-" if value is None else str(value)
