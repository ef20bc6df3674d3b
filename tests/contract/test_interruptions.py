"""A change that is interrupted, or runs out of memory, at any line of the package happens whole or not at all."""

from __future__ import annotations

import dis
import random
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import watchword
from tests.contract.cases import Case, Model, check, table
from watchword import Index
from watchword.layers.layered import Layered

PACKAGE = str(Path(watchword.__file__).parent)
POINTS = 6
"""Interruptions tried in each change of each method."""


class Interruption:
    """Raises an error when the package comes to its n-th line from now on."""

    def __init__(self, error: type[BaseException], after: int) -> None:
        self.error, self.left = error, after

    def __enter__(self) -> Interruption:
        sys.settrace(self._enter)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._line if frame.f_code.co_filename.startswith(PACKAGE) else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self.left -= 1
            if self.left <= 0 and not is_out_of_reach(frame):
                raise self.error
        return self._line


def is_out_of_reach(frame: FrameType) -> bool:
    """Say whether a frame is about to call the `__exit__` of a `with`, or to do nothing, as at a ``try:``, which no
    enclosing `with` guards: no signal is handled just there, and no memory asked for."""
    names = [dis.opname[code] for code in frame.f_code.co_code[frame.f_lasti :: 2][:6]]
    if names[0] == "NOP":
        return True
    while names and names[0] in ("SWAP", "NOP", "CACHE"):
        del names[0]
    return names[:3] == ["LOAD_CONST"] * 3


def lines_of(work: Callable[[], object]) -> int:
    """Return how many lines of the package a piece of work passes."""
    with Interruption(KeyboardInterrupt, 1 << 60) as counting:
        work()
    return (1 << 60) - counting.left


def changes(case: Case, folder: Path) -> dict[str, tuple[Callable[[Index], object], Callable[[Model], object]]]:
    """Return changes of an index and what they do to a dict."""
    texts = case.texts(24)
    load = {f"t{number}": text for number, text in enumerate(texts)} | {"s1": texts[3], "s5": texts[4]}
    few = {"s2": texts[5], "new": texts[6]}
    return {
        "append": (lambda index: index.__setitem__("new", texts[12]), lambda model: model.update(new=texts[12])),
        "replace": (lambda index: index.__setitem__("s3", texts[13]), lambda model: model.update(s3=texts[13])),
        "delete": (lambda index: index.__delitem__("s4"), lambda model: model.pop("s4")),
        "pop": (lambda index: index.pop("s0"), lambda model: model.pop("s0")),
        "few": (lambda index: index.update(few), lambda model: model.update(few)),
        "many": (lambda index: index.update(table(load)), lambda model: model.update(load)),
        "clear": (lambda index: index.clear(), lambda model: model.clear()),
        "save": (lambda index: index.save(folder / "index"), lambda model: None),
    }


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `auto` pack within these changes."""
    for kind in Layered.__subclasses__():
        monkeypatch.setattr(kind, "delta_rows", 3)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a finalizer that is interrupted
def test_real_interrupts_at_random_moments(case: Case) -> None:
    """Signals of a clock, as Ctrl-C sends them: each leaves the state before the change or the one after it."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    index, model, events, texts = case.index(case.model()), case.model(), case.events(3), case.texts(20)
    index["warm"] = texts[0]
    del index["warm"]
    before, interrupted = signal.signal(signal.SIGALRM, interrupt), 0
    try:
        for step in range(60):
            key, text = f"s{step % 14}", texts[step % 20]
            after = {**model, key: text} if step % 3 else {one: model[one] for one in model if one != key}
            try:
                signal.setitimer(signal.ITIMER_REAL, (1 + step % 23) * 1e-5)
                if step % 3:
                    index[key] = text
                else:
                    index.pop(key, None)
                index.match(events[0])
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                interrupted += 1
            assert dict(index) in (model, after)
            model = dict(index)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupted
    check(case, index, model, events)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["append", "replace", "delete", "pop", "few", "many", "clear", "save"])
def test_whole_or_not_at_all(method: Case, name: str, tmp_path: Path) -> None:
    change, effect = changes(method, tmp_path)[name]
    before, events, more = method.model(), method.events(6), method.texts(26)[25]
    after = dict(before)
    effect(after)

    def made() -> Index:
        index = method.index(before)
        index["s6"] = before["s6"]  # so that base, delta and tombstones have something
        return index

    change(made())  # kernels are compiled
    fresh = made()
    total = lines_of(lambda: change(fresh))
    random_ = random.Random(f"{method} {name}")
    for _ in range(POINTS if method.method == "auto" else POINTS // 2):
        point, error = random_.randrange(1, total + 1), random_.choice([KeyboardInterrupt, MemoryError])
        index = made()
        with suppress(error), Interruption(error, point):
            change(index)
        gone = {"s7"} if name != "clear" and random_.random() < 0.5 else set()
        for key in gone:  # a change may be the next call, before anything is read
            del index[key]
        states = [{key: text for key, text in state.items() if key not in gone} for state in (after, before)]
        left = states[0] if len(index) == len(states[0]) and dict(index) == states[0] else states[1]
        check(method, index, left, events)
        index["later"] = more
        check(method, index, left | {"later": more}, events)
        assert list(index.pop("later")) == list(more)
        if left == states[1]:
            change(index)
            check(method, index, states[0], events)
