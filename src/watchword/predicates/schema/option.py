"""The option `schema` as it is given, brought into the one form that an index keeps (`schema` tells the forms).

>>> checked_schema("schema", {"attributes": {"name": "text", "side": ["buy", "sell"]}})
{'attributes': {'name': {'is': 'text', 'times': ''}, 'side': {'one_of': ['buy', 'sell'], 'times': ''}}}
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from watchword.errors import OptionError
from watchword.predicates.hierarchies import written
from watchword.predicates.schema.attribute import TIMES, TYPES

_SHORT = re.compile(rf"({'|'.join(TYPES)})([?*+]?)")


def checked_schema(name: str, value: Any) -> dict[str, Any] | None:
    """Return a schema in full, None for none; an `OptionError` names the fault."""
    if value is None:
        return None
    unknown = [key for key in _mapping(name, value) if key not in ("type", "events", "attributes")]
    if unknown or not value:
        raise OptionError(f"{name} has the keys type, events and attributes, not {unknown[0] if unknown else 'none'!r}")
    if ("type" in value) != ("events" in value):
        raise OptionError(f"{name}: type, the attribute that names an event's type, and events belong together")
    made: dict[str, Any] = {}
    if "type" in value:
        made["type"] = written(f"{name}['type']", value["type"])
        made["events"] = _events(f"{name}['events']", value["events"])
    if "attributes" in value:
        made["attributes"] = _attributes(f"{name}['attributes']", value["attributes"])
    return made


def _events(name: str, value: Any) -> dict[str, Any]:
    if not _mapping(name, value):
        raise OptionError(f"{name} is empty; declare an event type")
    for event in value:
        if not isinstance(event, str):
            raise OptionError(f"{name}: an event type is a text, not {event!r}")
    return {event: _attributes(f"{name}[{event!r}]", attributes) for event, attributes in value.items()}


def _attributes(name: str, value: Any) -> dict[str, Any]:
    made = {}
    for attribute, spec in _mapping(name, value).items():
        key = written(name, attribute)
        if key in made:
            raise OptionError(f"{name}: {key} is declared twice")
        made[key] = _spec(f"{name}[{attribute!r}]", spec)
    return made


def _spec(name: str, value: Any) -> dict[str, Any]:
    """Return one attribute in full."""
    if isinstance(value, str):
        short = _SHORT.fullmatch(value)
        if short is None:
            raise OptionError(f"{name} must be {', '.join(TYPES)}, perhaps with ?, * or + behind it, not {value!r}")
        return {"is": short[1], "times": short[2]}
    if isinstance(value, list | tuple):
        return {"one_of": _members(name, value), "times": ""}
    given = dict(_mapping(name, value))
    times = given.pop("times", "")
    if times not in TIMES:
        raise OptionError(f"{name}['times'] must be '', '?', '*' or '+', not {times!r}")
    if len(given) != 1 or not given.keys() <= {"is", "one_of", "kind_of"}:
        raise OptionError(f"{name} must have one of the keys is, one_of and kind_of, not {sorted(given)}")
    ((sort, what),) = given.items()
    if sort == "one_of":
        return {sort: _members(name, what), "times": times}
    if sort == "is" and what not in TYPES:
        raise OptionError(f"{name}['is'] must be {', '.join(TYPES)}, not {what!r}")
    return {sort: what if sort == "is" else written(name, what), "times": times}


def _members(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list | tuple) or not value:
        raise OptionError(f"{name}: an enumeration is a list of values, not {value!r}")
    for member in value:
        if not isinstance(member, str | int | float) or (isinstance(member, float) and not math.isfinite(member)):
            raise OptionError(f"{name}: a member is a text, a number or a boolean, not {member!r}")
    return list(value)


def _mapping(name: str, value: Any) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise OptionError(f"{name} must be a mapping, not {value!r}")
    return value
