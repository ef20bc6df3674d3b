"""Tables 3.1 and 3.2, Figure 4.1: the parameters C and K of the compact count index, and what all is drawn from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Outcome, Plot, Row, judged
from watchword.papers.experiments.figures import read
from watchword.papers.experiments.rows import curve
from watchword.papers.experiments.thesis.indexes import (
    drawn,
    figures,
    grown,
    made,
    matched,
    part,
    settled,
    shelved,
    terms_of,
)
from watchword.papers.workloads import calibrated

CAPACITIES = (50, 60, 70, 80, 90, 100)
BLOCKS = (10, 25, 50, 100)
AUTO: Cell = {"method": "auto"}
CAPACITY_SIZES = {"small": (50_000, 4_000, 200), "paper": (1_000_000, 800_000, 500)}
BLOCK_SIZES = {"small": (5_000, 10_000, 40_000, 90_000), "paper": (500_000, 1_000_000, 4_000_000, 9_000_000)}
BLOCK_TERMS = {"small": 8_000, "paper": 800_000}
_PRINTED_3_1 = ((107.01, 0.0427, 5.3988), (109.93, 0.0428, 5.4241), (105.18, 0.0424, 5.3872),
                (105.24, 0.0429, 5.3891), (109.60, 0.0417, 5.3969), (109.74, 0.0426, 5.5109))  # fmt: skip
_PRINTED_3_2 = {500_000: (53.01, 51.10, 62.61, 83.1), 1_000_000: (92.72, 88.83, 104.68, 132.23),
                4_000_000: (324.29, 275.51, 301.41, 343.95), 9_000_000: (681.71, 492.71, 538.61, 633.29)}  # fmt: skip


def _measure_capacity(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Measure one C; `auto` has none, and is the same beside all of them."""
    count, size, few = CAPACITY_SIZES[scale]
    rows = shelved(size, count, calibrated.subscription_lengths(), "empirical", seed)
    ours = cell == AUTO
    structure = made("auto") if ours else made("compact-count", size, capacity=cell["C %"] / 100)
    insertion = min(time for _, time in grown(structure, rows, 2))
    cost = matched(structure, drawn(terms_of(size), few, calibrated.item_lengths(), "empirical", seed + 1), turns=3)
    times = {"insertion us": insertion, "match us": cost.microseconds, "operations": cost.operations}
    measured = times | figures(structure)
    if ours:
        return [{"C %": capacity} | cell | measured for capacity in CAPACITIES]
    return [cell | {"method": "compact-count"} | measured]


def _measure_block(cell: Cell, scale: str, seed: int) -> list[Row]:
    sizes, size = BLOCK_SIZES[scale], BLOCK_TERMS[scale]
    rows = shelved(size, sizes[-1], calibrated.subscription_lengths(), "empirical", seed)
    named = {"index": "auto"} if cell == AUTO else {"index": f"K = {cell['K']}", "method": "compact-count"}
    structure = made("auto") if cell == AUTO else made("compact-count", size, block=cell["K"])
    found = []
    for begun, ended in zip((0, *sizes[:-1]), sizes, strict=True):
        settled(structure, part(rows, begun, ended), np.arange(begun, ended, dtype=np.int32))
        found.append(cell | named | {"subscriptions": ended} | figures(structure))
    return found


def _measure_inputs(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Return the three distributions of Figure 4.1, at the points that a plot shows."""
    if cell["of"] == "terms":
        shares = terms_of(800_000).frequencies / terms_of(800_000).frequencies.sum()
        ranks = np.unique(np.geomspace(1, len(shares), 200).astype(np.int64))
        return [cell | {"rank": int(rank), "share": float(shares[rank - 1])} for rank in ranks]
    lengths = calibrated.item_lengths() if cell["of"] == "items" else calibrated.subscription_lengths()
    shares = lengths.probabilities
    return [cell | {"length": n, "share": float(shares[n]), "mean": lengths.mean} for n in np.flatnonzero(shares)]


# claims

BUSY = "hardware: times of fractions of a second on a machine that does other things"
NO_OBJECTS = "implementation: a bucket is 4 bytes here, and no Java object is beside it"


def _capacity_hardly_matters(column: str, limit: float, paper: str, why: str = BUSY) -> Claim:
    wide = read(column, along="C %", method="compact-count").spread - 1
    reason = f"{why}: {{wide:.1%}} between the most and the least"
    checked = check("{wide:.1%} apart", f"wide < {limit}", weaker=f"wide < {3 * limit}", otherwise=reason, wide=wide)
    text = f"How many buckets there are hardly matters: {column}."
    return Claim(f"capacity-{column.split()[0]}", text, paper, checked, times=column != "MB")


def _best_block(rows: Sequence[Row]) -> Outcome:
    sizes = sorted({row["subscriptions"] for row in rows})
    best = {}
    for size in sizes:
        by = curve(rows, "K", "MB", subscriptions=size, method="compact-count")
        best[size] = min(by, key=by.__getitem__)
    said = ", ".join(f"{size:,}: K = {k}" for size, k in best.items())
    why = "implementation: what leads to the next block is one number here, and not an object of Java: blocks of "
    why += f"{', '.join(map(str, sorted({*best.values()})))} take least"
    return judged(set(best.values()) == {25}, said, weaker=25 in best.values(), otherwise=why)


TABLE_3_1 = Experiment(
    name="thesis/table-3.1",
    title="the capacity C of the compact count index",
    source="Kourdounakis 2011, section 3.1.2, Table 3.1",
    cells=lambda scale: [*({"C %": capacity} for capacity in CAPACITIES), AUTO],
    measure=_measure_capacity,
    plots=(Plot("table-3.1", "Table 3.1: memory", x="C %", y="MB", series="method"),),
    printed=tuple(
        {"C %": c, "method": "compact-count", "MB": mb, "insertion us": 1000 * insertion, "match us": 1000 * match}
        for c, (mb, insertion, match) in zip(CAPACITIES, _PRINTED_3_1, strict=True)
    ),
    paired=("C %", "method"),
    turns=3,
    best_of=("insertion us", "match us"),
    claims=(
        _capacity_hardly_matters("MB", 0.05, "4.5 % apart", NO_OBJECTS),
        _capacity_hardly_matters("insertion us", 0.2, "2.9 % apart"),
        _capacity_hardly_matters("match us", 0.2, "2.3 % apart"),
    ),
    needs=lambda scale: 600_000_000 if scale == "paper" else 100_000_000,
    notes="The thesis names neither size nor unit; its memory is that of a million subscriptions in Table 3.2, its "
    "times are taken for milliseconds.",
)

TABLE_3_2 = Experiment(
    name="thesis/table-3.2",
    title="the block size K of the compact count index",
    source="Kourdounakis 2011, section 3.1.2, Table 3.2",
    cells=lambda scale: [*({"K": block} for block in BLOCKS), AUTO],
    measure=_measure_block,
    plots=(Plot("table-3.2", "Table 3.2: memory", x="subscriptions", y="MB", series="index"),),
    printed=tuple(
        {"index": f"K = {block}", "subscriptions": size, "MB": mb}
        for size, values in _PRINTED_3_2.items()
        for block, mb in zip(BLOCKS, values, strict=True)
    ),
    paired=("index", "subscriptions"),
    claims=(
        Claim("block-25", "Blocks of 25 postings take the least memory.", "at all four sizes", _best_block),
        Claim("block-100", "Long blocks waste memory, as their last one is partly empty.",
              "633 against 493 MB at 9 million",
              check("{more:.2f} times the memory of K = 25; {slots:,.0f} empty slots", "more > 1.15",
                    more=read("MB", along="subscriptions", K=100).last / read("MB", along="subscriptions", K=25).last,
                    slots=read("empty_slots", along="subscriptions", K=100).last)),
    ),
    needs=lambda scale: 3_000_000_000 if scale == "paper" else 100_000_000,
    notes="The megabytes printed contradict Figure 4.12a, which has 215 at ten million.",
)  # fmt: skip

FIGURE_4_1 = Experiment(
    name="thesis/figure-4.1",
    title="what terms and lengths are drawn from",
    source="Kourdounakis 2011, chapter 4, Figure 4.1; the document has no data, so these are the calibrated ones",
    cells=lambda scale: [{"of": of} for of in ("terms", "items", "subscriptions")],
    measure=_measure_inputs,
    plots=(
        Plot("figure-4.1a", "Figure 4.1a: terms", x="rank", y="share", series="of", log_x=True, log_y=True,
             where={"of": "terms"}),
        Plot("figure-4.1b", "Figure 4.1b: terms of an item", x="length", y="share", series="of", where={"of": "items"}),
        Plot("figure-4.1c", "Figure 4.1c: terms of a subscription", x="length", y="share", series="of",
             where={"of": "subscriptions"}),
    ),
    notes="Fitted to Tables 4.4 to 4.9 (watchword.papers.workloads.calibrated says how).",
)  # fmt: skip
