"""Where machine code lies: the folders to read it from, and the one to write it to.

The places, in this order; code is read from each, and written to the first that lets us::

    $WATCHWORD_CACHE/kernels                  if the variable is set
    watchword/kernels/__pycache__/compiled    beside the package
    $XDG_CACHE_HOME/watchword/kernels         or ~/.cache/watchword/kernels
    /tmp/watchword-kernels-1000               in the folder for temporary files, with the user's number

Last comes `watchword/kernels/shipped`, which a wheel may have (``make wheel``): code for `BASELINE`, which nearly every
processor can run.

Loading code runs it. So a place is used only if it belongs to this user or to root and nobody else may write to it; a
line in the log names one that is not used. Places are made for their owner alone, but for the one beside the package,
which others may read as they read the package: an image is made by root and run by somebody else. Where no place can be
written to, code is compiled in every process.

What is removed: when code is first kept under a new name, the oldest folders of the same file go, and the oldest ones
of other versions and machines; `KEPT` stay of each. A process that was reading there compiles again; answers stay.
"""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import shutil
import stat
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite.binding import get_host_cpu_features, get_host_cpu_name

from watchword.kernels.cache.sources import PACKAGE, digest

KEPT = 4
"""Folders that stay: of one kernel file, and of versions and machines in one place."""
BASELINE = "x86-64-v3", ""
"""The processor that a wheel's kernels are compiled for, and features beyond it: nearly every server since 2015."""
_BASELINE_FEATURES = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "cx16", "sse4.2", "xsave")
_SHIPPED = PACKAGE / "kernels" / "shipped"
_BESIDE = PACKAGE / "kernels" / "__pycache__" / "compiled"
_log = logging.getLogger("watchword.kernels")


@dataclass(frozen=True)
class Places:
    """The folders of this process: `readable` in the order of asking, `writable` if there is one."""

    readable: tuple[Path, ...]
    writable: Path | None

    def folders(self, file: Path) -> tuple[tuple[Path, ...], Path | None]:
        """Return the folders that may have the code of a kernel file, and the one that new code is put into."""
        return _folders(self, file)


@cache
def _folders(found: Places, file: Path) -> tuple[tuple[Path, ...], Path | None]:
    name = f"{machine()}/{folder_name(file)}"
    readable = [place / name for place in found.readable]
    if _SHIPPED.is_dir() and _has_baseline():
        readable.append(_SHIPPED / machine(*BASELINE) / folder_name(file))
    return tuple(readable), found.writable / name if found.writable else None


@cache
def places() -> Places:
    """Return the folders of this process, looked for once."""
    readable: list[Path] = []
    writable = None
    for folder in _candidates():
        if _is_trusted(folder) or (writable is None and _make(folder)):
            readable.append(folder)
            if writable is None and os.access(folder, os.W_OK | os.X_OK):
                writable = folder
    temporary = _temporary()
    if writable is None and temporary and _make(temporary):
        readable.append(temporary)
        writable = temporary
    if writable is None:
        _log.warning("no folder to keep compiled kernels in: each process compiles them; WATCHWORD_CACHE names one")
    return Places(tuple(readable), writable)


@cache
def folder_name(file: Path) -> str:
    """Return the name of a kernel file's folder, such as kernels.sets.packed-0b7e6c1f2a9d4e53."""
    module = ".".join(file.relative_to(PACKAGE).with_suffix("").parts)
    return f"{module}-{digest(file)}"


@cache
def machine(processor: str = "", features: str | None = None) -> str:
    """Return the name for this version on machines of a kind, this one's if none is given, which can share code."""
    config: Any = numba.config
    tag = sys.implementation.cache_tag
    if not processor:
        processor, features = config.CPU_NAME or get_host_cpu_name(), config.CPU_FEATURES
    if features is None:
        features = get_host_cpu_features().flatten()
    parts = [sys.abiflags, platform.system(), platform.machine(), processor, features, str(config.ENABLE_AVX)]
    if config.BOUNDSCHECK:  # code with checks and code without never take each other's place
        parts.append("checked")
    total = hashlib.sha256("\n".join([*parts, numba.__version__, llvmlite.__version__]).encode()).hexdigest()
    version = import_module("watchword").__version__
    return f"watchword-{version}-{tag}-numba-{numba.__version__}-{processor or 'generic'}-{total[:8]}"


@cache
def _has_baseline() -> bool:
    """Return whether this processor runs code that was compiled for `BASELINE`."""
    found = get_host_cpu_features()
    return platform.machine() in ("x86_64", "AMD64") and all(found.get(name) for name in _BASELINE_FEATURES)


def make_folder(folder: Path) -> None:
    """Make the folder of a kernel file, and remove old ones beside it."""
    if folder.is_dir():
        return
    machines = folder.parent
    new = not machines.is_dir()
    folder.mkdir(parents=True, exist_ok=True)
    if new:
        _remove_oldest(machines.parent, "watchword-*")
    _remove_oldest(machines, folder.name.rpartition("-")[0] + "-*")


def _candidates() -> list[Path]:
    found = [_BESIDE]
    chosen = os.environ.get("WATCHWORD_CACHE")
    if chosen and _is_safe(Path(chosen).absolute()):
        found.insert(0, Path(chosen).absolute() / "kernels")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 (Path raises without home)
    if Path(home).is_absolute():
        found.append(Path(home) / "watchword" / "kernels")
    return found


def _temporary() -> Path | None:
    with suppress(OSError):  # there is no folder for temporary files
        return Path(tempfile.gettempdir()) / f"watchword-kernels-{_user()}"
    return None


def _make(folder: Path) -> bool:
    """Make a place that is missing; return whether it is there now and ours."""
    mode = 0o755 if folder == _BESIDE else 0o700
    with suppress(OSError):
        folder.parent.mkdir(mode=mode, parents=True, exist_ok=True)
        folder.mkdir(mode=mode)
        folder.chmod(mode)  # whatever the umask says
    return _is_trusted(folder)


def _is_trusted(folder: Path) -> bool:
    """Return whether a place is there, can be read, and can be written to by this user and root alone."""
    return folder.is_dir() and _is_safe(folder) and os.access(folder, os.R_OK | os.X_OK)


def _is_safe(folder: Path) -> bool:
    """Return whether nobody but this user and root can put files into a folder, or replace what is in it."""
    try:
        found = folder.stat()
    except OSError:
        return True  # there is none, so it is made for this user alone
    if os.name == "nt":  # no such owners and modes there
        return True
    if found.st_uid not in (_user(), 0):
        _refuse(folder, f"it belongs to user {found.st_uid}")
    elif found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX:
        _refuse(folder, f"others can write to it, until you chmod go-w {folder}")
    else:
        return True
    return False


@cache
def _refuse(folder: Path, reason: str) -> None:
    _log.warning("compiled kernels in %s are not used: %s", folder, reason)


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _remove_oldest(folder: Path, pattern: str) -> None:
    """Remove the folders of a name but for the `KEPT` that were changed last."""
    times = {}
    for path in folder.glob(pattern):
        with suppress(OSError):
            times[path] = path.stat().st_mtime_ns
    for path in sorted(times, key=lambda path: times[path], reverse=True)[KEPT:]:
        shutil.rmtree(path, ignore_errors=True)
