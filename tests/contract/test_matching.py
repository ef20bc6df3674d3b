"""Matching and explaining agree with the oracle."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.cases import Case, Id, check, found, unchanged
from watchword import EventError


class TestMatching:
    @settings(max_examples=40, deadline=None)
    @given(data=st.data())
    def test_agrees_with_the_oracle(self, case: Case, data: st.DataObject) -> None:
        language = case.language
        texts = data.draw(st.lists(language.subscriptions, min_size=1, max_size=12))
        events = data.draw(st.lists(language.events, min_size=1, max_size=5))
        model = {f"s{number}": text for number, text in enumerate(texts)}
        check(case, case.index(model), model, events)

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
                with pytest.raises(EventError) as refusal:
                    index.match_many([*events[:3], bad, *events])
                assert refusal.value.position == 3
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
    @settings(max_examples=25, deadline=None)
    @given(data=st.data())
    def test_agrees_with_the_oracle(self, case: Case, data: st.DataObject) -> None:
        language = case.language
        texts = data.draw(st.lists(language.subscriptions, min_size=1, max_size=5))
        events = data.draw(st.lists(language.events, min_size=1, max_size=3))
        index = case.index(enumerate(texts))
        for event in events:
            for key, text in enumerate(texts):
                explanation = index.explain(event, key)
                assert bool(explanation) == language.matches(text, event), (text, event)
                assert str(explanation).strip()
