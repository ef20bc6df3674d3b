"""From the argument SUBSCRIPTIONS, a file or a snapshot, to an index."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from watchword.cli.reporting import fail, spinner
from watchword.errors import SubscriptionError

if TYPE_CHECKING:
    from watchword.index import Index
    from watchword.tables import Subscriptions

KINDS = "CSV, TSV, JSON lines or Parquet, by its name (also .gz); any other file is plain lines of text"

SubscriptionsArgument = Annotated[
    str,
    typer.Argument(metavar="SUBSCRIPTIONS", help=f"A snapshot folder, or a file: {KINDS}, with line numbers as ids."),
]
LanguageOption = Annotated[str | None, typer.Option(help="The subscriptions' language.", show_default="keywords")]
MethodOption = Annotated[
    str | None, typer.Option(help="How to match; see [bold]watchword methods[/bold].", show_default="auto")
]
IdOption = Annotated[str | None, typer.Option("--id", help="Column of the subscriptions' ids.", show_default="id")]
SubscriptionOption = Annotated[
    str | None,
    typer.Option(
        "--subscription",
        help="Column of the subscriptions.",
        show_default="subscription, query, text, or the only one of text",
    ),
]
StemmerOption = Annotated[
    str | None, typer.Option(help="Match by stems of this language, such as english (needs PyStemmer).")
]
StopWordsOption = Annotated[str | None, typer.Option(metavar="FILE", help="Words to leave out, one per line.")]


@dataclass(frozen=True)
class IndexOptions:
    """The options that decide what index is made; `None` is what the user left out."""

    language: str | None = None
    method: str | None = None
    id: str | None = None
    subscription: str | None = None
    stemmer: str | None = None
    stop_words: str | None = None


def open_index(path: str, options: IndexOptions) -> Index:
    """Open the snapshot at `path`, or read the file there and build an index."""
    if Path(path).is_dir():
        return _open_snapshot(path, options)
    from watchword.tables import read_subscriptions

    with spinner(f"reading {path}"):
        subscriptions = read_subscriptions(path, id=options.id, subscription=options.subscription)
    return build_index(subscriptions, options)


def build_index(subscriptions: Subscriptions, options: IndexOptions) -> Index:
    """Build an index; an error names the place in the file."""
    from watchword.index import LANGUAGES, language_class
    from watchword.tables import TableError, read_words

    language = options.language or "keywords"
    if language not in LANGUAGES:
        fail(f"no language {language!r}; there are {', '.join(LANGUAGES)}")
    extras: dict[str, Any] = {}
    if options.stemmer is not None:
        extras["stemmer"] = options.stemmer
    if options.stop_words is not None:
        extras["stop_words"] = read_words(options.stop_words)
    try:
        with spinner(f"building the index of {len(subscriptions.table):,} subscriptions"):
            return language_class(language)(subscriptions.table, method=options.method or "auto", **extras)
    except SubscriptionError as error:
        if error.row is None:
            raise
        message = str(error).removeprefix(f"row {error.row}: ")  # with the pointer that a syntax error draws
        raise TableError(message, path=subscriptions.label, place=subscriptions.place(error.row)) from None


def _open_snapshot(path: str, options: IndexOptions) -> Index:
    from watchword import Index

    index = Index.open(path)
    language = index.stats().language if options.language else None
    if options.language != language:
        fail(f"{path}: the snapshot's language is {language}, not {options.language}: leave out --language")
    for name in ("method", "id", "subscription", "stemmer", "stop_words"):
        if getattr(options, name) is not None:
            option = "--" + name.replace("_", "-")
            fail(f"{path}: {option} was settled when the snapshot was built: leave it out, or build it again")
    return index
