"""Matching and explaining agree with the oracle."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.cases import Case, Id, Model, check, found, unchanged
from watchword import EventError


def drawn_for(case: Case) -> settings:
    """Draw more for `auto`; the others also have the models of `test_agrees_on_many_models`, which cost no drawing."""
    return settings(max_examples=25 if case.method == "auto" else 8, deadline=None)


class TestMatching:
    def test_agrees_with_the_oracle(self, case: Case) -> None:
        language = case.language
        texts = st.lists(language.subscriptions, min_size=1, max_size=12)

        @drawn_for(case)
        @given(texts=texts, events=st.lists(language.events, min_size=1, max_size=5))
        def agrees(texts: list[str], events: list[Any]) -> None:
            model: Model = {f"s{number}": text for number, text in enumerate(texts)}
            check(case, case.index(model), model, events)

        agrees()

    def test_agrees_on_many_models(self, case: Case) -> None:
        """Few subscriptions and events at a time, out of many that the methods of a language share."""
        random_ = random.Random(str(case))
        texts, events = case.texts(200), case.events(60)
        for _ in range(40):
            model: Model = dict(enumerate(random_.choices(texts, k=random_.randint(1, 12))))
            check(case, case.index(model), model, random_.sample(events, random_.randint(1, 5)))

    def test_every_container(self, case: Case) -> None:
        model, events = case.model(30), case.events(30)
        index = case.index(model)
        for name, fill in case.language.containers.items():
            container, held = fill(events)
            expected = [sorted(case.expected(model, event)) for event in held]
            assert found(index.match_many(container), len(held)) == expected, name

    def test_bad_events_name_their_position(self, case: Case) -> None:
        index, events = case.index(case.model()), case.events(5)
        for bad in case.language.bad_events:
            with unchanged(index, events):
                with pytest.raises(EventError) as refusal:
                    index.match(bad)
                assert refusal.value.position == 0
                if bad is not None:  # among many, None is a null
                    with pytest.raises(EventError) as refusal:
                        index.match_many([*events[:3], None, bad, *events])
                    assert refusal.value.position == 4
                with pytest.raises(EventError):
                    index.explain(bad, "s0")

    def test_from_several_threads(self, case: Case) -> None:
        model, events = case.model(60), case.events(40)
        index = case.index(model)
        expected = [case.expected(model, event) for event in events]

        def work(_: int) -> tuple[list[list[Id]], list[list[Id]]]:
            many = found(index.match_many(events), len(events))
            return [index.match(event) for event in events], many

        with ThreadPoolExecutor(4) as pool:
            for one, many in pool.map(work, range(12)):
                assert one == expected
                assert many == [sorted(ids) for ids in expected]


class TestExplaining:
    def test_agrees_with_the_oracle(self, case: Case) -> None:
        language = case.language
        texts = st.lists(language.subscriptions, min_size=1, max_size=5)

        @drawn_for(case)
        @given(texts=texts, events=st.lists(language.events, min_size=1, max_size=3))
        def agrees(texts: list[str], events: list[Any]) -> None:
            index = case.index(enumerate(texts))
            for event in events:
                for key, text in enumerate(texts):
                    explanation = index.explain(event, key)
                    assert bool(explanation) == language.matches(text, event), (text, event)
                    assert str(explanation).strip()

        agrees()
