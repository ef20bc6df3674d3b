"""A life of an index in random steps, beside a dict and the oracle.

Hypothesis drives `Life`: subscribing, replacing, unsubscribing, bulk updates, refused input, saving, opening, copying,
matching. After each step the index must hold what the dict holds.
"""

from __future__ import annotations

import copy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.contract.cases import FORMS, Case, Id, Language, Model, found
from watchword import EventError, Index, SubscriptionError


def of_language(name: str) -> st.SearchStrategy[Any]:
    """Draw from what the language of the running case says under a name: a strategy, or values to choose from."""

    def drawn(life: Life) -> st.SearchStrategy[Any]:
        value = getattr(life.language, name)
        return value if isinstance(value, st.SearchStrategy) else st.sampled_from(value)

    return st.runner().flatmap(drawn)


numbers = st.integers(0, 7)
texts = of_language("subscriptions")
events = of_language("events")
loads = st.dictionaries(numbers, texts, max_size=6)


class Life(RuleBasedStateMachine):
    """A subclass says of which `case`."""

    case: ClassVar[Case]

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.model: Model = {}
        self.saved: dict[str, Model] = {}

    def teardown(self) -> None:
        self.folder.cleanup()

    @property
    def language(self) -> Language:
        return self.case.language

    def key(self, number: int) -> Id:
        return number - 3 if self.integers else f"é{number}"

    def keyed(self, load: dict[int, str]) -> Model:
        return {self.key(number): text for number, text in load.items()}

    @initialize(integers=st.booleans(), load=loads)
    def start(self, integers: bool, load: dict[int, str]) -> None:
        self.integers = integers
        self.model = self.keyed(load)
        self.index = self.case.index(dict(self.model))

    @rule(number=numbers, text=texts)
    def subscribe(self, number: int, text: str) -> None:
        self.index[self.key(number)] = self.model[self.key(number)] = text

    @rule(number=numbers)
    def unsubscribe(self, number: int) -> None:
        key = self.key(number)
        if key in self.model:
            del self.index[key], self.model[key]
        else:
            with pytest.raises(KeyError):
                del self.index[key]

    @rule(load=loads, form=st.sampled_from(sorted(FORMS)))
    def update(self, load: dict[int, str], form: str) -> None:
        model = self.keyed(load)
        self.index.update(FORMS[form](model))
        self.model.update(model)

    @rule(load=loads, number=numbers, bad=of_language("bad_subscriptions"))
    def refuse(self, load: dict[int, str], number: int, bad: Any) -> None:
        with pytest.raises(SubscriptionError):
            self.index[self.key(number)] = bad
        with pytest.raises(SubscriptionError):
            self.index.update({**self.keyed(load), self.key(number): bad})

    @rule()
    @precondition(lambda self: len(self.model) > 5)
    def clear(self) -> None:
        self.index.clear()
        self.model.clear()

    @rule(name=st.sampled_from("ab"))
    def save(self, name: str) -> None:
        self.index.save(Path(self.folder.name, name))
        self.saved[name] = dict(self.model)

    @rule(data=st.data())
    @precondition(lambda self: self.saved)
    def open(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.saved)))
        self.index = Index.open(Path(self.folder.name, name))
        self.model = dict(self.saved[name])

    @rule()
    def duplicate(self) -> None:
        self.index = copy.deepcopy(self.index)

    @rule(event=events)
    def match(self, event: Any) -> None:
        assert self.index.match(event) == self.case.expected(self.model, event)

    @rule(batch=st.lists(events, max_size=4))
    def match_many(self, batch: list[Any]) -> None:
        expected = [sorted(self.case.expected(self.model, event)) for event in batch]
        assert found(self.index.match_many(batch), len(batch)) == expected

    @rule(bad=of_language("bad_events"))
    def match_badly(self, bad: Any) -> None:
        with pytest.raises(EventError):
            self.index.match(bad)

    @rule(event=events, number=numbers)
    def explain(self, event: Any, number: int) -> None:
        key = self.key(number)
        if key in self.model:
            explanation = self.index.explain(event, key)
            assert bool(explanation) == self.language.matches(self.model[key], event)

    @invariant()
    def holds_what_it_should(self) -> None:
        if hasattr(self, "index"):
            assert list(self.index.items()) == list(self.model.items())
            assert len(self.index) == len(self.model) == self.index.stats().subscriptions
