"""Killed at any moment, a store has every batch whole or not at all, and repeating makes one copy."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from tests.limits import PATIENCE
from tests.store.workload import batch, check, child, filled
from watchword.store import Store


def recorded(store: Store, numbers: range) -> list[int]:
    return [number for number in numbers if store.is_recorded(batch(number)[0])]


def repeated(store: Store, numbers: range) -> None:
    """Replay as a pipeline does: from the first, whether or not it came through."""
    before = recorded(store, numbers)
    assert [number for number in numbers if not store.record(*batch(number))] == before
    check(store, numbers)
    assert not any(store.record(*batch(number)) for number in numbers)
    check(store, numbers)


@pytest.mark.slow
def test_killed_inside_a_batch(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    filled(path).close()
    with child("write_and_die", path, 0, 10**9) as process:
        ticks = int(process.communicate(timeout=PATIENCE)[0])
    assert ticks > 1000
    random_ = random.Random(3)
    numbers = range(1, 8)
    for number in numbers:
        with child("write_and_die", path, number, random_.randint(ticks // 20, ticks - 10)) as process:
            assert process.wait(timeout=PATIENCE) == -9
        with Store.open(path) as store:
            check(store, [0])
    with Store.open(path) as store:
        repeated(store, range(8))


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    filled(path).close()
    random_ = random.Random(5)
    last = 0
    for _ in range(5):
        with child("write", path, *range(last, last + 400)) as process:
            assert process.stdout is not None
            said = [process.stdout.readline()]
            time.sleep(random_.uniform(0, 0.06))
            process.kill()
            said += process.stdout.readlines()
        confirmed = [int(line.split()[0]) for line in said if line.endswith("\n")]
        with Store.open(path) as store:
            there = recorded(store, range(last + 400))
            assert there == list(range(len(there)))  # they are written in order, so none is missing in between
            assert set(confirmed) <= set(there) and len(there) <= confirmed[-1] + 2
            check(store, there)
        last = len(there) - 1  # the last may not have been confirmed, so it is repeated
    with Store.open(path) as store:
        repeated(store, range(last + 3))
