"""Simulated messages: as many as a channel sends that is told of the same items one after the other."""

from __future__ import annotations

import random
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from tests.notify.receivers import Clock, make_home
from watchword.items import Item
from watchword.notify.deciding import decide
from watchword.notify.settings import when_of
from watchword.notify.simulating import Seen, name_stories, simulate
from watchword.store import Attempt, Channel, Match, Store
from watchword.stories import account

NOON = datetime(2026, 11, 19, 12, tzinfo=UTC)
SETTINGS = [
    {},
    {"times": ["07:30", "18:00"]},
    {"quiet": "22:00-07:00"},
    {"budget": 2},
    {"quiet": "9:00-17:00", "budget": 3},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_simulation_counts_what_the_outbox_would_have_sent(tmp_path: Path, settings: dict[str, object]) -> None:
    draw, clock = random.Random(str(settings)), Clock(NOON)
    make_home(tmp_path / "home")
    seen, kinds = [], []
    with Store.open(tmp_path / "home" / "store.sqlite", clock=clock) as store:
        store.add_channel(Channel(0, "ada", "desk", "webhook", "https://desk.example/", dict(settings)))
        items = []
        for number in range(60):
            clock.now += timedelta(minutes=draw.randrange(1, 120))
            item = Item(
                f"i{number}", title=f"I{number}", link=f"https://a.example/{draw.randrange(40)}", feed=f"F{number}"
            )
            items.append((clock.now, item))
            store.record(str(number), [item], [Match(item.identity, "ada-ferry")])
            kinds += turn(store, clock)
        for _ in range(100):  # until the last digest
            clock.now += timedelta(minutes=28)
            kinds += turn(store, clock)
    stories = name_stories([account(item, moment) for moment, item in items])
    seen = [Seen(moment, story) for (moment, _), story in zip(items, stories, strict=True)]
    found = simulate(seen, when_of(settings, "UTC"))
    assert found.duplicates == 60 - len(set(stories))
    if settings.get("budget") is None:  # whose digests are not made to the second, which moves the next ones
        assert (found.messages, found.digests) == (len(kinds), kinds.count("digest"))
    else:
        assert abs(found.messages - len(kinds)) <= 3 and (found.digests > 0) == ("digest" in kinds)


def turn(store: Store, clock: Clock) -> list[str]:
    """Let a dispatcher send what is due, and return the kinds of the messages."""
    work = store.exchange("d", lambda desk: decide(desk, clock.now))
    jobs = [job for one in work for job in one.jobs]
    done = [Attempt(job.number, clock.now, True, "200", 1) for job in jobs]
    store.exchange("d", lambda desk: decide(desk, clock.now), attempts=done, ended=[one.channel.number for one in work])
    return [job.kind for job in jobs]


def test_quiet_hours_are_counted_by_item() -> None:
    night = [Seen(NOON.replace(hour=23) + timedelta(minutes=minute), str(minute)) for minute in range(5)]
    found = simulate(night, when_of({"quiet": "22:00-07:00"}, "UTC"))
    assert found == (1, 1, 5, 0)
    assert simulate([], when_of({}, "UTC")) == (0, 0, 0, 0)
    assert when_of({"times": ["7:30"], "days": ["mon"]}, "UTC").times == (time(7, 30),)
