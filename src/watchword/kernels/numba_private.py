"""The one way to ask numba for a name that its documentation does not promise.

``private("numba.core.runtime.nrt", "rtsys")`` returns the name, or raises `UnsupportedNumba` where a release of numba
has it no more. Most such names make processes start sooner, and nothing else: these are asked for inside of `optional`,
which logs one line and goes on without::

    numba 0.70.0 has no 'rtsys' in numba.core.runtime.nrt: a process starts later; answers are the same
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numba

_log = logging.getLogger("watchword.kernels")
_logged: set[str] = set()


class UnsupportedNumba(ImportError):
    """The installed numba lacks a name that Watchword uses."""


def private(owner: Any, name: str) -> Any:
    """Return an attribute of an object, or of a module that is given by its name."""
    try:
        return getattr(import_module(owner) if isinstance(owner, str) else owner, name)
    except (AttributeError, ImportError):
        place = owner if isinstance(owner, str) else getattr(owner, "__name__", type(owner).__name__)
        raise UnsupportedNumba(f"numba {numba.__version__} has no {name!r} in {place}") from None


def needed(owner: str, name: str) -> Any:
    """Return a name of a module of numba's without which no kernel can be compiled."""
    try:
        return private(owner, name)
    except UnsupportedNumba as error:
        raise UnsupportedNumba(f"{error}; this version of Watchword needs numba 0.68 or 0.69") from None


@contextmanager
def optional(loss: str) -> Iterator[None]:
    """Leave a block where numba lacks a name, and log once a process what is lost."""
    try:
        yield
    except UnsupportedNumba as error:
        if loss not in _logged:
            _logged.add(loss)
            _log.warning("%s: %s; answers are the same", error, loss)
