"""The conditions of EventBridge patterns and SNS policies, one field at a time, as predicates.

A condition is a plain value or an object with one operator; the conditions of a field are alternatives:

>>> from watchword.predicates.dialects.aws import write
>>> write(field('state', ["running", {"prefix": "init"}, {"numeric": [">", 0, "<=", 5]}], "state"))
"state = 'running' OR state STARTS WITH 'init' OR state BETWEEN 5e-324 AND 5"

Every operator asks for *some* value of a list, as a predicate does. Where the translation needs two predicates for one
condition they may be met by two values of a list; docs/predicates.md lists those.
"""

from __future__ import annotations

import ipaddress
import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from watchword.predicates.dialects.aws import PatternError, Tree, joined, quoted
from watchword.predicates.dialects.wildcards import like, literally

_NEARLY_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?", re.DOTALL)
_COMPARISONS = ("<", "<=", ">", ">=")


def field(name: str, conditions: Any, path: str) -> Tree:
    """Return the predicates for one field: any of its conditions. Plain values become one IN."""
    if not isinstance(conditions, list | tuple):
        raise PatternError(
            f"must be an array of conditions, such as [{json.dumps(conditions, default=str)}]", path=path
        )
    if not conditions:
        raise PatternError("an empty array matches nothing; leave the field out, or name a value", path=path)
    plain: list[str] = []
    others: list[Tree] = []
    for at, condition in enumerate(conditions):
        here = f"{path}[{at}]"
        if isinstance(condition, Mapping):
            others.append(_operator(name, condition, here))
        elif isinstance(condition, str) and _NEARLY_DATE.fullmatch(condition):
            others.append(_equal(name, condition))
        else:
            plain.append(_literal(condition, here))
    if plain:
        members = list(dict.fromkeys(plain))
        others.insert(0, f"{name} IN ({', '.join(members)})" if len(members) > 1 else f"{name} = {members[0]}")
    return joined("or", others)


def _literal(value: Any, path: str) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if value is None:
        raise PatternError(
            "null cannot be said: here an explicit null is the same as a missing key; "
            'use {"exists": false} to match both',
            path=path,
        )
    return _number(value, path)


def _number(value: Any, path: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PatternError(f"a number is expected, not {_shown(value)}", path=path)
    if isinstance(value, float) and not math.isfinite(value):
        raise PatternError(f"{value} is no number to compare with", path=path)
    return repr(value).replace("e+", "e")


def _shown(value: Any) -> str:
    return json.dumps(value, default=str, ensure_ascii=False)[:60]


def _equal(name: str, text: str) -> Tree:
    """Return equality of texts; one that reads like a date would compare as an instant, but not by LIKE."""
    return f"{name} {literally(text)}" if _NEARLY_DATE.fullmatch(text) else f"{name} = {quoted(text)}"


def _differs(name: str, value: Any, path: str) -> Tree:
    """Return that some value is not this one. A text that reads like a date would compare as an instant: then case is
    ignored, which changes nothing about digits, and where there are letters a second predicate brings it back."""
    if not isinstance(value, str) or not _NEARLY_DATE.fullmatch(value):
        return f"{name} != {_literal(value, path)}"
    folded = f"{name} != {quoted(value)} IGNORING CASE"
    if value.casefold() == value.upper():
        return folded
    return ("or", [folded, ("and", [f"{name} EXISTS", ("not", [f"{name} STARTS WITH {quoted(value)}"])])])


def _operator(name: str, condition: Mapping[str, Any], path: str) -> Tree:
    if len(condition) != 1:
        raise PatternError(f"a condition has one operator, not {len(condition)}", path=path)
    [(operator, operand)] = condition.items()
    if operator not in _OPERATORS:
        known = ", ".join(sorted(_OPERATORS))
        raise PatternError(f"unknown operator {_shown(operator)}; there are {known}", path=path)
    return _OPERATORS[operator](name, operand, f"{path}.{operator}")


def _text(operand: Any, path: str) -> str:
    if not isinstance(operand, str):
        raise PatternError(f"a text is expected, not {_shown(operand)}", path=path)
    return operand


def _affix(words: str) -> Callable[[str, Any, str], Tree]:
    def translate(name: str, operand: Any, path: str) -> Tree:
        if not isinstance(operand, Mapping):
            return f"{name} {words} {quoted(_text(operand, path))}"
        if list(operand) != ["equals-ignore-case"]:
            raise PatternError('only {"equals-ignore-case": …} may stand here', path=path)
        text = _text(operand["equals-ignore-case"], f"{path}.equals-ignore-case")
        return f"{name} {words} {quoted(text)} IGNORING CASE"

    return translate


def _ignoring_case(name: str, operand: Any, path: str) -> Tree:
    return f"{name} = {quoted(_text(operand, path))} IGNORING CASE"


def _exactly(name: str, operand: Any, path: str) -> Tree:
    return _equal(name, _text(operand, path))


def _exists(name: str, operand: Any, path: str) -> Tree:
    if not isinstance(operand, bool):
        raise PatternError(f"true or false is expected, not {_shown(operand)}", path=path)
    return f"{name} EXISTS" if operand else f"{name} IS MISSING"


def _cidr(name: str, operand: Any, path: str) -> Tree:
    text = _text(operand, path)
    try:
        if "/" not in text:
            raise ValueError("a network has a slash, such as 10.0.0.0/8")
        return f"{name} IN CIDR '{ipaddress.ip_network(text, strict=False)}'"
    except ValueError as error:
        raise PatternError(str(error), path=path) from error


def _numeric(name: str, operand: Any, path: str) -> Tree:
    if not isinstance(operand, list | tuple) or len(operand) not in (2, 4):
        raise PatternError('one or two comparisons are expected, such as [">", 0, "<=", 5]', path=path)
    sign, number = operand[0], operand[1]
    literal = _number(number, path)
    if len(operand) == 2:
        if sign not in ("=", *_COMPARISONS):
            raise PatternError(f"unknown comparison {_shown(sign)}; there are =, {', '.join(_COMPARISONS)}", path=path)
        return f"{name} {sign} {literal}"
    other, bound = operand[2], operand[3]
    _number(bound, path)
    if sign not in (">", ">=") or other not in ("<", "<="):
        raise PatternError('a range is written from below, such as [">", 0, "<=", 5]', path=path)
    if number >= bound:
        raise PatternError(f"the range from {number} to {bound} is empty", path=path)
    low = number if sign == ">=" else beside(number, 1)
    high = bound if other == "<=" else beside(bound, -1)
    return f"{name} BETWEEN {_number(low, path)} AND {_number(high, path)}"


def beside(number: int | float, step: int) -> int | float:
    """Return the next number that an event can have: BETWEEN takes both ends in, and one predicate asks one value.

    >>> beside(5, -1), beside(0, 1), beside(2**53, 1)
    (4.999999999999999, 5e-324, 9007199254740993)
    """
    if abs(number) < 2**53:
        return math.nextafter(number, math.inf * step)
    return math.floor(number) + 1 if step > 0 else math.ceil(number) - 1


def _wildcard(name: str, operand: Any, path: str) -> Tree:
    return f"{name} {like(_text(operand, path), path)}"


def _anything_but(name: str, operand: Any, path: str) -> Tree:
    """Return that some value is none of the operand's; the attribute has to be there."""
    if isinstance(operand, Mapping):
        return _anything_but_operator(name, operand, path)
    values = _values(operand, path)
    if len({isinstance(value, str) for value in values}) > 1:
        raise PatternError("texts and numbers cannot be mixed", path=path)
    return joined("and", [_differs(name, value, path) for value in values])


def _values(operand: Any, path: str) -> list[Any]:
    values = list(operand) if isinstance(operand, list | tuple) else [operand]
    if not values:
        raise PatternError('an empty array excludes nothing; use {"exists": true}', path=path)
    for value in values:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise PatternError(f"a text or a number is expected, not {_shown(value)}", path=path)
    return values


def _anything_but_operator(name: str, operand: Mapping[str, Any], path: str) -> Tree:
    if len(operand) != 1 or next(iter(operand)) not in _REFUSABLE:
        raise PatternError(f"one of {', '.join(_REFUSABLE)} is expected", path=path)
    [(operator, inner)] = operand.items()
    here = f"{path}.{operator}"
    texts = [inner] if isinstance(inner, Mapping) else [_text(value, here) for value in _values(inner, here)]
    if "" in texts and operator != "equals-ignore-case":
        raise PatternError("an empty text is part of every text", path=here)
    if operator == "equals-ignore-case":
        return joined("and", [f"{name} != {quoted(_text(text, here))} IGNORING CASE" for text in texts])
    refused: list[Tree] = [("not", [_OPERATORS[operator](name, text, here)]) for text in texts]
    return ("and", [f"{name} EXISTS", *refused])


_REFUSABLE = ("prefix", "suffix", "equals-ignore-case", "wildcard")
_OPERATORS: dict[str, Callable[[str, Any, str], Tree]] = {
    "anything-but": _anything_but,
    "cidr": _cidr,
    "equals-ignore-case": _ignoring_case,
    "exactly": _exactly,
    "exists": _exists,
    "numeric": _numeric,
    "prefix": _affix("STARTS WITH"),
    "suffix": _affix("ENDS WITH"),
    "wildcard": _wildcard,
}
OPERATORS = frozenset(_OPERATORS)
