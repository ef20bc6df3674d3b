"""Messages that are asked for now: a test of a channel, and the letter by which an address is verified.

send_now(store, channel, "test", outside)      Answer(True, "204 No Content"), and it is in the log
"""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

from watchword.notify.answers import Answer, Outgoing
from watchword.notify.senders import make_senders
from watchword.notify.settings import FEED, NOTHING, Outside
from watchword.notify.signing import valid
from watchword.store import Channel, Job, Store
from watchword.store.outbox import make_id
from watchword.visible import visible


def send_now(store: Store, channel: Channel, kind: str, outside: Outside) -> Answer:
    """Send a message of the kind ``test`` or ``verify`` to a channel, log it, and return what came of it.

    A channel on which nothing is sent answers at once. The thread has no event loop.
    """
    if channel.kind in (FEED, NOTHING):
        return Answer(True, "nothing is sent on this channel")
    now = datetime.now(UTC)
    job = Job(0, make_id(), kind, now, 0, "", ())
    message = Outgoing(channel, valid(store.channel_secrets(channel.number), now), job, (), 0, now)
    began = time.perf_counter()
    answer = asyncio.run(_send(store, message, outside))
    took = round((time.perf_counter() - began) * 1000)
    store.log_sent(channel.number, kind, job.id, answer.ok, visible(answer.text), took)
    return answer


async def _send(store: Store, message: Outgoing, outside: Outside) -> Answer:
    senders = make_senders(store, outside)
    try:
        sender = senders.get(message.channel.kind)
        if sender is None:
            return Answer(False, f"this server sends nothing by {message.channel.kind}")
        return await sender.send(message)
    finally:
        for one in senders.values():
            await one.close()
