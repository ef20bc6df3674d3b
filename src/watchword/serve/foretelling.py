"""What a draft would have meant on a subscriber's channels, beside its preview.

foretell(store, "ada", "storms", preview)    [Foretold("mail", messages=9, digests=2, quiet=0, duplicates=3)]
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from watchword.errors import OptionError
from watchword.items import Item
from watchword.notify.settings import FEED, NOTHING, when_of
from watchword.notify.simulating import Seen, name_stories, simulate
from watchword.preview.answer import Preview
from watchword.store import Store
from watchword.stories import account

MOST = 2_000
"""Items of a preview whose messages are counted, the newest."""


class Foretold(NamedTuple):
    """The messages that a channel would have sent for a draft, of its newest `items`."""

    channel: str
    items: int
    messages: int
    digests: int
    quiet: int
    duplicates: int


def foretell(store: Store, subscriber: str, id: str, found: Preview) -> list[Foretold]:
    """Return what each channel that a draft would go to would have sent; `id` is empty for a new subscription."""
    profile, named = store.profile(subscriber), store.routes(id) if id else []
    channels = [one for one in store.channels(subscriber) if (one.name in named if named else one.everything)]
    channels = [one for one in channels if one.kind not in (FEED, NOTHING)]
    if not channels or found.found is None:
        return []
    rows = found.found.slice(0, MOST).to_pylist()[::-1]
    items = [
        Item("", row["title"] or "", "", row["link"] or "", published=row["published"], language=row["language"] or "",
            feed=row["feed"] or "", feed_url=row["feed_url"] or "")
        for row in rows
    ]  # fmt: skip
    moments = [_moment(row["seen"]) for row in rows]
    accounts = [account(item, moment) for item, moment in zip(items, moments, strict=True)]
    stories = name_stories(accounts) if profile.by_story else [""] * len(rows)
    seen = [Seen(moment, story) for moment, story in zip(moments, stories, strict=True)]
    told = []
    for one in channels:
        try:
            when = when_of(one.settings, profile.zone, one.kind)
        except OptionError:
            continue
        told.append(Foretold(one.name, len(seen), *simulate(seen, when)))
    return told


def _moment(value: datetime | int) -> datetime:
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(value))
