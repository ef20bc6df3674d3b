"""The words of each subscription of REtriever, in their order, with the gaps between them.

Two ways of keeping it, and so of MATCH:

    beginnings      subscriptions that begin alike share what they begin with; found going forward (`beginnings`)
    records         each word of each subscription has a record; found going backwards, as published (`records`)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from watchword.arrays import Arrays, Int32
from watchword.index.hits import Hits
from watchword.kernels.patterns.point_rows import PointRows
from watchword.kernels.patterns.retriever.splitting import SplitRule
from watchword.kernels.sequences import share_trie
from watchword.strings import Strings


class Figures(NamedTuple):
    """The numbers of subscriptions, of their words, and of nodes outside the automaton, and their bytes."""

    subscriptions: int
    words: int
    nodes: int
    bytes: int


class Recombination(ABC):
    """The automaton of words, `trie`, and the records that recombine them. A new one is empty."""

    def __init__(self) -> None:
        self.trie = share_trie.new_trie()

    @abstractmethod
    def insert(self, rows: PointRows, payloads: Int32, rule: SplitRule) -> None:
        """Insert patterns one after the other (INSERT)."""

    @abstractmethod
    def delete(self, row: PointRows, payload: int) -> bool:
        """Delete a pattern if the payload has exactly this one; returns whether it had (DELETE)."""

    @abstractmethod
    def match(self, texts: Strings) -> tuple[Hits, int]:
        """Find words by sliding windows and recombine them (MATCH); also returns the states visited."""

    @abstractmethod
    def renumber(self, payloads: Int32) -> None:
        """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``."""

    @abstractmethod
    def words(self) -> Iterator[list[int]]:
        """Yield each payload and the last states of its words, from the last word to the first."""

    @abstractmethod
    def figures(self) -> Figures:
        """Return the figures."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the state; the arrays share memory with it."""

    @abstractmethod
    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""


def renumber_records(held: Int32, last: Int32, payloads: Int32) -> Int32:
    """Replace the payloads of records, in place; returns the new table of subscriptions.

    ``last[p]`` is the record of payload `p`, or -1.
    """
    known = (held >= 0) & (held < len(payloads))
    accepting = last[last >= 0]
    held[known] = payloads[held[known]]
    subscribed = held[accepting]
    table = np.full(int(subscribed.max(initial=-1)) + 1, -1, np.int32)
    table[subscribed] = accepting
    return table
