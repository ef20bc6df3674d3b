"""The count index: predicted against measured, and what is wrong as printed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.papers.models.workload import LENGTHS, SHARES, SUBSCRIPTIONS, measured, met, thesis, within
from watchword.papers.experiments.thesis.indexes import built, drawn
from watchword.papers.models import count, terms
from watchword.papers.workloads.syndication import Lengths, Vocabulary
from watchword.sets.rows import Rows


def test_terms_postings_and_bytes_are_those_of_an_index():
    figures = measured("count")
    assert count.terms(within(), SUBSCRIPTIONS) == pytest.approx(figures.details["terms"], rel=0.01)
    assert count.postings(within(), SUBSCRIPTIONS).sum() == pytest.approx(figures.postings, rel=0.01)
    assert count.size(within(), SUBSCRIPTIONS) == pytest.approx(figures.details["structure_bytes"], rel=0.01)


def test_blocks_and_bytes_of_the_compact_index():
    figures = measured("compact-count")
    blocks = count.blocks(count.postings(within(), SUBSCRIPTIONS), 25)
    assert blocks == pytest.approx(figures.details["blocks"], rel=0.01)
    assert count.compact_size(within(), SUBSCRIPTIONS) == pytest.approx(figures.details["structure_bytes"], rel=0.01)


def test_decrements_are_those_of_an_index():
    # The thousand items themselves vary by two per cent.
    decrements = count.decrements(within(), met(), SUBSCRIPTIONS)
    assert decrements == pytest.approx(measured("count").operations_per_match, rel=0.04)


def test_2_5_as_printed_has_every_term_present_where_few_are():
    printed = count.occurring_as_printed(SHARES, LENGTHS.mean, 100)
    few = count.terms(within(), 100)
    assert printed > 4_999 and few < 281


def test_2_8_as_printed_prices_the_counter_as_postings():
    widths = count.Widths(vocabulary=0, posting=100, counter=1)
    shares = terms.zipf(1000, 0.0)
    assert count.size_as_printed(shares, 1, 10, widths) == pytest.approx(2000)
    assert count.size(terms.presence(shares, terms.fixed(1)), 10, widths) == pytest.approx(1010)


def test_2_9_as_printed_has_a_term_too_many():
    shares = terms.zipf(100, 0.0)
    posted = count.postings(terms.presence(shares, terms.fixed(1)), 1000)
    assert posted[[3, 7]].sum() == pytest.approx(20)
    assert count.matching_as_printed(shares, 1, 1000, np.array([3, 7])) == pytest.approx(30)


def test_table_2_3_bounds_what_the_indexes_do():
    vocabulary, number, length = 30, 200, 4
    rows = drawn(Vocabulary.zipf(vocabulary, 0.5), number, Lengths.fixed(length), "empirical", 1)
    everything = Rows(np.array([0, vocabulary]), np.arange(vocabulary, dtype=np.int32))
    worst = count.worst_count(length, number, vocabulary)
    index = built("count", rows)
    assert index.match(everything).operations == worst.matching == count.worst_brute(length, number).matching
    kept = index.stats()["postings"] + number + len(np.unique(rows.atoms))
    assert number * (1 + length) < kept <= worst.memory
    few = Rows(np.array([0, 2]), np.array([0, 1], np.int32))
    assert index.match(few).operations < worst.matching
    assert count.worst_brute(length, number)[:2] == (4, 800) and worst.construction == 4


@pytest.mark.slow
def test_tables_4_4_and_4_6_are_the_expectations_of_the_calibrated_workload():
    shares, lengths, item_lengths = thesis()
    uniform, number = np.full(len(shares), 1 / len(shares)), 10_000_000
    here, there = terms.presence(shares, lengths), terms.presence(shares, item_lengths)
    even, even_item = terms.presence(uniform, lengths), terms.presence(uniform, item_lengths)
    assert count.decrements(here, there, number) == pytest.approx(215_620.17, rel=0.05)
    assert count.decrements(here, even_item, number) == pytest.approx(544.12, rel=0.03)
    assert count.decrements(even, even_item, number) == pytest.approx(559.62, rel=0.03)
    occurring, posted = count.occurrence(here, number), count.postings(here, number)
    assert occurring.sum() == pytest.approx(345_299, rel=0.01)
    assert count.hash_entries(occurring, 400_000) == pytest.approx(292_457, rel=0.01)
    assert count.blocks(posted, 25) == pytest.approx(1_308_676, rel=0.01)
    assert 25 * count.blocks(posted, 25) - posted.sum() == pytest.approx(7_155_958, rel=0.02)
    assert count.blocks(count.postings(even, number), 25) == pytest.approx(1_501_159, rel=0.001)
