"""Processes that post and deliver are killed at random moments: every event is in the inbox once, whole."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.limits import wait_until
from tests.posted.workload import child, deliver, event, expected, make_home, post
from watchword.following import Follower
from watchword.home import Home
from watchword.posted import Deliverer, Spool

KILLS = int(os.environ.get("WATCHWORD_KILLS", "12"))


def check(home: Home, numbers: set[int]) -> None:
    """Check that the inbox has exactly these events, each once, with all of its subscriptions."""
    with home.store() as store:
        inbox = store.inbox("ada", unread_only=False)
    assert Counter(one.item.identity for one in inbox) == Counter(f"e{number}" for number in numbers)
    for one in inbox:
        assert {reason.subscription for reason in one.reasons} == expected(int(one.item.identity[1:]))


def finish(home: Home) -> Deliverer:
    """Deliver the events that wait, in this process."""
    with Follower(home) as follower:
        deliverer = Deliverer(home, follower)
        with deliverer.holding():
            while deliverer.deliver():
                pass
    return deliverer


def delivered(home: Home) -> int:
    with home.store() as store:
        return store.stats().deliveries


@pytest.mark.slow
def test_a_deliverer_that_is_killed_at_any_moment_delivers_each_event_once(tmp_path: Path) -> None:
    home, draw = make_home(tmp_path / "home"), random.Random(7)
    spool, count = Spool(home.posted), 0
    for turn in range(KILLS):
        process = child(deliver, str(home.path), draw.choice([1, 3, 50]))
        before = delivered(home)
        for _ in range(40):
            spool.append([event(count)])
            count += 1
        wait_until(lambda before=before: delivered(home) > before, "a delivery")  # type: ignore[misc]
        time.sleep(draw.uniform(0, 0.05))
        process.kill()
        process.join()
        assert process.exitcode == -9, turn
    assert finish(home).spool.last() == count
    check(home, set(range(count)))


@pytest.mark.slow
def test_a_process_that_is_killed_while_it_posts_leaves_what_it_confirmed(tmp_path: Path) -> None:
    home, draw, confirmed = make_home(tmp_path / "home"), random.Random(8), tmp_path / "confirmed"
    confirmed.touch()
    start = 0
    for _ in range(max(KILLS // 3, 2)):
        seen = len(confirmed.read_text())
        two = [child(post, str(home.path), start + much, str(confirmed)) for much in (0, 1_000_000)]
        wait_until(lambda seen=seen: len(confirmed.read_text()) > seen + 20, "events")  # type: ignore[misc]
        time.sleep(draw.uniform(0, 0.05))
        for process in two:
            process.kill()
            process.join()
        start += 10_000
    finish(home)
    said = {int(line) for line in confirmed.read_text().split()}
    with home.store() as store:
        there = {int(one.item.identity[1:]) for one in store.inbox("ada", unread_only=False)}
    assert there >= said | {number + 1 for number in said}
    assert {number ^ 1 for number in there} == there, "two that were posted together are there both or not at all"
    assert len(there) <= 2 * (len(said) + 2 * max(KILLS // 3, 2)), "one append of each child was not confirmed"
    check(home, there)
