"""REtriever's figures: the counts of their workloads, which are the same everywhere, and what follows from them."""

from __future__ import annotations

import pytest

from watchword.papers.experiments.experiment import VERDICTS, Experiment, Row
from watchword.papers.experiments.measuring import SHELF
from watchword.papers.experiments.plotting import points_of
from watchword.papers.experiments.registry import experiments
from watchword.papers.experiments.retriever import costs, engines, figures, splitting
from watchword.papers.experiments.retriever.engines import ENGINES, PUBLISHED, Bench
from watchword.papers.workloads.retriever import Parameters

COMPARED = ("nfa", *PUBLISHED)


def counts(column: str, names: tuple[str, ...] = COMPARED, **changed: object) -> list[float]:
    """Return a column of the counts of some engines, on 10,000 subscriptions and 100 publications."""
    parameters = Parameters(num_overlap=200, seed=engines.SEED, **changed)  # type: ignore[arg-type]
    found = SHELF.get(parameters, lambda: Bench(parameters, [ENGINES[name] for name in names]))
    return [round(found.counts[name][column], 2) for name in names]


@pytest.fixture(autouse=True, scope="module")
def cleared():
    yield
    SHELF.clear()


@pytest.mark.slow
def test_splitting_saves_states_and_costs_work_on_the_workload_of_figure_2():
    assert counts("states") == [110_268, 47_759, 35_073, 32_421]
    assert counts("words_per_subscription", PUBLISHED) == [2.5, 2.88, 3.03]
    assert counts("visits") == [240.53, 203.94, 199.44, 199.07]
    assert counts("operations") == [537.97, 317.65, 388.74, 533.41]


@pytest.mark.slow
def test_splitting_loses_by_far_on_the_longest_subscriptions_of_figure_3():
    """Half the work of the NFA without cuts, eight times with several; the smaller, the more work."""
    longest = {"num_sub_str": 8, "num_overlap_str": 2}
    assert counts("operations", **longest) == [1023.09, 516.02, 931.74, 8188.8]
    assert counts("states", PUBLISHED, **longest) == [237_858, 166_209, 48_702]
    assert counts("bytes", **longest) == sorted(counts("bytes", **longest), reverse=True)


@pytest.mark.slow
def test_stars_cost_the_nfa_more_per_letter_and_windows_nothing():
    found = {}
    for stars in (1, 3):
        changed = {"num_sub_str": 6, "num_overlap_str": 3, "num_star": stars, "num_question": 0}
        work, each, visits = (counts(column, **changed) for column in ("operations", "operations_per_letter", "visits"))
        letters = work[0] / each[0]
        found[stars] = each[0], [states / letters for states in visits[1:]]
    assert found[3][0] / found[1][0] > 1.3
    assert all(0.9 < three / one < 1.1 for one, three in zip(found[1][1], found[3][1], strict=True))


@pytest.mark.slow
def test_the_nfa_reaches_fewest_states_where_overlaps_are_prefixes_and_tries_most():
    """What Figure 5 says of it holds in the states reached, not in all of its work."""
    at = {where: {"num_sub_str": 6, "overlap_pos": where} for where in ("general", "prefix", "suffix")}
    reached = {where: counts("visits", **changed)[0] for where, changed in at.items()}
    work = {where: counts("operations", **changed)[0] for where, changed in at.items()}
    assert reached == {"general": 347.8, "prefix": 284.96, "suffix": 337.47}
    assert max(work, key=work.__getitem__) == "prefix" and min(work, key=work.__getitem__) == "suffix"


SMALL = {"num_subscription": 300, "num_overlap": 6}


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workloads of 300 subscriptions, measured once: times mean nothing, everything else runs."""
    monkeypatch.setattr(engines, "TURNS", 1)
    monkeypatch.setattr(engines, "TURN_OPERATIONS", 100)
    monkeypatch.setattr(figures, "_FIXED", SMALL)
    monkeypatch.setattr(costs, "CHANGED", 100)
    sizes = figures.SIZES.values
    monkeypatch.setitem(sizes, "small", (100, 300))  # type: ignore[arg-type]


def measured(experiment: Experiment) -> list[Row]:
    """Return the rows of all cells, in one turn; every plot finds points in them."""
    rows = [row for cell in experiment.cells("small") for row in experiment.measure(cell, "small", experiment.seed)]
    assert all(points_of(plot, rows) for plot in experiment.plots)
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("experiment", figures.FIGURES, ids=lambda experiment: experiment.name)
def test_every_figure_runs_and_judges_its_claims(experiment: Experiment, tiny: None):
    rows = measured(experiment)
    assert {row["method"] for row in rows} == set(ENGINES)
    assert len(rows) == len(ENGINES) * len(experiment.cells("small"))
    outcomes = [claim.judge(rows) for claim in experiment.claims]
    assert all(outcome.verdict in VERDICTS[:3] and outcome.measured for outcome in outcomes)
    assert all(claim.judge([]).verdict == "not shown at this scale" for claim in experiment.claims)


@pytest.mark.slow
def test_placement_decides_whether_anything_can_be_cut(tiny: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(splitting, "SIZE", {"small": 2_000})
    rows = measured(splitting.PLACEMENT)
    outcome = splitting.PLACEMENT.claims[0].judge(rows)
    assert outcome.verdict == "holds", outcome
    assert len(rows) == 6 * (len(ENGINES) - 1)


@pytest.mark.slow
def test_a_sweep_of_the_minimums(tiny: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(splitting, "LONGEST", splitting.LONGEST | SMALL)
    rows = measured(splitting.MINIMUMS)
    assert len(rows) == 12 * 7
    assert len({row["operations"] for row in rows if row["method"] == "auto"}) == 1, "it knows no minimums"
    states = {
        (row["min_word_len"], row["min_split_score"]): row["states"]
        for row in rows
        if row["method"] == "multi, records"
    }
    assert states[2, 0] < states[2, 2] < states[2, 4] < states[6, 4]  # the less is asked of a cut, the more is cut
    assert splitting.MINIMUMS.claims[1].judge(rows).verdict == "holds"


@pytest.mark.slow
def test_changes_are_measured_and_undone(tiny: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(costs, "SIZES", {"small": (300,)})
    rows = measured(costs.CHANGES)
    assert [row["method"] for row in rows] == list(ENGINES)
    assert all(row["build_s"] > 0 and row["insert_us"] > 0 and row["delete_us"] > 0 for row in rows)
    assert [claim.judge(rows).verdict for claim in costs.CHANGES.claims] == ["holds", "holds"]


def test_the_engines_find_what_was_drawn():
    parameters = Parameters(60, 10, seed=4)
    found = Bench(parameters, [*ENGINES.values()])
    assert {counted["pairs"] for counted in found.counts.values()} == {10 * 3}


def test_the_paper_has_its_figures_and_its_claims():
    found = experiments("retriever")
    assert [each.name for each in found[:5]] == [f"retriever/figure-{number}" for number in (2, 3, 4, 5, 6)]
    ids = [(each.name, claim.id) for each in found for claim in each.claims]
    assert len(ids) == len(set(ids)) >= 12
    printed = [row for each in found for row in each.printed]
    assert {"subscriptions": 100_000, "publications": 100, "method": "nfa", "ms": 650} in printed
    assert all(row["method"] in ENGINES for row in printed)
    assert [cell["subscriptions"] for cell in found[0].cells("paper")][:4] == [100, 1_000, 10_000, 100_000]
