"""Which ids of an index are whose: `Owners`, which a `Follower` keeps up to its indexes.

    owners.find("ada").keep(["storms", "bread"])      ['storms']: bread is another subscriber's

An index in memory has everybody's subscriptions; an answer to one subscriber keeps the own ids of it. The ids of a
subscriber are read from the store when they are first asked for, and kept as the shorter of two sets: the own ones, or
all others'. So one subscriber with a million subscriptions costs nothing.

Invariant: what `find` returns is never behind the indexes. A follower notes new owners before the indexes have the
changes. An id that went from one subscriber to another leaves the indexes first; `version` is odd meanwhile and another
one afterwards, so that a reader who was in between notices it, and asks again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from watchword.store.owning import Owned

MOST_IDS = 5_000_000
"""Ids that are kept in all; those of the subscriber that was asked for longest ago are forgotten first."""


class Owners:
    """The ids of the subscribers that were asked for."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Owned] = OrderedDict()
        self._joining: dict[str, Owned] = {}
        self.version = 0

    def find(self, subscriber: str) -> Owned | None:
        """Return the ids of a subscriber; None if they have to be read first."""
        return self._known.get(subscriber)

    def __bool__(self) -> bool:
        return bool(self._known or self._joining)

    def begin(self, subscriber: str, owned: Owned) -> None:
        """Keep the ids of a subscriber that may be ahead of the indexes: `find` does not return them yet."""
        self._joining = {subscriber: owned}

    def end(self) -> None:
        """Let `find` return the ids that `begin` got, as the indexes have come up to them.

        Others' are forgotten if they are too many; nothing happens if all were forgotten meanwhile.
        """
        self._known |= self._joining
        self._joining = {}
        while len(self._known) > 1 and sum(map(len, self._known.values())) > MOST_IDS:
            self._known.popitem(last=False)

    def forget(self) -> None:
        """Forget all: they have to be read again."""
        self._known.clear()
        self._joining.clear()
        self.version += 2

    def handed_over(self, owners: Mapping[str, str | None]) -> list[str]:
        """Return the ids, of changed ones with their owner, that may have belonged to another subscriber before."""
        known = [*self._known.items(), *self._joining.items()]
        return [
            key
            for key, owner in owners.items()
            if owner is not None and any((key in owned) != (owner == name) for name, owned in known)
        ]

    def note(self, owners: Mapping[str, str | None]) -> None:
        """Take note of who has changed ids now; None for an id that is not subscribed any more."""
        for name, owned in [*self._known.items(), *self._joining.items()]:
            for key, owner in owners.items():
                if owner is not None:
                    owned.note(key, owner == name)

    @contextmanager
    def changing(self, handed_over: bool) -> Iterator[None]:
        """Make `version` odd during the block, and another one afterwards, if ids are handed over in it."""
        self.version += handed_over
        try:
            yield
        finally:
            self.version += handed_over
