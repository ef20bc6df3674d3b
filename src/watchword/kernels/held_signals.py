"""Signals are held while a kernel is compiled or loaded in the main thread, and delivered afterwards.

Python runs the handlers of signals in the main thread, between any two steps: Ctrl-C raises a KeyboardInterrupt there.
Inside numba it may leave the global compiler lock held, and other threads that compile then wait for ever; inside
llvmlite it may end the process. So, for `run_held(compile)`::

    SIGINT's handler    default_int_handler ─> StandIn ──────────> default_int_handler, and called if SIGINT was noted
    main thread         ....................   compile .........   KeyboardInterrupt

A mask of signals would not do: the system hands a signal to another thread, and Python still runs its handler here.
A signal whose handler is not Python's, such as SIGTERM without one, is not held. A signal that came several times is
delivered once.

Handlers may raise as soon as signals are no longer held, also between the steps that put them back. So a stand-in calls
its handler while nothing is held: one that an exception left in its place changes nothing for the signal, and the next
`run_held` puts its handler back. The same heals the child of a fork that another thread began meanwhile: no
thread of the child would end the holding, so it ends at once.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")
Handler = Callable[[int, Any], Any]

_held: list[int] = []
"""The thread that holds signals, while one does; a kernel that is compiled for another one is inside already."""
_noted: dict[int, Handler] = {}
"""The handlers that are still to be called, by the numbers of the signals that came while signals were held."""


class StandIn:
    """A handler in another one's place: it notes the signal while signals are held, and calls the other otherwise."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __call__(self, number: int, frame: Any) -> None:
        """Note the signal, or handle it."""
        if _held:
            _noted[number] = self.handler
        else:
            self.handler(number, frame)


def run_held(work: Callable[..., Result], *arguments: Any, **named: Any) -> Result:
    """Call a function and return its result; in the main thread, handlers of signals run after it."""
    if _held or threading.current_thread() is not threading.main_thread():
        return work(*arguments, **named)
    stand_ins: dict[int, StandIn] = {}
    try:
        _replace(stand_ins)
        _held.append(threading.get_ident())
        return work(*arguments, **named)
    finally:
        try:
            _held.clear()  # nothing raises up to here
        finally:
            _restore(stand_ins)


def _replace(stand_ins: dict[int, StandIn]) -> None:
    """Put a stand-in, by its signal in `stand_ins`, into the place of every handler that Python runs."""
    for number in signal.valid_signals():
        handler = signal.getsignal(number)
        if isinstance(handler, StandIn):
            stand_ins[number] = handler
        elif callable(handler):
            stand_ins[number] = StandIn(handler)
            signal.signal(number, stand_ins[number])


def _restore(stand_ins: dict[int, StandIn]) -> None:
    """Put handlers back, then call the ones of signals that were noted; one that raises does not stop the others."""
    try:
        while stand_ins:
            number = next(iter(stand_ins))
            signal.signal(number, stand_ins[number].handler)
            del stand_ins[number]
        while _noted:
            number, handler = _noted.popitem()
            handler(number, sys._getframe())
    finally:
        if stand_ins or _noted:
            _restore(stand_ins)


def _end_in_child() -> None:
    """In the child of a fork, hold signals no longer if the thread that held them stayed in the parent."""
    if _held and _held[0] != threading.get_ident():
        _held.clear()
        _noted.clear()  # these are delivered in the parent


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_end_in_child)
