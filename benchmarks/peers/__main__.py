"""Watchword beside other matchers, on the same rules and events: `make peers`, or `python -m benchmarks.peers`.

Workload: `shared_attribute_rules`, seed 2000: three equalities on 3 of 16 attributes that all rules share, 21 values
each, or two equalities and a range; about 10.8 of 100,000 rules match an event. The peers are given an event at a time
as JSON, and read it each time; Watchword is given batches, as an Arrow table and as JSON lines. One thread.

Every matcher has to find the same ids for every event, else there is no table.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.harness import Report, Row, measure, timed, with_ratios
from benchmarks.peers.notation import write_events, write_rules
from benchmarks.peers.rivals import PEERS, Peer
from watchword.workloads.predicates import SharedAttributeRules, shared_attribute_rules

SEED = 2000
BATCH = 100_000
Ids = list[list[int]]


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rules", type=int, default=100_000, help="how many rules (100000)")
    parser.add_argument("--events", type=int, default=1_000, help="how many events have their ids compared (1000)")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each peer is measured (10)")
    parser.add_argument("--only", nargs="+", choices=["equalities", "ranges"], help="run these sections only")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write every figure to FILE (a page if it ends in .md)"
    )
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    chosen = arguments(argv)
    report = Report(
        "peers",
        {
            "workload": f"{chosen.rules:,} rules on 3 of 16 attributes, 21 values each; {chosen.events:,} events",
            "seed": SEED,
        },
    )
    peers = list(ready(report))
    for section in chosen.only or ["equalities", "ranges"]:
        rules = shared_attribute_rules(chosen.rules, ranges=section == "ranges", seed=SEED)
        compare(report, section, rules, peers, chosen)
    if chosen.json:
        report.write(chosen.json)


def ready(report: Report) -> Iterator[Peer]:
    """Build the peers whose tools are there, and name the others."""
    for peer in PEERS:
        if peer.missing():
            report.note(f"{peer.name} is left out: there is no {' and no '.join(peer.missing())}")
            continue
        with report.console.status(f"building {peer.name}"):
            peer.make()
        yield peer


def compare(
    report: Report, section: str, rules: SharedAttributeRules, peers: Sequence[Peer], chosen: argparse.Namespace
) -> None:
    """Run one section: every matcher on the same rules and events."""
    rows: list[Row] = []
    found: dict[str, Ids] = {}
    for row, ids in watchword_rows(report, rules, chosen.events):
        rows.append(row)
        found[row["matcher"]] = ids
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder) / "events.jsonl"
        write_events(rules, chosen.events, events)
        for peer in peers:
            with report.console.status(f"{section}: {peer.name}"):
                row, found[peer.name] = peer_row(peer, rules, events, chosen.seconds)
            rows.append(row)
    pairs = agreed(found)
    notes = f"{len(found)} matchers agree on the {pairs:,} pairs of {chosen.events:,} events."
    report.table(section, with_ratios(rows, "events/s", [peer.name for peer in peers], name="matcher"), notes)


def peer_row(peer: Peer, rules: SharedAttributeRules, events: Path, seconds: float) -> tuple[Row, Ids]:
    """Run one peer on files beside the events; return its figures and the ids of each event."""
    written, matches = events.with_name("rules.jsonl"), events.with_name("matches.jsonl")
    write_rules(rules, peer.write, written)
    figures = peer.run(written, events, seconds, matches)
    row = as_row(peer.name, figures["build_seconds"], figures["events_per_second"], figures["bytes_per_rule"])
    return row, [json.loads(line) for line in matches.read_text().splitlines()]


def as_row(matcher: str, build: float, rate: float, size: float) -> Row:
    return {"matcher": matcher, "build s": build, "events/s": rate, "bytes/rule": size}


def watchword_rows(report: Report, rules: SharedAttributeRules, events: int) -> Iterator[tuple[Row, Ids]]:
    """Measure Watchword on tables and on JSON lines; the ids are those of the first events."""
    try:
        from watchword import PredicateIndex
    except ImportError:
        report.note("Watchword's rows are left out: there is no PredicateIndex yet")
        return
    table = rules.subscription_table()
    PredicateIndex(table.slice(0, 1000)).match_many(rules.event_table(10))
    built: list[Any] = []
    seconds = timed(lambda: built.append(PredicateIndex(table)))
    index = built[0]
    size = index.stats().bytes / max(rules.count, 1)
    forms: dict[str, Callable[[int], Any]] = {"Arrow": rules.event_table, "JSON lines": rules.event_lines}
    for form, draw in forms.items():
        batch = draw(BATCH)
        rate = measure(lambda batch=batch: index.match_many(batch), work=BATCH).rate
        yield as_row(f"watchword, {form}", seconds, rate, size), per_event(index.match_many(draw(events)), events)


def per_event(pairs: pa.Table, events: int) -> Ids:
    """Return the ids of each event, ascending, from a table of pairs."""
    ids: Ids = [[] for _ in range(events)]
    for event, subscription in zip(pairs["event"].to_pylist(), pairs["subscription"].to_pylist(), strict=True):
        ids[event].append(subscription)
    return [sorted(row) for row in ids]


def agreed(found: dict[str, Ids]) -> int:
    """Return how many pairs all matchers found; two that differ end the run."""
    if not found:
        raise SystemExit("nothing could be run: there is no PredicateIndex, and neither mvn nor cargo")
    (first, expected), *others = found.items()
    for name, ids in others:
        if ids != expected:
            event = next((at for at, pair in enumerate(zip(ids, expected, strict=False)) if pair[0] != pair[1]), -1)
            raise SystemExit(f"{name} and {first} find different rules for event {event}; no figure can be trusted")
    return sum(map(len, expected))


if __name__ == "__main__":
    main()
