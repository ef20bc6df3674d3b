"""From the argument SUBSCRIPTIONS, a file or a snapshot, to an index."""

from __future__ import annotations

import inspect
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
IgnoreCaseOption = Annotated[
    bool | None,
    typer.Option("--ignore-case", help="Ignore case in patterns; keywords always do.", show_default=False),
]


@dataclass(frozen=True)
class IndexOptions:
    """The options that decide what index is made; `None` is what the user left out."""

    language: str | None = None
    method: str | None = None
    id: str | None = None
    subscription: str | None = None
    stemmer: str | None = None
    stop_words: str | None = None
    ignore_case: bool | None = None


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
    from watchword.index import language_class
    from watchword.tables import TableError

    language, given = language_options(options)
    try:
        with spinner(f"building the index of {len(subscriptions.table):,} subscriptions"):
            return language_class(language)(subscriptions.table, method=options.method or "auto", **given)
    except SubscriptionError as error:
        if error.row is None:
            raise
        message = str(error).removeprefix(f"row {error.row}: ")  # with the pointer that a syntax error draws
        raise TableError(message, path=subscriptions.label, place=subscriptions.place(error.row)) from None


def language_options(options: IndexOptions) -> tuple[str, dict[str, Any]]:
    """Return the language, and what its index is to be made with; an option that it has not ends the command."""
    from watchword.index import LANGUAGES

    language = options.language or "keywords"
    if language not in LANGUAGES:
        fail(f"no language {language!r}; there are {', '.join(LANGUAGES)}")
    asked = {name: getattr(options, name) for name in ("stemmer", "stop_words", "ignore_case")}
    given = {name: value for name, value in asked.items() if value is not None}
    for name in given:
        if not _has_option(language, name):
            others = " or ".join(f"--language {other}" for other in LANGUAGES if _has_option(other, name))
            reason = _NEEDLESS.get((language, name), f"{language} have no such option")
            fail(f"{_flag(name)}: {reason}: leave it out, or give {others}")
    if "stop_words" in given:
        from watchword.tables import read_words

        given["stop_words"] = read_words(given["stop_words"])
    return language, given


def option_text(name: str, value: object) -> str:
    """Return an option as people say it: ``ignore case``, ``stemmer english``, ``12 stop words``."""
    words = name.replace("_", " ")
    if isinstance(value, list):
        return f"{len(value):,} {words}"
    return words if value is True else f"{words} {value}"


_NEEDLESS = {("keywords", "ignore_case"): "keywords are compared without regard to case anyway"}


def _has_option(language: str, name: str) -> bool:
    from watchword.index import language_class

    return name in inspect.signature(language_class(language)).parameters


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _open_snapshot(path: str, options: IndexOptions) -> Index:
    from watchword import Index

    index = Index.open(path)
    language = index.stats().language if options.language else None
    if options.language != language:
        fail(f"{path}: the snapshot's language is {language}, not {options.language}: leave out --language")
    for name in ("method", "id", "subscription", "stemmer", "stop_words", "ignore_case"):
        if getattr(options, name) is not None:
            fail(f"{path}: {_flag(name)} was settled when the snapshot was built: leave it out, or build it again")
    return index
