"""Subscriptions of predicates are drawn as asked: numbers of predicates, values, chances, seeds."""

from __future__ import annotations

import doctest
import json
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import predicate_oracle
from watchword.errors import OptionError
from watchword.papers.workloads import predicates
from watchword.papers.workloads.predicates import (
    BLOCK,
    SPAN,
    PredicateWorkload,
    SharedAttributeRules,
    shared_attribute_rules,
)

PREDICATE = re.compile(r"a(\d+) (=|<|<=|>|>=|!=) (\d+)")


def test_examples() -> None:
    outcome = doctest.testmod(predicates)
    assert outcome.attempted and not outcome.failed


@st.composite
def workloads(draw) -> PredicateWorkload:
    attributes = draw(st.integers(1, 16))
    number = draw(st.integers(1, attributes))
    sizes = draw(st.integers(0, 30)), attributes, draw(st.integers(1, 40)), number, draw(st.integers(0, number))
    return PredicateWorkload(*sizes, seed=draw(st.integers(-5, 2**65)))


@pytest.mark.slow
@given(workloads())
@settings(max_examples=25, deadline=None)
def test_a_subscription_has_the_predicates_asked_for(workload: PredicateWorkload) -> None:
    table = workload.subscription_table()
    assert table.schema == pa.schema([("id", pa.int64()), ("subscription", pa.string())])
    assert table["id"].to_pylist() == list(range(workload.subscriptions))
    for text in table["subscription"].to_pylist():
        found = [PREDICATE.fullmatch(part).groups() for part in text.split(" AND ")]
        signs = [sign for _, sign, _ in found]
        assert len(found) == workload.predicates == len({name for name, _, _ in found})
        assert signs[: workload.equalities] == ["="] * workload.equalities
        assert "=" not in signs[workload.equalities :]
        assert all(int(name) < workload.attributes and int(value) < workload.values for name, _, value in found)


@given(workloads(), st.integers(0, 20))
@settings(max_examples=25, deadline=None)
def test_an_event_has_every_attribute_in_every_form(workload: PredicateWorkload, count: int) -> None:
    table, lines = workload.event_table(count), workload.event_lines(count)
    assert isinstance(lines, pa.Array) and [json.loads(line) for line in lines.to_pylist()] == table.to_pylist()
    assert table.num_rows == count and set(table.schema.types) == {pa.int64()}
    assert table.column_names == [f"a{number}" for number in range(workload.attributes)]
    assert all(0 <= value < workload.values for row in table.to_pylist() for value in row.values())


def test_rows_do_not_depend_on_how_many_are_drawn() -> None:
    few, many = (PredicateWorkload(count, seed=3).subscription_table() for count in (10, BLOCK + 10))
    assert many.num_rows == BLOCK + 10
    assert many.slice(0, 10).equals(few)
    assert not many.slice(BLOCK)["subscription"].equals(few["subscription"])
    assert not PredicateWorkload(10, seed=4).subscription_table().equals(few)
    workload = PredicateWorkload(0, seed=3)
    assert workload.event_table(BLOCK + 5).slice(0, 5).equals(workload.event_table(5))


def test_attributes_values_and_signs_are_uniform() -> None:
    texts = PredicateWorkload(BLOCK, attributes=4, values=5, predicates=2, equalities=1, seed=1).subscription_table()
    pairs = [PREDICATE.findall(text) for text in texts["subscription"].to_pylist()[:20_000]]
    for at, kind, size in [(0, 0, 4), (0, 2, 5), (1, 0, 4), (1, 1, 5), (1, 2, 5)]:
        counts = np.unique([pair[at][kind] for pair in pairs], return_counts=True)[1]
        assert len(counts) == size and (np.abs(counts / 20_000 - 1 / size) < 0.02).all()


@pytest.mark.slow
@pytest.mark.parametrize("ranges", [False, True])
def test_an_event_matches_a_rule_with_the_chance_promised(ranges: bool) -> None:
    rules = shared_attribute_rules(2_000, values=5, ranges=ranges, seed=7)
    texts = rules.subscription_table()["subscription"].to_pylist()
    events = rules.event_table(20).to_pylist()
    share = sum(predicate_oracle.matches(text, event) for event in events for text in texts) / 40_000
    assert share == pytest.approx(1 / 125, rel=0.25)


@pytest.mark.parametrize("ranges", [False, True])
def test_shared_rules_are_about_three_attributes(ranges: bool) -> None:
    rules = shared_attribute_rules(50, ranges=ranges, seed=2)
    shape = re.compile(r"(a\d+) = 'v\d+' AND (a\d+) = 'v\d+' AND (a\d+) (= 'v\d+'|BETWEEN (\d+) AND (\d+))")
    for text in rules.subscription_table()["subscription"].to_pylist():
        found = shape.fullmatch(text)
        assert len({*found.groups()[:3]}) == 3 and ranges == (found[3] == "a15" and found[5] is not None)
        assert not ranges or 0 <= int(found[5]) < int(found[6]) < SPAN
    lines = rules.event_lines(9).to_pylist()
    assert [json.loads(line) for line in lines] == rules.event_table(9).to_pylist()
    assert rules.event_table(0).schema == rules.event_table(1).schema


@pytest.mark.parametrize(
    "draw",
    [
        lambda: PredicateWorkload(-1),
        lambda: PredicateWorkload(1, values=0),
        lambda: PredicateWorkload(1, predicates=0, equalities=0),
        lambda: PredicateWorkload(1, attributes=3, predicates=4),
        lambda: PredicateWorkload(1, predicates=2, equalities=3),
        lambda: PredicateWorkload(1).event_table(-1),
        lambda: SharedAttributeRules(1, attributes=2),
        lambda: SharedAttributeRules(-1),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw) -> None:
    with pytest.raises(OptionError):
        draw()
