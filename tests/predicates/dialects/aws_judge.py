"""What EventBridge and SNS answer, in plain Python: an event's leaves by path, and some leaf for every condition.

The rules are those of the services' documentation and of event-ruler's README; nothing here knows of subscriptions.
"""

from __future__ import annotations

import ipaddress
import operator
import re

SIGNS = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def answers(pattern: dict, event: dict) -> bool:
    """Say whether an event pattern matches an event without lists of objects.

    >>> answers({"a": {"b": [1, {"prefix": "x"}]}}, {"a": {"b": ["y", "xy"]}})
    True
    """
    return all(_holds(name, part, event) for name, part in pattern.items())


def _holds(name: str, part: object, event: object) -> bool:
    if name == "$or":
        return any(answers(one, event) for one in part)
    inside = event.get(name) if isinstance(event, dict) else None
    if isinstance(part, dict):
        return answers(part, inside if isinstance(inside, dict) else {})
    leaves = _leaves(inside)
    return any(_condition(condition, leaves) for condition in part)


def _leaves(value: object) -> list:
    if isinstance(value, list):
        return [leaf for element in value for leaf in _leaves(element)]
    return [] if value is None or isinstance(value, dict) else [value]


def _condition(condition: object, leaves: list) -> bool:
    if isinstance(condition, dict) and "exists" in condition:
        return bool(leaves) is condition["exists"]
    return any(_satisfies(leaf, condition) for leaf in leaves)


def _satisfies(leaf: object, condition: object) -> bool:
    if not isinstance(condition, dict):
        return _same(leaf, condition)
    [(name, operand)] = condition.items()
    if name == "anything-but":
        return not _any_of(leaf, operand)
    if name == "numeric":
        pairs = zip(operand[::2], operand[1::2], strict=True)
        number = isinstance(leaf, int | float) and not isinstance(leaf, bool)
        return number and all(SIGNS[sign](leaf, bound) for sign, bound in pairs)
    return isinstance(leaf, str) and _text(leaf, name, operand)


def _same(leaf: object, value: object) -> bool:
    return isinstance(leaf, bool) == isinstance(value, bool) and leaf == value


def _any_of(leaf: object, operand: object) -> bool:
    """Say whether a leaf is one of what anything-but leaves out."""
    if isinstance(operand, dict):
        [(name, inner)] = operand.items()
        texts = inner if isinstance(inner, list) else [inner]
        return isinstance(leaf, str) and any(_text(leaf, name, text) for text in texts)
    return any(_same(leaf, value) for value in (operand if isinstance(operand, list) else [operand]))


def _text(leaf: str, name: str, operand: object) -> bool:
    if isinstance(operand, dict):
        return _text(leaf.lower(), name, operand["equals-ignore-case"].lower())
    if name == "equals-ignore-case":
        return leaf.lower() == operand.lower()
    if name == "cidr":
        return _in_network(leaf, operand)
    if name == "wildcard":
        parts = re.findall(r"\\.|[^\\]", operand, re.DOTALL)
        expression = "".join(".*" if part == "*" else re.escape(part[-1]) for part in parts)
        return re.fullmatch(expression, leaf, re.DOTALL) is not None
    return {"prefix": leaf.startswith, "suffix": leaf.endswith, "exactly": leaf.__eq__}[name](operand)


def _in_network(leaf: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(leaf) in ipaddress.ip_network(network)
    except ValueError:
        return False
