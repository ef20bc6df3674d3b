"""What people match many rules with today, if they have a database: joins in DuckDB.

DuckDB (``pip install duckdb``) is given the rules as a table and the events as Arrow, a batch at a time, and returns
pairs as Arrow; one thread. The ways, for rules of three equalities:

    key join          a rule is joined on its first equality, the other two are compared: a join for each attribute
    key join, packed  the same, but values are small numbers, packed into two words, and compared by two ANDs; works
                      for values v0 to v125 on 16 attributes
    counting          events and rules as rows of (attribute, value), joined; pairs that meet three times
    pair join         a rule is joined on its first two equalities, with every pair of attributes of an event

The last is more than `benchmarks.predicates` is asked to compare with. It is there because it is the fastest SQL that
was found. Each way is given the size of batch that suited it in a few trials. For the pair join of 100,000 rules that
matters: with 2,048 events DuckDB 2.0.0 hashes the pairs of the events, with 4,096 the rules, six times as fast.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from watchword.papers.workloads.predicates import BLOCK, SharedAttributeRules

try:
    import duckdb
except ImportError:
    duckdb = None

MISSING = "duckdb: left out, it cannot be imported (pip install duckdb, or the extra `bench`)"
BATCHES = {"key join": 8_192, "key join, packed": 4_096, "counting": 128, "pair join": 8_192}
WORD, BITS = 8, 7


def installed() -> bool:
    """Say whether there is a DuckDB to compare with."""
    return duckdb is not None


class DuckDB:
    """Rules of three equalities as tables of a database in memory."""

    def __init__(self, rules: SharedAttributeRules) -> None:
        self.connection = duckdb.connect()
        self.connection.execute("SET threads = 1")
        self.connection.register("given", rule_columns(rules))
        self.connection.execute("CREATE TABLE rules AS SELECT * FROM given")
        self.connection.execute(
            "CREATE TABLE predicates AS SELECT rule, a1 AS attribute, v1 AS value FROM rules "
            "UNION ALL SELECT rule, a2, v2 FROM rules UNION ALL SELECT rule, a3, v3 FROM rules"
        )
        self.queries = {
            "key join": key_join(rules.names),
            "key join, packed": packed_join(rules.names),
            "counting": counting(rules.names),
            "pair join": pair_join(rules.names),
        }

    def ways(self) -> dict[str, Callable[[pa.Table], pa.Table]]:
        """Return the ways to match a table of events, each of which returns pairs."""
        return {name: lambda events, name=name: self.pairs(name, events) for name in self.queries}  # type: ignore[misc]

    def pairs(self, way: str, events: pa.Table) -> pa.Table:
        """Return pairs as an index does: `event`, its position, and `subscription`."""
        events = events.append_column("event", pa.array(np.arange(events.num_rows)))
        size = BATCHES[way]
        return pa.concat_tables(
            self._batch(self.queries[way], events.slice(at, size)) for at in range(0, max(1, events.num_rows), size)
        )

    def _batch(self, query: str, events: pa.Table) -> pa.Table:
        self.connection.register("events", events)
        return self.connection.sql(query).to_arrow_table()


def rule_columns(rules: SharedAttributeRules) -> pa.Table:
    """Return rules as columns.

    For each equality the number of its attribute, from 1, and its value: `a1`, `v1` and so on. For the packed join the
    number of the first value, and of the other two masks and what stands under them, in two words.
    """
    blocks = [rules.drawn(block) for block in range(-(-rules.count // BLOCK))]
    chosen = np.concatenate([block.chosen for block in blocks], axis=1)[:, : rules.count]
    places = np.concatenate([block.values for block in blocks], axis=1)[:, : rules.count]
    values = pa.array([f"v{value}" for value in range(rules.values)])
    columns: dict[str, object] = {"rule": np.arange(rules.count), "n1": places[0] + 1}
    for at in range(3):
        columns |= {f"a{at + 1}": chosen[at] + 1, f"v{at + 1}": values.take(pa.array(places[at]))}
    for word in range(2):
        columns[f"mask{word}"] = packed(chosen[1:], np.full_like(places[1:], (1 << BITS) - 1), word)
        columns[f"bits{word}"] = packed(chosen[1:], places[1:] + 1, word)
    return pa.table(columns)


def packed(attributes: np.ndarray, numbers: np.ndarray, word: int) -> np.ndarray:
    """Return numbers at the places of their attributes in a word; those of the other word are left out."""
    places = numbers << (BITS * (attributes % WORD))
    return np.where(attributes // WORD == word, places, 0).sum(axis=0)


def key_join(names: list[str]) -> str:
    """Return a join for each attribute that rules are keyed on; an event's value is looked up by the attribute."""
    cases = " ".join(f"WHEN {number} THEN e.{name}" for number, name in enumerate(names, start=1))
    rest = " AND ".join(f"CASE r.a{at} {cases} END = r.v{at}" for at in (2, 3))
    return " UNION ALL ".join(
        f"SELECT e.event, r.rule AS subscription FROM events e JOIN rules r "
        f"ON r.a1 = {number} AND e.{name} = r.v1 WHERE {rest}"
        for number, name in enumerate(names, start=1)
    )


def packed_join(names: list[str]) -> str:
    """Return a join of an event's values, as numbers from 1, with the others checked in words."""
    numbers = [f"(substr({name}, 2)::BIGINT + 1)" for name in names]
    words = [
        " | ".join(f"({number} << {BITS * at})" for at, number in enumerate(numbers[word * WORD : (word + 1) * WORD]))
        for word in range(2)
    ]
    return (
        f"WITH words AS (SELECT event, {words[0]} AS w0, {words[1] or 0} AS w1, [{', '.join(numbers)}] AS held "
        f"FROM events), keys AS (SELECT event, w0, w1, unnest(range(1, {len(names) + 1})) AS a, "
        "unnest(held) AS n FROM words) "
        "SELECT event, rule AS subscription FROM keys JOIN rules r ON a = r.a1 AND n = r.n1 "
        "WHERE (w0 & r.mask0) = r.bits0 AND (w1 & r.mask1) = r.bits1"
    )


def counting(names: list[str]) -> str:
    """Return a join of single predicates, whose pairs are counted."""
    return (
        f"WITH atoms AS (SELECT event, unnest(range(1, {len(names) + 1})) AS attribute, "
        f"unnest([{', '.join(names)}]) AS value FROM events) "
        "SELECT event, rule AS subscription FROM atoms JOIN predicates USING (attribute, value) "
        "GROUP BY event, rule HAVING count(*) = 3"
    )


def pair_join(names: list[str]) -> str:
    """Return a join of every pair of values of an event."""
    upto = len(names) + 1
    return (
        f"WITH lists AS (SELECT event, [{', '.join(names)}] AS held FROM events), "
        f"pairs AS (SELECT event, held, a, b, held[a] AS v, held[b] AS w FROM lists, "
        f"(SELECT x.a, y.b FROM range(1, {upto}) x(a), range(1, {upto}) y(b) WHERE a <> b)) "
        "SELECT event, rule AS subscription FROM pairs JOIN rules r "
        "ON a = r.a1 AND v = r.v1 AND b = r.a2 AND w = r.v2 WHERE held[r.a3] = r.v3"
    )
