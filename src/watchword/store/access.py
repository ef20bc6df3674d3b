"""Who may come in: tokens for programs, one-time logins for people, and the sessions that a login opens.

    "ww_pCr3..."  -> SHA-256 -> tokens     number 3 of ada, "laptop", read and match, until it expires or is revoked
    "k9Wm..."     -> SHA-256 -> logins     ada, five minutes, once; redeemed, it is deleted and a session begins
    "Zt0x..."     -> SHA-256 -> sessions   ada, ends 14 days after its last use, and 90 days after its beginning

A secret is 32 random bytes. It is returned once, and the store keeps its SHA-256 alone: whoever reads the file can
present none. There is nothing to guess in 256 bits, so no slow hash is needed. A secret is found by its hash in an
index, which tells a stranger who measures times nothing about other secrets.

The time at which a token or session was last used is written at most once a minute, and without waiting for another
writer: a request is never held up by it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from watchword.store import engine
from watchword.store.records import format_time, parse_time, storable_number

SCOPES = ("read", "write", "match", "events", "feed", "admin")
"""The rights that a token may have."""

TOKEN_PREFIX = "ww_"
"""The beginning of every token, by which scanners for lost secrets know them."""
NAME_CHARACTERS = 100
"""The most characters of a token's name."""
LOGIN_MINUTES = 5
"""For how many minutes a one-time login is valid."""
MOST_LOGIN_MINUTES = 1440
"""The most minutes for which one can be made valid."""
IDLE_DAYS = 14
"""The days without a use after which a session ends."""
SESSION_DAYS = 90
"""The days after which a session ends in any case."""
USED_EVERY = 60
"""The seconds within which the last use of a token or session is written at most once."""

_LONGEST = 200  # characters of a secret, of which ours have at most 46: longer ones are hashed for no use


@dataclass(frozen=True)
class Token:
    """A token without its secret. `used` is when it was last found, to the minute; `expires` is None if it does not."""

    number: int
    subscriber: str
    name: str
    scopes: frozenset[str]
    created: datetime
    expires: datetime | None
    used: datetime | None


@dataclass(frozen=True)
class Session:
    """A person who has logged in. `form_token` is a text that forms send back, made from the session's secret."""

    subscriber: str
    created: datetime
    used: datetime
    expires: datetime
    form_token: str


def make_secret(prefix: str = "") -> str:
    """Return a new secret of 43 random characters after `prefix`."""
    return prefix + secrets.token_urlsafe(32)


def hash_of(secret: object) -> str:
    """Return the SHA-256 of a secret, in hexadecimal digits; of what cannot be one, a text that is no hash.

    >>> hash_of("a")[:16], hash_of(None), hash_of("x" * 1000)
    ('ca978112ca1bbdca', '', '')
    """
    if not isinstance(secret, str) or len(secret) > _LONGEST:
        return ""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _form_token(secret: str) -> str:
    return hmac.new(secret.encode(), b"form", hashlib.sha256).hexdigest()


def _time(text: str | None) -> datetime | None:
    return None if text is None else parse_time(text)


def is_due(used: datetime | None, now: datetime) -> bool:
    """Return whether a use at `now` is to be written, after one that was written as `used`."""
    return used is None or not timedelta(0) <= now - used < timedelta(seconds=USED_EVERY)


# Tokens

_TOKENS = """SELECT t.number, subscribers.name, t.name, t.scopes, t.created, t.expires, t.used
    FROM tokens AS t JOIN subscribers ON subscribers.number = t.subscriber"""


def _token(row: engine.Row) -> Token:
    number, subscriber, name, scopes, created, expires, used = row
    return Token(number, subscriber, name, frozenset(scopes.split()), parse_time(created), _time(expires), _time(used))


def write_token(
    session: engine.Session, owner: int, secret: str, name: str, scopes: str, expires: str | None, time: str
) -> None:
    """Write a new token."""
    session.run(
        "INSERT INTO tokens (subscriber, hash, name, scopes, created, expires) VALUES (?, ?, ?, ?, ?, ?)",
        (owner, hash_of(secret), name, scopes, time, expires),
    )


def read_token(session: engine.Session, secret: object, now: datetime) -> Token | None:
    """Return the token of a secret; None if it is unknown, revoked or expired."""
    row = session.row(f"{_TOKENS} WHERE t.hash = ?", (hash_of(secret),))
    found = None if row is None else _token(row)
    return None if found is None or (found.expires is not None and found.expires <= now) else found


def note_token(session: engine.Session, number: int, time: str) -> None:
    """Write when a token was used."""
    session.run("UPDATE tokens SET used = ? WHERE number = ?", (time, number))


def read_tokens(session: engine.Session, owner: int | None) -> list[Token]:
    """Return the tokens of a subscriber or of all, expired ones too, in the order in which they were made."""
    where, values = ("", ()) if owner is None else ("WHERE t.subscriber = ?", (owner,))
    return [_token(row) for row in session.rows(f"{_TOKENS} {where} ORDER BY t.number", values)]


def delete_token(session: engine.Session, owner: int, number: int) -> bool:
    """Delete a token of a subscriber; return False if there is none of this number."""
    query = "DELETE FROM tokens WHERE subscriber = ? AND number = ?"
    return session.run(query, (owner, storable_number(number))) == 1


# Logins and sessions


def write_login(session: engine.Session, owner: int, secret: str, expires: str) -> None:
    """Write a one-time login."""
    session.run("INSERT INTO logins (hash, subscriber, expires) VALUES (?, ?, ?)", (hash_of(secret), owner, expires))


def has_login(session: engine.Session, secret: object) -> bool:
    """Return whether there is a login of this secret, expired or not."""
    return session.row("SELECT 1 FROM logins WHERE hash = ?", (hash_of(secret),)) is not None


def redeem(session: engine.Session, secret: str, new: str, time: str) -> bool:
    """Put a session with the secret `new` in the place of a login; return False if that is gone or has expired."""
    row = session.row("SELECT subscriber, expires FROM logins WHERE hash = ?", (hash_of(secret),))
    session.run("DELETE FROM logins WHERE hash = ?", (hash_of(secret),))
    if row is None or row[1] <= time:
        return False
    session.run(
        "INSERT INTO sessions (hash, subscriber, created, used) VALUES (?, ?, ?, ?)",
        (hash_of(new), row[0], time, time),
    )
    return True


def read_session(session: engine.Session, secret: str, now: datetime) -> Session | None:
    """Return the session of a secret; None if it is unknown or has ended."""
    row = session.row(
        """SELECT subscribers.name, sessions.created, sessions.used
        FROM sessions JOIN subscribers ON subscribers.number = sessions.subscriber WHERE sessions.hash = ?""",
        (hash_of(secret),),
    )
    if row is None:
        return None
    created, used = parse_time(row[1]), parse_time(row[2])
    expires = min(created + timedelta(days=SESSION_DAYS), used + timedelta(days=IDLE_DAYS))
    return None if expires <= now else Session(row[0], created, used, expires, _form_token(secret))


def note_session(session: engine.Session, secret: str, time: str) -> None:
    """Write when a session was used."""
    session.run("UPDATE sessions SET used = ? WHERE hash = ?", (time, hash_of(secret)))


def delete_session(session: engine.Session, secret: object) -> None:
    """Delete a session, if it is there."""
    session.run("DELETE FROM sessions WHERE hash = ?", (hash_of(secret),))


def drop_expired(session: engine.Session, now: datetime) -> None:
    """Delete tokens and logins that have expired, and sessions that have ended."""
    for table in ("tokens", "logins"):
        session.run(f"DELETE FROM {table} WHERE expires <= ?", (format_time(now),))
    for column, days in (("created", SESSION_DAYS), ("used", IDLE_DAYS)):
        session.run(f"DELETE FROM sessions WHERE {column} <= ?", (format_time(now - timedelta(days=days)),))
