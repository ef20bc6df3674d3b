"""What hypermatch answers, in plain Python: the values of an event by path, and a pattern over all values of one path.

The rules are those that version 2 documents; nothing here knows of subscriptions.

>>> rule = {"a.b": {"anythingBut": [{"prefix": "X"}]}, "$or": [{"n": {"gt": 5}}, {"m": {"exists": False}}]}
>>> answers(rule, {"a": {"b": ["y", "z"]}, "n": "1e1", "m": 0}), answers(rule, {"a": {"b": ["y", "xz"]}})
(True, False)
"""

from __future__ import annotations

import ipaddress
import json
import re
from typing import Any

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def answers(rule: dict[str, Any], event: dict[str, Any]) -> bool:
    """Say whether an event matches a rule."""
    for path, pattern in rule.items():
        if path == "$or" and isinstance(pattern, list):
            holds = any(answers(one, event) for one in pattern)
        else:
            [(kind, value)] = pattern.items()
            found = values(event, path)
            is_absence = kind.lower() == "exists" and value in (False, "false")
            holds = not found if is_absence else bool(found) and satisfies(pattern, found)
        if not holds:
            return False
    return True


def values(event: dict[str, Any], path: str) -> list[str]:
    """Return the values at a path as texts in lower case, as JSON writes them.

    >>> values({"a": [{"b": True}, {"b": ["X", None, 1.5]}]}, "a.b")
    ['true', 'x', '1.5']
    """
    found: list[str] = []

    def gather(value: Any, keys: list[str]) -> None:
        if isinstance(value, list):
            for one in value:
                gather(one, keys)
        elif isinstance(value, dict):
            if keys and keys[0] in value:
                gather(value[keys[0]], keys[1:])
        elif value is not None and not keys:
            found.append((value if isinstance(value, str) else json.dumps(value)).lower())

    gather(event, path.split("."))
    return found


def satisfies(pattern: dict[str, Any], found: list[str]) -> bool:
    """Say whether the values of an attribute that is there satisfy a pattern."""
    [(kind, value)] = pattern.items()
    kind = kind.lower()
    if kind == "anyof":
        return any(satisfies(one, found) for one in value)
    if kind == "allof":
        return all(satisfies(one, found) for one in value)
    if kind == "anythingbut":
        return not any(satisfies(one, found) for one in value)
    return any(of_value(kind, value, one) for one in found)


def of_value(kind: str, wanted: Any, value: str) -> bool:
    """Say whether one value satisfies a pattern of values."""
    if kind == "exists":
        return True
    if kind == "between":
        return all(of_value(sign.lower(), bound, value) for one in wanted for sign, bound in one.items())
    if kind in ("lt", "lte", "gt", "gte", "eq"):
        if not NUMBER.fullmatch(value):
            return False
        number, bound = float(value), float(wanted)
        return {"lt": number < bound, "lte": number <= bound, "gt": number > bound, "gte": number >= bound}.get(
            kind, number == bound
        )
    if kind == "cidr":
        return within(wanted, value)
    text = str(wanted).lower()
    if kind == "wildcard":
        return re.fullmatch(".*".join(map(re.escape, text.split("*"))), value, re.DOTALL) is not None
    return {"equals": value == text, "prefix": value.startswith(text), "suffix": value.endswith(text)}[kind]


def within(network: str, value: str) -> bool:
    """Say whether a text is an address of a network, IPv4 addresses written as IPv6 being IPv4."""
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    whole = ipaddress.ip_network(network, strict=False)
    if whole.version == 6 and whole.network_address.ipv4_mapped and whole.prefixlen >= 96:
        whole = ipaddress.ip_network(f"{whole.network_address.ipv4_mapped}/{whole.prefixlen - 96}")
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address) in whole
