"""What came of an attempt, as every channel says it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from watchword.notify.entries import Entry
from watchword.store import Channel, Job

KEPT = 300
"""Characters of an answer that the log keeps."""


@dataclass(frozen=True)
class Answer:
    """What came of an attempt; `text` is for the log.

    `hopeless` means that another attempt would fare no better, `disables` that the channel is to be used no more.
    `told` are the seconds after which the receiver wants to be asked again.
    """

    ok: bool
    text: str
    told: float | None = None
    hopeless: bool = False
    disables: bool = False


@dataclass(frozen=True)
class Outgoing:
    """A message with all that a sender needs: the channel, its secrets that are valid, and the entries that it shows.

    `count` is how many items the message stands for; the entries are the first of them.
    """

    channel: Channel
    secrets: Sequence[str]
    job: Job
    entries: Sequence[Entry]
    count: int
    now: datetime


class Sender(Protocol):
    """A way to send messages. A sender raises nothing: whatever happens is an answer."""

    whole: bool
    """Whether a digest is one message however many items it has."""

    async def send(self, message: Outgoing) -> Answer:
        """Send a message, and return what came of it."""

    async def close(self) -> None:
        """End all connections."""
