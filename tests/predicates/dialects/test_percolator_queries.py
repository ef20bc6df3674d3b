"""Sixty queries that users of percolators write: each is tried on a hit and a miss, or refused by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import rows
from tests.predicates.dialects.percolator_queries import (
    BOTH,
    KEYWORDS,
    MAPPING,
    NOW,
    OTHERS,
    PREDICATES,
    TYPICAL,
    Typical,
)
from watchword import PredicateIndex
from watchword.errors import SubscriptionError
from watchword.predicates import from_elasticsearch, from_lucene, mapping_options

SAID = [one for one in TYPICAL if not one.refused]
PAGE = Path(__file__).parents[3] / "docs" / "comparison.md"

EVERYTHING = {need for one in TYPICAL for need in one.needs}
VALUES = {"equal", "range", "exists", "not", "or", "begins", "ip", "nested"}
ENGINES = {
    "Elasticsearch's percolator": [EVERYTHING],
    "Lucene Monitor": [EVERYTHING - {"nested"}],
    "Watchword": [EVERYTHING - {"regex", "like this", "place"}],
    "Watchword 0.2, values and words in two indexes joined by hand": [VALUES | {"case", "dates", "words"}],
    "Watchword 0.2": [VALUES | {"case", "dates"}, {"words", "or", "not"}],
    "hypermatch": [VALUES | {"case", "form"}],
    "event-ruler": [VALUES | {"form"}],
    "Hyperscan": [{"words", "or", "not", "similar", "distance", "word forms", "regex"}],
}
"""By engine the features that it has, for each index of its own that one query may be put into."""


def subscription(one: Typical) -> str:
    """Return a query as a subscription."""
    if isinstance(one.query, str):
        return from_lucene(one.query, fields=MAPPING)
    return from_elasticsearch(one.query, mapping=MAPPING, now=NOW)


@pytest.fixture(scope="module")
def index() -> PredicateIndex:
    return PredicateIndex({one.name: subscription(one) for one in SAID}, **mapping_options(MAPPING))


def test_there_are_sixty_of_which_fifty_five_are_said() -> None:
    assert [len(group) for group in (PREDICATES, KEYWORDS, BOTH, OTHERS)] == [23, 15, 7, 15]
    assert len({one.name for one in TYPICAL}) == 60 and len(SAID) >= 55


@pytest.mark.parametrize("one", SAID, ids=lambda one: one.name)
def test_a_typical_query_has_its_hit_and_its_miss(one: Typical, index: PredicateIndex) -> None:
    assert one.name in index.match(one.hit)
    assert one.name not in index.match(one.miss)
    assert index.explain(one.hit, one.name) and not index.explain(one.miss, one.name)


@pytest.mark.parametrize("one", [one for one in TYPICAL if one.refused], ids=lambda one: one.name)
def test_what_cannot_be_said_is_refused_by_name(one: Typical) -> None:
    with pytest.raises(SubscriptionError, match=one.refused):
        subscription(one)


def test_the_page_has_the_figures() -> None:
    """The page says of each engine how many of the queries it can say, by the features that each needs."""
    table = rows(PAGE.read_text(encoding="utf-8"), "of 60 typical queries")
    said = {re.sub(r"[\[\]]", "", cells[0]): int(cells[1]) for cells in table}
    counted = {
        name: sum(any(set(one.needs) <= has for has in sets) for one in TYPICAL) for name, sets in ENGINES.items()
    }
    assert said == counted
    assert counted["Watchword"] == len(SAID)
