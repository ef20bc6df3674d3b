"""`Body`: the parameters of one part of a query. Each is taken by its name; parameters that are left are refused.

A label (``_name``) is passed over. A weight (``boost``) is refused, unless weights are dropped or it is 1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from watchword.predicates.dialects.aws import PatternError
from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.values import text_of

WEIGHTS = frozenset({"boost", "tie_breaker", "negative_boost", "score_mode", "boost_mode", "max_boost", "functions"})
"""Parameters that change nothing but scores."""

_WEIGHTLESS = (None, 1, 1.0, "1", "1.0", "none")
_PASSED_OVER = frozenset({"_name"})


@contextmanager
def placed(path: str) -> Iterator[None]:
    """Give a refusal its place in the query."""
    try:
        yield
    except Refused as reason:
        raise PatternError(str(reason), path=path) from None


class Body:
    """The parameters of one part; `path` is its place."""

    def __init__(self, given: Any, path: str, dropped: Collection[str] = ()) -> None:
        if not isinstance(given, Mapping):
            raise PatternError(f"an object is expected, not {given!r:.60}", path=path)
        self._left = dict(given)
        self.path = path
        self._drops = "boost" in dropped

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def take(self, name: str, default: Any = None) -> Any:
        """Return a parameter, and count it as taken."""
        found = self._left.pop(name, None)
        return default if found is None else found

    def peek(self, name: str, default: Any = None) -> Any:
        """Return a parameter, and leave it there."""
        found = self._left.get(name)
        return default if found is None else found

    def needed(self, name: str) -> Any:
        """Return a parameter that has to be there."""
        found = self.take(name)
        if found is None:
            raise PatternError(f"{name} is missing", path=self.path)
        return found

    def text(self, name: str, default: str | None = None) -> str:
        """Return a parameter as a text; numbers and booleans are texts as they are written."""
        with placed(f"{self.path}.{name}"):
            return text_of(self.needed(name) if default is None else self.take(name, default))

    def whole(self, name: str, default: int, least: int = 0) -> int:
        """Return a parameter that is a whole number, also in a text."""
        value = self.take(name, default)
        try:
            number = int(value) if isinstance(value, int | str) and not isinstance(value, bool) else None
        except ValueError:
            number = None
        if number is None or number < least:
            raise PatternError(
                f"a whole number from {least} is expected, not {value!r:.40}", path=f"{self.path}.{name}"
            )
        return number

    def flag(self, name: str, default: bool) -> bool:
        """Return a parameter that is true or false, also in a text."""
        value = self.take(name, default)
        if (value in (True, "true", False, "false") and not isinstance(value, int | float)) or isinstance(value, bool):
            return value in (True, "true")
        raise PatternError(f"true or false is expected, not {value!r:.40}", path=f"{self.path}.{name}")

    def one_of(self, name: str, default: str, allowed: Collection[str]) -> str:
        """Return a parameter that is one of some words, in any case."""
        value = str(self.take(name, default)).lower()
        if value not in allowed:
            raise PatternError(f"{', '.join(allowed)} are known, not {value!r:.40}", path=f"{self.path}.{name}")
        return value

    def members(self) -> list[str]:
        """Return the names of parameters that are left, without labels and weights."""
        return [name for name in self._left if name not in WEIGHTS | _PASSED_OVER]

    def refuse(self, name: str, reason: str) -> None:
        """Refuse a parameter if it is there."""
        if self._left.get(name) is not None:
            raise PatternError(reason, path=f"{self.path}.{name}")

    def end(self, *passed_over: str) -> None:
        """Refuse parameters that are left, except labels and `passed_over`, which change no match."""
        for name, value in self._left.items():
            if name in WEIGHTS:
                self._weigh(name, value)
            elif name not in _PASSED_OVER and name not in passed_over:
                raise PatternError("this parameter is not known here; leave it out", path=f"{self.path}.{name}")

    def _weigh(self, name: str, value: Any) -> None:
        if not self._drops and value not in _WEIGHTLESS:
            raise PatternError(
                'it weighs, and a match has no score; leave it out, or say drop=("boost",) to leave out all weights',
                path=f"{self.path}.{name}",
            )
