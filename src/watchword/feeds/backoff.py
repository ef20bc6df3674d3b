"""The time at which a feed that failed is asked again. Decisions only: no clock, no network.

After the n-th failure in succession a feed is left alone for ``first * 2 ** (n - 1)`` seconds, at most `most`. A server
that is busy (429, 503) and names a time gets its way, within the same bounds. After an answer 410, gone, the feed is
not asked again until the state is reset. A success resets the failures.

Times are seconds since 1970, because a state outlives its process. A clock that was set back makes no feed wait longer
than `most`: a time further ahead than that is ignored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC
from email.utils import parsedate_to_datetime

from watchword.errors import AnswerError, FeedError
from watchword.feeds.state import FeedState

_BUSY = (429, 503)
_GONE = 410


@dataclass(frozen=True)
class Backoff:
    """The waits of feeds that fail: `first` seconds, then twice as many each time, at most `most`."""

    first: float = 60.0
    most: float = 86_400.0

    def is_due(self, state: FeedState, now: float) -> bool:
        """Return whether a feed may be asked."""
        return not state.gone and not now < state.wait_until <= now + self.most

    def after_failure(self, state: FeedState, error: FeedError, now: float) -> FeedState:
        """Return the state of a feed that has just failed."""
        failures = state.failures + 1
        if isinstance(error, AnswerError) and error.status == _GONE:
            return replace(state, failures=failures, wait_until=0.0, gone=True)
        wait = self.first * 2.0 ** min(failures - 1, 64)
        if isinstance(error, AnswerError) and error.status in _BUSY:
            told = retry_after(error.retry_after, now)
            wait = wait if told is None else max(told, self.first)
        return replace(state, failures=failures, wait_until=now + min(wait, self.most))


def after_success(state: FeedState) -> FeedState:
    """Return the state of a feed that has just been read."""
    return replace(state, failures=0, wait_until=0.0, gone=False)


def retry_after(header: str | None, now: float) -> float | None:
    """Return the seconds that a header ``Retry-After`` asks for, as a number or a date; None if it is neither.

    >>> retry_after("120", 0.0), retry_after("Thu, 01 Jan 1970 00:10:00 GMT", 500.0), retry_after("soon", 0.0)
    (120.0, 100.0, None)
    """
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:18])
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - now)
