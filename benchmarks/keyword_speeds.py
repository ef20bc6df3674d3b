"""Section `speeds` of `benchmarks.keywords`: what keywords should cost, what they cost, and whether that is enough.

Every row is a figure that somebody wanted, measured here. Real posts, and over them:

    queries        31,262 search queries
    conjunctions   a million of two or three words each that stand together in a post
    booleans       100,000 subscriptions with phrases, OR and NOT over the same words

Words that stand in more than 8 % of the posts are left out of the conjunctions, in more than 2 % out of the booleans:
so a post matches hundreds of them, and not thousands. Loading is measured in a process of its own. The row of ten
million subscriptions is the synthetic workload of the other sections, and there at ``--scale paper`` only: it needs
6 GB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.data.keywords import (
    SCALES,
    Scale,
    accepted_queries,
    booleans,
    conjunctions,
    data_folder,
    drawn_items,
    narrow_subscriptions,
    post_terms,
    posts,
)
from benchmarks.harness import Measurement, Report, Row, in_fresh_process, measure, timed
from watchword import KeywordIndex

MOST_MATCHES = 500
CONJUNCTIONS, BOOLEANS = 1_000_000, 100_000


def speeds(report: Report, scale: Scale) -> None:
    """Section `speeds`."""
    folder = data_folder() / "text"
    if not folder.is_dir():
        report.note(f"speeds: left out, there is no {folder} (set WATCHWORD_DATA)")
        return
    texts = posts(folder / "tweets-2020-60k.jsonl.gz")
    rows: list[Row] = []
    with report.console.status("speeds: queries"):
        rows += over_queries(
            KeywordIndex(accepted_queries(folder / "queries-30k.tsv.gz"), literal_operators=True), texts
        )
    with report.console.status("speeds: booleans"):
        rows += over_booleans(texts)
    with report.console.status("speeds: conjunctions"):
        rows += over_conjunctions(texts)
    with report.console.status("speeds: one change"):
        rows += one_change(scale)
    if scale == SCALES["paper"]:
        with report.console.status("speeds: ten million"):
            rows.append(ten_million(scale))
    report.table("speeds: wanted and measured, one thread", rows)


def verdict(what: str, unit: str, wanted: float, measured: float, more: bool = True, pairs: float | None = None) -> Row:
    """Return a row; `more` says whether more is better, `pairs` how many an event gave."""
    reached = measured >= wanted if more else measured <= wanted
    row: Row = {"what": what, "unit": unit, "wanted": wanted, "measured": measured}
    return row | {"reached": "yes" if reached else f"{measured / wanted:.2f} of it", "pairs/event": pairs}


def over_queries(index: KeywordIndex, texts: list[str]) -> Iterator[Row]:
    """Text to pairs, its reading alone, and one text at a time."""
    column = pa.array(texts)
    rate = measure(lambda: index.match_many(column), work=len(texts), repeat=9)
    yield verdict("text to pairs", "posts/s", 500_000, rate.best_rate, pairs=per_event(index, column))
    plugged, batches = index._plugged, [column.slice(first, 4096) for first in range(0, len(texts), 4096)]
    terms = sum(len(plugged.read(batch, 0).atoms) for batch in batches)
    reading = measure(partial(for_each, partial(plugged.read, position=0), batches), work=terms, repeat=9)
    yield verdict("reading", "ns a term", 16, 1e9 / reading.best_rate, more=False)
    single = Measurement(tuple(timed(partial(index.match, text)) for text in texts[:5000]))
    yield verdict("match(text), median", "µs", 10, single.median * 1e6, more=False)


def over_booleans(texts: list[str]) -> Iterator[Row]:
    """Loading booleans, and matching them in a batch and one by one."""
    load = in_fresh_process("benchmarks.keyword_speeds:prepare_booleans")
    what = f"{BOOLEANS:,} booleans, loading"
    yield verdict(what, "µs each", 15, load["seconds"] / BOOLEANS * 1e6, more=False)
    yield verdict(what, "MB grown", 50, (load["peak"] - load["before"]) / 1e6, more=False)
    index, column = KeywordIndex(boolean_table()), pa.array(texts[:10_000])
    index.match_many(column)
    rate = measure(lambda: index.match_many(column), work=len(column), repeat=9)
    yield verdict(f"{BOOLEANS:,} booleans, matching", "posts/s", 25_000, rate.best_rate, pairs=per_event(index, column))
    chosen = texts[:2000]
    one = measure(partial(for_each, index.match, chosen), work=len(chosen), repeat=5)
    many = measure(partial(index.match_many, column), work=len(column), repeat=5)
    yield verdict("match(text), booleans, against match_many", "times", 2, many.best_rate / one.best_rate, more=False)


def boolean_table() -> pa.Table:
    """Return the booleans under ids of text."""
    texts = booleans(post_terms(posts(data_folder() / "text" / "tweets-2020-60k.jsonl.gz"), 0.02), BOOLEANS)
    return pa.table({"id": [f"subscription-{n}" for n in range(BOOLEANS)], "subscription": texts})


def prepare_booleans() -> Callable[[], None]:
    """In a process of its own: hold the table; the work is to load it."""
    table = boolean_table()
    KeywordIndex(table.slice(0, 1000))
    return lambda: KeywordIndex(table) and None


def over_conjunctions(texts: list[str]) -> Iterator[Row]:
    """Matching conjunctions, in a batch and one by one."""
    subscriptions = conjunctions(post_terms(texts, 0.08), CONJUNCTIONS)
    table = pa.table({"id": range(CONJUNCTIONS), "subscription": subscriptions})
    index, column = KeywordIndex(table), pa.array(texts[:20_000])
    index.match_many(column)
    rate = measure(lambda: index.match_many(column), work=len(column), repeat=9)
    what = f"{CONJUNCTIONS:,} conjunctions, matching"
    yield verdict(what, "posts/s", 60_000, rate.best_rate, pairs=per_event(index, column))
    chosen = texts[:2000]
    one = measure(partial(for_each, index.match, chosen), work=len(chosen), repeat=5)
    yield verdict(
        "match(text), conjunctions, against match_many", "times", 2, rate.best_rate / one.best_rate, more=False
    )


def one_change(scale: Scale) -> Iterator[Row]:
    """Subscribing and unsubscribing, one at a time."""
    table = narrow_subscriptions(scale)
    rates = change_rates(KeywordIndex(table.slice(0, 10_000)), table, 2000)
    for name, rate in rates.items():
        yield verdict(f"one change, {name.removesuffix('/s')}", "/s", 200_000, rate)


def ten_million(scale: Scale) -> Row:
    """Matching ten million subscriptions, terms given; items that match too many are left out."""
    table = narrow_subscriptions(scale)
    items, _ = few_matches(table, drawn_items(scale))
    index = KeywordIndex(table)
    rate = measure(lambda: index.match_many(items), work=len(items), repeat=9)
    return verdict("ten million, terms given", "items/s", 150_000, rate.best_rate, pairs=per_event(index, items))


def for_each(work: Callable[[Any], object], given: Sequence[Any]) -> None:
    """Do something with one after the other. What comes of it is let go before the next, as in a stream: to keep
    thousands of lists of hundreds of ids costs half as much again."""
    for one in given:
        work(one)


def per_event(index: KeywordIndex, events: pa.Array) -> float:
    """Return how many pairs an event gives."""
    return float(index.match_many(events).num_rows / len(events))


def few_matches(table: pa.Table, items: pa.Array) -> tuple[pa.Array, str]:
    """Leave out the items that match too many subscriptions, and say how many they were."""
    matches = np.bincount(KeywordIndex(table).match_many(items)["event"].to_numpy(), minlength=len(items))
    kept = matches <= MOST_MATCHES
    remark = (
        f"{(~kept).sum():,} of {len(items):,} items left out for matching more than {MOST_MATCHES} "
        f"subscriptions; the others match {matches[kept].mean():.0f} on average."
    )
    return items.filter(pa.array(kept)), remark


def change_rates(index: KeywordIndex, table: pa.Table, changes: int) -> Row:
    """Measure subscribing and unsubscribing under ids that the index does not have."""
    texts = table["subscription"].slice(table.num_rows - changes).to_pylist()
    fresh = list(enumerate(texts, start=table.num_rows))

    def subscribe() -> None:
        for number, text in fresh:
            index[number] = text

    def unsubscribe() -> None:
        for number, _ in fresh:
            del index[number]

    seconds = [(timed(subscribe), timed(unsubscribe)) for _ in range(4)][1:]
    added, removed = (Measurement(tuple(column), changes) for column in zip(*seconds, strict=True))
    return {"subscribe/s": added.rate, "unsubscribe/s": removed.rate}
