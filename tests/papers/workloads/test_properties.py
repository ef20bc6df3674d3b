"""The workload of RAPIDMatch: seeded, and distributed as section 6 says."""

from __future__ import annotations

import numpy as np
import pytest

from watchword.errors import OptionError
from watchword.papers.workloads.properties import (
    Chances,
    as_table,
    as_texts,
    exponential_events,
    light_events,
    property_names,
    subscriptions,
)


def test_chances_are_drawn_around_those_of_the_paper() -> None:
    chances = Chances.around(1000, seed=3)
    for drawn in (chances.zero, chances.one):
        assert 0.025 <= drawn.min() < drawn.max() <= 0.075 and abs(drawn.mean() - 0.05) < 0.002
    assert not np.array_equal(chances.zero, Chances.around(1000, seed=4).zero)


def test_predicates_follow_the_chances_of_their_property() -> None:
    chances = Chances.around(20, seed=1)
    rows = subscriptions(40_000, chances, seed=2)
    np.testing.assert_allclose((rows == ord("0")).mean(axis=0), chances.zero, atol=0.006)
    np.testing.assert_allclose((rows == ord("1")).mean(axis=0), chances.one, atol=0.006)
    assert set(np.unique(rows)) == set(b"01*")


def test_light_events_follow_zipf_from_one_to_all() -> None:
    counts = (light_events(50_000, 100, 2.0, seed=5) == ord("1")).sum(axis=1)
    shares = np.bincount(counts, minlength=101)[1:] / len(counts)
    expected = np.arange(1, 101) ** -2.0
    np.testing.assert_allclose(shares, expected / expected.sum(), atol=0.006)
    assert counts.min() == 1 and counts.max() > 60
    assert abs(counts.mean() - 3.17) < 0.2  # "about 3 (out of 100)"


def test_all_exactly_light_events_are_equally_likely() -> None:
    events = light_events(60_000, 5, 1.0, seed=6)
    texts = [text for text in as_texts(events).to_pylist() if text.count("1") == 2]
    _, counts = np.unique(texts, return_counts=True)
    assert len(counts) == 10
    np.testing.assert_allclose(counts / len(texts), 0.1, atol=0.01)


def test_exponential_events_are_independent_bits() -> None:
    events = exponential_events(20_000, 30, 0.1, seed=7) == ord("1")
    np.testing.assert_allclose(events.mean(axis=0), 0.1, atol=0.01)
    assert abs(events.sum(axis=1).var() - 30 * 0.1 * 0.9) < 0.15


def test_the_seed_decides_and_the_count_does_not() -> None:
    chances = Chances.around(10, seed=1)
    for make in (
        lambda count, seed: subscriptions(count, chances, seed),
        lambda count, seed: light_events(count, 10, 2.0, seed),
        lambda count, seed: exponential_events(count, 10, 0.3, seed),
    ):
        assert np.array_equal(make(100, 1), make(9000, 1)[:100])
        assert not np.array_equal(make(100, 1), make(100, 2))


def test_tables_and_names() -> None:
    table = as_table(subscriptions(3, Chances.around(2), seed=1))
    assert table.column_names == ["id", "subscription"] and table.num_rows == 3
    assert property_names(2) == ["p0", "p1"]


def test_nonsense_is_refused() -> None:
    for make in (
        lambda: Chances.around(0),
        lambda: Chances.around(5, zero=0.6, one=0.6),
        lambda: exponential_events(1, 5, 1.5),
        lambda: light_events(-1, 5, 2.0),
    ):
        with pytest.raises(OptionError):
            make()
