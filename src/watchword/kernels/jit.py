"""The one way in which kernels are compiled.

Machine code is kept on disk (`cache` says where and how), and every process after the first loads it. Beyond `njit`
there are these, each of which needs a private name of numba and is left out where numba has it no more:

- `_keep_checked`: files with checksums, read from several folders;
- `_load_sooner`: what is kept is loaded without what numba compiles with;
- `_resolve_by_type`: a kernel is not compiled again for each constant that it is called with;
- `no_cfunc_wrapper`, `_nrt`: options that leave out what is not used;
- `Callback`: code that C calls, loaded like the rest.

While a kernel is compiled or loaded, signals are held (`held_signals`); a fork meanwhile does no harm (`forks`). A
signal while a kernel runs is handled by its caller (`unpickling`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import RLock
from typing import Any

import numba
from numba import cfunc, njit, types

from watchword.kernels import forks as forks  # registers what a fork needs
from watchword.kernels import unpickling as unpickling  # keeps handlers of signals out of what kernels return
from watchword.kernels.cache.files import KernelFiles
from watchword.kernels.cache.folders import places
from watchword.kernels.cache.sources import PACKAGE
from watchword.kernels.first_use import FirstUse
from watchword.kernels.held_signals import run_held
from watchword.kernels.numba_private import UnsupportedNumba, optional, private
from watchword.lazy import lazy

first_use = FirstUse()
_log = logging.getLogger("watchword.kernels")
_setting = RLock()
_LOCATOR = "watchword.kernels.cache.locator.Locator"


def _compiler(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    known = {"boundscheck": False, "nogil": True, **_known_options({"no_cfunc_wrapper": True, **options})}

    def compiled(function: Callable[..., Any]) -> Any:
        made = _with_cache(function, lambda cache: njit(cache=cache, **known)(function))
        with optional("kernels are compiled once more for each constant"):
            _resolve_by_type(made)
        _speed_up(made, function)
        made.compile = partial(run_held, made.compile)
        return made

    return compiled


def _known_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options without those private ones that numba does not have."""
    losses = {
        "no_cfunc_wrapper": "kernels compile later, with an entry for C code that is not used",
        "_nrt": "kernels that allocate nothing count references, and are slower",
    }
    known = {}
    for name, value in options.items():
        with optional(losses.get(name, "")):
            if name in losses:
                private(private(private("numba.core.registry", "cpu_target"), "options"), name)
            known[name] = value
    return known


def _with_cache(function: Callable[..., Any], make: Callable[[bool], Any]) -> Any:
    """Return what `make` compiles, with its machine code in the folder that is named after what it is made of."""
    file = Path(function.__code__.co_filename)
    readable, writable = places().folders(file) if PACKAGE in file.parents else ((), None)
    folder = writable or next(iter(readable), None)
    if folder is None:
        return make(False)
    with optional("compiled kernels are not found when the package moves"):
        return _made_in(folder, make, CACHE_LOCATOR_CLASSES=_locators())
    with optional("every process compiles its kernels"):
        return _made_in(folder, make, CACHE_DIR=str(folder))
    return make(False)


def _locators() -> str:
    """Return numba's setting of who finds folders, with ours before the others."""
    others = private(numba.config, "CACHE_LOCATOR_CLASSES")
    if not others:
        classes = private(private("numba.core.caching", "CacheImpl"), "_locator_classes")
        others = ",".join(kind.__name__ for kind in classes)
    return f"{_LOCATOR},{others}"


def _made_in(folder: Path, make: Callable[[bool], Any], **setting: str) -> Any:
    """Return what `make` compiles under a setting of numba's; raise where its code would go to another folder."""
    with _numba_setting(**setting):
        made = make(True)
    found = Path(_cache_path(made))
    if folder not in (found, found.parent):
        raise UnsupportedNumba(f"numba {numba.__version__} does not follow {', '.join(setting)}")
    return made


@contextmanager
def _numba_setting(**setting: str) -> Iterator[None]:
    """Change settings of numba's for a while; other packages that compile meanwhile are not concerned by ours."""
    with _setting:
        before = {name: private(numba.config, name) for name in setting}
        try:
            vars(numba.config).update(setting)
            yield
        except RuntimeError as error:  # a class of locators that numba does not know
            raise UnsupportedNumba(f"numba {numba.__version__}: {error}") from error
        finally:
            vars(numba.config).update(before)


def _cache_path(made: Any) -> str:
    return str(made.stats.cache_path if hasattr(made, "stats") else private(made, "_cache").cache_path)


def _speed_up(made: Any, function: Callable[..., Any]) -> None:
    """Load machine code of a kernel faster and safer than numba does."""
    with optional("damaged files of compiled kernels are not noticed"):
        _keep_checked(made, Path(function.__code__.co_filename))
    with optional("a process starts later"):
        _load_sooner(made)
    with optional("nothing says that kernels are compiled"):
        _watch(made)


def _keep_checked(made: Any, file: Path) -> None:
    """Let a kernel keep its machine code in files with checksums."""
    kept = private(made, "_cache")
    if type(kept).__name__ == "NullCache":
        return
    before = private(kept, "_cache_file")
    for name in ("load", "save", "flush"):
        private(before, name)
    base = private(private(kept, "_impl"), "filename_base")
    dump = private("numba.core.serialize", "dumps")
    kept._cache_file = KernelFiles(base, *places().folders(file), dump)


def _load_sooner(made: Any) -> None:
    """Let a kernel load what is kept without what numba compiles with.

    Numba loads all of that first, which takes longer than all kernels of an index together. Compiling loads it anyway.
    """
    kept = private(made, "_cache")
    if type(kept).__name__ == "NullCache":
        return
    load = private(kept, "_load_overload")
    initialize = private(private("numba.core.runtime.nrt", "rtsys"), "initialize")

    def load_sooner(signature: Any, target: Any) -> Any:
        initialize(target)
        return load(signature, target)

    kept.load_overload = load_sooner


def _watch(made: Any) -> None:
    """Take notice of kernels that are compiled, which are those that cannot be loaded."""
    kept = private(made, "_cache")
    load = private(kept, "load_overload")

    def load_or_none(signature: Any, target: Any) -> Any:
        try:
            found = load(signature, target)
        except Exception as error:
            _log.warning("a compiled kernel in %s cannot be loaded, and is compiled again: %r", kept.cache_path, error)
            found = None
        if found is None:
            first_use.compiles(kept.cache_path)
        return found

    kept.load_overload = load_or_none


def _resolve_by_type(made: Any) -> None:
    """Let kernels that call this one resolve the call by the types of its arguments, not by their values.

    Numba compiles a function anew for each constant that it is called with, such as the 0 in ``append(row, 0)``, and
    also for the 0 with which a variable begins, before it finds that the variable changes. Of the 97
    signatures of a first small keyword index, 28 were such.
    """
    template, unliteral = private(made, "get_call_template"), private("numba.core.types", "unliteral")

    def template_of_types(arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        return template([unliteral(kind) for kind in arguments], {key: unliteral(kind) for key, kind in named.items()})

    made.get_call_template = template_of_types


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

    @lazy
    def _made(self) -> Any:
        options = {"boundscheck": False, **_known_options({"_nrt": False})}
        with optional("every process compiles the functions that C code calls"):
            made = _with_cache(self._function, self._preparation(options))
            _speed_up(made, self._function)
            run_held(made.compile)
            return made
        return run_held(cfunc(self._signature, **options), self._function)

    def _preparation(self, options: dict[str, Any]) -> Callable[[bool], Any]:
        """Return a function that makes what numba's `cfunc` makes, before it is compiled."""
        kind = private("numba.core.ccallback", "CFunc")
        signature = private("numba.core.sigutils", "normalize_signature")(self._signature)

        def prepare(cache: bool) -> Any:
            made = kind(self._function, signature, locals={}, options=options)
            if cache:
                made.enable_caching()
            return made

        for name in ("_cache", "enable_caching"):
            private(prepare(False), name)
        return prepare

    @property
    def address(self) -> int:
        """Return where the machine code is."""
        return int(self._made.address)


def callback(signature: str) -> Callable[[Callable[..., Any]], Callback]:
    """As `leaf`, for functions that C code calls; pointers are int64 in the signature."""
    return partial(Callback, signature=signature)
