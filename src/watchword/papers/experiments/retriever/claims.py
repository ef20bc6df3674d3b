"""What the paper says of Figures 2 to 6, as checks.

Counts decide wherever the claim is one about work, for they are the same on every machine; the times of this run are
named beside them. The paper's ways to split are those with records, whose MATCH is the published one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Claim
from watchword.papers.experiments.figures import Reading, among, each, read, trend
from watchword.papers.experiments.retriever.engines import PUBLICATIONS, PUBLISHED

RECOMBINING = (
    "paper: by the operations of its own MATCH cutting saves few visits and leaves short words that many subscriptions "
    "have: each has a record for each, to be given positions and walked back through"
)
CUTTING = PUBLISHED[1:]


def _over(axis: str, column: str, method: str) -> Reading:
    """Return a column of a method over an axis, of the run with the paper's number of publications."""
    return read(column, along=axis, method=method, publications=PUBLICATIONS)


def _behind(axis: str, column: str, method: str) -> Reading:
    """Return the NFA over a method, where it is least."""
    return (_over(axis, column, "nfa") / _over(axis, column, method)).least


# Figure 2: more subscriptions

_size = partial(_over, "subscriptions")


def _largest(column: str) -> Reading:
    """Return a column at the largest size, by engine."""
    return each((*PUBLISHED, "nfa"), lambda method: _size(column, method).last)


def _growth(methods: Sequence[str]) -> Reading:
    """Return the work at the largest size as a multiple of that at the smallest, by engine."""
    return each(methods, lambda method: _size("operations", method).growth)


_STRETCH = _size("operations", "nfa").stretch
SIZES = (
    Claim("naive", "The time of the naive engine goes with the number of subscriptions, that of the others does not.",
          "naive grows much faster than all other algorithms",
          check("{naive.stretch:,.0f} times the subscriptions: naive {naive.growth:.0f} times the work, {others}",
                "naive.growth > half and others.most < quarter", naive=_size("operations", "naive"),
                others=_growth(("nfa", *PUBLISHED)), half=_STRETCH / 2, quarter=_STRETCH / 4)),
    Claim("halved", "At each size REtriever takes half the time of the NFA, however phrases are cut.",
          "halved at each data point; 50 percent better (abstract)",
          check("the work of nfa over theirs, at least: {work}; time: {times}", "work.least >= 1.8",
                weaker="work.most > 1", work=each(PUBLISHED, partial(_behind, "subscriptions", "operations")),
                times=each(PUBLISHED, partial(_behind, "subscriptions", "us")),
                otherwise=RECOMBINING + "; so the lead is {work[none, records]:.2f} without cuts, "
                "{work[single, records]:.2f} with one, {work[multi, records]:.2f} with several",
                provided="work[single, records] < work[none, records] and work[multi, records] < work[none, records]")),
    Claim("order", "At the largest size one cut is best, then several, then none, then the NFA.",
          "250, 300, 350 and 650 ms at 100,000",
          check("at {nfa.end:,}, operations: {work}; µs: {times}",
                "work[single, records] < work[multi, records] < work[none, records] < work[nfa]",
                nfa=_size("operations", "nfa"), work=_largest("operations"), times=_largest("us"),
                otherwise=RECOMBINING, provided="work[none, records] < work[single, records]")),
    Claim("scales", "REtriever scales with the number of subscriptions.",
          "scalable with an increase in the number of subscriptions",
          check("{nfa.stretch:,.0f} times the subscriptions, work times: {growth}", "growth.most < quarter",
                weaker="growth.least < quarter", nfa=_size("operations", "nfa"), growth=_growth(PUBLISHED),
                quarter=_STRETCH / 4)),
)  # fmt: skip

# Figure 3: longer subscriptions

_length = partial(_over, "letters")
_NONE, _SINGLE, _MULTI = (_length("states", method) for method in PUBLISHED)
_RATIO = _length("operations", "multi, records") / _length("operations", "single, records")
LENGTHS = (
    Claim("lag", "The NFA falls behind the more the longer subscriptions are.", "increasingly longer than the others",
          check("operations more than without cuts: {lag}", "grows", weaker="lag[32] > lag[8]",
                lag=_length("operations", "nfa") - _length("operations", "none, records"),
                grows=trend(_length("operations", "nfa") - _length("operations", "none, records"), "rises", slack=0.02),
                otherwise="workload: a publication holds three subscriptions of any length; from 20 letters on the lag "
                "goes from {lag[20]:,.0f} to {lag[32]:,.0f}")),
    Claim("crossing", "Below 16 letters one cut is better than several, above it is the other way round by far.",
          "crossing at 16 letters",
          check("multi over single, operations: {ratio}; time: {times}", "short.least >= 1 and long.most < 1",
                ratio=_RATIO, short=among(_RATIO, 8, 12), long=among(_RATIO, 20, 24, 28, 32),
                times=_length("us", "multi, records") / _length("us", "single, records"),
                otherwise=RECOMBINING + ", so the more so the longer subscriptions are",
                provided="ratio[32] > ratio[8]")),
    Claim("states", "More cuts make fewer states.", "more splitting points further reduce the number of states",
          check("states at 32 letters: none {none[32]:,}, single {single[32]:,}, multi {multi[32]:,}",
                "several.most < 1 and one.most < 1", none=_NONE, single=_SINGLE, multi=_MULTI,
                several=among(_MULTI / _SINGLE, *range(16, 33, 4)), one=among(_SINGLE / _NONE, *range(16, 33, 4)))),
    Claim("overhead", "Recombination is the larger part of the work when subscriptions are short, and not when they "
          "are long.", "the dominant factor when the subscription is short",
          check("share of recombination in the work of multi: {share}", "share[8] > 0.5 > share[32]",
                share=_length("steps", "multi, records") / _length("operations", "multi, records"),
                otherwise="paper: long subscriptions have more words, and each has as many records as subscriptions "
                "have it: {share[32]:.0%} of the work at 32 letters", provided="share[32] > 0.5")),
)  # fmt: skip

# Figure 4: stars

_stars = partial(_over, "stars")
_LETTERS = _stars("text_letters", "none, records")
STARS = (
    Claim("nfa-stars", "Stars make the NFA much slower.", "matching time increases very fast",
          check("3 stars over 1: {work.growth:.2f}, per letter {letter.growth:.2f}; time per letter {time.growth:.2f}",
                "letter.growth >= 1.3", weaker="letter.growth > 1.1", why="a looping state for each star",
                work=_stars("operations", "nfa"), letter=_stars("operations_per_letter", "nfa"),
                time=_stars("us_per_letter", "nfa"))),
    Claim("retriever-stars", "Stars cost REtriever nothing.", "roughly the same",
          check("3 stars over 1, per letter: states visited {visits}; all work {work}",
                "visits.most <= 1.1 and work.most <= 1.15", weaker="visits.most <= 1.1",
                visits=each(PUBLISHED, lambda method: (_stars("visits", method) / _LETTERS).growth),
                work=each(PUBLISHED, lambda method: _stars("operations_per_letter", method).growth),
                otherwise="paper: the automaton is indifferent to stars; walking back is not, as behind a star many "
                "positions fit: {work.most:.2f} times the work", provided="visits.most <= 1.1 and work.most > 1.15")),
)  # fmt: skip

# Figure 5: where overlaps stand

_place = partial(_over, "overlaps_at")
_PREFIXES = "{0}[prefix] < {0}[general] and {0}[prefix] <= {0}[suffix]"
POSITIONS = (
    Claim("ahead", "REtriever is ahead of the NFA wherever overlaps stand.", "all outperform the nfa-based engine",
          check("the work of nfa over theirs, at least: {work}; time: {times}", "work.least > 1",
                weaker="work[none, records] > 1", work=each(PUBLISHED, partial(_behind, "overlaps_at", "operations")),
                times=each(PUBLISHED, partial(_behind, "overlaps_at", "us")), otherwise=RECOMBINING,
                provided="work[single, records] < work[none, records]")),
    Claim("alike", "To REtriever it is the same where overlaps stand.",
          "roughly the same matching time for all positions",
          check("most over least work: {spread}", "spread.most <= 1.25", weaker="spread.least <= 1.25",
                spread=each(PUBLISHED, lambda method: _place("operations", method).spread))),
    Claim("prefix", "The NFA is worse off with general and suffix overlaps than with prefixes.",
          "performs worse in general and suffix overlap",
          check("states reached: {reached}; with looping states tried: {work}",
                f"{_PREFIXES.format('reached')} and {_PREFIXES.format('work')}",
                weaker=_PREFIXES.format("reached"), reached=_place("visits", "nfa"),
                work=_place("operations", "nfa"),
                otherwise="paper: shared prefixes mean fewer states, but also that stars are reached by more texts, "
                "and loop from then on", provided=_PREFIXES.format("reached"))),
)  # fmt: skip

# Figure 6: how many overlaps

_share = partial(_over, "overlap_percent")


def _growths(column: str) -> Reading:
    """Return what a column of both ways to cut is with all overlaps, as a multiple of it without."""
    return each(CUTTING, lambda method: _share(column, method).growth)


def _without(column: str) -> Reading:
    """Return a column without overlaps, by engine."""
    return each(PUBLISHED, lambda method: _share(column, method)[0])


SHARES = (
    Claim("flat", "The NFA gains nothing from overlaps.", "190 ms whatever the share",
          check("{work.least:.0f} to {work.most:.0f} operations, {work.spread:.2f} times", "work.spread <= 1.1",
                weaker="work.spread <= 1.4", work=_share("operations", "nfa"),
                otherwise="workload: only if all strings come from the pool of 200 does the NFA share more beginnings, "
                "and reach less", provided="work.last < work.first")),
    Claim("falls", "Both ways to cut gain from overlaps.", "160 to 110 ms, 83 to 62 ms",
          check("all overlaps over none, operations: {work}; states visited: {visits}; time: {times}", "work.most < 1",
                weaker="work.least < 1", work=_growths("operations"), visits=_growths("visits"), times=_growths("us"),
                otherwise="paper: fewer states are visited, {visits.most:.2f} times at most, but each ends words of "
                "more subscriptions", provided="visits.most < 1")),
    Claim("no-overlaps", "Several cuts are far ahead of one even without overlap strings, by the short ones that are "
          "always there.", "83 against 160 ms at 0 percent",
          check("without overlaps, operations: {work}; states: {states}", "lead >= 1.5", weaker="lead > 1",
                work=_without("operations"), states=_without("states"),
                lead=(_share("operations", "single, records") / _share("operations", "multi, records"))[0],
                otherwise=RECOMBINING + "; short overlaps are prevalent, as it says, and only make the automaton "
                "small", provided="states[multi, records] < states[single, records]")),
)  # fmt: skip
