"""What the methods of the keyword language cost: `python -m benchmarks.keywords --scale small`.

Workload: web syndication (Kourdounakis 2011, Algorithm 7), seed 2011. Subscriptions have 1 to 7 terms drawn
by Zipf 0.75, items about 52 terms drawn by Zipf 0.95 from the same vocabulary, given as terms. Small is
100,000 subscriptions over 50,000 terms, paper 10,000,000 over 800,000.

    methods        every method: building, matching, operations, size. An item may match 500 subscriptions at
                   most: subscriptions that too many items would match are left out, then items with more.
    text           real posts against real search queries, from text to pairs
    load           bulk loading, saving, opening, a second process
    changes        subscribing and unsubscribing one at a time, in indexes of growing size
    speeds         what is wanted of `auto`, what is measured, and whether it is reached (`benchmarks.keyword_speeds`)

Table 4.6 and the other tables of the thesis are in `watchword experiments run thesis`, on the thesis's own workload.

Every row of a table is measured in one process of one run, so that ratios hold where figures do not.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pyarrow as pa

from benchmarks.data.keywords import (
    SCALES,
    SEED,
    Scale,
    accepted_queries,
    data_folder,
    drawn_items,
    narrow_subscriptions,
    posts,
)
from benchmarks.harness import (
    Measurement,
    Report,
    Row,
    affordable,
    in_fresh_process,
    main,
    measure,
    timed,
    with_ratios,
)
from benchmarks.keyword_speeds import MOST_MATCHES, change_rates, few_matches, speeds
from watchword import KeywordIndex, methods

SHARED_ITEMS = 20
CELL_SECONDS = 2.0
BASELINES = ("compact-trie", "compact-count")


def match_rate(index: KeywordIndex, items: pa.Array) -> Measurement:
    """Measure matching, on as many of the items as a cell's time allows."""
    count = affordable(lambda n: index.match_many(items.slice(0, n)), len(items), CELL_SECONDS)
    chosen = items.slice(0, count)
    return measure(lambda: index.match_many(chosen), work=count, repeat=3, warmup=0, budget=CELL_SECONDS * 3)


def pairs(index: KeywordIndex, items: pa.Array) -> pa.Table:
    """Return what an index finds, in an order that does not depend on the method."""
    return index.match_many(items).sort_by([("event", "ascending"), ("subscription", "ascending")])


def compare_methods(report: Report, scale: Scale) -> None:
    """Section `methods`."""
    table = narrow_subscriptions(scale)
    items, left_out = few_matches(table, drawn_items(scale))
    shared = items.slice(0, SHARED_ITEMS)
    expected: dict[int, pa.Table] = {}
    rows: list[Row] = []
    for name in methods("keywords"):
        with report.console.status(f"methods: {name}"):
            chosen = table.slice(0, scale.poset) if name == "poset" else table
            if chosen.num_rows not in expected:
                expected[chosen.num_rows] = pairs(KeywordIndex(chosen), shared)
            rows.append(method_row(name, chosen, items, expected[chosen.num_rows]))
    notes = (
        f"{left_out} All methods agree on the {expected[table.num_rows].num_rows:,} pairs "
        f"of the first {SHARED_ITEMS} items."
    )
    whole = [row for row in rows if row["subscriptions"] == table.num_rows]
    smaller = [row for row in rows if row not in whole]
    report.table("methods", with_ratios(whole, "items/s", BASELINES) + smaller, notes)


def method_row(name: str, table: pa.Table, items: pa.Array, expected: pa.Table) -> Row:
    """Build, check and measure one method."""
    KeywordIndex(table.slice(0, 1000), method=name).match_many(items.slice(0, 10))
    built: list[KeywordIndex] = []
    build = timed(lambda: built.append(KeywordIndex(table, method=name)))
    index = built[0]
    if not pairs(index, items.slice(0, SHARED_ITEMS)).equals(expected):
        raise SystemExit(f"{name} and auto find different pairs; no figure of this run can be trusted")
    rate, stats = match_rate(index, items), index.stats()
    return {
        "method": name,
        "subscriptions": table.num_rows,
        "build s": build,
        "items": rate.work,
        "items/s": rate.rate,
        "± %": 50 * rate.spread,
        "operations/item": stats.operations_per_match,
        "bytes/subscription": stats.bytes / table.num_rows,
    }


def match_text(report: Report, scale: Scale) -> None:
    """Section `text`."""
    folder = data_folder() / "text"
    if not folder.is_dir():
        report.note(f"text: left out, there is no {folder} (set WATCHWORD_DATA)")
        return
    with report.console.status("text"):
        queries = accepted_queries(folder / "queries-30k.tsv.gz")
        texts = posts(folder / "tweets-2020-60k.jsonl.gz")
        index, column, word = KeywordIndex(queries, literal_operators=True), pa.array(texts), re.compile(r"\w+")
        ways: dict[str, Callable[[], pa.Table]] = {
            "auto, from text": lambda: index.match_many(column),
            "re, then auto": lambda: index.match_many([word.findall(t.casefold()) for t in texts]),
        }
        rows: list[Row] = []
        for name, way in ways.items():
            rate = measure(way, work=len(texts), repeat=5)
            rows.append({"method": name, "posts/s": rate.rate, "± %": 50 * rate.spread, "pairs": way().num_rows})
        single = Measurement(tuple(timed(partial(index.match, text)) for text in texts[:5000]))
    report.table(
        f"text: {len(texts):,} posts against {len(queries):,} queries",
        with_ratios(rows, "posts/s", ["re, then auto"]),
        f"one match(text): median {single.median * 1e6:.1f} µs, p99 {single.quantile(0.99) * 1e6:.1f} µs",
    )


def prepare_load(scale: str, method: str) -> Callable[[], None]:
    """In a process of its own: hold the table; the work is to load it."""
    table = narrow_subscriptions(SCALES[scale])
    KeywordIndex(table.slice(0, 1000), method=method)

    def work() -> None:
        KeywordIndex(table, method=method)

    return work


def prepare_save(scale: str, method: str, path: str) -> Callable[[], None]:
    """In a process of its own: hold the index; the work is to save it."""
    index = KeywordIndex(narrow_subscriptions(SCALES[scale]), method=method)
    return lambda: index.save(path)


SECOND_PROCESS = "import sys; from watchword import KeywordIndex; KeywordIndex.open(sys.argv[1]).match('t17 t23 t901')"


def load_and_save(report: Report, scale: Scale) -> None:
    """Section `load`."""
    name = next(key for key, value in SCALES.items() if value == scale)
    rows: list[Row] = []
    for method in ("auto", *BASELINES):
        with tempfile.TemporaryDirectory() as folder, report.console.status(f"load: {method}"):
            path = Path(folder) / "index"
            load = in_fresh_process("benchmarks.keywords:prepare_load", name, method)
            save = in_fresh_process("benchmarks.keywords:prepare_save", name, method, str(path))
            opened = measure(partial(KeywordIndex.open, path))
            command = [sys.executable, "-c", SECOND_PROCESS, str(path)]
            second = measure(partial(subprocess.run, command, check=True), repeat=3)
            size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        rows.append(
            {
                "method": method,
                "load s": load["seconds"],
                "peak MB over the table": (load["peak"] - load["before"]) / 1e6,
                "save s": save["seconds"],
                "open ms": opened.median * 1e3,
                "second process s": second.median,
                "snapshot bytes/subscription": size / scale.subscriptions,
            }
        )
    notes = "second process: start Python, import, open, first match; kernels cached"
    report.table(f"load: {scale.subscriptions:,} subscriptions", with_ratios(rows, "load s", BASELINES), notes)


def change_one_at_a_time(report: Report, scale: Scale) -> None:
    """Section `changes`."""
    table = narrow_subscriptions(scale)
    rows: list[Row] = []
    for method in ("auto", *BASELINES):
        for size in scale.sizes:
            with report.console.status(f"changes: {method}, {size:,}"):
                index = KeywordIndex(table.slice(0, size), method=method)
                rows.append({"method": method, "size": size, **change_rates(index, table, 2000)})
    report.table("changes, one at a time", rows, "2,000 subscriptions added to the index, then removed from it")


SECTIONS: dict[str, Callable[[Report, Scale], None]] = {
    "methods": compare_methods,
    "text": match_text,
    "load": load_and_save,
    "changes": change_one_at_a_time,
    "speeds": speeds,
}


def header(name: str) -> Row:
    """Return what the workload of a scale is."""
    scale = SCALES[name]
    return {
        "workload": "web syndication (Kourdounakis 2011, Algorithm 7)",
        "scale": f"{name}: {scale.subscriptions:,} subscriptions over {scale.vocabulary:,} terms, "
        f"{scale.items:,} items",
        "left out": f"subscriptions that more than {scale.broadest:.2%} of the items would match, and in "
        f"`methods` items that match more than {MOST_MATCHES} subscriptions",
        "seed": SEED,
    }


if __name__ == "__main__":
    main("keywords", __doc__ or "", SECTIONS, header, lambda name: nullcontext(SCALES[name]))
