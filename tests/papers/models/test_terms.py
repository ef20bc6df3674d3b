"""How likely a term is in a set, against sets that were drawn."""

from __future__ import annotations

import numpy as np
import pytest

from watchword.papers.models import terms


@pytest.mark.parametrize("exponent", [0.0, 0.8, 1.0])
@pytest.mark.parametrize("length", [1, 2, 5, 17])
def test_presence_is_the_share_of_drawn_sets_that_have_the_term(exponent, length):
    shares = terms.zipf(1000, exponent)
    drawn = terms.draw_sets(shares, length, 50_000, np.random.default_rng(1))
    counted = np.bincount(drawn.ravel(), minlength=1000) / 50_000
    expected = terms.presence(shares, terms.fixed(length))
    # Three per cent of the model, and four standard deviations of the draws.
    assert (np.abs(counted - expected) <= 0.03 * expected + 4 * np.sqrt(expected / 50_000)).all()


def test_presence_adds_up_to_the_mean_length_and_2_4_as_printed_does_not():
    shares, lengths = terms.zipf(200, 1.2), terms.around(12.0)
    assert terms.presence(shares, lengths).sum() == pytest.approx(terms.mean_length(lengths))
    assert terms.presence_as_printed(shares, 12.0).sum() < 10


def test_drawn_sets_are_distinct_and_ascend():
    drawn = terms.draw_sets(terms.zipf(6, 1.0), 5, 500, np.random.default_rng(2))
    assert (np.diff(drawn, axis=1) > 0).all() and drawn.min() == 0 and drawn.max() == 5


def test_a_term_that_is_never_drawn_is_in_no_set():
    shares = terms.shares_of([1, 1, 0, 1])
    assert terms.presence(shares, terms.fixed(2))[2] == 0
    assert terms.presence(shares, terms.fixed(3)).tolist() == [1, 1, 0, 1]


@pytest.mark.parametrize("mean", [1.0, 1.5, 4.0, 52.0])
def test_lengths_spread_around_their_mean(mean):
    lengths = terms.around(mean)
    assert lengths[0] == 0 and lengths.sum() == pytest.approx(1)
    assert terms.mean_length(lengths) == pytest.approx(mean, rel=1e-3)
