"""The audit log, and the answers that repeated requests get again: `RecordMethods`."""

from __future__ import annotations

from typing import Any

from watchword.errors import OptionError, StoreError
from watchword.store import audit
from watchword.store.audit import ANSWER_CHARACTERS, KEY_CHARACTERS, AuditEntry
from watchword.store.methods.base import Base
from watchword.store.records import is_storable
from watchword.visible import shown


class RecordMethods(Base):
    """The log of changes, and the answers to requests."""

    def add_audit(self, who: str, what: str, which: str, *, source: str = "", old: Any = None, new: Any = None) -> None:
        """Write into the audit log that `who` did `what` to `which`: ``ada``, ``replace subscription``, ``storms``.

        `source` is where the request came from; `old` and `new` are what JSON can hold, without secrets.
        """
        try:
            values = audit.format_value(old), audit.format_value(new)
        except (TypeError, ValueError, RecursionError) as error:
            raise StoreError(f"old and new are what JSON can hold: {error}", path=self.path) from None
        time = self._time()
        with self._engine.write() as session:
            audit.write_entry(session, time, (who, what, which, source), *values)

    def audit(self, *, limit: int = 100, before: int | None = None) -> list[AuditEntry]:
        """Return the newest entries of the audit log, newest first; with `before`, those with smaller numbers."""
        with self._engine.read() as session:
            return audit.read_entries(session, limit, before)

    def remember_answer(self, subscriber: str, key: str, answer: str) -> None:
        """Remember an answer to a subscriber's request for 24 hours; the first one of a key counts."""
        if not is_storable(key) or not 0 < len(key) <= KEY_CHARACTERS:
            raise OptionError(f"a key is a text of 1 to {KEY_CHARACTERS} characters, not {shown(key)}")
        if not is_storable(answer) or len(answer) > ANSWER_CHARACTERS:
            raise OptionError(f"an answer is a text of at most {ANSWER_CHARACTERS:,} characters, not {shown(answer)}")
        now = self._clock()
        with self._engine.write() as session:
            audit.write_answer(session, self._owner(session, subscriber), key, answer, now)

    def remembered_answer(self, subscriber: str, key: str) -> str | None:
        """Return the answer to an earlier request of a subscriber with this key; None if there is none."""
        now = self._clock()
        with self._engine.read() as session:
            owner = self._owner(session, subscriber)
            return audit.read_answer(session, owner, key, now) if is_storable(key) else None
