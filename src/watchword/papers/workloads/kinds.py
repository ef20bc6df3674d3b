"""Subscriptions with KIND OF and CONTAINS, the two operators that the notes name and leave out (section 5).

They say why: values and attributes for them are hard to generate. Here an event has, beside `attributes` numbers below
`values`, a `topic`, which is a leaf of a hierarchy of `levels` levels with `fan` children each, and `held` different
`tags` of all. A subscription has `equalities` equalities, asks for a topic of any level but the root, and for a tag:

>>> workload = KindWorkload(subscriptions=2, values=5, equalities=1, levels=3, fan=2, tags=9, held=2, seed=1)
>>> workload.subscription_table()["subscription"].to_pylist()
["a1 = 1 AND topic KIND OF '1.1.0' AND tags CONTAINS 'g1'", "a2 = 0 AND topic KIND OF '1.1.1' AND tags CONTAINS 'g8'"]
>>> workload.event_table(1).select(["topic", "tags"]).to_pylist()
[{'topic': '1.0.1', 'tags': ['g3', 'g0']}]
>>> workload.hierarchies["topic"]["0.1"]
'0'

The name of a topic is the way to it. Row i depends on the seed and on i (`drawing`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pyarrow as pa

from watchword.errors import OptionError
from watchword.papers.workloads.drawing import (
    BLOCK,
    EVENTS,
    RULES,
    all_of,
    attribute_names,
    blocks,
    distinct,
    glued,
    numbered,
    random_of,
)


@dataclass(frozen=True)
class KindWorkload:
    """Subscriptions of equalities, a KIND OF and a CONTAINS, and events for them."""

    subscriptions: int
    attributes: int = 4
    values: int = 35
    equalities: int = 2
    levels: int = 3
    fan: int = 6
    tags: int = 50
    held: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.subscriptions, self.equalities) < 0 or min(self.values, self.levels, self.fan) < 1:
            raise OptionError("there are values, levels and children, one at least, and subscriptions and equalities")
        if self.equalities > self.attributes or not 1 <= self.held <= self.tags:
            raise OptionError(
                f"{self.equalities} equalities over {self.attributes} attributes, {self.held} of {self.tags} tags: "
                "each equality is on another attribute, and an event has tags, none of them twice"
            )

    @cached_property
    def topics(self) -> list[str]:
        """The topics of all levels, the highest first; the last ``fan ** levels`` are the leaves."""
        ways = (product(range(self.fan), repeat=level) for level in range(1, self.levels + 1))
        return [".".join(map(str, way)) for level in ways for way in level]

    @property
    def hierarchies(self) -> dict[str, dict[str, str]]:
        """The option `hierarchies` of an index: each topic's parent."""
        return {"topic": {topic: topic.rpartition(".")[0] for topic in self.topics if "." in topic}}

    def subscription_table(self) -> pa.Table:
        """Return the subscriptions: `id` (int64, from 0) and `subscription` (string)."""
        return numbered(blocks(self.subscriptions, self._subscriptions), self.subscriptions)

    def event_table(self, count: int) -> pa.Table:
        """Return `count` events: a column of int64 per attribute, `topic` and `tags`, lists of texts."""
        columns = [(name, pa.int64()) for name in attribute_names(self.attributes)]
        schema = pa.schema([*columns, ("topic", pa.string()), ("tags", pa.list_(pa.string()))])
        return pa.concat_tables(blocks(count, self._events, schema))

    def _subscriptions(self, block: int) -> pa.Array:
        random = random_of(self.seed, RULES, block)
        chosen = distinct(random, self.attributes, self.equalities)
        drawn = random.integers(0, self.values, chosen.shape)
        names = pa.array(attribute_names(self.attributes))
        parts = [
            glued(names.take(pa.array(own)), " = ", pa.array(values).cast(pa.string()))
            for own, values in zip(chosen, drawn, strict=True)
        ]
        topics = pa.array(self.topics).take(pa.array(random.integers(0, len(self.topics), BLOCK)))
        tags = pa.array(random.integers(0, self.tags, BLOCK)).cast(pa.string())
        return all_of([*parts, glued("topic KIND OF '", topics, "'"), glued("tags CONTAINS 'g", tags, "'")])

    def _events(self, block: int) -> pa.Table:
        random = random_of(self.seed, EVENTS, block)
        numbers = [pa.array(column) for column in random.integers(0, self.values, (self.attributes, BLOCK))]
        leaves = pa.array(self.topics[-(self.fan**self.levels) :])
        topics = leaves.take(pa.array(random.integers(0, len(leaves), BLOCK)))
        held = distinct(random, self.tags, self.held).T.ravel()
        offsets = pa.array(np.arange(0, self.held * BLOCK + 1, self.held, dtype=np.int32))
        tags = pa.ListArray.from_arrays(offsets, glued("g", pa.array(held).cast(pa.string())))
        return pa.table([*numbers, topics, tags], names=[*attribute_names(self.attributes), "topic", "tags"])
