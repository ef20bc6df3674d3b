"""Space and time of RAPIDMatch, at most and as expected (Kale, Hazan, Cao and Singh 2005, section 4.3).

There is a tree for each number of ones `t` up to `c` and each of its t + 1 blocks, and one for the rest: of c = 10 that
is 1 + 2 + … + 11 + 1 trees. A subscription is in those trees that may serve an event which it matches:

>>> trees(10)
67
>>> half = np.full(4, 0.5)
>>> round(held(0.1 * half, 0.1 * half, c=1), 2)          # of four trees; four properties, nine stars in ten
3.61

`zero` and `one` are the probabilities that a subscription asks for 0 or 1 at each property; otherwise it is a star. A
function named ``…_as_printed`` is the paper's own; its docstring names the error.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from watchword.arrays import Bools, Float64


def trees(c: int) -> int:
    """Return how many trees there are, if there are more than `c` properties."""
    return (c + 1) * (c + 2) // 2 + 1


def trees_as_printed(c: int) -> int:
    """Return the c² trees that the proof of Proposition 3 speaks of: too few up to c = 3, and too many from 5 on.

    With c = 1 a subscription of stars only is in all four trees, not in one:

    >>> [(c, trees_as_printed(c), trees(c)) for c in (1, 3, 4, 10)]
    [(1, 1, 4), (3, 9, 11), (4, 16, 16), (10, 100, 67)]
    """
    return c * c


def space_bound(subscriptions: int, properties: int, c: int) -> int:
    """Return the nodes of all trees at most (Proposition 3): a path of all properties for each subscription in each."""
    return trees(c) * properties * subscriptions


def depth(properties: int, ones: int, c: int) -> int:
    """Return how many properties the deepest tree asks that serves events with `ones` ones.

    >>> depth(100, 1, c=10), depth(100, 10, c=10), depth(100, 11, c=10)
    (50, 91, 100)
    """
    return properties - properties // (ones + 1) if ones <= c else properties


def time_bound(properties: int, ones: int, c: int, rows: int) -> int:
    """Return how many nodes an event with `ones` ones visits at most in a tree of `rows` rows (Proposition 4).

    At each node it follows the branch of its value and that of the star; with path compression a tree has fewer inner
    nodes than rows, so that there are less than two for each.
    """
    nodes: int = 2 ** (depth(properties, ones, c) + 1) - 1
    return min(nodes, max(2 * rows - 1, 1))


def time_bound_as_printed(properties: int, c: int) -> float:
    """Return 2^(k (1 - 1 / (c + 1))), the bound of Proposition 4.

    It counts leaves, not nodes, and takes blocks for equally long. Of three properties and c = 1 the second block has
    one property, its tree asks two, and an event may end at four leaves:

    >>> round(time_bound_as_printed(3, 1), 2), 2 ** depth(3, 1, 1), time_bound(3, 1, 1, rows=100)
    (2.83, 4, 7)
    """
    return float(2 ** (properties * (1 - 1 / (c + 1))))


def held(zero: Float64, one: Float64, c: int) -> float:
    """Return in how many trees a subscription is expected to be: with |S| of them, that many times as many entries."""
    return float(sum(chance for _, chance in held_by_tree(zero, one, c)))


def held_by_tree(zero: Float64, one: Float64, c: int) -> list[tuple[int, float]]:
    """Return for each tree the number of ones that it serves, c + 1 for the last, and the share of subscriptions in it.

    The tree of `t` ones and a block has those with at most `t` ones, none of them in the block, and at least `t` ones
    or stars (Definition 5, Propositions 1 and 2).
    """
    width = len(zero)
    found = []
    for ones in range(min(c, width) + 1):
        for begin, end in pairwise(_borders(width, ones + 1)):
            block = np.zeros(width, np.bool_)
            block[begin:end] = True
            found.append((ones, _share(zero, one, block, ones, width - ones)))
    if c < width:
        found.append((c + 1, _share(zero, one, np.zeros(width, np.bool_), width, width - c - 1)))
    return found


def _share(zero: Float64, one: Float64, block: Bools, ones: int, zeros: int) -> float:
    """Return the share of subscriptions with at most `ones` ones, none in the block, and at most `zeros` zeros."""
    chance = np.zeros((ones + 1, zeros + 1))
    chance[0, 0] = 1.0
    for place in range(len(zero)):
        after = chance * (1.0 - zero[place] - one[place])
        after[:, 1:] += chance[:, :-1] * zero[place]
        if not block[place]:
            after[1:] += chance[:-1] * one[place]
        chance = after
    return float(chance.sum())


def _borders(width: int, blocks: int) -> list[int]:
    """Return where consecutive blocks begin and end, the longer ones first."""
    length, longer = divmod(width, blocks)
    return [block * length + min(block, longer) for block in range(blocks + 1)]
