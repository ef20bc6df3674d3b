"""From the argument SUBSCRIPTIONS, a file or a snapshot, to an index; and the options that decide which index.

What a language declares (`watchword.options`) becomes an option of every command that makes an index. From ::

    OPTIONS = {"stemmer": Option(None, text_or_none, "Match by stems of this language ...", flag="text")}

comes ``--stemmer TEXT``, and a command that got ``--stemmer english`` is called with ``given={"stemmer": "english"}``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from watchword.cli import dialects
from watchword.cli.reporting import fail, note, spinner
from watchword.cli.wording import flag_of, flagged_options, parameter_of
from watchword.errors import SubscriptionError
from watchword.files import parse_json
from watchword.languages import LANGUAGES, language_dialects, language_options, rule_files
from watchword.locations import scheme_of
from watchword.options import Option
from watchword.visible import counted

if TYPE_CHECKING:
    from watchword.index import Index
    from watchword.tables import Refuse, Subscriptions

KINDS = "CSV, TSV, JSON lines or Parquet, by its name (also .gz); any other file is plain lines of text"

SubscriptionsArgument = Annotated[
    str,
    typer.Argument(metavar="SUBSCRIPTIONS", help=f"A snapshot folder, or a file: {KINDS}, with line numbers as ids."),
]
FileArgument = Annotated[str, typer.Argument(metavar="FILE", help=f"{KINDS}, with line numbers as ids.")]
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
        show_default="subscription, query or text; the only text column",
    ),
]
DialectOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Whose rules the subscriptions are: cesql, elasticsearch, eventbridge, hypermatch, lucene, sigma, sns or "
        "sns-body, with --language predicates. Sigma rules are a folder, a file or a tar archive of YAML, those of "
        "cesql and lucene are texts; the others may be objects in JSON lines, or one object from names to rules in a "
        ".json file; elasticsearch also a dump of a percolator.",
    ),
]
LogSourcesOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="With --dialect sigma: conditions that log sources stand for, in YAML or JSON, such as "
        '{"category: process_creation": "EventID = 1"}.',
    ),
]


MappingOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="With --dialect elasticsearch or lucene: the mapping of the index in JSON, as GET index/_mapping gives "
        "it, or names and types of fields. Texts are then read as it says.",
    ),
]
DialectSetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--dialect-set",
        metavar="NAME=VALUE",
        help="With --dialect lucene: default_operator=AND, default_field=title,body; with both: drop=boost leaves out "
        "weights, now=2026-01-31 is the time that now means; with elasticsearch: field=NAME holds a dump's queries.",
    ),
]


class OnError(StrEnum):
    """What happens when an event cannot be read, or a rule cannot be said."""

    stop = "stop"
    skip = "skip"


OnErrorOption = Annotated[
    OnError | None,
    typer.Option(
        help="What to do about a rule of --dialect that cannot be said: stop, or report it, go on and end with "
        "status 1.",
        show_default="stop",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="An option without a flag of its own, such as max_clauses=1000."),
]
Given = Mapping[str, Any]
"""Options of a language that the user gave, by name. `offers_language_options` explains."""
NOTHING: Given = {}


def offers_language_options(command: Callable[..., None]) -> Callable[..., None]:
    """Put an option for each that any language declares in the place of the command's parameter `given`.

    The command is called with the options that the user gave, in one mapping.
    """
    signature = inspect.signature(command, eval_str=True)
    offered = flagged_options()

    @functools.wraps(command)
    def run(**named: Any) -> None:
        values = {name: named.pop(parameter_of(name)) for name in offered} | _settings(named.pop("set") or ())
        command(**named, given={name: value for name, value in values.items() if value is not None})

    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        if parameter.name != "given":
            parameters.append(parameter)
            continue
        for name, option in offered.items():
            parameters.append(
                parameter.replace(name=parameter_of(name), default=None, annotation=_annotation(name, option))
            )
        parameters.append(parameter.replace(name="set", default=None, annotation=SetOption))
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return run


def _settings(pairs: Iterable[str]) -> dict[str, Any]:
    """Return options that have no flag of their own, from NAME=VALUE; a value is JSON, or a text.

    >>> _settings(["max_clauses=1000"])
    {'max_clauses': 1000}
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            fail(f"--set {pair}: expected NAME=VALUE, such as max_clauses=1000")
        try:
            found[name] = parse_json(value)
        except ValueError:
            found[name] = value
    return found


def _annotation(name: str, option: Option) -> object:
    """Return the annotation that gives typer an option's type and help."""
    if option.flag == "switch":
        return Annotated[bool | None, typer.Option(flag_of(name), help=option.help, show_default=False)]
    return Annotated[str | None, typer.Option(help=option.help, metavar=_METAVARS.get(option.flag or "text"))]


_METAVARS = {"words": "FILE", "json": "JSON-FILE"}


@dataclass
class IndexOptions:
    """The options that decide which index is made; None if the user gave none.

    With `skips`, rules that cannot be said, or that the index refuses, are left out and counted in `refused`.
    """

    language: str | None = None
    method: str | None = None
    id: str | None = None
    subscription: str | None = None
    given: Given = field(default_factory=dict)
    dialect: str | None = None
    log_sources: str | None = None
    mapping: str | None = None
    dialect_set: list[str] | None = None
    skips: bool = False
    refused: int = 0


def open_index(path: str, options: IndexOptions) -> Index:
    """Open the snapshot at `path`, or read the file there and build an index."""
    _check_local(path)
    if is_snapshot(path, options):
        return _open_snapshot(path, options)
    with spinner(f"reading {path}"):
        subscriptions = read(path, options)
    return build_index(subscriptions, options)


def is_snapshot(path: str, options: IndexOptions) -> bool:
    """Return whether a folder is to be opened as a snapshot; with --dialect sigma it is one of rules."""
    reader = rule_files(check_language(options.language), options.dialect)
    return Path(path).is_dir() and (reader is None or options.dialect not in dialects.IN_FOLDERS)


def read(path: str, options: IndexOptions, refuse: Refuse | None = None) -> Subscriptions:
    """Read a file of subscriptions, or the rules of a folder; `refuse` is told of rows that cannot be used."""
    from watchword.tables import read_subscriptions, subscriptions_of_files

    reader = rule_files(check_language(options.language), options.dialect)
    rules = None if reader is None else reader(path, **dialects.reader_arguments(options))
    if rules is not None:
        return subscriptions_of_files(path, rules)
    return read_subscriptions(
        path,
        id=options.id,
        subscription=options.subscription,
        rules=options.dialect is not None,
        refuse=refuse,
    )


def language_of(path: str, options: IndexOptions) -> str:
    """Return the language of the subscriptions at `path`: the snapshot's, or the chosen one."""
    _check_local(path)
    if not is_snapshot(path, options):
        return check_language(options.language)
    from watchword import snapshot

    return snapshot.read(path).language


def _check_local(path: str) -> None:
    if scheme_of(path) is not None:
        fail(
            f"{path}: this command reads files and snapshots of this machine; "
            "an index in an object store is matched by watchword.spark.match"
        )


def check_language(language: str | None) -> str:
    """Return a language, `keywords` for None; an unknown one ends the command."""
    if language not in (None, *LANGUAGES):
        fail(f"no language {language!r}; there are {', '.join(LANGUAGES)}")
    return language or "keywords"


def build_index(subscriptions: Subscriptions, options: IndexOptions) -> Index:
    """Build an index; an error names the place in the file."""
    from watchword.index import language_class

    language, given = index_options(options)
    subscriptions = translate(subscriptions, language, options)
    if options.skips and options.dialect is not None:
        checked = language_class(language)(method=options.method or "auto", **given)
        subscriptions = _usable(subscriptions, options, lambda text: checked.check(text) or text)
    with (
        naming_the_place(subscriptions),
        spinner(f"building the index of {counted(len(subscriptions.table), 'subscription')}"),
    ):
        return language_class(language)(subscriptions.table, method=options.method or "auto", **given)


@contextmanager
def naming_the_place(subscriptions: Subscriptions) -> Iterator[None]:
    """Raise the error of a refused row with its place in the file."""
    from watchword.tables import TableError

    try:
        yield
    except SubscriptionError as error:
        if error.row is None:
            raise
        raise TableError(
            str(error.without_row()), path=subscriptions.label, place=subscriptions.place(error.row)
        ) from None


def translate(subscriptions: Subscriptions, language: str, options: IndexOptions) -> Subscriptions:
    """Return rules of another system as subscriptions of a language; an error names the place in the file."""
    if options.dialect is None:
        dialects.check(options)
        return subscriptions
    return _usable(subscriptions, options, translator(language, options))


def _usable(subscriptions: Subscriptions, options: IndexOptions, read: Callable[[str], str]) -> Subscriptions:
    """Return subscriptions with the texts that `read` makes of theirs. One that it refuses is an error with its place,
    or, if the user wants that, reported and left out."""
    from watchword.tables import TableError

    texts, rows = [], []
    for row, rule in enumerate(subscriptions.table["subscription"].to_pylist()):
        try:
            texts.append(read(rule))
            rows.append(row)
        except SubscriptionError as error:
            refused = TableError(str(error), path=subscriptions.label, place=subscriptions.place(row))
            if not options.skips:
                raise refused from None
            note(f"left out: {refused}")
            options.refused += 1
    return subscriptions.with_texts(texts, rows)


def translator(language: str, options: IndexOptions) -> Callable[[str], str]:
    """Return the function from a rule of another system to a subscription; an unknown dialect ends the command."""
    dialect = options.dialect or ""
    offers = {name: language_dialects(name) for name in LANGUAGES}
    if dialect in offers[language]:
        read: Callable[..., str] = offers[language][dialect]
        given = dialects.arguments(options)
        return functools.partial(read, **given) if given else read
    offered = "; ".join(f"{name} of --language {owner}" for owner, names in offers.items() for name in names)
    fail(f"--dialect {dialect}: {language} have no such dialect; there are: {offered}")


def index_options(options: IndexOptions) -> tuple[str, dict[str, Any]]:
    """Return the language and the options of its index; an option of another language ends the command."""
    language = check_language(options.language)
    known = language_options(language)
    for name in options.given:
        if name not in known:
            fail(f"{_flag(name)}: {_no_such_option(language, name)}")
    given = {name: _value(known[name], value) for name, value in options.given.items()}
    reading = dialects.reading(options)
    return language, given | {"reading": reading | given.get("reading", {})} if reading else given


def _no_such_option(language: str, name: str) -> str:
    """Return what to do about an option that a language does not have."""
    others = " or ".join(f"--language {other}" for other in LANGUAGES if name in language_options(other))
    if not others:
        return f"{language} have no such option; they have {', '.join(language_options(language))}"
    reason = _NEEDLESS.get((language, name), f"{language} have no such option")
    return f"{reason}: leave it out, or give {others}"


def _value(option: Option, given: Any) -> Any:
    if option.flag not in ("words", "json"):
        return given
    from watchword.tables import read_json, read_words

    return read_words(given) if option.flag == "words" else read_json(given)


def option_text(name: str, value: object) -> str:
    """Return an option in words: ``ignore case``, ``stemmer english``, ``12 stop words``, ``hierarchies of
    topic``."""
    words = name.replace("_", " ")
    if isinstance(value, list):
        return f"{len(value):,} {words}"
    if isinstance(value, dict):
        return f"{words} of {', '.join(value)}"
    return words if value is True else f"{words} {value}"


_NEEDLESS = {("keywords", "ignore_case"): "keywords are compared without regard to case anyway"}


def _flag(name: str) -> str:
    """Return the flag that gives an option: ``--stop-words``, or ``--set max_clauses``."""
    own = ("method", "id", "subscription", "dialect")
    return flag_of(name) if name in own or name in flagged_options() else f"--set {name}"


def _open_snapshot(path: str, options: IndexOptions) -> Index:
    from watchword import Index

    index = Index.open(path)
    if options.language not in (None, index.language):
        fail(f"{path}: the snapshot's language is {index.language}, not {options.language}: leave out --language")
    settled = [name for name in ("method", "id", "subscription", "dialect") if getattr(options, name) is not None]
    for name in [*settled, *options.given]:
        fail(f"{path}: {_flag(name)} was settled when the snapshot was built: leave it out, or build it again")
    return index
