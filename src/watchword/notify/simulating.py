"""How many messages a subscription would have meant: its items of some days, told by a channel as it is, by `plan`.

>>> from datetime import UTC, time, timedelta
>>> morning = datetime(2026, 11, 19, 6, tzinfo=UTC)
>>> seen = [Seen(morning + timedelta(hours=hour), story) for hour, story in enumerate("aabcd")]
>>> simulate(seen, When())
Simulated(messages=4, digests=0, quiet=0, duplicates=1)
>>> simulate(seen, When(times=(time(7, 30), time(18))))
Simulated(messages=2, digests=2, quiet=0, duplicates=1)
>>> simulate(seen, When(quiet=(time(7), time(9))))
Simulated(messages=4, digests=1, quiet=1, duplicates=1)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from watchword.notify.plan import GATHER, HOUR, QUIET, SEND, Waiting, When, plan
from watchword.stories import Account, is_same_link, is_same_title


class Seen(NamedTuple):
    """When an item came, and the story that it tells."""

    time: datetime
    story: str = ""


class Simulated(NamedTuple):
    """Messages that would have been sent, the digests among them; items of quiet hours; items told already."""

    messages: int
    digests: int
    quiet: int
    duplicates: int


def simulate(items: Iterable[Seen], when: When) -> Simulated:
    """Return what a channel would have sent for items, one after the other."""
    told: set[str] = set()
    sent: list[datetime] = []
    due: set[datetime] = set()
    messages = digests = quiet = duplicates = 0
    for place, (moment, story) in enumerate(sorted(items)):
        for one in sorted(one for one in due if one <= moment):
            due.discard(one)
            sent.append(one)
            digests += 1
        sent = [one for one in sent if one > moment - HOUR]
        (decided,) = plan([Waiting(place, story)], when, moment, sent=sent, told=told)
        told |= {story} - {""}
        if decided.action == SEND:
            sent.append(moment)
            messages += 1
        elif decided.action == GATHER and decided.due is not None:
            due.add(decided.due)
            quiet += decided.reason == QUIET
        else:
            duplicates += 1
    return Simulated(messages + digests + len(due), digests + len(due), quiet, duplicates)


def name_stories(accounts: Sequence[Account]) -> list[str]:
    """Return a name for the story of each of some items, in their order; the rules are those of `watchword.stories`."""
    first: dict[str, list[int]] = {}
    names: list[str] = []
    feeds: dict[str, set[str]] = {}
    for place, seen in enumerate(accounts):
        name = _find(accounts, seen, first, names, feeds) or str(place)
        names.append(name)
        feeds.setdefault(name, set()).add(seen.feed)
        for key in (f"l{seen.link}" * bool(seen.link), f"t{seen.title}" * bool(seen.title)):
            first.setdefault(key, []).append(place)
    return names


def _find(
    accounts: Sequence[Account],
    seen: Account,
    first: dict[str, list[int]],
    names: Sequence[str],
    feeds: dict[str, set[str]],
) -> str | None:
    for other in first.get(f"l{seen.link}", ())[:50] if seen.link else ():
        if is_same_link(seen, accounts[other]):
            return names[other]
    for other in reversed(first.get(f"t{seen.title}", ())[-50:] if seen.title else ()):
        if is_same_title(seen, accounts[other]) and seen.feed not in feeds[names[other]]:
            return names[other]
    return None
