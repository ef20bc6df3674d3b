"""The experiments of properties, on tiny cells: counts that no machine changes."""

from __future__ import annotations

from itertools import pairwise

import pytest

from watchword.papers.experiments.experiment import Row
from watchword.papers.experiments.measuring import SHELF
from watchword.papers.experiments.properties import BOUNDS, FIGURE_3, FIGURE_4, FIGURE_5, SECTION_3, SWEEP_OF_C
from watchword.papers.experiments.properties.countmatch import CountMatch
from watchword.papers.experiments.rows import by, curve
from watchword.papers.workloads import properties as workload
from watchword.properties import PropertyIndex

pytestmark = pytest.mark.slow
ZIPF = {"kind": "Zipf", "parameter": 2.0}


@pytest.fixture(scope="module", autouse=True)
def forgotten():
    yield
    SHELF.clear()


def test_rapid_visits_a_fifth_of_the_nodes_of_tree() -> None:
    rows = FIGURE_3.derive(FIGURE_3.measure({"subscriptions": 500, **ZIPF}, "small", 2005))
    assert by(rows, "method", "operations") == {"tree": 350.77, "rapid": 67.70, "auto": 17.15}
    assert by(rows, "method", "nodes_ratio") == {"tree": 1.0, "rapid": pytest.approx(5.181, abs=0.001)}
    assert {row["matches"] for row in rows} == {3.07} and {row["ones"] for row in rows} == {2.65}
    assert by(rows, "method", "time_ratio")["tree"] == 1.0


def test_count_updates_more_counters_than_tree_visits_nodes() -> None:
    rows = SECTION_3.measure({"workload": "section 6", "subscriptions": 300, **ZIPF}, "small", 2005)
    assert by(rows, "method", "operations") == {
        "count": 1501.70,
        "tree": 220.03,
        "auto": 8.88,
        "CountMatch": pytest.approx(28_400, rel=0.02),
    }
    example = {"workload": "section 3", "subscriptions": 100, "kind": "all 0", "parameter": 0.0}
    rows += SECTION_3.measure(example, "small", 2005)
    work = by(rows, "method", "operations", workload="section 3")
    assert (work["count"], work["CountMatch"]) == (0.0, 99 * 100), "(k - 1) N updates, none if stars are skipped"
    judged = {claim.id: claim.judge(rows).verdict for claim in SECTION_3.claims if not claim.times}
    assert judged == {"operations": "holds", "example": "holds"}


def test_countmatch_finds_what_an_index_does() -> None:
    drawn = workload.subscriptions(200, workload.Chances.around(8, zero=0.2, one=0.2, seed=1), 2)
    events = workload.light_events(30, 8, 1.0, 3)
    index = PropertyIndex(workload.as_table(drawn), properties=workload.property_names(8))
    hits = CountMatch(drawn)(events)
    found = [sorted(hits.payloads[a:b].tolist()) for a, b in pairwise(hits.offsets.tolist())]
    assert found == [index.match(event) for event in workload.as_texts(events).to_pylist()]


def test_trees_and_entries_are_as_modelled_and_visits_within_bounds() -> None:
    row, ours = BOUNDS.measure({"k": 8, "c": 3, "subscriptions": 200, "dense": True}, "small", 2005)
    assert (row["trees"], row["trees_predicted"], row["trees_as_printed"]) == (11, 11, 9)
    assert (row["entries"], row["visited_most"], row["visited_light"]) == (956, 92.0, 55.0)
    assert row["entries_predicted"] == pytest.approx(935.5, abs=0.1) and row["visited_of_bound"] < 1
    assert (ours["method"], ours["visited_most"]) == ("auto", 201.0), "200 rows of few properties are read through"
    judged = {claim.id: claim.judge([row, ours]).verdict for claim in BOUNDS.claims}
    assert judged["trees"] == "holds weaker" and judged["entries"] == judged["space"] == judged["time"] == "holds"


def test_a_larger_c_visits_fewer_nodes_and_takes_more_room() -> None:
    rows = [
        row for c in (0, 4, 12) for row in SWEEP_OF_C.measure({"subscriptions": 500, **ZIPF, "c": c}, "small", 2005)
    ]
    nodes, size, light = (curve(rows, "c", of, method="rapid") for of in ("operations", "bytes", "light"))
    assert nodes[0] > 2 * nodes[4] > 2 * nodes[12] and size[0] < size[4] < size[12]
    assert light[0] == 0 and 0.8 < light[4] < light[12] <= 1
    assert len({row["operations"] for row in rows if row["method"] == "tree"}) == 1


def test_matches_are_grouped_from_few_to_many() -> None:
    rows = FIGURE_5.measure({"subscriptions": 500, **ZIPF}, "small", 2005)
    matches = [row["matches"] for row in rows if row["method"] == "tree"]
    assert len(matches) == 3 and matches == sorted(matches) and matches[0] < matches[2]


def curves(tree: float, rapid: list[float]) -> list[Row]:
    """Rows of Figure 4 with these nodes, for alpha and for p."""
    points = [("Zipf", alpha) for alpha in (1.0, 1.5, 2.0, 3.0, 4.0, 5.0)]
    points += [("exponential", p) for p in (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)]
    found = []
    for (kind, parameter), nodes in zip(points, rapid * 2, strict=True):
        common = {"kind": kind, "parameter": parameter, "ones": 1.1}
        found.append(common | {"method": "tree", "operations": tree, "nodes_ratio": 1.0})
        found.append(common | {"method": "rapid", "operations": nodes, "nodes_ratio": tree / nodes})
    return found


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([90.0, 50.0, 20.0, 10.0, 9.0, 8.0], ["holds", "holds", "holds", "holds"]),
        ([90.0, 50.0, 55.0, 20.0, 11.0, 5.0], ["holds weaker", "holds", "does not hold", "holds"]),
        ([20.0, 50.0, 55.0, 40.0, 60.0, 70.0], ["does not hold", "holds", "holds", "holds"]),
    ],
)
def test_verdicts_of_figure_4(nodes: list[float], expected: list[str]) -> None:
    rows = curves(100.0, nodes)
    assert [claim.judge(rows).verdict for claim in FIGURE_4.claims] == expected
