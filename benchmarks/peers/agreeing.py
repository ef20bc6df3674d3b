"""Whether matchers find the same: the ids of each event, and what to say where two differ."""

from __future__ import annotations

import pyarrow as pa

Ids = list[list[int]]


def per_event(pairs: pa.Table, events: int) -> Ids:
    """Return the ids of each event, ascending, from a table of pairs."""
    ids: Ids = [[] for _ in range(events)]
    for event, subscription in zip(pairs["event"].to_pylist(), pairs["subscription"].to_pylist(), strict=True):
        ids[event].append(subscription)
    return [sorted(row) for row in ids]


def agreed(found: dict[str, Ids]) -> tuple[int, int]:
    """Return how many pairs all matchers found, and in how many events; two that differ end the run."""
    (first, expected), *others = found.items()
    for name, ids in others:
        if len(ids) != len(expected):
            raise SystemExit(f"{name} answers {len(ids):,} events, {first} {len(expected):,}")
        for event, (these, those) in enumerate(zip(ids, expected, strict=True)):
            if these != those:
                raise SystemExit(
                    f"{name} and {first} find different rules for event {event}; no figure can be trusted. "
                    f"Only the former has {_some(these, those)}, only the latter {_some(those, these)}"
                )
    return sum(map(len, expected)), len(expected)


def _some(these: list[int], those: list[int]) -> str:
    """Return a few of the ids that are in the first list only."""
    return ", ".join(map(str, sorted(set(these) - set(those))[:5])) or "none"
