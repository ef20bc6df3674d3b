"""Searches with wildcards, edits, distances and counts: `python -m benchmarks.searches --scale small`.

Workload, seed 2011: 59,899 posts of 2020 and 31,262 search queries, in the folder that WATCHWORD_DATA names, and words
of its list of English terms, the most frequent first.

    mixed      the queries, a tenth of which ask for ``ferr*``, ``ferry~1`` or ``a NEAR/3 b`` in place of words, against
               the queries as they are. Wanted: 0.5
    families   100,000 prefixes of four or more letters; 100,000 words of four or more with ``~1``; of six or more with
               ``~2``. Wanted: 200,000, 100,000 and 30,000 posts/s. `first` is the first look at these posts, when
               no word has been seen yet
    counts     100,000 of ``2 OF (…)`` of ten words of a post, against the same multiplied out into an OR of its 45
               pairs. Wanted: 5 times its speed, a tenth of its memory
    kinds      as `mixed`, with one of the three kinds at a time

One thread; ways take turns, the best turn counts, and the ways of `counts` have to find the same pairs. Lucene Monitor
on the queries of `mixed` is a section of `benchmarks.peers`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

import pyarrow as pa

from benchmarks.data.keywords import SEED, accepted_queries, data_folder, lines, post_terms, posts
from benchmarks.harness import Report, Row, by_turns, main, ratio, timed
from watchword import KeywordIndex

POSTS, QUERIES, WORDS = "tweets-2020-60k.jsonl.gz", "queries-30k.tsv.gz", "unigrams-333k.txt.gz"
SCALES = {"small": (20_000, 10_000), "paper": (100_000, 59_899)}
TURNS = 7
COMMON = 0.02
SHORT_EDITED, LONG_EDITED, SHORTEST_PREFIX = 4, 6, 4


@dataclass(frozen=True)
class Setting:
    """How many subscriptions and posts a run has."""

    subscriptions: int
    count: int

    @cached_property
    def texts(self) -> list[str]:
        """Return the posts."""
        return posts(data_folder() / "text" / POSTS)[: self.count]

    @cached_property
    def column(self) -> pa.Array:
        """Return the posts as events."""
        return pa.array(self.texts)

    @cached_property
    def queries(self) -> list[str]:
        """Return the search queries."""
        return list(accepted_queries(data_folder() / "text" / QUERIES).values())

    def words(self, shortest: int) -> Iterator[str]:
        """Yield English terms of at least some letters, the most frequent first."""
        for line in lines(data_folder() / "text" / WORDS):
            word = line.split("\t")[0]
            if len(word) >= shortest:
                yield word


@contextmanager
def setting(scale: str) -> Iterator[Setting]:
    """Yield what the sections measure on."""
    yield Setting(*SCALES[scale])


def with_prefix(words: list[str], draw: random.Random) -> list[str] | None:
    """Return a query whose longest word is a prefix: of *ferry crossing*, ``ferry`` and ``crossi*``."""
    at = _longest(words)
    if len(words[at]) < SHORTEST_PREFIX + 1:
        return None
    kept = max(SHORTEST_PREFIX, len(words[at]) - 2)
    return [*words[:at], words[at][:kept] + "*", *words[at + 1 :]]


def with_edits(words: list[str], draw: random.Random) -> list[str] | None:
    """Return a query whose longest word is within an edit, and of more than six letters perhaps within two."""
    at = _longest(words)
    if len(words[at]) < SHORT_EDITED:
        return None
    edits = 2 if len(words[at]) > LONG_EDITED and draw.random() < 0.5 else 1
    return [*words[:at], f"{words[at]}~{edits}", *words[at + 1 :]]


def with_near(words: list[str], draw: random.Random) -> list[str] | None:
    """Return a query in which two neighbours stand at most three places apart: ``night NEAR/3 ferry``."""
    return _with_neighbours(words, draw, "{} NEAR/3 {}")


def with_slop(words: list[str], draw: random.Random) -> list[str] | None:
    """Return a query in which two neighbours are a phrase with a slop: ``"night ferry"~2``."""
    return _with_neighbours(words, draw, '"{} {}"~2')


def _with_neighbours(words: list[str], draw: random.Random, form: str) -> list[str] | None:
    if len(words) < 2:
        return None
    at = draw.randrange(len(words) - 1)
    return [*words[:at], form.format(*words[at : at + 2]), *words[at + 2 :]]


Kind = Callable[[list[str], random.Random], list[str] | None]
KINDS: dict[str, Kind] = {"ferr*": with_prefix, "ferry~1": with_edits, "a NEAR/3 b": with_near}


def _longest(words: Sequence[str]) -> int:
    return max(range(len(words)), key=lambda at: len(words[at]))


def changed(queries: Iterable[list[str]], kinds: Sequence[Kind], share: float = 0.1) -> Iterator[list[str] | None]:
    """Yield the parts of queries that are given in words: a share of them are changed, each kind as often; None for
    the others.

    >>> list(changed([["night", "ferry"]] * 3, list(KINDS.values()), share=1.0))
    [['nigh*', 'ferry'], ['night~1', 'ferry'], ['night NEAR/3 ferry']]
    """
    draw, count = random.Random(SEED), 0
    for words in queries:
        if draw.random() >= share:
            yield None
            continue
        yield kinds[count % len(kinds)](words, draw)
        count += 1


def mixed(queries: Sequence[str], kinds: Sequence[Kind]) -> list[str]:
    """Return the queries as texts, one in ten of them changed."""
    parts = changed([re.findall(r"\w+", query) for query in queries], kinds)
    return [" ".join(one) if one else query for query, one in zip(queries, parts, strict=True)]


def measure_mixed(report: Report, given: Setting) -> None:
    """Section `mixed`."""
    _beside_plain(report, given, "mixed", {"a tenth": list(KINDS.values())}, wanted=0.5)


def measure_kinds(report: Report, given: Setting) -> None:
    """Section `kinds`."""
    _beside_plain(report, given, "kinds", {name: [kind] for name, kind in KINDS.items()})


def _beside_plain(
    report: Report, given: Setting, title: str, kinds: dict[str, list[Kind]], wanted: float | None = None
) -> None:
    """Report a table: for each name in `kinds` the queries with one in ten changed so, and last the plain queries."""
    with report.console.status(title):
        queries, column = given.queries, given.column
        texts = {name: mixed(queries, chosen) for name, chosen in kinds.items()} | {"plain": list(queries)}
        indexes = {name: make(one) for name, one in texts.items()}
        taken = by_turns({name: (index.match_many, column) for name, index in indexes.items()}, TURNS)
        rows: list[Row] = []
        for name, index in indexes.items():
            count = sum(one != other for one, other in zip(texts[name], queries, strict=True))
            row = speed_row(name, index, taken[name].best_rate, column) | {"changed": count}
            row["× plain"] = ratio(taken[name].best_rate, taken["plain"].best_rate)
            rows.append(row | ({"wanted ×": wanted} if name != "plain" and wanted else {}))
    report.table(f"{title}: {len(queries):,} queries", rows)


def make(texts: Iterable[str]) -> KeywordIndex:
    """Return an index of subscriptions, which numbers are the ids of."""
    listed = list(texts)
    return KeywordIndex(pa.table({"id": range(len(listed)), "subscription": listed}), literal_operators=True)


def speed_row(name: str, index: KeywordIndex, rate: float, column: pa.Array) -> Row:
    """Return a row of an index that matches so many posts a second."""
    stats = index.stats()
    pairs = index.match_many(column).num_rows / len(column)
    return {"way": name, "posts/s": rate, "pairs/post": pairs, "MB": stats.bytes / 1e6}


def measure_families(report: Report, given: Setting) -> None:
    """Section `families`."""
    rows: list[Row] = []
    for name, texts, wanted in family_lists(given, given.subscriptions):
        with report.console.status(f"families: {name}"):
            rows.append(family_row(name, texts, given.column) | {"wanted": wanted})
    count = given.subscriptions
    report.table(f"families: {count:,} subscriptions of one word", rows)


def family_row(name: str, texts: list[str], column: pa.Array) -> Row:
    """Return a row about an index of words with wildcards or edits; its words are new to it in the first match."""
    make(texts[:100]).match_many(column.slice(0, 100))  # kernels are loaded
    made: list[KeywordIndex] = []
    built = timed(lambda: made.append(make(texts)))
    index = made[0]
    first = timed(lambda: index.match_many(column))
    rate = by_turns({name: (index.match_many, column)}, TURNS)[name].best_rate
    return speed_row(name, index, rate, column) | {"first posts/s": len(column) / first, "built s": built}


def family_lists(given: Setting, count: int) -> Iterator[tuple[str, list[str], int]]:
    """Yield kinds of families, as many of each, and the posts a second that are wanted."""
    prefixes: dict[str, None] = {}
    for word in given.words(SHORTEST_PREFIX + 1):
        prefixes[word[: max(SHORTEST_PREFIX, len(word) - 2)] + "*"] = None
        if len(prefixes) == count:
            break
    yield "ferr*", list(prefixes), 200_000
    for edits, shortest, wanted in ((1, SHORT_EDITED, 100_000), (2, LONG_EDITED, 30_000)):
        words = given.words(shortest)
        yield f"ferry~{edits}", [f"{word}~{edits}" for word, _ in zip(words, range(count), strict=False)], wanted


def measure_counts(report: Report, given: Setting) -> None:
    """Section `counts`."""
    with report.console.status("counts"):
        draw, column = random.Random(SEED), given.column.slice(0, 5_000)
        terms = [list(dict.fromkeys(one)) for one in post_terms(given.texts, COMMON)]
        terms = [one for one in terms if len(one) >= 10]
        lists = [draw.sample(draw.choice(terms), 10) for _ in range(given.subscriptions)]
        counts = make(f"2 OF ({', '.join(one)})" for one in lists)
        pairs = make(" OR ".join(f"({a} AND {b})" for a, b in combinations(one, 2)) for one in lists)
        indexes = {"2 OF (…)": counts, "multiplied out": pairs}
        if indexes["2 OF (…)"].match_many(column).num_rows != pairs.match_many(column).num_rows:
            raise SystemExit("counts and their clauses find different pairs; no figure of this run can be trusted")
        taken = by_turns({name: (index.match_many, column) for name, index in indexes.items()}, 3)
        rows = [speed_row(name, index, taken[name].best_rate, column) for name, index in indexes.items()]
        for row in rows:
            row["× multiplied out"] = ratio(row["posts/s"], rows[1]["posts/s"])
            row["of its memory"] = ratio(row["MB"], rows[1]["MB"])
        rows[0] |= {"wanted ×": 5, "wanted of its memory": 0.1}
    report.table(f"counts: {given.subscriptions:,} subscriptions of 2 of 10 words", rows)


SECTIONS: dict[str, Callable[[Report, Setting], None]] = {
    "mixed": measure_mixed,
    "kinds": measure_kinds,
    "families": measure_families,
    "counts": measure_counts,
}


def header(scale: str) -> Row:
    """Return what the workload of a scale is."""
    subscriptions, count = SCALES[scale]
    return {"scale": scale, "subscriptions": subscriptions, "posts": count, "seed": SEED, "data": Path(POSTS).name}


if __name__ == "__main__":
    main("searches", __doc__ or "", SECTIONS, header, setting)
