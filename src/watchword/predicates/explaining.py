"""Why an event satisfies a clause or not: each predicate with the values that it met, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from watchword.errors import EventError
from watchword.index import ClauseReport
from watchword.predicates.predicate import Path, Predicate, show, show_clause, show_path, values_at
from watchword.predicates.values import plain_key, show_value
from watchword.sets.boolean import Clause

if TYPE_CHECKING:
    from watchword.predicates.readers.reader import Surroundings

_SHOWN = 5


def report(clause: Clause[Predicate], event: Any, surroundings: Surroundings) -> ClauseReport:
    """Return the required predicates of a clause that fail in an event, and the forbidden ones that hold.

    >>> from watchword.predicates.query import Limits, parse
    >>> from watchword.predicates.readers.reader import ALONE
    >>> (clause,) = parse("name = 'RBS' AND value > 20", Limits(256, 64, 1024, 65536))
    >>> print(report(clause, {"name": "RBS", "value": 15}, ALONE))
    missing value > 20 (met 15) in: name = 'RBS' AND value > 20
    """
    clause = clause.nearest(lambda one: holds(one, event, surroundings))
    missing = tuple(_met(one, event, surroundings) for one in clause.required if not holds(one, event, surroundings))
    forbidden = tuple(_met(one, event, surroundings) for one in clause.forbidden if holds(one, event, surroundings))
    text = show_clause(clause)
    if not missing and not forbidden:
        held = [_where(one, event, surroundings) for one in clause.required]
        text = " AND ".join(held + [f"NOT {show(one)}" for one in clause.forbidden])
    return ClauseReport(text, missing, forbidden)


def _where(predicate: Predicate, event: Any, surroundings: Surroundings) -> str:
    """Return a predicate that holds as it is written, and where in a text it does.

    ``body MATCHES 'ferry' (at 4)``; ``MATCHES 'ferry' (body at 4)`` where it may stand in several attributes.
    """
    if predicate.reader is not None:
        reader = predicate.reader(predicate.attribute, surroundings)
        for path in attributes(predicate, surroundings):
            for value in values_at(event, path):
                found = reader.where(predicate, value)
                if found is not None:
                    owner = "" if predicate.attribute else f"{show_path(path)} "
                    return f"{show(predicate)} ({owner}at {found[0]})"
    return show(predicate)


def attributes(predicate: Predicate, surroundings: Surroundings) -> Sequence[Path]:
    """Return the attributes that a predicate is about: its own, or those of the option `text`."""
    return [predicate.attribute] if predicate.attribute else surroundings.reading.text


def _values(predicate: Predicate, event: Any, surroundings: Surroundings) -> list[Any]:
    return [value for path in attributes(predicate, surroundings) for value in values_at(event, path)]


def holds(predicate: Predicate, event: Any, surroundings: Surroundings) -> bool:
    """Say whether a predicate holds in an event."""
    values = _values(predicate, event, surroundings)
    if predicate.reader is not None:
        reader = predicate.reader(predicate.attribute, surroundings)
        return any(reader.holds(predicate, value) for value in values)
    try:
        return True in [predicate.holds(value) for value in values]  # all: one of no kind is refused, as by match
    except TypeError as error:
        raise EventError(f"{show_path(predicate.attribute)}: {error}", position=0) from None


def _met(predicate: Predicate, event: Any, surroundings: Surroundings) -> str:
    values = [value for value in _values(predicate, event, surroundings) if _is_there(value)]
    if not values:
        return f"{show(predicate)} (it is missing)"
    shown = ", ".join(show_value(value) + _fault(predicate, value, surroundings) for value in values[:_SHOWN])
    return f"{show(predicate)} (met {shown}{', …' if len(values) > _SHOWN else ''})"


def _fault(predicate: Predicate, value: Any, surroundings: Surroundings) -> str:
    """Return why the reader of a predicate cannot read a value, behind a comma; nothing if it can."""
    reason = None if predicate.reader is None else predicate.reader(predicate.attribute, surroundings).fault(value)
    return "" if reason is None else f", {reason}"


def _is_there(value: Any) -> bool:
    try:
        return plain_key(value) is not None
    except TypeError:  # of no kind, which readers pass over
        return True
