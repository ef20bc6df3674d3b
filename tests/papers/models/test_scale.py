"""What the model of scale says against what `benchmarks.scale` measured, and against what must hold of any cluster."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import pytest

from watchword.papers.models import count
from watchword.papers.models.scale import (
    Machine,
    Need,
    Shape,
    build_bytes,
    build_seconds,
    event_seconds,
    index_bytes,
    partitioned,
    replicated,
    simulated,
    update_seconds,
    vocabulary_bytes,
)
from watchword.papers.models.terms import presence, zipf
from watchword.papers.workloads.syndication import Lengths

LARGE = Machine(cores=16, memory=128e9, network=1.5e9, dollars=0.857)


class Run(NamedTuple):
    """A step of `python -m benchmarks.scale` as docs/scale.md has it.

    `text` is the mean length of a subscription, in bytes. Of all processes together: CPU seconds of `build`, `update`,
    bytes of `memory` while building, CPU microseconds of an item, `replicated` and `partitioned`.
    """

    subscriptions: int
    vocabulary: int
    shards: int
    text: float
    bytes: float
    build: float
    memory: float
    replicated: float
    partitioned: float
    update: float


RUNS = (
    Run(1_000_000, 200_000, 2, 17.2, 85.3e6, 8.8, 1.07e9, 57.5, 55.2, 6.6),
    Run(10_000_000, 800_000, 2, 18.9, 687e6, 27.1, 2.79e9, 65.5, 63.0, 6.7),
    Run(100_000_000, 5_000_000, 8, 21.2, 9.48e9, 263.0, 6.46e9, 118.5, 160.0, 7.9),
)
"""Means of two. The costs of the model come from the first two, but for `send` and `shard`: the last is foretold."""

each_run = pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run.subscriptions:,}")


@cache
def terms(run: Run) -> float:
    """Return how many distinct terms a shard of a run is expected to have."""
    within = presence(zipf(run.vocabulary, 0.75), Lengths.subscriptions().probabilities)
    return count.terms(within, run.subscriptions // run.shards)


@pytest.mark.slow
@each_run
def test_bytes_on_disk_follow_from_the_layout(run: Run) -> None:
    predicted = index_bytes(run.subscriptions, run.shards, terms(run), Shape(text=run.text))
    assert predicted == pytest.approx(run.bytes, rel=0.05)


@each_run
def test_a_build_takes_what_it_took(run: Run) -> None:
    assert build_seconds(run.subscriptions) == pytest.approx(run.build, rel=0.22)
    assert build_bytes(run.subscriptions, run.shards, tasks=2) == pytest.approx(run.memory, rel=0.15)


@each_run
def test_an_item_takes_what_it_took(run: Run) -> None:
    alone = event_seconds(run.subscriptions, run.shards)
    sent = event_seconds(run.subscriptions, run.shards, sent=True)
    assert alone * 1e6 == pytest.approx(run.replicated, rel=0.2)
    assert sent * 1e6 == pytest.approx(run.partitioned, rel=0.2)


@each_run
def test_an_update_takes_what_it_took(run: Run) -> None:
    assert update_seconds(10_000, run.shards) == pytest.approx(run.update, rel=0.25)


def test_a_vocabulary_doubles_its_table_when_half_of_it_is_taken() -> None:
    assert vocabulary_bytes(2**20) == 16 * 2**21 + 2**20 * (24 + Shape().term)
    assert vocabulary_bytes(2**20 + 1) - vocabulary_bytes(2**20) > 16 * 2**21


def test_fewer_shards_cost_an_event_less_and_a_writer_more() -> None:
    few, many = 10, 80
    assert event_seconds(1e9, few) < event_seconds(1e9, many) / 4
    assert index_bytes(1e9, few, 5e6) < index_bytes(1e9, many, 4.7e6)
    assert build_bytes(1e9, few, tasks=2) > build_bytes(1e9, many, tasks=2)


def test_replicated_machines_grow_with_events_and_shuffle_nothing() -> None:
    one, ten = (replicated(1e8, events, LARGE) for events in (1_000_000, 10_000_000))
    assert ten.cores == pytest.approx(10 * one.cores) and 9 <= ten.machines / one.machines <= 10
    assert one.memory == ten.memory and one.shuffle == 0 and one.limit == "cores"
    assert one.machines * LARGE.cores * LARGE.busy >= one.cores
    assert one.dollars == pytest.approx(one.machines * 0.857 * 730)


def test_an_index_that_does_not_fit_a_machine_is_not_replicated() -> None:
    with pytest.raises(ValueError, match="take larger machines, or partition"):
        replicated(2e9, 1_000, LARGE)
    need = partitioned(2e9, 100, LARGE)
    assert need.machines * LARGE.memory * LARGE.free >= need.memory * need.machines > LARGE.memory * LARGE.free
    assert need.limit == "memory"


def test_partitioned_an_event_is_sent_to_every_shard() -> None:
    need = partitioned(1e9, 1_000_000, LARGE, event_bytes=400)
    assert need.shards == 80 and need.shuffle == 1_000_000 * 80 * 400
    assert need.limit == "tasks", "there is one task for a shard, and more cores are needed"
    assert need.cores > replicated(1e9, 1_000_000, LARGE).cores
    slow = LARGE._replace(network=1e6, cores=10_000)
    assert partitioned(1e9, 1_000, slow).limit == "network"


def need_of(machines: int, cores: float) -> Need:
    return Need(8, machines, 1e9, 0.0, cores, 0.0, "cores")


def test_a_simulated_cluster_keeps_up_or_does_not() -> None:
    """With ten machines of 16 cores, 80 busy cores are half of them; with 200, nobody can keep up."""
    half, over = simulated(need_of(10, 80), LARGE), simulated(need_of(10, 200), LARGE)
    assert half.keeps_up and half.worst < 3
    assert not over.keeps_up and over.worst > 60
    assert half == simulated(need_of(10, 80), LARGE), "the same arguments give the same delays"


def test_without_jitter_the_delay_is_half_a_batch_and_its_work() -> None:
    delay = simulated(need_of(10, 80), LARGE, jitter=0.0, least=2.0)
    assert delay.median == pytest.approx(2.0 / 2 + 2.0 * 80 / 160)
    assert delay.worst == pytest.approx(delay.median)


def test_the_slowest_of_many_tasks_decides_unless_a_core_has_several() -> None:
    few, many = (simulated(need_of(machines, 8 * machines), LARGE, tasks=1, jitter=0.3) for machines in (1, 200))
    assert many.median > 1.2 * few.median, "as busy, but with 3,200 tasks one is always slow"
    busy = need_of(100, 0.6 * 1600)
    assert not simulated(busy, LARGE, tasks=1).keeps_up and simulated(busy, LARGE, tasks=4).keeps_up
