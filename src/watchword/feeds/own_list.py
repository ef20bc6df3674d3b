"""The list of feeds that people add over HTTP, an OPML file: `FeedList`.

    feeds = FeedList(home.feeds)
    feeds.add([Outline("https://example.org/feed", "News", (), is_public=True, added_by="ada")])    # [] were there

The file is replaced whole, under a lock, so a run that reads it, as it does at every fetch, finds one list or the
other. Feeds keep their order. It is an ordinary list: `watchword run HOME/feeds.opml` reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from watchword.errors import FeedError
from watchword.feeds.limits import Limits
from watchword.feeds.opml import Opml, Outline, read_opml, write_opml
from watchword.files import locked, replaced

MOST = 5_000
"""Feeds of the list."""
_TITLE = "Watchword"


class FeedList:
    """A list of feeds in a file, for several processes at once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[Outline]:
        """Return the feeds, none if there is no file; a `FeedError` if it is no list."""
        try:
            document = self.path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise FeedError(f"cannot be read: {error.strerror or error}", source=self.path) from error
        return list(self._parse(document).outlines)

    def add(self, outlines: Iterable[Outline]) -> list[Outline]:
        """Add feeds at the end, all or none, and return the known ones among them, which stay as they are."""
        with self._changing():
            feeds = {one.source: one for one in self.read()}
            given = list(outlines)
            known = [feeds[one.source] for one in given if one.source in feeds]
            feeds |= _new(given, feeds)
            if len(feeds) > MOST:
                raise FeedError(f"it has room for {MOST:,} feeds; remove some first", source=self.path.name)
            self._write(feeds.values())
        return known

    def remove(self, source: str) -> bool:
        """Remove a feed; return False if it is not there."""
        with self._changing():
            feeds = self.read()
            kept = [one for one in feeds if one.source != source]
            if len(kept) < len(feeds):
                self._write(kept)
            return len(kept) < len(feeds)

    def make(self) -> None:
        """Make the file, an empty list, unless it is there."""
        if not self.path.exists():
            with self._changing():
                if not self.path.exists():
                    self._write([])

    def _parse(self, document: bytes) -> Opml:
        return read_opml(document, str(self.path), limits=Limits(max_items=MOST))

    def _write(self, outlines: Iterable[Outline]) -> None:
        with replaced(self.path) as output:
            output.write(write_opml(outlines, _TITLE))
        self.path.chmod(0o600)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        try:
            with locked(self.path.with_suffix(".lock")):
                yield
        except OSError as error:
            reason = f"cannot be written: {error.strerror or error}; nothing was changed"
            raise FeedError(reason, source=self.path) from error


def _new(given: Iterable[Outline], known: dict[str, Outline]) -> dict[str, Outline]:
    """Return the outlines of feeds that are not known, the first of each."""
    found: dict[str, Outline] = {}
    for one in given:
        if one.source not in known:
            found.setdefault(one.source, one)
    return found
