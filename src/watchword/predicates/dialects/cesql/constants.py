"""Constants of CESQL: casts, arithmetic, functions. An error of CESQL is a `Fault`.

>>> cast("-07", int), cast(True, str), cast("TRUE", bool), calculate("/", -5, 3), call("SUBSTRING", ["Sakila", -5, 3])
(-7, 'true', True, -1, 'aki')
>>> cast("abc", int)
Traceback (most recent call last):
...
watchword.predicates.dialects.cesql.constants.Fault: 'abc' is no integer of 32 bits
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from watchword.predicates.dialects.cesql.syntax import LEAST, MOST, Value
from watchword.predicates.readers.spelled import integer_of

TYPES = {str: "a String", int: "an Integer", bool: "a Boolean"}

BOOLEANS = {"true": True, "false": False}

_SPACES = "".join(map(chr, range(0x2000, 0x200B)))
_WHITESPACE = f"\t\n\v\f\r \x85\xa0\u1680{_SPACES}\u2028\u2029\u202f\u205f\u3000"
"""Unicode's White_Space; Python's `strip` takes four control characters for it, too."""


class Fault(Exception):
    """An error of CESQL: an event for which it occurs does not pass."""


def cast(value: Value, wanted: type) -> Value:
    """Return a value as another type (section 3.7 of the specification); a `Fault` if it cannot be."""
    if type(value) is wanted:
        return value
    if wanted is str:
        return str(value).lower() if isinstance(value, bool) else str(value)
    if wanted is bool:
        if not isinstance(value, str):
            return value != 0
        if value.lower() in BOOLEANS:
            return BOOLEANS[value.lower()]
        raise Fault(f"{value!r} is neither true nor false")
    found = integer_of(value)
    if found is None:
        raise Fault(f"{value!r} is no integer of 32 bits")
    return found


def is_castable(value: Value, wanted: type) -> bool:
    """Return whether a value can be cast."""
    try:
        cast(value, wanted)
    except Fault:
        return False
    return True


def calculate(operator: str, left: int, right: int) -> int:
    """Return a sum, difference, product, quotient rounded towards 0, or its remainder, which has the sign of `left`."""
    if operator in "/%" and right == 0:
        raise Fault("division by 0")
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1) if operator in "/%" else 0
    found = {
        "+": lambda: left + right,
        "-": lambda: left - right,
        "*": lambda: left * right,
        "/": lambda: quotient,
        "%": lambda: left - quotient * right,
    }[operator]()
    return checked(found)


def checked(number: int) -> int:
    """Return an integer that has 32 bits, else raise a `Fault`."""
    if not LEAST <= number <= MOST:
        raise Fault(f"{number} is no integer of 32 bits")
    return number


def compare(sign: str, left: int, right: int) -> bool:
    """Return whether a comparison of integers holds."""
    return {
        "=": left == right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }[sign]


def call(name: str, arguments: Sequence[Value]) -> Value:
    """Return what a built-in function makes of constants, which are cast to the types of its parameters."""
    parameters, function = FUNCTIONS[name]
    if parameters is None:
        return function(*(cast(value, str) for value in arguments))
    return function(*(cast(value, wanted) for value, wanted in zip(arguments, parameters, strict=False)))


def arity(name: str) -> tuple[int, int]:
    """Return the least and the greatest number of arguments of a function.

    >>> arity("SUBSTRING"), arity("CONCAT")
    ((2, 3), (0, 65536))
    """
    least, most = _ARITIES.get(name, (1, 1))
    return least, most


def _left(text: str, count: int) -> str:
    if count < 0:
        raise Fault(f"LEFT of {count} characters")
    return text[:count]


def _right(text: str, count: int) -> str:
    if count < 0:
        raise Fault(f"RIGHT of {count} characters")
    return text[-count:] if count else ""


def _substring(text: str, position: int, length: int = MOST) -> str:
    if abs(position) > len(text) or length < 0:
        raise Fault(f"SUBSTRING from {position} of {len(text)} characters")
    if position == 0:
        return ""
    begin = position - 1 if position > 0 else len(text) + position
    return text[begin : begin + length]


def _absolute(number: int) -> int:
    return checked(abs(number))


FUNCTIONS: dict[str, tuple[tuple[type, ...] | None, Callable[..., Value]]] = {
    "LENGTH": ((str,), len),
    "CONCAT": (None, lambda *texts: "".join(texts)),
    "CONCAT_WS": (None, lambda between, *texts: between.join(texts)),
    "LOWER": ((str,), str.lower),
    "UPPER": ((str,), str.upper),
    "TRIM": ((str,), lambda text: text.strip(_WHITESPACE)),
    "LEFT": ((str, int), _left),
    "RIGHT": ((str, int), _right),
    "SUBSTRING": ((str, int, int), _substring),
    "ABS": ((int,), _absolute),
    "INT": ((int,), int),
    "BOOL": ((bool,), bool),
    "STRING": ((str,), str),
}
"""By name: the types of the parameters (None for any number of texts), and the function."""

CASTS: dict[str, type] = {"IS_INT": int, "IS_BOOL": bool}
"""Functions of the drafts that libraries still have: whether a value can be cast."""

_MANY = 65_536
_ARITIES = {"CONCAT": (0, _MANY), "CONCAT_WS": (1, _MANY), "LEFT": (2, 2), "RIGHT": (2, 2), "SUBSTRING": (2, 3)}
