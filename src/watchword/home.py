"""The home folder of a running system: where everything that it keeps lies.

    HOME/store.sqlite             subscribers, subscriptions, inboxes, and the options of each language's index
    HOME/index/LANGUAGE/          the versions of each language's index
    HOME/index/LANGUAGE.json      its last versions, and the store's counter that each stands for
    HOME/runs/NAME/               one stream: its checkpoint, its spool of fetched items, its matches by batch

A folder without a store is no home: a typing error is not to start a second system beside the first.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from pathlib import Path

from watchword.errors import StoreError
from watchword.files import write_json
from watchword.store import Store

STORE = "store.sqlite"
_VERSIONS = 200
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Home:
    """The paths below a home folder, and its small files."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).absolute()

    @classmethod
    def make(cls, path: str | os.PathLike[str]) -> Home:
        """Make a home folder, or return the one that is there."""
        home = cls(path)
        home.path.mkdir(parents=True, exist_ok=True)
        Store.open(home.path / STORE).close()
        return home

    def store(self) -> Store:
        """Open the store."""
        file = self.path / STORE
        if not file.exists():
            raise StoreError(f"there is no {STORE} in it, so it is no home: watchword init makes one", path=self.path)
        return Store.open(file)

    def index(self, language: str) -> Path:
        """Return the folder of a language's index."""
        return self.path / "index" / language

    def counters(self, language: str) -> dict[int, int]:
        """Return, of the last versions of an index, the store's counter that each stands for, newest last."""
        try:
            noted = json.loads((self.path / "index" / f"{language}.json").read_bytes())["counters"]
        except FileNotFoundError:
            return {}
        return {int(version): int(counter) for version, counter in noted.items()}

    def note_counter(self, language: str, version: int, counter: int) -> None:
        """Note what a version stands for."""
        noted = self.counters(language)
        noted.pop(version, None)
        noted[version] = counter
        kept = dict(list(noted.items())[-_VERSIONS:])
        write_json(self.path / "index" / f"{language}.json", {"counters": kept})

    def run(self, name: str) -> Run:
        """Return the folder of a stream, made where it is missing."""
        if not _NAME.fullmatch(name):
            raise StoreError(f"{name!r} cannot name a run: use letters, digits, dots and dashes", path=self.path)
        return Run(self.path / "runs" / name)


class Run:
    """One stream. `id` tells its batches from those of any other, also of one that was removed and begun anew."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoint = path / "checkpoint"
        self.versions = path / "checkpoint-versions"
        self.spool = path / "spool"
        self.matches = path / "matches"
        self.matches.mkdir(parents=True, exist_ok=True)
        file = path / "run.json"
        if not file.exists():
            write_json(file, {"id": secrets.token_hex(8)})
        self.id = str(json.loads(file.read_bytes())["id"])
