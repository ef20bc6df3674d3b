"""What the model of scale says against what `benchmarks.scale` measured, and against what must hold of any cluster."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import pytest

from watchword.models import count
from watchword.models.scale import (
    MEASURED,
    Machine,
    build_seconds,
    event_seconds,
    index_bytes,
    partitioned,
    replicated,
    simulated,
    update_seconds,
    writer_bytes,
)
from watchword.models.terms import presence, zipf
from watchword.workloads.syndication import Lengths


class Run(NamedTuple):
    """A step of `python -m benchmarks.scale`: CPU seconds and bytes of all processes together (docs/scale.md)."""

    subscriptions: int
    vocabulary: int
    shards: int
    bytes: float
    build: float
    memory: float
    replicated: float
    partitioned: float
    update: float


RUNS = ()


@cache
def terms(run: Run) -> float:
    """Return how many distinct terms a shard of a run is expected to have."""
    within = presence(zipf(run.vocabulary, 0.75), Lengths.subscriptions().probabilities)
    return count.terms(within, run.subscriptions // run.shards)


each_run = pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run.subscriptions:,}")


@each_run
def test_bytes_on_disk_follow_from_the_layout(run: Run) -> None:
    assert index_bytes(run.subscriptions, run.shards, terms(run)) == pytest.approx(run.bytes, rel=0.06)
