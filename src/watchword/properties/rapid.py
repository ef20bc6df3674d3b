"""RAPIDMatch: a tree for every number of ones and every block without any (Kale et al. 2005, section 4).

An event with exactly `t` ones is satisfied only by rows that have at most `t` ones, and at least `t` ones or stars: the
set S_t (Proposition 1). The properties are cut into t + 1 blocks; one of them has no 1 in the event, and none in any
row that the event satisfies: the set T^t_j of block `j` (Proposition 2). Its tree asks all properties but those of the
block, beginning behind it. Events with more than `c` ones go to a plain tree of the rows that may have more than `c`
ones.

Of five properties and c = 1 there are four trees; 5 / 2 is not whole, so the blocks share out the remainder:

>>> for tree in search_trees(5, 1):
...     print(tree)
SearchTree(start=0, depth=0, least=0, most=0)
SearchTree(start=3, depth=2, least=1, most=1)
SearchTree(start=0, depth=3, least=1, most=1)
SearchTree(start=0, depth=5, least=2, most=5)

An event with the one 1 at property 4 finds block 0 (properties 0 to 2) without ones, and walks the second tree.

Where we read the paper's text as it must be meant: a row goes into every T^t_j that it fits, for an event may find
another block first ("disjoint" would lose it); for t = 0 the only block is all properties, and the tree is a list; of
fewer properties than blocks, the last blocks are empty.

Cost: with c = 10 and the paper's workload a row is in 29 of 67 trees, with a cell and at most a node in each.
"""

from __future__ import annotations

from itertools import pairwise

from watchword.properties.forest import SearchForest, SearchTree


class Rapid(SearchForest):
    """Rows in every tree that may serve an event that satisfies them."""

    def __init__(self, width: int, c: int) -> None:
        super().__init__(width, search_trees(width, c))


def search_trees(width: int, c: int) -> list[SearchTree]:
    """Return the trees T^t_j for t up to `c`, and that of S_(c+1)."""
    most = min(c, width)
    trees = [
        SearchTree(end % width, width - (end - begin), ones, ones)
        for ones in range(most + 1)
        for begin, end in pairwise(block_borders(width, ones + 1))
    ]
    return [*trees, SearchTree(0, width, c + 1, width)] if c < width else trees


def block_borders(width: int, blocks: int) -> list[int]:
    """Return the borders of consecutive blocks whose lengths differ by at most one.

    >>> block_borders(100, 6)
    [0, 17, 34, 51, 68, 84, 100]
    """
    length, longer = divmod(width, blocks)
    return [block * length + min(block, longer) for block in range(blocks + 1)]
