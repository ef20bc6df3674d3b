"""Rules of the Go library hypermatch as subscriptions: those of version 1, and what version 2 has added.

>>> print(from_hypermatch('''{
...     "status": {"equals": "firing"},
...     "name": {"anythingBut": [{"wildcard": "TEST*"}]},
...     "tags": {"allOf": [{"equals": "shop"}, {"equals": "backend"}]},
...     "latency": {"between": [{"gte": 500}, {"lt": 1000}]}
... }'''))
status = 'firing' IGNORING CASE AND name EXISTS AND NOT name STARTS WITH 'TEST' IGNORING CASE AND \
tags = 'shop' IGNORING CASE AND tags = 'backend' IGNORING CASE AND latency AS NUMBER BETWEEN 500 AND 999.9999999999999
>>> print(from_hypermatch({"env": {"prefix": "p"}, "$or": [{"t": {"exists": True}}, {"ip": {"cidr": "10.0.0.0/8"}}]}))
env STARTS WITH 'p' IGNORING CASE AND (t EXISTS OR ip IN CIDR '10.0.0.0/8' OR ip IN CIDR '::ffff:a00:0/104')

An event is an object: strings and arrays of strings, numbers and booleans as they are written in JSON, and nested
objects, into which the dots of a path lead. The answers are the documented ones of version 2; version 1 differed about
arrays, under anythingBut above all. docs/predicates.md lists the differences.
"""

from __future__ import annotations

import ipaddress
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from watchword.predicates.dialects.aws import DEEPEST, PatternError, Tree, attribute, joined, quoted, read, write
from watchword.predicates.dialects.sigma.selections import is_number
from watchword.predicates.dialects.sigma.values import Wild, accepts, spelled, tidy
from watchword.predicates.readers.spelled import number_of

__all__ = ["from_hypermatch"]

_EXAMPLE = '{"status": {"equals": "firing"}}'
_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
"""The IPv6 addresses that are IPv4 addresses."""


def from_hypermatch(rule: str | bytes | Mapping[str, Any]) -> str:
    """Return the subscription with the answers of a rule, which is JSON or a mapping.

    A rule that is wrong, or that no subscription can express, raises a `SubscriptionError` that names the place:

    >>> from_hypermatch({"name": {"anyOf": [{"equals": "a"}, {"wildcard": "b**"}]}})
    Traceback (most recent call last):
    ...
    watchword.predicates.dialects.aws.PatternError: name.anyOf[1].wildcard: two * in a row are not allowed
    """
    return write(_conditions(read(rule, _EXAMPLE), "", 0))


def _conditions(rule: Mapping[str, Any], path: str, depth: int) -> Tree:
    """Return the predicates of a set of conditions: all of them."""
    if not isinstance(rule, Mapping):
        raise PatternError(f"must be an object of conditions, such as {_EXAMPLE}, not {_shown(rule)}", path=path)
    if not rule:
        raise PatternError(f"a rule without conditions; give one, such as {_EXAMPLE}", path=path)
    _check_depth(depth, path)
    parts: list[Tree] = []
    for name, pattern in rule.items():
        here = f"{path}.{name}" if path else str(name)
        if name == "$or" and isinstance(pattern, list | tuple):
            parts.append(_choice(pattern, here, depth))
        else:
            parts.append(_condition(name, pattern, here))
    return joined("and", parts)


def _choice(sets: list[Any] | tuple[Any, ...], path: str, depth: int) -> Tree:
    if not sets:
        raise PatternError("an empty array matches nothing; give sets of conditions", path=path)
    return joined("or", [_conditions(one, f"{path}[{at}]", depth + 1) for at, one in enumerate(sets)])


def _condition(name: Any, pattern: Any, path: str) -> Tree:
    if not isinstance(name, str) or not name:
        raise PatternError("the path of a condition is a text of at least one character", path=path)
    if name.endswith(".*") and name != ".*":
        raise PatternError("a path for all keys of an object cannot be said; name the keys, joined by $or", path=path)
    names = name.split(".")
    shown = attribute(names if all(names) else [name])
    if isinstance(pattern, Mapping) and len(pattern) == 1:
        [(kind, value)] = pattern.items()
        if isinstance(kind, str) and kind.lower() == "exists" and _boolean(value, f"{path}.{kind}") is False:
            return f"{shown} IS MISSING"
    return _pattern(shown, pattern, path, 0)


def _pattern(name: str, pattern: Any, path: str, depth: int) -> Tree:
    """Return the predicates of a pattern, about an attribute that is there."""
    _check_depth(depth, path)
    if not isinstance(pattern, Mapping):
        raise PatternError(f'a pattern is an object such as {{"equals": "x"}}, not {_shown(pattern)}', path=path)
    if len(pattern) != 1:
        raise PatternError(f"a pattern has one type, not {len(pattern)}; allOf joins several", path=path)
    [(kind, value)] = pattern.items()
    here = f"{path}.{kind}"
    known = kind.lower() if isinstance(kind, str) else ""
    if known in _LISTS:
        return _LISTS[known](name, _members(value, here), here, depth)
    if known not in _LEAVES:
        offered = (
            "anyOf, allOf, anythingBut, equals, prefix, suffix, wildcard, exists, lt, lte, gt, gte, eq, between, cidr"
        )
        raise PatternError(f"unknown type of pattern {_shown(kind)}; there are {offered}", path=path)
    return _LEAVES[known](name, value, here)


def _check_depth(depth: int, path: str) -> None:
    if depth > DEEPEST:
        raise PatternError(f"nested deeper than {DEEPEST} levels", path=path[:60] + "…")


def _shown(value: Any) -> str:
    return json.dumps(value, default=str, ensure_ascii=False)[:60]


def _members(value: Any, path: str) -> list[Any]:
    if not isinstance(value, list | tuple) or not value:
        raise PatternError('an array of patterns is expected, such as [{"equals": "x"}]', path=path)
    return list(value)


# patterns of patterns


def _any_of(name: str, members: list[Any], path: str, depth: int) -> Tree:
    texts = [_equal_text(member) for member in members]
    plain = [text for text in texts if text is not None]
    others = [
        _pattern(name, member, f"{path}[{at}]", depth + 1)
        for at, (member, text) in enumerate(zip(members, texts, strict=True))
        if text is None
    ]
    return joined("or", [*([_one_of(name, plain)] if plain else []), *others])


def _all_of(name: str, members: list[Any], path: str, depth: int) -> Tree:
    return joined("and", [_pattern(name, member, f"{path}[{at}]", depth + 1) for at, member in enumerate(members)])


def _anything_but(name: str, members: list[Any], path: str, depth: int) -> Tree:
    return ("and", [f"{name} EXISTS", ("not", [_any_of(name, members, path, depth)])])


def _equal_text(member: Any) -> str | None:
    """Return the text of an equals that is well written, else None."""
    if isinstance(member, Mapping) and len(member) == 1:
        [(kind, value)] = member.items()
        if isinstance(kind, str) and kind.lower() == "equals" and isinstance(value, str) and value:
            return value
    return None


# patterns of values


def _text(value: Any, path: str) -> str:
    if isinstance(value, bool):  # as rules of version 1 have it
        return str(value).lower()
    if not isinstance(value, str):
        raise PatternError(f"a text is expected, not {_shown(value)}; eq, lt, lte, gt and gte take numbers", path=path)
    if not value:
        raise PatternError("a text of at least one character is expected", path=path)
    return value


def _equals(name: str, value: Any, path: str) -> Tree:
    return _one_of(name, [_text(value, path)])


def _one_of(name: str, texts: list[str]) -> Tree:
    """Return that some value is one of these texts, or the number or boolean that JSON writes so."""
    literals = list(dict.fromkeys(quoted(text) for text in texts))
    others = [text for text in texts if is_number(text)]
    others += [text.upper() for text in texts if text.lower() in ("true", "false")]
    return joined(
        "or", [f"{_in(name, literals)} IGNORING CASE", *([_in(name, list(dict.fromkeys(others)))] if others else [])]
    )


def _in(name: str, literals: list[str]) -> str:
    return f"{name} = {literals[0]}" if len(literals) == 1 else f"{name} IN ({', '.join(literals)})"


def _affix(before: bool) -> Callable[[str, Any, str], Tree]:
    def translate(name: str, value: Any, path: str) -> Tree:
        text = _text(value, path)
        return _form(name, (text, Wild.ANY) if before else (Wild.ANY, text))

    return translate


def _wildcard(name: str, value: Any, path: str) -> Tree:
    text = _text(value, path)
    if "**" in text:
        raise PatternError("two * in a row are not allowed", path=path)
    pieces: list[str | Wild] = []
    for at, piece in enumerate(text.split("*")):
        pieces += [Wild.ANY, piece] if at else [piece]
    return _form(name, tidy(pieces))


def _form(name: str, pieces: tuple[str | Wild, ...]) -> Tree:
    """Return that some value is a text of a form, or a boolean that JSON writes so; any value is of the form ``*``."""
    if pieces == (Wild.ANY,):
        return f"{name} EXISTS"
    if Wild.ANY not in pieces:
        return _one_of(name, [str(pieces[0])])
    lower = tuple(piece.lower() if isinstance(piece, str) else piece for piece in pieces)
    booleans = [text.upper() for text in ("true", "false") if accepts(lower, text)]
    return joined("or", [spelled(name, pieces, cased=False), *([_in(name, booleans)] if booleans else [])])


def _boolean(value: Any, path: str) -> bool:
    if value not in (True, False, "true", "false") or (isinstance(value, int | float) and not isinstance(value, bool)):
        raise PatternError(f"true or false is expected, not {_shown(value)}", path=path)
    return value in (True, "true")


def _exists(name: str, value: Any, path: str) -> Tree:
    if not _boolean(value, path):
        raise PatternError(
            "that an attribute is missing is a whole condition, and stands in no other pattern", path=path
        )
    return f"{name} EXISTS"


def _number(value: Any, path: str) -> float:
    found = None if isinstance(value, bool) else number_of(value)
    if found is None or math.isinf(found):
        raise PatternError(f"a finite number is expected, not {_shown(value)}", path=path)
    return found


def _written(number: float) -> str:
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number).replace("e+", "e")


def _comparison(sign: str) -> Callable[[str, Any, str], Tree]:
    return lambda name, value, path: f"{name} AS NUMBER {sign} {_written(_number(value, path))}"


def _between(name: str, value: Any, path: str) -> Tree:
    """Return that one value lies between two ends; gt and lt leave the end itself out."""
    ends: dict[str, float] = {}
    for at, bound in enumerate(_members(value, path)):
        here = f"{path}[{at}]"
        if not isinstance(bound, Mapping) or len(bound) != 1:
            raise PatternError('an end is an object such as {"gte": 5}', path=here)
        [(kind, number)] = bound.items()
        sign = _SIGNS.get(str(kind).lower())
        if sign is None or sign[0] in ends:
            raise PatternError("a lower end (gt, gte) and an upper end (lt, lte) are expected", path=here)
        exact = _number(number, f"{here}.{kind}")
        outwards = math.inf if sign[0] == ">" else -math.inf
        ends[sign[0]] = exact if sign.endswith("=") else math.nextafter(exact, outwards)
    if len(ends) < 2:
        raise PatternError("a lower end (gt, gte) and an upper end (lt, lte) are expected", path=path)
    if ends[">"] > ends["<"]:
        raise PatternError("the range between the ends is empty", path=path)
    return f"{name} AS NUMBER BETWEEN {_written(ends['>'])} AND {_written(ends['<'])}"


def _cidr(name: str, value: Any, path: str) -> Tree:
    """Return that some value is an address of a network. IPv4 addresses may be written as IPv6 addresses."""
    try:
        network = ipaddress.ip_network(_text(value, path), strict=False)
    except ValueError as error:
        raise PatternError(str(error), path=path) from error
    if getattr(network.network_address, "scope_id", None):
        raise PatternError("a network has no zone", path=path)
    return joined("or", [f"{name} IN CIDR '{one}'" for one in _spellings(network)])


def _spellings(network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> list[Any]:
    """Return the networks whose addresses are those of a network, in IPv4 and in IPv6.

    >>> _spellings(ipaddress.ip_network("::ffff:10.0.0.0/104"))
    [IPv4Network('10.0.0.0/8'), IPv6Network('::ffff:a00:0/104')]
    """
    if isinstance(network, ipaddress.IPv4Network):
        offset = int(_MAPPED.network_address)
        return [network, ipaddress.IPv6Network((offset + int(network.network_address), network.prefixlen + 96))]
    if network.subnet_of(_MAPPED):
        address = int(network.network_address) - int(_MAPPED.network_address)
        return [ipaddress.IPv4Network((address, network.prefixlen - 96)), network]
    return sorted(network.address_exclude(_MAPPED)) if _MAPPED.subnet_of(network) else [network]


_SIGNS = {"lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_LISTS: dict[str, Callable[[str, list[Any], str, int], Tree]] = {
    "anyof": _any_of,
    "allof": _all_of,
    "anythingbut": _anything_but,
}
_LEAVES: dict[str, Callable[[str, Any, str], Tree]] = {
    "equals": _equals,
    "prefix": _affix(before=True),
    "suffix": _affix(before=False),
    "wildcard": _wildcard,
    "exists": _exists,
    "between": _between,
    "cidr": _cidr,
    "eq": _comparison("="),
    **{kind: _comparison(sign) for kind, sign in _SIGNS.items()},
}
