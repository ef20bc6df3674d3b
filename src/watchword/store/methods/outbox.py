"""Notifications on their way out, and their log: `OutboxMethods`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from watchword.errors import OptionError
from watchword.store import inboxes, outbox, outbox_log
from watchword.store.channels import Channel
from watchword.store.explaining import Explainer
from watchword.store.inboxes import Page
from watchword.store.methods.base import Base
from watchword.store.options import read_options
from watchword.store.outbox import Attempt, Decide, Verdict, Work
from watchword.store.outbox_log import STATES, OutboxCounts, Sent, Tried, Unsent
from watchword.store.records import Delivery


class OutboxMethods(Base):
    """What a dispatcher asks, and what people ask about it."""

    def exchange(
        self,
        holder: str,
        decide: Decide,
        *,
        attempts: Iterable[Attempt] = (),
        verdicts: Iterable[Verdict] = (),
        kept: Collection[int] = (),
        ended: Collection[int] = (),
        more: dict[int, int] | None = None,
        channels: int = 100,
        jobs: int = 100,
        is_whole: Callable[[Channel], bool] = lambda channel: True,
    ) -> list[Work]:
        """Do everything of one turn of a dispatcher in one transaction; return the channels to work for.

        `attempts` and `verdicts` are written. The channels of `kept` are held on to, those of `ended` are given back.
        `more` asks for further messages of channels that are held, after a message's number. At most `channels` others
        are taken, with `jobs` messages each. `decide` plans a channel; `is_whole` says whether a digest is one message
        however many items it has.
        """
        written, said, now = list(attempts), list(verdicts), self._clock()
        time = self._format(now)
        with self._engine.write() as session:
            for message in outbox.write_attempts(session, written):
                outbox.move_to_fallback(session, message, time)
            for verdict in said:
                outbox.write_verdict(session, verdict)
            outbox.let_go(session, holder, ended, now)
            taken = dict.fromkeys(outbox.hold(session, holder, now, channels, kept), 0)
            wanted = {
                number: after for number, after in (more or {}).items() if outbox.is_held(session, holder, number)
            }
            work = []
            for number, after in (taken | wanted).items():
                found = outbox.plan_channel(session, number, now, decide, is_whole)
                read = None if found is None else outbox.read_work(session, found, now, jobs, after)
                if read is not None and (read.jobs or number in wanted):
                    work.append(read)
                else:
                    outbox.let_go(session, holder, [number], now)
            return work

    def has_work(self) -> bool:
        """Return whether a dispatcher would find something to do; it writes nothing."""
        now = self._clock()
        with self._engine.read() as session:
            return outbox.has_work(session, now)

    def release(self, holder: str) -> None:
        """Give back every channel of a dispatcher that ends."""
        with self._engine.write() as session:
            session.run("UPDATE channels SET holder = '', held_until = '' WHERE holder = ?", (holder,))

    def deliveries(self, numbers: Iterable[int]) -> dict[int, Delivery]:
        """Return deliveries of whomever, by their numbers, without deleted ones."""
        with self._engine.read() as session:
            explainer = Explainer(read_options(session))
            found = [
                one for number in numbers for one in inboxes.read_inbox(session, explainer, None, Page(only=number))
            ]
            return {one.number: one for one in found}

    def names(self, subscriptions: Iterable[str]) -> dict[str, str]:
        """Return the names that people gave to subscriptions, by their ids, without nameless ones."""
        wanted = sorted(set(subscriptions))
        with self._engine.read() as session:
            query = "SELECT name FROM subscriptions WHERE id = ? AND name <> ''"
            rows = ((key, session.row(query, (key,))) for key in wanted)
            return {key: str(row[0]) for key, row in rows if row is not None}

    def log_sent(self, channel: int, kind: str, id: str, ok: bool, answer: str, milliseconds: int) -> None:
        """Write a message into the log that was sent without the outbox, such as a test; nothing if it is gone."""
        tried = Tried(self._clock(), ok, answer, milliseconds)
        with self._engine.write() as session:
            if session.row("SELECT 1 FROM channels WHERE number = ?", (channel,)) is not None:
                outbox_log.write_sent(session, channel, kind, id, tried)

    # the log

    def messages(
        self,
        subscriber: str | None = None,
        *,
        channel: str | None = None,
        state: str | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> list[Sent]:
        """Return messages with their attempts, newest first; with `before`, those with smaller numbers."""
        if state is not None and state not in STATES:
            raise OptionError(f"a message is {', '.join(STATES)}, not {state[:40]!r}")
        with self._engine.read() as session:
            owner = None if subscriber is None else self._owner(session, subscriber)
            return outbox_log.read_messages(session, owner, channel, state, before, limit)

    def unsent(
        self, subscriber: str | None = None, *, channel: str | None = None, before: int | None = None, limit: int = 50
    ) -> list[Unsent]:
        """Return withheld and gathered items, newest first, with the reasons."""
        with self._engine.read() as session:
            owner = None if subscriber is None else self._owner(session, subscriber)
            return outbox_log.read_unsent(session, owner, channel, before, limit)

    def outbox_counts(self, subscriber: str | None = None) -> OutboxCounts:
        """Return the outbox of a subscriber, or of all, in figures."""
        with self._engine.read() as session:
            owner = None if subscriber is None else self._owner(session, subscriber)
            return outbox_log.count_outbox(session, owner)

    def replay(self, subscriber: str, messages: Iterable[int] | None = None, *, channel: str | None = None) -> int:
        """Send dead messages again, under the ids that they have; return how many. Without numbers all of them."""
        wanted, time = None if messages is None else list(messages), self._time()
        with self._engine.write() as session:
            return outbox_log.replay(session, self._owner(session, subscriber), wanted, channel, time)
