"""What matching and building cost on Spark: `python -m benchmarks.spark --scale small`.

Workload: the posts of the data folder (see `benchmarks.data.keywords`), repeated to 1,000,000 (small: 200,000) and
read from Parquet, against the 31,262 search queries that come with them. The index has matched 10,000 of the posts
before it is saved, and learned from them which terms are rare. Results go to Spark's `noop` sink.

    match    local[2]: `match` against an identity `mapInArrow` over the same columns, with Spark's default of 10,000
             rows at a time to Python, and with 40,000
    sql      local[2]: against plain Spark SQL (explode terms, join, group, compare counts), same answers; on a slice
             of the posts, because SQL takes so long; rates are per post. Queries that are more than words (phrases
             such as covid-19) are left out of both; of the rest, punctuation between spaces.
    cores    local[1] against local[2]
    build    `build` of synthetic subscriptions (Kourdounakis 2011, Algorithm 7) into 8 shards, 10,000,000 (small:
             100,000), then `match` on a cluster of two workers on loopback, with the memory that the index takes
    batch    local[2]: a batch of one item through the running system (index up to date, files and inboxes written),
             with subscriptions in one language and in five; by turns, after batches that start the Python workers

Sessions are made in processes of their own. Every row of a table is measured in one run, by turns, so that ratios
hold where figures do not.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.cluster import cluster, mapped
from benchmarks.data.keywords import SCALES, accepted_queries, data_folder, drawn_items, narrow_subscriptions, posts
from benchmarks.harness import Report, Row, in_fresh_process, main, measure, ratio, timed
from benchmarks.process_tree import watched
from watchword import KeywordIndex
from watchword.home import Home
from watchword.spark import build, local_session, match, resolve
from watchword.spark.feed_source import COLUMNS, feed_schema
from watchword.spark.pipeline import Pipeline, Progress
from watchword.spark.sources import Source
from watchword.store import Request

POSTS = {"small": 200_000, "paper": 1_000_000}
SLICE = {"small": 1_000, "paper": 4_000}
SUBSCRIPTIONS = {"small": 100_000, "paper": 10_000_000}
FILES = 8
SHARDS = 8
DISTINCT_POSTS = 59_899
TURNS = 4
BATCHES = (10_000, 40_000)
"""Rows that Spark sends to Python at a time: its default, and more."""
WARMUPS, BATCH_TURNS = 4, 12
"""Batches of section `batch` that start workers, and that are measured."""


def write_posts(folder: Path, count: int) -> None:
    """Write posts, repeated, as Parquet files with the columns `id` and `text`."""
    texts = pa.array(posts(data_folder() / "text" / "tweets-2020-60k.jsonl.gz"))
    folder.mkdir()
    size = -(-count // FILES)
    for number in range(FILES):
        ids = range(number * size, min(count, (number + 1) * size))
        taken = texts.take(pa.array([row % len(texts) for row in ids]))
        pq.write_table(pa.table({"id": pa.array(ids, pa.int64()), "text": taken}), folder / f"{number}.parquet")


def session(cores: int, rows: int = BATCHES[0]) -> SparkSession:
    """Return a session that sends `rows` to Python at a time."""
    conf = {"spark_driver_memory": "4g", "spark_sql_shuffle_partitions": "8"}
    conf["spark_sql_execution_arrow_maxRecordsPerBatch"] = str(rows)
    spark = local_session("benchmark", cores, **conf)
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def drained(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def identity(frame: DataFrame) -> DataFrame:
    def same(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches

    return frame.mapInArrow(same, frame.schema)


def measured(frames: dict[str, DataFrame], count: int) -> list[Row]:
    """Run the frames by turns, each once before; the best turn counts, by the clock and by CPU time."""
    for frame in frames.values():
        drained(frame)
    seconds: dict[str, list[float]] = {name: [] for name in frames}
    cpu: dict[str, list[float]] = {name: [] for name in frames}
    for _ in range(TURNS):
        for name, frame in frames.items():
            with watched() as taken:
                seconds[name].append(timed(partial(drained, frame)))
            cpu[name].append(taken.cpu)
    return [
        {"what": name, "seconds": min(seconds[name]), "posts/s": count / min(seconds[name]), "CPU s": min(cpu[name])}
        for name in frames
    ]


# Work for processes of their own; each returns a callable, as `in_fresh_process` asks.


def match_and_identity(folder: str, cores: int, count: int, rows: int) -> Callable[[], list[Row]]:
    events = session(cores, rows).read.parquet(f"{folder}/posts")
    frames = {
        "identity mapInArrow": identity(events),
        "match": match(events, f"{folder}/queries"),
        "match, carry id": match(events, f"{folder}/queries", carry=["id"]),
    }
    return lambda: measured(frames, count)


def match_plain(folder: str, count: int) -> Callable[[], list[Row]]:
    events = session(2).read.parquet(f"{folder}/posts")
    frames = {"match": match(events, f"{folder}/plain", carry=["id"])}
    return lambda: measured(frames, count)


def sql_and_match(folder: str, part: int) -> Callable[[], dict[str, Any]]:
    spark = session(2)
    every = DISTINCT_POSTS // part  # from all over: posts of one week match few of the queries
    chosen = (F.col("id") < every * part) & (F.col("id") % every == 0)
    some = spark.read.parquet(f"{folder}/posts").where(chosen).repartition(8).cache()
    if some.count() != part:
        raise SystemExit(f"the slice has {some.count()} posts instead of {part}")
    subscribed = spark.read.parquet(f"{folder}/plain.parquet").cache()
    terms = F.array_distinct(F.expr("regexp_extract_all(lower(text), '[\\\\p{L}\\\\p{N}\\\\p{M}_]+', 0)"))
    asked = subscribed.select(
        F.col("id").alias("subscription"),
        F.explode(F.array_distinct(F.split("subscription", " "))).alias("term"),
        F.size(F.array_distinct(F.split("subscription", " "))).alias("size"),
    )
    joined = some.select("id", F.explode(terms).alias("term")).join(asked, "term").groupBy("id", "subscription", "size")
    plain = joined.count().where("count = size").select("id", "subscription")
    hits = match(some, f"{folder}/plain", carry=["id"])

    def work() -> dict[str, Any]:
        expected = sorted((row["id"], row["subscription"]) for row in hits.collect())
        began = time.perf_counter()
        found = plain.collect()
        seconds = time.perf_counter() - began
        if sorted((row["id"], row["subscription"]) for row in found) != expected or not expected:
            raise SystemExit(f"SQL and match differ, {len(found)} to {len(expected)} pairs: no figure can be trusted")
        return {"sql": seconds, "pairs": len(expected)}

    return work


SUBSCRIBED = {
    "keywords": "ferry AND storm",
    "patterns": "f?rry*storm",
    "predicates": "text EXISTS",
    "properties": "sports=1",
    "paths": "//title",
}
"""A subscription in each language; the item of section `batch` satisfies all of them."""
ITEM = {"id": "urn:1", "sports": True, "text": "<item><title>a ferry in a storm</title></item>"}


def one_item_batches(folder: str) -> Callable[[], list[Row]]:
    """Return the work of section `batch`: batches of one item in two homes, by turns."""
    spark = session(2)
    rows = [(ITEM["id"], ITEM["text"], (ITEM["text"], ITEM["sports"]))]
    frame = spark.createDataFrame(rows, "id string, text string, row struct<text: string, sports: boolean>")
    known = feed_schema()
    others = [F.lit(None).cast(known[name].dataType).alias(name) for name in COLUMNS if name not in frame.columns]
    empty = [F.lit(None).cast(kind).alias(name) for name, kind in (("reason", "string"), ("raw", "string"))]
    place = [F.lit("bench").alias("source"), F.lit(0).cast("long").alias("block"), F.lit("1").alias("position")]
    items = frame.select("*", *others, *empty, *place)
    done: list[Progress] = []
    pipelines = {}
    for name, languages in (("1 language", ["keywords"]), ("5 languages", list(SUBSCRIBED))):
        home = Home.make(f"{folder}/{name}")
        with home.store() as store:
            store.set_options("properties", properties=["sports"])
            store.add_subscriber("ada")
            store.subscribe_many(Request("ada", SUBSCRIBED[language], language, language) for language in languages)
        pipelines[name] = Pipeline(spark, home, Source("memory"), report=done.append)

    def work() -> list[Row]:
        seconds: dict[str, list[float]] = {name: [] for name in pipelines}
        for turn in range(WARMUPS + BATCH_TURNS):
            for name, pipeline in pipelines.items():
                pipeline._batch(items, turn)
                if done[-1].pairs != int(name[0]):
                    raise SystemExit(f"{name}: {done[-1].pairs} pairs, so no figure can be trusted")
                seconds[name].append(done[-1].seconds)
        return [{"subscribed in": name, "seconds": median(some[WARMUPS:])} for name, some in seconds.items()]

    return work


def build_many(folder: str) -> Callable[[], int]:
    rows = session(2).read.parquet(f"{folder}/many.parquet")
    return lambda: build(rows, f"{folder}/many", shards=SHARDS)


def match_on_cluster(folder: str, master: str) -> Callable[[], list[Row]]:
    os.environ["PYSPARK_PYTHON"] = sys.executable  # the driver says which Python the workers run
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.locality.wait", "0s")
    spark = builder.config("spark.executor.memory", "1g").config("spark.sql.shuffle.partitions", "8").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    items = spark.read.parquet(f"{folder}/items.parquet").repartition(8).cache()
    count = items.count()
    version = resolve(f"{folder}/many")

    def work() -> list[Row]:
        rows: list[Row] = []
        for mode in ("replicated", "partitioned"):
            hits = match(items, f"{folder}/many", column="terms", carry=["id"], mode=mode)
            done = measure(lambda hits=hits: drained(hits), work=count, repeat=3, warmup=1)  # type: ignore[misc]
            held = mapped(Path(folder, "many").resolve())
            rows.append(
                {
                    "mode": mode,
                    "items/s": done.rate,
                    "pairs": hits.count(),
                    "index MB": version.bytes / 1e6,
                    "processes": len(held),
                    "sum of RSS MB": sum(row["rss"] for row in held) / 1e6,
                    "held by machine MB": sum(row["pss"] for row in held) / 1e6,
                }
            )
        return rows

    return work


# Sections


class Place(NamedTuple):
    """The data of a scale, on disk."""

    folder: Path
    scale: str


@contextmanager
def prepared(scale: str) -> Iterator[Place]:
    """Make the data, and remove it afterwards."""
    with tempfile.TemporaryDirectory(prefix="watchword-") as folder:
        prepare(Path(folder), scale)
        yield Place(Path(folder), scale)


def prepare(folder: Path, scale: str) -> None:
    write_posts(folder / "posts", POSTS[scale])
    queries = accepted_queries(data_folder() / "text" / "queries-30k.tsv.gz")
    index = KeywordIndex(queries, literal_operators=True)
    sample = pq.read_table(folder / "posts" / "0.parquet", columns=["text"])["text"][:10_000]
    index.match_many(sample)  # it learns which terms are rare in posts, as an index in use would
    build(index, folder / "queries")
    bare = {key: " ".join(re.sub(r"(?<!\S)[^\w\s]+(?!\S)", " ", text).split()) for key, text in queries.items()}
    plain = {key: text for key, text in bare.items() if re.fullmatch(r"[a-z0-9 ]+", text)}
    table = pa.table({"id": pa.array(plain, pa.int64()), "subscription": list(plain.values())})
    pq.write_table(table, folder / "plain.parquet")
    build(KeywordIndex(table, literal_operators=True), folder / "plain")


def compare_match(report: Report, place: Place) -> None:
    """Section `match`."""
    for size in BATCHES:
        with report.console.status(f"match: {size:,} rows at a time"):
            rows = matched_on(place, 2, size)
        rate, cpu = rows[0]["posts/s"], rows[0]["CPU s"]
        compared = [
            row | {"× identity": ratio(row["posts/s"], rate), "× identity, CPU": ratio(cpu, row["CPU s"])}
            for row in rows
        ]
        notes = "CPU s: of Java and Python together; wanted: at least 0.7 of identity"
        report.table(f"match, {size:,} rows at a time", compared, notes)


def matched_on(place: Place, cores: int, size: int = BATCHES[0]) -> list[Row]:
    """Measure `match` and its baseline in a process of their own."""
    values = str(place.folder), cores, POSTS[place.scale], size
    rows: list[Row] = in_fresh_process("benchmarks.spark:match_and_identity", *values)["result"]
    return rows


def compare_sql(report: Report, place: Place) -> None:
    """Section `sql`."""
    folder, part, count = str(place.folder), SLICE[place.scale], POSTS[place.scale]
    with report.console.status("sql"):
        rows = in_fresh_process("benchmarks.spark:match_plain", folder, count)["result"]
        found = in_fresh_process("benchmarks.spark:sql_and_match", folder, part)["result"]
    sql, ours = part / found["sql"], rows[0]["posts/s"]
    notes = f"both find the same {found['pairs']:,} pairs on the slice; wanted: at least 20 times"
    lines: list[Row] = [
        {"what": "Spark SQL", "posts": part, "posts/s": sql, "× Spark SQL": 1.0},
        {"what": "match", "posts": count, "posts/s": ours, "× Spark SQL": ratio(ours, sql)},
    ]
    report.table("sql", lines, notes)


def compare_cores(report: Report, place: Place) -> None:
    """Section `cores`."""
    lines: list[Row] = []
    for cores in (1, 2):
        with report.console.status(f"cores: {cores}"):
            rows = matched_on(place, cores)
        lines += [{"master": f"local[{cores}]", "what": row["what"], "posts/s": row["posts/s"]} for row in rows]
    half = len(lines) // 2
    bases: list[float | None] = [None] * half + [row["posts/s"] for row in lines[:half]]
    pairs = zip(lines, bases, strict=True)
    report.table(
        "cores", [row | {"× local[1]": ratio(row["posts/s"], base)} for row, base in pairs], "wanted: 1.7 times"
    )


def compare_batch(report: Report, place: Place) -> None:
    """Section `batch`."""
    with report.console.status("batch"):
        rows: list[Row] = in_fresh_process("benchmarks.spark:one_item_batches", str(place.folder))["result"]
    base = rows[0]["seconds"]
    compared = [row | {"× 1 language": row["seconds"] / base} for row in rows]
    report.table("batch of one item", compared, "median; wanted: at most 1.5 times")


def measure_build(report: Report, place: Place) -> None:
    """Section `build`."""
    folder, shape = place.folder, SCALES[place.scale]
    table = narrow_subscriptions(shape)
    count = min(SUBSCRIPTIONS[place.scale], table.num_rows)
    pq.write_table(table.slice(0, count), folder / "many.parquet", row_group_size=250_000)
    del table
    terms = drawn_items(shape)
    plain = pa.ListArray.from_arrays(terms.offsets, terms.values.dictionary_decode())
    pq.write_table(pa.table({"id": range(len(plain)), "terms": plain}), folder / "items.parquet")
    with report.console.status("build"):
        done = in_fresh_process("benchmarks.spark:build_many", str(folder))
    row = {
        "subscriptions": count,
        "shards": SHARDS,
        "seconds": done["seconds"],
        "subscriptions/s": count / done["seconds"],
    }
    report.table("build", [row], "wanted: 10,000,000 in 120 s; the session's first job, so workers start within it")
    with report.console.status("build: a cluster"), cluster(folder, memory="2g") as master:
        rows = in_fresh_process("benchmarks.spark:match_on_cluster", str(folder), master)["result"]
    report.table("cluster of two workers", rows)


SECTIONS = {
    "match": compare_match,
    "sql": compare_sql,
    "cores": compare_cores,
    "build": measure_build,
    "batch": compare_batch,
}


def header(scale: str) -> Row:
    """Return what the workload of a scale is."""
    return {"scale": scale, "posts": POSTS[scale], "subscriptions": SUBSCRIPTIONS[scale]}


if __name__ == "__main__":
    main("spark", __doc__ or "", SECTIONS, header, prepared)
