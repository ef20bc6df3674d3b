"""Claims of Figures 2 and 3: more subscriptions, and longer ones."""

from __future__ import annotations

from collections.abc import Sequence

from watchword.papers.experiments.experiment import Claim, Outcome, Row, judged
from watchword.papers.experiments.retriever.checks import RECOMBINING, by_method, growth, listed, of
from watchword.papers.experiments.retriever.engines import PUBLISHED
from watchword.papers.experiments.rows import ratios, rises

# Figure 2


def _naive_does_not_scale(rows: Sequence[Row]) -> Outcome:
    naive = of(rows, "subscriptions", "operations", "naive")
    size = max(naive) / min(naive)
    others = {method: growth(of(rows, "subscriptions", "operations", method)) for method in ("nfa", *PUBLISHED)}
    measured = f"{size:,.0f} times the subscriptions: naive {growth(naive):.0f} times the work, {listed(others)}"
    return judged(growth(naive) > size / 2 and max(others.values()) < size / 4, measured)


def _halved_at_each_size(rows: Sequence[Row]) -> Outcome:
    nfa = of(rows, "subscriptions", "operations", "nfa")
    least = {m: min(ratios(nfa, of(rows, "subscriptions", "operations", m)).values()) for m in PUBLISHED}
    nfa_us = of(rows, "subscriptions", "us", "nfa")
    times = {m: min(ratios(nfa_us, of(rows, "subscriptions", "us", m)).values()) for m in PUBLISHED}
    measured = f"the work of nfa over theirs, at least: {listed(least)}; time: {listed(times)}"
    why = RECOMBINING + "; so the lead is there without cuts, and less or none with them"
    return judged(min(least.values()) >= 1.8, measured, weaker=max(least.values()) > 1, otherwise=why)


def _single_before_multi_before_none(rows: Sequence[Row]) -> Outcome:
    size = max(of(rows, "subscriptions", "operations", "nfa"))
    work = by_method(rows, "subscriptions", "operations", size, (*PUBLISHED, "nfa"))
    times = by_method(rows, "subscriptions", "us", size, (*PUBLISHED, "nfa"))
    measured = f"at {size:,}, operations: {listed(work)}; µs: {listed(times)}"
    ordered = work["single, records"] < work["multi, records"] < work["none, records"] < work["nfa"]
    return judged(ordered, measured, otherwise=RECOMBINING)


def _retriever_scales(rows: Sequence[Row]) -> Outcome:
    sizes = list(of(rows, "subscriptions", "operations", "nfa"))
    size = sizes[-1] / sizes[0]
    found = {method: growth(of(rows, "subscriptions", "operations", method)) for method in PUBLISHED}
    measured = f"{size:,.0f} times the subscriptions, work times: {listed(found)}"
    return judged(max(found.values()) < size / 4, measured, weaker=min(found.values()) < size / 4)


SIZES = (
    Claim(
        "naive",
        "The time of the naive engine goes with the number of subscriptions, that of the others does not.",
        "naive grows much faster than all other algorithms",
        _naive_does_not_scale,
        machine_independent=True,
    ),
    Claim(
        "halved",
        "At each size REtriever takes half the time of the NFA, however phrases are cut.",
        "halved at each data point; 50 percent better (abstract)",
        _halved_at_each_size,
        machine_independent=True,
    ),
    Claim(
        "order",
        "At the largest size one cut is best, then several, then none, then the NFA.",
        "250, 300, 350 and 650 ms at 100,000",
        _single_before_multi_before_none,
        machine_independent=True,
    ),
    Claim(
        "scales",
        "REtriever scales with the number of subscriptions.",
        "scalable with an increase in the number of subscriptions",
        _retriever_scales,
        machine_independent=True,
    ),
)


# Figure 3


def _lag_of_nfa_grows(rows: Sequence[Row]) -> Outcome:
    nfa, none = (of(rows, "letters", "operations", method) for method in ("nfa", "none, records"))
    lag = {letters: nfa[letters] - none[letters] for letters in nfa}
    measured = f"operations more than without cuts: {listed(lag)}"
    why = "workload: from 20 letters on it stays about the same; a publication holds three subscriptions of any length"
    return judged(rises(list(lag.values()), slack=0.02), measured, weaker=lag[32] > lag[8], otherwise=why)


def _single_and_multi_cross(rows: Sequence[Row]) -> Outcome:
    single, multi = (of(rows, "letters", "operations", f"{name}, records") for name in ("single", "multi"))
    times = ratios(*(of(rows, "letters", "us", f"{name}, records") for name in ("multi", "single")))
    measured = f"multi over single, operations: {listed(ratios(multi, single))}; time: {listed(times)}"
    short = all(single[letters] <= multi[letters] for letters in single if letters < 16)
    long = all(multi[letters] < single[letters] for letters in single if letters > 16)
    return judged(short and long, measured, otherwise=RECOMBINING + ", so the more so the longer subscriptions are")


def _cutting_saves_states(rows: Sequence[Row]) -> Outcome:
    none, single, multi = (of(rows, "letters", "states", method) for method in PUBLISHED)
    at_32 = listed({"none": none[32], "single": single[32], "multi": multi[32]})
    cut = [letters for letters in none if letters >= 16]
    holds = all(multi[letters] < single[letters] < none[letters] for letters in cut)
    return judged(holds, f"states at 32 letters: {at_32}")


def _recombination_weighs_when_short(rows: Sequence[Row]) -> Outcome:
    steps, work = (of(rows, "letters", column, "multi, records") for column in ("steps", "operations"))
    share = ratios(steps, work)
    measured = "share of recombination in the work of multi: " + listed(share)
    why = "paper: long subscriptions have more words, and each has as many records as subscriptions have it"
    return judged(share[8] > 0.5 > share[32], measured, otherwise=why)


LENGTHS = (
    Claim(
        "lag",
        "The NFA falls behind the more the longer subscriptions are.",
        "increasingly longer than the others",
        _lag_of_nfa_grows,
        machine_independent=True,
    ),
    Claim(
        "crossing",
        "Below 16 letters one cut is better than several, above it is the other way round by far.",
        "crossing at 16 letters",
        _single_and_multi_cross,
        machine_independent=True,
    ),
    Claim(
        "states",
        "More cuts make fewer states.",
        "more splitting points further reduce the number of states",
        _cutting_saves_states,
        machine_independent=True,
    ),
    Claim(
        "overhead",
        "Recombination is the larger part of the work when subscriptions are short, and not when they are long.",
        "the dominant factor when the subscription is short",
        _recombination_weighs_when_short,
        machine_independent=True,
    ),
)
