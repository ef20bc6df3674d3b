"""Figures 5 to 8: time against the number of subscriptions, of values, of predicates and of equalities."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment
from watchword.papers.experiments.figures import ahead
from watchword.papers.experiments.figures import trend as follows
from watchword.papers.experiments.predicates.comparing import (
    DEFAULTS,
    DOCUMENT,
    SEED,
    SIZE,
    SIZES,
    along_s,
    fastest,
    measure,
    needs,
    plots,
    trend,
)
from watchword.papers.experiments.rows import falls, rises

STOPS = "propagation stops at the first predicate that fails, and more of them cost it little"
ONE_IS_ENOUGH = "a cluster is chosen by one equality, and a second selects no better"
FASTEST = "Propagation is the fastest of the three, whatever is varied."


def _figure(
    number: str,
    axis: str,
    label: str,
    cells: Callable[[str], list[Cell]],
    claims: tuple[Claim, ...],
    log_x: bool = False,
) -> Experiment:
    best = Claim("fastest", FASTEST, "outperforms the other two in all contexts shown", partial(fastest, axis), True)
    return Experiment(
        name=f"predicates/figure-{number}",
        title=f"Time against {label}",
        source=f"{DOCUMENT}, Figure {number}, section 3",
        cells=cells,
        measure=measure,
        plots=plots(axis, label, log_x),
        claims=(best, *claims),
        needs=needs,
        turns=2,
        best_of=("us", "ns_per_operation"),
        seed=SEED,
    )


# the figures


def _sizes(scale: str) -> list[Cell]:
    return [{"S": size, **DEFAULTS} for size in SIZES[scale]]


def _values(scale: str) -> list[Cell]:
    return [{"S": SIZE[scale], **DEFAULTS, "V": values} for values in (10, 35, 70, 100, 150, 200)]


def _all_equalities(scale: str) -> list[Cell]:
    return [{"S": SIZE[scale], **DEFAULTS, "NP": count, "EQ": count} for count in (1, 2, 4, 8, 12, 16)]


def _four_equalities(scale: str) -> list[Cell]:
    return [{"S": SIZE[scale], **DEFAULTS, "NP": count} for count in (4, 6, 8, 12, 16)]


def _equalities(scale: str) -> list[Cell]:
    return [{"S": SIZE[scale], **DEFAULTS, "EQ": count} for count in range(5)]


LEAD = along_s("us", "counting") / along_s("us", "non-propagation")
OTHER_CODE = (
    "paper: its printed C++ of both evaluates predicates anew, and its counting loops over all subscriptions, which is "
    "not its Figure 2"
)
FIGURE_5 = _figure(
    "5",
    "S",
    "the number of subscriptions S",
    _sizes,
    (
        Claim("close", "Non-propagation is very close to counting.", "very close",
              check("{lead.first:.1f} to {lead.last:.1f} times faster than counting, from the smallest S to the "
                    "largest", "lead.most < 1.5", weaker="lead.least < 1.5", otherwise=OTHER_CODE, lead=LEAD),
              times=True),
        Claim("passes", "The more subscriptions, the further non-propagation is ahead of counting.",
              "outperforms counting as S increases (section 4)",
              check("faster in {ahead.count} of {lead.count} sizes, by {lead.least:.1f} to {lead.most:.1f} times",
                    "lead.last > 1 and grows", weaker="lead.most > 1", lead=LEAD, ahead=ahead(LEAD),
                    grows=follows(LEAD, "rises", slack=0.1),
                    otherwise="hardware: it is ahead, by a lead that depends on the machine more than on S"),
              times=True),
        Claim("grows", "Time grows with S.", "rises in Figure 5", partial(trend, "S", rises), times=True),
    ),
    log_x=True,
)  # fmt: skip
FIGURE_6 = _figure(
    "6",
    "V",
    "the number of values V",
    _values,
    (
        Claim(
            "falls",
            "More values of an attribute mean less time.",
            "falls, with noise",
            partial(trend, "V", falls),
            True,
        ),
    ),
)
FIGURE_7 = _figure(
    "7",
    "NP",
    "the number of predicates NP, all equalities",
    _all_equalities,
    (Claim("rises", "More predicates mean more time.", "rises", partial(trend, "NP", rises, design=STOPS), True),),
)
FIGURE_7_FOUR = _figure(
    "7-four-equalities",
    "NP",
    "the number of predicates NP, four of them equalities",
    _four_equalities,
    (Claim("rises", "More predicates mean more time.", "rises", partial(trend, "NP", rises, design=STOPS), True),),
)
FIGURE_8 = _figure(
    "8",
    "EQ",
    "the number of equalities EQ, of NP = 4",
    _equalities,
    (
        Claim(
            "falls",
            "More equalities mean less time: they are more selective.",
            "falls",
            partial(trend, "EQ", falls, design=ONE_IS_ENOUGH),
            times=True,
        ),
    ),
)
