"""Reads and writes OPML, the format for exchanging lists of feeds.

expat parses it and stops at an entity declaration, so nothing can expand. From the first ill-formed place on (most
often a bare ``&`` in an address) a regular expression finds the remaining ``outline`` tags. An unusable entry becomes a
line in `problems`, and the others are still read.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree
from xml.parsers import expat

from watchword.errors import FeedError
from watchword.feeds.download import file_path, is_url
from watchword.feeds.encoding import decode
from watchword.feeds.limits import Limits
from watchword.feeds.markup import collapse

_OUTLINE = re.compile(r"<outline\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([A-Za-z:_]{1,40})\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LIST_TYPES = ("include", "link")


@dataclass(frozen=True)
class Outline:
    """One feed of a list."""

    source: str
    """A URL or a path, resolved against the address of the list if it was relative."""
    title: str
    groups: tuple[str, ...]
    """The titles of the outlines around it."""
    is_public: bool = False
    """Whether it is refused on a private address, even where the list is the user's own: a stranger has added it."""
    added_by: str = ""
    """Who has added it, if that is known."""


@dataclass(frozen=True)
class Opml:
    """A list of feeds: each source once, in the order of the document."""

    outlines: tuple[Outline, ...]
    problems: tuple[str, ...] = ()


def read_opml(document: bytes, source: str, *, limits: Limits | None = None) -> Opml:
    """Return the feeds of a list from `source`. Raises `FeedError` if it is no OPML, or exceeds a limit."""
    limits = limits or Limits()
    if len(document) > limits.max_bytes:
        raise FeedError(f"it is longer than {limits.max_bytes} bytes; raise max_bytes to read it", source=source)
    text = decode(document)
    reading = _Reading(source, limits)
    done = _read_strictly(text, reading)
    if done is not None:
        _read_by_shape(text, done, reading)
    if not reading.is_opml and not re.search(r"<opml\b", text, re.IGNORECASE):
        raise FeedError("it is no OPML document; expected a list of feeds", source=source)
    return Opml(tuple(reading.outlines.values()), tuple(reading.problems))


@dataclass
class _Reading:
    """The outlines and problems read so far."""

    source: str
    limits: Limits
    outlines: dict[str, Outline] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    groups: list[str | None] = field(default_factory=list)
    """For each open element, its title if it is an outline, else None."""
    is_opml: bool = False

    def outline(self, attributes: Mapping[str, str], place: str) -> str:
        """Add the feed of an outline, if it names one, and return the outline's title."""
        folded = {name.lower(): value.strip() for name, value in attributes.items()}
        title = collapse(folded.get("title") or folded.get("text") or "")
        url = folded.get("xmlurl", "")
        if not url:
            kind = folded.get("type", "").lower()
            if kind in ("rss", "atom"):
                self.problems.append(f"{place}: {title!r} has no xmlUrl")
            elif kind in _LIST_TYPES:
                self.problems.append(f"{place}: {title!r} is another list, which is not followed")
            return title
        try:
            where = resolve(self.source, url)
        except (FeedError, ValueError) as error:
            self.problems.append(f"{place}: {getattr(error, 'reason', error)}: {url[:200]!r}")
            return title
        if len(self.outlines) >= self.limits.max_items:
            raise FeedError(f"it has more than {self.limits.max_items} feeds; raise max_items", source=self.source)
        groups = tuple(group for group in self.groups if group)
        is_public = folded.get("publiconly", "").lower() == "true"
        self.outlines.setdefault(where, Outline(where, title, groups, is_public, folded.get("addedby", "")))
        return title


def write_opml(outlines: Iterable[Outline], title: str) -> bytes:
    """Return a list of feeds as OPML 2.0, groups as outlines around their feeds; `read_opml` reads it back.

    What XML does not allow is left out.
    """
    document = ElementTree.Element("opml", version="2.0")
    ElementTree.SubElement(ElementTree.SubElement(document, "head"), "title").text = _clean(title)
    body = ElementTree.SubElement(document, "body")
    folders: dict[tuple[str, ...], ElementTree.Element] = {(): body}
    for outline in outlines:
        for depth in range(len(outline.groups)):
            here = outline.groups[: depth + 1]
            if here not in folders:
                folders[here] = ElementTree.SubElement(folders[here[:-1]], "outline", text=_clean(here[-1]))
        ElementTree.SubElement(folders[outline.groups], "outline", _attributes(outline))
    ElementTree.indent(document)
    text: bytes = ElementTree.tostring(document, "utf-8", xml_declaration=False)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + text + b"\n"


def _attributes(outline: Outline) -> dict[str, str]:
    title = outline.title or outline.source
    known = {"text": title, "title": title, "type": "rss", "xmlUrl": outline.source}
    known |= {"publicOnly": "true"} if outline.is_public else {}
    known |= {"addedBy": outline.added_by} if outline.added_by else {}
    return {name: _clean(value) for name, value in known.items()}


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("", text)


def resolve(source: str, url: str) -> str:
    """Return the absolute address of an entry `url` in the list at `source`.

    A list from the web can name feeds on the web only: it must not make anyone read local files.
    """
    if is_url(source):
        url = urljoin(source, url)
        if not is_url(url):
            raise FeedError("a list from the web cannot name local files or other schemes", source=source)
    if is_url(url):
        if not urlsplit(url).hostname:
            raise FeedError("it has no host", source=source)
        return url
    path = file_path(url)
    return str(path if path.is_absolute() else file_path(source).parent / path)


def _read_strictly(text: str, reading: _Reading) -> int | None:
    """Read the well-formed part; returns the position of its end, None if the whole document is well-formed."""
    parser = expat.ParserCreate("utf-8")
    data = text.encode("utf-8", "replace")

    def enter(name: str, attributes: dict[str, str]) -> None:
        if len(reading.groups) >= reading.limits.max_depth:
            raise FeedError(f"its outlines are more than {reading.limits.max_depth} deep", source=reading.source)
        reading.is_opml = reading.is_opml or name.lower() == "opml"
        is_outline = name.lower() == "outline" and reading.is_opml
        title = reading.outline(attributes, f"line {parser.CurrentLineNumber}") if is_outline else None
        reading.groups.append(title)

    parser.StartElementHandler = enter
    parser.EndElementHandler = lambda name: reading.groups.pop()
    parser.EntityDeclHandler = _refuse(reading.source, "entities")
    parser.AttlistDeclHandler = _refuse(reading.source, "attributes")
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        reading.problems.append(f"line {error.lineno}: ill-formed ({expat.errors.messages[error.code]})")
        return len(data[: parser.CurrentByteIndex].decode("utf-8", "replace"))
    return None


def _refuse(source: str, what: str) -> Callable[..., None]:
    def refuse(*_: object) -> None:
        raise FeedError(f"it declares {what} of its own, which are refused", source=source)

    return refuse


def _read_by_shape(text: str, start: int, reading: _Reading) -> None:
    """Find outlines by a regular expression, from the tag that contains `start` on."""
    reading.groups.clear()
    tag = text.rfind("<", 0, start + 1)
    text = _without_comments(text[max(tag, 0) :])
    for match in _OUTLINE.finditer(text):
        attributes = {name: html.unescape(a or b) for name, a, b in _ATTRIBUTE.findall(match[1])}
        reading.outline(attributes, "after the fault")


def _without_comments(text: str) -> str:
    pieces, position = [], 0
    while (start := text.find("<!--", position)) >= 0:
        pieces.append(text[position:start])
        stop = text.find("-->", start)
        position = stop + 3 if stop >= 0 else start + 4
        if stop < 0:
            break
    return "".join([*pieces, text[position:]])
