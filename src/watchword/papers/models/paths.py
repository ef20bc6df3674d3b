"""What PMA and PMA2 take at most (Silvasti, Sippu and Soisalon-Soininen 2010, Theorem 2 and section 5).

`n` elements in a document of depth `L`, paths of `keywords` keywords in all, `occurrences` of prefixes of paths, and
K states at most whose keywords end at once:

>>> round(theorem_2_as_printed(k=3, elements=1_000, depth=8, keywords=512, occurrences=200))
5400
>>> round(pma2_bound(k=3, elements=1_000, depth=8, keywords=512, occurrences=200))
26400

What a run did is set beside them as `steps`: a search in a state is one, a tuple that is touched, inserted or deleted
as many as a balanced tree of L × #keywords tuples is high.
"""

from __future__ import annotations

from math import log2


def height(depth: int, keywords: int) -> float:
    """Return the logarithm of Theorem 2, log(L × #keywords): the height of the tree of output tuples.

    >>> height(8, 512), height(1, 1)
    (12.0, 1.0)
    """
    return max(1.0, log2(depth * keywords))


def theorem_2_as_printed(k: int, elements: int, depth: int, keywords: int, occurrences: int) -> float:
    """Return K n + log(L × #keywords) × occurrences: Theorem 2, whose constant is left open.

    It has no term for tuples that expire. Algorithm 2 deletes them at an element, and Algorithm 4 puts them back when
    it closes, at every sibling again. With 30 paths as ``/x//y`` and a root with 20 children that is none of the `x`
    no prefix occurs, and the bound is that of the searches; but 30 tuples go and come 20 times:

    >>> theorem_2_as_printed(k=2, elements=21, depth=2, keywords=60, occurrences=0), expiries(20, 30)
    (42.0, 1200)
    """
    return k * elements + height(depth, keywords) * occurrences


def expiries(siblings: int, tuples: int) -> int:
    """Return the changes that expired tuples make: each is deleted, and put back, at every sibling."""
    return 2 * siblings * tuples


def pma2_bound(k: int, elements: int, depth: int, keywords: int, occurrences: int) -> float:
    """Return maxdepth K n + log(L × #keywords) × occurrences (section 5): every level is searched, and none undone."""
    return theorem_2_as_printed(k * depth, elements, depth, keywords, occurrences)


def steps(searches: int, touched: int, changes: int, depth: int, keywords: int) -> float:
    """Return what a run did, in the steps of the bounds.

    >>> steps(searches=21, touched=0, changes=1_200, depth=2, keywords=64)
    8421.0
    """
    return searches + height(depth, keywords) * (touched + changes)
