"""The file under a store: opened, recognised, migrated, and changed in transactions.

What holds afterwards, and why:

- *After a SIGKILL* (or any other death of the process): every transaction that returned is there, and none is there in
  part. SQLite appends a transaction to the write-ahead log and marks its end there; what was written is the
  system's and not the process's any more; a tail without the mark is not read.
- *After a power cut*: the same, because of ``synchronous=FULL``: the log is synced before a commit returns. With
  ``NORMAL`` the file would stay whole, but the last commits might be gone, while a pipeline's checkpoint on the same
  disk already says that their batch is done: those matches would be lost. The price is one sync a batch. It holds as
  far as the disk tells the truth about syncing.
- *A reader and a writer at once*: a reader sees the state of the last commit before it began and waits for nobody;
  writers, in whichever process, take turns and wait up to `timeout`. Write transactions begin ``IMMEDIATE``, so that
  one which has read something never finds that it may not write.

The log needs shared memory, so the file belongs on a disk of the machine, not on a network share. A connection is used
by any thread of its process, one at a time, and never by a fork of it. A store that is made here is its owner's alone
(mode 0600, as are the files that SQLite keeps beside it); one that is there keeps its mode.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock

from watchword.errors import StoreError
from watchword.files import PRIVATE_FILE, make_private_folder
from watchword.store.migrations import APPLICATION_ID, MIGRATIONS, statements

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
    """A connection that is used in transactions only: `read` and `write`."""

    def __init__(self, path: str | os.PathLike[str], timeout: float = 30.0) -> None:
        self.path = Path(path).absolute()
        self._lock = RLock()
        self._process = os.getpid()
        self._connection: sqlite3.Connection | None = None
        with failures_named(self.path):
            make_private_folder(self.path.parent)
            _make_private_file(self.path)
            connection = sqlite3.connect(
                self.path, timeout=timeout, isolation_level=None, check_same_thread=False, cached_statements=64
            )
            try:
                _prepare(connection, self.path, timeout)
            except BaseException:
                connection.close()
                raise
        self._connection = connection

    def close(self) -> None:
        """Close the file; again is no error."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def compact(self) -> None:
        """Write the file anew without its free pages."""
        with self._lock, failures_named(self.path):
            connection = self._usable()
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Give a connection that sees one state of the store throughout."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Give a connection whose changes all happen at the end, or, on an error, not at all."""
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock, failures_named(self.path):
            connection = self._usable()
            connection.execute(begin)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # where the error has already rolled it back
                    connection.execute("ROLLBACK")
                raise

    def _usable(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreError("the store is closed: open it again", path=self.path)
        if os.getpid() != self._process:
            raise StoreError("the store was opened by the parent of this process: open it here again", path=self.path)
        return self._connection


def refusal(application: int, version: int, empty: bool, newest: int) -> str | None:
    """Say why a database with this header must not be touched; `None` where it is a store or new."""
    if application != APPLICATION_ID and not (empty and application == version == 0):
        return "this is another program's database: choose another path"
    if version > newest:
        return f"the store has version {version}, this version of watchword reads {newest}: upgrade watchword"
    return None


@contextmanager
def failures_named(path: Path) -> Iterator[None]:
    """Turn the refusals of SQLite and the system into `StoreError`s that name the file and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest says more than a person needs
        remedy = _REMEDIES.get(code)
        raise StoreError(f"{remedy} ({error})" if remedy else f"SQLite failed: {error}", path=path) from error
    except OSError as error:
        raise StoreError(f"cannot open it: {error.strerror or error}", path=error.filename or path) from error


def _prepare(connection: sqlite3.Connection, path: Path, timeout: float) -> None:
    """Recognise the file before anything of it is changed; then make of it a store of today's version."""
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("BEGIN")
    header = _header(connection)
    connection.execute("COMMIT")
    reason = refusal(*header, newest=len(MIGRATIONS))
    if reason is not None:
        raise StoreError(reason, path=path)
    _use_log(connection, time.monotonic() + timeout)
    if header[1] < len(MIGRATIONS):
        _migrate(connection)


def _header(connection: sqlite3.Connection) -> tuple[int, int, bool]:
    """Return the application's id, the version, and whether there is no table."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return application, version, tables == 0


def _use_log(connection: sqlite3.Connection, deadline: float) -> None:
    """Turn on the write-ahead log. SQLite does not wait where two processes do so at once, hence the loop."""
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            if mode != "wal":
                return  # no shared memory here: the rollback journal is as durable, and readers wait
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _migrate(connection: sqlite3.Connection) -> None:
    """Run the scripts that the file has not seen, all or none; whoever comes second finds nothing left to do."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for script in MIGRATIONS[version:]:
            for statement in statements(script):
                connection.execute(statement)
        if version < len(MIGRATIONS):
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _make_private_file(path: Path) -> None:
    """Make an empty file that only its owner reads, where there is none; SQLite would let everybody read it."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE))
