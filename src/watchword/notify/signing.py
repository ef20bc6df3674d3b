"""Signatures of Standard Webhooks 1.0, by which a receiver knows that a message is ours, and whole.

>>> secret = "whsec_" + base64.b64encode(b"x" * 24).decode()
>>> sign(secret, "msg_1", 1763553600, b"{}")
'v1,L8vlkf4DjxJwv1jc4bwafaz+HFvTtu7mM4fhARKJd3U='

A secret is ``whsec_`` and 32 random bytes in base64. Signed are the id, the time of the attempt and the body, joined by
dots. While a secret is being replaced there is a signature by each, with a space between: a receiver takes either.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Iterable
from datetime import datetime

PREFIX = "whsec_"
BYTES = 32
"""Random bytes of a new secret."""


def make_secret() -> str:
    """Return a new secret."""
    return PREFIX + base64.b64encode(secrets.token_bytes(BYTES)).decode()


def sign(secret: str, id: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a message; a `ValueError` if the secret is none."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("the secret of the channel is damaged") from None
    signed = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"


def valid(keys: Iterable[tuple[str, datetime | None]], now: datetime) -> list[str]:
    """Return the secrets that are valid at a time, of secrets with the time until which they are."""
    return [secret for secret, until in keys if until is None or now < until]


def signed_headers(keys: Iterable[str], id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers of a message, signed by each of some secrets."""
    return {
        "webhook-id": id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(sign(secret, id, timestamp, body) for secret in keys),
    }
