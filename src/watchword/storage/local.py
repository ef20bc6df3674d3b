"""A folder that driver and workers see at the same path: files are replaced by a rename."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from watchword.errors import SnapshotError
from watchword.files import locked, remove_temporaries, replaced
from watchword.snapshot import LOCK


class LocalPlace:
    """A folder of this machine, or one that it mounts."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._folder = Path(path)

    def names(self, folder: str = "") -> list[str]:
        place = self._folder / folder
        return [entry.name for entry in place.iterdir()] if place.is_dir() else []

    def read(self, name: str) -> bytes:
        return (self._folder / name).read_bytes()

    def write(self, name: str, content: bytes) -> None:
        file = self._folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with replaced(file) as output:
            output.write(content)

    def remove(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)

    def remove_tree(self, folder: str) -> None:
        shutil.rmtree(self._folder / folder, ignore_errors=True)

    @contextmanager
    def writing(self) -> Iterator[Callable[[], None]]:
        """Wait for other writers by a lock of the operating system, which ends with its process."""
        try:
            (self._folder / "versions").mkdir(parents=True, exist_ok=True)
            (self._folder / "shards").mkdir(exist_ok=True)
        except OSError as error:
            raise SnapshotError(f"cannot write it: {error.strerror}", path=self._folder) from error
        with locked(self._folder / LOCK):
            for place in (self._folder, self._folder / "versions"):
                remove_temporaries(place)
            yield lambda: None

    def label(self, name: str = "") -> str:
        return str(self._folder / name)
