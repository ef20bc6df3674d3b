"""Values of attributes: their kinds, the one form in which they compare, and the views in which a predicate sees them.

A value becomes a *key*, a pair of its kind and of something that Python compares exactly within that kind::

    15, 15.0                  (NUMBER, 15)
    'RBS'                     (TEXT, 'RBS')
    True                      (BOOLEAN, True)
    '2026-11-16' as an instant   (INSTANT, 1794787200000000000)      nanoseconds since 1970, UTC

Keys of different kinds are never equal. Most predicates see a value as it is; others see it through a *view*: with its
case folded, spelled backwards (so that ENDS WITH is a beginning), as an instant, as an IP address. What a view cannot
read, such as the text 'hello' as an instant, is of the kind `OTHER`: it is there, and equals nothing.
"""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import IntEnum
from typing import Any

BOOLEAN, NUMBER, TEXT, INSTANT, ADDRESS4, ADDRESS6, OTHER = range(7)
KINDS = ("boolean", "number", "text", "date", "IPv4 address", "IPv6 address", "other")

Key = tuple[int, Any]

NOTHING: Key = (OTHER, 0)
"""The key of all that has no value to compare: objects, and what a view cannot read."""

MAX_LEVELS = 200
"""How many levels a node of a hierarchy may have, if it is a path: ``politics/national`` has two."""

_MOST_DIGITS = 4300
"""How many digits of a whole number Python writes; constants of subscriptions have fewer."""

_MOST_YEARS = 290_000_000_000
"""How many years before and after 1970 have seconds of 64 bits."""

_EPOCH = datetime(1970, 1, 1)
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9})\d*)?)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII
)


class View(IntEnum):
    """How a predicate sees the values of its attribute, one by one."""

    PLAIN = 0
    FOLDED = 1
    BACKWARDS = 2
    FOLDED_BACKWARDS = 3
    INSTANTS = 4
    ADDRESSES = 5

    __hash__ = int.__hash__  # that of enumerations runs Python code, for each predicate that is looked up


def plain_key(value: Any) -> Key | None:
    """Return the key of a value as it is; None if it is no value (null, NaN), a `TypeError` if it is of no known kind.

    >>> plain_key(15.0), plain_key(True), plain_key(float("nan"))
    ((1, 15), (0, True), None)
    """
    kind = value.__class__
    if kind is str:
        return (TEXT, value)
    if kind is int:
        return (NUMBER, value)
    if kind is float:
        return number_key(value)
    if value is None:
        return None
    if kind is bool:
        return (BOOLEAN, value)
    return _unusual(value)


def number_key(value: float) -> Key | None:
    """Return the key of a float, which is that of an equal integer."""
    if value != value:
        return None
    return (NUMBER, int(value)) if value.is_integer() else (NUMBER, value)


def _unusual(value: Any) -> Key | None:
    kind = type(value)
    if kind.__module__.startswith("pandas.") and kind.__name__ in ("NaTType", "NAType"):  # NaT is a datetime, too
        return None
    if kind.__module__ == "numpy":
        return _of_numpy(value)
    if isinstance(value, dict | date):
        return NOTHING
    if isinstance(value, Decimal):
        if value.is_nan():
            return None
        if value.adjusted() > _MOST_DIGITS:  # of a text of nine characters: 1e999999
            return number_key(math.copysign(math.inf, value))
        whole = value.is_finite() and value == value.to_integral_value()
        return (NUMBER, int(value)) if whole else number_key(float(value))
    if isinstance(value, bool | int | float | str):
        return plain_key(next(kind for kind in (bool, int, float, str) if isinstance(value, kind))(value))
    raise _no_value(value)


def _of_numpy(value: Any) -> Key | None:
    """Return the key of a scalar of numpy; a `TypeError` for an array, which is no list, and a span of time."""
    kind = value.dtype.kind
    if type(value).__name__ == "ndarray":
        raise TypeError("a ndarray is no value; give a list, by tolist()")
    if kind == "M":
        return None if value != value else NOTHING
    if kind not in "biufU":
        raise _no_value(value)
    return plain_key(value.item())


def _no_value(value: Any) -> TypeError:
    return TypeError(f"a {type(value).__name__} is no value; give numbers, texts, booleans, dates, lists or objects")


def instant_of_text(text: str) -> int | None:
    """Return the nanoseconds since 1970 of an ISO date or time, None for any other text. No zone means UTC.

    >>> instant_of_text("1970-01-02"), instant_of_text("1970-01-01T01:00+01:00"), instant_of_text("1970")
    (86400000000000, 0, None)
    """
    found = _ISO.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    try:
        moment = datetime(year, month, day, hour, minute, second) - _EPOCH
    except ValueError:
        return None
    offset = _offset(found[8])
    if offset is None:
        return None
    return (moment // timedelta(seconds=1) - offset) * 10**9 + int((found[7] or "0").ljust(9, "0"))


def _offset(zone: str | None) -> int | None:
    """Return the seconds that a zone is ahead of UTC; None if there is no such zone."""
    if zone is None or zone == "Z":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    if hours > 23 or minutes > 59:
        return None
    return (3600 * hours + 60 * minutes) * (-1 if zone[0] == "-" else 1)


def instant_of_date(value: date) -> int:
    """Return the nanoseconds since 1970 of a date or datetime."""
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    passed = value.replace(tzinfo=None) - _EPOCH - (value.utcoffset() or timedelta())
    nanoseconds = passed.microseconds * 1000 + getattr(passed, "nanoseconds", 0)  # pandas counts these apart
    return (passed.days * 86400 + passed.seconds) * 10**9 + int(nanoseconds)


def _instant_of_numpy(value: Any) -> int:
    """Return the nanoseconds since 1970 of a datetime64; a `TypeError` if its seconds do not fit into 64 bits."""
    if abs(int(value.astype("datetime64[Y]").astype("int64"))) > _MOST_YEARS:  # numpy would begin from the other end
        raise TypeError(f"the year of {value} is out of range")
    seconds = value.astype("datetime64[s]")
    return int(seconds.astype("int64")) * 10**9 + int((value - seconds).astype("timedelta64[ns]").astype("int64"))


def _folded(value: Any) -> Key | None:
    return (TEXT, value.casefold()) if isinstance(value, str) else plain_key(value)


def _backwards(value: Any) -> Key | None:
    return (TEXT, value[::-1]) if isinstance(value, str) else plain_key(value) and NOTHING


def _folded_backwards(value: Any) -> Key | None:
    return (TEXT, value.casefold()[::-1]) if isinstance(value, str) else plain_key(value) and NOTHING


def _instant(value: Any) -> Key | None:
    if isinstance(value, str):
        found = instant_of_text(value)
        return NOTHING if found is None else (INSTANT, found)
    key = plain_key(value)
    if key is not NOTHING or isinstance(value, dict):
        return key and NOTHING
    return (INSTANT, instant_of_date(value) if isinstance(value, date) else _instant_of_numpy(value))


def address_key(text: str) -> Key:
    """Return the key of an IP address.

    >>> address_key("10.0.0.1"), address_key("hello")
    ((4, 167772161), (6, 0))
    """
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return NOTHING
    return (ADDRESS4 if address.version == 4 else ADDRESS6, int(address))


def _address(value: Any) -> Key | None:
    return address_key(value) if isinstance(value, str) else plain_key(value) and NOTHING


VIEWS: dict[View, Callable[[Any], Key | None]] = {
    View.PLAIN: plain_key,
    View.FOLDED: _folded,
    View.BACKWARDS: _backwards,
    View.FOLDED_BACKWARDS: _folded_backwards,
    View.INSTANTS: _instant,
    View.ADDRESSES: _address,
}
"""What gives the key of a value in a view; None for no value."""


def levels(node: str) -> int:
    """Return how many levels a node of a hierarchy has.

    >>> levels("politics"), levels("politics/national")
    (1, 2)
    """
    return node.count("/") + 1


def after_prefix(prefix: str) -> str | None:
    """Return the least text greater than all texts that begin with `prefix`; None if there is none.

    >>> after_prefix("ab"), after_prefix("")
    ('ac', None)
    """
    stem = prefix.rstrip("\U0010ffff")
    return stem[:-1] + chr(ord(stem[-1]) + 1) if stem else None


def show_value(value: Any) -> str:
    """Return a value of an event as it would be written in a subscription.

    >>> show_value("O'Hare"), show_value(True), show_value({"a": 1})
    ("'O''Hare'", 'TRUE', 'an object')
    """
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, date):
        return f"'{value.isoformat()}'"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    try:
        return repr(value) if isinstance(value, int | float) else str(value)
    except ValueError:  # more digits than Python writes, which no constant has
        return "a number of thousands of digits"
