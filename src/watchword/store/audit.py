"""The audit log, and the answers that repeated requests get again.

    number  time   who  what                  which   source      old                 new
    17      09:41  ada  replace subscription  storms  10.0.0.7    {"text": "ferry"}   {"text": "ferry AND storm"}

Rows of the log are added and, after `AUDIT_DAYS`, removed; none is changed. It refers to nothing, so that it outlives
subscribers and subscriptions. `old` and `new` are whatever JSON can hold; a caller leaves secrets out.

An answer is remembered by its subscriber and the key that the request carried. The first answer counts, so that a
request that was sent twice has one answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from watchword.store.engine import Session, read_value
from watchword.store.records import format_time, parse_time, storable_number, storable_text

AUDIT_DAYS = 365
"""The days for which an entry of the audit log is kept."""
AUDIT_CHARACTERS = 16_384
"""The most characters of each text of an entry; of a longer one the beginning is kept."""
ANSWER_HOURS = 24
"""The hours for which an answer is remembered."""
KEY_CHARACTERS = 255
"""The most characters of the key of an answer."""
ANSWER_CHARACTERS = 1 << 20
"""The most characters of an answer that is remembered."""


@dataclass(frozen=True)
class AuditEntry:
    """An entry of the audit log. `which` is the thing that was changed, `source` where the request came from."""

    number: int
    time: datetime
    who: str
    what: str
    which: str
    source: str
    old: Any
    new: Any


def cut(text: str) -> str:
    """Return a text as the log keeps it: at most `AUDIT_CHARACTERS`, a question mark for half a surrogate pair."""
    text = storable_text(str(text)).replace("\0", "?")
    return text if len(text) <= AUDIT_CHARACTERS else text[: AUDIT_CHARACTERS - 1] + "…"


def format_value(value: Any) -> str:
    """Return a value as the log keeps it, in JSON; of a long one the beginning of its JSON, as a text.

    >>> format_value({"text": "ferry"}), format_value(None)
    ('{"text": "ferry"}', 'null')
    """
    text = json.dumps(value, default=str)
    return text if len(text) <= AUDIT_CHARACTERS else json.dumps(cut(text))


def write_entry(session: Session, time: str, texts: tuple[str, str, str, str], old: str, new: str) -> None:
    """Write an entry; `texts` are who, what, which and source, `old` and `new` are from `format_value`."""
    session.run(
        "INSERT INTO audit (time, who, what, which, source, old, new) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (time, *map(cut, texts), old, new),
    )


def read_entries(session: Session, limit: int, before: int | None) -> list[AuditEntry]:
    """Return the newest entries, newest first, of those with a number below `before`."""
    where, chosen = ("", []) if before is None else ("WHERE number < ?", [storable_number(before)])
    rows = session.rows(
        f"SELECT number, time, who, what, which, source, old, new FROM audit {where} ORDER BY number DESC LIMIT ?",
        (*chosen, storable_number(max(limit, 0))),
    )
    return [
        AuditEntry(number, parse_time(time), *texts[:4], *(read_value(json.loads, text) for text in texts[4:]))
        for number, time, *texts in rows
    ]


def write_answer(session: Session, owner: int, key: str, answer: str, now: datetime) -> None:
    """Remember an answer, unless one is remembered already."""
    session.run(
        """INSERT INTO answers (subscriber, key, answer, written) VALUES (?, ?, ?, ?)
        ON CONFLICT (subscriber, key) DO UPDATE SET answer = excluded.answer, written = excluded.written
        WHERE answers.written <= ?""",
        (owner, key, answer, format_time(now), _forgotten(now)),
    )


def read_answer(session: Session, owner: int, key: str, now: datetime) -> str | None:
    """Return the answer that is remembered; None if there is none, or it is too old."""
    row = session.row(
        "SELECT answer FROM answers WHERE subscriber = ? AND key = ? AND written > ?", (owner, key, _forgotten(now))
    )
    return None if row is None else str(row[0])


def drop_old(session: Session, now: datetime) -> None:
    """Delete answers that are too old, and old entries of the log."""
    session.run("DELETE FROM answers WHERE written <= ?", (_forgotten(now),))
    session.run("DELETE FROM audit WHERE time <= ?", (format_time(now - timedelta(days=AUDIT_DAYS)),))


def _forgotten(now: datetime) -> str:
    return format_time(now - timedelta(hours=ANSWER_HOURS))
