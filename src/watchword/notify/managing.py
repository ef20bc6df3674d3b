"""Channels as people manage them, over HTTP, in the console and from the shell: each operation once.

    made = Channels(store, Outside()).put("ada", "desk", "webhook", "https://desk.example/hook")
    made.channel.state, made.secret                          'ready', 'whsec_…': shown this once

An address of mail is *unverified* until its owner has followed the link in the letter that is sent there; so it is
again when it changes, or is used again after it was unsubscribed. The secret of a webhook is drawn here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from watchword.errors import OptionError
from watchword.notify.answers import Answer
from watchword.notify.plan import zone_of
from watchword.notify.settings import MAIL, WEBHOOK, Outside, check
from watchword.notify.signing import make_secret
from watchword.notify.trying import send_now
from watchword.store import Channel, Profile, Store
from watchword.store.channels import READY, UNVERIFIED

ROTATION_HOURS = 24
"""Hours for which the secret before is valid beside a new one."""


class Made(NamedTuple):
    """A channel, the secret that is shown once, and what came of the letter by which an address is verified."""

    channel: Channel
    secret: str = ""
    letter: Answer | None = None


@dataclass(frozen=True)
class Channels:
    """The channels of a store; `is_admin` says whether the caller may set up whatever the server can send by."""

    store: Store
    outside: Outside
    is_admin: bool = False

    def put(
        self,
        subscriber: str,
        name: str,
        kind: str,
        address: str = "",
        settings: Mapping[str, Any] | None = None,
        *,
        everything: bool = True,
        fallback: str | None = None,
    ) -> Made:
        """Add a channel, or replace the one of this name."""
        chosen = dict(settings or {})
        check(kind, address, chosen, self.outside, is_admin=self.is_admin)
        old = next((one for one in self.store.channels(subscriber) if one.name == name), None)
        is_known = old is not None and old.address == address and old.state == READY
        state = UNVERIFIED if kind == MAIL and not is_known else READY
        channel = Channel(0, subscriber, name, kind, address, chosen, everything, fallback, state)
        if old is None:
            secret = make_secret() if kind == WEBHOOK else ""
            made = self.store.add_channel(channel, secrets=[secret] if secret else [])
        else:
            secret, made = "", self.store.replace_channel(channel)
        return Made(made, secret, self._verify(made))

    def rotate(self, subscriber: str, name: str, *, at_once: bool = False) -> str:
        """Give a webhook a new secret, and return it; the one before is valid for a day, or not `at_once`."""
        found = self.store.channel(subscriber, name)
        if found.kind != WEBHOOK:
            raise OptionError(f"only webhooks have secrets, and {name!r} is of the kind {found.kind}")
        secret, now = make_secret(), datetime.now(UTC)
        until = now if at_once else now + timedelta(hours=ROTATION_HOURS)
        self.store.rotate_secret(subscriber, name, secret, until=until)
        return secret

    def enable(self, subscriber: str, name: str) -> Made:
        """Use a channel again that was disabled; an address of mail is to be verified again."""
        found = self.store.channel(subscriber, name)
        state = UNVERIFIED if found.kind == MAIL and found.state != READY else READY
        check(found.kind, found.address, found.settings, self.outside, is_admin=True)
        self.store.set_channel_state(found.number, state)
        made = replace(found, state=state, reason="")
        return Made(made, "", self._verify(made))

    def test(self, subscriber: str, name: str) -> Answer:
        """Send a test, and return what came of it."""
        found = self.store.channel(subscriber, name)
        if found.kind == MAIL and found.state == UNVERIFIED:
            return Answer(False, "the address is not verified: follow the link in the letter that was sent there")
        return send_now(self.store, found, "test", self.outside)

    def set_profile(self, subscriber: str, zone: str, by_story: bool) -> Profile:
        """Replace a subscriber's profile; an `OptionError` if there is no such zone."""
        zone_of(zone)
        profile = Profile(zone, by_story)
        self.store.set_profile(subscriber, profile)
        return profile

    def route(self, subscription: str, channels: Sequence[str], mutes: bool) -> None:
        """Let a subscription point to channels, and mute or not."""
        self.store.set_routes(subscription, channels)
        self.store.set_mutes(subscription, mutes)

    def _verify(self, channel: Channel) -> Answer | None:
        if channel.state != UNVERIFIED:
            return None
        return send_now(self.store, channel, "verify", self.outside)
