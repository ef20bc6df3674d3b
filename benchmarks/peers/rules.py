"""Rules over attributes: event-ruler and a-tree.

Workload: `shared_attribute_rules`, seed 2000: three equalities on 3 of 16 attributes that all rules share, 21 values
each, or two equalities and a range; about 10.8 of 100,000 rules match an event. The peers are given an event at a time
as JSON, and read it each time; Watchword is given batches, as an Arrow table and as JSON lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.harness import Report, Row
from benchmarks.peers import notation
from benchmarks.peers.agreeing import Ids
from benchmarks.peers.comparing import Run, Way, batch_way, compare, own_rows
from benchmarks.peers.notation import Write, write_events, write_rules
from benchmarks.peers.rivals import A_TREE, EVENT_RULER, Peer
from benchmarks.peers.setting import Setting
from watchword import PredicateIndex
from watchword.index import Index
from watchword.papers.workloads.predicates import SharedAttributeRules, shared_attribute_rules

SEED = 2000
BATCH = 100_000
NOTATIONS: dict[Peer, Write] = {EVENT_RULER: notation.event_ruler, A_TREE: notation.a_tree}


def compare_rules(report: Report, given: Setting, *, ranges: bool) -> None:
    """Sections `equalities` and `ranges`."""
    scale, folder = given.scale, given.folder
    rules = shared_attribute_rules(scale.rules, ranges=ranges, seed=SEED)
    events = folder / "events.jsonl"
    write_events(rules, scale.events, events)
    runs = []
    for peer in given.ready(report, *NOTATIONS):
        runs.append(Run(peer.name, peer, folder / f"{peer.folder}.txt"))
        write_rules(rules, NOTATIONS[peer], runs[-1].rules)
    title = f"{'ranges' if ranges else 'equalities'}: {scale.rules:,} rules"
    compare(report, title, watchword_rows(rules, scale.events), runs, events, scale.seconds)


def watchword_rows(rules: SharedAttributeRules, events: int) -> Iterator[tuple[Row, Ids]]:
    """Measure Watchword on tables and on JSON lines; the ids are those of the first events."""
    table = rules.subscription_table()
    PredicateIndex(table.slice(0, 1000)).match_many(rules.event_table(10))

    def ways(index: Index) -> Iterator[Way]:
        for form, draw in (("Arrow", rules.event_table), ("JSON lines", rules.event_lines)):
            yield batch_way(form, index, draw(BATCH), draw(events))

    yield from own_rows(lambda: PredicateIndex(table), ways)
