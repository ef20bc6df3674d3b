"""Section 4.3: RAPIDMatch's bounds, as printed and as `models.rapid` has them, against measured counts."""

from __future__ import annotations

from collections.abc import Sequence

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Outcome, Plot, Row, judged, not_shown
from watchword.papers.experiments.figures import every
from watchword.papers.experiments.properties.workload import DOCUMENT, EVENTS, PROPERTIES, SEED, nodes_by_event
from watchword.papers.experiments.rows import where
from watchword.papers.models import rapid
from watchword.papers.workloads.properties import (
    Chances,
    as_table,
    as_texts,
    light_events,
    property_names,
    subscriptions,
)
from watchword.properties import PropertyIndex


def bound_cells(scale: str) -> list[Cell]:
    """Return the cells: c on the paper's workload, and few properties, where bounds on time say something."""
    count = {"small": 10_000, "paper": 100_000}[scale]
    wide = [{"k": PROPERTIES, "c": c, "subscriptions": count, "dense": False} for c in (1, 2, 4, 6, 8, 10, 12)]
    narrow = [{"k": k, "c": c, "subscriptions": 3_000, "dense": True} for k, c in ((3, 1), (8, 1), (8, 3), (12, 3))]
    return wide + narrow


def measure_bounds(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Set RAPIDMatch's trees, entries, nodes and visits beside what section 4.3 and `models.rapid` say of them."""
    width, c, count = cell["k"], cell["c"], cell["subscriptions"]
    chance = 0.25 if cell["dense"] else 0.05
    chances = Chances.around(width, zero=chance, one=chance, seed=seed)
    drawn = subscriptions(count, chances, seed)
    table, names = as_table(drawn), property_names(width)
    index = PropertyIndex(table, method="rapid", c=c, properties=names)
    stats = index.stats()
    blank = int((drawn == ord("*")).all(axis=1).sum())
    events = as_texts(light_events(EVENTS, width, 1.0, seed + 1))
    visited = nodes_by_event(index, events) - 1  # one operation is the look at subscriptions of stars only
    bounds = [rapid.time_bound(width, event.as_py().count("1"), c, count) for event in events]
    ours = PropertyIndex(table, properties=names)
    light = [at for at, event in enumerate(events) if event.as_py().count("1") <= c]
    return [
        cell
        | {
            "method": "rapid",
            "trees": stats.details["trees"],
            "trees_predicted": rapid.trees(c),
            "trees_as_printed": rapid.trees_as_printed(c),
            "entries": stats.postings,
            "entries_predicted": count * rapid.held(chances.zero, chances.one, c) - blank * rapid.trees(c),
            "nodes": stats.nodes,
            "nodes_bound": rapid.space_bound(count, width, c),
            "visited_most": float(visited.max()),
            "visited_of_bound": float(max(visited / bounds)),
            "visited_light": float(max(visited[light], default=0.0)),
            "light_bound_as_printed": rapid.time_bound_as_printed(width, c),
        },
        cell | {"method": "auto", "visited_most": float(nodes_by_event(ours, events).max())},
    ]


def _rapid(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of RAPIDMatch; `auto` has no trees, and stands beside them with the blocks that it reads."""
    return where(rows, method="rapid")


def _trees_as_modelled(rows: Sequence[Row]) -> Outcome:
    wrong = [row["c"] for row in _rapid(rows) if row["trees"] != row["trees_predicted"]]
    under = [row["c"] for row in _rapid(rows) if row["trees"] > row["trees_as_printed"]]
    said = f"(c + 1)(c + 2) / 2 + 1 in all but {len(wrong)} cells; c² is less than there are for c = {_distinct(under)}"
    return judged(
        not under and not wrong,
        said,
        weaker=not wrong,
        otherwise="paper: c² is right as an order of growth, not as a number"
        + (f"; less than there are for c = {_distinct(under)}" if under else ""),
    )


def _within_time_as_printed(rows: Sequence[Row]) -> Outcome:
    above = [row for row in _rapid(rows) if row["visited_light"] > row["light_bound_as_printed"]]
    said = "; ".join(
        f"k = {row['k']}, c = {row['c']}: {row['visited_light']:.0f} nodes, bound {row['light_bound_as_printed']:.3g}"
        for row in above
    )
    why = "paper: its bound counts leaves, not nodes, and takes all blocks for equally long"
    if not above:
        return not_shown("no event comes near it", "never exceeded")
    return judged(False, said, otherwise=why)


def _distinct(values: Sequence[int]) -> str:
    return ", ".join(map(str, sorted(set(values))))


BOUNDS = Experiment(
    name="properties/bounds",
    title="RAPIDMatch's bounds, predicted against measured",
    source=f"{DOCUMENT}, section 4.3, Propositions 3 and 4",
    cells=bound_cells,
    measure=measure_bounds,
    plots=(
        Plot("trees", "Trees", "c", "trees", where={"dense": False}, also=("trees_predicted", "trees_as_printed")),
        Plot("entries", "Subscriptions in trees", "c", "entries", where={"dense": False}, also=("entries_predicted",)),
        Plot("nodes", "Nodes", "c", "nodes", log_y=True, where={"dense": False}, also=("nodes_bound",)),
        Plot("visited", "Most that an event visits", "c", "visited_most", log_y=True, where={"dense": False}),
    ),
    claims=(
        Claim("trees", "There are c² trees at most.", "c² (proof of Proposition 3)", _trees_as_modelled),
        Claim("entries", "In how many trees a subscription is follows from its chances.", "our model",
              check("within {off.most:.1%}", "off.most < 0.03", weaker="off.most < 0.1",
                    off=abs(every("entries", method="rapid") / every("entries_predicted", method="rapid") - 1))),
        Claim("space", "Nodes are bounded by trees times k times N.", "O(c² k N)",
              check("at most {part.most:.1%} of the bound", "part.most <= 1", why="nodes only where rows part",
                    part=every("nodes", method="rapid") / every("nodes_bound", method="rapid"))),
        Claim("time", "Nodes visited are bounded by 2^(d + 1) - 1, d the depth of the tree.", "our reading",
              check("at most {part.most:.0%} of the bound", "part.most <= 1",
                    part=every("visited_of_bound", method="rapid"))),
        Claim("time-as-printed", "An event with at most c ones visits 2^(k (1 - 1 / (c + 1))) nodes at most.",
              "Proposition 4, as printed", _within_time_as_printed),
    ),
    seed=SEED,
)  # fmt: skip
