"""The experiments of paths, on tiny cells: counts that no machine changes."""

from __future__ import annotations

import pytest

from watchword.papers.experiments.experiment import Row
from watchword.papers.experiments.measuring import SHELF
from watchword.papers.experiments.rows import by
from watchword.papers.experiments.xml import BOUNDS, FIGURE_1, OCCURRENCES, STATES
from watchword.papers.experiments.xml.workload import document_of

SMALL = {"patterns": 40, "elements": 60}


@pytest.fixture(scope="module", autouse=True)
def forgotten():
    yield
    SHELF.clear()


@pytest.mark.slow
def test_every_method_filters_one_document() -> None:
    rows = FIGURE_1.measure({"part": "PMA", "data": "news", "patterns": 50, "elements": 60}, "small", 2010)
    work = {"pma": 2187.0, "pma2": 123.0, "yfilter": 435.0, "lazy-dfa": 95.0, "auto": 435.0}
    assert by(rows, "method", "operations") == work
    assert {(row["matches"], row["document_elements"]) for row in rows} == {(8, 89)}


@pytest.mark.slow
def test_keywords_take_fewer_states_than_paths() -> None:
    rows = STATES.measure({"data": "news", "patterns": 1_000, "elements": 10}, "small", 2010)
    assert by(rows, "method", "states") == {"pma": 525, "pma2": 525, "yfilter": 2804, "lazy-dfa": 2804, "auto": 2804}


@pytest.mark.slow
def test_all_occurrences_are_counted_beside_the_first() -> None:
    rows = OCCURRENCES.derive(OCCURRENCES.measure({"data": "auctions", **SMALL}, "small", 2010))
    assert {(row["method"], row["first"], row["all"]) for row in rows} == {
        (method, 24, 279) for method in ("pma2", "yfilter", "lazy-dfa", "auto")
    }
    assert all(row["time_ratio"] == row["all_ms"] / row["first_ms"] for row in rows)


@pytest.mark.slow
def test_tuples_touched_are_within_the_occurrences_of_prefixes() -> None:
    rows: list[Row] = []
    for method in ("pma", "pma2"):
        rows += BOUNDS.measure({"data": "recursive", **SMALL, "method": method}, "small", 2010)
    assert [row["touched"] for row in rows] == [111, 114] and [row["prefix_occurrences"] for row in rows] == [114, 114]
    assert [row["searches"] for row in rows] == [146, 90]
    assert {(row["K"], row["depth"], row["document_elements"], row["occurrences"]) for row in rows} == {(5, 5, 49, 8)}
    rows = BOUNDS.derive(rows)
    assert [row["searches_bound"] for row in rows] == [5 * 49, 5 * 49 * 5]
    verdicts = {claim.id: claim.judge(rows).verdict for claim in BOUNDS.claims}
    held = ("lemma-2", "theorem-2-searches", "pma2-touched", "pma2-searches", "pma2-bound")
    assert [verdicts[name] for name in held] == ["holds"] * 5
    beside = BOUNDS.derive(BOUNDS.measure({"data": "recursive", **SMALL, "method": "auto"}, "small", 2010))
    assert [row["occurrences"] for row in beside] == [8] and "searches_bound" not in beside[0]
    assert [claim.judge(rows + beside).verdict for claim in BOUNDS.claims] == list(verdicts.values())


@pytest.mark.slow
def test_theorem_2_has_no_term_for_tuples_that_expire_at_every_sibling() -> None:
    rows: list[Row] = []
    for method in ("pma", "pma2"):
        rows += BOUNDS.measure({"data": "siblings", **SMALL, "method": method}, "small", 2010)
    assert {(row["prefix_occurrences"], row["touched"], row["document_elements"]) for row in rows} == {(0, 0, 60)}
    assert [row["changes"] for row in rows] == [2 * 40 * 59, 0] and rows[0]["operations"] == 2 * 40 * 59
    judged = {claim.id: claim for claim in BOUNDS.claims}["theorem-2"].judge(BOUNDS.derive(rows))
    assert judged.verdict == "does not hold" and judged.why.startswith("paper: ")
    assert "4,720 changes, and 0 prefixes" in judged.why


SIZES = {"auctions": 23.8, "news": 2.6, "recursive": 2.6}
PARTS = {"pma": ("PMA",), "pma2": ("PMA", "Figure 1"), "yfilter": ("Figure 1",)}


def timed_rows(yfilter: float, pma2: float, pma: float, size: float = 1.0) -> list[Row]:
    times = {"yfilter": yfilter, "pma2": pma2, "pma": pma}
    return [
        {"data": data, "patterns": count, "method": method, "ms": time * (2 if data == "recursive" else 1)}
        | {"part": part, "document_mb": size * SIZES[data] if part == "Figure 1" else 0.1}
        for data in SIZES
        for count in (10, 20)
        for method, time in times.items()
        for part in PARTS[method]
    ]


def test_times_of_small_documents_show_nothing() -> None:
    for size, shown in ((0.5, False), (0.8, True)):
        verdicts = {claim.id: claim.judge(timed_rows(3.0, 2.0, 5.0, size)).verdict for claim in FIGURE_1.claims}
        assert [verdict != "not shown at this scale" for verdict in verdicts.values()] == [shown] * 3 + [True]


@pytest.mark.slow
def test_documents_at_the_papers_scale_have_the_papers_sizes() -> None:
    for data, size in (("news", 2.6), ("recursive", 2.6)):  # the 23.8 MB of auctions take nine seconds
        (elements,) = {cell["elements"] for cell in FIGURE_1.cells("paper") if cell["data"] == data} - {50_000}
        drawn = document_of({"data": data, "elements": elements}, FIGURE_1.seed)
        assert len(drawn) / 1e6 == pytest.approx(size, rel=0.05)


def test_verdicts_of_figure_1() -> None:
    def verdicts(*times: float) -> dict[str, str]:
        return {claim.id: claim.judge(timed_rows(*times)).verdict for claim in FIGURE_1.claims}

    assert verdicts(3.0, 2.0, 5.0)["slightly"] == "holds"
    assert verdicts(2.2, 2.0, 5.0)["slightly"] == "holds weaker"
    assert verdicts(1.0, 2.0, 1.5) == {
        "slightly": "does not hold",
        "heavily": "holds weaker",
        "recursion": "does not hold",
        "pma": "does not hold",
    }
    assert verdicts(1.8, 2.0, 3.0)["heavily"] == "holds" and verdicts(1.8, 2.0, 3.0)["pma"] == "holds"
