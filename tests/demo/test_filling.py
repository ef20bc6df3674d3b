"""A home of a demonstration: full of stories, once; and stories that keep coming."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.limits import wait_until
from watchword.demo import month
from watchword.demo.filling import DELIVERED, SUBSCRIPTIONS, YOU, Source, fill, fresh_story
from watchword.home import Home
from watchword.items import event_of
from watchword.languages import language_class
from watchword.posted import Spool

NOW = datetime(2026, 11, 18, 20, 30, tzinfo=UTC)


def test_a_home_has_stories_of_each_day_and_an_inbox_that_says_why(tmp_path: Path) -> None:
    home = Home.make(tmp_path)
    count = fill(home, NOW, days=4)
    days = home.archive().days()
    assert [day.day.day for day in days] == [14, 15, 16, 17, 18]
    assert sum(day.items for day in days) == count
    with home.store() as store:
        inbox = store.inbox(YOU, unread_only=False)
        counts = store.inbox_counts(YOU)
        assert 0 < counts.unread < counts.all == len(inbox)
        assert counts.starred == 2
        assert all(one.item.published > NOW - timedelta(days=DELIVERED) for one in inbox)
        found = {reason.subscription for one in inbox for reason in one.reasons}
        assert {"ferries", "storms", "harbour-council", "energy"} <= found
        assert "bailout" not in found  # it is paused
        assert all(reason.why.startswith("match: ") for reason in inbox[0].reasons)


def test_filling_a_home_again_adds_nothing(tmp_path: Path) -> None:
    home = Home.make(tmp_path)
    fill(home, NOW, days=1)
    with home.store() as store:
        before = store.stats()
        items = home.archive().newest().num_rows
        fill(home, NOW, days=1)
        assert store.stats().subscriptions == before.subscriptions
        assert store.inbox_counts(YOU).all == before.deliveries
    assert home.archive().newest().num_rows == items


def test_every_subscription_of_the_demonstration_finds_something_in_a_month(tmp_path: Path) -> None:
    stories = list(month(NOW))
    with Home.make(tmp_path).store() as store:
        for one in SUBSCRIPTIONS:
            index = language_class(one.language)({0: one.text}, **store.options(one.language))
            assert any(index.match(event_of(one.language, item)) for item in stories), one.id


def test_a_source_posts_stories_until_it_is_closed(tmp_path: Path) -> None:
    home = Home.make(tmp_path)
    with Source(home, every=0.01):
        wait_until(lambda: Spool(home.posted).last() >= 2, "two stories")
    assert "watchword-demo" not in {thread.name for thread in threading.enumerate()}


def test_fresh_stories_are_of_now_and_differ() -> None:
    one, other = fresh_story(NOW), fresh_story(NOW + timedelta(milliseconds=1))
    assert one.identity != other.identity
    assert one.published == NOW
