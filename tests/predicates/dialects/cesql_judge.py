r"""What CESQL answers, in plain Python: expressions as nested tuples, evaluated by the text of the specification.

Nothing here knows of subscriptions, or of the package's parser: `written` gives an expression as text, `passes` decides
it. An error is an `Error`, wherever it occurs, and an event for which one occurs does not pass.

>>> rule = ("or", ("=", ("name", "hop"), ("value", 5)), ("like", ("name", "type"), r"a\%%"))
>>> print(written(rule))
(hop = 5) OR (type LIKE 'a\%%')
>>> passes(rule, {"hop": "+05"}), passes(rule, {"hop": 4, "type": "a%b"}), passes(rule, {"type": "a%b"})
(True, True, False)
"""

from __future__ import annotations

import re
from typing import Any

LEAST, MOST = -2147483648, 2147483647
ORDERS = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}


class Error(Exception):
    """An error of CESQL."""


def passes(expression: tuple, event: dict[str, Any]) -> bool:
    """Say whether an event passes an expression as a filter."""
    try:
        return value(expression, event) is True
    except Error:
        return False


def value(expression: tuple, event: dict[str, Any]) -> Any:
    """Return the value of an expression; an `Error` if one occurs."""
    kind, *parts = expression
    if kind == "value":
        return parts[0]
    if kind == "name":
        if event.get(parts[0]) is None:
            raise Error
        return event[parts[0]]
    if kind == "exists":
        return event.get(parts[0]) is not None
    if kind == "not":
        return not cast(value(parts[0], event), bool)
    if kind in ("and", "or"):
        found = cast(value(parts[0], event), bool)
        return found if found is (kind == "or") else cast(value(parts[1], event), bool)
    if kind == "xor":
        return cast(value(parts[0], event), bool) is not cast(value(parts[1], event), bool)
    if kind == "like":
        return is_like(cast(value(parts[0], event), str), parts[1])
    if kind == "in":
        found = value(parts[0], event)
        return any(cast(value(member, event), type(found)) == found for member in parts[1])
    if kind == "call":
        return called(parts[0], [value(argument, event) for argument in parts[1]])
    return compared(kind, value(parts[0], event), value(parts[1], event))


def compared(sign: str, left: Any, right: Any) -> bool:
    if sign in ORDERS:
        return ORDERS[sign](cast(left, int), cast(right, int))
    return (cast(left, type(right)) == right) is (sign == "=")


def cast(one: Any, wanted: type) -> Any:
    """Return a value cast to a type."""
    if type(one) is wanted:
        return one
    if wanted is str:
        return {True: "true", False: "false"}[one] if isinstance(one, bool) else str(one)
    if wanted is bool and isinstance(one, int):
        return one != 0
    if wanted is bool:
        if one.lower() not in ("true", "false"):
            raise Error
        return one.lower() == "true"
    if isinstance(one, bool):
        return 1 if one else 0
    if not one.isascii() or not one.lstrip("+-").isdigit() or len(one) - len(one.lstrip("+-")) > 1:
        raise Error
    if not LEAST <= int(one) <= MOST:
        raise Error
    return int(one)


def is_like(text: str, pattern: str) -> bool:
    r"""Say whether a text has the form of a pattern, in which a backslash takes the meaning from % and _.

    >>> is_like("a%c", r"a\%_"), is_like("a\\b", r"a\b"), is_like("abc", r"a\%_")
    (True, True, False)
    """
    made, at = "", 0
    while at < len(pattern):
        if pattern[at] == "\\" and pattern[at + 1 : at + 2] in ("%", "_"):
            made += re.escape(pattern[at + 1])
            at += 1
        else:
            made += {"%": ".*", "_": "."}.get(pattern[at]) or re.escape(pattern[at])
        at += 1
    return re.fullmatch(made, text, re.DOTALL) is not None


def called(name: str, arguments: list[Any]) -> Any:
    """Return what a function makes of its arguments."""
    first = arguments[0]
    if name in ("INT", "BOOL", "STRING"):
        return cast(first, {"INT": int, "BOOL": bool, "STRING": str}[name])
    text = cast(first, str)
    numbers = [cast(one, int) for one in arguments[1:]]
    if name == "LENGTH":
        return len(text)
    if name in ("LOWER", "UPPER"):
        return text.lower() if name == "LOWER" else text.upper()
    if name in ("LEFT", "RIGHT"):
        if numbers[0] < 0:
            raise Error
        return text[: numbers[0]] if name == "LEFT" else text[max(0, len(text) - numbers[0]) :]
    assert name == "SUBSTRING"
    return substring(text, *numbers)


def substring(text: str, position: int, length: int | None = None) -> str:
    """Return a part of a text, whose first character is at 1 and whose last one is at -1."""
    if position > len(text) or position < -len(text) or (length is not None and length < 0):
        raise Error
    if position == 0:
        return ""
    rest = text[position - 1 :] if position > 0 else text[position:]
    return rest if length is None else rest[:length]


# expressions as text


def written(expression: tuple) -> str:
    """Return an expression as text."""
    kind, *parts = expression
    if kind == "value":
        return literal(parts[0])
    if kind == "name":
        return str(parts[0])
    if kind == "exists":
        return f"EXISTS {parts[0]}"
    if kind == "not":
        return f"NOT {inside(parts[0])}"
    if kind == "like":
        return f"{inside(parts[0])} LIKE {quoted(parts[1])}"
    if kind == "in":
        return f"{inside(parts[0])} IN ({', '.join(map(written, parts[1]))})"
    if kind == "call":
        return f"{parts[0]}({', '.join(map(written, parts[1]))})"
    return f"{inside(parts[0])} {kind.upper()} {inside(parts[1])}"


def inside(expression: tuple) -> str:
    """Return an expression as text, in parentheses if it has several words."""
    return written(expression) if expression[0] in ("value", "name", "call") else f"({written(expression)})"


def literal(one: Any) -> str:
    return str(one).upper() if isinstance(one, bool) else str(one) if isinstance(one, int) else quoted(one)


def quoted(text: str) -> str:
    """Return a text in quotes; one that ends with a backslash or has one before a quote cannot be written."""
    return "'" + text.replace("'", "\\'") + "'"
