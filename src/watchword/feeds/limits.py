"""Limits on the cost of a feed. Each can be changed, none switched off: a feed is a stranger's document.

Reading costs up to about 25 microseconds a tag, so `max_tags` bounds the time of a document that is all tags;
`read_seconds` bounds the time of a document that was made to be expensive (`reading`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from watchword.errors import OptionError

SECONDS = ("timeout", "max_wait", "read_seconds")
"""The limits that are times; the others are whole numbers."""
SWITCHES = ("private_redirects",)
"""Those that are a yes or no."""


@dataclass(frozen=True)
class Limits:
    """Bounds on documents and on getting them."""

    max_bytes: int = 8 << 20
    """Size of a document, after decompression."""
    max_tags: int = 400_000
    max_depth: int = 256
    """Elements inside one another."""
    max_items: int = 5_000
    """Items taken from one document, from its top."""
    max_seen: int = 2_000
    """Ids remembered of a feed's earlier documents; those of its last document are always remembered."""
    max_redirects: int = 5
    private_redirects: bool = False
    """Whether a feed on the public network may redirect to a private, loopback or link-local address."""
    timeout: float = 20.0
    """Seconds for a feed as a whole, redirects included."""
    connections: int = 16
    """Feeds fetched at a time."""
    read_seconds: float = 20.0
    """Seconds of computing that reading a document may take, once it is there."""
    read_bytes: int = 2 << 30
    """Memory that the process which reads it may have."""
    max_wait: float = 86_400.0
    """Seconds after which a feed that keeps failing is asked again at the latest."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name in ("max_redirects", "max_seen") else 1
            if field.name in SWITCHES:
                if not isinstance(value, bool):
                    raise OptionError(f"{field.name} must be True or False, not {value!r}")
            elif field.name in SECONDS:
                if not 0 < value < float("inf"):
                    raise OptionError(f"{field.name} must be a positive number of seconds, not {value!r}")
            elif not isinstance(value, int) or value < least:
                raise OptionError(f"{field.name} must be a whole number, {least} or more, not {value!r}")
