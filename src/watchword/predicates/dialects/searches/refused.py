"""`Refused`: why a part of a query cannot be said. Who knows the place of the part makes an error of it."""

from __future__ import annotations


class Refused(Exception):
    """The reason, with the remedy."""
