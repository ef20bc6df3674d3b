"""``watchword inbox``: the items that matched a subscriber's subscriptions."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from watchword.cli.reporting import fail, note, reports_errors
from watchword.cli.system import DEFAULT_HOME, HomeOption
from watchword.items import ITEM_FIELDS
from watchword.visible import counted, json_visible

if TYPE_CHECKING:
    from watchword.store import Delivery, Store


REASON = ("subscription", "text", "why")
"""The fields of a reason in JSON."""


class Format(StrEnum):
    """How an inbox is printed."""

    table = "table"
    jsonl = "jsonl"


@reports_errors
def inbox(
    subscriber: Annotated[str, typer.Argument(metavar="NAME", help="Whose.")],
    all: Annotated[bool, typer.Option("--all", help="Also items read before.")] = False,
    mark_read: Annotated[bool, typer.Option("--mark-read", help="Mark as read what is shown.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the newest items, at most this many.")] = None,
    subscription: Annotated[
        str | None, typer.Option(metavar="ID", help="Only items that this subscription matched; it may be deleted.")
    ] = None,
    format: Annotated[Format, typer.Option(help="How to print: for people, or a JSON object a line.")] = Format.table,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Show unread items, each once, with the subscriptions that it matched and why.

    They stay unread, and come again, until they are marked as read: [bold]--mark-read[/bold] marks what it shows.

    [bold]Examples[/bold]

      watchword inbox ada

      watchword inbox ada --mark-read

      watchword inbox ada --subscription s17 --all

      watchword inbox ada --format jsonl --limit 100
    """
    from watchword.cli.printing import print_deliveries
    from watchword.home import Home

    with Home(home).store() as store:
        found = store.inbox(subscriber, unread_only=not all, limit=limit, subscription=subscription)
        if not found and subscription is not None:
            _check_known(store, subscriber, subscription)
        if format is Format.jsonl:
            for delivery in found:
                typer.echo(json_visible(json.dumps(_record(delivery), ensure_ascii=False)))
        else:
            print_deliveries(subscriber, found)
        unread = [delivery.item.identity for delivery in found if delivery.read_at is None]
        if mark_read:
            store.mark_read(subscriber, unread)
    if unread:
        note(f"{counted(len(unread), 'item')} marked as read" if mark_read else "still unread; --mark-read marks them")


def _check_known(store: Store, subscriber: str, subscription: str) -> None:
    """End the command if a subscriber has no such subscription, and no delivery of a deleted one."""
    known = any(one.id == subscription for one in store.subscriptions(subscriber))
    if not known and not store.inbox(subscriber, unread_only=False, limit=1, subscription=subscription):
        fail(f"{subscriber} has no subscription {subscription!r}; watchword subscriptions {subscriber} lists them")


def _record(delivery: Delivery) -> dict[str, Any]:
    """Return an entry of an inbox for JSON: the item's fields, times in ISO 8601, and the reasons."""
    record = {name: getattr(delivery.item, name) for name in ITEM_FIELDS}
    times = {"published": delivery.item.published, "matched_at": delivery.matched_at, "read_at": delivery.read_at}
    record |= {name: None if time is None else time.isoformat() for name, time in times.items()}
    return record | {"reasons": [dict(zip(REASON, reason, strict=True)) for reason in delivery.reasons]}
