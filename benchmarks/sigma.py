"""Sigma rules over Windows events: `python -m benchmarks.sigma --scale small`.

Workload: the 3,141 rules of `sigma/sigma-rules.tar.gz` and the 30,000 events, of 192 kinds, of
`events/windows-events.jsonl.gz`, both in the folder that WATCHWORD_DATA names. Keywords are looked for in `Message`. No
log source has a condition: a rule is its detection.

    rules   how many can be said, and why the others cannot; time of translating them, YAML included
    match   building the index, and matching JSON lines. Wanted: 2 s for YAML and index, 20,000 events/s
    check   every pair of rule and event against the evaluator in plain Python of `tests/sigma_oracle.py`; one pair more
            or less ends the run. Small takes every tenth event, paper all, which takes minutes

Rules that break a limit of the index are counted and left out. The best of three turns counts.
"""

from __future__ import annotations

import gzip
import json
import re
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import yaml

from benchmarks.data.keywords import data_folder
from benchmarks.harness import Report, main
from tests.sigma_oracle import View, compiled
from watchword import PredicateIndex
from watchword.predicates import from_sigma

RULES, EVENTS = "sigma/sigma-rules.tar.gz", "events/windows-events.jsonl.gz"
TEXT = ("Message",)
OPTIONS: dict[str, Any] = {"text": list(TEXT), "max_predicates": 1 << 16, "max_clauses": 20_000}
STEPS = {"small": 10, "paper": 1}
TURNS = 3


@dataclass
class Setting:
    """Rules and events, and what earlier sections have found."""

    folder: Path
    step: int
    rules: dict[str, bytes] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)
    index: PredicateIndex | None = None


@contextmanager
def setting(scale: str) -> Iterator[Setting]:
    folder = data_folder()
    made = Setting(folder, STEPS[scale])
    with tarfile.open(folder / RULES) as archive:
        for member in archive:
            if member.name.endswith(".yml") and (file := archive.extractfile(member)):
                made.rules[Path(member.name).stem] = file.read()
    with gzip.open(folder / EVENTS, "rt", encoding="utf-8") as lines:
        made.events = [line.rstrip("\n") for line in lines]
    yield made


def best(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the shortest time of several turns, and what the last one made."""
    times = []
    for _ in range(TURNS):
        started = perf_counter()
        made = work()
        times.append(perf_counter() - started)
    return min(times), made


def translate(rules: Mapping[str, bytes]) -> tuple[dict[str, str], Counter[str]]:
    """Return the rules that can be said, and how often each reason stands against one."""
    said, reasons = {}, Counter[str]()
    for name, rule in rules.items():
        try:
            said[name] = from_sigma(rule)
        except ValueError as error:
            reasons[re.sub(r"^rule .*, line \d+: ", "", str(error))] += 1
    return said, reasons


def measure_rules(report: Report, given: Setting) -> None:
    """Section `rules`."""
    seconds, (given.said, reasons) = best(lambda: translate(given.rules))
    rows: list[dict[str, Any]] = [{"rules": len(given.said), "outcome": "said"}]
    rows += [{"rules": count, "outcome": reason} for reason, count in reasons.most_common()]
    report.table("rules: what can be said", rows, f"{len(given.rules):,} rules of YAML in {seconds:.2f} s")


def measure_match(report: Report, given: Setting) -> None:
    """Section `match`."""
    said = kept(report, given)
    built, given.index = best(lambda: PredicateIndex(said, **OPTIONS))
    matched, pairs = best(lambda: given.index.match_many(given.events))
    row = {"rules": len(said), "built s": built, "events/s": len(given.events) / matched, "pairs": pairs.num_rows}
    report.table("match: JSON lines", [row], "wanted: 20,000 events/s")


def kept(report: Report, given: Setting) -> dict[str, str]:
    """Return the rules that an index takes; the others are counted in the report."""
    if not given.said:
        given.said, _ = translate(given.rules)
    checked, said, reasons = PredicateIndex(**OPTIONS), {}, Counter[str]()
    for name, text in given.said.items():
        try:
            checked.check(text)
            said[name] = text
        except ValueError as error:
            reasons[str(error).splitlines()[0]] += 1
    for reason, count in reasons.most_common():
        report.note(f"left out, {count:,}: {reason}")
    return said


def measure_check(report: Report, given: Setting) -> None:
    """Section `check`."""
    if given.index is None:
        given.index = PredicateIndex(kept(report, given), **OPTIONS)
    events = given.events[:: given.step]
    found = given.index.match_many(events)
    ours = set(zip(found["event"].to_pylist(), found["subscription"].to_pylist(), strict=True))
    wanted = {name: compiled(yaml.safe_load(given.rules[name])) for name in given.index}
    theirs = set()
    for at, event in enumerate(events):
        view = View(json.loads(event), TEXT)
        theirs |= {(at, name) for name, holds in wanted.items() if holds(view)}
    if ours != theirs:
        missed, surplus = sorted(theirs - ours), sorted(ours - theirs)
        raise SystemExit(f"{len(missed):,} pairs missed: {missed[:5]}; {len(surplus):,} too many: {surplus[:5]}")
    report.note(f"check: {len(wanted):,} rules, {len(events):,} events, the same {len(ours):,} pairs")


SECTIONS = {"rules": measure_rules, "match": measure_match, "check": measure_check}


if __name__ == "__main__":
    main("Sigma rules", __doc__ or "", SECTIONS, lambda scale: {"scale": scale}, setting, scales=tuple(STEPS))
