"""Algorithm 7: what is drawn is distinct, seeded, and distributed as asked."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watchword.errors import OptionError
from watchword.kernels.sampling import alias_table
from watchword.papers.workloads.syndication import Lengths, Sets, Vocabulary, chance_to_cover, generate, term_names

SIZES = st.integers(1, 40)


def rows(sets: Sets) -> list[list[int]]:
    return [sets.terms[a:b].tolist() for a, b in zip(sets.offsets[:-1], sets.offsets[1:], strict=True)]


def shares_of_single_draws(vocabulary: Vocabulary, distribution: str, draws: int = 200_000) -> np.ndarray:
    sets = generate(vocabulary, draws, Lengths.fixed(1), distribution, seed=11)  # type: ignore[arg-type]
    return np.bincount(sets.terms, minlength=len(vocabulary)) / draws


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40).filter(lambda w: sum(w) > 1e-3))
def test_an_alias_table_stands_for_its_weights(weights: list[float]) -> None:
    cut, alias = alias_table(np.array(weights))
    mass = cut.copy()
    for column, other in enumerate(alias):
        mass[other] += 1.0 - cut[column]
    np.testing.assert_allclose(mass / len(weights), np.array(weights) / sum(weights), atol=1e-9)
    assert all(mass[i] == 0 for i, weight in enumerate(weights) if weight == 0)


@settings(max_examples=40, deadline=None)
@given(SIZES, st.data(), st.sampled_from(["empirical", "uniform", "anti-correlated"]), st.integers(-5, 2**65))
def test_sets_have_distinct_terms_of_the_vocabulary(
    size: int, data: st.DataObject, distribution: str, seed: int
) -> None:
    shares = data.draw(st.dictionaries(st.integers(1, size), st.floats(0.1, 1), min_size=1))
    exponent = data.draw(st.floats(0, 6))
    sets = generate(Vocabulary.zipf(size, exponent), 30, Lengths.from_probabilities(shares), distribution, seed)  # type: ignore[arg-type]
    assert sets.offsets.dtype == np.int64 and sets.terms.dtype == np.int32 and len(sets) == 30
    for row in rows(sets):
        assert len(row) in shares and len(set(row)) == len(row) and all(0 <= term < size for term in row)


def test_the_seed_decides_and_the_count_does_not() -> None:
    vocabulary, lengths = Vocabulary.zipf(500, 0.8), Lengths.subscriptions()
    short, long = (rows(generate(vocabulary, count, lengths, seed=3)) for count in (100, 250))
    assert short == long[:100]
    assert short == rows(generate(vocabulary, 100, lengths, seed=3))
    assert short != rows(generate(vocabulary, 100, lengths, seed=4))


def test_the_stream_stays_what_it_was() -> None:
    # Published figures name a seed: were this to change, they could not be made again.
    assert rows(generate(Vocabulary.zipf(100, 1.0), 3, Lengths.subscriptions(), seed=1)) == [
        [0, 7, 1],
        [2, 1, 11],
        [27],
    ]


def test_frequencies_follow_the_distribution() -> None:
    vocabulary = Vocabulary.zipf(50, 1.0)
    expected = vocabulary.frequencies / vocabulary.frequencies.sum()
    # Six standard deviations of a share of 200,000 draws: seeded, so this passes or fails for good.
    for distribution, share in {
        "empirical": expected,
        "anti-correlated": expected[::-1],
        "uniform": np.full(50, 1 / 50),
    }.items():
        observed = shares_of_single_draws(vocabulary, distribution)
        assert (np.abs(observed - share) < 6 * np.sqrt(share / 200_000)).all(), distribution


def test_a_term_never_counted_is_drawn_only_when_frequencies_do_not_matter() -> None:
    vocabulary = Vocabulary.from_counts([0, 3, 0, 1])
    assert shares_of_single_draws(vocabulary, "empirical")[2:].tolist() == [0, 0]
    assert shares_of_single_draws(vocabulary, "anti-correlated")[:2].tolist() == [0, 0]
    assert (shares_of_single_draws(vocabulary, "uniform") > 0.2).all()


def test_terms_of_a_set_are_drawn_without_replacement() -> None:
    # P(first = a, second = b) = w_a * w_b / (1 - w_a), which patience with repeats must leave as it is.
    weights = np.array([0.9999, 0.00008, 0.00002])
    sets = generate(Vocabulary.from_counts(weights), 20_000, Lengths.fixed(2), seed=5)
    second = sets.terms.reshape(-1, 2)[:, 1]
    assert abs(np.mean(second == 1) - 0.8) < 0.02 and abs(np.mean(second == 2) - 0.2) < 0.02


def test_a_set_may_use_up_a_very_skewed_vocabulary() -> None:
    vocabulary = Vocabulary.from_counts([10.0**-power for power in range(0, 120, 10)])
    assert rows(generate(vocabulary, 2, Lengths.fixed(12), seed=1)) == [list(range(12))] * 2


def test_lengths_follow_the_shares() -> None:
    sizes = np.diff(generate(Vocabulary.zipf(1000, 0), 100_000, Lengths.subscriptions(), seed=2).offsets)
    shares = np.bincount(sizes, minlength=8) / 100_000
    np.testing.assert_allclose(shares[:4], [0, 0.20, 0.30, 0.24], atol=0.008)
    assert abs(shares[4:].sum() - 0.26) < 0.008 and len(shares) == 8 and shares[7] > 0
    assert (np.diff(shares[4:]) < 0).all()


def test_items_are_long_tailed_around_52_terms() -> None:
    lengths = Lengths.items()
    sizes = np.diff(generate(Vocabulary.zipf(5000, 0.5), 20_000, lengths, seed=2).offsets)
    assert abs(lengths.mean - 52) < 0.1 and abs(sizes.mean() - 52) < 1.5
    assert np.median(sizes) < 45 and sizes.max() > 250


def test_lengths_are_independent_of_the_terms_drawn() -> None:
    lengths = Lengths.from_probabilities({1: 1, 2: 1})
    sets = generate(Vocabulary.zipf(2, 0), 40_000, lengths, seed=9)
    sizes, first = np.diff(sets.offsets), sets.terms[sets.offsets[:-1]]
    assert abs(np.corrcoef(sizes, first)[0, 1]) < 0.03


def test_downsampling_keeps_frequencies_and_numbers_them_anew() -> None:
    vocabulary = Vocabulary.from_counts(np.arange(1000))
    sample = vocabulary.downsample(100, seed=4)
    kept = sample.frequencies
    assert len(sample) == 100 and len(set(kept.tolist())) == 100 and set(kept.tolist()) <= set(range(1000))
    assert (np.diff(kept) < 0).all()
    # Uniformly chosen: the mean frequency stays near the whole's.
    assert abs(kept.mean() - 499.5) < 100
    assert (kept == vocabulary.downsample(100, seed=4).frequencies).all()
    assert (kept != vocabulary.downsample(100, seed=5).frequencies).any()


@pytest.mark.parametrize(
    "refused",
    [
        lambda: generate(Vocabulary.zipf(3, 1), 1, Lengths.fixed(4)),
        lambda: generate(Vocabulary.from_counts([1, 0, 0]), 1, Lengths.fixed(2)),
        lambda: generate(Vocabulary.zipf(3, 1), -1, Lengths.fixed(1)),
        lambda: generate(Vocabulary.zipf(3, 1), 1, Lengths.fixed(1), "zipf"),  # type: ignore[arg-type]
        lambda: Vocabulary.zipf(0, 1),
        lambda: Vocabulary.zipf(5, -1),
        lambda: Vocabulary.from_counts([1, -1]),
        lambda: Vocabulary.from_counts([1, float("nan")]),
        lambda: Vocabulary.from_counts([0, 0]),
        lambda: Vocabulary.from_counts([]),
        lambda: Vocabulary.zipf(3, 1).downsample(4, seed=0),
        lambda: Lengths.fixed(0),
        lambda: Lengths.from_probabilities({}),
        lambda: Lengths.from_probabilities({1: 0.0}),
        lambda: Lengths.from_probabilities({1: -1.0, 2: 3.0}),
    ],
)
def test_what_cannot_be_drawn_is_refused(refused) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(OptionError):
        refused()


def test_arrow_forms_say_what_the_numbers_say() -> None:
    sets = generate(Vocabulary.zipf(2000, 0.3), 200, Lengths.subscriptions(), seed=6)
    expected = [[f"t{term}" for term in row] for row in rows(sets)]
    table = sets.to_arrow_table()
    assert table.schema == pa.schema({"id": pa.int64(), "subscription": pa.large_string()})
    table.validate(full=True)
    assert table["id"].to_pylist() == list(range(200))
    assert table["subscription"].to_pylist() == [" ".join(row) for row in expected]
    coded, plain = sets.to_arrow_terms(), sets.to_arrow_terms(dictionary=False)
    assert coded.type == pa.list_(pa.dictionary(pa.int32(), pa.string()))
    assert plain.type == pa.list_(pa.string())
    assert len(coded.values.dictionary) == 2000
    for array in (coded, plain):
        array.validate(full=True)
        assert array.to_pylist() == expected


def test_no_sets_and_empty_sets_have_arrow_forms_too() -> None:
    nothing = generate(Vocabulary.zipf(3, 1), 0, Lengths.fixed(1))
    assert nothing.to_arrow_table().num_rows == len(nothing.to_arrow_terms()) == 0
    hollow = Sets(np.array([0, 0, 2, 2]), np.array([0, 10], np.int32), 11)
    assert hollow.to_arrow_texts().to_pylist() == ["", "t0 t10", ""]
    assert chance_to_cover(hollow, Vocabulary.zipf(11, 0), 5).tolist()[::2] == [1, 1]
    assert term_names(0).to_pylist() == []


def test_where_keeps_the_marked_sets() -> None:
    sets = generate(Vocabulary.zipf(100, 0.5), 50, Lengths.subscriptions(), seed=8)
    kept = np.arange(50) % 3 == 1
    assert rows(sets.where(kept)) == rows(sets)[1::3]
    assert rows(sets.where(np.zeros(50, bool))) == []


def test_the_chance_to_cover_is_near_what_items_show() -> None:
    vocabulary = Vocabulary.zipf(200, 0.9)
    sets = Sets(np.array([0, 1, 3, 4]), np.array([0, 1, 2, 150], np.int32), 200)
    items = [set(row) for row in rows(generate(vocabulary, 20_000, Lengths.fixed(10), seed=7))]
    seen = [np.mean([item.issuperset(row) for item in items]) for row in rows(sets)]
    np.testing.assert_allclose(chance_to_cover(sets, vocabulary, 10), seen, rtol=0.25)
