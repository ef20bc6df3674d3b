"""Where an index lies: a folder of this machine, or a prefix of an object store. Both have the same few operations.

A `Place` lists files, reads, writes and removes a whole file, and lets one writer in at a time. `local` is a folder
that every machine mounts; `objects` is any store that pyarrow has a file system for. A memory map needs a file:
`copies` keeps copies of the files of a store, once for each machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from watchword import locations
from watchword.errors import LocationError
from watchword.storage.local import LocalPlace

__all__ = ["Place", "is_remote", "normal", "place"]

Confirm = Callable[[], None]
"""Raises if another writer has taken over."""


class Place(Protocol):
    """A folder of files, by their names in it (``versions/000007.json``). A missing folder is an empty one."""

    path: str

    def names(self, folder: str = "") -> list[str]:
        """Return the names of the files and folders in a folder; none where there is no such folder."""

    def read(self, name: str) -> bytes:
        """Return the content of a file; `FileNotFoundError` where there is none."""

    def write(self, name: str, content: bytes) -> None:
        """Write a file, or replace one: readers see the old content or the new, never a part."""

    def remove(self, name: str) -> None:
        """Remove a file; nothing happens where there is none."""

    def remove_tree(self, folder: str) -> None:
        """Remove a folder with its files; a file that cannot be removed stays."""

    def writing(self) -> AbstractContextManager[Confirm]:
        """Hold the place for writing; the function that is given raises if another writer has taken over."""

    def label(self, name: str = "") -> str:
        """Return the name of a file as messages show it."""


def normal(path: str | os.PathLike[str]) -> str:
    """Return the one spelling of an index's path, which driver and workers use; a `LocationError` if it is none."""
    try:
        return locations.normal(path)
    except ValueError as error:
        raise LocationError(str(error), path=os.fspath(path)) from None


def is_remote(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a URL of an object store, not a folder of this machine."""
    return locations.scheme_of(path) is not None


def place(path: str | os.PathLike[str]) -> Place:
    """Return the place at a path or URL; nothing is made or read yet."""
    spelled = normal(path)
    if not is_remote(spelled):
        return LocalPlace(spelled)
    from watchword.storage.objects import ObjectPlace

    return ObjectPlace(spelled)
