"""Events as objects, checked against a schema one by one; the first thing that is wrong is an `EventError`."""

from __future__ import annotations

from typing import Any

from watchword.errors import EventError
from watchword.predicates.predicate import Path, show_path, values_at
from watchword.predicates.schema.attribute import Attribute
from watchword.predicates.schema.schema import Schema, Shape
from watchword.predicates.values import plain_key, show_value

__all__ = ["check_event", "count_reason", "type_reason", "value_reason"]


def check_event(schema: Schema, event: dict[str, Any], position: int) -> None:
    """Raise if an event is not of the schema.

    >>> from watchword.predicates.schema.option import checked_schema
    >>> schema = Schema(checked_schema("schema", {"attributes": {"value": "number", "note": "text?"}}), {})
    >>> check_event(schema, {"value": "15"}, 7)
    Traceback (most recent call last):
    ...
    watchword.errors.EventError: event 7: value is '15', and the schema has a number there
    """
    try:
        reason = _refused(schema, event)
    except TypeError as error:  # a value of no kind
        reason = str(error)
    if reason is not None:
        raise EventError(reason, position=position)


def _refused(schema: Schema, event: dict[str, Any]) -> str | None:
    if schema.type is None:
        (shape,) = schema.shapes.values()
    else:
        types = _values(event, schema.type)
        if len(types) != 1 or not isinstance(types[0], str) or types[0] not in schema.shapes:
            return type_reason(schema, types)
        shape = schema.shapes[types[0]]
    return _undeclared(shape, event, ()) or _wrong(shape, event)


def type_reason(schema: Schema, types: list[Any]) -> str:
    """Return why `types`, the values of the attribute that names an event's type, are refused."""
    name = show_path(schema.type or ())
    if not types:
        return f"{name} is missing, which names the event's type"
    known = ", ".join(show_value(one) for one in list(schema.shapes)[:8])
    return f"{name} is {', '.join(show_value(one) for one in types[:3])}, and the schema has the event types {known}"


def _wrong(shape: Shape, event: dict[str, Any]) -> str | None:
    """Return why a value of a declared attribute is refused, None if all are right."""
    for path, attribute in shape.attributes.items():
        values = _values(event, path)
        if len(values) < attribute.least or (attribute.most is not None and len(values) > attribute.most):
            return count_reason(attribute, len(values))
        for value in values:
            if not attribute.takes(value):
                return value_reason(attribute, value)
    return None


def count_reason(attribute: Attribute, count: int) -> str:
    """Return the reason to refuse an attribute with `count` values: "name is missing, and the schema wants it"."""
    if not count:
        return f"{attribute.name} is missing, and the schema wants it"
    return f"{attribute.name} has {count} values, and the schema has one there"


def value_reason(attribute: Attribute, value: Any) -> str:
    """Return the reason to refuse a value: "side is 'bye', and the schema has one of 'buy', 'sell' there"."""
    return f"{attribute.name} is {show_value(value)}, and the schema has {attribute.described} there"


def _undeclared(shape: Shape, value: Any, path: Path) -> str | None:
    """Return the first attribute in an object, or in the objects of a list, that is not declared."""
    if isinstance(value, list | tuple | set | frozenset):
        return next((reason for one in value if (reason := _undeclared(shape, one, path))), None)
    if not isinstance(value, dict):
        return None
    for name, below in value.items():
        here = (*path, str(name))
        found = shape.found(here)
        if found is None:
            if _values(below, ()):
                return f"{show_path(here)} is not declared in the schema"
        elif found.type == "object":
            wrong = [one for one in _values(below, ()) if not found.takes(one)]
            reason = value_reason(found, wrong[0]) if wrong else _undeclared(shape, below, here)
            if reason is not None:
                return reason
    return None


def _values(event: Any, path: Path) -> list[Any]:
    return [value for value in values_at(event, path) if plain_key(value) is not None]
