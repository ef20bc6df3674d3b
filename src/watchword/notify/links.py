"""Links in messages that need no login: one address, one purpose, signed by a key of the store.

    token = make_token(key, "unsubscribe", 17)                  "17.0.kX3…"
    read_token(key, "unsubscribe", token, now)                  17
    read_token(key, "verify", token, now)                       None: signed for another purpose

A link to verify an address ends after `VERIFY_HOURS`, and holds for the address that it was sent to; one to unsubscribe
does not end, for mail is read late. Following a link changes nothing: the page has a button, and so have mail programs
(RFC 8058), because scanners of mail follow every link.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import datetime, timedelta

KEY = "links"
"""The name of the key (`Store.key`)."""
UNSUBSCRIBE, VERIFY = "unsubscribe", "verify"
VERIFY_HOURS = 48
"""Hours for which a link to verify an address holds."""


def make_token(key: bytes, purpose: str, channel: int, address: str = "", until: datetime | None = None) -> str:
    """Return the token of a link for a channel; with `address` it holds while that is the channel's."""
    ends = 0 if until is None else int(until.timestamp())
    return f"{channel}.{ends}.{_signature(key, purpose, channel, ends, address)}"


def verify_token(key: bytes, channel: int, address: str, now: datetime) -> str:
    """Return the token of a link by which an address is verified."""
    return make_token(key, VERIFY, channel, address, now + timedelta(hours=VERIFY_HOURS))


def channel_of(token: str) -> int | None:
    """Return the channel that a token names, valid or not; None if it names none."""
    number = token.partition(".")[0]
    return int(number) if number.isascii() and number.isdigit() and len(number) < 18 else None


def is_valid(key: bytes, purpose: str, token: str, now: datetime, address: str = "") -> bool:
    """Return whether a token is one of ours, for this purpose and address, and has not ended."""
    parts, number = token.split("."), channel_of(token)
    if number is None or len(parts) != 3 or not (parts[1].isascii() and parts[1].isdigit() and len(parts[1]) < 18):
        return False
    ends = int(parts[1])
    right = hmac.compare_digest(parts[2].encode(), _signature(key, purpose, number, ends, address).encode())
    return right and (not ends or now.timestamp() < ends)


def _signature(key: bytes, purpose: str, channel: int, ends: int, address: str) -> str:
    signed = f"{purpose}\0{channel}\0{ends}\0{address}".encode()
    return base64.urlsafe_b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode().rstrip("=")
