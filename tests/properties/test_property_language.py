"""Subscriptions and events over properties: what is read, and what is refused with which words."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle, strategies
from watchword import EventError, OptionError, PropertyIndex, SubscriptionError, SubscriptionSyntaxError, methods
from watchword.index.routing import OwnedAtoms, ShardRule, counted
from watchword.strings import from_texts

NAMES = ["sports", "politics", "arts"]


@pytest.fixture
def news() -> PropertyIndex:
    return PropertyIndex({"s1": "sports=1 politics=0", "s2": "*1*", "s3": "***"}, properties=NAMES)


def test_the_guide_runs_as_printed() -> None:
    guide = Path(__file__).parents[2] / "docs" / "properties.md"
    assert doctest.testfile(str(guide), module_relative=False).failed == 0


def test_methods() -> None:
    assert methods("properties") == ["auto", "brute", "count", "tree", "rapid"]


class TestSubscriptions:
    @pytest.mark.slow
    @settings(max_examples=300)
    @given(text=strategies.property_scraps)
    def test_both_parsers_agree_with_the_oracle(self, text: str) -> None:
        made = PropertyIndex(properties=strategies.PROPERTIES)
        try:
            oracle.asked_properties(text, strategies.PROPERTIES)
        except ValueError:
            with pytest.raises(SubscriptionError) as one:
                made._plugged.compile_one(text)
            with pytest.raises(SubscriptionError) as many:
                made._plugged.compile(from_texts([text]))
            assert str(many.value.at_row(None)) == str(one.value)
            return
        row, rows = made._plugged.compile_one(text), made._plugged.compile(from_texts([text]))
        assert row.atoms.tolist() == rows.atoms.tolist()

    @pytest.mark.parametrize(
        ("text", "position", "words"),
        [
            ("", 0, "nothing is asked"),
            ("sports", 0, "write sports=1"),
            ("sports=", 7, "one of 0, 1 and"),
            ("sports=2", 7, "one of 0, 1 and"),
            ("sports=10", 7, "one of 0, 1 and"),
            ("sports=1 golf=0", 9, "'golf' is not a declared property; declared are sports, politics, arts"),
            ("sports=1 sports=0", 9, "asked to be 1 and 0"),
            ("sports=1 sports=*", 9, "asked to be 1 and *"),
            ("sports=1 AND", 9, "AND needs a property on either side"),
            ("AND sports=1", 0, "AND needs a property on either side"),
            ("sports=1,", 9, "a property is missing here"),
            ("sports=1 OR arts=1", 9, "make it two subscriptions"),
            ("NOT sports=1", 0, "ask for a property to be 0, as in sports=0"),
            ("(sports=1)", 0, "leave parentheses out"),
            ("10", 2, "for 3 declared properties"),
            ("10*1", 3, "for 3 declared properties"),
            ("1x*", 0, "has no value"),
        ],
    )
    def test_what_is_refused_says_what_and_where(
        self, news: PropertyIndex, text: str, position: int, words: str
    ) -> None:
        with pytest.raises(SubscriptionSyntaxError) as refusal:
            news["new"] = text
        assert (refusal.value.text, refusal.value.position) == (text, position)
        assert words in str(refusal.value)
        with pytest.raises(SubscriptionSyntaxError) as refusal:
            news.update({"good": "1**", "bad": text})
        assert (refusal.value.position, refusal.value.row) == (position, 1)
        assert list(news) == ["s1", "s2", "s3"]

    def test_what_asks_nothing_matches_everything(self, news: PropertyIndex) -> None:
        news["s4"] = "arts=*"
        assert news.match("000") == ["s3", "s4"]
        del news["s3"]
        assert news.match_many(["000", "010"])["subscription"].to_pylist() == ["s4", "s2", "s4"]

    def test_a_column_that_is_not_utf_8(self, news: PropertyIndex) -> None:
        texts = pa.array([b"1**", b"\xff=1"]).view(pa.string())
        with pytest.raises(SubscriptionError) as refusal:
            news.update(pa.table({"id": ["a", "b"], "subscription": texts}))
        assert refusal.value.row == 1


class TestOptions:
    @pytest.mark.parametrize(
        ("given", "words"),
        [
            (None, "properties is missing"),
            ("abc", "not the string"),
            ([], "1 to 32,768 names"),
            (["a", "b", "a"], "'a' twice, at 0 and 2"),
            (["a", ""], "'' at 1"),
            (["a b"], "'a b' at 0"),
            (["a=b"], "'a=b' at 0"),
            (["AND"], "not AND"),
            (["\ud800"], "surrogate"),
            (["a", 5], "collection of words"),
        ],
    )
    def test_bad_properties(self, given: Any, words: str) -> None:
        with pytest.raises(OptionError, match=words.replace("(", r"\(")):
            PropertyIndex(properties=given)

    def test_properties_must_be_given(self) -> None:
        with pytest.raises(OptionError, match="properties is missing"):
            PropertyIndex()

    @pytest.mark.parametrize("c", [-1, 65, 1.5, None])
    def test_c(self, c: Any) -> None:
        with pytest.raises(OptionError):
            PropertyIndex(properties=NAMES, method="rapid", c=c)


class TestEvents:
    @pytest.mark.parametrize(
        ("event", "words"),
        [
            ("11", "a string of 2 bits for 3 declared properties"),
            ("sports", "'s' at 0 is none; give names as a set"),
            ({"golf"}, "'golf' is not a declared property"),
            ({"golf": 0}, "'golf' is not a declared property"),
            ({"sports": 2}, "'sports' is 2; a property is 0 or 1"),
            ({"sports": "1"}, "a property is 0 or 1"),
            (["sports", 5], "5 is int"),
            (5, "not int"),
        ],
    )
    def test_what_is_refused(self, news: PropertyIndex, event: Any, words: str) -> None:
        with pytest.raises(EventError, match=words) as refusal:
            news.match_many(["000", event])
        assert refusal.value.position == 1

    @pytest.mark.parametrize(
        ("column", "position", "words"),
        [
            (pa.array(["000", "01", "0x0"]), 1, "a string of 2 bits"),
            (pa.array(["000", "000", "0x0", "01"]), 2, "'x' at 1"),
            (pa.array([["sports"], [], ["arts", "golf"]]), 2, "'golf'"),
            (pa.array([["sports"], ["arts", None]]), 1, "null"),
            (pa.array([[1]]), 0, "list of int64"),
            (pa.array([1.5]), 0, "double"),
            (pa.array([b"\x00\x00\x00"], pa.binary(3)), 0, "fixed_size_binary"),
        ],
    )
    def test_bad_arrays(self, news: PropertyIndex, column: pa.Array, position: int, words: str) -> None:
        with pytest.raises(EventError, match=words) as refusal:
            news.match_many(column)
        assert refusal.value.position == position

    @pytest.mark.parametrize(
        ("columns", "position", "words"),
        [
            ({"sports": [0, 1], "politics": [0, 1]}, 0, "no column for the property 'arts'"),
            ({"sports": [0], "politics": [0], "arts": [0], "id": [7]}, 0, "'id' is not a declared property"),
            ({"sports": [0, 0, 2], "politics": [0, 3, 0], "arts": [0, 0, 0]}, 1, "'politics' is 3; write 0 or 1"),
            ({"sports": [0, 0], "politics": [0, None], "arts": [0, 0]}, 1, "'politics' is null"),
            ({"sports": ["0"], "politics": [0], "arts": [0]}, 0, "is of string"),
        ],
    )
    def test_bad_tables(self, news: PropertyIndex, columns: dict[str, Any], position: int, words: str) -> None:
        with pytest.raises(EventError, match=words) as refusal:
            news.match_many(pa.table(columns))
        assert refusal.value.position == position

    def test_tables_come_in_batches_too(self, news: PropertyIndex) -> None:
        table = pa.table({"arts": [True, False], "sports": [True, True], "politics": [False, False]})
        found = [row for part in news.match_batches(table) for row in part.to_pylist()]
        assert sorted((row["event"], row["subscription"]) for row in found) == [
            (0, "s1"), (0, "s3"), (1, "s1"), (1, "s3")
        ]  # fmt: skip


class TestExplaining:
    def test_says_what_was_asked_and_met(self, news: PropertyIndex) -> None:
        assert str(news.explain({"sports"}, "s1")) == "match: sports=1 AND politics=0"
        assert str(news.explain("010", "s1")) == (
            "no match: missing sports=1; forbidden politics=1 in: sports=1 AND politics=0"
        )
        assert str(news.explain("010", "s3")) == "match: ***"


class TestWide:
    @pytest.mark.parametrize("method", ["auto", "tree", "rapid", "count", "brute"])
    def test_thousands_of_properties(self, method: str) -> None:
        names = [f"p{number}" for number in range(3000)]
        random = np.random.default_rng(4)
        asked = [random.choice(3000, 4, replace=False).tolist() for _ in range(300)]
        texts = {row: f"p{a}=1 p{b}=0 p{c}=0 p{d}=*" for row, (a, b, c, d) in enumerate(asked)}
        made = PropertyIndex(texts, properties=names, method=method)
        events = [{f"p{a}", f"p{d}"} for a, _, _, d in asked[:20]]
        events += [{f"p{number}" for number in range(at, 3000, 2)} for at in (0, 1)]
        for event in events:
            holding = [
                key
                for key, (a, b, c, _) in enumerate(asked)
                if f"p{a}" in event and f"p{b}" not in event and f"p{c}" not in event
            ]
            assert made.match(event) == holding


@pytest.mark.slow
@given(
    texts=st.lists(strategies.property_subscriptions, min_size=1, max_size=8),
    bits=st.lists(strategies.property_bits, min_size=1, max_size=5),
)
def test_routing_sends_an_event_wherever_it_matches(texts: list[str], bits: list[str]) -> None:
    made = PropertyIndex(dict(enumerate(texts)), properties=strategies.PROPERTIES)
    needs = made.needs()
    assert needs is not None
    rule = ShardRule(3, counted(needs).astype(np.int32))
    homes = rule.homes(needs, len(texts))
    parts = [[text for text, home in zip(texts, homes, strict=True) if home == shard] for shard in range(3)]
    owned = OwnedAtoms([rule.owned(made.needs(from_texts(part)), shard) for shard, part in enumerate(parts)])
    atoms = made.atoms(pa.array(bits))
    assert atoms is not None
    for event, sent in zip(bits, owned.of(atoms), strict=True):
        for shard, part in enumerate(parts):
            matched = any(oracle.matches_properties(text, event, strategies.PROPERTIES) for text in part)
            assert sent[shard] or not matched
