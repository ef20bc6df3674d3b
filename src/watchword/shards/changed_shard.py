"""A shard that was changed after it was written: the shard below, and its changes on top.

An update of a few subscriptions leaves a large shard as it lies on the disk, and writes two small things beside it: an
index of the subscriptions that were added or replaced (`changes`), and the ids of the shard below that no longer count
because they were replaced or removed (`gone`). Below are s1 and s2; s1 was replaced, s2 removed, and s3 added:

>>> from watchword import KeywordIndex
>>> below = KeywordIndex({"s1": "greece", "s2": "imf"})
>>> shard = ChangedShard(below, KeywordIndex({"s1": "crisis", "s3": "greece"}), pa.array(["s1", "s2"]))
>>> shard.match_many(["greece", "imf crisis"]).to_pydict()
{'event': [0, 1], 'subscription': ['s3', 's1']}
>>> len(shard), shard.get("s1"), "s2" in shard
(2, 'crisis', False)

Invariant: `gone` holds ids of `base` only, and every id that is in both indexes is in `gone`. Both indexes may be
memory maps and stay as they are: a machine still holds one copy. An event costs the matching of one small index more,
and a pair of the shard below one look-up in `gone`.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from watchword.index import Index
from watchword.index.report import Explanation
from watchword.index.routing import Atoms
from watchword.lazy import lazy


class ChangedShard:
    """Two indexes that are asked as one: the methods of an index that matching on Spark needs."""

    def __init__(self, base: Index, changes: Index, gone: pa.Array) -> None:
        self.base, self.changes, self.gone = base, changes, gone

    @lazy
    def _gone(self) -> frozenset[Any]:
        return frozenset(self.gone.to_pylist())

    def __len__(self) -> int:
        return len(self.base) - len(self.gone) + len(self.changes)

    def __contains__(self, key: object) -> bool:
        return key in self.changes or (key in self.base and key not in self._gone)

    def get(self, key: Any) -> str | None:
        """Return the text of an id, None if it is not subscribed."""
        text = self.changes.get(key)
        return text if text is not None or key in self._gone else self.base.get(key)

    def match_many(self, events: Any, *, threads: int | None = None) -> pa.Table:
        """Return pairs as an index does, but not in the order of the events."""
        pairs, more = (index.match_many(events, threads=threads) for index in (self.base, self.changes))
        hidden = pc.is_in(pairs["subscription"], value_set=self.gone.cast(pairs["subscription"].type))
        if pc.any(hidden).as_py():
            pairs = pairs.filter(pc.invert(hidden))
        return pa.concat_tables([pairs, more], promote_options="permissive") if more.num_rows else pairs

    def explain(self, event: Any, key: Any) -> Explanation:
        """Say why an event matches a subscription, or why not."""
        return (self.changes if key in self.changes else self.base).explain(event, key)

    def atoms(self, events: pa.Array) -> Atoms | None:
        """Return the atoms of events, for routing."""
        return self.base.atoms(events)

    def changed(self, removed: list[Any], news: pa.Table) -> ChangedShard:
        """Return the shard after more changes. The index on top is changed in place; the one below is not.

        Every id of `removed` is subscribed; an id of `news` may be.
        """
        for key in removed:
            self.changes.pop(key, None)
        self.changes.update(news)
        touched = dict.fromkeys([*removed, *news["id"].to_pylist()])
        more = [key for key in touched if key in self.base and key not in self._gone]
        return ChangedShard(self.base, self.changes, pa.concat_arrays([self.gone, pa.array(more, self.gone.type)]))

    def whole(self) -> Index:
        """Return the index below after all changes were applied to it, in place and in memory."""
        for key in self._gone.difference(self.changes):
            del self.base[key]
        self.base.update(self.changes)
        return self.base


def without_changes(base: Index) -> ChangedShard:
    """Return a shard that has no changes yet."""
    kind = pa.string() if base.id_type is str else pa.int64()
    return ChangedShard(base, type(base)(method=base.method, **base.options), pa.array([], kind))
