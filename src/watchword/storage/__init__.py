"""Where an index lies: a folder of this machine, or a prefix of an object store. The few operations that both have.

A `Place` lists, reads whole, writes whole, removes, and lets one writer in at a time. `local` is a folder that every
machine mounts; `objects` is any store that pyarrow has a file system for. What is read by memory map has to be a file:
`copies` keeps copies of what lies elsewhere, once for each machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from watchword import locations
from watchword.errors import PipelineError
from watchword.storage.local import LocalPlace

__all__ = ["Place", "is_remote", "normal", "place"]

Confirm = Callable[[], None]
"""Raises if another writer has taken over."""


class Place(Protocol):
    """A folder of files, by their names in it (``versions/000007.json``). A missing folder is an empty one."""

    path: str

    def names(self, folder: str = "") -> list[str]:
        """Return the names of what lies in a folder; none where there is no such folder."""

    def read(self, name: str) -> bytes:
        """Return the content of a file; `FileNotFoundError` where there is none."""

    def write(self, name: str, content: bytes) -> None:
        """Put a file there, or in the place of another: readers see the old or the new one."""

    def remove(self, name: str) -> None:
        """Remove a file; nothing happens where there is none."""

    def remove_tree(self, folder: str) -> None:
        """Remove a folder and all that is in it, as far as that is possible."""

    def writing(self) -> AbstractContextManager[Confirm]:
        """Hold the place for writing; what is given says, when it is called, that this still holds."""

    def label(self, name: str = "") -> str:
        """Return how to name a file to people."""


def normal(path: str | os.PathLike[str]) -> str:
    """Return the one spelling of an index's path, which driver and workers will use; refuse what nobody can read."""
    try:
        return locations.normal(path)
    except ValueError as error:
        raise PipelineError(f"{os.fspath(path)}: {error}") from None


def is_remote(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a store, not a folder of this machine."""
    return locations.scheme_of(path) is not None


def place(path: str | os.PathLike[str]) -> Place:
    """Return the place at a path or URL; nothing is made or looked at yet."""
    spelled = normal(path)
    if not is_remote(spelled):
        return LocalPlace(spelled)
    from watchword.storage.objects import ObjectPlace

    return ObjectPlace(spelled)
