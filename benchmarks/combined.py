"""Subscriptions over text and attributes at once: `python -m benchmarks.combined --scale small`.

Workload, seed 2011: 59,899 posts of 2020 and 100,000 searches, conjunctions of two or three words of a post that stand
in at most 5 % of all posts; each post and each search gets one of 50 feeds and a priority of 0 to 99. The posts lie
in the folder that WATCHWORD_DATA names. The rules of `wildcard` are those of hypermatch's benchmark: of 100,000, ten
share a number and match an event.

    matches    MATCHES alone, against the same searches in a KeywordIndex. Wanted: 0.7
    apart      feed = 'f' AND priority > p AND text MATCHES 'words', against a KeywordIndex and a PredicateIndex whose
               pairs are intersected. Wanted: 5 times
    wildcard   six conditions with name LIKE '%-myapp-%', against the same without it, from JSON lines, Arrow, and one
               by one. Wanted: 0.7
    spark      `apart` on local[2], against a join in Spark SQL, on a slice. Wanted: 20 times

`benchmarks.sigma` has the Sigma rules. One thread but for `spark`; ways take turns in one process, the best turn
counts, and all ways of a table have to find the same pairs, else there is no table.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.data.keywords import SEED, conjunctions, data_folder, post_terms, posts
from benchmarks.harness import Report, Row, Way, by_turns, in_fresh_process, main, ratio, timed
from watchword import Index, KeywordIndex, PredicateIndex

POSTS = "text/tweets-2020-60k.jsonl.gz"
COMMON, FEEDS, PRIORITIES = 0.05, 50, 100
TURNS = 5
SINGLE = 2_000
SLICE = 1_000
SCALES = {"small": (100_000, 20_000), "paper": (100_000, 59_899)}


@dataclass(frozen=True)
class Setting:
    """Searches and posts, with what stands around the text of both."""

    rules: int
    events: int

    @cached_property
    def texts(self) -> list[str]:
        """Return the posts."""
        return posts(data_folder() / POSTS)

    @cached_property
    def searches(self) -> list[str]:
        """Return the searches."""
        return conjunctions(post_terms(self.texts, COMMON), self.rules)

    @cached_property
    def around(self) -> list[tuple[str, int]]:
        """Return the feed and the priority of each search."""
        draw = random.Random(SEED)
        return [(f"feed{draw.randrange(FEEDS)}", draw.randrange(PRIORITIES)) for _ in range(self.rules)]

    @cached_property
    def table(self) -> pa.Table:
        """Return the posts as events."""
        draw, texts = random.Random(SEED + 1), self.texts[: self.events]
        feeds = [f"feed{draw.randrange(FEEDS)}" for _ in texts]
        return pa.table({"feed": feeds, "priority": [draw.randrange(PRIORITIES) for _ in texts], "text": texts})

    def subscriptions(self, form: str) -> pa.Table:
        """Return a subscription for each search, by a form with places for words, feed and priority."""
        texts = [
            form.format(words=words, feed=feed, priority=priority)
            for words, (feed, priority) in zip(self.searches, self.around, strict=True)
        ]
        return pa.table({"id": np.arange(self.rules), "subscription": texts})


COMBINED = "feed = '{feed}' AND priority > {priority} AND text MATCHES '{words}'"


@contextmanager
def setting(scale: str) -> Iterator[Setting]:
    """Yield what the sections measure on."""
    yield Setting(*SCALES[scale])


def numbers_of(pairs: pa.Table, rules: int) -> np.ndarray:
    """Return pairs as numbers: position of the event times the number of rules, plus the rule."""
    return np.asarray(pairs["event"].to_numpy() * rules + pairs["subscription"].to_numpy())


def same_pairs(ways: Mapping[str, Way], numbers: Callable[[Any], np.ndarray]) -> str:
    """Stop if two ways find different pairs; else say how many they found."""
    found = {name: np.sort(numbers(run(events))) for name, (run, events) in ways.items()}
    (first, expected), *others = found.items()
    for name, pairs in others:
        if not np.array_equal(pairs, expected):
            raise SystemExit(f"{name} and {first} find different pairs; no figure of this run can be trusted")
    return f"All find the same {len(expected):,} pairs."


def rows_of(ways: Mapping[str, Way], base: str, wanted: float) -> list[Row]:
    """Let ways take turns, and return their speeds with ratios against `base`; the first is the one that counts."""
    taken = by_turns(ways, TURNS)
    rows: list[Row] = [
        {"way": name, "events/s": one.best_rate, "µs/event": 1e6 * one.best / one.work} for name, one in taken.items()
    ]
    speed = {row["way"]: row["events/s"] for row in rows}
    rows = [row | {f"× {base}": ratio(row["events/s"], speed[base])} for row in rows]
    rows[0]["wanted ×"] = wanted
    return rows


def measure_matches(report: Report, given: Setting) -> None:
    """Section `matches`."""
    with report.console.status("matches"):
        table, searches = given.table, given.subscriptions("{words}")
        keywords = KeywordIndex(searches)
        built: list[Index] = []
        rules = given.subscriptions("MATCHES '{words}'")
        seconds = timed(lambda: built.append(PredicateIndex(rules, text=["text"])))
        ways: dict[str, Way] = {
            "MATCHES": (built[0].match_many, table),
            "keywords": (partial(keywords.match_many, column="text"), table),
        }
        notes = same_pairs(ways, partial(numbers_of, rules=given.rules))
        rows = rows_of(ways, "keywords", 0.7)
    report.table(f"matches: {given.rules:,} searches", rows, f"{notes} Built in {seconds:.1f} s.")


def measure_apart(report: Report, given: Setting) -> None:
    """Section `apart`."""
    with report.console.status("apart"):
        table, count = given.table, given.rules
        combined = PredicateIndex(given.subscriptions(COMBINED))
        words = KeywordIndex(given.subscriptions("{words}"))
        around = PredicateIndex(given.subscriptions("feed = '{feed}' AND priority > {priority}"))

        def intersect(events: pa.Table) -> np.ndarray:
            found = words.match_many(events, column="text"), around.match_many(events.select(["feed", "priority"]))
            return np.intersect1d(*(numbers_of(pairs, count) for pairs in found), assume_unique=True)

        ways: dict[str, Way] = {
            "combined": (lambda events: numbers_of(combined.match_many(events), count), table),
            "apart": (intersect, table),
        }
        notes = same_pairs(ways, np.asarray)
        rows = rows_of(ways, "apart", 5)
    report.table(f"apart: {count:,} of an equality, a range and MATCHES", rows, notes)


def measure_wildcard(report: Report, given: Setting) -> None:
    """Section `wildcard`."""
    with report.console.status("wildcard"):
        indexes = {form: PredicateIndex(wildcard_rules(given.rules, form == "LIKE")) for form in ("LIKE", "plain")}
        objects = [wildcard_event(number, given.rules) for number in range(given.events)]
        lines, table = pa.array([json.dumps(one) for one in objects]), pa.Table.from_pylist(objects)
        for title, events in {"JSON lines": lines, "Arrow": table}.items():
            ways: dict[str, Way] = {form: (index.match_many, events) for form, index in indexes.items()}
            notes = same_pairs(ways, partial(numbers_of, rules=given.rules))
            report.table(f"wildcard: {given.rules:,} rules, {title}", rows_of(ways, "plain", 0.7), notes)

        def one_by_one(index: Index, events: list[Any]) -> list[list[Any]]:
            return [index.match(event) for event in events]

        for title, events in {"match(dict)": objects[:SINGLE], "match(json)": lines[:SINGLE].to_pylist()}.items():
            ways = {form: (partial(one_by_one, index), events) for form, index in indexes.items()}
            report.table(f"wildcard: {given.rules:,} rules, {title}", rows_of(ways, "plain", 0.7))


def wildcard_rules(count: int, with_wildcard: bool) -> pa.Table:
    """Return hypermatch's rules, ten for each number."""
    start = "name LIKE '%-myapp-%' AND " if with_wildcard else ""
    rest = "tags CONTAINS 'a' AND tags CONTAINS 'b' AND region != 'moon' AND type IN ('app', 'database')"
    texts = [f"{start}env = 'prod' AND number = {number // 10} AND {rest}" for number in range(count)]
    return pa.table({"id": np.arange(count), "subscription": texts})


def wildcard_event(number: int, count: int) -> dict[str, Any]:
    """Return an event that ten rules match."""
    return {
        "name": f"srv-myapp-{number}",
        "env": "prod",
        "number": number % (count // 10),
        "tags": ["a", "b", "c"],
        "region": "earth",
        "type": "app",
    }


def measure_spark(report: Report, given: Setting) -> None:
    """Section `spark`."""
    with TemporaryDirectory() as folder, report.console.status("spark"):
        pq.write_table(given.table, f"{folder}/events.parquet")
        names = ["feed", "priority", "words"]
        columns = [list(column) for column in zip(*given.around, strict=True)] + [
            [words.split() for words in given.searches]
        ]
        rules = given.subscriptions(COMBINED)
        for name, column in zip(names, columns, strict=True):
            rules = rules.append_column(name, pa.array(column))
        pq.write_table(rules, f"{folder}/rules.parquet")
        found = in_fresh_process("benchmarks.combined:sql_and_match", folder, SLICE)["result"]
    if found["pairs"] != found["sql pairs"]:
        raise SystemExit("Spark SQL and match find different pairs; no figure of this run can be trusted")
    speeds = {"match": given.events / found["match"], "Spark SQL": SLICE / found["sql"]}
    rows: list[Row] = [
        {"way": name, "events/s": speed, "× Spark SQL": ratio(speed, speeds["Spark SQL"])}
        for name, speed in speeds.items()
    ]
    rows[0]["wanted ×"] = 20
    report.table(
        f"spark: {given.rules:,} rules, local[2]", rows, f"{found['pairs']:,} pairs of {SLICE:,} events agree."
    )


def sql_and_match(folder: str, part: int) -> Callable[[], dict[str, Any]]:
    """Return the work of a fresh process: both ways on a slice, and `match` on all events."""
    from pyspark.sql import functions as F

    from benchmarks.spark import session
    from watchword.spark import build, match

    spark = session(2)
    rules, events = (spark.read.parquet(f"{folder}/{name}.parquet") for name in ("rules", "events"))
    build(rules.select("id", "subscription"), f"{folder}/index", language="predicates")
    some = events.limit(part).cache()
    some.count()
    words = F.split(F.trim(F.regexp_replace(F.lower("text"), r"[^\p{L}\p{N}\p{M}_]+", " ")), " ")
    left = some.select("feed", "priority", words.alias("terms")).withColumnRenamed("priority", "urgency").alias("e")
    condition = "e.feed = r.feed AND e.urgency > r.priority AND size(array_except(r.words, e.terms)) = 0"
    joined = left.join(rules.alias("r"), F.expr(condition)).select("id")

    def work() -> dict[str, Any]:
        ours = match(events, f"{folder}/index", columns=["feed", "priority", "text"])
        ours.write.format("noop").mode("overwrite").save()
        pairs = match(some, f"{folder}/index", columns=["feed", "priority", "text"]).count()
        found: list[int] = []
        sql = min(timed(lambda: found.append(joined.count())) for _ in range(2))
        seconds = min(timed(ours.write.format("noop").mode("overwrite").save) for _ in range(3))
        return {"pairs": pairs, "sql pairs": found[0], "sql": sql, "match": seconds}

    return work


SECTIONS: dict[str, Callable[[Report, Setting], None]] = {
    "matches": measure_matches,
    "apart": measure_apart,
    "wildcard": measure_wildcard,
    "spark": measure_spark,
}


def header(scale: str) -> Row:
    """Return what the workload of a scale is."""
    rules, events = SCALES[scale]
    return {"scale": scale, "rules": rules, "events": events, "seed": SEED, "data": Path(POSTS).name}


if __name__ == "__main__":
    main("combined", __doc__ or "", SECTIONS, header, setting)
