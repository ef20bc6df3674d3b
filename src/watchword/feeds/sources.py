"""Resolves the names that a person writes (a feed, a list of feeds, a folder of either) into feeds.

An OPML list is recognised by its ending, or, if it is a file, by its content. A folder means its feeds and lists, in
order of name. Unusable names are returned as problems, beside the feeds.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import httpx

from watchword.errors import FeedError
from watchword.feeds.download import file_path, is_url, read_file
from watchword.feeds.fetching import get
from watchword.feeds.limits import Limits
from watchword.feeds.opml import read_opml
from watchword.files import parse_json

_FEED_ENDINGS = frozenset([".xml", ".rss", ".atom", ".rdf"])
_LIST_ENDING = ".opml"


@dataclass(frozen=True)
class Sources:
    """The feeds, each once, and an error for each unusable name."""

    feeds: tuple[str, ...]
    problems: tuple[FeedError, ...] = ()
    listed: frozenset[str] = frozenset()
    """Feeds that only a list from the public network names, or that a list marks as public (`Outline.is_public`); they
    are refused on private addresses."""


def split(text: str) -> list[str]:
    """Return the names in an option's text: a JSON list, or one name a line.

    >>> split("a.xml\\nb.xml"), split('["a b.xml"]')
    (['a.xml', 'b.xml'], ['a b.xml'])
    """
    text = text.strip()
    if text.startswith("["):
        try:
            names = parse_json(text)
        except ValueError:
            names = None
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise FeedError("this is no JSON list of texts", source=text[:80])
        return names
    return [line.strip() for line in text.splitlines() if line.strip()]


def list_sources(names: str | Iterable[str], *, limits: Limits | None = None) -> Sources:
    """Return the feeds of `names`: URLs, paths, OPML lists, folders.

    Lists and folders are read, feeds are not. One that cannot be read is in `problems`, and does not raise.
    """
    feeds: dict[str, None] = {}
    problems: list[FeedError] = []
    own: set[str] = set()
    for name in split(names) if isinstance(names, str) else names:
        try:
            for entry in _entries(name):
                found = Sources((entry,))
                if _is_list(entry):
                    found = _expand(entry, limits or Limits())
                feeds.update(dict.fromkeys(found.feeds))
                problems += found.problems
                own.update(set(found.feeds) - found.listed)
        except FeedError as error:
            problems.append(error)
    return Sources(tuple(feeds), tuple(problems), frozenset(feeds.keys() - own))


def check_sources(names: Iterable[str], *, limits: Limits | None = None) -> Sources:
    """Return the feeds of `names` as `list_sources` does, without the network: a list at a URL is returned as it is.

    Raises `FeedError` for the first unusable name: a file that is missing or may not be read, an address without a
    host; or, if there is no feed at all, for the first list without any.
    """
    feeds: dict[str, None] = {}
    problems: list[FeedError] = []
    for name in names:
        if is_url(name):
            _check_address(name)
            feeds[name] = None
            continue
        _check_path(name)
        found = list_sources([name], limits=limits)
        feeds.update(dict.fromkeys(found.feeds))
        problems += found.problems
    if not feeds:
        raise problems[0] if problems else FeedError("there is no feed in it", source=", ".join(names))
    return Sources(tuple(feeds), tuple(problems))


def _check_address(name: str) -> None:
    try:
        host = httpx.URL(name).host
    except (httpx.InvalidURL, ValueError) as error:
        raise FeedError(f"this is no address: {error}", source=name) from None
    if not host:
        raise FeedError("this address names no host", source=name)


def _check_path(name: str) -> None:
    path = file_path(name)
    if not path.exists():
        raise FeedError("there is no such file, and it is no address, which begins with http", source=name)
    if not os.access(path, os.R_OK | os.X_OK if path.is_dir() else os.R_OK):
        raise FeedError("no permission to read it: check the owner and the mode", source=name)


def _entries(name: str) -> list[str]:
    """Return the feeds and lists in a folder, or the name itself if it is no folder."""
    if is_url(name):
        return [name]
    path = file_path(name)
    if not path.is_dir():
        return [name]
    endings = _FEED_ENDINGS | {_LIST_ENDING}
    return sorted(str(file) for file in path.iterdir() if file.suffix.lower() in endings and file.is_file())


def _is_list(name: str) -> bool:
    if is_url(name):
        return name.partition("?")[0].partition("#")[0].lower().endswith(_LIST_ENDING)
    path = file_path(name)
    return path.suffix.lower() == _LIST_ENDING or b"<opml" in _head(path)


def _head(path: Path) -> bytes:
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(512).lower()
    except OSError:
        return b""


def _expand(name: str, limits: Limits) -> Sources:
    """Return the feeds of a list; all are `listed` unless it is the user's own: a file, or on a private network."""
    document, is_own = get(name, limits=limits) if is_url(name) else (read_file(name, limits.max_bytes), True)
    opml = read_opml(document, name, limits=limits)
    faults = tuple(FeedError(line, source=name) for line in opml.problems)
    listed = frozenset(outline.source for outline in opml.outlines if outline.is_public or not is_own)
    return Sources(tuple(outline.source for outline in opml.outlines), faults, listed)
