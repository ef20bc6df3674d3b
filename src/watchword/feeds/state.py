"""The state of a feed between fetches, and the next state after a document. Pure: no file, clock or network.

A state is a plain value, saved as JSON. It has the validators of the last response (for a conditional request), the
digest of the last document (for servers without validators, and files), and the ids seen, latest first.

Invariant: an item that was published is not published again while it is in the feed's documents, nor while fewer than
`max_seen` other ids came after it. So the ids of the last document are all kept, even past `max_seen`. A document that
could not be read changes neither: it is asked for and read again at the time of `backoff`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from watchword.errors import FeedError
from watchword.feeds.items import Feed, FeedItem
from watchword.feeds.limits import Limits
from watchword.files import parse_json

_FORMAT = 2
_OLDER = (1,)


@dataclass(frozen=True)
class FeedState:
    """The state of one feed."""

    etag: str | None = None
    modified: str | None = None
    digest: str | None = None
    seen: tuple[str, ...] = ()
    failures: int = 0
    """How often in succession it could not be had or read."""
    wait_until: float = 0.0
    """When to ask again, in seconds since 1970 (`backoff`)."""
    gone: bool = False
    """Whether its server answered 410: gone, and not to be asked again."""


State = Mapping[str, FeedState]
"""States by source."""


@dataclass(frozen=True)
class Validators:
    """The headers of a response that make the next request conditional."""

    etag: str | None = None
    modified: str | None = None


def advance(
    state: FeedState, feed: Feed, digest: str, validators: Validators, limits: Limits
) -> tuple[FeedState, tuple[FeedItem, ...]]:
    """Return the state after a document, and its items that were not seen before, in the document's order."""
    known = set(state.seen)
    new = tuple(item for item in feed.items if item.id not in known)
    current = dict.fromkeys(item.id for item in feed.items)
    earlier = [id for id in state.seen if id not in current]
    seen = (*current, *earlier[: max(0, limits.max_seen - len(current))])
    after = FeedState(etag=validators.etag, modified=validators.modified, digest=digest, seen=seen)
    return after, new


def request_headers(state: FeedState) -> dict[str, str]:
    """Return the headers that make a request conditional."""
    headers = {"If-None-Match": state.etag, "If-Modified-Since": state.modified}
    return {name: value for name, value in headers.items() if value}


def validators(headers: Mapping[str, str]) -> Validators:
    """Return the validators of a response; values that cannot be sent back are dropped."""
    etag, modified = headers.get("etag"), headers.get("last-modified")
    return Validators(etag if _is_sendable(etag) else None, modified if _is_sendable(modified) else None)


def _is_sendable(value: str | None) -> bool:
    return value is not None and len(value) <= 512 and value.isascii() and value.isprintable()


def dump_state(state: State) -> str:
    """Return a state as JSON."""
    return json.dumps({"format": _FORMAT, "feeds": {source: asdict(one) for source, one in state.items()}})


def load_state(text: str, source: object = "state") -> dict[str, FeedState]:
    """Return the state that `dump_state` wrote; `source` names it in the error."""
    try:
        value = parse_json(text)
        if value["format"] not in (_FORMAT, *_OLDER):
            raise FeedError(
                f"this state is of format {value['format']}, and this version reads {_FORMAT}: use a newer Watchword",
                source=source,
            )
        return {name: feed_state(one) for name, one in value["feeds"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FeedError(f"this is no state of feeds ({error}): restore or remove it", source=source) from None


def feed_state(value: Mapping[str, Any]) -> FeedState:
    """Return the state of one feed from its JSON; a `TypeError` or `KeyError` if it is none."""
    state = FeedState(**{**value, "seen": tuple(value["seen"])})
    texts = (state.etag, state.modified, state.digest)
    if (
        not all(text is None or isinstance(text, str) for text in texts)
        or not all(isinstance(key, str) for key in state.seen)
        or type(state.failures) is not int
        or type(state.wait_until) not in (int, float)
        or type(state.gone) is not bool
    ):
        raise TypeError("a value is of the wrong kind")
    return state
