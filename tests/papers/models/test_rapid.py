"""RAPIDMatch: predicted entries against measured ones, its bounds, and what is wrong as printed."""

from __future__ import annotations

import numpy as np
import pytest

from watchword import PropertyIndex
from watchword.papers.models import rapid
from watchword.papers.workloads.properties import (
    Chances,
    as_table,
    as_texts,
    light_events,
    property_names,
    subscriptions,
)


@pytest.mark.parametrize(("c", "width"), [(1, 12), (4, 40), (10, 40)])
def test_entries_are_those_of_an_index(c, width):
    chances = Chances.around(width, seed=1)
    rows = subscriptions(4_000, chances, seed=2)
    index = PropertyIndex(as_table(rows), properties=property_names(width), method="rapid", c=c)
    assert index.stats().details["trees"] == rapid.trees(c)
    # Subscriptions of stars only are kept beside the trees; they would be in all of them.
    blank = int((rows == ord("*")).all(axis=1).sum())
    expected = 4_000 * rapid.held(chances.zero, chances.one, c) - blank * rapid.trees(c)
    assert index.stats().postings == pytest.approx(expected, rel=0.02)
    assert index.stats().nodes <= rapid.space_bound(4_000, width, c)


def test_an_event_visits_no_more_nodes_than_the_bound():
    chances = Chances.around(8, zero=0.2, one=0.2, seed=1)
    rows = subscriptions(2_000, chances, seed=2)
    index = PropertyIndex(as_table(rows), properties=property_names(8), method="rapid", c=3)
    before = 0.0
    for number, event in enumerate(as_texts(light_events(40, 8, alpha=1.0, seed=3)).to_pylist(), 1):
        index.match(event)
        after = index.stats().operations_per_match * number
        visited = round(after - before) - 1  # one operation is the look at subscriptions of stars only
        assert 0 < visited <= rapid.time_bound(8, event.count("1"), 3, rows=2_000)
        before = after


def test_the_bound_on_time_as_printed_is_exceeded_by_four_leaves():
    index = PropertyIndex({}, properties=property_names(3), method="rapid", c=1)
    index.update({"a": "10*", "b": "1**", "c": "*0*", "d": "*00"})
    assert sorted(index.match("100")) == ["a", "b", "c", "d"]
    assert rapid.time_bound_as_printed(3, 1) < 4 <= rapid.time_bound(3, 1, 1, rows=4)


def test_the_trees_as_printed_are_too_few_for_a_subscription_of_stars():
    shares = rapid.held_by_tree(np.zeros(5), np.zeros(5), 1)
    assert [chance for _, chance in shares] == [1.0] * 4 and rapid.trees_as_printed(1) == 1
