"""The limits of the archive."""

from __future__ import annotations

DAYS = 30.0
"""Days for which items are kept."""
BYTES = 5 << 30
"""Bytes that the archive may take on the disk."""
NEWEST = 100_000
"""Items that are kept mapped, at least."""
