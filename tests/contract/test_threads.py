"""Threads match, change, save and ask at once: every answer is that of a state between its call and its return.

One thread changes the index in random steps and notes the model before and after each. A state is known by its number;
an answer is right if it is that of a state between the last that had been reached when the call began and the last that
had been begun when it returned.
"""

from __future__ import annotations

import copy
import pickle
import random
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.contract.cases import Case, Model, check, found, table
from watchword import Index
from watchword.layers.layered import Layered

CHANGES = 40
"""How many changes `auto` sees; methods that do not pack in the background see fewer."""


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let threads take turns often, and let `auto` pack often and in the background."""
    for kind in Layered.__subclasses__():
        monkeypatch.setattr(kind, "delta_rows", 12)
        monkeypatch.setattr(kind, "background_rows", 20)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(5e-4)
    yield
    sys.setswitchinterval(interval)


class History:
    """The states of an index that one thread changes."""

    def __init__(self, case: Case, seed: int) -> None:
        self.random = random.Random(seed)
        self.texts, self.events = case.texts(25), case.events(6)
        self.truth = {text: [case.language.matches(text, event) for event in self.events] for text in self.texts}
        self.states: list[Model] = [{f"s{n}": self.random.choice(self.texts) for n in range(30)}]
        self.reached = 0
        self.index = case.index(dict(self.states[0]))
        self.changes = CHANGES if case.method == "auto" else CHANGES * 2 // 5
        self.over = threading.Event()

    def change(self) -> None:
        """Make one random change."""
        model = dict(self.states[-1])
        key, text = f"s{self.random.randrange(60)}", self.random.choice(self.texts)
        kind = self.random.random()
        load = {f"s{self.random.randrange(70)}": self.random.choice(self.texts) for _ in range(25)}
        todo: Callable[[], Any]
        if kind < 0.45:
            model[key] = text
            todo = lambda: self.index.__setitem__(key, text)  # noqa: E731
        elif kind < 0.75:
            key = key if key in model else next(iter(model), key)
            model.pop(key, None)
            todo = lambda: self.index.pop(key, None)  # noqa: E731
        elif kind < 0.95:
            model |= load
            todo = lambda: self.index.update(load if kind < 0.85 else table(load))  # noqa: E731
        else:
            model = {}
            todo = self.index.clear
        self.states.append(model)
        todo()
        self.reached = len(self.states) - 1

    def live(self) -> None:
        try:
            for _ in range(self.changes):
                self.change()
        finally:
            self.over.set()

    def check(self, ask: Callable[[], Any], is_of: Callable[[Any, Model], bool]) -> None:
        """Ask, and compare the answer with the states of the time."""
        low = self.reached
        answer = ask()
        states = self.states[low:]
        assert any(is_of(answer, model) for model in states), (answer, states[-1])

    def expected(self, model: Model, event: int) -> list[Any]:
        return [key for key, text in model.items() if self.truth[text][event]]


def ask_match(history: History) -> None:
    at = random.randrange(len(history.events))
    history.check(
        lambda: history.index.match(history.events[at]), lambda ids, model: ids == history.expected(model, at)
    )


def ask_match_many(history: History) -> None:
    count = len(history.events)
    history.check(
        lambda: found(history.index.match_many(history.events), count),
        lambda ids, model: ids == [sorted(history.expected(model, at)) for at in range(count)],
    )


def ask_mapping(history: History) -> None:
    history.check(lambda: list(history.index.items()), lambda items, model: items == list(model.items()))
    history.check(lambda: list(history.index), lambda ids, model: ids == list(model))
    history.check(lambda: len(history.index), lambda count, model: count == len(model))
    history.check(lambda: history.index.get("s7"), lambda text, model: text == model.get("s7"))


def ask_copy(history: History) -> None:
    history.check(lambda: list(copy.deepcopy(history.index).items()), lambda items, model: items == list(model.items()))


def save(history: History, folder: Path) -> None:
    def saved() -> list[Any]:
        history.index.save(folder)
        opened = Index.open(folder)
        return [list(opened.items()), *(opened.match(event) for event in history.events)]

    def is_of(answer: list[Any], model: Model) -> bool:
        matches = [history.expected(model, at) for at in range(len(history.events))]
        return answer == [list(model.items()), *matches]

    history.check(saved, is_of)


class TestThreads:
    @pytest.mark.slow
    def test_every_answer_is_that_of_a_state(self, method: Case, tmp_path: Path) -> None:
        history = History(method, seed=2011)

        def repeat(ask: Callable[..., None], *arguments: Any, pause: float = 0) -> None:
            while not history.over.wait(pause):
                ask(history, *arguments)

        asking = [ask_match, ask_match_many, ask_mapping]
        with ThreadPoolExecutor(8) as pool:
            running = [pool.submit(repeat, ask) for ask in asking]
            # Who saves holds off changes; let some happen in between.
            running += [
                pool.submit(repeat, save, tmp_path / "index", pause=0.2),
                pool.submit(repeat, ask_copy, pause=0.05),
            ]
            running.append(pool.submit(history.live))
            for one in running:
                one.result()
        assert list(history.index.items()) == list(history.states[-1].items())
        check(method, history.index, history.states[-1], history.events)

    def test_several_threads_change(self, case: Case) -> None:
        texts, events = case.texts(20), case.events(8)
        index = case.index()

        def work(number: int) -> Model:
            random_ = random.Random(number)
            mine: Model = {}
            for _ in range(60):
                key, text = f"t{number}-{random_.randrange(12)}", random_.choice(texts)
                if key in mine and random_.random() < 0.4:
                    assert index.pop(key) == mine.pop(key)
                elif random_.random() < 0.2:
                    load = {f"t{number}-{random_.randrange(12)}": random_.choice(texts) for _ in range(5)}
                    index.update(load)
                    mine |= load
                else:
                    index[key] = mine[key] = text
                assert index[next(iter(mine))] == mine[next(iter(mine))] if mine else True
            return mine

        with ThreadPoolExecutor(4) as pool:
            models = list(pool.map(work, range(4)))
        together = {key: text for model in models for key, text in model.items()}
        assert dict(index) == together
        expected = [sorted(case.expected(together, event)) for event in events]
        assert [sorted(index.match(event)) for event in events] == expected

    def test_one_of_many_gets_it(self, case: Case) -> None:
        text = case.texts(1)[0]
        index = case.index(dict.fromkeys(range(200), text))

        def pop(_: int) -> list[Any]:
            mine = []
            while True:
                try:
                    mine.append(index.popitem()[0])
                except KeyError:
                    return mine

        with ThreadPoolExecutor(4) as pool:
            popped = [key for mine in pool.map(pop, range(4)) for key in mine]
        assert sorted(popped) == list(range(200))


class TestCopies:
    def test_pickle_and_deepcopy(self, case: Case) -> None:
        model, events, texts = case.model(), case.events(10), case.texts(14)
        index = case.index(model)
        for made in (pickle.loads(pickle.dumps(index)), copy.deepcopy(index), copy.copy(index)):
            assert type(made) is case.language.index and made.method == index.method and made.options == index.options
            check(case, made, model, events)
            made["new"] = texts[13]
            del made["s0"]
            check(case, index, model, events)
