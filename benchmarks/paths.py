"""What the methods of the path language cost: `python -m benchmarks.paths --scale small`.

Workload: NITF news documents with YFilter's own paths, an XMark document of 11.7 MB with generated ones, generated
documents that nest heavily (Diao et al. 2003, section 4; seed 2003); `data.paths` says more. Small is up to 60,000
paths, paper 1,000,000.

    nitf         every method, filtering, parsing included, all pairs returned. Wanted of `auto`: 0.18 ms a document
                 with 50,000 paths, 0.6 of the throughput of expat without handlers with 10,000; of `yfilter`: faster
                 than YFilter 1.0; of `pma2`: faster than `yfilter`; of `pma`: slower than `pma2`
    xmark        one large document, filtering and all occurrences. Wanted: `auto` the fastest, 0.6 of expat's
                 throughput at 10,000 paths; memory bounded by depth and result, also where the document is larger
    growth       more paths. Wanted: 60,000 less than twice as slow as 10,000, a million less than 3 times as slow as
                 100,000, matches returned aside; a million built in 30 s, in 200 bytes each
    recursive    every method on documents in which all names nest in each other. Wanted: `auto` the fastest
    occurrences  every method, all occurrences. Wanted: `auto` the fastest
    verdict      all that was wanted of the sections that were run, in one table

"Expat" is the parser that the index uses, run from Python on the same documents with no handler set. "Parsing alone" is
an index of one path that no document has; `matching ms` is what a method takes beyond that. "YFilter 1.0" is
no measurement of this run: see `data.paths.YFILTER`. The rows of a table are measured in one process by turns, kernels
compiled before; the best turn counts. Methods are first compared on documents, pair by pair.

How the time of returning matches is set aside. The smaller index is given every path a second time: it finds the same
and returns twice the pairs. The time that takes more, for each pair more, is that of a pair; from each time is
subtracted what its pairs take. In the larger index, whose paths no cache holds, a pair costs more: that stays in its
time. Nor can it be measured there in this way, since twice a million paths behave unlike a million.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pyarrow as pa

from benchmarks.data.keywords import data_folder
from benchmarks.data.paths import (
    FOLDER,
    SCALES,
    SEED,
    YFILTER,
    Scale,
    generated,
    growing_paths,
    nitf_documents,
    nitf_paths,
    recursive_documents,
    write_xmark,
    xmark_document,
    xmark_paths,
)
from benchmarks.harness import Report, Row, Way, by_turns, figure, in_fresh_process, in_turns, main, measure, ratio
from watchword import PathIndex, methods
from watchword.papers.workloads.dtd import RECURSIVE

TURNS, TURN_SECONDS = 7, 0.3
LARGE_TURNS = 3
MOST_PMA = 10_000
SLOW = 2.0
"""Seconds; a method that takes longer for one document is measured once."""
COMPARED, COMPARED_HEAVY, COMPARED_LIMIT = 20, 4, 100
SMALLEST = pa.array([b"<a/>"], pa.large_binary())
METHODS = ("auto", "yfilter", "lazy-dfa", "pma2", "pma")
EXPAT, STATED = "expat, no handlers", "YFilter 1.0 (stated)"
ALONE = "parsing alone"
NOWHERE = "//nowhere-at-all"
VERDICT = "what is wanted is meant for the sizes of --scale paper and an idle machine"


def parse(documents: Iterable[Any]) -> None:
    """Let expat read documents, and tell nobody."""
    for document in documents:
        expat.ParserCreate().Parse(document.as_py() if isinstance(document, pa.Scalar) else document, True)


def present(paths: int = 0, *, heavy: bool = False) -> list[str]:
    """Return the methods that there are, in the order of the tables; for many paths and documents that are large or
    nest heavily without `pma`, which takes seconds or minutes for one."""
    known = [method for method in METHODS if method in methods("paths")]
    return [method for method in known if method != "pma" or not heavy or paths <= MOST_PMA]


def built(table: pa.Table, method: str = "auto") -> tuple[PathIndex, Row]:
    """Build an index, with what it puts off until it first matches; three times if that is quick."""
    kept: list[PathIndex] = []

    def once(table: pa.Table = table) -> None:
        kept[:] = [PathIndex(table, method=method)]
        kept[0].match_many(SMALLEST)

    once(table[:5_000])  # compiles

    seconds = measure(once, repeat=3, warmup=0, budget=1.0).best
    stats = kept[0].stats()
    return kept[0], {
        "method": method,
        "paths": table.num_rows,
        "build s": seconds,
        "MB": stats.bytes / 1e6,
        "bytes/path": stats.bytes / max(1, table.num_rows),
    }


def time_rows(ways: Mapping[str, Way]) -> dict[str, Row]:
    """Measure ways to read documents; the best turn of each counts. One large document gets fewer turns."""
    if all(len(documents) == 1 for _, documents in ways.values()):
        once = by_turns(ways, 1)
        taken = once | by_turns({name: way for name, way in ways.items() if once[name].best < SLOW}, LARGE_TURNS)
    else:
        taken = in_turns(ways, TURNS, TURN_SECONDS)
    return {
        name: {
            "documents": measured.work,
            "ms/document": 1e3 * measured.best / measured.work,
            "median": 1e3 * measured.median / measured.work,
        }
        for name, measured in taken.items()
    }


def in_order(pairs: pa.Table) -> pa.Table:
    """Return pairs in an order that does not depend on the method."""
    return pairs.sort_by([(name, "ascending") for name in pairs.column_names]).combine_chunks()


def same(found: Mapping[str, Callable[[], pa.Table]]) -> int:
    """Stop if two methods find different things; returns how many."""
    (first, run), *others = found.items()
    expected = in_order(run())
    for name, other in others:
        if not in_order(other()).equals(expected):
            raise SystemExit(f"{name} and {first} find different things; no figure of this run can be trusted")
    return int(expected.num_rows)


def wanted_row(what: str, measured: float | None, wanted: float, *, least: bool = True) -> Row:
    """Return how a figure stands to what is wanted, at least or at most."""
    bound = f"at {'least' if least else 'most'} {figure(wanted)}"
    row: Row = {"figure": what, "wanted": bound, "measured": measured, "reached": "–", "reached ×": None}
    if measured is not None:
        row["reached"] = "yes" if (measured >= wanted if least else measured <= wanted) else "no"
        row["reached ×"] = ratio(measured, wanted) if least else ratio(wanted, max(measured, 0.0))
    return row


def fastest_row(what: str, rows: Sequence[Row], column: str = "ms/document") -> Row:
    """Return how many times the fastest other method is slower than `auto`.

    `lazy-dfa` remembers documents, and knows a few by heart where `auto` is given many: then it is left out.
    """
    known = {row["method"]: row for row in rows if row["method"] in METHODS}
    auto = known.pop("auto")
    if "lazy-dfa" in known and known["lazy-dfa"].get("documents", 0) < auto.get("documents", 0):
        del known["lazy-dfa"]
    others = [row[column] for row in known.values()]
    return wanted_row(f"{what}: the next method over auto", ratio(min(others, default=None), auto[column]), 1)


def by_method(table: pa.Table, documents: pa.Array, *, heavy: bool = False) -> tuple[list[Row], str]:
    """Build every method and let them take turns with expat; returns their rows, and what they found."""
    made = {method: built(table, method) for method in present(table.num_rows, heavy=heavy)}
    some = documents[: COMPARED_HEAVY if heavy else COMPARED]
    pairs = same({method: partial(index.match_many, some) for method, (index, _) in made.items()})
    ways: dict[str, Way] = {method: (index.match_many, documents) for method, (index, _) in made.items()}
    ways |= {ALONE: (PathIndex({0: NOWHERE}).match_many, documents), EXPAT: (parse, documents.to_pylist())}
    taken = time_rows(ways)
    rows = [made[name][1] | row if name in made else {"method": name} | row for name, row in taken.items()]
    return rows, f"{pairs / len(some):,.0f} pairs a document; all find the same in the first {len(some)}."


def with_speed(rows: Sequence[Row], column: str = "ms/document") -> list[Row]:
    """Return the rows with what they take beyond parsing, how often the time of `auto` goes into theirs, and theirs
    into that of expat."""
    known = {row["method"]: row[column] for row in rows}
    return [
        row
        | {"matching ms": row[column] - known[ALONE] if row["method"] in METHODS else None}
        | {"auto is faster ×": ratio(row[column], known["auto"]), "of expat's speed": ratio(known[EXPAT], row[column])}
        for row in rows
    ]


def data_or_note(report: Report, section: str) -> Path | None:
    """Return where the data lies, or say that a section is left out."""
    folder = data_folder()
    if (folder / FOLDER).is_dir():
        return folder
    report.note(f"{section}: left out, there is no {folder / FOLDER} (set WATCHWORD_DATA)")
    return None


# nitf


def measure_nitf(report: Report, scale: Scale) -> None:
    """Section `nitf`."""
    folder = data_or_note(report, "nitf")
    if folder is None:
        return
    documents = nitf_documents(folder)
    verdicts: list[Row] = []
    for size in scale.nitf:
        with report.console.status(f"nitf: {size:,} paths"):
            rows, notes = by_method(nitf_paths(folder, size), documents)
            if size in YFILTER:
                milliseconds, megabytes = YFILTER[size]
                rows.append({"method": STATED, "paths": size, "MB": megabytes, "ms/document": milliseconds})
        report.table(f"nitf: {size:,} paths, {len(documents)} documents, filtering", with_speed(rows), notes)
        verdicts += nitf_verdicts(size, {row["method"]: row["ms/document"] for row in rows})
        verdicts.append(fastest_row(f"{size:,} paths", rows))
    report.table("nitf: verdict", verdicts, VERDICT)


def nitf_verdicts(size: int, taken: Mapping[str, float]) -> list[Row]:
    """Return what is wanted of one number of paths, by the milliseconds of each method."""
    found: list[Row] = []
    if size == 50_000:
        found.append(wanted_row(f"{size:,} paths, auto: ms/document", taken["auto"], 0.18, least=False))
    if size == 10_000:
        found.append(wanted_row(f"{size:,} paths, auto: of expat's speed", ratio(taken[EXPAT], taken["auto"]), 0.6))
    for slow, fast in ((STATED, "yfilter"), ("yfilter", "pma2"), ("pma", "pma2")):
        if slow in taken and fast in taken:
            found.append(wanted_row(f"{size:,} paths: {slow} over {fast}", ratio(taken[slow], taken[fast]), 1))
    return found


# xmark


def measure_xmark(report: Report, scale: Scale) -> None:
    """Section `xmark`."""
    folder = data_or_note(report, "xmark")
    if folder is None:
        return
    document = pa.array([xmark_document(folder)], pa.large_binary())
    verdicts: list[Row] = []
    for size in scale.xmark:
        with report.console.status(f"xmark: {size:,} paths"):
            rows, notes = by_method(xmark_paths(folder, size), document, heavy=True)
        report.table(f"xmark: {size:,} paths, one document, filtering", with_speed(rows), notes)
        taken = {row["method"]: row["ms/document"] for row in rows}
        if size == 10_000:
            verdicts.append(wanted_row("10,000 paths, auto: of expat's speed", ratio(taken[EXPAT], taken["auto"]), 0.6))
        verdicts.append(fastest_row(f"{size:,} paths, filtering", rows))
        with report.console.status(f"xmark: {size:,} paths, all occurrences"):
            rows, notes = occurrences_by_method(xmark_paths(folder, size), document)
        report.table(f"xmark: {size:,} paths, one document, all occurrences", with_speed(rows), notes)
        verdicts.append(fastest_row(f"{size:,} paths, all occurrences", rows))
    verdicts += report_memory(report, scale)
    report.table("xmark: verdict", verdicts, VERDICT)


def report_memory(report: Report, scale: Scale) -> list[Row]:
    """Show what all occurrences take in memory: alone in a process, the document read from a file as it goes."""
    rows: list[Row] = []
    size = scale.xmark[-1]
    for copies in scale.copies:
        for limit in (None, 1):
            with report.console.status(f"xmark: memory, {copies} times the document"):
                taken = in_fresh_process("benchmarks.paths:all_occurrences_of_xmark", size, copies, limit)
            found, result, length = taken["result"]
            rows.append(
                {
                    "paths": size,
                    "document MB": length / 1e6,
                    "limit": "–" if limit is None else limit,
                    "occurrences": found,
                    "result MB": result / 1e6,
                    "memory MB": (taken["peak"] - taken["before"]) / 1e6,
                    "seconds": taken["seconds"],
                }
            )
    report.table("xmark: memory of all occurrences", rows)
    return memory_verdicts(rows)


def memory_verdicts(rows: Sequence[Row]) -> list[Row]:
    """Return how memory grows with the document where one occurrence is wanted, and stands to the result where all are.

    What is read and not matched yet is a few megabytes at any time.
    """
    limited = [row["memory MB"] for row in rows if row["limit"] == 1]
    (*_, most) = (row for row in rows if row["limit"] != 1)
    larger = f"memory MB more for {most['document MB'] / rows[0]['document MB']:.0f} times the document"
    return [
        wanted_row(f"one occurrence of each: {larger}", limited[-1] - limited[0], 16, least=False),
        wanted_row("all occurrences: memory over result", ratio(most["memory MB"], most["result MB"]), 2, least=False),
    ]


def all_occurrences_of_xmark(size: int, copies: int, limit: int | None) -> Callable[[], tuple[int, int, int]]:
    """Prepare an index and a file; the work reads it and returns occurrences, bytes of result and of document."""
    index = PathIndex(xmark_paths(data_folder(), size))
    index.occurrences_table(b"<site/>", limit=limit)
    # The folder is kept until the process ends.
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "xmark.xml"
    write_xmark(data_folder(), path, copies)  # more in memory would leave the allocator with more to hold on to
    length = path.stat().st_size

    def work(_: Any = folder) -> tuple[int, int, int]:
        found = index.occurrences_table(path, limit=limit)
        return found.num_rows, found.nbytes, length

    return work


# growth

ASIDE = "aside: without the time of returning pairs, at the cost of a pair with the first number of paths"


def measure_growth(report: Report, scale: Scale) -> None:
    """Section `growth`."""
    folder = data_or_note(report, "growth")
    if folder is None:
        return
    documents = nitf_documents(folder)
    verdicts: list[Row] = []
    for few, many in scale.growth:
        with report.console.status(f"growth: {few:,} to {many:,} paths"):
            table = growing_paths(folder, many)
            rows = growth_rows([table[:few], table], documents)
        report.table(f"growth: {few:,} to {many:,} paths, auto", rows, ASIDE)
        times = 2 if many < 100_000 else 3
        what = f"{few:,} to {many:,} paths, pairs aside: times slower"
        verdicts.append(wanted_row(what, rows[-1]["aside × first"], times, least=False))
        if many == 1_000_000:
            verdicts.append(wanted_row(f"{many:,} paths: build s", rows[-1]["build s"], 30, least=False))
            verdicts.append(wanted_row(f"{many:,} paths: bytes each", rows[-1]["bytes/path"], 200, least=False))
    report.table("growth: verdict", verdicts, VERDICT)


def growth_rows(tables: Sequence[pa.Table], documents: pa.Array) -> list[Row]:
    """Build `auto` for tables of paths, and for the first twice over; returns a row for each table.

    All match all documents, so that the pairs of a time are those of its documents.
    """
    made = [built(table) for table in (*tables, twice(tables[0]))]
    pairs = [index.match_many(documents).num_rows / len(documents) for index, _ in made]
    taken = by_turns({str(i): (index.match_many, documents) for i, (index, _) in enumerate(made)}, TURNS)
    times = [1e3 * measured.best / measured.work for measured in taken.values()]
    pair = max(0.0, times[-1] - times[0]) / max(1.0, pairs[-1] - pairs[0])
    aside = [time - pair * count for time, count in zip(times, pairs, strict=True)]
    return [
        made[i][1]
        | {
            "ms/document": times[i],
            "pairs/document": pairs[i],
            "ns/pair": 1e6 * pair,
            "× first": ratio(times[i], times[0]),
            "ms aside": aside[i],
            "aside × first": ratio(aside[i], aside[0]),
        }
        for i in range(len(tables))
    ]


def twice(table: pa.Table) -> pa.Table:
    """Return every path a second time, under another id."""
    again = pa.concat_tables([table, table])
    return again.set_column(0, "id", pa.array(range(again.num_rows), pa.int64()))


# recursive, occurrences


def measure_recursive(report: Report, scale: Scale) -> None:
    """Section `recursive`."""
    documents = recursive_documents(scale.recursive_documents)
    verdicts: list[Row] = []
    for size in scale.recursive:
        with report.console.status(f"recursive: {size:,} paths"):
            rows, notes = by_method(generated(size, RECURSIVE), documents, heavy=True)
        title = f"recursive: {size:,} paths, {len(documents)} documents of 1,000 elements, filtering"
        report.table(title, with_speed(rows), notes)
        verdicts.append(fastest_row(f"{size:,} paths", rows))
    report.table("recursive: verdict", verdicts, VERDICT)


def measure_occurrences(report: Report, scale: Scale) -> None:
    """Section `occurrences`."""
    folder = data_or_note(report, "occurrences")
    if folder is None:
        return
    documents = nitf_documents(folder)
    verdicts: list[Row] = []
    for size in scale.occurrences:
        with report.console.status(f"occurrences: {size:,} paths"):
            rows, notes = occurrences_by_method(nitf_paths(folder, size), documents)
        report.table(f"occurrences: {size:,} paths, NITF", with_speed(rows), notes)
        verdicts.append(fastest_row(f"{size:,} paths, all occurrences", rows))
    report.table("occurrences: verdict", verdicts, VERDICT)


def occurrences_by_method(table: pa.Table, documents: pa.Array) -> tuple[list[Row], str]:
    """Build every method and find all occurrences, a document at a time; returns their rows, and what they found."""
    heavy = len(documents) == 1
    made = {method: built(table, method) for method in present(table.num_rows, heavy=heavy)}
    plain = documents.to_pylist()
    some = plain[:COMPARED]
    same({method: partial(first_of, index, some) for method, (index, _) in made.items()})
    found = sum(made["auto"][0].occurrences_table(document).num_rows for document in some)
    ways: dict[str, Way] = {method: (partial(one_by_one, index), plain) for method, (index, _) in made.items()}
    ways |= {ALONE: (partial(one_by_one, PathIndex({0: NOWHERE})), plain), EXPAT: (parse, plain)}
    taken = time_rows(ways)
    rows = [made[name][1] | row if name in made else {"method": name} | row for name, row in taken.items()]
    notes = f"{found / len(some):,.0f} occurrences a document; all find the same first {COMPARED_LIMIT} of each path."
    return rows, notes


def one_by_one(index: PathIndex, documents: Sequence[bytes]) -> None:
    for document in documents:
        index.occurrences_table(document)


def first_of(index: PathIndex, documents: Sequence[bytes]) -> pa.Table:
    """Return the first occurrences of each path in documents, each with the number of its document."""
    tables = [index.occurrences_table(document, limit=COMPARED_LIMIT) for document in documents]
    number = [pa.array([i] * table.num_rows, pa.int64()) for i, table in enumerate(tables)]
    return pa.concat_tables(
        table.set_column(table.column_names.index("document"), "document", which)
        for table, which in zip(tables, number, strict=True)
    )


def measure_verdict(report: Report, _: Scale) -> None:
    """Section `verdict`: nothing is measured, what was is put together."""
    found = [table for table in report.content["tables"] if table["title"].endswith(": verdict")]
    rows = [{"section": table["title"].partition(":")[0]} | row for table in found for row in table["rows"]]
    if rows:
        report.table("verdict", rows, VERDICT)


SECTIONS: dict[str, Callable[[Report, Scale], None]] = {
    "nitf": measure_nitf,
    "xmark": measure_xmark,
    "growth": measure_growth,
    "recursive": measure_recursive,
    "occurrences": measure_occurrences,
    "verdict": measure_verdict,
}


def header(name: str) -> Row:
    """Return what the workload of a scale is."""
    most = max(many for _, many in SCALES[name].growth)
    return {
        "workload": "NITF (YFilter 1.0), XMark, paths of a DTD (Diao et al. 2003)",
        "scale": f"{name}: up to {most:,} paths",
        "seed": SEED,
        "parser": f"{expat.EXPAT_VERSION}, Python {sys.version_info.major}.{sys.version_info.minor}",
    }


if __name__ == "__main__":
    main("paths", __doc__ or "", SECTIONS, header, lambda name: nullcontext(SCALES[name]))
