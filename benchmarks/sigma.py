"""Sigma rules over Windows events: `python -m benchmarks.sigma --scale small`.

Workload: the 3,141 rules of `sigma/sigma-rules.tar.gz` and the 30,000 events, of 192 kinds, of
`events/windows-events.jsonl.gz`, both in the folder that WATCHWORD_DATA names. Keywords are looked for in `Message`. No
log source has a condition: a rule is its detection.

    rules   how many can be said, and why the others cannot; time of translating them, YAML included
    load    from YAML to an index that has matched its first event. Wanted: 2 s
    match   matching JSON lines. Wanted: 20,000 events/s
    check   every pair of rule and event against the evaluator in plain Python of `tests/sigma_oracle.py`; one pair more
            or less ends the run. Small takes every tenth event, paper all, which takes minutes

    peer    the crate sigma-rust on every tenth event, one CPU, JSON read by both. It compares kinds strictly, so a
            number of a rule is given to it as number and as text. Left out are rules with keywords, which it looks for
            in all fields, and rules that ask for null, which a missing field is not there. Rules with other pairs are
            named

Rules that break a limit of the index are counted and left out. The best of three turns counts; seconds of `rules` and
`load` are those that the CPU worked, on one thread.
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
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import yaml

from benchmarks.data.keywords import data_folder
from benchmarks.harness import Report, main
from benchmarks.peers.rivals import Cargo
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


def best(work: Callable[[], Any], clock: Callable[[], float] = perf_counter) -> tuple[float, Any]:
    """Return the shortest time of several turns, and what the last one made."""
    times = []
    for _ in range(TURNS):
        started = clock()
        made = work()
        times.append(clock() - started)
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
    seconds, (given.said, reasons) = best(lambda: translate(given.rules), process_time)
    rows: list[dict[str, Any]] = [{"rules": len(given.said), "outcome": "said"}]
    rows += [{"rules": count, "outcome": reason} for reason, count in reasons.most_common()]
    report.table("rules: what can be said", rows, f"{len(given.rules):,} rules of YAML in {seconds:.2f} s of CPU")


def measure_load(report: Report, given: Setting) -> None:
    """Section `load`."""
    said, event = kept(report, given), json.loads(given.events[0])
    rules = {name: given.rules[name] for name in said}
    PredicateIndex(said, **OPTIONS).match(event)  # which loads the kernels

    def load() -> list[float]:
        times = [process_time()]
        texts, _ = translate(rules)
        times.append(process_time())
        given.index = PredicateIndex(texts, **OPTIONS)
        times.append(process_time())
        given.index.match(event)
        return [*times, process_time()]

    _, first, second, last = times = min((load() for _ in range(TURNS)), key=lambda times: times[-1] - times[0])
    parts = {"YAML s": first - times[0], "index s": second - first, "first event s": last - second}
    row = {"rules": len(said), **parts, "together s": last - times[0], "wanted s": 2.0}
    report.table("load: from YAML to the first match", [row], "seconds of CPU, one thread")


def measure_match(report: Report, given: Setting) -> None:
    """Section `match`."""
    if given.index is None:
        given.index = PredicateIndex(kept(report, given), **OPTIONS)
    index = given.index
    matched, pairs = best(lambda: index.match_many(given.events))
    row = {"rules": len(index), "events/s": len(given.events) / matched, "pairs": pairs.num_rows}
    report.table("match: JSON lines", [row], "wanted: 20,000 events/s")


def kept(report: Report, given: Setting, options: Mapping[str, Any] = OPTIONS) -> dict[str, str]:
    """Return the rules that an index takes; the others are counted in the report."""
    if not given.said:
        given.said, _ = translate(given.rules)
    checked, said, reasons = PredicateIndex(**options), {}, Counter[str]()
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


SIGMA_RUST = Cargo("sigma-rust", "0.7.0", "sigma_rust", "sigma-rust-peer")


def measure_peer(report: Report, given: Setting) -> None:
    """Section `peer`."""
    if SIGMA_RUST.missing():
        report.note("peer: left out, there is no cargo")
        return
    SIGMA_RUST.make()
    taken = kept(report, given, {**OPTIONS, "text": []})
    names = [name for name, text in taken.items() if "IS MISSING" not in text]
    events = given.events[::10]
    with TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("rules", "events", "matches")]
        files[0].write_text("".join(json.dumps(in_both_forms(given.rules[name])) + "\n" for name in names))
        files[1].write_text("".join(event + "\n" for event in events))
        figures = SIGMA_RUST.run(files[0], files[1], 20.0, files[2])
        rows = [json.loads(line) for line in files[2].read_text().splitlines()]
    theirs = {(at, names[rule]) for at, row in enumerate(rows) for rule in row}
    both = [name for at, name in enumerate(names) if at not in set(figures["refused"])]
    index = PredicateIndex({name: given.said[name] for name in both}, **OPTIONS)
    index.match_many(events)
    started = process_time()
    found = index.match_many(events)
    rate = len(events) / (process_time() - started)
    ours = set(zip(found["event"].to_pylist(), found["subscription"].to_pylist(), strict=True))
    report.table(
        f"peer: {len(both):,} rules, {len(events):,} events",
        [
            {"matcher": "watchword", "events/CPU s": rate, "pairs": len(ours)},
            {"matcher": "sigma-rust 0.7.0", "events/CPU s": figures["events_per_cpu_second"], "pairs": len(theirs)},
        ],
        f"{len(figures['refused']):,} rules refused by sigma-rust; pairs of watchword only: {len(ours - theirs):,} "
        f"({some(ours - theirs)}), of sigma-rust only: {len(theirs - ours):,} ({some(theirs - ours)})",
    )


def some(pairs: set[tuple[int, str]]) -> str:
    """Return the rules with the most of some pairs."""
    return ", ".join(f"{name} {count}" for name, count in Counter(name for _, name in pairs).most_common(5)) or "none"


def in_both_forms(rule: bytes) -> str:
    """Return a rule whose numbers and digits, where no modifier is, stand there as a number and as a text."""
    loaded = yaml.safe_load(rule)

    def changed(node: Any) -> Any:
        if isinstance(node, list):
            return [changed(one) for one in node]
        if not isinstance(node, dict):
            return node
        return {key: both(value) if "|" not in key else value for key, value in node.items()}

    def both(value: Any) -> Any:
        values = value if isinstance(value, list) else [value]
        forms = [form for one in values for form in _forms(one)]
        return forms if len(forms) > len(values) else value

    detection = loaded["detection"]
    names = [name for name in detection if name != "condition"]
    loaded["detection"] = {name: changed(detection[name]) for name in names} | {"condition": detection["condition"]}
    return str(yaml.safe_dump(loaded, allow_unicode=True, default_flow_style=False, sort_keys=False))


def _forms(value: Any) -> list[Any]:
    if isinstance(value, int) and not isinstance(value, bool):
        return [value, str(value)]
    return [value, int(value)] if isinstance(value, str) and re.fullmatch("0|[1-9][0-9]{0,17}", value) else [value]


SECTIONS = {
    "rules": measure_rules,
    "load": measure_load,
    "match": measure_match,
    "check": measure_check,
    "peer": measure_peer,
}


if __name__ == "__main__":
    main("Sigma rules", __doc__ or "", SECTIONS, lambda scale: {"scale": scale}, setting, scales=tuple(STEPS))
