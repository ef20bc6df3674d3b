"""Paths that fit a DTD: the generator of YFilter's experiments, which the experiments of PMA2 use as well.

Implements the path generator of Diao et al. 2003 (*Path Sharing and Predicate Evaluation for High-Performance XML
Filtering*, section 4), with which Figure 1 of Silvasti et al. 2010 was made. A path goes down from the root of a DTD,
child by child, at most `depth` steps; a step becomes `*` with probability `wildcard`, and with probability `descendant`
some levels are left out in favour of `//`:

>>> PathWorkload(paths=4, dtd=NEWS, seed=4).subscription_table()["subscription"].to_pylist()
['/story/body//file', '/*', '/*/notes/para/link/strong/place', '/*/notes//para/*']

In detail. The children of an element are the distinct names of its content model, order and cardinality aside; the
child of rank `r` in the order of the model is drawn with probability proportional to ``(1 / r) ** theta``. Before a
level, unless a `//` is open, one is opened with probability `descendant`, and how many levels it skips is drawn
uniformly below ``depth - level``. A skipped level writes nothing. A level that is not skipped writes `*` with
probability `wildcard`, else the child's name, which closes an open `//`. So a `*` behind `//` is written before it:
``/*//name``, never ``//*/name``, which is the same. A leaf ends the path, and a `//` with nothing behind it is left
out; what remains empty is drawn again.

Of equal paths only the first is kept where distinct ones are wanted. The original gives a path up after 100 draws that
are not new; here 100 draws a path are allowed to all paths together, since the last ones take more than the first.
Path `i` depends on the seed and on `i`, not on how many are asked for: paths are drawn in blocks, each with a seed of
its own, a level of the whole block at a time. Texts are put together by Arrow from a small vocabulary of steps; no path
is ever a Python object.

Documents of the same DTD are in `documents`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword.arrays import Bools, Float64, Int64
from watchword.errors import OptionError
from watchword.papers.workloads.dtd import NEWS, Dtd

BLOCK = 1 << 16
TRIES = 100
_NO_SEPARATOR = pa.scalar("", pa.large_string())
_NOTHING, _STAR, _FIRST_NAME = 0, 1, 2


@dataclass(frozen=True)
class PathWorkload:
    """Diao et al.'s parameters: Q paths of at most D steps, prob(`*`), prob(`//`), theta, distinct or as drawn."""

    paths: int
    dtd: Dtd = NEWS
    depth: int = 6
    wildcard: float = 0.2
    descendant: float = 0.2
    theta: float = 0.0
    distinct: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        if self.paths < 0 or self.depth < 1:
            raise OptionError(f"{self.paths} paths of at most {self.depth} steps cannot be drawn")
        if not (0 <= self.wildcard <= 1 and 0 <= self.descendant <= 1):
            raise OptionError(f"wildcard and descendant are probabilities, not {self.wildcard} and {self.descendant}")
        if not 0 <= self.theta < np.inf:
            raise OptionError(f"theta is 0 for children that are equally likely, or more, not {self.theta}")

    def subscription_table(self) -> pa.Table:
        """Return the paths: `id` (int64, from 0) and `subscription` (large_string)."""
        texts = self._new_texts() if self.distinct else self._texts()
        return pa.table({"id": np.arange(self.paths), "subscription": texts})

    def _texts(self) -> pa.LargeStringArray:
        """Return paths as they are drawn."""
        kept, enough = [pa.array([], pa.large_string())], 0
        for drawn in self._draws():
            if enough >= self.paths:
                break
            kept.append(drawn)
            enough += len(drawn)
        return pa.concat_arrays(kept)[: self.paths]

    def _new_texts(self) -> pa.LargeStringArray:
        """Return `paths` distinct paths."""
        draws = self._draws()
        kept = pa.array([], pa.large_string())
        tries = 0
        while len(kept) < self.paths:
            if tries >= TRIES * self.paths:
                raise OptionError(
                    f"of {self.paths:,} paths only {len(kept):,} are distinct, after {TRIES} tries for each: "
                    "ask for fewer, or for more steps"
                )
            # About as many draws again as there are paths, so that each path is looked at a few times only.
            drawn = [next(draws) for _ in range(1 + len(kept) // BLOCK)]
            tries += len(drawn) * BLOCK
            kept = pc.unique(pa.concat_arrays([kept, *drawn]))
        return kept[: self.paths]

    def _draws(self) -> Iterator[pa.LargeStringArray]:
        """Yield blocks of texts without end, the empty ones left out."""
        children = _children(self.dtd, self.theta)
        steps = _vocabulary(self.dtd.names)
        block = 0
        while True:
            codes = self._codes(np.random.default_rng([self.seed, block]), children)
            texts = pc.binary_join_element_wise(*(steps.take(pa.array(level)) for level in codes), _NO_SEPARATOR)
            yield texts.filter(pc.greater(pc.binary_length(texts), 0))
            block += 1

    def _codes(self, random: np.random.Generator, children: _Children) -> Int64:
        """Draw a block: a row for each level, a column for each path, of places in the vocabulary."""
        codes = np.zeros((self.depth, BLOCK), np.int64)
        at = np.full(BLOCK, children.document)
        skips = np.zeros(BLOCK, np.int64)
        open_gap, ended = np.zeros(BLOCK, np.bool_), np.zeros(BLOCK, np.bool_)
        for level in range(self.depth):
            child, opens, skipping, starred = random.random((4, BLOCK))
            at = children.drawn(at, child)
            opened = ~open_gap & (opens < self.descendant)
            skips[opened] = skipping[opened] * (self.depth - level)
            skipped, star = skips > 0, starred < self.wildcard
            open_gap |= opened
            step = np.where(star, _STAR, _FIRST_NAME + 2 * at + open_gap)
            codes[level] = np.where(skipped | ended, _NOTHING, step)
            open_gap &= skipped | star
            skips -= skipped
            ended |= children.leaf[at]
        return codes


class _Children(NamedTuple):
    """Who stands below whom. Elements are numbers; one more, `document`, has the root as its only child.

    ``shares[first + r]`` is the element's number plus the probability that its child is one of the first `r` + 1; a
    leaf is its own child, so that every element has one.
    """

    children: Int64
    shares: Float64
    last: Int64
    leaf: Bools
    document: int

    def drawn(self, at: Int64, uniform: Float64) -> Int64:
        """Return a child of each element, by a number from 0 to 1."""
        place = np.searchsorted(self.shares, at + uniform, side="right")
        # Rounding may lift the largest draw past the last child.
        return self.children[np.minimum(place, self.last[at])]


def _children(dtd: Dtd, theta: float) -> _Children:
    numbers = {name: number for number, name in enumerate(dtd.names)}
    rows = [[numbers[child] for child in dtd.children(name)] for name in numbers]
    leaf = np.array([not row for row in rows] + [False])
    rows = [row or [number] for number, row in enumerate(rows)] + [[numbers[dtd.root]]]
    shares = [number + _shares(len(row), theta) for number, row in enumerate(rows)]
    last = np.cumsum([len(row) for row in rows]) - 1
    return _Children(np.concatenate(rows), np.concatenate(shares), last, leaf, len(numbers))


def _shares(count: int, theta: float) -> Float64:
    """Return the probabilities that a child is among the first, the first two, and so on."""
    weights: Float64 = np.cumsum(np.arange(1, count + 1, dtype=np.float64) ** -theta)
    weights /= weights[-1]
    return weights


def _vocabulary(names: tuple[str, ...]) -> pa.LargeStringArray:
    steps = [axis + name for name in names for axis in ("/", "//")]
    return pa.array(["", "/*", *steps], pa.large_string())
