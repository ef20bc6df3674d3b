"""The thesis's tables at small scale: counts, which are the same on every machine, and what they say of its claims."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from watchword import KeywordIndex
from watchword.papers.experiments.experiment import Experiment, Row
from watchword.papers.experiments.measuring import SHELF
from watchword.papers.experiments.registry import chosen
from watchword.papers.experiments.rows import curve, rises, value, where
from watchword.papers.experiments.thesis import (
    EXPERIMENTS,
    containment,
    distributions,
    future,
    parameters,
    predicted,
    simple,
    sizes,
)
from watchword.papers.experiments.thesis.containment import SECTION_5_1_3
from watchword.papers.experiments.thesis.distributions import TABLES_4_4_TO_4_6
from watchword.papers.experiments.thesis.future import DRIFT, LEARNED, SIMILARITY
from watchword.papers.experiments.thesis.indexes import DISTRIBUTIONS, built, in_order, matched
from watchword.papers.experiments.thesis.parameters import FIGURE_4_1, TABLE_3_1, TABLE_3_2
from watchword.papers.experiments.thesis.predicted import MODELS
from watchword.papers.experiments.thesis.simple import TABLES_4_2_AND_4_3
from watchword.papers.experiments.thesis.sizes import FIGURE_4_11, TABLES_4_7_AND_4_8, TABLES_4_9_AND_4_10
from watchword.papers.models import terms
from watchword.papers.models.count import decrements as expected_decrements
from watchword.papers.workloads import calibrated
from watchword.papers.workloads.syndication import generate, term_names

TINY = "tiny"


@pytest.fixture(autouse=True, scope="module")
def tiny_scale():
    """Let the experiments know a scale that takes a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(simple.SIZES, TINY, (25_000, 500))
        patch.setitem(distributions.SIZES, TINY, distributions.Size(20_000, 1_600, 4, 20, 60))
        for name, size in (("SUBSCRIPTIONS", 10_000), ("TERMS", 800), ("ITEMS", 40)):
            patch.setitem(getattr(sizes, name), TINY, size)
        patch.setitem(sizes.VOCABULARIES, TINY, (100, 1_000, 8_000))
        patch.setitem(containment.SIZES, TINY, (1_500, 1_200, 50))
        patch.setitem(containment.SHARES, TINY, (0.0, 0.5, 0.9))
        patch.setitem(containment.CHAINS, TINY, (2, 10, 50))
        patch.setitem(containment.CHAINED, TINY, 1_000)
        patch.setitem(parameters.CAPACITY_SIZES, TINY, (5_000, 400, 40))
        patch.setitem(parameters.BLOCK_SIZES, TINY, (500, 1_000, 4_000, 9_000))
        patch.setitem(parameters.BLOCK_TERMS, TINY, 800)
        patch.setitem(predicted.SIZES, TINY, (1_600, (500, 4_000), 200))
        patch.setitem(future.SIZES, TINY, (4_000, 40_000, 60))
        patch.setitem(future.SHARES, TINY, (0.0, 0.5, 0.9))
        patch.setitem(future.DRIFTS, TINY, (0.0, 0.5, 1.0))
        yield
    SHELF.clear()


def rows_of(experiment: Experiment) -> list[Row]:
    return measured(experiment.name)


@cache
def measured(name: str) -> list[Row]:
    """Measure an experiment once for all tests of it."""
    (experiment,) = chosen([name])
    return [row for cell in experiment.cells(TINY) for row in experiment.measure(cell, TINY, 2011)]


def verdicts(experiment: Experiment) -> dict[str, str]:
    """Return what becomes of the claims that look at counts alone."""
    rows = rows_of(experiment)
    return {claim.id: claim.judge(rows).verdict for claim in experiment.claims if not claim.times}


def test_names_and_claims_are_told_apart():
    names = [experiment.name for experiment in EXPERIMENTS]
    claims = [claim.id for experiment in EXPERIMENTS for claim in experiment.claims]
    assert len(set(names)) == len(names) and len(set(claims)) == len(claims) >= 40
    for experiment in EXPERIMENTS:
        plots = [plot.name for plot in experiment.plots]
        assert len(set(plots)) == len(plots) > 0
        for scale in ("small", "paper"):
            assert experiment.cells(scale) and experiment.needs(scale) >= 0


@pytest.mark.slow
@pytest.mark.parametrize("method", ["compact-count", "trie", "compact-trie", "auto"])
def test_an_index_of_numbers_is_the_index_of_the_same_terms(method):
    """What the experiments measure is what a user has who gives the vocabulary as `ranking`."""
    vocabulary = calibrated.vocabulary(800)
    sets = generate(vocabulary, 3_000, calibrated.subscription_lengths(), "anti-correlated", 5)
    items = generate(vocabulary, 60, calibrated.item_lengths(), "anti-correlated", 6)
    ranking = term_names(800).to_pylist()
    options = {"order": "given", "ranking": ranking} if "trie" in method else {"ranking": ranking}
    index = KeywordIndex(sets.to_arrow_table(), method=method, **({} if method == "auto" else options))
    structure = built(method, in_order(sets), 800)
    assert index.match_many(items.to_arrow_texts()).num_rows == round(matched(structure, in_order(items)).found * 60)
    if method != "auto":  # which puts rows under the rarer of two terms, and of equally rare ones under either
        figures, ours = index.stats().details, structure.stats()
        assert all(figures[name] == number for name, number in ours.items() if name in figures and "bytes" not in name)
        assert index.stats().operations_per_match == matched(structure, in_order(items)).operations
        entries = index.per_term()["entries"].to_numpy()
        assert np.array_equal(entries, structure.per_atom()) and index.per_term()["term"][7].as_py() == "t7"


@pytest.mark.slow
def test_tables_4_2_and_4_3_stand_in_the_same_relations():
    rows = rows_of(TABLES_4_2_AND_4_3)
    assert set(verdicts(TABLES_4_2_AND_4_3).values()) <= {"holds", "holds weaker"}
    for of in DISTRIBUTIONS:
        nodes = value(rows, "nodes", table="whole", distribution=of)
        # The root is in both distributions and in no other count; each subscription stands at one node.
        assert sum(row["nodes"] for row in where(rows, table="4.2", distribution=of)) == nodes + 1
        assert sum(row["nodes"] for row in where(rows, table="4.3", distribution=of)) == nodes + 1
        assert max(curve(rows, "subscriptions", "nodes", table="Figure 4.3", distribution=of).values()) == nodes


@pytest.mark.slow
def test_table_4_6_counts_what_the_thesis_counts():
    rows = rows_of(TABLES_4_4_TO_4_6)
    operations = {
        (row["method"], row["distribution"], row["items"]): row["operations"] for row in where(rows, table="4.6")
    }
    assert len(operations) == 4 * 7
    for (method, of, items), count in operations.items():
        if method == "compact-count":
            assert count > operations["compact-trie", of, items] <= operations["trie", of, items]
    alike = operations["compact-count", "empirical", "empirical"]
    assert alike > 5 * operations["compact-count", "empirical", "uniform"]
    assert alike == pytest.approx(operations["compact-count", "anti-correlated", "anti-correlated"], rel=0.35)
    # Of uniform subscriptions, each of 17 terms meets 20,000 × 2.556 / 1,600 of them, whatever the items are.
    for items in DISTRIBUTIONS:
        assert operations["compact-count", "uniform", items] == pytest.approx(17 * 20_000 * 2.556 / 1_600, rel=0.25)


@pytest.mark.slow
def test_claims_on_tables_4_4_to_4_6_that_look_at_counts():
    found = verdicts(TABLES_4_4_TO_4_6)
    assert found.pop("table-4.6") == "not shown at this scale"
    held = {name for name, verdict in found.items() if verdict.startswith("holds")}
    assert {"postings", "uniform-fills", "compression", "trie-less", "count-linear"} <= held
    entries = {
        of: value(rows_of(TABLES_4_4_TO_4_6), "hash_entries", table="4.4", distribution=of) for of in DISTRIBUTIONS
    }
    assert entries["empirical"] == pytest.approx(entries["anti-correlated"], rel=0.1)
    assert entries["uniform"] == 800 > 1.1 * entries["empirical"]


@pytest.mark.slow
def test_tables_4_7_and_4_8_stand_in_the_same_relations():
    assert verdicts(TABLES_4_7_AND_4_8)["blocks-length"].startswith("holds")
    rows = rows_of(TABLES_4_7_AND_4_8)
    for column in ("compact_nodes", "compact_size_mean", "leaves", "path_length_mean"):
        assert rises(list(curve(rows, "|s|", column, method="compact-trie").values()))
    assert curve(rows, "|s|", "leaves", method="compact-trie")[12] > 9_900
    postings = curve(rows, "|s|", "postings", method="compact-count")
    assert postings == {length: 10_000 * length for length in (3, 6, 9, 12)}


@pytest.mark.slow
def test_tables_4_9_and_4_10_stand_in_the_same_relations():
    found = verdicts(TABLES_4_9_AND_4_10)
    assert found["utilisation"] == found["wider"] == "holds"
    assert found["larger-faster"].startswith("holds")


@pytest.mark.slow
def test_the_partial_order_gains_by_containment_alone():
    found = verdicts(SECTION_5_1_3)
    assert found.pop("poset-wins") == "holds weaker", "in memory, by long chains, and not in work"
    assert found.pop("poset-order") != "does not hold"
    held = ("poset-flat", "poset-no-gain", "poset-gain", "trie-bound", "poset-chains")
    assert found == dict.fromkeys(held, "holds")
    rows = rows_of(SECTION_5_1_3)
    for share in containment.SHARES[TINY]:
        by = {row["method"]: row for row in where(rows, share=share)}
        assert by["poset"]["edges"] == by["poset-delta"]["edges"]
        assert by["poset-delta"]["operations"] <= by["poset"]["operations"]
    for order in (containment.AGAINST, containment.BY):
        chains = curve(rows, "length", "atoms_stored", part=order, method="poset-delta")
        assert set(chains.values()) == {1_000}, "a set of a chain adds one term to the next, whatever the order"
    nodes = {
        order: curve(rows, "length", "nodes", part=order, method="trie")[50]
        for order in (containment.AGAINST, containment.BY)
    }
    assert nodes == {containment.AGAINST: 20 * 50 * 51 // 2, containment.BY: 1_000}


@pytest.mark.slow
def test_buckets_change_memory_by_little_and_work_not_at_all():
    rows = rows_of(TABLE_3_1)
    work = {row["operations"] for row in where(rows, method="compact-count")}
    assert len(work) == 1 and len(where(rows, method="auto")) == 6
    capacities = curve(rows, "C %", "capacity", method="compact-count")
    assert capacities == {share: 4 * share for share in (50, 60, 70, 80, 90, 100)}
    assert verdicts(TABLE_3_1) == {"capacity-MB": "holds"}


@pytest.mark.slow
def test_longer_blocks_are_fewer_and_emptier():
    rows = rows_of(TABLE_3_2)
    for size in parameters.BLOCK_SIZES[TINY]:
        blocks, empty = (
            curve(rows, "K", column, subscriptions=size, method="compact-count") for column in ("blocks", "empty_slots")
        )
        postings = {value(rows, "postings", index=f"K = {block}", subscriptions=size) for block in parameters.BLOCKS}
        assert {block * count - empty[block] for block, count in blocks.items()} == postings and len(postings) == 1
        assert rises(list(blocks.values())[::-1]) and rises(list(empty.values()))
        assert value(rows, "postings", index="auto", subscriptions=size) == size


def test_figure_4_1_has_the_lengths_that_the_tables_imply():
    rows = rows_of(FIGURE_4_1)
    for of, mean in (("subscriptions", 2.556), ("items", 17.15)):
        shares = curve(rows, "length", "share", of=of)
        assert sum(shares.values()) == pytest.approx(1)
        assert sum(length * share for length, share in shares.items()) == pytest.approx(mean, rel=0.01)
    terms = list(curve(rows, "rank", "share", of="terms").values())
    assert rises(terms[::-1]) and len(terms) > 100


@pytest.mark.slow
def test_longer_items_cost_the_decrements_that_are_expected_and_far_more_visits():
    rows = rows_of(FIGURE_4_11)
    assert {row["method"] for row in rows} == set(sizes.METHODS)
    decrements, visits = (curve(rows, "|I|", "operations", method=of) for of in ("compact-count", "compact-trie"))
    shares = terms.shares_of(calibrated.vocabulary(800).frequencies)
    within = terms.presence(shares, calibrated.subscription_lengths().probabilities)
    for length, measured_ones in decrements.items():
        expected = expected_decrements(within, terms.presence(shares, terms.fixed(length)), 10_000)
        assert measured_ones == pytest.approx(expected, rel=0.1)
    assert visits[50] / visits[5] > 5 * decrements[50] / decrements[5]


@pytest.mark.slow
def test_similar_subscriptions_share_nodes_and_keep_their_lengths():
    rows = rows_of(SIMILARITY)
    assert verdicts(SIMILARITY) == dict.fromkeys(("similar-nodes", "similar-memory", "similar-work"), "holds")
    for share in future.SHARES[TINY]:
        assert len({row["found"] for row in where(rows, share=share)}) == 1, "all methods find the same"


@pytest.mark.slow
def test_drift_adds_terms_and_all_orders_find_the_same():
    rows = rows_of(DRIFT)
    assert {row["method"] for row in rows} == {*future.METHODS, LEARNED}
    assert rises(list(curve(rows, "drift", "term_nodes", method="compact-count").values()))
    for drift in future.DRIFTS[TINY]:
        assert len({row["found"] for row in where(rows, drift=drift)}) == 1


@pytest.mark.slow
def test_corrected_models_are_near_what_is_measured_and_printed_ones_are_not():
    rows = rows_of(MODELS)
    assert {row["kind"] for row in rows} == {"predicted", "measured", "as printed"}
    assert {row["figure"] for row in where(rows, kind="predicted")} == set(predicted.FIGURES)
    found = verdicts(MODELS)
    assert found.pop("printed-2.6") == found.pop("printed-2.20") == "does not hold"
    assert set(found.values()) <= {"holds", "holds weaker"}
