"""What the keyword benchmarks measure on: a synthetic workload in two sizes, and real texts where they lie.

Synthetic: Algorithm 7 of Kourdounakis 2011, seed 2011. Real: posts and search queries of the folder named by
WATCHWORD_DATA, or of ``../shared/data``; nothing of it belongs to the project.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from benchmarks.harness import ROOT
from watchword import KeywordIndex, SubscriptionError
from watchword.keywords.foreign import LOWER
from watchword.papers.workloads.syndication import Lengths, Sets, Vocabulary, chance_to_cover, generate
from watchword.text.analyzer import Analyzer

SEED = 2011
SUBSCRIPTION_ZIPF, ITEM_ZIPF = 0.75, 0.95


@dataclass(frozen=True)
class Scale:
    """How much data a run uses; `broadest` is the share of items that one subscription may match."""

    subscriptions: int
    vocabulary: int
    broadest: float
    items: int
    poset: int
    sizes: tuple[int, ...]


SCALES = {
    "small": Scale(100_000, 50_000, 0.1, 5_000, 100_000, (1_000, 10_000, 100_000)),
    "paper": Scale(10_000_000, 800_000, 0.0005, 10_000, 100_000, (10_000, 100_000, 1_000_000)),
}


def drawn_subscriptions(scale: Scale, count: int) -> Sets:
    """Return `count` subscriptions of 1 to 7 terms."""
    vocabulary = Vocabulary.zipf(scale.vocabulary, SUBSCRIPTION_ZIPF)
    return generate(vocabulary, count, Lengths.subscriptions(), seed=SEED)


def narrow_subscriptions(scale: Scale) -> pa.Table:
    """Return subscriptions as drawn, but for those that more than the share `broadest` of items would match.

    As drawn, the few frequent terms that stand alone in a subscription are in nearly every item: they are
    a twentieth of the subscriptions and give tens of thousands of matches per item, which is all that
    would be measured.
    """
    sets = drawn_subscriptions(scale, scale.subscriptions * 5 // 4)
    chances = chance_to_cover(sets, Vocabulary.zipf(scale.vocabulary, ITEM_ZIPF), Lengths.items().mean)
    kept = sets.where(chances <= scale.broadest).to_arrow_table()
    if kept.num_rows < scale.subscriptions:
        raise SystemExit(f"only {kept.num_rows} of {scale.subscriptions} subscriptions are narrow enough")
    return kept.slice(0, scale.subscriptions)


def drawn_items(scale: Scale) -> pa.ListArray:
    """Return items as lists of terms, coded by a dictionary of the terms that occur."""
    vocabulary = Vocabulary.zipf(scale.vocabulary, ITEM_ZIPF)
    sets = generate(vocabulary, scale.items, Lengths.items(), seed=SEED + 1)
    plain = sets.to_arrow_terms(dictionary=False)
    return pa.ListArray.from_arrays(plain.offsets, plain.values.dictionary_encode())


def data_folder() -> Path:
    """Return where the real data lies, if it does."""
    return Path(os.environ.get("WATCHWORD_DATA", ROOT.parent / "shared" / "data"))


def lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from file


def as_subscription(query: str) -> str:
    """Return a search query without what the keyword language would read as an operator."""
    return re.sub(r'["()]|(?<!\S)-+', " ", query).lower()


def accepted_queries(path: Path) -> dict[int, str]:
    """Return the queries that have a term to match."""
    index, accepted = KeywordIndex(literal_operators=True), {}
    for number, line in enumerate(lines(path)):
        text = as_subscription(line.rstrip("\n").split("\t")[1])
        try:
            index.check(text)
        except SubscriptionError:
            continue
        accepted[number] = text
    return accepted


def posts(path: Path) -> list[str]:
    """Return the texts of the posts."""
    return [json.loads(line)["text"] for line in lines(path)]


def post_terms(texts: list[str], share: float) -> list[list[str]]:
    """Return the terms of posts, in order, without those that stand in more than a share of the posts, or look like
    operators."""
    found = Analyzer().terms_many(texts).to_pylist()
    counts = Counter(term for terms in found for term in set(terms))
    kept = {term for term, count in counts.items() if count <= share * len(texts)} - LOWER
    return [[term for term in terms if term in kept] for terms in found]


def conjunctions(terms: list[list[str]], count: int) -> list[str]:
    """Return subscriptions of two words, and one in three of three, that stand together in a post."""
    draw = random.Random(SEED)
    posts = [list(dict.fromkeys(words)) for words in terms]
    posts = [words for words in posts if len(words) > 3]
    return [" ".join(draw.sample(draw.choice(posts), 2 + (number % 3 == 0))) for number in range(count)]


def booleans(terms: list[list[str]], count: int) -> list[str]:
    """Return subscriptions with phrases, OR and NOT, of words that stand in posts; a phrase is two neighbours."""
    draw = random.Random(SEED)
    posts = [words for words in terms if len(words) > 3]
    shapes = [
        "{a} OR {b}",
        "{a} AND ({b} OR {c})",
        '"{d} {e}" OR {a}',
        "{a} OR {b} NOT {c}",
        '{a} OR "{d} {e}" NOT {b}',
        "({a} OR {b}) AND ({c} OR {d}) NOT {e}",
    ]
    return [draw.choice(shapes).format(**_words(draw, draw.choice(posts))) for _ in range(count)]


def _words(draw: random.Random, words: list[str]) -> dict[str, str]:
    at = draw.randrange(len(words) - 1)
    a, b, c = (draw.choice(words) for _ in range(3))
    return {"a": a, "b": b, "c": c, "d": words[at], "e": words[at + 1]}
