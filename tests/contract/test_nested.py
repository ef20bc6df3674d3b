"""Code that Python runs inside an index: finalizers, signal handlers, events that ask. Nothing waits for itself."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from tests.contract.cases import Case, check
from tests.limits import PATIENCE
from watchword.index import Index
from watchword.layers.layered import Layered

POINTS = 30


class Nested:
    """Runs something once, as a finalizer would, before a line of the package that is drawn by its number."""

    def __init__(self, work: Callable[[], object], line: int) -> None:
        self.left, self._work = line, work
        self._package = os.sep + "watchword" + os.sep

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if self._package not in frame.f_code.co_filename or "tests" in frame.f_code.co_filename:
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                sys.settrace(None)
                self._work()
                sys.settrace(self._trace)
        return self._trace

    def __enter__(self) -> Nested:
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `auto` pack within these changes."""
    for kind in Layered.__subclasses__():
        monkeypatch.setattr(kind, "delta_rows", 3)


def lines_of(work: Callable[[], object]) -> int:
    """Return how many lines of the package a piece of work passes."""
    with Nested(lambda: None, 1 << 60) as counting:
        work()
    return (1 << 60) - counting.left


def made(case: Case) -> Index:
    index = case.index(case.model())
    index["s6"] = case.model()["s6"]  # so that base, delta and tombstones have something
    return index


@pytest.mark.slow
@pytest.mark.parametrize("name", ["append", "replace", "delete", "pop", "many", "clear"])
def test_a_read_inside_a_change_is_answered_from_before_it_or_after(method: Case, name: str) -> None:
    texts, events, before = method.texts(24), method.events(4), method.model()
    load = {f"t{number}": text for number, text in enumerate(texts)}
    changes: dict[str, tuple[Callable[[Index], object], Callable[[dict[str, str]], object]]] = {
        "append": (lambda index: index.__setitem__("new", texts[12]), lambda model: model.update(new=texts[12])),
        "replace": (lambda index: index.__setitem__("s3", texts[13]), lambda model: model.update(s3=texts[13])),
        "delete": (lambda index: index.__delitem__("s4"), lambda model: model.pop("s4")),
        "pop": (lambda index: index.pop("s0"), lambda model: model.pop("s0")),
        "many": (lambda index: index.update(load), lambda model: model.update(load)),
        "clear": (lambda index: index.clear(), lambda model: model.clear()),
    }
    change, effect = changes[name]
    after = dict(before)
    effect(after)
    total = lines_of(lambda: change(fresh)) if (fresh := made(method)) else 0
    random_ = random.Random(f"{method} {name}")
    for _ in range(POINTS if method.method == "auto" else POINTS // 3):
        index, seen, refused = made(method), [], []

        def inside(index: Index = index, seen: list[Any] = seen, refused: list[str] = refused) -> None:
            seen.append(dict(index))
            check(method, index, seen[0], events)
            for work in (
                lambda: index.setdefault("s1", texts[1]),
                lambda: index.pop("x", None),
                lambda: index.update({}),
            ):
                try:
                    work()
                except RuntimeError as error:
                    refused.append(str(error))

        with Nested(inside, random_.randrange(1, total + 1)):
            change(index)
        if len(refused) == 3:  # inside the change, or a read of it
            assert seen[0] in (before, after)
            assert all("cannot be changed by code that runs" in text for text in refused)
            check(method, index, after, events)
        else:
            assert refused == []  # before the change began, or after it had ended


def test_a_signal_handler_may_ask_and_is_told_why_it_may_not_change(method: Case) -> None:
    index, told = made(method), []
    events, texts = method.events(3), method.texts(8)

    def ask(*_: object) -> None:
        index.match(events[0])
        len(index)
        try:
            index["signal"] = texts[0]
        except RuntimeError as error:
            told.append(str(error))
        else:
            index.pop("signal", None)  # a second signal may have come in between, and removed it

    before = signal.signal(signal.SIGALRM, ask)
    try:
        for step in range(40):
            signal.setitimer(signal.ITIMER_REAL, (1 + step % 17) * 2e-5)
            index[f"n{step % 5}"] = texts[step % 8]
            index.match(events[step % 3])
            index.pop(f"n{(step + 2) % 5}", None)
        signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert all("cannot be changed by code that runs" in text for text in told)
    check(method, index, dict(index), events)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_child_of_a_fork_matches_and_changes_whatever_other_threads_were_at(method: Case) -> None:
    index, stop = made(method), threading.Event()
    events, texts = method.events(3), method.texts(24)
    load = {f"t{number}": text for number, text in enumerate(texts)}

    def write() -> None:
        while not stop.is_set():
            index.update(load)
            for key in load:
                index.pop(key, None)

    def read() -> None:
        while not stop.is_set():
            index.match(events[0])

    threads = [threading.Thread(target=work, daemon=True) for work in (write, write, read)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                _be_the_child(method, index, events, texts)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join(60)


def _be_the_child(case: Case, index: Index, events: list[Any], texts: list[str]) -> None:
    """Use the index in a new process, and end it: 0 if all is well. A hang ends by a signal."""
    status = 1
    try:
        signal.alarm(int(PATIENCE))
        index["child"] = texts[0]
        check(case, index, dict(index), events)
        del index["child"]
        status = 0
    finally:
        os._exit(status)
