"""WebSub, as a subscriber: feeds that name a hub are pushed, and polled only now and then.

    find_hub(header, document, "https://a.example/feed")       Hub("https://hub.example/", "https://a.example/feed")
    pushes = Pushes(home.path / "websub.json")
    pushes.ask("https://a.example/feed", hub)                  Push(token="kX3…", secret="9fe…", state="pending", …)
    pushes.confirm("kX3…", topic, lease=864000)                the hub asked, and this was pending: it is active now
    pushes.pushed(now)                                         {"https://a.example/feed"}: of these the lease runs

A hub asks back whether it was asked (verification of intent), at an address whose token cannot be guessed, and is
answered only if exactly this topic is pending. What it pushes is signed with a secret of the feed alone
(`is_signed`). A lease is renewed before its last tenth; when it ends, the feed is polled as before.

The file has the tokens and secrets, and is its owner's alone. It is replaced whole, under a lock.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin

from watchword.files import locked, parse_json, write_json

LEASE = 864_000
"""Seconds of the lease that is asked for."""
SHORTEST = 300
"""Seconds of the shortest lease that is counted on; a hub may say less."""
LONGEST = 30 * 86_400
"""Seconds of the longest."""
SLOW = 3_600.0
"""Seconds between two polls of a feed that is pushed."""
AGAIN = 86_400.0
"""Seconds between two looks whether a feed names a hub, and after a refusal."""
_HEAD = 1 << 16
_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_REL = re.compile(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\s;,]+))", re.IGNORECASE)
_DIGESTS = {"sha1": hashlib.sha1, "sha256": hashlib.sha256, "sha384": hashlib.sha384, "sha512": hashlib.sha512}


class Hub(NamedTuple):
    """A hub, and the topic by which it knows the feed."""

    address: str
    topic: str


@dataclass(frozen=True)
class Push:
    """A feed: its hub, the token of the callback, the secret, and until when the lease runs.

    `state` is ``none`` (no hub), ``pending``, ``active`` or ``denied``; `looked` is when it was last asked for.
    """

    state: str
    looked: float
    hub: str = ""
    topic: str = ""
    token: str = ""
    secret: str = ""
    expires: float = 0.0


def find_hub(header: str, document: str, address: str) -> Hub | None:
    """Return the hub that a feed names, by its header Link or else in its document; None without one.

    >>> find_hub('<https://hub.example/>; rel="hub"', "", "https://a.example/feed")
    Hub(address='https://hub.example/', topic='https://a.example/feed')
    >>> find_hub("", '<feed><link rel="hub" href="/hub"/><link rel="self" href="/f"/>', "https://a.example/feed")
    Hub(address='https://a.example/hub', topic='https://a.example/f')
    """
    named = [(rel, href) for href, rest in _LINK.findall(header) for rel in _relations(rest)]
    if not any(rel == "hub" for rel, _ in named):
        reader = _Links()
        reader.feed(document[:_HEAD])
        named = reader.found
    hub = next((href for rel, href in named if rel == "hub"), None)
    topic = next((href for rel, href in named if rel == "self"), address)
    try:
        return None if hub is None else Hub(urljoin(address, hub.strip()), urljoin(address, topic.strip()))
    except ValueError:
        return None


def _relations(rest: str) -> list[str]:
    found = _REL.search(rest)
    return (found[1] or found[2] or "").lower().split() if found else []


class _Links(HTMLParser):
    """Collects the links of a feed's document, of Atom and of RSS with Atom's links."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag.rpartition(":")[2] == "link" and given.get("href"):
            self.found += [(rel, given["href"]) for rel in given.get("rel", "").lower().split()]


def is_signed(secret: str, header: str, body: bytes) -> bool:
    """Return whether a header X-Hub-Signature, such as ``sha256=5f…``, is that of a body.

    >>> is_signed("s", "sha256=" + hmac.new(b"s", b"x", "sha256").hexdigest(), b"x"), is_signed("s", "md5=1", b"x")
    (True, False)
    """
    name, _, given = header.strip().partition("=")
    digest = _DIGESTS.get(name.lower())
    if digest is None or not secret:
        return False
    right = hmac.new(secret.encode(), body, digest).hexdigest()
    return hmac.compare_digest(right.encode(), given.strip().lower().encode("utf-8", "replace"))


class Pushes:
    """The feeds of a home and their hubs, in a file, for several processes at once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Push]:
        """Return all feeds, by their addresses; none if there is no file, or a damaged one."""
        try:
            return {str(feed): Push(**value) for feed, value in parse_json(self.path.read_bytes()).items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def is_due(self, feed: str, now: float, known: dict[str, Push]) -> bool:
        """Return whether a feed is to be looked at: a new one, after a day, or before the last tenth of its lease."""
        push = known.get(feed)
        if push is None or push.looked > now:
            return True
        if push.state == "active":
            return now > push.expires - 0.1 * (push.expires - push.looked)
        return now - push.looked > AGAIN

    def note_none(self, feed: str, now: float) -> None:
        """Note that a feed names no hub, or one that refused."""
        with self._changing() as known:
            known[feed] = Push("none", now)

    def ask(self, feed: str, hub: Hub, now: float) -> Push:
        """Note that a hub is being asked for a feed; a renewal keeps token and secret."""
        with self._changing() as known:
            old = known.get(feed)
            if old is not None and old.token and (old.hub, old.topic) == hub:
                made = replace(old, looked=now, state=old.state if old.expires > now else "pending")
            else:
                token, secret = secrets.token_urlsafe(32), secrets.token_hex(32)
                made = Push("pending", now, hub.address, hub.topic, token, secret)
            known[feed] = made
            return made

    def confirm(self, token: str, topic: str, lease: float, now: float) -> bool:
        """Begin a lease, if exactly this was asked for; return whether it was."""
        with self._changing() as known:
            feed = _find(known, token)
            if feed is None or known[feed].topic != topic or known[feed].state not in ("pending", "active"):
                return False
            expires = now + min(max(lease, SHORTEST), LONGEST)
            known[feed] = replace(known[feed], state="active", looked=now, expires=expires)
            return True

    def deny(self, token: str, topic: str, now: float) -> bool:
        """Note that a hub will not push a feed; return whether it was asked."""
        with self._changing() as known:
            feed = _find(known, token)
            if feed is None or known[feed].topic != topic:
                return False
            known[feed] = Push("denied", now)
            return True

    def find(self, token: str, now: float) -> tuple[str, Push] | None:
        """Return the feed whose callback has a token, while its lease runs; None if there is none."""
        known = self.read()
        feed = _find(known, token)
        return None if feed is None or known[feed].expires <= now else (feed, known[feed])

    def pushed(self, now: float) -> set[str]:
        """Return the feeds whose lease runs."""
        return {feed for feed, push in self.read().items() if push.state == "active" and now < push.expires}

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Push]]:
        with locked(self.path.with_suffix(".lock")):
            known = self.read()
            yield known
            write_json(self.path, {feed: asdict(push) for feed, push in known.items()})
            self.path.chmod(0o600)


def _find(known: dict[str, Push], token: str) -> str | None:
    given = token.encode("utf-8", "replace")
    for feed, one in known.items():
        if one.token and hmac.compare_digest(one.token.encode(), given):
            return feed
    return None


def pushes_of_spool(spool: Path) -> Pushes:
    """Return the pushes of the home in which a run's spool lies: ``HOME/runs/NAME/spool``."""
    parents = spool.absolute().parents
    return Pushes((parents[2] if len(parents) > 2 else spool) / "websub.json")
