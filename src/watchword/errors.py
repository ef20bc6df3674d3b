"""The error tree: one root, and every error carries as data what its message says in words."""

from __future__ import annotations

import unicodedata
from typing import Self, cast

from watchword.visible import shown, visible


class WatchwordError(Exception):
    """Root of everything that Watchword raises on purpose, an unknown id's ``KeyError`` aside."""


class SubscriptionError(WatchwordError, ValueError):
    """A subscription, or its id, was refused; the index is as it was.

    ``row`` is the position in the input that was being loaded, ``id`` the subscription's; both are ``None`` for a
    single subscription. The message names them, of a mapping the id alone.
    """

    id: str | int | None = None

    def __init__(self, message: str, *, row: int | None = None) -> None:
        super().__init__(message if row is None else f"row {row}: {message}")
        self.reason = message
        self.row = row

    def of_id(self, id: object) -> Self:
        """Return the same error with the id of its subscription, in place of one that it may have; None for no id.

        >>> print(SubscriptionError("it is empty", row=3).of_id("s7"))
        row 3, id 's7': it is empty
        >>> print(SubscriptionError("it is empty").of_id("s7"))
        id 's7': it is empty
        """
        placed = self.at_row(self.row)
        if id is not None:
            place = "" if self.row is None else f"row {self.row}"
            message = str(placed).removeprefix(f"{place}: ")
            placed.args = (f"{place}{', ' if place else ''}id {shown(id)}: {message}",)
            placed.id = id if isinstance(id, str | int) else None
        return cast(Self, placed)

    def at_row(self, row: int | None) -> SubscriptionError:
        """Return the same error, placed in a batch; with None, of a single subscription."""
        return SubscriptionError(self.reason, row=row)

    def without_row(self) -> SubscriptionError:
        """Return the same error for who names the place in another way: by file and line, or by id."""
        return self.at_row(None)


class SubscriptionSyntaxError(SubscriptionError):
    """A subscription's text is not of its language. ``text[position:]`` is where reading stopped."""

    def __init__(self, message: str, *, text: str, position: int, row: int | None = None) -> None:
        super().__init__(f"{message}\n{_pointer(text, position)}", row=row)
        self.reason = message
        self.text = text
        self.position = position

    def at_row(self, row: int | None) -> SubscriptionSyntaxError:
        """Return the same error, placed in a batch; with None, of a single subscription."""
        return SubscriptionSyntaxError(self.reason, text=self.text, position=self.position, row=row)


class EventError(WatchwordError, ValueError):
    """An event cannot be read. ``position`` is its place in the batch (0 for a single event).

    Where all events are refused together, as a table without the column that was named, the message names no place.
    """

    def __init__(self, message: str, *, position: int | None = None) -> None:
        super().__init__(message if position is None else f"event {position}: {message}")
        self.reason = message
        self.position = position or 0


class SnapshotError(WatchwordError):
    """A snapshot cannot be read or written. ``path`` is the file or folder at fault."""

    def __init__(self, message: str, *, path: object) -> None:
        super().__init__(f"{path}: {message}")
        self.reason = message
        self.path = path


class LocationError(WatchwordError):
    """A path or URL cannot be used for an index: unknown, unreachable, or not safe. ``path`` is that path or URL."""

    def __init__(self, message: str, *, path: object) -> None:
        super().__init__(f"{path}: {message}")
        self.reason = message
        self.path = path


class OptionError(WatchwordError, ValueError):
    """An option, of an index or in the environment, is unknown or out of range."""


class PipelineError(WatchwordError):
    """A Spark job cannot be planned or run: a column, a type, an option or a source is not what it has to be."""


class StoreError(WatchwordError):
    """A store cannot be opened, read or written, or was given what it cannot keep. ``path`` is its file."""

    def __init__(self, message: str, *, path: object) -> None:
        super().__init__(f"{path}: {message}")
        self.reason = message
        self.path = path


class UnknownNameError(StoreError, KeyError):
    """A store has no subscriber of this name, or no subscription of this id. ``name`` is the unknown name or id."""

    def __init__(self, message: str, *, path: object, name: str) -> None:
        super().__init__(message, path=path)
        self.name = name

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError alone would show it in quotes


class ConflictError(StoreError):
    """A subscription is not in the state that a change was made for. ``id`` is its id; ``etag`` is the name of its
    state now, None if there is no such subscription."""

    def __init__(self, message: str, *, path: object, id: str, etag: str | None) -> None:
        super().__init__(message, path=path)
        self.id = id
        self.etag = etag


class ArchiveError(WatchwordError):
    """The archive cannot be read or written, or was given what it cannot keep. ``path`` is its folder or a file."""

    def __init__(self, message: str, *, path: object) -> None:
        super().__init__(f"{path}: {message}")
        self.reason = message
        self.path = path


class FeedError(WatchwordError):
    """A feed, or a list of feeds, cannot be had or read. ``source`` is its URL or path."""

    def __init__(self, message: str, *, source: object) -> None:
        super().__init__(f"{source}: {message}")
        self.reason = message
        self.source = str(source)


class AnswerError(FeedError):
    """A server answered, but with no document. ``retry_after`` is what it said about when to come back, if it did."""

    def __init__(self, message: str, *, source: object, status: int, retry_after: str | None = None) -> None:
        super().__init__(message, source=source)
        self.status = status
        self.retry_after = retry_after


class ExperimentError(WatchwordError):
    """An experiment is unknown, or cannot be run or reported here. ``name`` is the experiment's."""

    def __init__(self, message: str, *, name: str) -> None:
        super().__init__(f"{name}: {message}")
        self.reason = message
        self.name = name


def _pointer(text: str, position: int, width: int = 72) -> str:
    """Return the line of `text` around `position`, and a caret under it. What would act on a terminal is shown."""
    start = max(0, position - width // 2)
    before, behind = (
        visible(piece.replace("\n", " ").replace("\t", " "))
        for piece in (text[start:position], text[position : start + width])
    )
    lead, tail = "…" if start else "", "…" if start + width < len(text) else ""
    return f"  {lead}{before}{behind}{tail}\n  {' ' * (len(lead) + _columns(before))}^"


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes: a wide character two, a mark none.

    >>> _columns("é"), _columns("東京"), _columns("e\u0301")
    (1, 4, 1)
    """
    marks = sum(unicodedata.category(character) in ("Mn", "Me", "Cf") for character in text)
    wide = sum(unicodedata.east_asian_width(character) in ("W", "F") for character in text)
    return len(text) - marks + wide
