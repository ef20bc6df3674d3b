"""Events in which chosen predicates hold, and as little else as possible: candidates for counter-examples.

For ``price > 5`` and ``body MATCHES 'ferry'`` it is ``{"price": 5.000000000000001, "body": "ferry"}``. An event need
not be right: the caller matches it, and an event that does not satisfy the rule proves nothing.
"""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from watchword.keywords.covering import sample_of
from watchword.paths.covering import documents
from watchword.patterns.query import parse
from watchword.predicates.covering.implying import interval_of
from watchword.predicates.predicate import Path, Predicate
from watchword.predicates.readers.elements import Elements
from watchword.predicates.readers.nodes import Nodes
from watchword.predicates.readers.paths import Paths
from watchword.predicates.readers.patterns import Patterns
from watchword.predicates.readers.reader import Surroundings
from watchword.predicates.readers.substrings import FoldedSubstrings, Substrings
from watchword.predicates.readers.terms import Terms
from watchword.predicates.values import ADDRESS4, ADDRESS6, INSTANT, NUMBER, TEXT, View

_FRESH = "\ue000"
"""A character for private use, which no word has and hardly any rule asks for."""

_EXACT = 1 << 53
_FAR = {NUMBER: 10**12, INSTANT: 50 * 365 * 86_400 * 10**9}
"""How far from the end of a comparison the farthest number, or instant, is tried."""

Reach = Literal["next", "whole", "far", "denied"]

Objects = Callable[[Predicate], dict[str, Any] | None]
"""Makes an object that satisfies the query of ANY."""


class Making(NamedTuple):
    """How values are made: text that is put around and between other text, how far numbers are from the ends of
    comparisons, and predicates that must not hold, for their constants."""

    fresh: str
    reach: Reach
    denied: list[Predicate]
    surroundings: Surroundings
    objects: Objects


class NoWitnessError(Exception):
    """No value can be made for a predicate."""


def events(choice: Mapping[Any, bool], surroundings: Surroundings, objects: Objects) -> Iterator[dict[str, Any]]:
    """Yield events in which the chosen predicates should hold; none if a value cannot be made for one of them."""
    holding = [predicate for predicate, holds in choice.items() if holds]
    denied = [predicate for predicate, holds in choice.items() if not holds]
    reaches: tuple[Reach, ...] = ("next", "whole", "far", "denied")
    for fresh in (_FRESH, ""):
        for reach in reaches:
            making = Making(fresh, reach, denied, surroundings, objects)
            made: dict[str, Any] = {}
            try:
                for predicate in holding:
                    path = predicate.attribute or (*surroundings.reading.text, ())[0]
                    _put(made, path, _value(predicate, making))
            except NoWitnessError:
                return
            yield made


def _put(event: dict[str, Any], path: Path, value: Any) -> None:
    """Add a value to those of an attribute."""
    if not path:
        raise NoWitnessError
    for name in path[:-1]:
        event = event.setdefault(name, {})
        if not isinstance(event, dict):
            raise NoWitnessError
    last = path[-1]
    if last not in event:
        event[last] = value
    elif isinstance(event[last], list):
        event[last].append(value)
    else:
        event[last] = [event[last], value]


def _value(predicate: Predicate, making: Making) -> Any:
    """Return a value that should satisfy a predicate."""
    if predicate.reader is not None:
        made = _read_value(predicate, making)
        if made is None:
            raise NoWitnessError
        return made
    if making.reach == "denied":
        for value in _constants(predicate, making):
            if predicate.holds(value):
                return value
    if predicate.operator in ("EXISTS", "!="):
        return _FRESH
    if predicate.operator in ("=", "IN"):
        kind, value = predicate.constants[0]
        upper = making.reach == "whole" and predicate.view is View.FOLDED and value.upper().casefold() == value
        return value.upper() if upper else _raw(kind, value, predicate.view)
    if predicate.operator in ("STARTS WITH", "ENDS WITH"):
        return _raw(TEXT, predicate.constants[0][1] + making.fresh, predicate.view)
    kind, value = _in_interval(predicate, making.reach)
    return _raw(kind, value, predicate.view)


def _constants(predicate: Predicate, making: Making) -> Iterator[Any]:
    """Yield the constants of the predicates about the same attribute that must not hold."""
    for other in making.denied:
        if other.attribute == predicate.attribute and other.reader is None:
            for kind, value in other.constants[:16]:
                yield _raw(kind, value, other.view)


def _read_value(predicate: Predicate, making: Making) -> Any:
    """Return a value that a reader should find a predicate in; None if there is none."""
    reader, fresh = predicate.reader, making.fresh
    if reader is Elements:
        return making.objects(predicate)
    if reader is Terms:
        return f"{fresh}{' '.join(sample_of(predicate.constants[0]))}{fresh}"
    if reader is Nodes:
        return f"{predicate.constants[0][1]}{'/' if fresh else ''}{fresh}"
    if reader is Patterns:
        words, gaps = parse(predicate.constants[0], len(predicate.constants[0]))
        pieces = zip(gaps, (*words, ""), strict=True)
        return fresh + "".join(_FRESH * gap.questions + fresh * gap.star + word for gap, word in pieces) + fresh
    if reader in (Substrings, FoldedSubstrings):
        (forms,) = predicate.constants
        return "".join(fresh if piece is None else piece or _FRESH for piece in forms)
    if reader is Paths:
        path = making.surroundings.reading.path_compiler(predicate.attribute).parse(predicate.constants[0])
        return next(documents(path, path))
    return None


def _in_interval(predicate: Predicate, reach: Reach) -> tuple[int, Any]:
    """Return a key that satisfies a comparison: its end, the next key, or the next whole number; or one far from it."""
    found = interval_of(predicate)
    if found is None or found.is_empty:
        raise NoWitnessError
    up = found.low is not None
    end, is_open = (found.low, found.low_open) if up else (found.high, found.high_open)
    if reach == "far":
        if up and found.high is not None:
            return found.kind, end if found.high_open else found.high
        return found.kind, _far(found.kind, end, up)
    return found.kind, _beside(found.kind, end, up, reach) if is_open else end


def _far(kind: int, end: Any, up: bool) -> Any:
    if kind == TEXT:
        return "\U0010ffff" if up else ""
    return end + _FAR.get(kind, 0) * (1 if up else -1)


def _beside(kind: int, end: Any, up: bool, reach: Reach) -> Any:
    if kind == TEXT:
        return end + "\0" if up else end[:-1]
    if kind == NUMBER and reach == "next" and abs(end) < _EXACT:
        return math.nextafter(end, math.inf if up else -math.inf)
    return end + (1 if up else -1)


def _raw(kind: int, value: Any, view: Any) -> Any:
    """Return a value that a view sees as a key."""
    if kind == INSTANT:
        if abs(value) >= 1 << 63:
            raise NoWitnessError
        return str(np.datetime64(int(value), "ns"))
    if kind == ADDRESS4:
        return str(ipaddress.IPv4Address(value))
    if kind == ADDRESS6:
        return str(ipaddress.IPv6Address(value))
    return value[::-1] if view in (View.BACKWARDS, View.FOLDED_BACKWARDS) else value
