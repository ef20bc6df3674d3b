"""TreeMatch: one search tree over all properties, in their order (Kale et al. 2005, section 3, Definition 4).

The subscriptions ``10*``, ``1*0`` and ``0**`` over three properties, as 7, 8 and 9:

>>> import numpy as np
>>> from watchword.properties.bits import Bits
>>> from watchword.sets.rows import Rows
>>> tree = Tree(3)
>>> tree.add(Rows(np.array([0, 2, 4, 5]), np.array([1, 2, 1, 4, 0], np.int32)), np.array([7, 8, 9], np.int32))
>>> print(tree.draw())
0=0 [9]
0=1
  1=0 [7]
  1=* [8]
>>> tree.match(Bits.of(np.array([[1, 0, 1]], np.uint8))).payloads.tolist()
[7]

The paper's tree has a node for every property of every path; here only those at which rows part, which at a million
subscriptions over a hundred properties is a hundredth of them. What lies between is checked at the leaf.
"""

from __future__ import annotations

from watchword.properties.forest import SearchForest, SearchTree


class Tree(SearchForest):
    """All rows in one tree, which serves every event."""

    def __init__(self, width: int) -> None:
        super().__init__(width, [SearchTree(0, width, 0, width)])
