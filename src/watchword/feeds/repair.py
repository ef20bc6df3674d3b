"""Closes the elements that an ill-formed feed left open, so that a missing end tag does not swallow later items.

The lenient parser keeps an element open until its end tag comes. But a title, a description or a date holds no other
of its kind, and no item holds an item: when one begins, or an item ends, the one before must have ended. Only
documents that XML refuses are repaired. One pass over the tags; CDATA sections and comments are skipped.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"<(?:(!\[CDATA\[)|(!--)|(/?)((?:\w++:)?+\w++)([^<>]*+)>)")
"""Possessive, so that a tag without an end costs its length, not the square of it."""
_BODIES = frozenset(["description", "content", "content:encoded", "summary"])
_LINES = frozenset(
    ["title", "link", "guid", "id", "pubdate", "published", "updated", "dc:date", "dc:creator", "language"]
)
_LEAVES = _BODIES | _LINES
# In a body there may be HTML, which has titles, links and summaries of its own.
_NEVER_IN_BODY = _LEAVES - {"title", "link", "summary"}
_ITEMS = frozenset(["item", "entry"])
_ENDS = frozenset(["channel", "rss", "feed", "rdf:rdf"])


def close_open_elements(text: str) -> str:
    """Return `text` with the missing end tags of items and of the elements in them."""
    pieces: list[str] = []
    position = copied = 0
    leaf = item = ""  # the names of the open ones, as they were written
    while (tag := _TAG.search(text, position)) is not None:
        position = tag.end()
        if tag[1] or tag[2]:
            stop = text.find("]]>" if tag[1] else "-->", position)
            if stop < 0:
                break
            position = stop
            continue
        name, closes, empty = tag[4].lower(), bool(tag[3]), tag[5].endswith("/")
        missing = ""
        if leaf and _ends_leaf(leaf.lower(), name, closes):
            missing, leaf = f"</{leaf}>", ""
        if item and ((name in _ITEMS and not closes) or (name in _ENDS and closes)):
            missing, item = f"{missing}</{item}>", ""
        if missing:
            pieces += [text[copied : tag.start()], missing]
            copied = tag.start()
        if closes:
            leaf = "" if name == leaf.lower() else leaf
            item = "" if name == item.lower() else item
        elif not empty and name in _ITEMS:
            item = tag[4]
        elif not empty and not leaf and name in _LEAVES:
            leaf = tag[4]
    return "".join([*pieces, text[copied:]])


def _ends_leaf(leaf: str, name: str, closes: bool) -> bool:
    """Return whether `leaf` must have ended before this tag."""
    if name in _ITEMS or (closes and name in _ENDS):
        return True
    return not closes and name in (_NEVER_IN_BODY if leaf in _BODIES else _LEAVES)
