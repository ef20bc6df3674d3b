"""Compares one subscription with others, in whatever language is plugged in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from watchword.index.covering import Covering, OutOfStepsError, Steps
from watchword.index.language import Language


class Comparison:
    """A text that is compared with others; it is read once."""

    def __init__(self, plugged: Language, text: str) -> None:
        self._plugged, self._text, self._asked = plugged, text, _asked(plugged, text)

    def with_text(self, other: str, limit: int) -> Covering:
        """Return how the text relates to another, in at most `limit` steps for either direction."""
        found = self.proven(other, limit)
        if found is not None:
            return found
        there = _asked(self._plugged, other)
        return Covering.NEITHER if self._refuted(there, limit) else Covering.UNKNOWN

    def proven(self, other: str, limit: int) -> Covering | None:
        """Return how the text relates to another if that is proven, None if it is refuted or not known."""
        steps = Steps(limit)  # which raises
        if other == self._text:
            return Covering.EQUAL
        there, implies = _asked(self._plugged, other), self._plugged.implies
        covers = self._within(implies, there, self._asked, steps)
        if self._within(implies, self._asked, there, Steps(limit)):
            return Covering.EQUAL if covers else Covering.COVERED
        return Covering.COVERS if covers else None

    def _refuted(self, there: Any, limit: int) -> bool:
        """Return whether neither text covers the other."""
        refutes = self._plugged.refutes
        return self._within(refutes, there, self._asked, Steps(limit)) and self._within(
            refutes, self._asked, there, Steps(limit)
        )

    def _within(self, ask: Callable[[Any, Any, Steps], bool], narrow: Any, wide: Any, steps: Steps) -> bool:
        """Return the answer of `ask`; False if it takes more steps than there are."""
        try:
            return ask(narrow, wide, steps)
        except OutOfStepsError:
            return False


def _asked(plugged: Language, text: Any) -> Any:
    if not isinstance(text, str):
        plugged.compile_one(text)  # which raises
    return plugged.asked(text)
