r"""Strings and numbers of JSON, in UTF-8 bytes: where they end, and their values.

In ``{"a": "caf\u00e9", "b": 2.50}`` the string from byte 7 on, behind its quote, ends before byte 17 and has the flag
`ESCAPED`; decoded it has the five bytes ``63 61 66 c3 a9``. The number at byte 23 ends before byte 27 and is 250 times
10 to the power of -2, hence exactly 2.5.

All that is taken is JSON of RFC 8259, and has the value that Python's `json` gives it. Some JSON is not taken: an
integer of a thousand digits, for instance. Nothing here raises, and nothing reads past `stop`, but
for words of eight bytes that lie inside of `data`.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.intrinsics import load_word, trailing_zeros
from watchword.kernels.jit import inline, leaf
from watchword.kernels.text.utf8 import decode, put

ESCAPED, HALVED = 1, 2
"""What a string has: escapes; half of a surrogate pair, which is no character of UTF-8."""

INTEGER, DOUBLE, UNDECIDED, LONG = 0, 1, 2, 3
"""What a number is: an integer of 64 bits; a double; a number whose value is left to Python; an integer of more than
`MOST_DIGITS` digits."""

MOST_DIGITS = 38
_LIMIT = 640
"""Integers with more digits than this are not taken, for Python may refuse them: the lowest limit that it can have."""

_QUOTE, _BACKSLASH, _SLASH, _SPACE, _U = 34, 92, 47, 32, 117
_MINUS, _PLUS, _DOT, _ZERO, _NINE, _E = 45, 43, 46, 48, 57, 101
_DIGITS = 19
"""How many digits a uint64 always holds."""
_LARGEST, _EXACT = np.uint64((1 << 63) - 1), np.uint64(1 << 53)
_POWERS = np.array([10.0**k for k in range(23)])
"""The powers of ten that are doubles."""

_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_QUOTES, _BACKSLASHES, _SPACES = (
    np.uint64(int.from_bytes(bytes([byte] * 8), "little")) for byte in (_QUOTE, _BACKSLASH, _SPACE)
)


@inline
def _special(word):
    """Return a word whose lowest set bit is in the first byte that is a quote, a backslash, below 32 or above 127."""
    quotes, slashes = word ^ _QUOTES, word ^ _BACKSLASHES
    found = ((quotes - _ONES) & ~quotes) | ((slashes - _ONES) & ~slashes) | ((word - _SPACES) & ~word) | word
    return found & _TOPS


@inline
def special_byte(data, at):
    """Return how many of the eight bytes from `at` on precede the first that is a quote, a backslash, below 32 or above
    127; 8 if none is."""
    return trailing_zeros(_special(load_word(data, at))) >> 3


@leaf
def end_of_string(data, at, stop):
    """Return the place behind the closing quote of the string whose first bytes are at `at`, times 4, plus its flags;
    -1 if it is no string."""
    flags = np.int64(0)
    words = len(data) - 8
    while True:
        while at <= words:
            plain = special_byte(data, at)
            at += plain
            if plain < 8:
                break
        if at >= stop:
            return np.int64(-1)
        byte = data[at]
        if byte == _QUOTE:
            return (at + 1) << 2 | flags
        if byte == _BACKSLASH:
            at, flag = _after_escape(data, at, stop)
            if at < 0:
                return np.int64(-1)
            flags |= flag
        elif byte >= 128:
            _, size = decode(data, at, stop, False)
            if size == 0:
                return np.int64(-1)
            at += size
        elif byte < _SPACE:
            return np.int64(-1)
        else:
            at += 1


@leaf
def _after_escape(data, at, stop):
    """Return the place behind the escape at `at` and the flags that it adds; -1 if it is no escape."""
    if at + 1 < stop and _plain_escape(data[at + 1]) >= 0:
        return at + 2, np.int64(ESCAPED)
    point, size = _escaped_point(data, at, stop)
    if size == 0:
        return np.int64(-1), np.int64(0)
    return at + size, np.int64(ESCAPED | HALVED if 0xD800 <= point < 0xE000 else ESCAPED)


@leaf
def _plain_escape(byte):
    """Return the character that a backslash before a byte means, -1 for none and for ``\\u``."""
    if byte in (_QUOTE, _BACKSLASH, _SLASH):
        return np.int64(byte)
    if byte == 110:
        return np.int64(10)
    if byte == 116:
        return np.int64(9)
    if byte == 114:
        return np.int64(13)
    if byte == 98:
        return np.int64(8)
    return np.int64(12) if byte == 102 else np.int64(-1)


@leaf
def _escaped_point(data, at, stop):
    r"""Return the code point that ``\u`` at `at` means and the bytes that it takes, 12 for a surrogate pair; 0 bytes if
    it is none."""
    high = _unit(data, at, stop)
    if high < 0:
        return high, np.int64(0)
    if 0xD800 <= high < 0xDC00:
        low = _unit(data, at + 6, stop)
        if 0xDC00 <= low < 0xE000:
            return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00), np.int64(12)
    return high, np.int64(6)


@leaf
def _unit(data, at, stop):
    r"""Return the number in ``\u00e9``, 233; -1 if there is none at `at`."""
    if at + 6 > stop or data[at] != _BACKSLASH or data[at + 1] != _U:
        return np.int64(-1)
    unit = np.int64(0)
    for k in range(at + 2, at + 6):
        byte = np.int64(data[k])
        small = byte | 32
        if _ZERO <= byte <= _NINE:
            digit = byte - _ZERO
        elif 97 <= small <= 102:
            digit = small - 87
        else:
            return np.int64(-1)
        unit = unit << 4 | digit
    return unit


@leaf
def decoded_into(data, at, end, out, fill):
    """Write a string without its quotes, whose flags are not `HALVED`, as UTF-8 from `fill` on; returns the new fill.

    It takes at most as many bytes as ``data[at:end]``.
    """
    while at < end:
        byte = data[at]
        if byte != _BACKSLASH:
            out[fill] = byte
            fill += 1
            at += 1
            continue
        point, size = _plain_escape(data[at + 1]), np.int64(2)
        if point < 0:
            point, size = _escaped_point(data, at, end)
        fill = put(out, fill, point)
        at += size
    return fill


@leaf
def _digits_from(data, at, stop):
    """Return the place behind the digits at `at`."""
    while at < stop and _ZERO <= data[at] <= _NINE:
        at += 1
    return at


@leaf
def number_at(data, at, stop):
    """Return the place behind the number at `at`, what it is, and its value as an integer and as a double; -1 if there
    is none, or an integer so long that Python may refuse it."""
    none = np.int64(-1), np.int64(UNDECIDED), np.int64(0), 0.0
    is_negative = data[at] == _MINUS
    first = at + is_negative
    end = _digits_from(data, first, stop)
    if end == first or (data[first] == _ZERO and end > first + 1):
        return none
    whole, point = end, end
    if end < stop and data[end] == _DOT:
        point = end + 1
        end = _digits_from(data, point, stop)
        if end == point:
            return none
    last, power = end, np.int64(0)
    if end < stop and data[end] | 32 == _E:
        end, power = _exponent(data, end + 1, stop)
        if end < 0:
            return none
    value = _value_of(data, first, last)
    if end == whole:
        if whole - first > _LIMIT:
            return none
        if value <= _LARGEST:
            return end, np.int64(INTEGER), -np.int64(value) if is_negative else np.int64(value), 0.0
        return end, np.int64(UNDECIDED if whole - first <= MOST_DIGITS else LONG), np.int64(0), 0.0
    power -= last - point if point > whole else 0
    if value > _EXACT or power < -22 or power > 22:
        return end, np.int64(UNDECIDED), np.int64(0), 0.0
    near = np.float64(value)
    near = near * _POWERS[power] if power >= 0 else near / _POWERS[-power]
    return end, np.int64(DOUBLE), np.int64(0), -near if is_negative else near


@leaf
def _value_of(data, first, last):
    """Return the number that the digits of ``data[first:last]`` make, a point among them; 2 to the power of 64, less
    1, if they are more than `_DIGITS`."""
    if last - first > _DIGITS + 1:
        return ~np.uint64(0)
    value, digits = np.uint64(0), 0
    for k in range(first, last):
        if data[k] != _DOT:
            value = np.uint64(10) * value + (np.uint64(data[k]) - np.uint64(_ZERO))
            digits += 1
    return value if digits <= _DIGITS else ~np.uint64(0)


@leaf
def _exponent(data, at, stop):
    """Return the place behind the exponent at `at`, -1 if there is none, and its value, cut off beyond 9,999."""
    is_negative = at < stop and data[at] == _MINUS
    if at < stop and (data[at] == _MINUS or data[at] == _PLUS):
        at += 1
    end = _digits_from(data, at, stop)
    if end == at:
        return np.int64(-1), np.int64(0)
    power = np.int64(0)
    for k in range(at, end):
        power = min(10 * power + np.int64(data[k]) - _ZERO, 9_999)
    return end, -power if is_negative else power
