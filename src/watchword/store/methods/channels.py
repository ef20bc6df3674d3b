"""Channels of subscribers, what subscriptions point to, and profiles: `ChannelMethods`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime

from watchword.errors import ConflictError, OptionError, StoreError, UnknownNameError
from watchword.store import channels, subscribing
from watchword.store.channels import ADDRESS_CHARACTERS, MOST_CHANNELS, NAME_CHARACTERS, Channel, Profile
from watchword.store.engine import Session
from watchword.store.methods.base import Base
from watchword.store.records import is_storable
from watchword.store.telling import SKETCHES
from watchword.visible import shown


class ChannelMethods(Base):
    """Channels, routes, mutes, and profiles. Kinds, addresses and settings are checked by `watchword.notify`."""

    def add_channel(self, channel: Channel, *, secrets: Iterable[str] = ()) -> Channel:
        """Add a channel to its subscriber, with its secrets, and return it with its number.

        A name that the subscriber has used already is a `ConflictError`, one channel too many an `OptionError`.
        """
        _check(channel)
        keys, time = json.dumps([[secret, None] for secret in secrets]), self._time()
        with self._engine.write() as session:
            owner = self._owner(session, channel.subscriber)
            there = channels.read_channels(session, owner)
            if any(one.name == channel.name for one in there):
                reason = f"{channel.subscriber} has a channel {channel.name!r} already: choose another name"
                raise ConflictError(reason, path=self.path, id=channel.name, etag=None)
            if len(there) >= MOST_CHANNELS:
                raise OptionError(f"a subscriber has at most {MOST_CHANNELS} channels; remove one first")
            fallback = self._fallback(session, owner, channel)
            channels.insert(session, owner, channel, keys, fallback, time)
            return self._channel(session, owner, channel.name)

    def replace_channel(self, channel: Channel) -> Channel:
        """Replace address, settings, routing and state of the channel of this name, and return it."""
        _check(channel)
        with self._engine.write() as session:
            owner = self._owner(session, channel.subscriber)
            old = self._channel(session, owner, channel.name)
            if old.kind != channel.kind:
                raise OptionError(f"the channel {old.name!r} stays a {old.kind}; add another one for {channel.kind}")
            channels.update(session, old.number, channel, self._fallback(session, owner, channel))
            return self._channel(session, owner, channel.name)

    def remove_channel(self, subscriber: str, name: str) -> None:
        """Remove a channel, with everything that waits for it, and its log."""
        with self._engine.write() as session:
            found = self._channel(session, self._owner(session, subscriber), name)
            session.run("DELETE FROM channels WHERE number = ?", (found.number,))

    def channel(self, subscriber: str, name: str) -> Channel:
        """Return a channel; an `UnknownNameError` if there is none of this name."""
        with self._engine.read() as session:
            return self._channel(session, self._owner(session, subscriber), name)

    def channels(self, subscriber: str | None = None) -> list[Channel]:
        """Return the channels of a subscriber, or of all, in the order in which they were made."""
        with self._engine.read() as session:
            return channels.read_channels(session, None if subscriber is None else self._owner(session, subscriber))

    def find_channel(self, number: int) -> Channel | None:
        """Return the channel of a number; None if it is gone."""
        with self._engine.read() as session:
            return channels.read_channel(session, number)

    def set_channel_state(self, number: int, state: str, reason: str = "") -> bool:
        """Set the state of a channel: ready, unverified or disabled. Return False if it is gone."""
        with self._engine.write() as session:
            return channels.set_state(session, number, state, reason)

    def channel_secrets(self, number: int) -> list[tuple[str, datetime | None]]:
        """Return the secrets of a channel, the newest first, each with the time until which it is valid."""
        with self._engine.read() as session:
            return channels.read_secrets(session, number)

    def rotate_secret(self, subscriber: str, name: str, secret: str, *, until: datetime) -> None:
        """Give a channel a new secret; the one before is valid until a time, and older ones not any more."""
        end = self._format(until)
        with self._engine.write() as session:
            found = self._channel(session, self._owner(session, subscriber), name)
            old = channels.read_secrets(session, found.number)[:1]
            kept = [[secret, None], *([one, end] for one, _ in old)]
            channels.write_secrets(session, found.number, json.dumps(kept))

    # what subscriptions point to

    def routes(self, subscription: str) -> list[str]:
        """Return the names of the channels that a subscription points to; none: all that take everything."""
        with self._engine.read() as session:
            return channels.read_routes(session, self._existing(session, subscription)[0])

    def set_routes(self, subscription: str, names: Iterable[str]) -> None:
        """Let a subscription point to channels of its subscriber, by their names; none: all that take everything."""
        wanted = list(dict.fromkeys(names))
        with self._engine.write() as session:
            key, owner = self._existing(session, subscription)
            channels.write_routes(session, key, [self._channel(session, owner, name).number for name in wanted])

    def mutes(self, subscription: str) -> bool:
        """Return whether a subscription mutes: whether its matches are withheld."""
        with self._engine.read() as session:
            return channels.read_mutes(session, self._existing(session, subscription)[0])

    def set_mutes(self, subscription: str, mutes: bool) -> None:
        """Let a subscription mute, or not: `watchword.store.muting` says what that does. Delivered items stay."""
        with self._engine.write() as session:
            key, _ = self._existing(session, subscription)
            session.run("UPDATE subscriptions SET mutes = ? WHERE id = ?", (int(mutes), key))

    def muting(self, subscriber: str) -> list[str]:
        """Return the ids of a subscriber's muting subscriptions."""
        with self._engine.read() as session:
            query = "SELECT id FROM subscriptions WHERE mutes = 1 AND subscriber = ? ORDER BY since"
            return [str(key) for (key,) in session.rows(query, (self._owner(session, subscriber),))]

    # profiles and keys

    def profile(self, subscriber: str) -> Profile:
        """Return the zone of a subscriber's times, and whether the same story counts once for them."""
        with self._engine.read() as session:
            return channels.read_profile(session, self._owner(session, subscriber))

    def set_profile(self, subscriber: str, profile: Profile) -> None:
        """Replace the profile of a subscriber. The zone is checked by `watchword.notify`."""
        with self._engine.write() as session:
            channels.write_profile(session, self._owner(session, subscriber), profile)

    def compare_texts(self, wanted: bool) -> None:
        """Let stories be found by the texts of items too, or not: of items that come from now on."""
        if wanted:
            self.key(SKETCHES)
            return
        with self._engine.write() as session:
            session.run("DELETE FROM keys WHERE name = ?", (SKETCHES,))

    def key(self, name: str) -> bytes:
        """Return the secret of this store for a use; the first call draws it."""
        with self._engine.read() as session:
            row = session.row("SELECT secret FROM keys WHERE name = ?", (name,))
        if row is None:
            with self._engine.write() as session:
                return bytes.fromhex(channels.make_key(session, name))
        return bytes.fromhex(str(row[0]))

    # private parts

    def _channel(self, session: Session, owner: int, name: str) -> Channel:
        found = channels.read_channels(session, owner, name) if is_storable(name) else []
        if not found:
            reason = f"there is no channel {shown(name)}; watchword channels list NAME lists them"
            raise UnknownNameError(reason, path=self.path, name=name)
        return found[0]

    def _fallback(self, session: Session, owner: int, channel: Channel) -> int | None:
        """Return the number of a channel's fallback; a `StoreError` if fallbacks would lead back to it."""
        if channel.fallback is None:
            return None
        following: str | None = channel.fallback
        while following is not None:
            if following == channel.name:
                reason = f"the fallback of {channel.name!r} leads back to it: choose another one"
                raise StoreError(reason, path=self.path)
            following = self._channel(session, owner, following).fallback
        return self._channel(session, owner, channel.fallback).number

    def _existing(self, session: Session, id: str) -> tuple[str, int]:
        """Return the id of a subscription, and the number of its subscriber."""
        found = subscribing.read_current(session, [id]).get(id) if is_storable(id) else None
        if found is None:
            raise UnknownNameError(f"there is no subscription {id!r}", path=self.path, name=id)
        return id, found.owner


def _check(channel: Channel) -> None:
    name, address = channel.name, channel.address
    if not is_storable(name) or not 0 < len(name.strip()) <= len(name) <= NAME_CHARACTERS or not name.isprintable():
        raise OptionError(f"a channel's name is a line of 1 to {NAME_CHARACTERS} characters, not {shown(name)}")
    if name != name.strip() or "/" in name:
        raise OptionError(f"a channel's name begins and ends with no space, and has no slash: {shown(name)}")
    if not is_storable(address) or len(address) > ADDRESS_CHARACTERS or not address.isprintable():
        raise OptionError(f"an address is a line of at most {ADDRESS_CHARACTERS:,} characters, not {shown(address)}")
