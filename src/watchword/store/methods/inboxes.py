"""Matches, written once for each batch, and the inboxes in which they wait: `InboxMethods`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from watchword.errors import StoreError, UnknownNameError
from watchword.items import Item
from watchword.store import access, audit, channels, delivering, inboxes, muting, outbox_log, subscribing
from watchword.store.explaining import Explainer
from watchword.store.inboxes import Marks, Page
from watchword.store.methods.base import Base
from watchword.store.options import read_options
from watchword.store.records import Delivery, InboxCounts, Match, is_storable


class InboxMethods(Base):
    """Batches of matches, inboxes, and the deletion of old entries."""

    def record(
        self,
        batch: str,
        items: Iterable[Item],
        matches: Iterable[Match | tuple[str, ...]],
        *,
        as_of: int | None = None,
        notify: bool = True,
    ) -> bool:
        """Write the matches of a batch, whole and once; return False, and write nothing, if it was written before.

        Matches of subscriptions that were deleted meanwhile are dropped, and items without any other match. `as_of` is
        the counter (`changes_since`) of the index that matched: an id that was unsubscribed and subscribed again after
        it, perhaps by another subscriber, gets nothing of this batch. Of two items with one identity, and two reasons
        of one match, the first counts, also over batches.

        With `notify`, the channels that the matches are meant for are told of them: rows of the outbox are written in
        the same transaction. A back-fill tells no channel.
        """
        try:
            rows = [delivering.item_row(item) for item in items]
            found = delivering.match_rows(matches, rows)
        except ValueError as error:
            raise StoreError(f"batch {batch!r}: {error}", path=self.path) from error
        self._check_batch(batch)
        time = self._time()
        with self._engine.write() as session:
            if delivering.is_written(session, batch):
                return False
            delivering.write_batch(session, batch, rows, found, as_of, time, notify)
            return True

    def is_recorded(self, batch: str) -> bool:
        """Return whether a batch was written, so that it need not be computed again."""
        self._check_batch(batch)
        with self._engine.read() as session:
            return delivering.is_written(session, batch)

    def inbox(
        self,
        subscriber: str,
        *,
        unread_only: bool = True,
        limit: int | None = None,
        subscription: str | None = None,
        before: int | None = None,
        after: int | None = None,
        starred_only: bool = False,
        oldest_first: bool = False,
        stories: bool = False,
    ) -> list[Delivery]:
        """Return the deliveries of a subscriber, newest first: each item once, with all the subscriptions it matched.

        With a `subscription`, by its id, only the items that it matched; it may be deleted. `before` and `after` are
        numbers of deliveries, so that pages do not move. The `why` of a reason is made when it is first asked for, also
        after the store is closed.

        With `stories`, and unless the subscriber's switch is off (`Profile.by_story`), a story is there once, as its
        first item that the page would have, and `sources` has the others.
        """
        page = Page(unread_only, limit, subscription, before, after, starred_only, oldest_first)
        with self._engine.read() as session:
            owner = self._owner(session, subscriber)
            by_story = stories and channels.read_profile(session, owner).by_story
            explainer = Explainer(read_options(session))
            found = inboxes.read_inbox(session, explainer, owner, page._replace(by_story=by_story))
            return inboxes.add_sources(session, found) if by_story else found

    def inbox_counts(self, subscriber: str, *, stories: bool = False) -> InboxCounts:
        """Return how many items of an inbox there are, are unread, are starred, and are unread by subscription.

        With `stories`, and unless the subscriber's switch is off, the first three are numbers of stories.
        """
        with self._engine.read() as session:
            owner = self._owner(session, subscriber)
            return inboxes.count_inbox(session, owner, stories and channels.read_profile(session, owner).by_story)

    def with_sources(self, subscriber: str, found: Iterable[Delivery]) -> list[Delivery]:
        """Return deliveries of a subscriber with the other items that tell their stories, unless that is off."""
        deliveries = list(found)
        with self._engine.read() as session:
            by_story = channels.read_profile(session, self._owner(session, subscriber)).by_story
            return inboxes.add_sources(session, deliveries) if by_story else deliveries

    def story_items(self, subscriber: str, items: Iterable[str]) -> list[str]:
        """Return items, by identity, with the others of the inbox that tell their stories.

        Only the items themselves where the subscriber's switch is off.
        """
        identities = list(items)
        with self._engine.read() as session:
            owner = self._owner(session, subscriber)
            by_story = channels.read_profile(session, owner).by_story
            return inboxes.story_items(session, owner, identities) if by_story else identities

    def last_delivery(self, subscriber: str) -> int:
        """Return the greatest number of a subscriber's deliveries, 0 if there is none; it reads two rows."""
        with self._engine.read() as session:
            return inboxes.last_delivery(session, self._owner(session, subscriber))

    def newest_delivery(self) -> int:
        """Return the greatest number of the deliveries of all subscribers, 0 if there is none; it reads one row."""
        with self._engine.read() as session:
            return inboxes.newest_delivery(session)

    def news(self, after: int) -> dict[str, int]:
        """Return the greatest number of each subscriber's deliveries, for those with any after number `after`.

        It reads the deliveries after that number only, of all subscribers in one query.
        """
        with self._engine.read() as session:
            return inboxes.read_news(session, after)

    def unread_items(self, subscriber: str, *, through: int | None = None, limit: int) -> list[str]:
        """Return the identities of at most `limit` unread items, newest first, up to delivery number `through`."""
        with self._engine.read() as session:
            return inboxes.read_unread(session, self._owner(session, subscriber), through, limit)

    def marks(self, subscriber: str, items: Iterable[str]) -> list[Marks]:
        """Return whether items, by identity, are read and starred; unknown ones are left out."""
        identities = list(items)
        with self._engine.read() as session:
            return inboxes.read_marks(session, self._owner(session, subscriber), identities)

    def matched_items(self, subscription: str, *, limit: int | None = None) -> list[Item]:
        """Return the items that a subscription has matched, newest first, read or not, while the inbox has them.

        This is `getMatchedItems` of Kourdounakis (2011). Deliveries outlive the subscription, so a deleted one may be
        asked for while an inbox has an item of it; an `UnknownNameError` if there is neither.
        """
        with self._engine.read() as session:
            key = subscription if is_storable(subscription) else ""  # which is no id
            current = subscribing.read_current(session, [key]).get(key)
            owner = None if current is None else current.owner
            found = inboxes.read_inbox(session, Explainer({}), owner, Page(limit=limit, subscription=key))
        if current is None and not found:
            reason = f"there is no subscription {subscription!r}, and no inbox has anything of it"
            raise UnknownNameError(reason, path=self.path, name=subscription)
        return [delivery.item for delivery in found]

    def mark_read(self, subscriber: str, items: Iterable[str] | None = None, *, through: int | None = None) -> int:
        """Mark items, by identity, as read; without `items` the whole inbox. Return the number of unread ones.

        With `through`, the number of a delivery, later ones stay as they are: they came after the inbox was looked at.
        """
        identities = None if items is None else list(items)
        time = self._time()
        with self._engine.write() as session:
            return inboxes.mark_read(session, self._owner(session, subscriber), identities, through, time)

    def mark_unread(self, subscriber: str, items: Iterable[str]) -> int:
        """Mark items, by identity, as unread; return the number of read ones."""
        identities = list(items)
        with self._engine.write() as session:
            return inboxes.mark_unread(session, self._owner(session, subscriber), identities)

    def star(self, subscriber: str, items: Iterable[str], starred: bool = True) -> int:
        """Star items, by identity, or take their stars; return the number of items that this changed.

        `prune` keeps starred items until their stars are taken.
        """
        identities, time = list(items), self._time() if starred else None
        with self._engine.write() as session:
            return inboxes.star(session, self._owner(session, subscriber), identities, time)

    def prune(self, before: datetime, *, unread: bool = False, batches: bool = False) -> int:
        """Delete read deliveries from before a time; with `unread`, unread ones too. Return their number.

        A deleted item that is matched again is delivered again. With `batches` the ids of batches from before the time
        are deleted too (`forget_batches`). Starred items stay. Tokens, logins, sessions and answers that have expired
        are deleted, and entries of the audit log that are a year old.

        It is done in many short transactions, so that others can write. The file keeps its size, and its free space is
        used again; `compact` returns it to the disk.
        """
        time = self._format(before)
        pruned = 0
        for first, last in self._portions("deliveries"):
            with self._engine.write() as session:
                pruned += delivering.prune_deliveries(session, first, last, time, unread)
        for first, last in self._portions("items") if pruned else []:
            with self._engine.write() as session:
                delivering.prune_items(session, first, last)
        if batches:
            self.forget_batches(before)
        self._drop_expired()
        return pruned

    def forget_batches(self, before: datetime, *, repeatable: Iterable[str] = ()) -> int:
        """Delete the ids of batches from before a time, except `repeatable` ones; return their number.

        A batch whose id was deleted is written again if it comes again.
        """
        kept, time = list(repeatable), self._format(before)
        with self._engine.write() as session:
            return delivering.forget_batches(session, time, kept)

    # private parts

    def _portions(self, table: str) -> list[tuple[int, int]]:
        with self._engine.read() as session:
            return delivering.portions(session, table)

    def _drop_expired(self) -> None:
        now = self._clock()
        with self._engine.write() as session:
            access.drop_expired(session, now)
            audit.drop_old(session, now)
            muting.forget(session, now)
            outbox_log.forget(session, now)

    def _check_batch(self, batch: str) -> None:
        if not is_storable(batch) or not batch:
            raise StoreError(f"a batch's id is a text that is not empty, not {batch!r}", path=self.path)
