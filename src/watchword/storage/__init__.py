"""Where an index lies: a folder of this machine, or a prefix of an object store. Both have the same few operations.

A `Place` lists, reads whole, writes whole, removes, and lets one writer in at a time. `local` is a folder that every
machine mounts; `objects` is any store that pyarrow has a file system for. Only a local file can be mapped into memory:
`copies` keeps one copy of each remote shard on every machine.
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
        """Return the names of the files and folders in `folder`; an empty list if it does not exist."""

    def read(self, name: str) -> bytes:
        """Return the bytes of a file; raises `FileNotFoundError` if it does not exist."""

    def write(self, name: str, content: bytes) -> None:
        """Create or replace a file; readers see the old content or the new one, never a part."""

    def remove(self, name: str) -> None:
        """Remove a file; does nothing if it does not exist."""

    def remove_tree(self, folder: str) -> None:
        """Remove a folder and its content; files that cannot be removed stay."""

    def writing(self) -> AbstractContextManager[Confirm]:
        """Lock the place for one writer. Yields `confirm()`, which raises if another writer has taken over."""

    def label(self, name: str = "") -> str:
        """Return the name of a file for messages: ``s3://bucket/index/current.json``."""


def normal(path: str | os.PathLike[str]) -> str:
    """Return the one spelling of an index's path for driver and workers; an unknown scheme is a `LocationError`."""
    try:
        return locations.normal(path)
    except ValueError as error:
        raise LocationError(str(error), path=os.fspath(path)) from None


def is_remote(path: str | os.PathLike[str]) -> bool:
    """Return whether a path names an object store (``s3://…``), not a folder of this machine."""
    return locations.scheme_of(path) is not None


def place(path: str | os.PathLike[str]) -> Place:
    """Return the place at a path or URL; creates nothing and reads nothing."""
    spelled = normal(path)
    if not is_remote(spelled):
        return LocalPlace(spelled)
    from watchword.storage.objects import ObjectPlace

    return ObjectPlace(spelled)
