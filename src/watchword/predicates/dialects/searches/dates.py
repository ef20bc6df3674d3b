"""Dates of queries: missing parts, date math, time zones; and what they are as predicates.

>>> now = datetime(2026, 3, 31, 12, tzinfo=UTC)
>>> [iso(Dates(now).moment(one, up=False)) for one in ("now-1d/d", "2026-01-31||+1M/d", "2026-05", "now/w")]
['2026-03-30', '2026-02-28', '2026-05-01', '2026-03-30']
>>> iso(Dates(now).moment("2026-05-04", up=True)), iso(Dates(now, "+02:00").moment("2026-05-04", up=False))
('2026-05-04T23:59:59.999999999Z', '2026-05-03T22:00:00Z')

The lower end of ``gt`` and the upper one of ``lte`` are rounded up: hours, minutes and seconds that are missing are the
last ones, and ``/d`` is the end of the day; those of ``gte`` and ``lt`` are rounded down. That is Elasticsearch's way.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.values import instant_of_date, instant_of_text

_ISO = re.compile(
    r"(?P<y>\d{4})(?:-(?P<M>\d{2})(?:-(?P<d>\d{2})(?:[T ](?:(?P<H>\d{2})(?::(?P<m>\d{2})(?::(?P<s>\d{2})"
    r"(?:[.,](?P<S>\d{1,9}))?)?)?)?)?)?)?(?P<Z>Z|[+-]\d{2}:?\d{2})?",
    re.ASCII,
)
_MATH = re.compile(r"(?:(?P<sign>[+-])(?P<number>\d{0,9})|(?P<round>/))(?P<unit>[yMwdhHms])", re.ASCII)
_LETTERS = {
    **{"yyyy": r"(?P<y>\d{4})", "uuuu": r"(?P<y>\d{4})", "MM": r"(?P<M>\d{2})", "dd": r"(?P<d>\d{2})"},
    **{"M": r"(?P<M>\d{1,2})", "d": r"(?P<d>\d{1,2})", "HH": r"(?P<H>\d{2})", "mm": r"(?P<m>\d{2})"},
    **{
        "ss": r"(?P<s>\d{2})",
        "Z": r"(?P<Z>[+-]\d{4})",
        "X": r"(?P<Z>Z|[+-]\d{2}:?\d{2})",
        "XXX": r"(?P<Z>Z|[+-]\d{2}:\d{2})",
    },
}
_PIECES = re.compile(r"'([^']*)'|([a-zA-Z])\2*|(.)")
_NAMED = re.compile(
    r"(?:strict_)?(?:date_optional_time(?:_nanos)?|date|date_time|date_time_no_millis|date_hour_minute(?:_second)?)"
)
_LIKE_ISO = re.compile(r"(?:yyyy|uuuu)-MM-dd(?:(?: |'T'|T)HH:mm(?::ss(?:[.,]S{1,9})?)?(?:Z|X{1,3}|'Z')?)?")
EPOCHS = {"epoch_millis": 10**6, "epoch_second": 10**9}
"""Formats of dates that are numbers, by the nanoseconds of one."""

_SECONDS = {"w": 604_800, "d": 86_400, "h": 3600, "H": 3600, "m": 60, "s": 1}


class Dates:
    """Reads the dates of one condition."""

    def __init__(self, now: datetime, zone: str | None = None, formats: tuple[str, ...] = ()) -> None:
        self._now = now
        self._zone = UTC if zone is None else _zone_of(zone)
        self._formats = formats

    def moment(self, value: Any, *, up: bool) -> int:
        """Return the nanoseconds since 1970 of a date, in a text or a number, rounded up or down."""
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise Refused(f"{value!r:.60} is no date; write one such as 2026-01-31, or now-1d")
        if not isinstance(value, str):
            return _of_number(value, self._formats)
        if value.startswith("now"):
            return self._calculated(self._now.astimezone(self._zone), 0, value[3:], value, up)
        anchor, bars, calculation = value.partition("||")
        moment, rest = self._read(anchor, up and not bars, value)
        return self._calculated(moment, rest, calculation, value, up) if bars else _count(moment, rest)

    def is_date(self, value: Any) -> bool:
        """Return whether a value is a text that means a date."""
        if not isinstance(value, str):
            return False
        return re.match(r"now(?:[+\-/]|$)", value) is not None or instant_of_text(value.partition("||")[0]) is not None

    def _read(self, text: str, up: bool, whole: str) -> tuple[datetime, int]:
        """Return a date as it is written, and its nanoseconds beyond the second."""
        found = self._parts(text)
        if found is None:
            if text.lstrip("-").isdecimal() and any(one in EPOCHS for one in self._formats or EPOCHS):
                count = _of_number(int(text[:19]), self._formats)
                return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=count // 10**9), count % 10**9
            raise Refused(
                f"{whole!r:.60} is no date of {' or '.join(self._formats) or 'the form 2026-01-31T12:00:00Z'}"
            )
        last = {"H": 23, "m": 59, "s": 59} if up else {}
        year, month, day, hour, minute, second = (
            int(found.get(name) or last.get(name, least)) for name, least in _LEAST.items()
        )
        zone, part = found.get("Z"), found.get("S")
        rest = int(part.ljust(9, "0")) if part else 10**9 - 1 if up else 0
        try:
            return datetime(year, month, day, hour, minute, second, tzinfo=_zone_of(zone) if zone else self._zone), rest
        except ValueError as error:
            raise Refused(f"{whole!r:.60} is no date: {error}") from None

    def _parts(self, text: str) -> dict[str, str | None] | None:
        patterns = [_pattern(one) for one in self._formats if one not in EPOCHS]
        for pattern in patterns or [_ISO]:
            found = pattern.fullmatch(text)
            if found is not None:
                return found.groupdict()
        return None

    def _calculated(self, moment: datetime, rest: int, calculation: str, whole: str, up: bool) -> int:
        """Return a date after its date math, such as ``+1M/d``."""
        at = 0
        while at < len(calculation):
            step = _MATH.match(calculation, at)
            if step is None:
                raise Refused(f"{whole!r:.60}: date math is written such as now-1d/d or 2026-01-31||+1M/d")
            try:
                if step["round"]:
                    moment, rest = _rounded(moment, step["unit"], up)
                else:
                    moment = _moved(moment, int(step["sign"] + (step["number"] or "1")), step["unit"])
            except (OverflowError, ValueError):
                raise Refused(f"{whole!r:.60} is beyond the years 1 to 9999") from None
            at = step.end()
        return _count(moment, rest)


_LEAST = {"y": 1, "M": 1, "d": 1, "H": 0, "m": 0, "s": 0}


def check_formats(name: str, formats: tuple[str, ...]) -> None:
    """Refuse a field of dates whose values are not read as dates here."""
    for one in formats:
        if one not in EPOCHS and not _NAMED.fullmatch(one) and not _LIKE_ISO.fullmatch(one):
            raise Refused(f"{name} has dates of the format {one!r:.60}, and events have ISO dates here; convert them")


def now_of(given: datetime | str | None) -> datetime:
    """Return the time that `now` means."""
    if given is None:
        return datetime.now(UTC)
    if isinstance(given, str):
        found = instant_of_text(given)
        if found is None:
            raise Refused(f"now={given!r:.60} is no time; give one such as 2026-01-31T12:00:00Z")
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=found // 1000)
    if not isinstance(given, datetime):
        raise Refused(f"now is a datetime or a text, not {type(given).__name__}")
    return given if given.tzinfo else given.replace(tzinfo=UTC)


def iso(nanoseconds: int) -> str:
    """Return an instant as a text; midnight as a date."""
    seconds, rest = divmod(nanoseconds, 10**9)
    moment = datetime(1970, 1, 1) + timedelta(seconds=seconds)
    if not rest and moment.time() == datetime.min.time():
        return moment.date().isoformat()
    return moment.isoformat() + (f".{rest:09d}".rstrip("0") if rest else "") + "Z"


def in_unit(nanoseconds: int, unit: int, up: bool) -> int:
    """Return an instant as a number of milliseconds or seconds, rounded."""
    return math.ceil(Fraction(nanoseconds, unit)) if up else nanoseconds // unit


def _of_number(value: int | float, formats: tuple[str, ...]) -> int:
    unit = next((EPOCHS[one] for one in formats if one in EPOCHS), 10**6)
    if not -(10**15) < value < 10**15:
        raise Refused(f"{value} is beyond the years 1 to 9999")
    return int(value * unit)


def _count(moment: datetime, rest: int) -> int:
    try:
        found = instant_of_date(moment.astimezone(UTC)) // 10**9 * 10**9 + rest
        iso(found - 1), iso(found + 1)
    except (OverflowError, ValueError):
        raise Refused(f"{moment} is beyond the years 1 to 9999") from None
    return found


def _moved(moment: datetime, number: int, unit: str) -> datetime:
    if unit in "yM":
        months = moment.year * 12 + moment.month - 1 + number * (12 if unit == "y" else 1)
        year, month = months // 12, months % 12 + 1
        return moment.replace(year=year, month=month, day=min(moment.day, monthrange(year, month)[1]))
    span = timedelta(seconds=_SECONDS[unit] * number)
    return moment + span if unit in "wd" else (moment.astimezone(UTC) + span).astimezone(moment.tzinfo)


def _rounded(moment: datetime, unit: str, up: bool) -> tuple[datetime, int]:
    """Return the beginning of a unit, or the last nanosecond of it."""
    kept = "yMdHms".index({"w": "d", "h": "H"}.get(unit, unit)) + 1
    parts = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)
    year, month, day, hour, minute, second = parts[:kept] + tuple(_LEAST.values())[kept:]
    begin = datetime(year, month, day, hour, minute, second, tzinfo=moment.tzinfo)
    if unit == "w":
        begin -= timedelta(days=begin.weekday())
    if not up:
        return begin, 0
    return _moved(begin, 1, unit) - timedelta(seconds=1), 10**9 - 1


def _zone_of(written: str) -> tzinfo:
    found = re.fullmatch(r"([+-])(\d{1,2}):?(\d{2})?", written, re.ASCII)
    if written in ("Z", "UTC"):
        return UTC
    if found is not None and int(found[2]) <= 18:
        return timezone(timedelta(hours=int(found[2]), minutes=int(found[3] or 0)) * (-1 if found[1] == "-" else 1))
    try:
        return ZoneInfo(written)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Refused(f"{written!r:.40} is no time zone; write one such as +01:00 or Europe/Athens") from None


def _pattern(written: str) -> re.Pattern[str]:
    """Return what matches the dates of a format.

    >>> _pattern("dd/MM/yyyy").fullmatch("31/01/2026")["y"]
    '2026'
    """
    if _NAMED.fullmatch(written):
        return _ISO
    made = ""
    for found in _PIECES.finditer(written):
        literal, letter, sign = found.groups()
        if letter == "S":
            made += rf"(?P<S>\d{{{len(found[0])}}})"
        elif letter is not None and found[0] not in _LETTERS:
            raise Refused(f"the format {written!r:.60} is not known; write dates such as 2026-01-31T12:00:00Z")
        else:
            made += _LETTERS[found[0]] if letter else re.escape(literal if literal is not None else sign)
    try:
        return re.compile(made, re.ASCII)
    except re.error:
        raise Refused(f"the format {written!r:.60} has a part twice; name each once") from None
