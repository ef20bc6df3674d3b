"""Searches over texts: Lucene Monitor.

    text       posts against 31,262 search queries, all words of which are required
    loose      the same; a tenth of the queries ask for a prefix, a word within one or two edits, or ``"a b"~2``
    booleans   posts against 100,000 searches with phrases, OR and NOT, drawn from those queries, seed 2011

Lucene's terms are cut and folded by Watchword's own characters, and its queries are written in the syntax of its
classic parser. It is given one text at a time, and 512, with the presearcher that it has by default and with the
multipass one (4 passes). A presearcher finds a query by the terms that weigh most, by default the longest; in the rows
`told frequencies` those are the rarest in these very posts, which nobody knows beforehand. Watchword, method `auto`, is
given one post at a time, and all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from benchmarks.data.keywords import accepted_queries, data_folder, posts
from benchmarks.harness import Report, Row
from benchmarks.peers.agreeing import Ids
from benchmarks.peers.characters import write_characters
from benchmarks.peers.comparing import Run, Way, batch_way, compare, own_rows
from benchmarks.peers.rivals import LUCENE_MONITOR
from benchmarks.peers.searches import Loose, Search, booleans, conjunction, generated, loose
from benchmarks.peers.setting import Setting
from watchword import KeywordIndex
from watchword.index import Index

SEED = 2011
FEW = 300
BATCHES = {"one at a time": "1", "512 at a time": "512"}
PASSES = {"": "0", ", multipass": "4"}
WEIGHTS = {"": "lengths", ", told frequencies": "frequencies"}


class Texts(NamedTuple):
    """Search queries as they were typed, and posts without line breaks."""

    kind: str
    queries: tuple[str, ...]
    posts: tuple[str, ...]


def compare_text(report: Report, given: Setting) -> None:
    """Section `text`."""
    texts = workload(report, given)
    searches = list(map(conjunction, texts.queries))
    title = f"text: {len(texts.posts):,} {texts.kind} posts against {len(searches):,} queries"
    _compare(report, given, title, texts.queries, searches, texts.posts, PASSES)


def compare_booleans(report: Report, given: Setting) -> None:
    """Section `booleans`."""
    texts = workload(report, given)
    drawn = booleans(list(map(conjunction, texts.queries)), given.scale.booleans, SEED)
    chosen = spread(texts.posts, given.scale.boolean_posts)
    title = f"booleans: {len(chosen):,} {texts.kind} posts against {len(drawn):,} searches with phrases, OR, NOT"
    _compare(report, given, title, [search.watchword() for search in drawn], drawn, chosen, {"": PASSES[""]})


def compare_loose(report: Report, given: Setting) -> None:
    """Section `loose`."""
    texts = workload(report, given)
    drawn = loose(list(map(conjunction, texts.queries)))
    title = f"loose: {len(texts.posts):,} {texts.kind} posts against {len(drawn):,} queries, a tenth of them loose"
    _compare(report, given, title, [search.watchword() for search in drawn], drawn, texts.posts, PASSES)


def workload(report: Report, given: Setting) -> Texts:
    """Return the real queries and posts, or generated ones: few of them where there is no data folder."""
    folder, scale = data_folder() / "text", given.scale
    if scale.queries is not None:
        return Texts("generated", *generated(scale.queries, scale.posts, SEED))
    if folder.is_dir():
        return _real(scale.posts)
    report.note(
        f"there is no {folder} (set WATCHWORD_DATA): {FEW} queries and posts are generated in place of real ones"
    )
    return Texts("generated", *generated(FEW, FEW, SEED))


def spread(texts: Sequence[str], count: int) -> Sequence[str]:
    """Return so many texts from the whole length: posts are in order of time, and what people search for changes.

    >>> spread("abcdefg", 3)
    'ace'
    """
    return texts[:: max(1, len(texts) // count)][:count]


@cache
def _real(count: int) -> Texts:
    folder = data_folder() / "text"
    texts = spread(posts(folder / "tweets-2020-60k.jsonl.gz"), count)
    plain = tuple(text.replace("\n", " ").replace("\r", " ") for text in texts)
    return Texts("real", tuple(accepted_queries(folder / "queries-30k.tsv.gz").values()), plain)


def _compare(
    report: Report,
    given: Setting,
    title: str,
    subscriptions: Sequence[str],
    searches: Sequence[Search | Loose],
    texts: Sequence[str],
    passes: dict[str, str],
) -> None:
    """Report the table of subscriptions, which are searches as Watchword reads them, on texts."""
    rules, events, characters = (given.folder / name for name in ("queries.txt", "posts.txt", "characters.txt"))
    _write_lines(rules, [search.lucene() for search in searches])
    _write_lines(events, texts)
    write_characters(characters)
    runs = [
        Run(f"{peer.name}{told}{presearcher}, {way}", peer, rules, (str(characters), batch, number, weights))
        for peer in given.ready(report, LUCENE_MONITOR)
        for told, weights in WEIGHTS.items()
        for presearcher, number in passes.items()
        for way, batch in BATCHES.items()
    ]
    compare(report, title, watchword_rows(subscriptions, texts), runs, events, given.scale.seconds)


def watchword_rows(subscriptions: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[Row, Ids]]:
    """Measure Watchword, from text to pairs, on all texts at once and on one at a time."""
    table = pa.table({"id": range(len(subscriptions)), "subscription": list(subscriptions)})
    make = partial(KeywordIndex, literal_operators=True)
    make(table.slice(0, 1000)).match_many(texts[:10])
    column = pa.array(texts)

    def ways(index: Index) -> Iterator[Way]:
        def one() -> Ids:
            return [index.match(text) for text in texts]

        yield Way("one at a time", one, len(texts), lambda: list(map(sorted, one())))
        yield batch_way("all at a time", index, column, column)

    yield from own_rows(partial(make, table), ways)


def _write_lines(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
