"""The database under a store, as the store sees it: sessions that run SQL, and the engine that gives them.

The statements of `subscribing`, `delivering` and `options` are written once, for every engine. They keep to SQL that
SQLite and PostgreSQL read alike, with `?` for a value:

    session.row("SELECT number FROM subscribers WHERE name = ?", ("ann",))      (7,)
    session.run("DELETE FROM batches WHERE written < ?", (time,))               3, the number of rows deleted

An engine whose driver wants another sign replaces each `?`: none stands in a literal or a name. A condition is left
out of a statement instead of compared with a null, whose type PostgreSQL could not tell.

The schema, files, locks and settings are an engine's own (`sqlite/`). Every engine keeps four promises:

- a read session sees one state throughout, and waits for no writer;
- a write session happens whole or not at all, and is durable when its block ends;
- write sessions take turns, so the numbers of changes and of deliveries become visible in their order;
- its errors are `StoreError`s that name the store and a remedy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, TypeVar

Row = tuple[Any, ...]
Values = Sequence[Any]
Parsed = TypeVar("Parsed")


class AlteredError(ValueError):
    """A value of the database is none that a store writes; an engine raises it as a `StoreError`."""


def read_value(parse: Callable[[str], Parsed], text: str) -> Parsed:
    """Return what `parse` makes of a text of the database; raise an `AlteredError` if it is none."""
    try:
        return parse(text)
    except (TypeError, ValueError):
        raise AlteredError(f"it holds {text!r}, which no store writes") from None


class Session(Protocol):
    """One transaction; used by one thread, and only inside the block that gave it."""

    def rows(self, sql: str, values: Values = ()) -> Iterator[Row]:
        """Yield the rows of a query, to be read before the session ends."""

    def row(self, sql: str, values: Values = ()) -> Row | None:
        """Return the first row of a query; None if it has none."""

    def run(self, sql: str, values: Values = ()) -> int:
        """Run a statement; return the number of rows that it changed."""

    def many(self, sql: str, rows: Iterable[Values]) -> int:
        """Run a statement once for each of `rows`; return the number of rows that it changed in all."""

    def load(self, table: str, columns: Sequence[str], rows: Iterable[Values]) -> None:
        """Insert `rows` into a table by the engine's fastest way."""


class Engine(Protocol):
    """A database that holds a store. Threads and processes may use it at once."""

    @property
    def path(self) -> Path:
        """The place of the store, for messages."""

    def migrate(self) -> None:
        """Make the tables, or bring those of an older version up to date, in one transaction.

        A `StoreError` if the database belongs to another program, or to a newer version.
        """

    def read(self) -> AbstractContextManager[Session]:
        """Give a session that sees one state of the store."""

    def write(self, patience: float | None = None) -> AbstractContextManager[Session]:
        """Give a session whose changes are committed at the end of the block, or on an error rolled back.

        `patience` is how many seconds to wait for other writers; None for the engine's own.
        """

    def version(self) -> int:
        """Return the version of the schema."""

    def size(self) -> int:
        """Return the bytes that the store takes."""

    def verify(self) -> None:
        """Read everything; a `StoreError` if something is damaged."""

    def compact(self) -> None:
        """Return free space to the disk."""

    def notify(self, counter: int) -> None:
        """Tell followers elsewhere that the change `counter` is committed. It may get lost: followers also poll."""

    def close(self) -> None:
        """Close all connections of this process; closing again is no error."""
