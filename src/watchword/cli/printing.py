"""Tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from watchword.cli.reporting import say
from watchword.visible import counted, visible

if TYPE_CHECKING:
    import pyarrow as pa

    from watchword.store import Delivery


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]], numbers: Iterable[str] = ()) -> None:
    """Print `rows` under `header` to standard output, the columns `numbers` to the right. Values are never
    cut: long ones go on in the next line. Ends of lines stay, other control characters are shown."""
    right = set(numbers)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in header:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(str(value), lines=True)) for value in row))
    console = Console(highlight=False)
    with console.capture() as printed:
        console.print(table)
    typer.echo(printed.get(), nl=False)  # rich itself would hide that the reader has gone


def print_deliveries(subscriber: str, found: Sequence[Delivery]) -> None:
    """Print an inbox: each item once, with the subscriptions that it matched and why."""
    if not found:
        say(f"{subscriber}: nothing new")
        return
    rows = []
    for delivery in found:
        item = delivery.item
        why = "\n".join(visible(f"{reason.subscription}: {reason.why}") for reason in delivery.reasons)
        day = item.published.strftime("%Y-%m-%d") if item.published else ""
        rows.append((visible(item.title or item.text[:80]), day, why, visible(item.link or "")))
    say(f"{subscriber}: {counted(len(found), 'item')}")
    print_table(("item", "published", "why", "link"), rows)


class TableResults:
    """Matches in a table of at most `limit` rows and a count of the rest, printed at the end."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._header: list[str] = []
        self._rows: list[tuple[object, ...]] = []
        self._count = 0

    def write(self, table: pa.Table) -> None:
        """Keep the rows of `table` that will be shown, and count them all."""
        self._header = table.column_names
        shown = table.slice(0, self._limit - len(self._rows))
        rows = zip(*(shown[name].to_pylist() for name in self._header), strict=True)
        self._rows += [tuple("" if value is None else value for value in row) for row in rows]
        self._count += len(table)

    def close(self) -> None:
        """Print the table."""
        if self._rows:
            print_table(self._header, self._rows)
        left = self._count - len(self._rows)
        if left:
            typer.echo(f"... and {left:,} more: --rows shows more of them, --format jsonl or csv writes all")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
