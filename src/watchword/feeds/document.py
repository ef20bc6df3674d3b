"""A feed's document into a `Feed`, by feedparser: RSS 0.9x, 1.0, 2.0 and Atom, ill-formed ones as far as possible.

feedparser reads anything, so this file makes a hostile document harmless first:

- it is decoded here, by codecs whose cost is linear;
- declarations of entities and attributes are disabled before any parser sees them, so that nothing can expand;
- its tags are counted, and expat measures the depth of its well-formed part; the lenient parser does not recurse;
- characters that XML forbids are removed, and references to them become U+FFFD.

feedparser's own cleaning of HTML is switched off: the items are plain text (`markup`).
"""

from __future__ import annotations

import calendar
import io
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from xml.parsers import expat

import feedparser  # type: ignore[import-untyped]

from watchword.errors import FeedError
from watchword.feeds.encoding import decode
from watchword.feeds.items import Feed, FeedItem, identity
from watchword.feeds.limits import Limits
from watchword.feeds.markup import collapse, plain_text
from watchword.feeds.repair import close_open_elements

_DECLARATION = re.compile(r"<!(?=ENTITY|ATTLIST|ELEMENT|NOTATION)", re.IGNORECASE)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCE = re.compile(r"&#(?:[xX]0*([0-9a-fA-F]*)|0*([0-9]*));?")
_ROOT = re.compile(r"<(?:\w+:)?(opml|html)\b", re.IGNORECASE)
_ITEM = re.compile(r"<(/?)(?:\w+:)?(?:item|entry)[\s>]", re.IGNORECASE)
_ROOT_END = re.compile(r"</(?:\w+:)?(?:rss|feed|rdf|channel)\s*>", re.IGNORECASE)
_DECLARED = b"<?xml version='1.0' encoding='utf-8'?>\n"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
REPEATED = 10_000
"""The most characters of a feed's title and of an author: every item repeats them, so a long one would multiply."""


def parse(document: bytes, source: str, *, charset: str | None = None, limits: Limits | None = None) -> Feed:
    """Return the feed of a document from `source`, a URL or path; `charset` is the one in the server's header.

    Raises `FeedError` if it is no feed, or exceeds a limit. The unfinished last item of a truncated document is left
    out: the missing part may hold its identity.
    """
    limits = limits or Limits()
    if len(document) > limits.max_bytes:
        raise FeedError(f"it is longer than {limits.max_bytes} bytes; raise max_bytes to read it", source=source)
    text = _harmless(decode(document, charset))
    if not text.strip():
        raise FeedError("it is empty; expected an RSS or Atom feed", source=source)
    cut_off = _is_cut_off(text)
    if not _is_well_formed(text, source, limits):
        text = close_open_elements(text)
    raw = _read(_DECLARED + text.encode(), source)
    if not raw.version and (not raw.entries or _ROOT.search(text, 0, 4096)):
        raise FeedError(_what_it_is(text), source=source)
    entries = raw.entries
    problems = [_first_line(raw.bozo_exception)] if raw.bozo else []
    if entries and cut_off:
        entries = entries[:-1]
        problems.append("the document ends inside an item, which is left out")
    if len(entries) > limits.max_items:
        problems.append(f"only the first {limits.max_items} of {len(entries)} items are taken")
    title = _text(raw.feed, "title")
    items: dict[str, FeedItem] = {}
    for entry in entries[: limits.max_items]:
        item = _item(entry, raw.feed, title[:REPEATED] or source, source, raw.version)
        items.setdefault(item.id, item)
    return Feed(
        source=source,
        title=title,
        link=_link(raw.feed.get("link")),
        language=_language(raw.feed.get("language")),
        version=raw.version,
        items=tuple(items.values()),
        problems=tuple(problems),
    )


# Before the parser


def _harmless(text: str) -> str:
    text = _FORBIDDEN.sub("", text)
    text = _DECLARATION.sub("<! ", text)
    return _REFERENCE.sub(_replace_forbidden, text) if "&#" in text else text


def _replace_forbidden(match: re.Match[str]) -> str:
    hexadecimal, decimal = match.groups()
    digits = hexadecimal if hexadecimal is not None else decimal
    if not digits or len(digits) > 7:
        return "\ufffd"
    code = int(digits, 16 if hexadecimal is not None else 10)
    bad = code > 0x10FFFF or 0xD800 <= code < 0xE000 or (code < 0x20 and code not in (9, 10, 13)) or code & ~1 == 0xFFFE
    return "\ufffd" if bad else match[0]


def _is_well_formed(text: str, source: str, limits: Limits) -> bool:
    """Return whether expat accepts the document; raises `FeedError` if it has too many tags or is nested too deep."""
    data = _DECLARED + text.encode()
    tags = data.count(b"<")
    if tags > limits.max_tags:
        raise FeedError(f"it has {tags} tags; more than {limits.max_tags} need a higher max_tags", source=source)
    depth = 0

    def enter(name: str, attributes: Any) -> None:
        nonlocal depth
        depth += 1
        if depth > limits.max_depth:
            raise FeedError(
                f"its elements are more than {limits.max_depth} deep; raise max_depth to read it", source=source
            )

    def leave(name: str) -> None:
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.StartElementHandler = enter
    parser.EndElementHandler = leave
    try:
        parser.Parse(data, True)
    except expat.ExpatError:
        return False  # the depth of the rest is not measured; the lenient parser does not recurse
    return True


def _read(data: bytes, source: str) -> Any:
    headers = {"content-type": "application/xml; charset=utf-8"}
    if urlsplit(source).scheme in ("http", "https"):
        headers["content-location"] = source  # links may be relative to it
    try:
        return feedparser.parse(
            io.BytesIO(data), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
        )
    except MemoryError:
        raise
    except Exception as error:  # it promises to read anything, and a bug in it must not stop the other feeds
        raise FeedError(f"it cannot be read: {type(error).__name__}: {_first_line(error)}", source=source) from error


def _what_it_is(text: str) -> str:
    root = _ROOT.search(text, 0, 4096)
    if root is not None and root[1].lower() == "opml":
        return "it is a list of feeds; name it .opml to have its feeds read"
    what = "a web page" if root is not None else "no RSS or Atom document"
    return f"it is {what}; expected a feed"


def _is_cut_off(text: str) -> bool:
    if _ROOT_END.search(text):
        return False
    last = None
    for last in _ITEM.finditer(text):  # noqa: B007
        pass
    return last is not None and not last[1]


# After the parser


def _item(entry: Any, feed: Any, name: str, source: str, version: str) -> FeedItem:
    """Return the item of an entry; `name` is that of the feed."""
    title = _text(entry, "title")
    bodies = [_value(content) for content in entry.get("content", ())]
    text = max([_text(entry, "summary"), *bodies], key=len)
    link = _link(entry.get("link"))
    author = _author(entry) or (_author(feed) if version.startswith("atom") else None)
    published = _moment(entry)
    when = "" if published is None else published.isoformat()
    return FeedItem(
        id=identity(source, guid=entry.get("id"), link=link, content=(title, text, author or "", when)),
        title=title,
        text=text,
        link=link,
        author=author,
        published=published,
        language=_language(
            entry.get("language") or entry.get("title_detail", {}).get("language") or feed.get("language")
        ),
        feed=name,
        feed_url=source,
        categories=_categories(entry),
    )


def _categories(entry: Any) -> tuple[str, ...]:
    """Return the values of ``<category>`` (in Atom the terms, in older formats the equivalents), each once."""
    names = (collapse(str(tag.get("term") or tag.get("label") or "")) for tag in entry.get("tags") or ())
    return tuple(dict.fromkeys(name for name in names if name))


def _text(owner: Any, key: str) -> str:
    detail = owner.get(f"{key}_detail")
    if detail:
        return _value(detail)
    return plain_text(str(owner.get(key) or ""))


def _value(content: Any) -> str:
    value = str(content.get("value") or "")
    return collapse(value) if content.get("type") == "text/plain" else plain_text(value)


def _author(owner: Any) -> str | None:
    name = owner.get("author_detail", {}).get("name") or owner.get("author")
    return (collapse(str(name))[:REPEATED] or None) if name else None


def _link(link: str | None) -> str | None:
    """Return a link that is safe to show, with the scheme http, https, ftp or none; else None."""
    link = collapse(link or "")
    scheme = link.partition(":")[0].lower() if ":" in link.partition("/")[0] else ""
    return link if link and scheme in ("", "http", "https", "ftp") else None


def _moment(entry: Any) -> datetime | None:
    for key in ("published_parsed", "updated_parsed", "created_parsed"):
        parsed = dict.get(entry, key)  # feedparser's own get answers one key with another, and warns
        if parsed:
            try:
                return _EPOCH + timedelta(seconds=calendar.timegm(parsed))
            except (ValueError, OverflowError):
                continue
    return None


def _language(language: str | None) -> str | None:
    return collapse(language or "").replace("_", "-")[:35] or None


def _first_line(error: object) -> str:
    return (str(error).splitlines() or [""])[0][:200]
