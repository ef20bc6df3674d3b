"""The engine over a SQLite file: recognised, migrated, and used in transactions.

Guarantees, and their reasons:

- *After a SIGKILL* (or any other death of the process): every transaction that returned is there, and none is there in
  part. SQLite appends a transaction to the write-ahead log and marks its end there; written pages belong to the
  system, not to the process; a tail without the mark is not read.
- *After a power cut*: the same, because of ``synchronous=FULL``: the log is synced before a commit returns. With
  ``NORMAL`` the file would stay whole, but the last commits might be gone, while a pipeline's checkpoint on the same
  disk already says that their batch is done: those matches would be lost. The price is one sync a batch. It holds as
  far as the disk tells the truth about syncing.
- *Readers and writers at once*: a reader sees the state of the last commit before it began, and waits for no writer.
  Writers take turns, threads of this process first among themselves, and wait up to `timeout` seconds for each. Write
  transactions begin ``IMMEDIATE``, so that none finds after reading that it may not write.

The log needs shared memory, so the file belongs on a disk of the machine, not on a network share. Each thread has its
own connection (`connections`), and a fork opens its own. A store that is made here is its owner's alone (mode 0600, as
are the files that SQLite keeps beside it); an existing file keeps its mode.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from watchword.errors import StoreError
from watchword.files import PRIVATE_FILE, make_private_folder
from watchword.store.engine import AlteredError, Row, Session, Values
from watchword.store.sqlite.connections import ClosedError, Connections, NestedError
from watchword.store.sqlite.migrations import APPLICATION_ID, MIGRATIONS, statements

_RESTORE = "restore it from a copy, or save what is left with: sqlite3 FILE .recover"
_REMEDIES = {
    sqlite3.SQLITE_NOTADB: "this is no SQLite database: choose another path, or restore the store from a copy",
    sqlite3.SQLITE_CORRUPT: f"the database is damaged: {_RESTORE}",
    sqlite3.SQLITE_BUSY: "another process has kept it locked for too long: wait for it, or end it",
    sqlite3.SQLITE_READONLY: "no permission to write: check the owner and the mode of the file and its folder",
    sqlite3.SQLITE_CANTOPEN: "cannot open it: it must be a file, in a folder where files can be made",
    sqlite3.SQLITE_FULL: "the disk is full: nothing was changed; make room and try again",
}


class Database:
    """The `Engine` of a SQLite file. Nothing is opened before `migrate`."""

    def __init__(self, path: str | os.PathLike[str], timeout: float = 30.0) -> None:
        self.path = Path(path).absolute()
        self._timeout = timeout
        self._connections = Connections(partial(_connect, self.path, timeout))

    def migrate(self) -> None:
        """Make the file, or recognise it before anything in it is changed; then bring it up to today's version."""
        try:
            with failures_named(self.path):
                _make_private_file(self.path)
            with self._connection() as connection:
                _prepare(connection, self.path, self._timeout)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Give a session that sees one state of the store."""
        with self._connection() as connection, _transaction(connection, "BEGIN"):
            yield SqliteSession(connection)

    @contextmanager
    def write(self, patience: float | None = None) -> Iterator[Session]:
        """Give a session whose changes are committed at the end of the block, or on an error rolled back."""
        with (
            self._connection() as connection,
            self._turn(patience),
            _waiting(connection, patience, self._timeout),
            _transaction(connection, "BEGIN IMMEDIATE"),
        ):
            yield SqliteSession(connection)

    def version(self) -> int:
        """Return the number of migrations that the file has seen."""
        with self._connection() as connection:
            return _number(connection, "PRAGMA user_version")

    def size(self) -> int:
        """Return the bytes of the file, without its log."""
        with self._connection() as connection, _transaction(connection, "BEGIN"):
            return _number(connection, "PRAGMA page_count") * _number(connection, "PRAGMA page_size")

    def verify(self) -> None:
        """Read every byte of the file; a `StoreError` if something is damaged."""
        with self._connection() as connection, _transaction(connection, "BEGIN"):
            findings = [row[0] for row in connection.execute("PRAGMA integrity_check(3)") if row[0] != "ok"]
            dangling = connection.execute("PRAGMA foreign_key_check")
            findings += [f"a row of {row[0]} refers to nothing" for row in dangling]
        if findings:
            raise StoreError(f"the database is damaged ({findings[0]}): restore it from a copy", path=self.path)

    def compact(self) -> None:
        """Rewrite the file without its free pages."""
        with self._connection() as connection, self._turn():
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def notify(self, counter: int) -> None:
        """Do nothing: other processes see a commit by polling."""

    def close(self) -> None:
        """Close all connections of this process; closing again is no error."""
        self._here().close()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Give this thread's connection; errors name the file."""
        with failures_named(self.path):
            try:
                with self._here().mine() as connection:
                    yield connection
            except ClosedError:
                raise StoreError("the store is closed: open it again", path=self.path) from None
            except NestedError:
                reason = "this thread is in the middle of a transaction of this store: end it first"
                raise StoreError(reason, path=self.path) from None

    @contextmanager
    def _turn(self, patience: float | None = None) -> Iterator[None]:
        """Wait until no other thread of this process writes."""
        turn = self._here().turn
        if not turn.acquire(timeout=self._timeout if patience is None else patience):
            raise StoreError("another thread of this process has kept it locked for too long", path=self.path)
        try:
            yield
        finally:
            turn.release()

    def _here(self) -> Connections:
        """Return the connections of this process; a fork begins without any."""
        if self._connections.process != os.getpid():
            connect = partial(_connect, self.path, self._timeout)
            self._connections = Connections(connect, closed=self._connections.closed)
        return self._connections


class SqliteSession:
    """A `Session` over a connection in a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def rows(self, sql: str, values: Values = ()) -> Iterator[Row]:
        """Yield the rows of a query, to be read before the session ends."""
        return iter(self.connection.execute(sql, values))

    def row(self, sql: str, values: Values = ()) -> Row | None:
        """Return the first row of a query; None if it has none."""
        found: Row | None = self.connection.execute(sql, values).fetchone()
        return found

    def run(self, sql: str, values: Values = ()) -> int:
        """Run a statement; return the number of rows that it changed."""
        return self.connection.execute(sql, values).rowcount

    def many(self, sql: str, rows: Iterable[Values]) -> int:
        """Run a statement once for each of `rows`; return the number of rows that it changed in all."""
        return max(self.connection.executemany(sql, rows).rowcount, 0)

    def load(self, table: str, columns: Sequence[str], rows: Iterable[Values]) -> None:
        """Insert `rows` into a table."""
        signs = ", ".join("?" * len(columns))
        self.connection.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({signs})", rows)


def refusal(application: int, version: int, empty: bool, newest: int) -> str | None:
    """Return why a database with this header must not be touched; None if it is a store or new."""
    if application != APPLICATION_ID and not (empty and application == version == 0):
        return "this is another program's database: choose another path"
    if version > newest:
        return f"the store has version {version}, this version of watchword reads {newest}: upgrade watchword"
    return None


@contextmanager
def failures_named(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the system into `StoreError`s that name the file and a remedy."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest says more than a person needs
        remedy = _REMEDIES.get(code)
        raise StoreError(f"{remedy} ({error})" if remedy else f"SQLite failed: {error}", path=path) from error
    except AlteredError as error:
        raise StoreError(f"the database is damaged: {_RESTORE} ({error})", path=path) from error
    except OSError as error:
        raise StoreError(f"cannot open it: {error.strerror or error}", path=error.filename or path) from error


@contextmanager
def _waiting(connection: sqlite3.Connection, patience: float | None, timeout: float) -> Iterator[None]:
    """Let a connection wait for other processes for `patience` seconds within the block, then for `timeout` again."""
    if patience is None:
        yield
        return
    connection.execute(f"PRAGMA busy_timeout = {round(patience * 1000)}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA busy_timeout = {round(timeout * 1000)}")


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    """Begin a transaction; commit it at the end of the block, or on an error roll it back."""
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # if the error has already rolled it back
            connection.execute("ROLLBACK")
        raise


def _connect(path: Path, timeout: float) -> sqlite3.Connection:
    """Open a connection; the file is made only by `migrate`, so that a removed store does not come back empty."""
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=rw",
        uri=True,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=64,
    )
    try:
        for setting in ("foreign_keys = ON", "synchronous = FULL", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {setting}")
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path, timeout: float) -> None:
    """Refuse a file that is no store of ours; then turn on the log and run the missing migrations."""
    with _transaction(connection, "BEGIN"):
        header = _header(connection)
    reason = refusal(*header, newest=len(MIGRATIONS))
    if reason is not None:
        raise StoreError(reason, path=path)
    _use_log(connection, time.monotonic() + timeout)
    if header[1] < len(MIGRATIONS):
        _run_migrations(connection)


def _header(connection: sqlite3.Connection) -> tuple[int, int, bool]:
    """Return the application's id, the version, and whether there is no table."""
    tables = _number(connection, "SELECT count(*) FROM sqlite_master")
    return _number(connection, "PRAGMA application_id"), _number(connection, "PRAGMA user_version"), tables == 0


def _number(connection: sqlite3.Connection, query: str) -> int:
    """Return the number that a query gives."""
    return int(connection.execute(query).fetchone()[0])


def _use_log(connection: sqlite3.Connection, deadline: float) -> None:
    """Turn on the write-ahead log. SQLite does not wait if two processes do so at once, hence the loop."""
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            if mode != "wal":
                return  # no shared memory here: the rollback journal is as durable, and readers wait
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _run_migrations(connection: sqlite3.Connection) -> None:
    """Run the scripts that the file has not seen, all or none; a second process finds none left to run."""
    with _transaction(connection, "BEGIN IMMEDIATE"):
        version = _number(connection, "PRAGMA user_version")
        for script in MIGRATIONS[version:]:
            for statement in statements(script):
                connection.execute(statement)
        if version < len(MIGRATIONS):
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


def _make_private_file(path: Path) -> None:
    """Make an empty file that only its owner reads, if there is none; SQLite would let everybody read it."""
    make_private_folder(path.parent)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE))
