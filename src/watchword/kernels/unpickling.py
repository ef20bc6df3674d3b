"""Ctrl-C while a kernel runs is a KeyboardInterrupt when the kernel returns.

Machine code that returns an array calls ``_numba_unpickle(address, pickled, digest)`` of numba for the class of the
array. That is a function in Python: handlers of signals that came while the kernel ran run at its first step, and the
machine code does not see that one raised. The caller got ``SystemError: ... returned a result with an exception set``.

A cache in C around that function answers every call but the first without a step of Python, so the handlers run
in the caller, after the array is made. numba asks for the function once a process; where another package has
called a kernel before this module is loaded, everything is as it was.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any

from watchword.kernels.numba_private import optional, private

with optional("Ctrl-C while a kernel runs may be a SystemError"):
    _unpickle = private("numba.core.serialize", "_numba_unpickle")
    _serialize: Any = import_module("numba.core.serialize")
    _serialize._numba_unpickle = lru_cache(maxsize=None)(_unpickle)
