"""Which version of an index each batch of a stream used.

Spark may run a micro-batch again after a failure, with the same number. So which version a batch uses is decided
once and written down before the batch runs; asked again, the log answers what it answered before.

Layout: ``FOLDER/<batch>-<hash of the index's path>.json``, each written whole and synced. Keep the folder inside the
query's checkpoint folder: the numbers of batches mean something there only.
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path

from watchword import shards
from watchword.errors import SnapshotError
from watchword.files import parse_json, write_json

_NAME = re.compile(r"(\d+)-[0-9a-f]{12}\.json")


class VersionLog:
    """Which version each micro-batch used. One query writes it; the newest `keep` batches are remembered."""

    def __init__(self, folder: str | os.PathLike[str], *, keep: int = 100) -> None:
        self.folder = shards.local_path(folder)
        self.keep = max(keep, 2)

    def version_for(self, batch_id: int, path: str | os.PathLike[str]) -> int:
        """Return the version of the index at `path` for a batch: the one recorded, or else the newest, now recorded.

        Recorded means on the disk: whatever happens after this returns, the batch will use this version.
        """
        index = shards.local_path(path)
        file = self._file(batch_id, index)
        recorded = _recorded(file)
        if recorded is not None:
            return recorded
        version = shards.resolve(index).version
        try:
            write_json(file, {"batch": batch_id, "path": index, "version": version})
        except OSError as error:
            raise SnapshotError(f"cannot write it: {error.strerror or error}", path=file) from error
        self._forget(batch_id - self.keep)
        return version

    def recorded(self, batch_id: int, path: str | os.PathLike[str]) -> int | None:
        """Return the version that a batch used; None if it has not run, or was forgotten."""
        return _recorded(self._file(batch_id, shards.local_path(path)))

    def forget(self, batch_id: int, path: str | os.PathLike[str]) -> None:
        """Forget what a batch used, so that it will use the newest version."""
        self._file(batch_id, shards.local_path(path)).unlink(missing_ok=True)

    def newest(self) -> int | None:
        """Return the number of the newest batch that has a record: the only one that Spark may still repeat."""
        return max(self._batches(), default=None)

    def pinned(self, path: str | os.PathLike[str]) -> set[int]:
        """Return the versions of an index that a batch which may still be repeated has recorded."""
        newest = self.newest()
        version = None if newest is None else self.recorded(newest, path)
        return set() if version is None else {version}

    def _batches(self) -> list[int]:
        folder = Path(self.folder)
        names = [_NAME.fullmatch(entry.name) for entry in folder.iterdir()] if folder.is_dir() else []
        return [int(name[1]) for name in names if name]

    def _file(self, batch_id: int, index: str) -> Path:
        name = hashlib.sha256(index.encode()).hexdigest()[:12]
        return Path(self.folder) / f"{batch_id}-{name}.json"

    def _forget(self, last: int) -> None:
        with suppress(OSError):
            for entry in Path(self.folder).iterdir():
                name = _NAME.fullmatch(entry.name)
                if name and int(name[1]) <= last:
                    entry.unlink(missing_ok=True)


def _recorded(file: Path) -> int | None:
    try:
        return int(parse_json(file.read_bytes())["version"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        raise SnapshotError(
            "altered, this is no record of a batch's version: restore it from a copy", path=file
        ) from None
