"""The error of a Sigma rule: which rule, which line, and the remedy."""

from __future__ import annotations

from watchword.errors import SubscriptionError


class SigmaError(SubscriptionError):
    """A Sigma rule cannot be read, or cannot be said here.

    ``rule`` is the title or id, "" before one has been read; ``line`` counts from 1, 0 for the rule as a whole.
    """

    def __init__(self, message: str, *, line: int, rule: str = "", row: int | None = None) -> None:
        named = f"rule {rule!r}, " if rule else ""
        super().__init__(f"{named}line {line}: {message}" if line else f"{named}{message}", row=row)
        self.rule = rule
        self.line = line
        self._message = message

    def of_rule(self, rule: str) -> SigmaError:
        """Return the same error with the name of its rule."""
        return SigmaError(self._message, line=self.line, rule=rule, row=self.row)

    def at_row(self, row: int | None) -> SigmaError:
        """Return the same error, placed in a batch; with None, of a single subscription."""
        return SigmaError(self._message, line=self.line, rule=self.rule, row=row)
