"""A life of an index in random steps, beside a dict and the oracle.

`machine(case)` makes the state machine that hypothesis drives: subscribing, replacing, unsubscribing, bulk
updates, refused input, saving, opening, matching. After each step the index must hold what the dict holds.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.contract.suite import FORMS, Case, Id, Model, found
from watchword import EventError, Index, SubscriptionError

numbers = st.integers(0, 7)


def machine(case: Case) -> type[RuleBasedStateMachine]:
    """Return the state machine for one method of one language."""
    language = case.language
    loads = st.dictionaries(numbers, language.subscriptions, max_size=6)

    class Life(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.folder = TemporaryDirectory()
            self.model: Model = {}
            self.saved: dict[str, Model] = {}

        def teardown(self) -> None:
            self.folder.cleanup()

        def key(self, number: int) -> Id:
            return number - 3 if self.integers else f"é{number}"

        def keyed(self, load: dict[int, str]) -> Model:
            return {self.key(number): text for number, text in load.items()}

        @initialize(integers=st.booleans(), load=loads)
        def start(self, integers: bool, load: dict[int, str]) -> None:
            self.integers = integers
            self.model = self.keyed(load)
            self.index = case.index(dict(self.model))

        @rule(number=numbers, text=language.subscriptions)
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

        @rule(load=loads, number=numbers, bad=st.sampled_from(language.bad_subscriptions))
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

        @rule(event=language.events)
        def match(self, event: Any) -> None:
            assert self.index.match(event) == case.expected(self.model, event)

        @rule(events=st.lists(language.events, max_size=4))
        def match_many(self, events: list[Any]) -> None:
            expected = [sorted(case.expected(self.model, event)) for event in events]
            assert found(self.index.match_many(events), len(events)) == expected

        @rule(bad=st.sampled_from(language.bad_events))
        def match_badly(self, bad: Any) -> None:
            with pytest.raises(EventError):
                self.index.match(bad)

        @rule(event=language.events, number=numbers)
        def explain(self, event: Any, number: int) -> None:
            key = self.key(number)
            if key in self.model:
                explanation = self.index.explain(event, key)
                assert bool(explanation) == language.matches(self.model[key], event)

        @invariant()
        def holds_what_it_should(self) -> None:
            assert list(self.index.items()) == list(self.model.items())
            assert len(self.index) == len(self.model) == self.index.stats().subscriptions

    Life.__name__ = Life.__qualname__ = f"Life of {case}"
    return Life
