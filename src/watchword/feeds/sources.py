"""The feeds that a name stands for: a feed, a list of feeds, a folder of either.

An OPML list is known by its ending, or, if it is a file, by its content. A folder stands for the feeds in it, by name,
and for its lists. Unusable names are returned as problems, beside the usable ones.
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
    """The usable feeds, each once, and the problems of the others."""

    feeds: tuple[str, ...]
    problems: tuple[FeedError, ...] = ()
    listed: frozenset[str] = frozenset()
    """Those that only a list from the public network has named, so that they may not be on a private one."""


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
    """Return the feeds that `names` stand for: URLs, paths, OPML lists, folders.

    Lists and folders are read, feeds are not; a list that cannot be read is a problem, not an error.
    """
    feeds: dict[str, None] = {}
    problems: list[FeedError] = []
    own: set[str] = set()
    for name in split(names) if isinstance(names, str) else names:
        try:
            for entry in _entries(name):
                found, is_own = Sources((entry,)), True
                if _is_list(entry):
                    found, is_own = _expand(entry, limits or Limits())
                feeds.update(dict.fromkeys(found.feeds))
                problems += found.problems
                own.update(found.feeds if is_own else ())
        except FeedError as error:
            problems.append(error)
    return Sources(tuple(feeds), tuple(problems), frozenset(feeds.keys() - own))


def check_sources(names: Iterable[str], *, limits: Limits | None = None) -> Sources:
    """Return the result of `list_sources` without the network: a list on the web stands for itself.

    A `FeedError` names the first unusable source: a file that is missing or may not be read, an address without a
    host; or, if there is no feed at all, the first empty list.
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
    """Return the names in a folder, or the name itself if it is no folder."""
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


def _expand(name: str, limits: Limits) -> tuple[Sources, bool]:
    """Return the names in a list, and whether the list is the user's own: a file, or on a private network."""
    document, is_own = get(name, limits=limits) if is_url(name) else (read_file(name, limits.max_bytes), True)
    opml = read_opml(document, name, limits=limits)
    faults = tuple(FeedError(line, source=name) for line in opml.problems)
    return Sources(tuple(outline.source for outline in opml.outlines), faults), is_own
