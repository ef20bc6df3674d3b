"""Plans, against a judge that walks through the minutes, and by hand at the edges."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from watchword.errors import OptionError
from watchword.notify import plan as plans
from watchword.notify.plan import (
    BUDGET,
    DIGEST,
    DUPLICATE,
    GATHER,
    HOUR,
    MUTED,
    QUIET,
    SEND,
    WITHHOLD,
    Decision,
    Waiting,
    When,
    plan,
)

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 19, 12, tzinfo=UTC)
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC", "Pacific/Apia")
MINUTE = timedelta(minutes=1)


def shown(moment: datetime, zone: ZoneInfo) -> tuple[date, time]:
    local = moment.astimezone(zone)
    return local.date(), time(local.hour, local.minute)


def first_showing(day: date, at: time, zone: ZoneInfo) -> datetime | None:
    """Return the first minute at which a clock shows a time of a day, found by walking; None if it never does."""
    moment = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=15)
    for _ in range(42 * 60):
        if shown(moment, zone) == (day, at):
            return moment
        moment += MINUTE
    return None


@pytest.mark.parametrize("name", ZONES)
def test_times_of_day_are_what_a_clock_shows_first(name: str) -> None:
    zone, draw = ZoneInfo(name), random.Random(name)
    changes = [
        date(2026, 3, 8),
        date(2026, 3, 29),
        date(2026, 4, 5),
        date(2026, 10, 4),
        date(2026, 10, 25),
        date(2026, 11, 1),
    ]
    for day in changes:
        for at in (time(0, 0), time(2, 30), time(draw.randrange(24), draw.randrange(60))):
            found = plans.moment_of(day, at, zone)
            walked = first_showing(day, at, zone)
            if walked is not None:
                assert found == walked, (name, day, at)
            else:  # the clock jumps over it: as much after the gap as it was into it
                before = found.astimezone(zone).replace(tzinfo=None) - datetime.combine(day, at)
                assert timedelta(0) < before <= timedelta(hours=1)


def test_a_digest_comes_once_a_day_over_the_changes_of_the_clock() -> None:
    for at in (time(2, 30), time(3, 0), time(0, 0), time(8, 0)):
        when = When(times=(at,), zone="Europe/Berlin")
        moment, seen = datetime(2026, 1, 1, tzinfo=UTC), []
        while moment.year == 2026:
            moment = plans.next_time(when, moment)
            seen.append(moment.astimezone(BERLIN).date())
        assert len(seen) == len(set(seen)) and 365 <= len(seen) <= 366


def test_times_of_some_days() -> None:
    when = When(times=(time(8),), days=plans.parse_days(["mon", "thu"]))
    monday = datetime(2026, 11, 16, 8, tzinfo=UTC)
    assert plans.next_time(when, monday - MINUTE) == monday
    assert plans.next_time(when, monday) == monday + timedelta(days=3)
    assert plans.next_time(when, monday + timedelta(days=3)) == monday + timedelta(days=7)
    with pytest.raises(OptionError, match="at least one time"):
        plans.next_time(When(times=(time(8),), days=frozenset()), monday)


@pytest.mark.parametrize("hours", ["22:00-07:00", "01:00-03:30", "12:00-12:01", "02:15-02:45"])
def test_quiet_hours_end_at_their_end_and_only_then(hours: str) -> None:
    quiet = plans.parse_quiet(hours)
    when = When(quiet=quiet, zone="Europe/Berlin")
    moment = datetime(2026, 10, 24, 10, tzinfo=UTC)  # over the night in which 02:00 to 03:00 comes twice
    before, ends = None, set()
    for _ in range(2 * 1440):
        end = plans.quiet_end(when, moment)
        if end is None:
            assert before is None or before == moment, "they end when they said"
        else:
            assert moment < end and (before is None or before == end)
            ends.add(end)
        before, moment = end, moment + MINUTE
    assert len(ends) == 2


def test_quiet_hours_over_the_night_without_two_o_clock() -> None:
    when = When(quiet=(time(2, 15), time(2, 45)), zone="Europe/Berlin")
    moment, quiet = datetime(2026, 3, 28, 22, tzinfo=UTC), []
    for _ in range(8 * 60):
        if plans.quiet_end(when, moment) is not None:
            quiet.append(moment)
        moment += MINUTE
    assert len(quiet) == 30, "half an hour, an hour later on the clock"


def test_everything_is_sent_at_once_where_nothing_else_was_chosen() -> None:
    assert plan([Waiting(1), Waiting(2)], When(), NOON) == [Decision(1, SEND), Decision(2, SEND)]


def test_a_story_is_told_once_and_items_without_one_each() -> None:
    waiting = [Waiting(1, "a"), Waiting(2, "a"), Waiting(3), Waiting(4), Waiting(5, "b")]
    found = plan(waiting, When(), NOON, told={"b"})
    assert [(one.action, one.reason) for one in found] == [
        (SEND, ""),
        (WITHHOLD, DUPLICATE),
        (SEND, ""),
        (SEND, ""),
        (WITHHOLD, DUPLICATE),
    ]


def test_what_is_muted_takes_no_budget_and_tells_no_story() -> None:
    waiting = [Waiting(1, "a", True), Waiting(2, "a"), Waiting(3, "b")]
    found = plan(waiting, When(budget=1), NOON)
    assert [(one.action, one.reason) for one in found] == [(WITHHOLD, MUTED), (SEND, ""), (GATHER, BUDGET)]


def test_a_budget_counts_the_last_hour_and_nothing_from_the_future() -> None:
    sent = [NOON - HOUR, NOON - HOUR + MINUTE, NOON, NOON + MINUTE]
    found = plan([Waiting(number) for number in range(5)], When(budget=4), NOON, sent=sent)
    assert [one.action for one in found] == [SEND, SEND, GATHER, GATHER, GATHER]
    assert {one.due for one in found[2:]} == {NOON + MINUTE}, "an hour after the first of the last hour"
    full = plan([Waiting(1)], When(budget=1, quiet=(time(12, 30), time(14))), NOON, sent=[NOON])
    assert full == [Decision(1, GATHER, BUDGET, NOON.replace(hour=14))], "not in quiet hours"


def test_a_digest_waits_for_the_end_of_quiet_hours() -> None:
    when = When(times=(time(6),), quiet=(time(22), time(7)))
    assert plan([Waiting(1)], when, NOON)[0].due == datetime(2026, 11, 20, 7, tzinfo=UTC)
    night = datetime(2026, 11, 19, 23, tzinfo=UTC)
    assert plan([Waiting(1)], When(quiet=when.quiet), night) == [
        Decision(1, GATHER, QUIET, datetime(2026, 11, 20, 7, tzinfo=UTC))
    ]
    assert plan([Waiting(1)], When(times=(time(6),)), NOON)[0][1:3] == (GATHER, DIGEST)


@pytest.mark.parametrize("seed", range(30))
def test_random_plans_keep_every_promise(seed: int) -> None:
    draw = random.Random(seed)
    when = When(
        times=tuple(sorted({time(draw.randrange(24)) for _ in range(draw.choice([0, 0, 2]))})),
        quiet=draw.choice([None, (time(22), time(7)), (time(9), time(17))]),
        budget=draw.choice([None, 1, 5]),
        zone=draw.choice(ZONES),
    )
    now = NOON + MINUTE * draw.randrange(500_000)
    sent = [now - MINUTE * draw.randrange(-5, 120) for _ in range(draw.randrange(8))]
    told = {str(draw.randrange(9)) for _ in range(3)}
    waiting = [Waiting(n, draw.choice(["", str(draw.randrange(9))]), draw.random() < 0.1) for n in range(40)]
    found = plan(waiting, when, now, sent=sent, told=told)
    assert [one.number for one in found] == [one.number for one in waiting]
    known, count = set(told), len([moment for moment in sent if now - HOUR < moment <= now])
    for one, decided in zip(waiting, found, strict=True):
        if one.muted or (one.story and one.story in known):
            assert decided[1:] == (WITHHOLD, MUTED if one.muted else DUPLICATE, None)
            continue
        known |= {one.story} - {""}
        if decided.action == SEND:
            count += 1
            assert not when.times and plans.quiet_end(when, now) is None
            assert when.budget is None or count <= when.budget
        else:
            assert decided.action == GATHER and decided.due is not None and decided.due > now
            assert plans.quiet_end(when, decided.due) is None
            assert decided.due <= now + timedelta(days=2)


def test_a_zone_that_does_not_exist_is_named() -> None:
    for name in ("Europe/Atlantis", "", "../../etc/passwd", "Europe", "x\0y", "/etc/localtime"):
        with pytest.raises(OptionError, match="no time zone"):
            plans.zone_of(name)


@pytest.mark.parametrize(
    "text", ["", "7", "24:00", "7:5", "07:60", "-1:00", "７:00", "a:00", "7:000", "9" * 5000 + ":00"]
)
def test_texts_that_are_no_time_are_refused(text: str) -> None:
    with pytest.raises(OptionError, match="time of day is written as"):
        plans.parse_time(text)


def test_settings_that_cannot_be_are_refused() -> None:
    for text in ("22:00", "22:00-22:00", "22:00-", "x-y"):
        with pytest.raises(OptionError):
            plans.parse_quiet(text)
    for days in ([], ["someday"]):
        with pytest.raises(OptionError, match="days are some of"):
            plans.parse_days(days)
    for budget in (0, -1, 100_001, True):
        with pytest.raises(OptionError, match="a budget is"):
            plans.check_budget(budget)
    assert plans.check_budget(None) is None and plans.check_budget(100_000) == 100_000
    with pytest.raises(OptionError, match="at most 24 times"):
        plans.parse_times(f"{minute // 60}:{minute % 60:02}" for minute in range(25))
