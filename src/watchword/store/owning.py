"""Whose subscriptions there are, as ids alone: for indexes that hold everybody's and answer one.

read_owned(session, owner)       Owned(ids={"s1", "s2"}, others=None)     where a subscriber has less than half
read_owned(session, owner)       Owned(ids=None, others={"s9"})           where it has more: the others' are fewer
read_owners(session, 17)         {"s1": "ada", "s4": None}                of the ids changed after change 17
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from watchword.store.engine import Session
from watchword.store.records import parse_list


@dataclass
class Owned:
    """The ids of a subscriber, or those of all others: whichever are fewer. The other set is None."""

    ids: set[str] | None = None
    others: set[str] | None = None

    def __contains__(self, key: str) -> bool:
        return key in self.ids if self.ids is not None else key not in (self.others or ())

    def keep(self, found: list[str]) -> list[str]:
        """Return the subscriber's own of some ids, in their order."""
        if self.ids is not None:
            return [key for key in found if key in self.ids]
        return [key for key in found if key not in self.others] if self.others else found

    @property
    def is_all(self) -> bool:
        """Whether no other subscriber has a subscription."""
        return self.ids is None and not self.others

    def __len__(self) -> int:
        """Return how many ids are kept."""
        return len(self.ids or ()) + len(self.others or ())

    def note(self, key: str, owns: bool) -> None:
        """Take note that the subscriber owns an id now, or that another one does."""
        kept, add = (self.ids, owns) if self.ids is not None else (self.others, not owns)
        assert kept is not None
        if add:
            kept.add(key)
        else:
            kept.discard(key)


def read_owned(session: Session, owner: int) -> Owned:
    """Return the ids that a subscriber, by number, has."""
    row = session.row("SELECT count(*) FROM subscriptions")
    fewer = 2 * count_owned(session, owner) <= (row[0] if row else 0)
    sign = "=" if fewer else "<>"
    rows = session.rows(f"SELECT id FROM subscriptions WHERE subscriber {sign} ?", (owner,))
    ids = {str(key) for (key,) in rows}
    return Owned(ids=ids) if fewer else Owned(others=ids)


def read_owners(session: Session, counter: int) -> dict[str, str | None]:
    """Return the owner of each id that changed after change `counter`, None if it is not subscribed any more."""
    rows = session.rows(
        """SELECT changes.id, subscribers.name
        FROM changes LEFT JOIN subscriptions ON subscriptions.id = changes.id
        LEFT JOIN subscribers ON subscribers.number = subscriptions.subscriber
        WHERE changes.number > ?""",
        (counter,),
    )
    return dict(_named(rows))


def count_owned(session: Session, owner: int) -> int:
    """Return how many subscriptions a subscriber, by number, has."""
    row = session.row("SELECT count(*) FROM subscriptions WHERE subscriber = ?", (owner,))
    return int(row[0]) if row else 0


def read_tagged(session: Session, owner: int, tags: Collection[str]) -> list[str]:
    """Return the ids of a subscriber's subscriptions that have one of some tags."""
    rows = session.rows("SELECT id, tags FROM subscriptions WHERE subscriber = ? AND tags <> '[]'", (owner,))
    return [str(key) for key, own in rows if not set(tags).isdisjoint(parse_list(own))]


def read_tags(session: Session, owner: int) -> list[str]:
    """Return the tags of a subscriber's subscriptions, each once, in alphabetical order."""
    rows = session.rows("SELECT DISTINCT tags FROM subscriptions WHERE subscriber = ? AND tags <> '[]'", (owner,))
    return sorted({tag for (own,) in rows for tag in parse_list(own)})


def _named(rows: Iterable[tuple[str, str | None]]) -> Iterable[tuple[str, str | None]]:
    return ((str(key), name) for key, name in rows)
