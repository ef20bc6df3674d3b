"""``watchword explain`` and ``watchword methods``: why something matches, and how it can be matched."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from watchword.cli import opening
from watchword.cli.reporting import fail, reports_errors, say
from watchword.errors import EventError
from watchword.files import parse_json


@reports_errors
@opening.offers_language_options
def explain(
    subscriptions: opening.SubscriptionsArgument,
    event: Annotated[
        str,
        typer.Argument(metavar="EVENT", help="The event's text; for an object, JSON; for paths, XML or a file of it."),
    ],
    subscription_id: Annotated[str, typer.Argument(metavar="ID", help="The subscription's id.")],
    language: opening.LanguageOption = None,
    method: opening.MethodOption = None,
    id: opening.IdOption = None,
    subscription: opening.SubscriptionOption = None,
    dialect: opening.DialectOption = None,
    log_sources: opening.LogSourcesOption = None,
    mapping: opening.MappingOption = None,
    dialect_set: opening.DialectSetOption = None,
    given: opening.Given = opening.NOTHING,
) -> None:
    """Say why an event matches a subscription, or which parts are missing.

    [bold]Examples[/bold]

      watchword explain alerts.csv "Greece asks for a bailout" s1

      watchword explain snapshot/ "Greece asks for a bailout" 17

      watchword explain rules.csv '{"name": "RBS", "value": 15}' r1 --language predicates

      watchword explain paths.txt docs/1.xml 3 --language paths
    """
    options = opening.IndexOptions(
        language, method, id, subscription, given, dialect, log_sources, mapping, dialect_set
    )
    if opening.is_snapshot(subscriptions, options):
        index = opening.open_index(subscriptions, options)
        key = _key(index, subscription_id)
    else:
        index, key = _index_of_one(subscriptions, subscription_id, options)
    if key is None:
        fail(f"{subscriptions}: there is no subscription {subscription_id!r}")
    read = _event(index, event)
    try:
        say(str(index.explain(read, key)))
    except EventError as error:
        label = event if isinstance(read, Path) else "the event"
        fail(f"{label}: {error.reason.removeprefix(f'{label}: ')}")


@reports_errors
def methods(
    language: Annotated[
        str | None, typer.Argument(metavar="LANGUAGE", help="One language.", show_default="all")
    ] = None,
) -> None:
    """List the ways of matching; all of a language give the same answers, at different costs.

    [bold]Example[/bold]

      watchword methods keywords
    """
    from watchword import methods as methods_of
    from watchword.cli.printing import print_table
    from watchword.index import LANGUAGES

    if language is not None and language not in LANGUAGES:
        fail(f"no language {language!r}; there are {', '.join(LANGUAGES)}")
    if language is not None:
        say("\n".join(methods_of(language)))
        return
    rows = [(name, ", ".join(methods_of(name))) for name in LANGUAGES]
    print_table(("language", "methods"), rows)


def _event(index: Any, written: str) -> Any:
    """Return an event from its argument: the path of a document, parsed JSON, or the text itself."""
    if index.reads.documents and not written.lstrip().startswith("<"):
        return Path(written)
    if index.reads.objects != "columns" or not written.startswith(("{", "[")):
        return written
    try:
        return parse_json(written)
    except ValueError as error:
        fail(f"the event is no JSON: {error}")


def _key(index: Any, written: str) -> str | int | None:
    """Return the id that the argument `written` names, as text or as a number; None if neither is subscribed."""
    if written in index:
        return written
    try:
        number = int(written)
    except ValueError:
        return None
    return number if number in index else None


def _index_of_one(path: str, written: str, options: opening.IndexOptions) -> tuple[Any, str | int | None]:
    """Return an index of one subscription, and its id: the explanation needs no other."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from watchword.tables import Subscriptions

    found = opening.read(path, options)
    rows = pc.indices_nonzero(pc.equal(found.table["id"].cast(pa.string()), written))
    row = rows[:1]
    one = Subscriptions(found.table.take(row), found.label, found.unit, found.numbers.take(row), found.files)
    key = one.table["id"][0].as_py() if len(row) else None
    return opening.build_index(one, options), key
