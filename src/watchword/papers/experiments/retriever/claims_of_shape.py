"""Claims of Figures 4 to 6: stars, and where overlaps stand and how many there are."""

from __future__ import annotations

from collections.abc import Sequence

from watchword.papers.experiments.experiment import Claim, Outcome, Row, judged
from watchword.papers.experiments.retriever.checks import RECOMBINING, by_method, growth, listed, of
from watchword.papers.experiments.retriever.engines import PUBLISHED
from watchword.papers.experiments.rows import ratios

# Figure 4


def _stars_cost_the_nfa(rows: Sequence[Row]) -> Outcome:
    work, each = (of(rows, "stars", column, "nfa") for column in ("operations", "operations_per_letter"))
    time = growth(of(rows, "stars", "us_per_letter", "nfa"))
    measured = f"3 stars over 1: {growth(work):.2f}, per letter {growth(each):.2f}; time per letter {time:.2f}"
    return judged(growth(each) >= 1.3, measured, weaker=growth(each) > 1.1, why="a looping state for each star")


def _stars_cost_retriever_nothing(rows: Sequence[Row]) -> Outcome:
    letters = of(rows, "stars", "text_letters", "none, records")
    visits = {m: growth(ratios(of(rows, "stars", "visits", m), letters)) for m in PUBLISHED}
    work = {m: growth(of(rows, "stars", "operations_per_letter", m)) for m in PUBLISHED}
    measured = f"3 stars over 1, per letter: states visited {listed(visits)}; all work {listed(work)}"
    why = "paper: the automaton is indifferent to stars; walking back is not, as behind a star many positions fit"
    flat = max(visits.values()) <= 1.1
    return judged(flat and max(work.values()) <= 1.15, measured, weaker=flat, otherwise=why)


STARS = (
    Claim(
        "nfa-stars",
        "Stars make the NFA much slower.",
        "matching time increases very fast",
        _stars_cost_the_nfa,
        machine_independent=True,
    ),
    Claim(
        "retriever-stars",
        "Stars cost REtriever nothing.",
        "roughly the same",
        _stars_cost_retriever_nothing,
        machine_independent=True,
    ),
)


# Figure 5


def _ahead_everywhere(rows: Sequence[Row]) -> Outcome:
    nfa = of(rows, "overlaps_at", "operations", "nfa")
    least = {m: min(ratios(nfa, of(rows, "overlaps_at", "operations", m)).values()) for m in PUBLISHED}
    us = of(rows, "overlaps_at", "us", "nfa")
    times = {m: min(ratios(us, of(rows, "overlaps_at", "us", m)).values()) for m in PUBLISHED}
    measured = f"the work of nfa over theirs, at least: {listed(least)}; time: {listed(times)}"
    return judged(min(least.values()) > 1, measured, weaker=least["none, records"] > 1, otherwise=RECOMBINING)


def _alike_everywhere(rows: Sequence[Row]) -> Outcome:
    spread = {}
    for method in PUBLISHED:
        work = of(rows, "overlaps_at", "operations", method).values()
        spread[method] = max(work) / min(work)
    measured = "most over least work: " + listed(spread)
    return judged(max(spread.values()) <= 1.25, measured, weaker=min(spread.values()) <= 1.25)


def _nfa_likes_prefixes(rows: Sequence[Row]) -> Outcome:
    reached, work = (of(rows, "overlaps_at", column, "nfa") for column in ("visits", "operations"))
    measured = f"states reached: {listed(reached)}; with looping states tried: {listed(work)}"
    why = (
        "paper: shared prefixes mean fewer states, but also that stars are reached by more texts, and loop from then on"
    )
    best = [min(found, key=found.__getitem__) == "prefix" for found in (reached, work)]
    return judged(all(best), measured, weaker=best[0], otherwise=why)


POSITIONS = (
    Claim(
        "ahead",
        "REtriever is ahead of the NFA wherever overlaps stand.",
        "all outperform the nfa-based engine",
        _ahead_everywhere,
        machine_independent=True,
    ),
    Claim(
        "alike",
        "To REtriever it is the same where overlaps stand.",
        "roughly the same matching time for all positions",
        _alike_everywhere,
        machine_independent=True,
    ),
    Claim(
        "prefix",
        "The NFA is worse off with general and suffix overlaps than with prefixes.",
        "performs worse in general and suffix overlap",
        _nfa_likes_prefixes,
        machine_independent=True,
    ),
)


# Figure 6


def _nfa_is_flat(rows: Sequence[Row]) -> Outcome:
    work = list(of(rows, "overlap_percent", "operations", "nfa").values())
    spread = max(work) / min(work)
    measured = f"{min(work):.0f} to {max(work):.0f} operations, {spread:.2f} times"
    why = "workload: only if all strings come from the pool of 200 does the NFA share more beginnings, and reach less"
    return judged(spread <= 1.1, measured, weaker=spread <= 1.4, otherwise=why)


def _overlaps_help(rows: Sequence[Row]) -> Outcome:
    methods = ("single, records", "multi, records")
    work = {method: growth(of(rows, "overlap_percent", "operations", method)) for method in methods}
    visits = {method: growth(of(rows, "overlap_percent", "visits", method)) for method in methods}
    times = {method: growth(of(rows, "overlap_percent", "us", method)) for method in methods}
    measured = (
        f"all overlaps over none, operations: {listed(work)}; states visited: {listed(visits)}; time: {listed(times)}"
    )
    why = "paper: fewer states are visited, but each ends words of more subscriptions"
    return judged(max(work.values()) < 1, measured, weaker=min(work.values()) < 1, otherwise=why)


def _multi_needs_no_overlaps(rows: Sequence[Row]) -> Outcome:
    work = by_method(rows, "overlap_percent", "operations", 0, PUBLISHED)
    states = by_method(rows, "overlap_percent", "states", 0, PUBLISHED)
    measured = f"without overlaps, operations: {listed(work)}; states: {listed(states)}"
    ahead = work["single, records"] / work["multi, records"]
    why = RECOMBINING + "; short overlaps are prevalent, as it says, and only make the automaton small"
    return judged(ahead >= 1.5, measured, weaker=ahead > 1, otherwise=why)


SHARES = (
    Claim(
        "flat",
        "The NFA gains nothing from overlaps.",
        "190 ms whatever the share",
        _nfa_is_flat,
        machine_independent=True,
    ),
    Claim(
        "falls",
        "Both ways to cut gain from overlaps.",
        "160 to 110 ms, 83 to 62 ms",
        _overlaps_help,
        machine_independent=True,
    ),
    Claim(
        "no-overlaps",
        "Several cuts are far ahead of one even without overlap strings, by the short ones that are always there.",
        "83 against 160 ms at 0 percent",
        _multi_needs_no_overlaps,
        machine_independent=True,
    ),
)
