"""The indexes of the thesis as it measures them: over numbers of terms, the rank in the vocabulary being the number.

Nothing is parsed here and no id kept: the thesis's items and subscriptions are sets of term numbers too. What a
`KeywordIndex` with ``ranking=`` builds from the same terms as texts is the same structure, node for node.

>>> terms = calibrated.small_vocabulary(100)
>>> rows = drawn(terms, 500, calibrated.subscription_lengths(), "empirical", 1)
>>> trie = built("trie", rows)
>>> trie.stats()["nodes"] <= built("count", rows).stats()["postings"]
True
>>> matched(trie, drawn(terms, 20, calibrated.item_lengths(), "empirical", 2)).items
20
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from watchword.papers.experiments.measuring import SHELF, timed
from watchword.papers.workloads import calibrated
from watchword.papers.workloads.syndication import Distribution, Lengths, Sets, Vocabulary, generate
from watchword.sets.compact_count import CompactCount
from watchword.sets.count import Count
from watchword.sets.inverted import Inverted
from watchword.sets.order import AtomOrder
from watchword.sets.packed import PackedRows
from watchword.sets.poset import Poset
from watchword.sets.rows import Rows
from watchword.sets.structure import SetStructure
from watchword.sets.tries.compact_trie import CompactTrie
from watchword.sets.tries.trie import Trie

DISTRIBUTIONS: tuple[Distribution, ...] = ("empirical", "anti-correlated", "uniform")
BATCH = 1000
"""Items that are matched at a time."""

_STRUCTURES: dict[str, Callable[..., SetStructure]] = {
    "auto": PackedRows,
    "inverted": Inverted,
    "count": Count,
    "compact-count": CompactCount,
    "trie": Trie,
    "compact-trie": CompactTrie,
    "poset": Poset,
    "poset-delta": lambda: Poset(storage="delta"),
}


class Matched(NamedTuple):
    """What it took to match items: microseconds and operations for one, and how many subscriptions it found."""

    microseconds: float
    operations: float
    found: float
    items: int


@cache
def terms_of(size: int) -> Vocabulary:
    """Return the calibrated vocabulary of a size."""
    return calibrated.vocabulary(size)


def drawn(vocabulary: Vocabulary, count: int, lengths: Lengths, distribution: Distribution, seed: int) -> Rows:
    """Return random sets, each with its terms in the order of the vocabulary."""
    return in_order(generate(vocabulary, count, lengths, distribution, seed))


def in_order(sets: Sets) -> Rows:
    """Return sets as rows, each in the order of the vocabulary."""
    return AtomOrder("given", sets.vocabulary_size).in_order(Rows(sets.offsets, sets.terms))


def shelved(vocabulary: int, count: int, lengths: Lengths, distribution: Distribution, seed: int) -> Rows:
    """Return random subscriptions of the calibrated vocabulary; methods that come after each other share them."""
    key = ("rows", vocabulary, count, lengths.probabilities.tobytes(), distribution, seed)
    return SHELF.get(key, lambda: drawn(terms_of(vocabulary), count, lengths, distribution, seed))


def part(rows: Rows, first: int, last: int) -> Rows:
    """Return some of the rows."""
    offsets = rows.offsets[first : last + 1]
    return Rows(offsets - offsets[0], rows.atoms[offsets[0] : offsets[-1]])


def made(method: str, vocabulary: int = 0, **options: Any) -> SetStructure:
    """Return an empty index; `vocabulary` is what the capacity of ``compact-count`` is a part of."""
    _compiled(method)
    if method == "compact-count":
        options["vocabulary"] = vocabulary
    return _STRUCTURES[method](**options)


def grown(structure: SetStructure, rows: Rows, steps: int) -> Iterator[tuple[int, float]]:
    """Add rows in equal steps; yields after each how many there are, and the microseconds that one has taken."""
    borders = np.linspace(0, len(rows), steps + 1).astype(np.int64).tolist()
    for first, last in pairwise(borders):
        batch, payloads = part(rows, first, last), np.arange(first, last, dtype=np.int32)
        seconds = timed(partial(settled, structure, batch, payloads))
        yield last, 1e6 * seconds / max(1, last - first)


def built(method: str, rows: Rows, vocabulary: int = 0, **options: Any) -> SetStructure:
    """Return an index of rows."""
    structure = made(method, vocabulary, **options)
    settled(structure, rows, np.arange(len(rows), dtype=np.int32))
    return structure


def matched(structure: SetStructure, items: Rows, turns: int = 1) -> Matched:
    """Match items in batches; the time is the best of some turns."""
    batches = [part(items, at, min(at + BATCH, len(items))) for at in range(0, len(items), BATCH)]
    structure.match(part(items, 0, min(1, len(items))))  # work that is done once is not timed
    answers: list[Any] = []

    def turn() -> None:
        answers[:] = [structure.match(batch) for batch in batches]

    seconds, count = min(timed(turn) for _ in range(turns)), max(1, len(items))
    operations = sum(hits.operations for hits in answers)
    found = sum(len(hits.payloads) for hits in answers)
    return Matched(1e6 * seconds / count, operations / count, found / count, len(items))


def figures(structure: SetStructure) -> dict[str, Any]:
    """Return what a table prints of an index, megabytes in place of bytes."""
    stats = dict(structure.stats())
    sizes = {"MB": stats.pop("bytes") / 1e6, "MB allocated": stats.pop("allocated_bytes", 0) / 1e6 or None}
    return sizes | {name: value for name, value in stats.items() if not name.endswith("_bytes")}


@cache
def _compiled(method: str) -> None:
    """Let everything be compiled that an index of this method needs, so that no time has it in it."""
    structure, rows = _STRUCTURES[method](), Rows(np.array([0, 1, 3]), np.array([1, 1, 2], np.int32))
    settled(structure, rows, np.arange(2, dtype=np.int32))
    structure.match(rows)


def settled(structure: SetStructure, rows: Rows, payloads: Any) -> None:
    """Add rows, and wait for what the index does aside."""
    structure.add(rows, payloads)
    structure.prepare()
    structure.condense()
