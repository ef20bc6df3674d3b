"""Which version of an index each batch of a stream used.

Spark may run a micro-batch again after a failure, with the same number. So the version of a batch is chosen once and
written down before the batch runs; asked again, the log gives the same version.

Layout: ``FOLDER/<batch>-<hash of the index's path>.json``, each written whole and synced. Keep the folder inside the
query's checkpoint folder (a path or a URL): the numbers of batches belong to the checkpoint.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress

from watchword import shards, storage
from watchword.errors import SnapshotError
from watchword.files import parse_json

_NAME = re.compile(r"(\d+)-[0-9a-f]{12}\.json")


class VersionLog:
    """Which version each micro-batch used. One query writes it; the newest `keep` batches are remembered."""

    def __init__(self, folder: str | os.PathLike[str], *, keep: int = 100) -> None:
        self._place = storage.place(folder)
        self.folder = self._place.path
        self.keep = max(keep, 2)

    def version_for(self, batch_id: int, path: str | os.PathLike[str]) -> int:
        """Return the version of the index at `path` for a batch: the one recorded, or else the newest, now recorded.

        Recorded means on the disk: whatever happens after this returns, the batch will use this version.
        """
        index = storage.normal(path)
        name = _name(batch_id, index)
        recorded = self._recorded(name)
        if recorded is not None:
            return recorded
        version = shards.resolve(index).version
        record = {"batch": batch_id, "path": index, "version": version}
        try:
            self._place.write(name, json.dumps(record, indent=1).encode())
        except OSError as error:
            raise SnapshotError(f"cannot write it: {error.strerror or error}", path=self._place.label(name)) from error
        self._forget(batch_id - self.keep)
        return version

    def recorded(self, batch_id: int, path: str | os.PathLike[str]) -> int | None:
        """Return the version that a batch used; None if it has not run, or its record was removed."""
        return self._recorded(_name(batch_id, storage.normal(path)))

    def forget(self, batch_id: int, path: str | os.PathLike[str]) -> None:
        """Remove the record of a batch, so that it will use the newest version."""
        self._place.remove(_name(batch_id, storage.normal(path)))

    def newest(self) -> int | None:
        """Return the number of the newest batch that has a record: the only one that Spark may still repeat."""
        return max(self._batches().values(), default=None)

    def pinned(self, path: str | os.PathLike[str]) -> set[int]:
        """Return the versions of an index that a batch which may still be repeated has recorded."""
        newest = self.newest()
        version = None if newest is None else self.recorded(newest, path)
        return set() if version is None else {version}

    def _batches(self) -> dict[str, int]:
        """Return the number of the batch that each record is about."""
        names = {name: _NAME.fullmatch(name) for name in self._place.names()}
        return {name: int(found[1]) for name, found in names.items() if found}

    def _forget(self, last: int) -> None:
        with suppress(OSError):
            for name, batch in self._batches().items():
                if batch <= last:
                    self._place.remove(name)

    def _recorded(self, name: str) -> int | None:
        try:
            version = parse_json(self._place.read(name))["version"]
            if type(version) is not int:
                raise TypeError(name)
            return version
        except FileNotFoundError:
            return None
        except OSError as error:
            label = self._place.label(name)
            raise SnapshotError(f"cannot read it: {error.strerror or error}", path=label) from error
        except (ValueError, KeyError, TypeError):
            raise SnapshotError(
                "altered, this is no record of a batch's version: restore it from a copy", path=self._place.label(name)
            ) from None


def _name(batch_id: int, index: str) -> str:
    return f"{batch_id}-{hashlib.sha256(index.encode()).hexdigest()[:12]}.json"
