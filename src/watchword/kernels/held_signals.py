"""Signals are held while a kernel is compiled or loaded in the main thread, and delivered afterwards.

Python runs the handlers of signals in the main thread, between any two steps: Ctrl-C raises a KeyboardInterrupt there.
Inside numba it may leave the global compiler lock held, and other threads that compile then wait for ever; inside
llvmlite it may end the process. So, for `run_held(compile)`::

    SIGINT's handler    default_int_handler ─> note ─────────────> default_int_handler, and called if SIGINT was noted
    main thread         ....................   compile .........   KeyboardInterrupt

A mask of signals would not do: the system hands a signal to another thread, and Python still runs its handler here.
A signal whose handler is not Python's, such as SIGTERM without one, is not held. A signal that came several times is
delivered once.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")
Handlers = dict[int, Callable[..., Any]]

_held: list[bool] = []
"""Not empty while signals are held; a kernel that is compiled for another one is inside already."""


def run_held(work: Callable[..., Result], *arguments: Any, **named: Any) -> Result:
    """Call a function and return its result; in the main thread, handlers of signals run after it."""
    if _held or threading.current_thread() is not threading.main_thread():
        return work(*arguments, **named)
    before: Handlers = {}
    noted: dict[int, Any] = {}
    try:
        _held.append(True)
        _replace(before, noted)
        return work(*arguments, **named)
    finally:
        replaced = dict(before)
        _restore(before)
        _held.clear()
        _deliver(replaced, noted)


def _replace(before: Handlers, noted: dict[int, Any]) -> None:
    """Replace the handlers of all signals that have one in Python by one that notes the signal."""

    def note(number: int, frame: Any) -> None:
        noted[number] = frame

    for number in signal.valid_signals():
        handler = signal.getsignal(number)
        if callable(handler):
            before[number] = handler
            signal.signal(number, note)


def _restore(before: Handlers) -> None:
    """Restore handlers; one that raises meanwhile does not keep the others from it."""
    try:
        while before:
            number = next(iter(before))
            signal.signal(number, before[number])
            del before[number]
    finally:
        if before:
            _restore(before)


def _deliver(handlers: Handlers, noted: dict[int, Any]) -> None:
    """Call the handlers of the signals that were noted; one that raises does not keep the others from it."""
    try:
        while noted:
            number, _ = noted.popitem()
            handlers[number](number, sys._getframe())
    finally:
        if noted:
            _deliver(handlers, noted)
