"""ISO dates and times as nanoseconds since 1970, for whole columns of texts.

``1970-01-02`` is 86,400,000,000,000 and so is ``1970-01-02T01:30+01:30``. It reads the forms that
`watchword.predicates.values` reads, with years whose nanoseconds fit into 64 bits; all others are left to it.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel, leaf

FIRST_YEAR, LAST_YEAR = 1678, 2261
"""The first and the last year whose nanoseconds all fit into 64 bits."""

_ZERO, _DASH, _COLON, _DOT, _PLUS, _SPACE, _T, _Z = (ord(sign) for sign in "0-:.+ TZ")
_DAYS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_SECOND = 1_000_000_000


@kernel
def find_instants(data, offsets, found, known):
    """Write the instant of each text to `found`, and to `known` whether it could be read here."""
    for row in range(len(offsets) - 1):
        known[row], found[row] = _instant(data, offsets[row], offsets[row + 1])


@leaf
def _instant(data, at, stop):
    none = False, np.int64(0)
    if stop - at < 10 or data[at + 4] != _DASH or data[at + 7] != _DASH:
        return none
    year, month, day = _number(data, at, 4), _number(data, at + 5, 2), _number(data, at + 8, 2)
    if not (FIRST_YEAR <= year <= LAST_YEAR and 1 <= month <= 12 and 1 <= day <= _days_of(year, month)):
        return none
    seconds = 86_400 * _days_before(year, month, day)
    at += 10
    if at == stop:
        return True, seconds * _SECOND
    if stop - at < 6 or (data[at] != _T and data[at] != _SPACE) or data[at + 3] != _COLON:
        return none
    hour, minute = _number(data, at + 1, 2), _number(data, at + 4, 2)
    if not (0 <= hour < 24 and 0 <= minute < 60):
        return none
    seconds += 3600 * hour + 60 * minute
    at += 6
    part = np.int64(0)
    if at < stop and data[at] == _COLON:
        second = _number(data, at + 1, 2) if stop - at >= 3 else np.int64(-1)
        if not 0 <= second < 60:
            return none
        seconds += second
        at += 3
        if at < stop and data[at] == _DOT:
            digits = at + 1
            at = digits
            scale = np.int64(_SECOND)
            while at < stop and _is_digit(data[at]):
                scale //= 10
                part += scale * (np.int64(data[at]) - _ZERO)
                at += 1
            if at == digits:
                return none
    if at < stop:
        offset, size = _zone(data, at, stop)
        if size != stop - at:
            return none
        seconds -= offset
    return True, seconds * _SECOND + part


@leaf
def _zone(data, at, stop):
    """Return the offset of a zone in seconds and its length in bytes: ``+01:30`` is 5400, 6; length 0 if it is none."""
    if data[at] == _Z:
        return np.int64(0), np.int64(1)
    if stop - at != 6 or (data[at] != _PLUS and data[at] != _DASH) or data[at + 3] != _COLON:
        return np.int64(0), np.int64(0)
    hours, minutes = _number(data, at + 1, 2), _number(data, at + 4, 2)
    if not (0 <= hours < 24 and 0 <= minutes < 60):
        return np.int64(0), np.int64(0)
    ahead = 3600 * hours + 60 * minutes
    return -ahead if data[at] == _DASH else ahead, np.int64(6)


@leaf
def _is_digit(byte):
    return _ZERO <= byte <= _ZERO + 9


@leaf
def _number(data, at, digits):
    """Return the number in `digits` digits at `at`; negative if one of the bytes is no digit."""
    number = np.int64(0)
    for k in range(at, at + digits):
        if not _is_digit(data[k]):
            return np.int64(-1)
        number = 10 * number + data[k] - _ZERO
    return number


@leaf
def _days_of(year, month):
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and is_leap else _DAYS[month - 1]


@leaf
def _days_before(year, month, day):
    """Return the number of days from 1970-01-01 to a day; 1970-01-02 is 1."""
    past = year - 1
    days = 365 * past + past // 4 - past // 100 + past // 400 - 719_162 + day - 1
    for before in range(1, month):
        days += _days_of(year, before)
    return days
