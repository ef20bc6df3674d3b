"""The home folder of a running system: all files that it keeps.

    HOME/store.sqlite             subscribers, subscriptions, inboxes, and the options of each language's index
    HOME/index/LANGUAGE/          the versions of each language's index
    HOME/index/LANGUAGE.lock      held by the run that is bringing the index up to the store
    HOME/archive/                 every item that was read, by day (`archive`)
    HOME/runs/NAME/               one stream:
        lock                      held while it runs, by the process that it names
        checkpoint/               Spark's progress; in it run.json, the id of the run, and versions/ (`version_log`)
        spool/                    fetched items (`feeds.spool`)
        matches/                  matches, a file for each batch and language (`spark.sinks`)
        dead-letters/             items that could not be read, a file for each batch and language (`dead_letters`)
    HOME/feeds.opml               feeds that were added over HTTP (`feeds.own_list`)
    HOME/posted/                  events that were posted over HTTP (`posted.spool`), with dead-letters/ of their own

A folder without a store is refused, so that a typing error does not start a second system beside the first.

Files and folders that are made here are readable by their owner only (folders 0700, the store 0600).

The id of a run tells its batches from those of any other in the store. It lies in the checkpoint, beside the numbers of
batches: a run whose checkpoint was removed begins again at batch 0, with a new id.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from watchword.errors import StoreError
from watchword.files import locked, make_private_folder, parse_json, remove_temporaries, write_json
from watchword.locations import local_path
from watchword.store import Store

if TYPE_CHECKING:
    from watchword.archive import Archive

STORE = "store.sqlite"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_log = logging.getLogger("watchword.home")


class Home:
    """The paths below a home folder, and the locks of its writers."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            self.path = local_path(path)
        except ValueError as error:
            raise StoreError(
                f"{error}: a store is a file of SQLite; indexes of watchword.spark can lie elsewhere", path=path
            ) from None

    @classmethod
    def make(cls, path: str | os.PathLike[str]) -> Home:
        """Make a home folder, or return the one that is there."""
        home = cls(path)
        Store.open(home.path / STORE).close()
        return home

    def store(self) -> Store:
        """Open the store."""
        file = self.path / STORE
        if not file.exists():
            raise StoreError(f"there is no {STORE} in it, so it is no home: watchword init makes one", path=self.path)
        return Store.open(file)

    def archive(self) -> Archive:
        """Return the archive; its folder is made by the first that writes."""
        from watchword.archive import Archive  # late: reading an inbox must not load Arrow

        return Archive(self.path / "archive")

    def index(self, language: str) -> Path:
        """Return the folder of a language's index."""
        return self.path / "index" / language

    @contextmanager
    def refreshing(self, language: str) -> Iterator[None]:
        """Hold a language's index while it is brought up to the store: the runs of a home wait for each other.

        Held from reading the index until the new version is recorded: a run that read the store earlier must not
        publish later.
        """
        with _failures_named(self.path / "index"):
            make_private_folder(self.path / "index")
        with locked(self.path / "index" / f"{language}.lock"):
            yield

    def run(self, name: str) -> Stream:
        """Return a stream, its folder made where it is missing."""
        if not _NAME.fullmatch(name):
            raise StoreError(f"{name!r} cannot name a run: use letters, digits, dots and dashes", path=self.path)
        return Stream(self.path / "runs" / name)

    def runs(self) -> list[Stream]:
        """Return all streams, by name."""
        folder = self.path / "runs"
        names = sorted(entry.name for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else []
        return [Stream(folder / name) for name in names if _NAME.fullmatch(name)]

    @property
    def posted(self) -> Path:
        """The folder of events that were posted over HTTP."""
        return self.path / "posted"

    @property
    def feeds(self) -> Path:
        """The list of feeds that were added over HTTP."""
        return self.path / "feeds.opml"

    def posted_batches(self) -> list[str]:
        """Return the keys, in the store, of the batches of posted events that may still be repeated."""
        try:
            last = parse_json((self.posted / "delivered.json").read_bytes())
            return [self.posted_key(last["id"], last["batch"])]
        except (OSError, ValueError, KeyError, TypeError):
            return []

    @staticmethod
    def posted_key(id: str, number: int) -> str:
        """Return the key of a batch of posted events in the store: ``b7c1…:18:posted``."""
        return Stream.batch_id(id, number, "posted")

    def dead_letters(self) -> dict[str, Path]:
        """Return the folders of dead letters, by the name of the run; those of posted events are under ``posted``."""
        folders = {run.name: run.dead_letters for run in self.runs()}
        posted = self.posted / "dead-letters"
        return {"posted": posted} | folders if posted.is_dir() and "posted" not in folders else folders

    def pinned(self, language: str) -> set[int]:
        """Return the versions of a language's index that runs, stopped ones too, may still ask for."""
        path = self.index(language)
        return {version for run in self.runs() for version in run.versions.pinned(path)}


class Stream:
    """One stream. Its `id` is different from that of any other, also from one of the same name that was removed."""

    def __init__(self, path: Path) -> None:
        from watchword.version_log import VersionLog  # late: reading an inbox must not load the indexes

        self.path = path
        self.name = path.name
        self.checkpoint = path / "checkpoint"
        self.versions = VersionLog(self.checkpoint / "versions")
        self.spool = path / "spool"
        self.matches = path / "matches"
        self.dead_letters = path / "dead-letters"
        self._id: str | None = None
        with _failures_named(path):
            make_private_folder(self.matches)

    @property
    def id(self) -> str:
        """The id, made when it is first asked for, and again after the checkpoint was removed."""
        return self.begin()

    def begin(self) -> str:
        """Give the run an id, unless it has one; return it."""
        if self._id is None:
            with _failures_named(self.path):
                self._id = self.known_id() or self._choose_id()
        return self._id

    def known_id(self) -> str | None:
        """Return the id, if the run has begun."""
        if (self.checkpoint / "run.json").exists():
            return _read_id(self.checkpoint / "run.json")
        if (self.path / "run.json").exists() and (self.checkpoint / "metadata").exists():
            return _read_id(self.path / "run.json")  # as earlier versions had it
        return None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the run; a `StoreError` names the process that holds it already."""
        with ExitStack() as stack:
            try:
                stack.enter_context(locked(self.path / "lock", patience=0))
            except TimeoutError as error:
                raise StoreError(
                    f"the run {self.name!r} is in the hands of {error}: stop that one first, or give this one another "
                    "name (--name)",
                    path=self.path,
                ) from None
            for folder in (self.matches, self.dead_letters):
                remove_temporaries(folder)
            remove_temporaries(self.checkpoint, below=True)
            yield

    def repeatable(self, languages: list[str]) -> list[str]:
        """Return the ids, in the store, of the batches that Spark may still repeat."""
        newest, id = self.versions.newest(), self.known_id()
        return [] if newest is None or id is None else [self.batch_id(id, newest, name) for name in languages]

    @staticmethod
    def batch_id(id: str, number: int, language: str) -> str:
        """Return the id of a batch in the store."""
        return f"{id}:{number}:{language}"

    def _choose_id(self) -> str:
        """Choose an id for a run that begins; files of an earlier run of this name are moved aside, not overwritten."""
        id = secrets.token_hex(8)
        for folder in (self.matches, self.dead_letters):
            if folder.is_dir() and any(folder.iterdir()):
                aside = folder.with_name(f"{folder.name}-before-{id}")
                folder.rename(aside)
                make_private_folder(folder)
                said = "%s: its checkpoint is gone, so it begins anew; the earlier %s are in %s"
                _log.warning(said, self.path, folder.name, aside)
        write_json(self.checkpoint / "run.json", {"id": id})
        return id


def _read_id(file: Path) -> str:
    try:
        id = parse_json(file.read_bytes())["id"]
    except (ValueError, KeyError, TypeError):
        id = None
    if not isinstance(id, str) or not id:
        raise StoreError(
            f"truncated or altered, it names no run: restore it, or remove {file.parent} to begin anew", path=file
        )
    return id


@contextmanager
def _failures_named(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot be used: {error.strerror or error}", path=error.filename or path) from error
