"""Groups of items in a segment, a file of a spool that only grows.

A group is the items of one `Spool.append`, a JSON object a line, and a mark: ``=``, the number of its last item in the
whole spool, and the CRC-32 of the group. Items 7 and 8, appended together, are::

    {"identity":"urn:7","title":"Ferry"}
    {"identity":"urn:8","title":"Storm","text":"Since noon"}
    =00000000000000000008 0c369762

Invariant: a group counts if its mark is there and right. So an append is there whole or not at all, also after a power
cut that let the end of the file reach the disk before its middle. A line of JSON never begins with ``=``, so the end of
a damaged group is found, and the groups after it are read.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import IO, Any, NamedTuple

from watchword.files import parse_json
from watchword.items import Item

PIECE = 1 << 20
"""Bytes that are read of a segment at a time."""
_MARK = re.compile(rb"=(\d{20}) ([0-9a-f]{8})\n")
MARK_BYTES = 31


class Group(NamedTuple):
    """One group: the offset after it, the number of its last item, and its lines; a damaged one has number 0."""

    end: int
    last: int
    lines: bytes

    @property
    def is_damaged(self) -> bool:
        """Whether the mark is not that of the lines."""
        return self.last == 0


def item_lines(items: Iterable[Item]) -> tuple[bytes, int]:
    """Return items as lines, and their number."""
    lines = [_line(item) for item in items]
    return b"".join(lines), len(lines)


def mark(lines: bytes, last: int) -> bytes:
    """Return the mark of a group whose last item has this number.

    >>> mark(b'{"identity":"urn:7"}\\n', 7)
    b'=00000000000000000007 eb3ae9b4\\n'
    """
    number = b"%020d" % last
    return b"=%s %08x\n" % (number, zlib.crc32(lines + number))


def read_mark(end: bytes) -> int | None:
    """Return the number in the mark that a segment ends with; None if it does not end with one."""
    found = _MARK.fullmatch(end[-MARK_BYTES:])
    return None if found is None else int(found[1])


def groups(file: IO[bytes], offset: int) -> Iterator[Group]:
    """Yield the groups of a segment from an offset, the border of a group, on; an unfinished one at the end is none."""
    file.seek(offset)
    rest, searched = b"", 0
    while piece := file.read(PIECE):
        rest += piece
        while (at := rest.find(b"\n=", searched)) >= 0 and at + 1 + MARK_BYTES <= len(rest):
            end = at + 1 + MARK_BYTES
            lines, found = rest[: at + 1], _MARK.fullmatch(rest, at + 1, end)
            is_whole = found is not None and mark(lines, int(found[1])) == found[0]
            offset += end
            yield Group(offset, int(found[1]) if found is not None and is_whole else 0, lines)
            rest, searched = rest[end:], 0
        searched = max(len(rest) - MARK_BYTES, 0) if at < 0 else at


def read_items(lines: bytes) -> list[Item]:
    """Return the items of a group; a `ValueError` for lines that no `append` has written."""
    return [_item(parse_json(line.decode("utf-8"))) for line in lines.splitlines()]


def _line(item: Item) -> bytes:
    values: dict[str, Any] = {name: value for name, value in vars(item).items() if value or name == "identity"}
    if item.published is not None:
        values["published"] = item.published.astimezone(UTC).isoformat()
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def _item(values: Any) -> Item:
    if not isinstance(values, dict):
        raise ValueError("a line is no JSON object")
    try:
        if "published" in values:
            values["published"] = datetime.fromisoformat(values["published"])
        return Item(**values | {"categories": tuple(values.get("categories", ()))})
    except TypeError as error:
        raise ValueError(str(error)) from None
