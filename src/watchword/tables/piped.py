"""Standard input: read as it comes, and again from its beginning as long as that is kept."""

from __future__ import annotations

import io
import sys
from typing import IO

STDIN = "-"
"""The name of standard input on the command line."""


def standard_input() -> IO[bytes]:
    """Return the bytes of standard input."""
    return sys.stdin.buffer


class Piped:
    """Standard input that can be read from its beginning again: bytes read are kept until the last `rewind`.

    A read returns the bytes available, so that results do not wait for a full buffer; with `full`, all `size` bytes.
    """

    closed = False

    def __init__(self, *, full: bool = False) -> None:
        self._raw, self._full = standard_input(), full
        self._kept: bytearray | None = bytearray()
        self._again = b""
        self.tail = b""
        """The last bytes that were read."""

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes; none at the end."""
        if self._again:
            piece, self._again = self._again[:size], self._again[size:]
            if self._full and len(piece) < size:
                piece += self._fresh(size - len(piece))
        else:
            piece = self._fresh(size)
        self.tail = (self.tail + piece[-64:])[-64:]
        return piece

    def _fresh(self, size: int) -> bytes:
        raw = self._raw
        piece = raw.read1(size) if isinstance(raw, io.BufferedReader) and not self._full else raw.read(size)
        if self._kept is not None:
            self._kept += piece
        return piece

    def rewind(self, *, last: bool = False) -> None:
        """Go back to the beginning; with `last`, nothing is kept from then on."""
        self._again = bytes(self._kept or b"")
        self._kept = None if last else self._kept

    def readable(self) -> bool:
        """Return True, as a file does."""
        return True

    def close(self) -> None:
        """Leave it open."""
