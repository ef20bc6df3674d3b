"""Who is told what, and when: decided here, from values alone, without a clock or a network.

>>> from datetime import UTC, datetime, time
>>> when = When(quiet=(time(22), time(7)), budget=1, zone="Europe/Athens")
>>> noon = datetime(2026, 11, 19, 10, tzinfo=UTC)          # in Athens
>>> found = plan([Waiting(1, "a"), Waiting(2, "b"), Waiting(3, "a")], when, noon)
>>> [(one.number, one.action, one.reason) for one in found]
[(1, 'send', ''), (2, 'gather', 'budget'), (3, 'withhold', 'duplicate')]
>>> plan([Waiting(4, "c")], when, datetime(2026, 11, 19, 21, tzinfo=UTC))[0].due.isoformat()
'2026-11-20T05:00:00+00:00'

A notification is one of an item for one channel. It is *sent* in a message of its own, *gathered* into a digest that is
sent at `due`, or *withheld*, with the reason. In this order:

    withhold  muted         a muting subscription of the same subscriber has the item too
    withhold  duplicate     the channel was told of the story already
    gather    digest        the channel has chosen times: the next one
    gather    quiet hours   it is one of them: at their end, with everything that came meanwhile
    gather    budget        as many were sent in the last hour as the channel takes: an hour after the first of them
    send

A digest that would be due in quiet hours is due at their end.

Times of day are those of a zone, over its changes of the clock. One that is left out when the clock is put forward is
as much after the gap as it was into it: 02:30 is 03:30. One that comes twice is the first of the two. Quiet hours are
thus intervals that never overlap themselves, and a digest comes once a day.

A clock that jumps: nothing here remembers the present. Messages from the future count for no budget.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from watchword.errors import OptionError

SEND, GATHER, WITHHOLD = "send", "gather", "withhold"
MUTED, DUPLICATE, DIGEST, QUIET, BUDGET = "muted", "duplicate", "digest", "quiet hours", "budget"
HOUR = timedelta(hours=1)
WEEK = frozenset(range(7))
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MOST_TIMES = 24
"""Times of day of a channel."""
MOST_BUDGET = 100_000
"""Messages an hour of a channel's budget."""


@dataclass(frozen=True)
class When:
    """When a channel is told. Without `times` at once; `days` are those of its times, Monday is 0."""

    times: tuple[time, ...] = ()
    days: frozenset[int] = WEEK
    quiet: tuple[time, time] | None = None
    budget: int | None = None
    zone: str = "UTC"


class Waiting(NamedTuple):
    """A notification that is to be planned. `story` is empty where each item counts for itself."""

    number: int
    story: str = ""
    muted: bool = False


class Decision(NamedTuple):
    """What becomes of a notification; `due` is set for a gathered one."""

    number: int
    action: str
    reason: str = ""
    due: datetime | None = None


def plan(
    waiting: Iterable[Waiting],
    when: When,
    now: datetime,
    *,
    sent: Sequence[datetime] = (),
    told: Collection[str] = (),
) -> list[Decision]:
    """Return what becomes of each notification of a channel, in their order.

    `sent` are the times of its messages of the last hour, `told` the stories that it was told, or will be.
    """
    known, decided = set(told), []
    digest = gathered_until(when, now)
    recent = sorted(moment for moment in sent if now - HOUR < moment <= now)
    left = None if when.budget is None else max(when.budget - len(recent), 0)
    overflow = _after_budget(recent, when, now) if left is not None else now
    for number, story, muted in waiting:
        if muted:
            decided.append(Decision(number, WITHHOLD, MUTED))
            continue
        if story:
            if story in known:
                decided.append(Decision(number, WITHHOLD, DUPLICATE))
                continue
            known.add(story)
        if digest is not None:
            decided.append(Decision(number, GATHER, *digest))
        elif left == 0:
            decided.append(Decision(number, GATHER, BUDGET, overflow))
        else:
            left = None if left is None else left - 1
            decided.append(Decision(number, SEND))
    return decided


def gathered_until(when: When, now: datetime) -> tuple[str, datetime] | None:
    """Return why and until when everything is gathered; None if messages are sent at once."""
    if when.times:
        return DIGEST, after_quiet(when, next_time(when, now))
    end = quiet_end(when, now)
    return None if end is None else (QUIET, end)


def _after_budget(recent: Sequence[datetime], when: When, now: datetime) -> datetime:
    """Return when what exceeds the budget is sent: an hour after the first message of the last hour."""
    return after_quiet(when, (recent[0] if recent else now) + HOUR)


def after_quiet(when: When, moment: datetime) -> datetime:
    """Return a moment, or the end of the quiet hours in which it is."""
    return quiet_end(when, moment) or moment


def quiet_end(when: When, now: datetime) -> datetime | None:
    """Return the end of the quiet hours; None if it is none of them."""
    if when.quiet is None:
        return None
    begin, end = when.quiet
    zone = zone_of(when.zone)
    today = now.astimezone(zone).date()
    for day in (today - timedelta(days=1), today):
        last = day if begin < end else day + timedelta(days=1)
        until = moment_of(last, end, zone)
        if moment_of(day, begin, zone) <= now < until:
            return until
    return None


def next_time(when: When, now: datetime) -> datetime:
    """Return the next of a channel's times, later than `now`."""
    zone = zone_of(when.zone)
    today = now.astimezone(zone).date()
    for ahead in range(-1, 9):
        day = today + timedelta(days=ahead)
        if day.weekday() not in when.days:
            continue
        later = [moment for one in when.times if (moment := moment_of(day, one, zone)) > now]
        if later:
            return min(later)
    raise OptionError("a channel with times has at least one time and one day")


def moment_of(day: date, at: time, zone: ZoneInfo) -> datetime:
    """Return the moment, in UTC, at which a clock in a zone shows a time of a day; the first if it does so twice.

    >>> berlin = ZoneInfo("Europe/Berlin")
    >>> str(moment_of(date(2026, 3, 29), time(2, 30), berlin).astimezone(berlin))   # the clock goes from 2 to 3
    '2026-03-29 03:30:00+02:00'
    >>> str(moment_of(date(2026, 10, 25), time(2, 30), berlin))                     # from 3 back to 2
    '2026-10-25 00:30:00+00:00'
    """
    return datetime.combine(day, at.replace(fold=0), tzinfo=zone).astimezone(UTC)


@lru_cache(maxsize=1024)
def zone_of(name: str) -> ZoneInfo:
    """Return a zone by its name, such as ``Europe/Athens``; an `OptionError` if there is none.

    >>> zone_of("Europe/Atlantis")
    Traceback (most recent call last):
    watchword.errors.OptionError: there is no time zone 'Europe/Atlantis'; write one as Europe/Athens
    """
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError, TypeError):
        raise OptionError(f"there is no time zone {name!r}; write one as Europe/Athens") from None


# How a person writes it


def parse_times(texts: Iterable[str]) -> tuple[time, ...]:
    """Return times of day in their order; an `OptionError` names one that is none.

    >>> parse_times(["18:00", "7:30"])
    (datetime.time(7, 30), datetime.time(18, 0))
    """
    found = tuple(sorted({parse_time(text) for text in texts}))
    if len(found) > MOST_TIMES:
        raise OptionError(f"a channel has at most {MOST_TIMES} times, not {len(found)}")
    return found


def parse_time(text: str) -> time:
    """Return a time of day from ``7:30``; an `OptionError` if it is none."""
    hour, colon, minute = str(text).strip().partition(":")
    if colon and hour.isascii() and hour.isdigit() and minute.isascii() and minute.isdigit() and len(minute) == 2:
        try:
            return time(int(hour[:3]), int(minute))
        except ValueError:
            pass
    raise OptionError(f"a time of day is written as 07:30, not {str(text)[:40]!r}")


def parse_quiet(text: str) -> tuple[time, time]:
    """Return quiet hours from ``22:00-07:00``.

    >>> parse_quiet("22:00-07:00")
    (datetime.time(22, 0), datetime.time(7, 0))
    """
    begin, dash, end = text.partition("-")
    if not dash:
        raise OptionError(f"quiet hours are written as 22:00-07:00, not {text[:40]!r}")
    found = parse_time(begin), parse_time(end)
    if found[0] == found[1]:
        raise OptionError("quiet hours end at another time than they begin; without a message at all: pause it")
    return found


def parse_days(texts: Iterable[str]) -> frozenset[int]:
    """Return days of the week from ``mon``, ``tue`` and so on.

    >>> sorted(parse_days(["mon", "sun"]))
    [0, 6]
    """
    wanted = [text.strip().lower()[:3] for text in texts]
    wrong = next((text for text in wanted if text not in DAYS), None)
    if wrong is not None or not wanted:
        raise OptionError(f"days are some of {', '.join(DAYS)}, not {wrong or 'none'!r}")
    return frozenset(map(DAYS.index, wanted))


def check_budget(budget: int | None) -> int | None:
    """Return a budget; an `OptionError` if it is out of range."""
    if budget is not None and (isinstance(budget, bool) or not 1 <= budget <= MOST_BUDGET):
        raise OptionError(f"a budget is a number of messages an hour from 1 to {MOST_BUDGET:,}, not {budget}")
    return budget
