"""The ways to send, by the kind of a channel, for one dispatcher."""

from __future__ import annotations

from collections.abc import Mapping

from watchword.notify.answers import Sender
from watchword.notify.chats import Chats
from watchword.notify.links import KEY
from watchword.notify.mail import Mail
from watchword.notify.settings import APPRISE, MAIL, WEBHOOK, Outside
from watchword.notify.webhook import Webhooks
from watchword.store import Store


def make_senders(store: Store, outside: Outside) -> Mapping[str, Sender]:
    """Return the senders that this server has; to be made and used within one event loop."""
    made: dict[str, Sender] = {WEBHOOK: Webhooks(outside.allowed, outside.seconds)}
    if outside.can_mail:
        made[MAIL] = Mail(outside, lambda: store.key(KEY))
    made[APPRISE] = Chats(outside)
    return made
