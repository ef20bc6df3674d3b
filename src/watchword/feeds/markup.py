"""HTML into plain text, in one pass and in linear time whatever the input.

Tags are removed; a tag that begins a block leaves a space, so that words of two paragraphs do not run together, and a
tag inside a line leaves nothing. Comments, scripts and styles go with their content. Character references are resolved
once. A sign that begins no tag (``a < b``) stays. A failed search for an end is not repeated from further on, which
keeps the cost linear on a text of a million unclosed tags.
"""

from __future__ import annotations

import html
import re

_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        "address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer form "
        "h1 h2 h3 h4 h5 h6 head header hr html img legend li main menu nav ol optgroup option p pre section select "
        "summary table tbody td textarea tfoot th thead title tr ul video",
    )
)
_HIDDEN = frozenset(["script", "style", "template", "noframes"])
_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9:_-]{0,31})")
_STOPS = re.compile("[\"'>]")


def plain_text(markup: str) -> str:
    """Return the text of a piece of HTML, with single spaces.

    >>> plain_text("<p>Fish &amp; <b>ch</b>ips</p><p>1 < 2</p>")
    'Fish & chips 1 < 2'
    """
    if "<" in markup:
        markup = "".join(_Scanner(markup).pieces())
    return collapse(html.unescape(markup))


def collapse(text: str) -> str:
    """Return `text` with single spaces, without control characters and lone surrogates."""
    text = " ".join(text.translate(_CONTROLS).split())
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


_CONTROLS = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)), " ")


class _Scanner:
    """Walks over a text from tag to tag."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.absent: set[str] = set()  # texts whose search failed, so that they are nowhere further on
        self.quotes_close = True

    def pieces(self) -> list[str]:
        text, pieces, position = self.text, [], 0
        while (start := text.find("<", position)) >= 0:
            pieces.append(text[position:start])
            stop, gap = self._skip(start)
            if stop < 0:
                pieces.append("<")
                position = start + 1
            else:
                pieces.append(gap)
                position = stop
        pieces.append(text[position:])
        return pieces

    def _skip(self, start: int) -> tuple[int, str]:
        """Return the end of the markup at `start`, -1 if there is none, and the text that it leaves."""
        text = self.text
        if text.startswith("<!--", start):
            stop = self._find("-->", start + 4)
            return (stop + 3, "") if stop >= 0 else (-1, "")
        if text.startswith("<![CDATA[", start):
            return start + 9, ""
        if text.startswith(("<!", "<?"), start):
            stop = self._find(">", start)
            return (stop + 1, "") if stop >= 0 else (-1, "")
        name = _NAME.match(text, start)
        if name is None:
            return -1, ""
        tag = name[1].lower()
        stop = self._tag_end(name.end())
        if stop < 0:
            return -1, ""
        if tag in _HIDDEN and text[start + 1] != "/" and text[stop - 2] != "/":
            end = self._find_closing(tag, stop)
            return (end if end >= 0 else len(text)), " "
        return stop, " " if tag in _BLOCKS else ""

    def _tag_end(self, position: int) -> int:
        """Return the position after the tag's ``>``, which may not be inside quotes."""
        if self.quotes_close:
            quote = ""
            for stop in _STOPS.finditer(self.text, position):
                if quote:
                    quote = "" if stop[0] == quote else quote
                elif stop[0] == ">":
                    return stop.end()
                else:
                    quote = stop[0]
            self.quotes_close = False  # an open quote swallowed the rest: from here on the first > ends a tag
        return self._find(">", position) + 1 or -1

    def _find_closing(self, tag: str, position: int) -> int:
        closing = re.compile(f"</{tag}[^<>]{{0,64}}>", re.IGNORECASE)
        found = closing.search(self.text, position)
        return -1 if found is None else found.end()

    def _find(self, what: str, position: int) -> int:
        if what in self.absent:
            return -1
        found = self.text.find(what, position)
        if found < 0:
            self.absent.add(what)
        return found
