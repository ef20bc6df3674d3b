"""The trie at worst, which is counting, and what the thesis prints of it (Kourdounakis 2011, section 2.3).

In the complete trie over `n` terms term `j` occurs C(j, l) times at level `l` (Lemma 2): once for each choice of `l`
terms before it. Cut off at the length of subscriptions that gives

>>> bounded_nodes(4, 4), bounded_nodes(4, 2), bounded_nodes(50, 4)
(15, 10, 251175)

nodes: of 4 terms, of 4 terms and pairs, and what an item of 50 terms visits at most where subscriptions have 4 (2.21).

A function named ``…_as_printed`` is the thesis's own, for comparison; its docstring names the error. `trie` has
the expected values.
"""

from __future__ import annotations

from math import comb

import numpy as np

from watchword.arrays import Float64, Int64
from watchword.papers.models.terms import behind


def pascal(size: int) -> Int64:
    """Return the triangle as a matrix: ``[i, j]`` is C(i, j), the occurrences of term `i` at level `j` (Lemma 2).

    The definition begins with T[i][0] = 1; the rest is T[i][j] = the sum of T[k][j - 1] over k < i.

    >>> pascal(4).tolist()
    [[1, 0, 0, 0], [1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]]
    """
    return _triangle(size, column=True)


def pascal_as_printed(size: int) -> Int64:
    """Return what the definition gives as printed, with T[0][j] = 1: ones in the first row instead of the first column.

    What it leaves undefined is 0 here. It is not the matrix that the thesis prints below it:

    >>> pascal_as_printed(4).tolist()
    [[1, 1, 1, 1], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 3, 4]]
    """
    return _triangle(size, column=False)


def _triangle(size: int, column: bool) -> Int64:
    triangle = np.zeros((size, size), np.int64)
    triangle[(slice(None), 0) if column else (0, slice(None))] = 1
    for i in range(1, size):
        triangle[i, 1:] = triangle[:i, :-1].sum(axis=0)
    return triangle


def bounded_nodes(terms: int, length: int) -> int:
    """Return the nodes of the trie of all sets of up to `length` of `terms` terms (2.15 with |S_i|; 2.21 of an item).

    The double sum of C(n, k) over k < length and n < terms is the sum of C(terms, k) for k from 1 to `length`.
    """
    return sum(comb(terms, k) for k in range(1, length + 1))


def bounded_nodes_as_printed(terms: int) -> int:
    """Return equation 2.15 as printed: its upper limit is |V_S| - 1 for |S_i| - 1, so that nothing is cut off.

    >>> bounded_nodes_as_printed(20), bounded_nodes(20, 3)
    (1048575, 1350)
    """
    return bounded_nodes(terms, terms)


def visits_summary_as_printed(terms: int, length: int) -> int:
    """Return the visits of the summary below Table 2.7, which sums one row of the triangle more than 2.21 does.

    >>> visits_summary_as_printed(50, 4), bounded_nodes(50, 4)
    (272051, 251175)
    """
    return sum(comb(n, k) for k in range(length) for n in range(terms + 1))


def allowed_node_weight(nodes: int, postings: int) -> float:
    """Return how many times as much as a posting a node may take, for a trie to save memory (section 4.1.1).

    The thesis has 1.5 million nodes for 2 million postings of uniform terms, so 4/3:

    >>> round(allowed_node_weight(1_500_000, 2_000_000), 4)
    1.3333
    """
    return postings / nodes


def share_path_as_printed(one: set[int], other: set[int]) -> bool:
    """Say whether two subscriptions share a path after Lemma 4 as printed: all common terms before all others.

    That is the condition to share *all* common terms. {1, 2, 5} and {1, 3, 5} share the node of 1:

    >>> share_path_as_printed({1, 2, 5}, {1, 3, 5}), shared_nodes({1, 2, 5}, {1, 3, 5})
    (False, 1)
    """
    common, rest = one & other, one ^ other
    return all(term < left for term in common for left in rest)


def shared_nodes(one: set[int], other: set[int]) -> int:
    """Return how many nodes two subscriptions share: the common beginning of their terms in order (Lemma 4)."""
    pairs = list(zip(sorted(one), sorted(other), strict=False))
    return next((at for at, (left, right) in enumerate(pairs) if left != right), len(pairs))


def inferior_as_printed(occurring: Float64) -> Float64:
    """Return equation 2.16 as printed: the sum of P(t_k in S) over the terms behind each. It is no probability.

    The events are not exclusive. Of four terms that all occur, three stand behind the first:

    >>> inferior_as_printed(np.ones(4)).tolist()
    [3.0, 2.0, 1.0, 0.0]
    """
    return behind(occurring)


def levels_as_printed(occurring: Float64, length: int) -> Float64:
    """Return Lemma 3 as printed (2.17 to 2.20): for each level and term a "probability".

    It inherits 2.16, multiplies the parent's tail again at each level, leaves out which of the draws is which term, and
    does not know how many subscriptions there are, but through P(t in S). Of four terms that all occur:

    >>> levels_as_printed(np.ones(4), 3).tolist()
    [[9.0, 4.0, 1.0, 0.0], [0.0, 18.0, 13.0, 0.0], [0.0, 0.0, 18.0, 31.0]]
    """
    levels = np.zeros((length, len(occurring)))
    tail = behind(occurring)
    levels[0] = occurring * tail ** (length - 1)
    for level in range(1, length):
        above = np.concatenate([[0.0], np.cumsum(levels[level - 1])[:-1]])
        levels[level] = above * occurring * tail ** (length - level - 1)
    return levels
