"""Subscribing, and what followers ask: `SubscriptionMethods`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from watchword.errors import ConflictError, StoreError, SubscriptionError, UnknownNameError
from watchword.store import subscribing
from watchword.store.details import read_examples, try_examples
from watchword.store.engine import Session
from watchword.store.methods.base import Base
from watchword.store.options import Options, read_options
from watchword.store.owning import Owned, count_owned, read_owned, read_owners, read_tagged, read_tags
from watchword.store.records import Changes, Details, Request, Subscription, is_storable


class SubscriptionMethods(Base):
    """Subscriptions with their details, and their numbered changes."""

    def subscribe(
        self,
        subscriber: str,
        text: str,
        *,
        language: str = "keywords",
        id: str | None = None,
        details: Details | None = None,
        if_match: str | None = None,
        only_new: bool = False,
    ) -> str:
        """Subscribe, or replace the subscriber's own subscription of this id; return the id.

        The language reads the text first, and tries the examples: a refused one (`SubscriptionError`) leaves the store
        as it was. Without `details` a replaced subscription keeps its own. With `if_match`, the `etag` that it has to
        have, or with `only_new`, a subscription in another state is a `ConflictError`.
        """
        try:
            checked = self._check_requests([Request(subscriber, text, id, language, details)], subscribing.check_one)
            return self._write(checked, if_match, only_new)[0]
        except SubscriptionError as error:
            raise error if error.row is None else error.without_row() from None

    def subscribe_many(self, requests: Iterable[Request]) -> list[str]:
        """Subscribe many in one transaction, all or none; return their ids. An error names the row."""
        return self._write(self._check_requests(requests, subscribing.check_rows))

    def set_details(self, id: str, details: Details, *, if_match: str | None = None) -> Subscription:
        """Replace the details of a subscription, and return it; with `if_match` only if that is its `etag` still."""
        while True:
            old = self.subscription(id)
            state, language = old.etag if if_match is None else if_match, old.language
            try:
                self.subscribe(old.subscriber, old.text, language=language, id=id, details=details, if_match=state)
                return self.subscription(id)
            except ConflictError:
                if if_match is not None:
                    raise  # otherwise its text was replaced meanwhile, and the examples are tried on the new one

    def unsubscribe(self, id: str, *, if_match: str | None = None) -> None:
        """Delete a subscription, with `if_match` only if that is its `etag` still. Its deliveries stay in the inbox."""
        with self._engine.write() as session:
            current = self._subscription(session, id)
            if if_match is not None:
                self._check_state(id, current, if_match)
            subscribing.delete(session, [(id, current.language)])
            counter = subscribing.read_counter(session)
        self._announce(counter)

    def subscription(self, id: str) -> Subscription:
        """Return the subscription of an id; an `UnknownNameError` if there is none."""
        with self._engine.read() as session:
            return self._subscription(session, id)

    def subscriptions(
        self,
        subscriber: str | None = None,
        language: str | None = None,
        *,
        after: int | None = None,
        limit: int | None = None,
    ) -> list[Subscription]:
        """Return subscriptions in the order of subscribing: of one subscriber or all, in one language or any.

        The first `limit` of them, where it is given; a page begins after the `since` of the last one of the page
        before.
        """
        with self._engine.read() as session:
            owner = None if subscriber is None else self._owner(session, subscriber)
            return subscribing.read_subscriptions(session, owner, language, after, limit)

    def owned(self, subscriber: str) -> Owned:
        """Return which ids are a subscriber's: as the ids, or as all others' if these are fewer."""
        with self._engine.read() as session:
            return read_owned(session, self._owner(session, subscriber))

    def count_subscriptions(self, subscriber: str) -> int:
        """Return how many subscriptions a subscriber has."""
        with self._engine.read() as session:
            return count_owned(session, self._owner(session, subscriber))

    def tags(self, subscriber: str) -> list[str]:
        """Return the tags of a subscriber's subscriptions, each once, in alphabetical order."""
        with self._engine.read() as session:
            return read_tags(session, self._owner(session, subscriber))

    def tagged(self, subscriber: str, tags: Collection[str]) -> list[str]:
        """Return the ids of a subscriber's subscriptions that have one of some tags."""
        with self._engine.read() as session:
            return read_tagged(session, self._owner(session, subscriber), tags)

    def owners_since(self, counter: int) -> tuple[dict[str, str | None], int]:
        """Return the owner of each id that changed since `counter`, None without one, and the counter now."""
        with self._engine.read() as session:
            return read_owners(session, counter), subscribing.read_counter(session)

    def languages(self) -> list[str]:
        """Return the languages that have subscriptions, in alphabetical order; no table is counted."""
        with self._engine.read() as session:
            return subscribing.read_languages(session)

    def changes_since(self, counter: int, *, language: str | None = None) -> Changes:
        """Return the changes since `counter` (0: all of them), and the counter for the next time.

        Each id is there once, with its text now, or None if it is deleted: also an id that came and went since.
        """
        with self._engine.read() as session:
            last = subscribing.read_counter(session)
            if not 0 <= counter <= last:
                raise StoreError(
                    f"the counter {counter} is not this store's, whose last change is {last}: start again from 0, "
                    "with an empty index",
                    path=self.path,
                )
            return subscribing.read_changes(session, counter, language)

    def count_changes(self, counter: int, *, language: str) -> int:
        """Return the number of changes of a language since `counter`: 3 for an index that is 3 changes behind."""
        with self._engine.read() as session:
            return subscribing.count_changes(session, counter, language)

    def last_change(self) -> int:
        """Return the number of the last change, 0 before the first."""
        with self._engine.read() as session:
            return subscribing.read_counter(session)

    def epoch(self, counter: int) -> str | None:
        """Return the random name of the state whose last change was number `counter`; None if there is none.

        A follower keeps it beside the counter. If the answer is another one later, or None, this is another store, or
        it was restored from a copy, or it has changed too often since: start again from 0.
        """
        with self._engine.read() as session:
            return subscribing.read_epoch(session, counter)

    # private parts

    def _subscription(self, session: Session, id: str) -> Subscription:
        found = subscribing.read_subscription(session, id) if is_storable(id) else None
        if found is None:
            raise UnknownNameError(f"there is no subscription {id!r}", path=self.path, name=id)
        return found

    def _check_requests(self, requests: Iterable[Request], check: _Check) -> _Checked:
        """Read requests to their end, let `check` read the texts, and try the examples."""
        wanted = subscribing.check_requests(requests)
        keeping = [request.id for request in wanted if request.details is None and request.id is not None]
        with self._engine.read() as session:
            options, kept = read_options(session), read_examples(session, keeping)
        check(wanted, options)
        try_examples(wanted, kept, options)
        return _Checked(wanted, options, kept)

    def _write(self, checked: _Checked, if_match: str | None = None, only_new: bool = False) -> list[str]:
        """Write requests that were checked; a `ConflictError` if one was made for another state."""
        time, requests = self._time(), checked.requests
        given = {request.id for request in requests if request.id is not None}
        with self._engine.write() as session:
            if read_options(session) != checked.options:
                raise StoreError("options of a language were chosen meanwhile: subscribe again", path=self.path)
            names = dict.fromkeys(request.subscriber for request in requests)
            current = subscribing.read_current(session, given)
            made = subscribing.make_plan(
                requests,
                owners={name: self._owner(session, name) for name in names},
                current=current,
                was_used=lambda key: key in given or subscribing.was_ever_used(session, key),
                counter=subscribing.read_counter(session),
            )
            if if_match is not None or only_new:
                key = requests[0].id or ""
                self._check_state(key, subscribing.read_subscription(session, key), if_match, only_new)
            self._check_kept(checked, current)
            subscribing.write_plan(session, made, time)
            counter = subscribing.read_counter(session)
        self._announce(counter)
        return made.ids

    def _check_state(self, id: str, found: Subscription | None, if_match: str | None, only_new: bool = False) -> None:
        """Raise a `ConflictError` if a subscription is not in the state that a change was made for."""
        etag = None if found is None else found.etag
        if only_new and etag is not None:
            reason = f"there is a subscription {id!r} already: choose another id, or replace it"
        elif if_match is not None and etag is None:
            reason = f"there is no subscription {id!r} any more: subscribe without a condition"
        elif if_match is not None and etag != if_match:
            reason = f"the subscription {id!r} was changed meanwhile: read it again, and repeat the change"
        else:
            return
        raise ConflictError(reason, path=self.path, id=id, etag=etag)

    def _check_kept(self, checked: _Checked, current: Mapping[str, subscribing.Current]) -> None:
        """Raise a `ConflictError` if examples that a request keeps are not the ones that were tried."""
        for request in checked.requests:
            key = request.id or ""
            keeps = request.details is None and key in current
            if keeps and current[key].details.examples != checked.kept.get(key, "[]"):
                reason = f"examples of the subscription {key!r} were changed meanwhile: subscribe again"
                raise ConflictError(reason, path=self.path, id=key, etag=None)


class _Checked(NamedTuple):
    """Requests that were checked under `options`, and tried on the examples that they keep."""

    requests: list[Request]
    options: Mapping[str, Options]
    kept: Mapping[str, str]


_Check = Callable[[list[Request], Mapping[str, Options]], None]
