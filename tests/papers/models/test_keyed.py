"""What `auto` takes over keywords, and what ``watchword estimate`` makes of the models."""

from __future__ import annotations

import pytest

from tests.papers.models.workload import (
    ITEM_LENGTHS,
    LENGTHS,
    SHARES,
    SUBSCRIPTIONS,
    found_per_item,
    measured,
    met,
    within,
)
from watchword.papers.models import count, keyed
from watchword.papers.models.estimate import PRICES, Estimate, Workload, estimates


def test_keys_bytes_and_groups_read_are_those_of_an_index():
    figures, paths = measured("auto"), keyed.sample_keys(SHARES, LENGTHS.probabilities, seed=1)
    known = count.terms(within(), SUBSCRIPTIONS)
    size = keyed.size(paths, LENGTHS.probabilities, SUBSCRIPTIONS, known)
    assert keyed.keys(paths, SUBSCRIPTIONS) == pytest.approx(figures.details["keys"], rel=0.04)
    assert size == pytest.approx(figures.details["structure_bytes"], rel=0.02)
    assert keyed.groups_read(paths, met(), SUBSCRIPTIONS) == pytest.approx(figures.operations_per_match, rel=0.05)


@pytest.mark.slow
def test_estimates_are_near_what_every_method_takes():
    workload = Workload(SUBSCRIPTIONS, SHARES, LENGTHS.probabilities, ITEM_LENGTHS.probabilities)
    for row in estimates(workload, sample=5_000):
        figures = measured(row.method)
        assert row.bytes == pytest.approx(figures.details["structure_bytes"], rel=0.05), row.method
        assert row.operation == figures.operation
        if row.method == "compact-trie":  # stated as the simple trie's, which are more
            assert figures.operations_per_match < row.operations < 1.5 * figures.operations_per_match
        else:
            assert row.operations == pytest.approx(figures.operations_per_match, rel=0.08), row.method
        assert row.matches == pytest.approx(found_per_item(), rel=0.1)
        assert 0 < row.fastest < row.slowest


def test_time_is_a_price_for_operations_and_matches():
    row = Estimate("count", 0, 5_000, "counter decrements", 1_000)
    assert (row.fastest, row.slowest) == tuple(6 * price for price in PRICES["count"])
