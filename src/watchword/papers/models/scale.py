"""What N subscriptions and E events a second take: shards, memory, machines, shuffles and money, from costs measured.

Keyword subscriptions on Spark, as `benchmarks.scale` measures them. Sizes follow from the layout of a shard (`Shape`);
times are `Costs`, which belong to a machine: `MEASURED` follow from docs/scale.md. A billion subscriptions in shards
of 12.5 million, and a million events a second on machines of 16 cores and 128 GB:

>>> need = replicated(1_000_000_000, 1_000_000, Machine(cores=16, memory=128e9, network=1.5e9, dollars=0.857))
>>> need.shards, round(need.memory / 1e9), need.limit
(80, 94, 'cores')

*Replicated*, every machine maps the whole index, and events are divided among the machines: an event is looked for in
every shard, by one core, and nothing is shuffled. *Partitioned*, a machine maps some of the shards, and each event is
sent to each shard: the shuffle grows with the shards, and there is one task for a shard, however many cores there are.

`simulated` plays micro-batches: events that come while one is matched wait for the next, and a batch is over when the
slowest of its tasks is. It says how long an event waits where the machines are nearly busy, which no mean can.
"""

from __future__ import annotations

from math import ceil, log2, log10
from typing import Literal, NamedTuple

import numpy as np

_HOURS = 730
"""Of a month."""

Limit = Literal["memory", "cores", "network", "tasks"]


class Shape(NamedTuple):
    """What subscriptions are like: bytes of a text, words of the packed rows for each, bytes of a term.

    The defaults are those of Algorithm 7 with 2.8 terms a subscription out of 5 million, ids being
    numbers.
    """

    text: float = 21.2
    words: float = 4.3
    term: float = 7.8


SYNDICATION = Shape()


class Costs(NamedTuple):
    """CPU seconds and bytes of all processes together, as measured.

    `start` for the first job of a session, `build` for a subscription; `java` bytes of memory of a session that does
    nothing, `writer` bytes of a task's for a subscription of its shard; `item` for an event whatever is subscribed,
    with its pairs; `look` for an event in a shard of a million, and `tenfold` more in one ten times as large; `send`
    for an event sent to a shard; `change` for a changed subscription, and `shard` for each shard that changes.
    """

    start: float
    build: float
    java: float
    writer: float
    item: float
    look: float
    tenfold: float
    send: float
    change: float
    shard: float


MEASURED = Costs(
    start=6.2,
    build=2.05e-6,
    java=0.88e9,
    writer=191.0,
    item=50e-6,
    look=4.55e-6,
    tenfold=2.4e-6,
    send=4e-6,
    change=5e-6,
    shard=0.2,
)
"""From the runs at one and ten million subscriptions; `send` and `shard`, which two shards do not show, from that at a
hundred million."""


class Machine(NamedTuple):
    """A machine: cores, bytes of memory, bytes a second of network, dollars an hour.

    `busy` is the share of its cores that matching may take, `free` the share of its memory that is left to the index.
    """

    cores: int
    memory: float
    network: float
    dollars: float
    busy: float = 0.6
    free: float = 0.75


class Need(NamedTuple):
    """What it takes. `memory` is the index on one machine, `shuffle` bytes a second over all, `limit` what decides."""

    shards: int
    machines: int
    memory: float
    shuffle: float
    cores: float
    dollars: float
    limit: Limit


# A shard


def vocabulary_bytes(terms: float, shape: Shape = SYNDICATION) -> float:
    """Return what the distinct terms of a shard take: a table at most half full, the strings, and four counts of each.

    >>> vocabulary_bytes(1_000_000) == 16 * 2**21 + 1_000_000 * (24 + 7.8)
    True
    """
    buckets: int = 1 << ceil(log2(2 * max(terms, 32)))
    return 16 * buckets + terms * (24 + shape.term)


def shard_bytes(subscriptions: float, terms: float, shape: Shape = SYNDICATION) -> float:
    """Return what a shard takes on disk, and in memory once all of it is read: ids, table, texts, rows, vocabulary."""
    return subscriptions * (8 + 6 + 8 + shape.text + 4 * shape.words) + vocabulary_bytes(terms, shape)


def index_bytes(subscriptions: float, shards: int, terms: float, shape: Shape = SYNDICATION) -> float:
    """Return the bytes of all shards, each with `terms` distinct terms."""
    return shards * shard_bytes(subscriptions / shards, terms, shape)


def build_bytes(subscriptions: float, shards: int, tasks: int, costs: Costs = MEASURED) -> float:
    """Return the memory of a machine that writes shards, `tasks` at a time."""
    return costs.java + min(tasks, shards) * costs.writer * subscriptions / shards


# Time


def build_seconds(subscriptions: float, cores: int = 1, costs: Costs = MEASURED) -> float:
    """Return how long a build takes where all cores are its own; for one core, its CPU seconds."""
    return (costs.start + costs.build * subscriptions) / cores


def event_seconds(subscriptions: float, shards: int, costs: Costs = MEASURED, *, sent: bool = False) -> float:
    """Return the CPU seconds of an event, replicated or, with `sent`, partitioned."""
    look = costs.look + costs.tenfold * log10(max(subscriptions / shards / 1e6, 0.01))
    return costs.item + shards * (look + (costs.send if sent else 0.0))


def update_seconds(changes: float, shards: int, cores: int = 1, costs: Costs = MEASURED) -> float:
    """Return how long an update takes whose changes are all over the shards; for one core, its CPU seconds."""
    return (costs.start + costs.change * changes + costs.shard * min(shards, changes)) / cores


# Many machines


def replicated(
    subscriptions: float,
    events: float,
    machine: Machine,
    *,
    shard: float = 12.5e6,
    terms: float = 4.7e6,
    costs: Costs = MEASURED,
    shape: Shape = SYNDICATION,
) -> Need:
    """Return what `events` a second need where each machine has the whole index, in shards of `shard` subscriptions.

    An index that does not fit is a `ValueError`.
    """
    shards = ceil(subscriptions / shard)
    memory = index_bytes(subscriptions, shards, terms, shape)
    if memory > machine.memory * machine.free:
        raise ValueError(
            f"the index takes {memory / 1e9:,.0f} GB, and a machine has {machine.memory * machine.free / 1e9:,.0f} for "
            "it: take larger machines, or partition"
        )
    cores = events * event_seconds(subscriptions, shards, costs)
    machines = max(1, ceil(cores / (machine.cores * machine.busy)))
    return Need(shards, machines, memory, 0.0, cores, machines * machine.dollars * _HOURS, "cores")


def partitioned(
    subscriptions: float,
    events: float,
    machine: Machine,
    *,
    event_bytes: float = 400.0,
    shard: float = 12.5e6,
    terms: float = 4.7e6,
    costs: Costs = MEASURED,
    shape: Shape = SYNDICATION,
) -> Need:
    """Return the machines for `events` a second of `event_bytes` each, if each has some shards and gets all events.

    The limit is `tasks` where the shards are fewer than the cores that are needed: more machines do not help then.
    """
    shards = ceil(subscriptions / shard)
    memory, shuffle = index_bytes(subscriptions, shards, terms, shape), events * shards * event_bytes
    cores = events * event_seconds(subscriptions, shards, costs, sent=True)
    wanted: dict[Limit, int] = {
        "memory": ceil(memory / (machine.memory * machine.free)),
        "cores": ceil(cores / (machine.cores * machine.busy)),
        "network": ceil(shuffle / machine.network),
    }
    limit = max(wanted, key=wanted.__getitem__)
    machines = wanted[limit]
    if cores > shards:
        limit = "tasks"
    return Need(shards, machines, memory / machines, shuffle, cores, machines * machine.dollars * _HOURS, limit)


class Delay(NamedTuple):
    """How long events wait, in seconds, and whether the machines keep up."""

    median: float
    worst: float
    keeps_up: bool


def simulated(
    need: Need,
    machine: Machine,
    *,
    seconds: float = 600.0,
    least: float = 1.0,
    tasks: int = 4,
    jitter: float = 0.2,
    seed: int = 0,
) -> Delay:
    """Play micro-batches over `seconds` of steady events, and return how long an event waits until its batch is over.

    A batch has the events that came while the one before was matched, and begins `least` seconds after it at the
    earliest. Each core runs `tasks` tasks of it in turn; the time of a task varies by a factor whose logarithm has the
    deviation `jitter`. `keeps_up` is whether the last batches took no longer than the first ones, but for a half.
    """
    random = np.random.default_rng(seed)
    cores = need.machines * machine.cores
    share = need.cores / cores  # seconds of work for a core, for each second of events
    now, waited, delays, lengths = 0.0, least, [], []
    while now < seconds:
        slowest = float(np.exp(random.normal(0.0, jitter, (cores, tasks))).mean(axis=1).max())
        taken = waited * share * slowest
        delays.append(waited / 2 + taken)
        lengths.append(taken)
        waited = max(taken, least)
        now += waited
    part = max(1, len(lengths) // 4)
    keeps_up = float(np.mean(lengths[-part:])) <= 1.5 * float(np.mean(lengths[:part]))
    return Delay(float(np.median(delays)), float(np.max(delays)), keeps_up)
