"""One small workload for all models of sets: 20,000 subscriptions and 1,000 items over 5,000 terms, Zipf .9.

Beside it the calibrated one, which gives the thesis's own tables (800,000 terms, fitted to Tables 4.4 and 4.6).
"""

from __future__ import annotations

from functools import cache

import numpy as np

from watchword import KeywordIndex
from watchword.arrays import Float64
from watchword.index.report import Stats
from watchword.models import terms
from watchword.workloads.syndication import Lengths, Vocabulary, generate

SUBSCRIPTIONS = 20_000
VOCABULARY = Vocabulary.zipf(5_000, 0.9)
LENGTHS = Lengths.subscriptions()
ITEM_LENGTHS = Lengths.from_probabilities(dict.fromkeys(range(5, 25), 1))
SHARES = terms.shares_of(VOCABULARY.frequencies)


@cache
def within() -> Float64:
    return terms.presence(SHARES, LENGTHS.probabilities)


@cache
def met() -> Float64:
    return terms.presence(SHARES, ITEM_LENGTHS.probabilities)


@cache
def measured(method: str) -> Stats:
    """Build the index of a method, match the items, and return its figures; the tries have the vocabulary's order."""
    ranking = [f"t{rank}" for rank in range(len(VOCABULARY))]
    options = {"order": "given", "ranking": ranking} if "trie" in method else {}
    sets = generate(VOCABULARY, SUBSCRIPTIONS, LENGTHS, seed=3)
    index = KeywordIndex(sets.to_arrow_table(), method=method, **options)
    index.match_many(generate(VOCABULARY, 1_000, ITEM_LENGTHS, seed=4).to_arrow_texts())
    return index.stats()


def calibrated() -> tuple[Float64, Float64, Float64]:
    """Return shares of 800,000 terms, lengths of subscriptions and lengths of items that fit the thesis's tables.

    Which frequent terms are drawn matters: of five seeds, 3 comes nearest to Table 4.6, others have up to 16 % more.
    """
    ranks = np.arange(1, 1_462_600, dtype=np.float64)
    frequencies = np.where(ranks <= 1500, ranks**-0.4, 1500**1.25 * ranks**-1.65)
    shares = terms.shares_of(Vocabulary(frequencies).downsample(800_000, seed=3).frequencies)
    tail = 0.4185 * 0.542 * 0.458 ** np.arange(13)
    items = np.arange(1, 51)
    spread = np.exp(-0.5 * (np.log(items / 15.22) / 0.72) ** 2) / items
    lengths, item_lengths = [0.0, 0.2158, 0.3657, *tail], [0.0, *spread]
    return shares, terms.shares_of(lengths), terms.shares_of(item_lengths)
