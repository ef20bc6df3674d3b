"""The one way in which kernels are compiled.

Machine code is kept on disk. Numba compiles a function anew when its file changes, but not when a file does that it
calls into, and stale code gives wrong answers. So code is kept under a stamp of all kernels: a change in one of them
compiles all of them anew.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit


def _stamp() -> tuple[int, int]:
    """Return the newest change of the kernels' files, and their size."""
    found = [path.stat() for path in Path(__file__).parent.glob("*.py")]
    return max(file.st_mtime_ns for file in found), sum(file.st_size for file in found)


_STAMP = _stamp()


def _compiler(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    def compiled(function: Callable[..., Any]) -> Any:
        made = njit(cache=True, nogil=True, boundscheck=False, **options)(function)
        file = getattr(made._cache, "_cache_file", None)
        if file is not None:  # numba keeps nothing where it finds no folder to write to
            file._source_stamp = _STAMP
        return made

    return compiled


kernel = _compiler()
"""Compile once per signature, keep the machine code on disk, and let other threads run meanwhile."""

inline = _compiler(inline="always")
"""As `kernel`, for small functions that kernels call in their inner loops; not for those that return several values,
which become slow."""

leaf = _compiler(_nrt=False)
"""As `kernel`, for functions that allocate nothing: no references to arrays are counted. Counting costs several
nanoseconds for each array, wherever a function has more than one way out."""
