"""Says once, in the log, that an attribute is a text where ``CONTAINS`` asks for a member of a list.

``title CONTAINS 'storm'`` is true of the title ``storm`` and of the list ``["storm", "sea"]``. Of ``A storm at sea`` it
is false, and its author probably meant ``title HAS 'storm'``. No answer changes; the first events are looked at, and
the logger ``watchword.predicates`` warns once for an attribute.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from watchword.errors import EventError
from watchword.predicates.predicate import Path, show_path
from watchword.predicates.values import show_value

LOOKED_AT = 256
"""How many events of an index are looked at."""

_KEPT = 64
"""How many texts that CONTAINS asks for are kept for an attribute."""

_log = logging.getLogger("watchword.predicates")


class Members:
    """The attributes that CONTAINS asks for a text in, until one is found to be a text itself.

    >>> members = Members()
    >>> members.ask(("title",), "storm")
    >>> [members.hint(event) for event in [{"title": ["storm"]}, {"title": "storm"}, {"title": "A storm"}]]
    [None, None, "title CONTAINS 'storm' asks for a member of a list, and title is the text 'A storm'; \
title HAS 'storm' asks for a part of it"]
    """

    def __init__(self) -> None:
        self.asked: dict[Path, set[str]] = {}
        self._told: set[Path] = set()
        self._left = LOOKED_AT

    def ask(self, path: Path, text: str) -> None:
        """Note that a subscription asks whether a list contains a text."""
        if path not in self._told and self._left:
            texts = self.asked.setdefault(path, set())
            if len(texts) < _KEPT:
                texts.add(text)

    def look(self, events: Any) -> None:
        """Look at events, in whatever form, and warn once of each attribute that is a text."""
        for event in _objects(events[: self._left]):
            self._left -= 1
            while (found := self.hint(event)) is not None:
                _log.warning("%s", found)
        if self._left <= 0:
            self.asked = {}

    def hint(self, event: dict[str, Any]) -> str | None:
        """Return what to say about the first attribute that is a text with a wanted part; None if there is none."""
        for path, texts in self.asked.items():
            for value in _texts_at(event, path):
                text = next((text for text in texts if text in value and text != value), None)
                if text is not None:
                    self.asked = {one: wanted for one, wanted in self.asked.items() if one != path}
                    self._told.add(path)
                    return _said(show_path(path), show_value(text), value)
        return None


def _said(name: str, text: str, value: str) -> str:
    shown = show_value(value if len(value) < 60 else value[:60] + "…")
    asks = f"{name} CONTAINS {text} asks for a member of a list, and {name} is the text {shown}"
    return f"{asks}; {name} HAS {text} asks for a part of it"


def _objects(events: Any) -> Iterator[dict[str, Any]]:
    """Yield events as objects; any that cannot be one is left out, for it has been refused elsewhere."""
    from watchword.predicates.events.documents import parsed  # which loads pyarrow

    try:
        found = events.to_pylist() if hasattr(events, "to_pylist") else events
    except (ValueError, OverflowError, NotImplementedError):  # a date that Python has not
        return
    for event in found:
        if isinstance(event, str | bytes):
            try:
                event = parsed(event, 0)
            except EventError:
                continue
        if isinstance(event, dict):
            yield event


def _texts_at(value: Any, path: Path) -> Iterator[str]:
    """Yield the texts that an attribute is by itself, and not as a member of a list."""
    if not path:
        if isinstance(value, str):
            yield value
    elif isinstance(value, dict):
        yield from _texts_at(value.get(path[0]), path[1:])
    elif isinstance(value, list | tuple):
        for element in value:
            yield from _texts_at(element, path)
