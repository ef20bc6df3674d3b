"""What the methods of the predicate language cost: `python -m benchmarks.predicates --scale small`.

Workloads, seed 2000 (`benchmarks/data/predicates.py`): rules of three predicates on 3 of 16 attributes that all share,
about ten of which match an event; Le Subscribe's subscriptions (Pereira et al. 2000, parameters of Figure 4 of the
notes); generated rules over real flights and GitHub events. Paper has the sizes that figures are wanted for, up to
3,000,000 subscriptions; small has up to 300,000.

    rules          three equalities, or two and a range: building, size, events from Arrow, from JSON lines, one by one
    subscriptions  NP = 4, V = 35, A = 16, all equalities or half: `auto` and the methods of the paper
    real           flights as Arrow, GitHub events as JSON lines and as Arrow
    duckdb         three equalities beside joins in SQL. Wanted: 50 times the best of key join and counting
    open           rules that share no predicate: a snapshot opened, and its first match(dict), which looks at the
                   attributes of the event only. Wanted: 100 ms, with kernels that another index has loaded

Figures 5 to 8 of the notes are experiments: `watchword experiments run predicates`.

An index is built with all that it puts off until it first matches; bytes are those of the index without ids and texts.
All ways of a table match in one process, one thread, by turns, kernels compiled before; the best turn counts. All ways
of a table have to find the same pairs, else there is no table.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from benchmarks.data.keywords import data_folder
from benchmarks.data.predicates import (
    SCALES,
    SEED,
    Scale,
    distinct_rules,
    drawn,
    flight_rules,
    flights,
    github_columns,
    github_lines,
    github_rules,
    shared_rules,
    values_for,
)
from benchmarks.harness import (
    Measurement,
    Report,
    Row,
    Way,
    by_turns,
    in_fresh_process,
    in_turns,
    main,
    measure,
    ratio,
    timed,
    with_ratios,
)
from benchmarks.predicate_rivals import BATCHES, MISSING, DuckDB, installed
from watchword import PredicateIndex
from watchword.papers.workloads.predicates import SharedAttributeRules

METHODS = ("auto", "propagation", "non-propagation", "counting")
TURNS, TURN_SECONDS = 7, 0.3
SQL_TURNS = 5
COMPARED, COUNTED = 100, 500
WARM = 20_000
SINGLE = 1_000


@dataclass(frozen=True)
class Built:
    """An index, what building it took at best, and its size."""

    index: PredicateIndex
    seconds: float

    def row(self) -> Row:
        """Return the columns that do not depend on events."""
        stats = self.index.stats()
        return {"build s": self.seconds, "bytes/rule": stats.bytes / max(1, stats.subscriptions)}


def built(table: pa.Table, events: pa.Table, method: str = "auto", repeat: int = 3) -> Built:
    """Build an index with what it puts off until it first matches, after kernels were compiled on a part."""
    kept: list[PredicateIndex] = []

    def once(chosen: pa.Table) -> None:
        kept.clear()
        kept.append(PredicateIndex(chosen, method=method))
        kept[0].match_many(events[:1])

    once(table[:WARM])
    seconds = measure(partial(once, table), repeat=repeat, warmup=0, budget=5.0).best
    return Built(kept[0], seconds)


def same_answers(ways: Mapping[str, Way]) -> str:
    """Stop if two ways differ in the pairs of some events, or in the number of each of more; else say what was seen."""
    (first, (run, events)), *others = ways.items()
    expected, counts = in_order(run(events[:COMPARED])), matches(run, events)
    for name, (other, given) in others:
        if not in_order(other(given[:COMPARED])).equals(expected) or (matches(other, given) != counts).any():
            raise SystemExit(f"{name} and {first} find different pairs; no figure of this run can be trusted")
    return (
        f"{counts.mean():,.3g} matches an event. All find the same {expected.num_rows:,} pairs in the first "
        f"{min(COMPARED, len(events)):,} events, and as many for each of the first {len(counts):,}."
    )


def in_order(pairs: pa.Table) -> pa.Table:
    """Return pairs in an order that does not depend on the way."""
    return pairs.sort_by([("event", "ascending"), ("subscription", "ascending")]).combine_chunks()


def matches(run: Callable[[Any], Any], events: Any, count: int = COUNTED) -> np.ndarray:
    """Return how many subscriptions each of the first events matches."""
    chosen = events[:count]
    return np.bincount(run(chosen)["event"].to_numpy(), minlength=len(chosen))


def rate_row(measured: Measurement) -> Row:
    """Return a way's speed at its best, and how far its median is from that."""
    return {
        "events": measured.work,
        "events/s": measured.best_rate,
        "µs/event": 1e6 * measured.best / measured.work,
        "median/best": ratio(measured.median, measured.best),
    }


def method_rows(made: Mapping[str, Built], ways: Mapping[str, Way]) -> list[Row]:
    """Let ways take turns; a way is called by its method and its form of events, `auto, Arrow`."""
    taken = in_turns(ways, TURNS, TURN_SECONDS)
    return [{"way": way, **made[way.partition(",")[0]].row(), **rate_row(taken[way])} for way in ways]


def wanted_row(what: str, measured: float, wanted: float, *, least: bool = True) -> Row:
    """Return how a figure stands to what is wanted, at least or at most."""
    reached = ratio(measured, wanted) if least else ratio(wanted, measured)
    return {"figure": what, "measured": measured, "wanted": wanted, "reached ×": reached}


VERDICT = "1 or more is wanted; what is wanted is meant for the sizes of --scale paper and an idle machine"


# rules


def measure_rules(report: Report, scale: Scale) -> None:
    """Section `rules`."""
    verdicts: list[Row] = []
    for ranges in (False, True):
        name = "two equalities and a range" if ranges else "three equalities"
        rules = shared_rules(scale.rules, ranges=ranges)
        rows = rule_table(report, f"{scale.rules:,} rules of {name}", rules, scale.events)
        verdicts += rule_verdicts(name, {row["way"]: row for row in rows}, ranges=ranges)
        many = shared_rules(scale.more_rules, ranges=ranges, values=values_for(scale.more_rules))
        rows = rule_table(report, f"{scale.more_rules:,} rules of {name}", many, scale.events)
        verdicts.append(wanted_row(f"{scale.more_rules:,} rules of {name}, events/s", rows[0]["events/s"], 60_000))
    report.table("rules: verdict", verdicts, VERDICT)


def rule_table(report: Report, title: str, rules: SharedAttributeRules, count: int) -> list[Row]:
    """Measure one set of rules and report it; returns the rows, `auto, Arrow` first."""
    with report.console.status(f"rules: {title}"):
        table, events, lines = rules.subscription_table(), rules.event_table(count), rules.event_lines(count)
        made = {method: built(table, events, method) for method in ("auto", "propagation", "counting")}
        ways: dict[str, Way] = {f"{method}, Arrow": (made[method].index.match_many, events) for method in made}
        ways["auto, JSON lines"] = made["auto"].index.match_many, lines
        notes = same_answers(ways)
        rows = [*method_rows(made, ways), single_row(made["auto"], events)]
    report.table(f"rules: {title}", with_ratios(rows, "events/s", ["propagation, Arrow"], "way"), notes)
    return rows


def single_row(made: Built, events: pa.Table) -> Row:
    """Measure `match` on one dict after the other: the median, in the best of several rounds."""
    match, dicts = made.index.match, events[:SINGLE].to_pylist()
    rounds = [Measurement(tuple(timed(partial(match, event)) for event in dicts)).median for _ in range(TURNS)]
    best = min(rounds[1:])
    return {
        "way": "auto, match(dict)",
        **made.row(),
        "events": len(dicts),
        "events/s": 1 / best,
        "µs/event": best * 1e6,
    }


def rule_verdicts(name: str, rows: Mapping[str, Row], *, ranges: bool) -> list[Row]:
    """Return what is wanted of 100,000 rules."""
    arrow, lines, single = (rows[f"auto, {form}"] for form in ("Arrow", "JSON lines", "match(dict)"))
    return [
        wanted_row(f"{name}, Arrow, events/s", arrow["events/s"], 150_000 if ranges else 300_000),
        wanted_row(f"{name}, JSON lines, events/s", lines["events/s"], 80_000),
        wanted_row(f"{name}, match(dict), median µs", single["µs/event"], 30, least=False),
        wanted_row(f"{name}, bytes a rule", arrow["bytes/rule"], 60 if ranges else 40, least=False),
        *([wanted_row(f"{name}, built in s", arrow["build s"], 1, least=False)] if ranges else []),
    ]


# subscriptions


def measure_subscriptions(report: Report, scale: Scale) -> None:
    """Section `subscriptions`."""
    verdicts: list[Row] = []
    for equalities in (4, 2):
        title = f"{scale.subscriptions:,}, EQ = {equalities}, NEQ = {4 - equalities}"
        with report.console.status(f"subscriptions: {title}"):
            workload = drawn(scale.subscriptions, equalities=equalities)
            rows, notes = by_method(workload.subscription_table(), workload.event_table(scale.events), METHODS)
        rows = with_ratios(rows, "events/s", ["propagation, Arrow"], "way")
        report.table(f"subscriptions: {title}", rows, notes)
        verdicts.append(wanted_row(f"{title}, events/s", rows[0]["events/s"], 50_000))
        verdicts.append(wanted_row(f"{title}, × propagation", rows[0]["× propagation, Arrow"], 10))
    report.table("subscriptions: verdict", verdicts, VERDICT)


def by_method(table: pa.Table, events: pa.Table, methods: Iterable[str]) -> tuple[list[Row], str]:
    """Build and measure methods on events from Arrow; returns their rows, and what was compared."""
    made = {method: built(table, events, method) for method in methods}
    ways: dict[str, Way] = {f"{method}, Arrow": (made[method].index.match_many, events) for method in made}
    notes = same_answers(ways)
    return method_rows(made, ways), notes


# real


EVENT_RULER_EVENTS, EVENT_RULER_MATCHES = 10_600, 160
WANTED_PAIRS = 20 * EVENT_RULER_EVENTS * EVENT_RULER_MATCHES


def measure_real(report: Report, scale: Scale) -> None:
    """Section `real`."""
    folder = data_folder()
    if not folder.is_dir():
        report.note(f"real: left out, there is no {folder} (set WATCHWORD_DATA)")
        return
    verdicts = [real_flights(report, scale), *real_github(report, scale)]
    notes = f"pairs/s: 20 times event-ruler's {EVENT_RULER_EVENTS:,} events/s of {EVENT_RULER_MATCHES} matches, which "
    notes += "was given JSON, elsewhere, and rules that are not known here; "
    report.table("real: verdict", verdicts, notes + VERDICT)


def real_flights(report: Report, scale: Scale) -> Row:
    """Measure the flights; returns the verdict."""
    with report.console.status("real: flights"):
        table = shuffled(flights(data_folder()))
        rules = flight_rules(table, scale.real_rules)
        rows, notes = real_rows(rules, {"Arrow": table[: scale.real_events]})
    report.table(f"real: {rules.num_rows:,} rules over flights", rows, notes)
    return wanted_row("flights/s", rows[0]["events/s"], 100_000)


def real_github(report: Report, scale: Scale) -> list[Row]:
    """Measure the GitHub events; returns the verdicts."""
    lines = shuffled(github_lines(data_folder()))
    table = github_columns(lines)
    some = {"Arrow": table[: scale.real_events], "JSON lines": lines[: scale.real_events]}
    verdicts: list[Row] = []
    for times in (False, True):
        name = f"GitHub events, {'with' if times else 'no'} times"
        with report.console.status(f"real: {name}"):
            rules = github_rules(table, scale.real_rules, times=times)
            rows, notes = real_rows(rules, some)
        report.table(f"real: {rules.num_rows:,} rules over {name}", rows, notes)
        found = {row["way"]: row["pairs/s"] for row in rows}
        verdicts += [wanted_row(f"{name}, {form}, pairs/s", found[f"auto, {form}"], WANTED_PAIRS) for form in some]
    return verdicts


def shuffled(events: Any) -> Any:
    """Return events in an order of chance, so that the first of them are like all."""
    return events.take(pa.array(np.random.default_rng(SEED).permutation(len(events))))


def real_rows(rules: pa.Table, forms: Mapping[str, Any]) -> tuple[list[Row], str]:
    """Measure `auto` on all forms of some events, `propagation` on Arrow; returns rows, and what was compared."""
    table = forms["Arrow"]
    made = {"auto": built(rules, table), "propagation": built(rules, table, "propagation", repeat=1)}
    ways: dict[str, Way] = {f"auto, {form}": (made["auto"].index.match_many, events) for form, events in forms.items()}
    ways["propagation, Arrow"] = made["propagation"].index.match_many, table
    notes = same_answers(ways)
    counts = matches(made["auto"].index.match_many, table, len(table))
    rows = [row | pair_figures(row, counts) for row in method_rows(made, ways)]
    notes += f" Of all {len(counts):,}: {counts.mean():.3g} matches on average, {np.median(counts):.0f} in the middle."
    return with_ratios(rows, "events/s", ["propagation, Arrow"], "way"), notes


def pair_figures(row: Row, counts: np.ndarray) -> Row:
    """Return a way's speed by what it returned."""
    found = int(counts[: row["events"]].sum())
    seconds = row["events"] / row["events/s"]
    return {"pairs/s": found / seconds, "ns/pair": ratio(1e9 * seconds, found)}


# duckdb


def against_duckdb(report: Report, scale: Scale) -> None:
    """Section `duckdb`."""
    if not installed():
        report.note(MISSING)
        return
    rules = shared_rules(scale.sql_rules, ranges=False)
    title = f"duckdb: {scale.sql_rules:,} rules of three equalities"
    with report.console.status(title):
        events = rules.event_table(scale.sql_events)
        index = built(rules.subscription_table(), events).index
        database = DuckDB(rules)
        ways: dict[str, Way] = {"auto": (index.match_many, events)}
        ways |= {f"DuckDB, {name}": (way, events) for name, way in database.ways().items()}
        notes = same_answers(ways)
        batches = {f"DuckDB, {name}": (ways[f"DuckDB, {name}"][0], events[:size]) for name, size in BATCHES.items()}
        taken = by_turns(ways | batches, SQL_TURNS)
    rows = [{"way": way, **rate_row(measured)} for way, measured in taken.items()]
    rows = [row | {"auto is faster ×": ratio(rows[0]["events/s"], row["events/s"])} for row in rows]
    report.table(title, rows, notes)
    report.table("duckdb: verdict", sql_verdicts({row["way"]: row["auto is faster ×"] for row in rows}), VERDICT)


def sql_verdicts(faster: Mapping[str, float]) -> list[Row]:
    """Return how `auto` stands to key join and counting as one writes them, and to the SQL that took some thought."""
    chosen = ["DuckDB, key join", "DuckDB, counting"]
    rows = [wanted_row("best of key join and counting", min(map(faster.__getitem__, chosen)), 50)]
    for way in ("DuckDB, key join, packed", "DuckDB, pair join"):
        chosen.append(way)
        rows.append(wanted_row(f"and of {way.partition(', ')[2]}", min(map(faster.__getitem__, chosen)), 50))
    return [{"auto is faster × than the": row.pop("figure"), **row} for row in rows]


# open


def measure_open(report: Report, scale: Scale) -> None:
    """Section `open`."""
    rows: list[Row] = []
    with TemporaryDirectory() as folder:
        for number, (shape, (texts, event)) in enumerate(distinct_rules(scale.distinct_rules).items()):
            with report.console.status(f"open: {shape}"):
                rows.append({"rules": shape, **opened_row(texts, event, f"{folder}/{number}")})
    notes = (
        "At best of several turns, but for the fresh process: it also loads kernels. The event has 1 or 20 attributes."
    )
    report.table(f"open: {scale.distinct_rules:,} rules of a predicate of their own", rows, notes)
    slowest = max(row["open and match ms"] for row in rows)
    report.table("open: verdict", [wanted_row("open and first match, ms", slowest, 100, least=False)], VERDICT)


def opened_row(texts: list[str], event: dict[str, Any], path: str) -> Row:
    """Build and save rules, then measure opening them; other rules of the shape have loaded the kernels."""
    index = PredicateIndex(pa.table({"id": np.arange(len(texts)), "subscription": texts}))
    seconds = timed(partial(index.save, path))
    expected = index.match(event)
    few = PredicateIndex(dict(enumerate(texts[:100])))
    few.save(f"{path}-few")
    opened_and_matched(f"{path}-few", event)
    turns = [opened_and_matched(path, event) for _ in range(TURNS)]
    if any(turn.found != expected for turn in turns):
        raise SystemExit("an opened index finds something else; no figure of this run can be trusted")
    best = min(turns, key=lambda turn: turn.opening + turn.matching)
    fresh = in_fresh_process("benchmarks.predicates:open_and_match", path, event)["seconds"]
    return {
        "save s": seconds,
        "bytes/rule": sum(file.stat().st_size for file in Path(path).rglob("*.npy")) / len(texts),
        "open ms": 1e3 * best.opening,
        "match ms": 1e3 * best.matching,
        "open and match ms": 1e3 * (best.opening + best.matching),
        "of it CPU ms": 1e3 * min(turn.processor for turn in turns),
        "in a fresh process ms": 1e3 * fresh,
    }


class Opening(NamedTuple):
    """Seconds of opening a snapshot and of its first match, those of the processor for both, and what was found."""

    opening: float
    matching: float
    processor: float
    found: list[Any]


def opened_and_matched(path: str, event: dict[str, Any]) -> Opening:
    """Open a snapshot and match an event."""
    start, processor = perf_counter(), process_time()
    index = PredicateIndex.open(path)
    opened = perf_counter()
    found = index.match(event)
    return Opening(opened - start, perf_counter() - opened, process_time() - processor, found)


def open_and_match(path: str, event: dict[str, Any]) -> Callable[[], int]:
    """Return the work of a fresh process."""
    return lambda: len(opened_and_matched(path, event).found)


SECTIONS: dict[str, Callable[[Report, Scale], None]] = {
    "rules": measure_rules,
    "subscriptions": measure_subscriptions,
    "real": measure_real,
    "duckdb": against_duckdb,
    "open": measure_open,
}


def header(name: str) -> Row:
    """Return what the workload of a scale is."""
    scale = SCALES[name]
    return {
        "workload": "rules on 3 of 16 shared attributes; Le Subscribe (Pereira et al. 2000); flights, GitHub events",
        "scale": f"{name}: {scale.rules:,} and {scale.more_rules:,} rules, {scale.subscriptions:,} subscriptions",
        "seed": SEED,
        "load": f"{os.getloadavg()[0]:.1f} processes wanted to run in the minute before",
        "rival": f"duckdb {version('duckdb')}" if installed() else MISSING,
    }


if __name__ == "__main__":
    main("predicates", __doc__ or "", SECTIONS, header, lambda name: nullcontext(SCALES[name]))
