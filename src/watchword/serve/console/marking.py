"""The words that a subscription found in an item, as pieces of text that are marked or not.

    pieces("The ferry sails", [(4, 9)])     [("The ", False), ("ferry", True), (" sails", False)]

Places count characters of the text that a language reads of an item (`watchword.items`): ``Title. Text`` where they
name no attribute. `spans_of` moves them into the item's fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

WIDE = 180
"""Characters of a snippet."""
BEFORE = 30
"""Characters of a snippet before the first mark."""
Span = tuple[int, int]


class Piece(NamedTuple):
    """A piece of text, marked or not."""

    text: str
    marked: bool = False


def spans_of(places: Iterable[tuple[str | None, int, int]], title: str, text: str) -> Mapping[str, list[Span]]:
    """Return places of an item's event as spans of its fields.

    >>> spans_of([(None, 0, 5), (None, 7, 9), ("text", 0, 2)], "Ferry", "It sails")
    {'title': [(0, 5)], 'text': [(0, 2), (0, 2)]}
    """
    found: dict[str, list[Span]] = {}
    begin = len(title) + 2  # behind "Title. "
    for attribute, start, end in places:
        if attribute is not None:
            found.setdefault(attribute, []).append((start, end))
            continue
        if start < len(title):
            found.setdefault("title", []).append((start, min(end, len(title))))
        if end > begin:
            found.setdefault("text", []).append((max(start - begin, 0), end - begin))
    return found


def merge(spans: Iterable[Span], size: int) -> list[Span]:
    """Return spans in order, cut to a text of `size` characters; spans that touch become one.

    >>> merge([(4, 9), (0, 5), (20, 30)], 25)
    [(0, 9), (20, 25)]
    """
    merged: list[Span] = []
    for start, end in sorted((max(start, 0), min(end, size)) for start, end in spans):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def pieces(text: str, spans: Iterable[Span]) -> list[Piece]:
    """Return a text in pieces, the spans of it marked.

    >>> pieces("The ferry", [(4, 9)])
    [Piece(text='The ', marked=False), Piece(text='ferry', marked=True)]
    """
    found, at = [], 0
    for start, end in merge(spans, len(text)):
        found += [Piece(text[at:start]), Piece(text[start:end], True)]
        at = end
    return [piece for piece in (*found, Piece(text[at:])) if piece.text]


def snippet(text: str, spans: Iterable[Span], wide: int = WIDE) -> list[Piece]:
    """Return the part of a text around its first mark, in pieces; its beginning if nothing is marked."""
    merged = merge(spans, len(text))
    begin = max(merged[0][0] - BEFORE, 0) if merged else 0
    if begin:
        begin = _behind_space(text, begin)
    end = min(begin + wide, len(text))
    if end < len(text):
        end = max(text.rfind(" ", begin + wide // 2, end), begin + wide // 2)
    inside = [(start - begin, stop - begin) for start, stop in merged]
    found = pieces(text[begin:end].replace("\n", " "), inside)
    return [Piece("… ")] * (begin > 0) + found + [Piece(" …")] * (end < len(text))


def _behind_space(text: str, at: int) -> int:
    space = text.find(" ", at, at + BEFORE // 2)
    return at if space < 0 else space + 1
