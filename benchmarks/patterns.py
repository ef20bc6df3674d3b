"""What the methods of the pattern language cost: `python -m benchmarks.patterns --scale small`.

Workload: REtriever's (Wang and Jacobsen 2004, Table 4), seed 2004. Subscriptions are three strings of four letters
with a `*` and a `?` between, one of the strings out of a pool a fiftieth as large as the subscriptions; publications
are about 72 letters and hold an instance of three subscriptions. All letters are equally frequent unless a table says
otherwise. Small is up to 100,000 subscriptions, paper 1,000,000.

    hyperscan   `auto` against Hyperscan in one thread: building, size, time per publication. Wanted: 3 times faster per
                publication, 100 times faster to build, smaller
    million     ten times as many subscriptions. Wanted: a million in 30 s, at most 3 times the time per publication
    easylist    a real filter list over real addresses and posts, Hyperscan and `re`. Wanted: faster than both
    long        one long text, patterns with many stars. Wanted: time in proportion to the text

The paper's own figures are experiments: `watchword experiments run retriever`.

`auto` is given Arrow arrays and returns pairs (`match_many`); Hyperscan is given bytes one at a time, its rows say
what is done with what it finds, and it is compared at its cheapest, with a callback that does nothing. The rows of a
table are measured in one process by turns, kernels compiled before; the best of nine turns counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from importlib.metadata import version
from typing import Any

import pyarrow as pa

from benchmarks.data.keywords import data_folder
from benchmarks.data.patterns import (
    SCALES,
    SEED,
    Scale,
    controlled,
    filter_rules,
    hostile,
    hostile_text,
    many_stars,
    numbered,
    random_text,
    real_texts,
)
from benchmarks.harness import Report, Row, Way, in_turns, main, measure, ratio
from benchmarks.pattern_rivals import MISSING, Alternation, Hyperscan, OneByOne, Pairs, installed
from watchword import PatternIndex, methods
from watchword.papers.workloads.retriever import ENGLISH

CELL_SECONDS = 2.0
TURNS, TURN_SECONDS = 9, 0.2
COMPARED = 1_000
LETTERS = {"uniform": None, "English": ENGLISH}
BASELINE, ENGINE_ONLY = "hyperscan, empty callback", "hyperscan, no callback"


def text_rows(ways: Mapping[str, Way]) -> dict[str, Row]:
    """Measure ways to match texts; the best turn of each counts."""
    taken = in_turns(ways, TURNS, TURN_SECONDS)
    return {
        name: {
            "texts": measured.work,
            "µs/text": 1e6 * measured.best / measured.work,
            "median": 1e6 * measured.median / measured.work,
        }
        for name, measured in taken.items()
    }


def warm(method: str = "auto") -> None:
    """Compile what building and matching need."""
    small = controlled(200, 5)
    PatternIndex(small.subscriptions, method=method).match_many(small.publications)


def built(make: Callable[[], Any]) -> tuple[Any, float]:
    """Build, three times if that is quick; return what was built, and the seconds."""
    kept: list[Any] = []

    def once() -> None:
        kept[:] = [make()]

    seconds = measure(once, repeat=3, warmup=0, budget=1.0).median
    return kept[0], seconds


def pairs(index: PatternIndex, texts: pa.Array) -> Pairs:
    """Return what an index of numbered patterns finds."""
    return set(zip(*index.match_many(texts).to_pydict().values(), strict=True))


def same(name: str, one: object, other: object) -> None:
    """Stop if two engines disagree."""
    if one != other:
        raise SystemExit(f"{name} and auto find different things; no figure of this run can be trusted")


def made_index(table: pa.Table, texts: pa.Array) -> tuple[PatternIndex, Row]:
    """Build `auto`, with what it puts off until it first matches."""

    def make() -> PatternIndex:
        made = PatternIndex(table)
        made.match_many(texts[:1])
        return made

    index, build = built(make)
    stats = index.stats()
    known = (stats.bytes + stats.catalog_bytes) / 1e6
    return index, {"engine": "auto", "build s": build, "MB": stats.bytes / 1e6, "MB with ids, texts": known}


def made_hyperscan(patterns: Sequence[str], texts: Sequence[str], expected: Pairs) -> tuple[dict[str, Way], Row]:
    """Build Hyperscan, and check it on as many texts as `expected` is about; returns the ways to scan."""
    ready = [text.encode() for text in texts]
    ascii_only = all(map(str.isascii, texts))
    database, build = built(lambda: Hyperscan(patterns, ascii_only=ascii_only))
    same("hyperscan", database.pairs(ready[:COMPARED]), expected)
    return {name: (way, ready) for name, way in database.ways().items()}, {
        "build s": build,
        "MB": database.size / 1e6,
    }


def engines(table: pa.Table, texts: Sequence[str], *, with_re: bool = False) -> tuple[list[Row], int]:
    """Build `auto` and its rivals and let them take turns; returns a row for each, and the pairs of the first texts."""
    column = pa.array(texts, pa.large_string())
    patterns = table["subscription"].to_pylist()
    index, mine = made_index(table, column)
    expected = pairs(index, column[:COMPARED])
    ways: dict[str, Way] = {"auto": (index.match_many, column)}
    made = {"auto": mine}
    if installed():
        scans, size = made_hyperscan(patterns, texts, expected)
        ways |= scans
        made |= {name: {"engine": name} | size for name in scans}
    if with_re:
        for name, way, build in expressions(patterns, texts, expected):
            ways[name] = way, texts
            made[name] = {"engine": name, "build s": build}
    rows = [made[name] | row for name, row in text_rows(ways).items()]
    return rows, len(expected)


def compared(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with how often the time of `auto`, their first, goes into theirs."""
    mine = rows[0]["µs/text"]
    return [row | {"auto is faster ×": ratio(row["µs/text"], mine)} for row in rows]


def against_hyperscan(report: Report, scale: Scale) -> None:
    """Section `hyperscan`."""
    verdicts: list[Row] = []
    warm()
    for size, letters in [*((size, "uniform") for size in scale.rivalry), (scale.rivalry[0], "English")]:
        title = f"{size:,} patterns, {letters} letters"
        with report.console.status(f"hyperscan: {title}"):
            drawn = controlled(size, scale.publications, letters=LETTERS[letters])
            rows, _ = engines(drawn.subscriptions, drawn.publications.to_pylist())
            if installed():
                verdicts.append({"patterns": size, "letters": letters, **verdict(rows)})
        report.table(f"hyperscan: {title}", compared(rows), "" if installed() else MISSING)
    if verdicts:
        wanted = {"patterns": "wanted", "faster ×": 3, "builds faster ×": 100, "smaller ×": 1}
        notes = f"against `{BASELINE}`. Engine only is `{ENGINE_ONLY}`, which tells nobody what it found. "
        notes += f"All find the same in the first {COMPARED:,} texts."
        report.table("hyperscan: verdict", [*verdicts, wanted], notes)


def verdict(rows: Sequence[Row]) -> Row:
    """Return how many times better `auto` is."""
    named = {row["engine"]: row for row in rows}
    mine, engine = named["auto"], named[BASELINE]
    return {
        "faster ×": ratio(engine["µs/text"], mine["µs/text"]),
        "faster × than engine only": ratio(named[ENGINE_ONLY]["µs/text"], mine["µs/text"]),
        "builds faster ×": ratio(engine["build s"], mine["build s"]),
        "smaller ×": ratio(engine["MB"], mine["MB"]),
    }


def ten_times_as_many(report: Report, scale: Scale) -> None:
    """Section `million`."""
    warm()
    rows: list[Row] = []
    ways: dict[str, Way] = {}
    for size in scale.growth:
        with report.console.status(f"million: {size:,}"):
            drawn = controlled(size, scale.publications)
            index, row = made_index(drawn.subscriptions, drawn.publications)
            rows.append({"patterns": size} | row)
            ways[f"{size:,}"] = index.match_many, drawn.publications
    rows = [row | taken for row, taken in zip(rows, text_rows(ways).values(), strict=True)]
    rows = [row | {"× first": ratio(row["µs/text"], rows[0]["µs/text"])} for row in rows]
    report.table("million", rows, "wanted: 1,000,000 built in 30 s, and at most 3 times the time of 100,000")


def filter_list(report: Report, scale: Scale) -> None:
    """Section `easylist`."""
    folder = data_folder()
    if not folder.is_dir():
        report.note(f"easylist: left out, there is no {folder} (set WATCHWORD_DATA)")
        return
    patterns = filter_rules(folder / "patterns" / "easylist.txt.gz", scale.rules)
    warm()
    for kind, texts in real_texts(folder, scale.texts):
        with report.console.status(f"easylist: {kind}"):
            rows, found = engines(numbered(patterns), texts, with_re=True)
        notes = f"{found:,} pairs in the first {COMPARED:,}. Wanted: auto faster than all. "
        notes += "The alternation says only whether any pattern matches." + ("" if installed() else " " + MISSING)
        title = f"easylist: {len(patterns):,} rules over {len(texts):,} {kind}"
        report.table(title, compared(rows), notes)


def expressions(
    patterns: Sequence[str], texts: Sequence[str], expected: Pairs
) -> list[tuple[str, Callable[[Any], object], float]]:
    """Compile for `re`, check that on the few texts that it has the time for; returns ways and seconds."""
    some = texts[:5]
    few = {pair for pair in expected if pair[0] < len(some)}
    alternation, joined = built(lambda: Alternation(patterns))
    same("re, alternation", alternation.any(some), [any(event == i for event, _ in few) for i in range(len(some))])
    each, apart = built(lambda: OneByOne(patterns))
    same("re, one by one", each.pairs(some), few)
    return [("re, one alternation", alternation.any, joined), ("re, one by one", each.pairs, apart)]


# Methods that are measured on long texts, and on which part of the length: those but `auto` promise nothing.
HOSTILE = 100
LONG_TEXT_METHODS = {"auto": 1.0, "retriever-none": 0.01, "nfa": 0.01}


def long_texts(report: Report, scale: Scale) -> None:
    """Section `long`."""
    kinds = {
        f"random letters, {scale.starred:,} patterns of 20 strings": (many_stars(scale.starred), random_text),
        f"hostile, {HOSTILE} patterns of up to 50 stars": (hostile(HOSTILE), hostile_text),
    }
    for kind, (patterns, text) in kinds.items():
        rows: list[Row] = []
        for method in (name for name in LONG_TEXT_METHODS if name in methods("patterns")):
            with report.console.status(f"long: {kind}, {method}"):
                lengths = [int(size * 1e6 * LONG_TEXT_METHODS[method]) for size in scale.megabytes]
                rows += long_rows(method, patterns, [text(length) for length in lengths])
        report.table(f"long: {kind}", rows, "wanted: seconds per MB alike for every length, of auto")


def long_rows(method: str, patterns: Sequence[str], texts: Sequence[str]) -> list[Row]:
    """Measure one method on ever longer texts."""
    index = PatternIndex(numbered(patterns), method=method)
    index.match(texts[0][:1000])
    rows: list[Row] = []
    for text in texts:
        seconds = measure(partial(index.match, text), repeat=3, warmup=0, budget=CELL_SECONDS).median
        per_megabyte = seconds / (len(text) / 1e6)
        rows.append({"method": method, "MB": len(text) / 1e6, "seconds": seconds, "s/MB": per_megabyte})
        rows[-1] |= {"s/MB × first": ratio(per_megabyte, rows[0]["s/MB"]), "matches": len(index.match(text))}
    return rows


SECTIONS: dict[str, Callable[[Report, Scale], None]] = {
    "hyperscan": against_hyperscan,
    "million": ten_times_as_many,
    "easylist": filter_list,
    "long": long_texts,
}


def header(name: str) -> Row:
    """Return what the workload of a scale is."""
    scale = SCALES[name]
    return {
        "workload": "REtriever (Wang and Jacobsen 2004, Table 4)",
        "scale": f"{name}: up to {scale.growth[-1]:,} subscriptions, {scale.publications:,} publications",
        "seed": SEED,
        "rival": f"hyperscan {version('hyperscan')}" if installed() else MISSING,
    }


if __name__ == "__main__":
    main("patterns", __doc__ or "", SECTIONS, header, lambda name: nullcontext(SCALES[name]))
