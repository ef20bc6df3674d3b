"""From what the store knows of a channel to what becomes of its notifications: `decide`, pure.

decide(Desk(channel="mail" of ada, zone="Europe/Athens", pending=[…], sent=[…], told={…}), now)
"""

from __future__ import annotations

from datetime import datetime

from watchword.errors import OptionError
from watchword.notify.plan import MUTED, WITHHOLD, Waiting, When, plan
from watchword.notify.settings import FEED, NOTHING, when_of
from watchword.store import Desk, Planned

UNVERIFIED = "the address is not verified"
IN_THE_FEED = "in the personal feed"
NOT_SENT = "nothing is sent on this channel"


def decide(desk: Desk, now: datetime) -> list[Planned]:
    """Return what becomes of the notifications that a channel has."""
    channel = desk.channel
    blocked = {FEED: IN_THE_FEED, NOTHING: NOT_SENT}.get(channel.kind)
    if blocked is None and channel.state == "unverified":
        blocked = UNVERIFIED
    if blocked is not None:
        return [Planned(one.number, WITHHOLD, MUTED if one.muted else blocked, None) for one in desk.pending]
    waiting = [Waiting(one.number, one.story, one.muted) for one in desk.pending]
    found = plan(waiting, _when(desk), now, sent=desk.sent, told=desk.told)
    return [Planned(*one) for one in found]


def _when(desk: Desk) -> When:
    """Return when a channel is told: in UTC where its zone is none any more, and at once where nothing can be read."""
    for zone in (desk.zone, "UTC"):
        try:
            return when_of(desk.channel.settings, zone, desk.channel.kind)
        except OptionError:
            continue
    return When()
