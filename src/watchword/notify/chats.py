"""Chats, phones and whatever else Apprise knows: the package `apprise`, in a thread, if it is installed.

    ntfy://ntfy.sh/ada-alerts      slack://TokenA/TokenB/TokenC/#desk      tgram://bottoken/ChatID

Apprise speaks HTTP by itself, so the guard of webhooks does not hold for it: its URLs are the administrator's, and
begin with a scheme of `Outside.schemes`, checked once more before each message. Local ones, such as `dbus` and
`syslog`, are not among them. What the service answers is not known, only whether it took the message; it has no id for
a message, so one that is sent again is there twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from watchword.notify.answers import Answer, Outgoing
from watchword.notify.entries import one_line
from watchword.notify.letters import subject_of
from watchword.notify.settings import Outside
from watchword.visible import brief

THREADS = 8
"""Messages that are sent at once."""
ITEMS = 10
"""Items that a message shows; it says how many more there are."""
MISSING = "this server lacks Apprise: pip install 'watchword[notify]'"


class Chats:
    """Sends messages by Apprise."""

    whole = True

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self._pool = ThreadPoolExecutor(THREADS, "watchword-chats")

    async def send(self, message: Outgoing) -> Answer:
        """Send a message, and return what came of it."""
        address = message.channel.address
        if address.partition("://")[0] not in self._outside.schemes:
            return Answer(False, "its scheme is not allowed on this server", hopeless=True)
        title, body = subject_of(message), "\n".join(lines_of(message, self._outside.link("/")))
        sending = asyncio.get_running_loop().run_in_executor(self._pool, post, address, title, body)
        try:
            return await asyncio.wait_for(sending, 2 * self._outside.seconds)
        except TimeoutError:
            return Answer(False, f"no answer within {2 * self._outside.seconds:g} seconds")

    async def close(self) -> None:
        """End the threads."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def post(address: str, title: str, body: str) -> Answer:
    """Send a message to one of Apprise's URLs, and return what came of it."""
    try:
        import apprise
    except ModuleNotFoundError:
        return Answer(False, MISSING)
    try:
        service = apprise.Apprise(asset=apprise.AppriseAsset(app_id="Watchword", plugin_paths=[]))
        if not service.add(address):
            return Answer(False, "Apprise does not know this address", hopeless=True)
        taken = bool(service.notify(body=body, title=title, body_format=apprise.NotifyFormat.TEXT))
    except Exception as error:  # a hundred plugins, each with errors of its own
        return Answer(False, f"Apprise failed: {type(error).__name__}")
    return Answer(True, "accepted") if taken else Answer(False, "the service refused it, or cannot be reached")


def lines_of(message: Outgoing, inbox: str) -> Iterator[str]:
    """Yield the lines of a message."""
    if message.job.kind == "test":
        yield "This is a test of the channel. Nothing was matched."
    shown = message.entries[:ITEMS]
    for entry in shown:
        yield " ".join(filter(None, (one_line(brief(entry.title, 200)), entry.link)))
        names = ", ".join(one_line(why.name) for why in entry.reasons)
        yield f"  {names}"
    if message.count > len(shown):
        yield f"and {message.count - len(shown):,} more {inbox}".rstrip()
