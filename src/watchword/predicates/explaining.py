"""Why an event satisfies a clause or not: each predicate with the values that it met, in plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from watchword.errors import EventError
from watchword.index import ClauseReport
from watchword.predicates.hierarchies import Hierarchy, within
from watchword.predicates.predicate import Predicate, show, show_clause, show_path, values_at
from watchword.predicates.values import plain_key, show_value
from watchword.sets.boolean import Clause

_SHOWN = 5
_NO_HIERARCHY = Hierarchy({})


def report(clause: Clause[Predicate], event: Any, hierarchies: Mapping[str, Hierarchy]) -> ClauseReport:
    """Return how a clause fares with an event.

    >>> from watchword.predicates.query import Limits, parse
    >>> (clause,) = parse("name = 'RBS' AND value > 20", Limits(256, 64, 1024, 65536))
    >>> print(report(clause, {"name": "RBS", "value": 15}, {}))
    missing value > 20 (met 15) in: name = 'RBS' AND value > 20
    """
    missing = tuple(_met(one, event) for one in clause.required if not holds(one, event, hierarchies))
    forbidden = tuple(_met(one, event) for one in clause.forbidden if holds(one, event, hierarchies))
    return ClauseReport(show_clause(clause), missing, forbidden)


def holds(predicate: Predicate, event: Any, hierarchies: Mapping[str, Hierarchy]) -> bool:
    """Say whether a predicate holds in an event."""
    values = values_at(event, predicate.attribute)
    if predicate.operator == "ANY":
        inner = within(hierarchies, predicate.attribute)
        return any(
            report(clause, value, inner).held
            for value in values
            if isinstance(value, dict)
            for clause in predicate.constants
        )
    if predicate.operator == "KIND OF":
        hierarchy = hierarchies.get(show_path(predicate.attribute), _NO_HIERARCHY)
        ((_, node),) = predicate.constants
        return any(node in hierarchy.nodes(value) for value in values if isinstance(value, str))
    try:
        return True in [predicate.holds(value) for value in values]  # all: one of no kind is refused, as by match
    except TypeError as error:
        raise EventError(f"{show_path(predicate.attribute)}: {error}", position=0) from None


def _met(predicate: Predicate, event: Any) -> str:
    values = [value for value in values_at(event, predicate.attribute) if _is_there(value)]
    if not values:
        return f"{show(predicate)} (it is missing)"
    shown = ", ".join(show_value(value) for value in values[:_SHOWN])
    return f"{show(predicate)} (met {shown}{', …' if len(values) > _SHOWN else ''})"


def _is_there(value: Any) -> bool:
    try:
        return plain_key(value) is not None
    except TypeError:  # of no kind, which ANY and KIND OF pass over
        return True
