"""The stories of the demonstration: the same each time, in order, and worth searching."""

from __future__ import annotations

from datetime import UTC, date, datetime

from watchword import KeywordIndex
from watchword.demo import FEEDS, month, story
from watchword.demo.stories import PER_DAY
from watchword.items import event_of

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)


def test_a_story_is_the_same_each_time_and_no_other():
    assert story(date(2026, 11, 1), 7) == story(date(2026, 11, 1), 7)
    items = list(month(NOON))
    assert len({item.identity for item in items}) == len(items) == 30 * PER_DAY + 41


def test_a_month_is_in_order_and_ends_at_the_given_time():
    times = [item.published for item in month(NOON)]
    assert times == sorted(times) and times[-1] <= NOON
    assert times[0].date() == date(2026, 10, 19)


def test_no_blank_is_left_and_every_feed_has_stories():
    items = list(month(NOON, days=5))
    assert not [item for item in items if "{" in item.title + item.text]
    assert {item.feed for item in items} == set(FEEDS)


def test_searches_of_the_guide_find_some_stories_and_not_most():
    index = KeywordIndex({"ferry": "ferry", "on time": "ferry NOT delayed", "debt": '"debt relief"'})
    found = index.match_many([event_of("keywords", item) for item in month(NOON)])["subscription"].to_pylist()
    counts = {name: found.count(name) for name in index}
    assert 0 < counts["debt"] < counts["on time"] < counts["ferry"] < 30 * PER_DAY / 2
