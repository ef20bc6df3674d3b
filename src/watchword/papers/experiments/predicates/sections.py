"""Section 4, the algorithms compared, and section 5: the two operators that the notes left out."""

from __future__ import annotations

from functools import partial

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Row
from watchword.papers.experiments.measuring import compared
from watchword.papers.experiments.predicates.comparing import (
    BRUTE_SIZES,
    COUNTED,
    DEFAULTS,
    DOCUMENT,
    EVENTS,
    METHODS,
    SEED,
    along_s,
    fastest,
    measure,
    needs,
    plots,
)
from watchword.papers.workloads.kinds import KindWorkload
from watchword.predicates import PredicateIndex

# section 4


def _section_4_cells(scale: str) -> list[Cell]:
    return [{"S": size, **DEFAULTS} for size in BRUTE_SIZES[scale]]


NEEDED = (along_s("matches", "counting") * along_s("NP", "counting")).last
SKIPPED = along_s("operations", "counting") / along_s("operations", "propagation")
SECTION_4 = Experiment(
    name="predicates/section-4",
    title="The algorithms compared",
    source=f"{DOCUMENT}, section 4",
    cells=_section_4_cells,
    measure=partial(measure, methods=("brute", *METHODS)),
    plots=plots("S", "subscriptions S", log_x=True),
    claims=(
        Claim("brute", "Counting is better than testing each subscription.", "better than naive",
              check("{lead.least:.1f} to {lead.most:.1f} times faster than brute force", "lead.least > 1",
                    weaker="lead.most > 1", lead=along_s("us", "brute") / along_s("us", "counting")), times=True),
        Claim("unnecessary", "Counting makes many unnecessary tests.", "many",
              check("{more.least:.1f} to {more.most:.1f} increments for a predicate that propagation checks; "
                    "{done:,.0f} in all, {needed:.2f} of them for matches", "more.least > 2", weaker="more.most > 1",
                    more=SKIPPED, done=along_s("operations", "counting").last, needed=NEEDED,
                    otherwise="workload: only {more.least:.1f} to {more.most:.1f} times what propagation checks")),
        Claim("waste", "Non-propagation checks predicates that propagation need not.", "a waste of time",
              check("{more.least:.2f} to {more.most:.2f} times the predicates checked", "more.least > 1",
                    weaker="more.most > 1",
                    more=along_s("operations", "non-propagation") / along_s("operations", "propagation"))),
        Claim("locality", "Propagation's data lies together, so that it misses the cache less.", "handles cache misses",
              check("counting {counting.last:.1f} ns an operation at S = {counting.end:,}; "
                    "propagation {own.last:.1f} ns an operation at S = {own.end:,}", "own.last < counting.last",
                    counting=along_s("ns_per_operation", "counting"), own=along_s("ns_per_operation", "propagation"),
                    otherwise="implementation: both times hold the reading of the event; propagation saves "
                    "operations, not the price of one, {own.last:.1f} ns"), times=True),
    ),
    needs=needs,
    turns=2,
    best_of=("us", "ns_per_operation"),
    seed=SEED,
)  # fmt: skip


# section 5


def _kind_cells(scale: str) -> list[Cell]:
    return [{"S": size, "EQ": 2} for size in BRUTE_SIZES[scale]]


def measure_kinds(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Compare the methods on subscriptions with KIND OF and CONTAINS."""
    workload = KindWorkload(cell["S"], equalities=cell["EQ"], seed=seed)
    table, hierarchies = workload.subscription_table(), workload.hierarchies
    indexes = {method: PredicateIndex(table, method=method, hierarchies=hierarchies) for method in METHODS}
    rows = compared(indexes, workload.event_table(EVENTS), turns=3, seconds=0.1, counted=COUNTED)
    return [cell | {"NP": cell["EQ"] + 2} | row for row in rows]


SECTION_5 = Experiment(
    name="predicates/section-5",
    title="KIND OF and CONTAINS, which the notes left out",
    source=f"{DOCUMENT}, section 5",
    cells=_kind_cells,
    measure=measure_kinds,
    plots=plots("S", "subscriptions S", log_x=True),
    claims=(
        Claim("kinds-fastest", "Propagation is the fastest of the three with KIND OF and CONTAINS, too.", "not tried",
              partial(fastest, "S"), times=True),
        Claim("kinds-work", "With them it still checks fewer predicates than non-propagation.", "not tried",
              check("{more.least:.2f} to {more.most:.2f} times the predicates checked", "more.least > 1",
                    weaker="more.most > 1",
                    more=along_s("operations", "non-propagation") / along_s("operations", "propagation"))),
    ),
    needs=needs,
    turns=2,
    best_of=("us",),
    seed=SEED,
    notes="Two equalities over 4 attributes of 35 values, a topic of 258 in three levels, one of 50 tags; an event has "
    "a topic and three tags.",
)  # fmt: skip
