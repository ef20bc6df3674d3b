"""Constants in flat arrays answer as Python's own lists and dicts do, before and after a snapshot."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from watchword.predicates.constants import Constants, Numbers, Texts
from watchword.predicates.points import SavedPoints
from watchword.predicates.values import NUMBER, TEXT, number_key

EDGES = [2**53, 2**63, 2**64, 2**70, 10**30, 2**1024, 10**400, 0]
edges = st.builds(lambda edge, more: edge + more, st.sampled_from([*EDGES, *(-e for e in EDGES)]), st.integers(-3, 3))
floats = st.floats(allow_nan=False, allow_infinity=False).map(lambda value: number_key(value)[1])  # type: ignore[index]
numbers = st.one_of(edges, floats)
texts = st.text(st.characters(codec=None), max_size=3)


@settings(deadline=None)
@given(st.lists(numbers, unique=True), st.lists(numbers))
def test_numbers_are_searched_exactly(known: list[Any], asked: list[Any]) -> None:
    known.sort()
    made = Numbers.of(known)
    for one in (made, Numbers.restored(made.arrays())):
        assert one.listed() == known == list(one)
        for value in [*known, *asked, float("inf"), float("-inf")]:
            assert one.rank(value) == bisect_right(known, value)
            assert one.find(value) == (known.index(value) if value in known else -1)


@settings(deadline=None)
@given(st.lists(texts, unique=True), st.lists(texts))
def test_texts_are_searched_by_their_characters(known: list[str], asked: list[str]) -> None:
    known.sort()
    for one in (Texts.of(known), Texts.restored(Texts.of(known).arrays())):
        assert one.listed() == known
        assert [one.rank(text) for text in asked] == [bisect_right(known, text) for text in asked]


@settings(deadline=None, max_examples=50)
@given(st.data(), st.sampled_from([NUMBER, TEXT]))
def test_saved_points_are_those_of_a_dict(data: st.DataObject, kind: int) -> None:
    values = texts if kind == TEXT else numbers
    model: dict[Any, list[int]] = data.draw(
        st.dictionaries(values, st.lists(st.integers(0, 9), min_size=1, max_size=3), max_size=6)
    )
    saved = SavedPoints(Constants.restored(kind, Constants.of(kind, model, [], []).arrays()))
    asked = st.one_of(values, st.sampled_from(sorted(model))) if model else values
    for atom, value in enumerate(data.draw(st.lists(asked, max_size=8))):
        assert list(saved.get(value)) == model.get(value, [])
        saved.setdefault(value, []).append(10 + atom)
        model.setdefault(value, []).append(10 + atom)
        assert list(saved.get(value)) == model[value]
    assert saved.listed() == model
