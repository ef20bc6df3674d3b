"""The workload of the thesis, in numbers: what Figure 4.1 of Kourdounakis 2011 shows, fitted to its own tables.

The figure has no data. But Table 4.4 says how many of 800,000 terms occur in ten million subscriptions, its blocks and
empty slots how many postings there are (2.556 a subscription), and Table 4.6's decrements how long items are: 17
distinct terms on average, not the 52 words of section 1.1.3. The vocabulary is that of subscriptions and items alike:

>>> terms = vocabulary(1_000)
>>> subscriptions = generate(terms, 20_000, subscription_lengths(), seed=1)
>>> items = generate(terms, 1_000, item_lengths(), seed=2)
>>> round(len(subscriptions.terms) / 20_000, 1), round(len(items.terms) / 1_000, 1)
(2.6, 16.8)

Term numbers are ranks in the vocabulary, whatever a sample of it makes of them: an order for the tries (`ranking`).

One fit does not serve all tables. `vocabulary` meets those over 800,000 and 100,000 terms; over 10,000 it has a third
of the trie nodes of Table 4.2. There plain Zipf with exponent .84 does (`small_vocabulary`), over subscriptions of 2
to 6 terms (`spread_lengths`).

What the thesis leaves for later (sections 5.1.3 and 6) starts from sets drawn so: `contained` puts subscriptions within
others, `chains` are sets each within the next, `similar` makes them nearly equal, `drifted` changes which terms are
frequent.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import numpy as np
import numpy.typing as npt

from watchword.errors import OptionError
from watchword.papers.workloads.syndication import Lengths, Sets, Vocabulary, generate

__all__ = [
    "chains",
    "contained",
    "drifted",
    "generate",
    "item_lengths",
    "similar",
    "small_vocabulary",
    "spread_lengths",
    "subscription_lengths",
    "vocabulary",
]

WHOLE = 1_462_599
"""Terms of the 10,799,285 items that the thesis has its vocabulary from."""

_KNEE, _HEAD, _TAIL = 1500, -0.4, -1.65
_SHORTEST, _LONGEST = 1, 15
_LONGEST_ITEM, _ITEM_MEDIAN, _ITEM_SIGMA = 50, 15.22, 0.72


def vocabulary(size: int = 800_000, seed: int = 3) -> Vocabulary:
    """Return `size` terms chosen from the whole vocabulary: r^-0.4 up to rank 1,500, r^-1.65 beyond.

    Which frequent terms are chosen matters: of five seeds, 3 comes nearest to Table 4.6, others have up to 16 % more.
    """
    ranks = np.arange(1, WHOLE + 1, dtype=np.float64)
    tail = _KNEE ** (_HEAD - _TAIL) * ranks**_TAIL
    return Vocabulary(np.where(ranks <= _KNEE, ranks**_HEAD, tail)).downsample(size, seed)


def small_vocabulary(size: int = 10_000) -> Vocabulary:
    """Return the vocabulary that Tables 4.2 and 4.3 were measured on, as near as one number gets: Zipf .84."""
    return Vocabulary.zipf(size, 0.84)


def subscription_lengths() -> Lengths:
    """Return the lengths of search queries (Figure 4.1c): 2.556 terms on average, from 1 to 15."""
    longer = {n: 0.4185 * 0.542 * 0.458 ** (n - 3) for n in range(3, _LONGEST + 1)}
    return Lengths.from_probabilities({_SHORTEST: 0.2158, 2: 0.3657} | longer)


def spread_lengths() -> Lengths:
    """Return lengths of 4 on average for Tables 4.2 and 4.3: 2 to 6, each as likely.

    They cannot all be 4: 500,000 random sets of four of 10,000 terms are all different, and the thesis has 107 nodes
    with 2 or 3 subscriptions, and 831 subscriptions at inner nodes. A fifth of two terms gives 100 and 800.
    """
    return Lengths.from_probabilities(dict.fromkeys(range(2, 7), 1.0))


def item_lengths() -> Lengths:
    """Return the lengths of items (Figure 4.1b) in distinct terms: log-normal, cut off at 50, 17.15 on average."""
    lengths = np.arange(1, _LONGEST_ITEM + 1)
    shares = np.exp(-0.5 * (np.log(lengths / _ITEM_MEDIAN) / _ITEM_SIGMA) ** 2) / lengths
    return Lengths.from_probabilities(dict(zip(lengths.tolist(), shares.tolist(), strict=True)))


def contained(sets: Sets, share: float, seed: int = 0) -> Sets:
    """Return the sets with a `share` of them put in place of others: one of the sets before it, and one term more.

    So each of these has a subset among the sets, and chains of them form. The terms that are added are terms of the
    set that had the place.

    >>> plain = Sets(np.array([0, 2, 4]), np.array([7, 4, 1, 2], np.int32), 10)
    >>> contained(plain, 1.0).terms.tolist()
    [7, 4, 7, 4, 1]
    """
    return _replaced(sets, share, seed, _with_one_more)


def chains(count: int, length: int, *, by_frequency: bool = False) -> Sets:
    """Return chains of sets, each the one before without its first term, over terms of their own (Figure 5.3).

    {t1, t2, t3}, {t2, t3}, {t3}: t3 is in all of them and has the lowest rank, so that an order by rank goes against
    the frequencies. With `by_frequency` ranks are the other way round:

    >>> chains(1, 3).terms.tolist(), chains(1, 3, by_frequency=True).terms.tolist()
    ([0, 1, 2, 1, 2, 2], [2, 1, 0, 1, 0, 0])
    """
    if count < 0 or length < 1:
        raise OptionError(f"{count} chains of {length} sets cannot be made")
    one = np.concatenate([np.arange(first, length) for first in range(length)])
    terms = (np.arange(count)[:, None] * length + one).ravel().astype(np.int32)
    size = count * length
    sizes = np.tile(np.arange(length, 0, -1), count)
    ranked = size - 1 - terms if by_frequency else terms
    return Sets(np.concatenate([[0], np.cumsum(sizes)]), ranked, size)


def similar(sets: Sets, share: float, seed: int = 0) -> Sets:
    """Return the sets with a `share` of them put in place of others: one of the sets before it, with one term changed.

    These are subscriptions of people with the same interests (chapter 6): alike but for one term, which is a term of
    the set that had the place. A set of one term has nothing to keep, and is repeated.

    >>> plain = Sets(np.array([0, 2, 4]), np.array([7, 4, 1, 2], np.int32), 10)
    >>> similar(plain, 1.0).terms.tolist()
    [7, 4, 7, 1]
    """
    return _replaced(sets, share, seed, _with_one_changed)


def drifted(terms: Vocabulary, share: float, seed: int = 0) -> npt.NDArray[np.int32]:
    """Return the term that each rank belongs to after `share` of the terms have changed places with each other.

    A distribution that drifts is the same curve over other terms: draw sets from the vocabulary as ever, and pass
    their terms through this array.

    >>> drifted(Vocabulary.zipf(6, 1.0), 0.0).tolist()
    [0, 1, 2, 3, 4, 5]
    """
    _check_share(share)
    random = np.random.default_rng(seed)
    moved = np.flatnonzero(random.random(len(terms)) < share)
    after = np.arange(len(terms), dtype=np.int32)
    after[moved] = random.permutation(moved)
    return after


def _replaced(sets: Sets, share: float, seed: int, make: Callable[[list[int], list[int]], list[int]]) -> Sets:
    """Put what `make` makes of an earlier set, drawn among all of them, and of the set there, into some places."""
    _check_share(share)
    random = np.random.default_rng(seed)
    chosen = (random.random(len(sets)) < share).tolist()
    models = (random.random(len(sets)) * np.arange(len(sets))).astype(np.int64).tolist()
    offsets, terms = sets.offsets.tolist(), sets.terms.tolist()
    found = [terms[: offsets[1]]] if len(sets) else []
    for place in range(1, len(sets)):
        own = terms[offsets[place] : offsets[place + 1]]
        found.append(make(found[models[place]], own) if chosen[place] else own)
    sizes = np.fromiter(map(len, found), np.int64, len(found))
    flat = np.fromiter(chain.from_iterable(found), np.int32, int(sizes.sum()))
    return Sets(np.concatenate([[0], np.cumsum(sizes)]), flat, sets.vocabulary_size)


def _with_one_more(model: list[int], place: list[int]) -> list[int]:
    """Return a set with the first term of another that it has not; without one, the set itself."""
    return model + [term for term in place if term not in model][:1]


def _with_one_changed(model: list[int], place: list[int]) -> list[int]:
    """Return a set whose last term is changed for one of another's."""
    fresh = [term for term in place if term not in model][:1]
    return model[:-1] + fresh if len(model) > 1 and fresh else model


def _check_share(share: float) -> None:
    if not 0 <= share <= 1:
        raise OptionError(f"a share is from 0 to 1, not {share}")
