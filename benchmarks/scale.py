"""What growing numbers of subscriptions cost on Spark: `python -m benchmarks.scale --scale small`.

Workload: web syndication (Kourdounakis 2011, Algorithm 7), seed 2011, as `benchmarks.data.scale` makes it: items of
about 52 terms, given as terms, of which each matches 100 to 140 subscriptions at every size. Steps are 100,000
subscriptions over 50,000 terms (small, a minute), a million over 200,000, ten million over 800,000, and 100 million
over 5 million (paper).

    build     `build` from Parquet on local[2], sharded: seconds, CPU seconds and memory of all processes, bytes on disk
    open      resolving the version and opening all of its shards
    match     `match` replicated and partitioned, from warm page cache, to the `noop` sink; and what the machine holds
              of the index for all processes together (PSS), beside what they would hold with a copy each (RSS)
    update    `update` of 10,000 changes: half replace, a quarter subscribe, a quarter unsubscribe
    growth    one thread, no Spark: the cost of an event against the number of subscriptions, for keywords up to the
              step, for patterns, paths and predicates up to a million; a table and ``growth.svg``

Data and index go to a temporary folder, or stay in the one that WATCHWORD_SCALE names, so that sections can be run one
by one (`--only`). CPU seconds are those of the driver, Java and all Python workers; where other work runs on the
machine, they are what can be compared. Wanted at 100 million: build in 12 minutes, 10 GB on disk, 10,000 items/s, open
in milliseconds, update in a minute.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.sql import SparkSession

from benchmarks.cluster import mapped
from benchmarks.data.scale import (
    STEPS,
    Place,
    kept_folder,
    place_of,
    write_changes,
    write_items,
    write_subscriptions,
)
from benchmarks.growth import PLOT, growth_rows
from benchmarks.harness import Report, Row, in_fresh_process, main, timed
from benchmarks.process_tree import Taken, watched
from benchmarks.spark import drained
from watchword.papers.experiments.plotting import drawn
from watchword.shards import opening
from watchword.spark import build, local_session, match, resolve, update

CHANGES = 10_000
HEAP = "2g"


def session() -> SparkSession:
    return local_session("scale", 2, spark_driver_memory=HEAP, spark_sql_shuffle_partitions="8")


def taken_row(taken: Taken) -> Row:
    """Return what a tree of processes took."""
    return {"CPU s": taken.cpu, "memory GB": taken.memory / 1e9}


# Work for processes of their own; each returns a callable, as `in_fresh_process` asks.


def build_step(folder: str, name: str) -> Callable[[], Row]:
    place = place_of(folder, name)
    rows = session().read.parquet(place.subscriptions)

    def work() -> Row:
        with watched() as taken:
            build(rows, place.index, shards=place.step.shards, keep=1)
        return taken_row(taken)

    return work


def open_step(folder: str, name: str) -> Callable[[], Row]:
    place = place_of(folder, name)

    def once() -> tuple[float, float]:
        began, spent = time.perf_counter(), time.process_time()
        version = place.built
        for number in range(len(version.shards)):
            opening.open_shard(version, number)
        return time.perf_counter() - began, time.process_time() - spent

    def work() -> Row:
        seconds, spent = zip(*[once() for _ in range(10)], strict=True)
        return {"ms": 1e3 * min(seconds), "CPU ms": 1e3 * min(spent)}

    return work


def match_step(folder: str, name: str) -> Callable[[], list[Row]]:
    place = place_of(folder, name)
    items = session().read.parquet(place.items).repartition(8).cache()
    count = items.count()
    hits = {
        mode: match(items, place.index, column="terms", carry=["id"], mode=mode, version=place.built.version)
        for mode in ("replicated", "partitioned")
    }
    return lambda: match_rows(place, hits, count)


def match_rows(place: Place, hits: dict[str, Any], count: int) -> list[Row]:
    """Measure modes by turns, from warm page cache; the best of three turns counts."""
    pairs = {mode: found.count() for mode, found in hits.items()}  # which reads every page that the items need
    seconds: dict[str, list[float]] = {mode: [] for mode in hits}
    spent: dict[str, list[float]] = {mode: [] for mode in hits}
    for mode, found in [*hits.items()] * 3:
        with watched() as taken:
            seconds[mode].append(timed(lambda found=found: drained(found)))  # type: ignore[misc]
        spent[mode].append(taken.cpu)
    held = mapped(Path(place.index).resolve())
    memory = {
        "processes": len(held),
        "sum of RSS MB": sum(row["rss"] for row in held) / 1e6,
        "held by machine MB": sum(row["pss"] for row in held) / 1e6,
        "private MB": sum(row["private_dirty"] for row in held) / 1e6,
    }
    return [
        {
            "mode": mode,
            "items/s": count / min(seconds[mode]),
            "CPU µs/item": 1e6 * min(spent[mode]) / count,
            "pairs/item": pairs[mode] / count,
            **memory,
        }
        for mode in hits
    ]


def update_step(folder: str, name: str) -> Callable[[], Row]:
    place = place_of(folder, name)
    write_changes(place, CHANGES)
    changes = session().read.parquet(place.changes)

    def work() -> Row:
        with watched() as taken:
            update(place.index, changes)
        return taken_row(taken)

    return work


# Sections


class Setting(NamedTuple):
    """The folder of all data, and the step that is measured."""

    folder: Path
    name: str

    @property
    def place(self) -> Place:
        return place_of(self.folder, self.name)

    def measured(self, function: str) -> dict[str, Any]:
        """Run one of the functions above in a process of its own."""
        return in_fresh_process(f"benchmarks.scale:{function}", str(self.folder), self.name)


@contextmanager
def prepared(name: str) -> Iterator[Setting]:
    """Make the data of a step."""
    with kept_folder() as folder:
        place = place_of(folder, name)
        write_subscriptions(place)
        write_items(place)
        yield Setting(folder, name)


def measure_build(report: Report, setting: Setting) -> None:
    """Section `build`."""
    step = setting.place.step
    with report.console.status("build"):
        done = setting.measured("build_step")
    version = resolve(setting.place.index)
    if version.subscriptions != step.subscriptions:
        raise SystemExit(f"{version.subscriptions:,} subscriptions were built, not {step.subscriptions:,}")
    row = {
        "subscriptions": step.subscriptions,
        "shards": step.shards,
        "seconds": done["seconds"],
        **done["result"],
        "GB on disk": version.bytes / 1e9,
        "bytes/subscription": version.bytes / step.subscriptions,
    }
    report.table("build", [row], f"Java has {HEAP} of heap; memory is that of Java and all Python processes together")


def measure_open(report: Report, setting: Setting) -> None:
    """Section `open`."""
    row = setting.measured("open_step")["result"]
    shards = len(setting.place.built.shards)
    report.table("open", [{"shards": shards, **row}], "all shards, the best of ten turns")


def measure_match(report: Report, setting: Setting) -> None:
    """Section `match`."""
    with report.console.status("match"):
        rows = setting.measured("match_step")["result"]
    if rows[0]["pairs/item"] != rows[1]["pairs/item"] or not rows[0]["pairs/item"]:
        raise SystemExit("replicated and partitioned find different pairs: no figure can be trusted")
    version = setting.place.built
    report.table("match", rows, f"the index has {version.bytes / 1e6:,.0f} MB on disk, in {len(version.shards)} shards")


def measure_update(report: Report, setting: Setting) -> None:
    """Section `update`."""
    before = resolve(setting.place.index)
    with report.console.status("update"):
        done = setting.measured("update_step")
    after = resolve(setting.place.index)
    if after.version != before.version + 1:
        raise SystemExit(f"the update made version {after.version} of version {before.version}")
    changed = sum(one != other for one, other in zip(before.shards, after.shards, strict=True))
    row = {"changes": CHANGES, "shards changed": changed, "seconds": done["seconds"], **done["result"]}
    report.table("update", [row], f"version {after.version}, now {after.subscriptions:,} subscriptions")


def measure_growth(report: Report, setting: Setting) -> None:
    """Section `growth`."""
    rows: list[Row] = []
    for row in growth_rows(setting.folder, setting.name):
        report.note(f"growth: {row['language']}, {row['subscriptions']:,}: {row['µs/event']:.1f} µs")
        rows.append(row)
    report.table("growth", rows, "CPU time of one thread, the best of several turns; pairs are returned")
    file = setting.folder / "growth.svg"
    file.write_bytes(drawn(PLOT, rows))
    report.note(f"drawn in {file}")


SECTIONS = {
    "build": measure_build,
    "open": measure_open,
    "match": measure_match,
    "update": measure_update,
    "growth": measure_growth,
}


def header(name: str) -> Row:
    """Return what the workload of a step is."""
    step = STEPS[name]
    return {
        "workload": "web syndication (Kourdounakis 2011, Algorithm 7)",
        "scale": f"{name}: {step.subscriptions:,} subscriptions over {step.vocabulary:,} terms, {step.items:,} items",
    }


if __name__ == "__main__":
    main("scale", __doc__ or "", SECTIONS, header, prepared, scales=list(STEPS))
