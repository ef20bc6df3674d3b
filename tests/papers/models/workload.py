"""One small workload for all models of sets: 20,000 subscriptions and 1,000 items over 5,000 terms, Zipf .9.

Beside it the calibrated one, which gives the thesis's own tables (`workloads.calibrated`).
"""

from __future__ import annotations

from functools import cache

import pyarrow as pa

from watchword import KeywordIndex
from watchword.arrays import Float64
from watchword.index.report import Stats
from watchword.papers.models import terms
from watchword.papers.workloads import calibrated
from watchword.papers.workloads.syndication import Lengths, Vocabulary, generate

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
def found_per_item() -> float:
    """Return how many subscriptions an item matches on average."""
    sets = generate(VOCABULARY, SUBSCRIPTIONS, LENGTHS, seed=3)
    return KeywordIndex(sets.to_arrow_table()).match_many(_items()).num_rows / 1_000


def _items() -> pa.Array:
    return generate(VOCABULARY, 1_000, ITEM_LENGTHS, seed=4).to_arrow_texts()


@cache
def measured(method: str) -> Stats:
    """Build the index of a method, match the items, and return its figures; the tries have the vocabulary's order."""
    ranking = [f"t{rank}" for rank in range(len(VOCABULARY))]
    options = {"order": "given", "ranking": ranking} if "trie" in method else {}
    sets = generate(VOCABULARY, SUBSCRIPTIONS, LENGTHS, seed=3)
    index = KeywordIndex(sets.to_arrow_table(), method=method, **options)
    index.match_many(_items())
    return index.stats()


@cache
def thesis() -> tuple[Float64, Float64, Float64]:
    """Return shares of 800,000 terms, lengths of subscriptions and lengths of items that fit the thesis's tables."""
    shares = terms.shares_of(calibrated.vocabulary().frequencies)
    return shares, calibrated.subscription_lengths().probabilities, calibrated.item_lengths().probabilities
