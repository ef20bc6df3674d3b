from __future__ import annotations

import numpy as np
import pytest

from watchword.errors import OptionError
from watchword.papers.workloads import calibrated
from watchword.papers.workloads.calibrated import contained, drifted, generate, similar
from watchword.papers.workloads.syndication import Sets, Vocabulary


def drawn(count: int = 2_000) -> Sets:
    return generate(calibrated.small_vocabulary(500), count, calibrated.subscription_lengths(), seed=5)


def lists(sets: Sets) -> list[frozenset[int]]:
    parts = np.split(sets.terms, sets.offsets[1:-1])
    assert all(len(set(part.tolist())) == len(part) > 0 for part in parts), "terms of a set are distinct"
    return [frozenset(part.tolist()) for part in parts]


def test_lengths_are_those_that_the_tables_imply():
    assert calibrated.subscription_lengths().mean == pytest.approx(2.556, abs=0.001)
    assert calibrated.item_lengths().mean == pytest.approx(17.15, abs=0.01)
    assert (calibrated.spread_lengths().mean, calibrated.item_lengths().longest) == (pytest.approx(4.0), 50)


def test_the_vocabulary_falls_slowly_and_then_fast():
    whole = calibrated.vocabulary(calibrated.WHOLE).frequencies
    assert whole[1499] / whole[0] == pytest.approx(1500**-0.4)
    assert whole[149_999] / whole[14_999] == pytest.approx(10**-1.65)
    chosen = calibrated.vocabulary(10_000).frequencies
    assert len(chosen) == 10_000 and np.isin(chosen, whole).all() and (np.diff(chosen) <= 0).all()


@pytest.mark.parametrize("change", [contained, similar])
def test_no_share_changes_nothing(change):
    sets = drawn()
    assert lists(change(sets, 0.0)) == lists(sets)
    assert len(change(drawn(0), 0.5)) == 0


@pytest.mark.parametrize("share", [0.25, 0.75])
def test_a_share_of_the_sets_has_a_subset_before_it(share):
    plain, changed = lists(drawn()), lists(contained(drawn(), share, seed=1))
    replaced = [place for place, (one, other) in enumerate(zip(plain, changed, strict=True)) if one != other]
    assert abs(len(replaced) / len(plain) - share) < 0.05
    before = [{one for one in changed[:place] if one <= changed[place]} for place in replaced]
    assert all(before)


def test_similar_sets_share_all_but_one_term():
    changed = lists(similar(drawn(), 0.8, seed=1))
    plain = lists(drawn())
    for place, (one, other) in enumerate(zip(plain, changed, strict=True)):
        if one != other:
            assert any(len(other) == len(model) and len(other - model) <= 1 for model in changed[:place])


def test_drift_moves_a_share_of_the_terms():
    after = drifted(Vocabulary.zipf(10_000, 1.0), 0.3, seed=2)
    assert sorted(after.tolist()) == list(range(10_000))
    assert abs(np.mean(after != np.arange(10_000)) - 0.3) < 0.02


def test_a_share_beyond_one_is_refused():
    with pytest.raises(OptionError, match=r"from 0 to 1, not 1\.5"):
        contained(drawn(), 1.5)
    with pytest.raises(OptionError, match="from 0 to 1, not -1"):
        drifted(Vocabulary.zipf(5, 1.0), -1)
