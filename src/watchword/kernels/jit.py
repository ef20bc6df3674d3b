"""The one way in which kernels are compiled.

Machine code is kept on disk. Numba compiles a function anew when its file changes, but not when a file does that it
calls into, and stale code gives wrong answers. So code is kept under a stamp of its file and of every kernel file that
this one imports, directly or not: touching `sets/packed.py` compiles that file and its importers, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

from numba import njit, types
from numba.core.ccallback import CFunc
from numba.core.runtime.nrt import rtsys
from numba.core.sigutils import normalize_signature
from numba.core.types import unliteral

from watchword.kernels.first_use import FirstUse

_first_use = FirstUse()
_PACKAGE = Path(__file__).parents[1]
_IMPORT = re.compile(r"^from watchword\.([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)


@cache
def imported(file: Path) -> frozenset[Path]:
    """Return the files of this package that a file imports, directly or through others, and itself."""
    found, waiting = {file}, [file]
    while waiting:
        for module, names in _IMPORT.findall(waiting.pop().read_text(encoding="utf-8")):
            folder = _PACKAGE / module.replace(".", "/")
            for path in (folder.with_suffix(".py"), *(folder / f"{name}.py" for name in re.findall(r"\w+", names))):
                if path.exists() and path not in found:
                    found.add(path)
                    waiting.append(path)
    return frozenset(found)


@cache
def _stamp(file: Path) -> tuple[tuple[str, int, int], ...]:
    """Return when the files behind a kernel were changed, and their sizes."""
    stats = [(str(path.relative_to(_PACKAGE)), path.stat()) for path in sorted(imported(file))]
    return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats)


def _index(load: Callable[[], dict[Any, Any]]) -> dict[Any, Any]:
    """Return what is kept of a function; nothing if it speaks of a named tuple that a later version has not."""
    try:
        return load()
    except (AttributeError, ImportError):
        return {}


def _load(kept: Any, signature: Any, target: Any) -> Any:
    """Return what is kept for a signature, None if nothing is.

    As numba's own `load_overload`, which first loads everything that it could compile with. That takes longer than all
    kernels of an index together, and whoever compiles does it anyway.
    """
    rtsys.initialize(target)
    with kept._guard_against_spurious_io_errors():
        found = kept._load_overload(signature, target)
        if found is None:
            _first_use.compiles(kept.cache_path)
        return found


def _keep_stamped(made: Any, function: Callable[..., Any]) -> None:
    """Keep the machine code of a function under the stamp of its file."""
    file = getattr(made._cache, "_cache_file", None)
    if file is not None:  # numba keeps nothing where it finds no folder to write to
        file._source_stamp = _stamp(Path(function.__code__.co_filename))
        file._load_index = partial(_index, file._load_index)
        made._cache.load_overload = partial(_load, made._cache)


def _for_any_value(template: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """Resolve a kernel's call of another by the types of its arguments, not by their values.

    Numba compiles a function anew for each constant that it is called with, such as the 0 in ``append(row, 0)``, and
    also for the 0 with which a variable begins, before it finds that the variable changes. Of the 97
    signatures of a first small keyword index, 28 were such.
    """
    return template([unliteral(kind) for kind in arguments], {name: unliteral(kind) for name, kind in named.items()})


def _compiler(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    options["no_cfunc_wrapper"] = True  # without an entry for C code, which nobody uses: `Callback` is for that

    def compiled(function: Callable[..., Any]) -> Any:
        made = njit(cache=True, boundscheck=False, **{"nogil": True, **options})(function)
        made.get_call_template = partial(_for_any_value, made.get_call_template)
        _keep_stamped(made, function)
        return made

    return compiled


kernel = _compiler()
"""Compile once per signature, keep the machine code on disk, and let other threads run meanwhile.

A named tuple as an argument costs a call from Python a microsecond, a plain tuple a fifth of that, an array a tenth,
and either nothing once inside. So kernels that are called for single changes are given plain tuples, and name them
inside; those that are called most often, for single texts and words, are given `handles`."""

inline = _compiler(inline="always")
"""As `kernel`, for small functions that kernels call in their inner loops; not for those that return several values,
which become slow."""

leaf = _compiler(_nrt=False)
"""As `kernel`, for functions that allocate nothing: no references to arrays are counted. Counting costs several
nanoseconds for each array, wherever a function has more than one way out."""


brief = _compiler(nogil=False)
"""As `kernel`, for functions that take less than a microsecond: other threads wait meanwhile. To let them run is to
wait for them in turn, for milliseconds if they are busy."""


INT, FLOAT = types.int64, types.float64
BYTES = types.Bytes(types.uint8, 1, "C")
HANDLES = types.int64[::1]
"""Types of arguments, for `entry`."""


def entry(made: Any, *kinds: Any) -> Callable[..., Any]:
    """Return a kernel as compiled for arguments of these types, which asks none of them for its type.

    A kernel that Python calls does so first, and that costs an eighth of a microsecond for each: more than half of a
    call that does little. Whoever calls an entry sees to the types himself; a wrong one is an error at best.
    """
    made_for: Callable[..., Any] = made.compile(kinds)
    return made_for


class Callback:
    """A function that C code calls, compiled when its address is first asked for. It must not raise."""

    def __init__(self, function: Callable[..., Any], signature: str) -> None:
        self._function, self._signature = function, signature

    @cached_property
    def _made(self) -> Any:
        options = {"boundscheck": False, "_nrt": False}
        made = CFunc(self._function, normalize_signature(self._signature), locals={}, options=options)
        made.enable_caching()
        _keep_stamped(made, self._function)
        made.compile()
        return made

    @property
    def address(self) -> int:
        """Return where the machine code is."""
        return int(self._made.address)


def callback(signature: str) -> Callable[[Callable[..., Any]], Callback]:
    """As `leaf`, for functions that C code calls; pointers are int64 in the signature."""
    return partial(Callback, signature=signature)
