"""What numba asks for the folder of a kernel's machine code, by its setting NUMBA_CACHE_LOCATOR_CLASSES.

Functions of other packages have no locator here: numba asks the next class in its list.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from watchword.kernels.cache.folders import make_folder, places
from watchword.kernels.cache.sources import PACKAGE, digest


class Locator:
    """The folder and the digest of one kernel."""

    def __init__(self, function: Callable[..., Any], file: str, folder: Path) -> None:
        self._line, self._py_file, self._folder = function.__code__.co_firstlineno, file, folder

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> Locator | None:
        """Return the locator of a function of this package; None for others, and where nothing can be kept."""
        if PACKAGE not in Path(file).parents:
            return None
        readable, writable = places().folders(Path(file))
        folder = writable or next(iter(readable), None)
        return cls(function, file, folder) if folder else None

    def ensure_cache_path(self) -> None:
        """Make the folder, if that is possible; numba asks for that before it writes."""
        with suppress(OSError):  # `KernelFiles` says what cannot be kept
            make_folder(self._folder)

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Return the digest of what the kernel is made of."""
        return digest(Path(self._py_file))

    def get_disambiguator(self) -> str:
        """Return what tells functions of one name in one file apart."""
        return str(self._line)
