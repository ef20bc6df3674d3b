"""Sends what waits in the outbox: takes channels, plans them, sends their messages, writes down every answer.

    with Dispatcher(home.store, make_senders(Outside())) as dispatcher:        # a thread, until the block ends
        store.record("batch 18", items, matches)                               # told within `every` seconds

One turn is one transaction of the store (`Store.exchange`): attempts are written, channels taken, notifications
planned, messages read. Between two turns each channel that was taken is a task of its own, a *line*, which sends one
message after the other in the order of their numbers: one that hangs holds up no other. At most `SLOTS` lines are at
work, and those without failures come first.

Killed between an answer and the turn that writes it, a message is sent again by the next dispatcher, under its id. So a
receiver may see a message twice, and knows it by its id; it misses none. Several dispatchers share the channels.

`plan` decides who is told when, `retries` whether again. An error of the store, such as a full
disk, is kept in `error` and logged once; answers wait until they can be written.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Self

from watchword.errors import OptionError, WatchwordError
from watchword.files import Closing
from watchword.notify.answers import KEPT, Answer, Outgoing, Sender
from watchword.notify.deciding import decide
from watchword.notify.entries import Entry, entry_of
from watchword.notify.retries import OPENS, channel_wait, next_attempt
from watchword.notify.signing import valid
from watchword.store import Attempt, Channel, Job, Store, Verdict, Work
from watchword.visible import brief, visible

EVERY = 0.2
"""Seconds between two looks at an outbox in which nothing waits."""
SLOTS = 400
"""Channels that a dispatcher works for at once."""
JOBS = 100
"""Messages of a channel that are read at once."""
SHOWN = 100
"""Items of a digest that its message shows."""
DRAIN = 5.0
"""Seconds that messages on their way have at the end."""
SLOWEST = 10.0
"""Seconds of the longest wait after errors of the store."""
SHORTEST = 0.01
"""Seconds between two turns at least."""
_Found = list[tuple[Work, dict[int, Entry]]]
_log = logging.getLogger("watchword.notify")


@dataclass
class Line:
    """A channel at work: the messages that are to be sent, their items, and the number of the last that was read.

    A line that has `ended` asks for no more: the channel is taken again when there is more.
    """

    work: Work
    jobs: deque[Job]
    content: dict[int, Entry]
    failures: int
    last: int
    asked: bool = False
    ended: bool = False


@dataclass
class Written:
    """Results for the next turn to write."""

    attempts: list[Attempt] = field(default_factory=list)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    ended: list[int] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.attempts or self.verdicts or self.ended)


class Dispatcher(Closing):
    """Sends notifications in a thread, as a context manager; `close` ends when messages on their way are answered.

    `open_store` gives the store, also after its file was replaced; it is not closed here.
    """

    def __init__(
        self,
        open_store: Callable[[], Store],
        make_senders: Callable[[], Mapping[str, Sender]],
        *,
        every: float = EVERY,
        slots: int = SLOTS,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        if not every > 0 or slots < 1:
            raise OptionError(f"every and slots are positive, not {every} and {slots}")
        self.sent = self.failed = 0
        self.error: Exception | None = None
        """The error of the last turn, None if it succeeded."""
        self.holder = secrets.token_hex(8)
        self._open_store, self._make_senders = open_store, make_senders
        self._every, self._slots, self._clock = every, slots, clock
        self._senders: Mapping[str, Sender] = {}
        self._lines: dict[int, Line] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._written = Written()
        self._stop = threading.Event()
        self._wake = asyncio.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        if self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self.run, name="watchword-dispatcher", daemon=True)
            self._thread.start()
        return self

    def close(self) -> None:
        """End the thread; what waits is sent when a dispatcher is started again."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    def stop(self) -> None:
        """Let `run` end, from another thread or a signal handler."""
        self._stop.set()

    def run(self, *, once: bool = False) -> None:
        """Send until `close` or `stop`; with `once`, until nothing is due."""
        asyncio.run(self._run(once))

    async def _run(self, once: bool) -> None:
        self._wake = asyncio.Event()
        self._senders = self._make_senders()
        self._tasks, self._lines, self._written = set(), {}, Written()
        with ThreadPoolExecutor(1, "watchword-outbox") as pool:
            try:
                await self._turns(pool, once)
            finally:
                for task in list(self._tasks):
                    task.cancel()
                await asyncio.gather(*self._tasks, return_exceptions=True)
                for sender in self._senders.values():
                    await sender.close()

    async def _turns(self, pool: ThreadPoolExecutor, once: bool) -> None:
        loop, failures = asyncio.get_running_loop(), 0
        while not self._stop.is_set():
            asking = {number: line.last for number, line in self._lines.items() if line.asked and not line.ended}
            try:
                found = await self._take_turn(loop, pool, asking, takes=True)
                failures, self.error = 0, None
            except Exception as error:  # such as a full disk: nothing is lost, and it is tried again
                failures += 1
                self._fail(error, failures)
                await asyncio.sleep(min(self._every * 2**failures, max(SLOWEST, self._every)))
                continue
            self._begin(found, asking)
            is_idle = not self._lines and not self._written and not found
            if once and is_idle and not await loop.run_in_executor(pool, lambda: self._open_store().has_work()):
                break
            await self._pause()
        await self._drain(loop, pool)

    async def _take_turn(
        self, loop: asyncio.AbstractEventLoop, pool: ThreadPoolExecutor, asking: dict[int, int], *, takes: bool
    ) -> _Found:
        """Take a turn in the thread of the store; what could not be written is kept for the next one."""
        written, self._written = self._written, Written()
        kept = [number for number, line in self._lines.items() if not line.ended]
        free = self._slots - len(self._lines) if takes else 0
        try:
            return await loop.run_in_executor(pool, self._turn, written, asking, kept, free)
        except BaseException:
            later = self._written
            self._written = Written(
                written.attempts + later.attempts, written.verdicts | later.verdicts, written.ended + later.ended
            )
            raise

    async def _pause(self) -> None:
        """Wait until a line needs something, or it is time for a look."""
        await asyncio.sleep(SHORTEST)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), self._every)
        self._wake.clear()

    async def _drain(self, loop: asyncio.AbstractEventLoop, pool: ThreadPoolExecutor) -> None:
        """Wait for messages on their way, write their answers, and give the channels back."""
        for line in self._lines.values():
            line.jobs.clear()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=DRAIN)
        with suppress(WatchwordError, OSError):
            await self._take_turn(loop, pool, {}, takes=False)
        with suppress(WatchwordError, OSError):
            await loop.run_in_executor(pool, lambda: self._open_store().release(self.holder))

    # A turn, in the thread of the store

    def _turn(self, written: Written, asking: dict[int, int], kept: list[int], free: int) -> _Found:
        """Write what came of attempts, and return channels with messages, and the items of these."""
        store = self._open_store()
        if not written and not asking and not (free and store.has_work()):
            return []
        work = store.exchange(
            self.holder,
            partial(decide, now=self._clock()),
            attempts=written.attempts,
            verdicts=written.verdicts.values(),
            kept=kept,
            ended=written.ended,
            more=asking,
            channels=free,
            jobs=JOBS,
            is_whole=self._is_whole,
        )
        content = _read(store, work)
        return [(one, {number: content[number] for number in _shown(one) if number in content}) for one in work]

    def _is_whole(self, channel: Channel) -> bool:
        sender = self._senders.get(channel.kind)
        return sender is None or sender.whole

    # Lines, in the loop

    def _begin(self, found: _Found, asking: Mapping[int, int]) -> None:
        """Begin a line for each channel that was taken, and further messages to lines that asked."""
        for work, content in found:
            number, line = work.channel.number, self._lines.get(work.channel.number)
            if line is None and number in asking:
                continue  # it failed meanwhile: its channel is given back in the next turn
            if line is None:
                last, is_all = work.jobs[-1].number, len(work.jobs) < JOBS
                self._start(Line(work, deque(work.jobs), content, work.channel.failures, last, ended=is_all))
                continue
            line.content |= content
            line.asked, line.ended = False, len(work.jobs) < JOBS
            line.jobs.extend(work.jobs)
            line.last = work.jobs[-1].number if work.jobs else line.last
        for number in asking.keys() - {work.channel.number for work, _ in found}:
            if number in self._lines:
                self._lines[number].ended = True  # another dispatcher has the channel, or it is gone

    def _start(self, line: Line) -> None:
        self._lines[line.work.channel.number] = line
        task = asyncio.ensure_future(self._serve(line))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, line: Line) -> None:
        """Send the messages of a channel, one after the other, until there are no more, or it is to be left alone."""
        number = line.work.channel.number
        try:
            while not self._stop.is_set():
                if not line.ended and len(line.jobs) <= JOBS // 2 and not line.asked:
                    line.asked = True
                    self._wake.set()
                if not line.jobs:
                    if line.ended:
                        break
                    await asyncio.sleep(SHORTEST)
                    continue
                if not await self._send(line, line.jobs.popleft()):
                    break
        finally:
            self._lines.pop(number, None)
            self._written.ended.append(number)
            self._wake.set()

    async def _send(self, line: Line, job: Job) -> bool:
        """Send a message; return whether the channel can be sent the next one."""
        channel, now = line.work.channel, self._clock()
        entries = [line.content.pop(number) for number in job.deliveries[:SHOWN] if number in line.content]
        began = time.perf_counter()
        if entries:
            sender = self._senders.get(channel.kind)
            keys = valid(line.work.secrets, now)
            message = Outgoing(channel, keys, job, entries, len(job.deliveries), now)
            answer = _missing(channel.kind) if sender is None else await _try(sender, message)
        else:
            answer = Answer(False, "its items are gone from the inbox", hopeless=True)
        took = round((time.perf_counter() - began) * 1000)
        return self._note(line, job, answer, took, is_ours=not entries)

    def _note(self, line: Line, job: Job, answer: Answer, took: int, *, is_ours: bool) -> bool:
        """Keep what came of an attempt; return whether the channel can be sent the next message."""
        now, number = self._clock(), line.work.channel.number
        again = None
        if not answer.ok and not answer.hopeless:
            again = next_attempt(job.id, job.attempts + 1, now, answer.told)
        text = brief(visible(answer.text), KEPT)
        self._written.attempts.append(Attempt(job.number, now, answer.ok, text, took, again))
        self.sent, self.failed = self.sent + answer.ok, self.failed + (not answer.ok)
        if is_ours:
            return True
        before, line.failures = line.failures, 0 if answer.ok else line.failures + 1
        wait = None if answer.ok else channel_wait(line.failures, now, answer.told)
        if answer.disables:
            self._written.verdicts[number] = Verdict(number, line.failures, None, "disabled", text)
            _log.warning("channel %d is disabled: %s", number, text)
        elif line.failures or before:
            self._written.verdicts[number] = Verdict(number, line.failures, wait)
        return not answer.disables and wait is None and line.failures < OPENS

    def _fail(self, error: Exception, failures: int) -> None:
        if failures == 1 or str(error) != str(self.error):
            _log.warning("notifications are not sent: %s; trying again", visible(str(error)))
        self.error = error


def _shown(work: Work) -> list[int]:
    """Return the numbers of the deliveries that the messages of a channel show."""
    return [number for job in work.jobs for number in job.deliveries[:SHOWN]]


def _read(store: Store, work: list[Work]) -> dict[int, Entry]:
    """Return the items of the messages of channels, by the numbers of their deliveries."""
    found = store.deliveries(number for one in work for number in _shown(one))
    names = store.names(reason.subscription for one in found.values() for reason in one.reasons)
    return {number: entry_of(one, names) for number, one in found.items()}


async def _try(sender: Sender, message: Outgoing) -> Answer:
    """Return what came of a message, also where its sender fails, which would stop the channel for ever."""
    try:
        return await sender.send(message)
    except Exception as error:
        _log.exception("a message could not be sent")
        return Answer(False, f"this server failed: {type(error).__name__}")


def _missing(kind: str) -> Answer:
    return Answer(False, f"this server sends nothing by {kind}", hopeless=False)
