"""Ranges of one field as predicates: of numbers, dates, addresses and texts.

>>> dates, price = Dates(now_of("2026-05-04")), Field("price", "number", (("price",),))
>>> between(price, End(1, True), End(3, False), dates).text, between(price, None, End(3, False), dates).text
('price BETWEEN 1 AND 2.9999999999999996', 'price < 3')
>>> between(Field("at", "date", (("at",),)), End("now-1d/d", True), None, dates).text
"at >= '2026-05-03'"

Both ends are one BETWEEN wherever that can be, so that one value of a list lies between them. A range of texts whose
upper end is left out of it is two predicates, which two values may meet.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from watchword.predicates.dialects.aws import quoted
from watchword.predicates.dialects.conditions import beside
from watchword.predicates.dialects.searches.dates import EPOCHS, Dates, check_formats, in_unit, iso, now_of
from watchword.predicates.dialects.searches.fields import Field
from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.trees import NONE, Leaf, Tree, every, some
from watchword.predicates.dialects.searches.values import between_addresses, number_literal, number_of, text_of
from watchword.predicates.values import instant_of_text

__all__ = ["Dates", "End", "Field", "between", "now_of"]


class End(NamedTuple):
    """An end of a range, and whether it is part of the range."""

    value: Any
    included: bool


def between(field: Field, low: End | None, high: End | None, dates: Dates) -> Tree:
    """Return that a field lies in a range; None for an end that is open."""
    return some(_between(field, attribute, low, high, dates) for attribute in field.attributes)


def _between(field: Field, attribute: str, low: End | None, high: End | None, dates: Dates) -> Tree:
    if low is None and high is None:
        return Leaf(f"{attribute} EXISTS")
    kind = _kind(field, [end.value for end in (low, high) if end is not None], dates)
    if kind == "number":
        return _numbers(attribute, field.name, low, high)
    if kind == "date":
        return _dates(attribute, field, low, high, dates)
    if kind == "ip":
        return between_addresses(attribute, field.name, low, high)
    if kind == "keyword":
        return _texts(attribute, field, low, high)
    raise Refused(f"a range is of numbers, dates, addresses or whole texts, and {field.name} is of the type {kind}")


def _kind(field: Field, ends: list[Any], dates: Dates) -> str:
    """Return the kind of a field, or, if no mapping names it, the kind of its ends."""
    if field.kind != "any":
        return field.kind
    if all(number_of(end) is not None for end in ends):
        return "number"
    return "date" if all(dates.is_date(end) for end in ends) else "keyword"


def _numbers(attribute: str, name: str, low: End | None, high: End | None) -> Tree:
    ends: list[int | float | None] = []
    for end in (low, high):
        number = None if end is None else number_of(end.value)
        if end is not None and number is None:
            raise Refused(f"{name} is a number, and {end.value!r:.60} is none")
        ends.append(number)
    if low is None or high is None:
        return Leaf(f"{attribute} {_sign(low, high)} {number_literal(_one(ends))}")
    first = ends[0] if low.included else beside(_one(ends[:1]), 1)
    last = ends[1] if high.included else beside(_one(ends[1:]), -1)
    if first is None or last is None or first > last:
        return NONE
    return Leaf(f"{attribute} BETWEEN {number_literal(first)} AND {number_literal(last)}")


def _one(ends: list[int | float | None]) -> int | float:
    return next(end for end in ends if end is not None)


def _sign(low: End | None, high: End | None) -> str:
    if low is not None:
        return ">=" if low.included else ">"
    return "<=" if high is not None and high.included else "<"


def _dates(attribute: str, field: Field, low: End | None, high: End | None, dates: Dates) -> Tree:
    """Return a range of dates; of numbers, too, where a field's formats say that numbers are dates."""
    check_formats(field.name, field.formats)
    first = None if low is None else dates.moment(low.value, up=not low.included)
    last = None if high is None else dates.moment(high.value, up=high.included)
    parts: list[Tree] = []
    if any(one not in EPOCHS for one in field.formats):
        parts.append(_instants(attribute, first, last, low, high))
    begin = None if low is None or first is None else first + (not low.included)
    end = None if high is None or last is None else last - (not high.included)
    units = [EPOCHS[one] for one in field.formats if one in EPOCHS]
    parts += [_counted(attribute, begin, end, unit) for unit in units]
    return some(parts)


def _instants(attribute: str, first: int | None, last: int | None, low: End | None, high: End | None) -> Tree:
    if first is None or last is None:
        return Leaf(f"{attribute} {_sign(low, high)} '{iso(_one([first, last]))}'")  # type: ignore[arg-type]
    begin = first + (low is not None and not low.included)
    end = last - (high is not None and not high.included)
    return Leaf(f"{attribute} BETWEEN '{iso(begin)}' AND '{iso(end)}'") if begin <= end else NONE


def _counted(attribute: str, begin: int | None, end: int | None, unit: int) -> Tree:
    """Return a range of dates that are numbers of milliseconds or seconds."""
    low = None if begin is None else in_unit(begin, unit, True)
    high = None if end is None else in_unit(end, unit, False)
    if low is None or high is None:
        return Leaf(f"{attribute} >= {low}" if low is not None else f"{attribute} <= {high}")
    return Leaf(f"{attribute} BETWEEN {low} AND {high}") if low <= high else NONE


def _texts(attribute: str, field: Field, low: End | None, high: End | None) -> Tree:
    case = " IGNORING CASE" if field.folded else ""
    parts: list[Tree] = []
    for end, signs in ((low, (">=", ">")), (high, ("<=", "<"))):
        if end is None:
            continue
        text = text_of(end.value)
        if instant_of_text(text) is not None and not field.folded:
            raise Refused(f"{field.name} is a text, and {text!r} would be compared as a date; give it the type date")
        parts.append(Leaf(f"{attribute} {signs[not end.included]} {quoted(text)}{case}"))
    if low is not None and high is not None and low.included and high.included:
        ends = f"{quoted(text_of(low.value))} AND {quoted(text_of(high.value))}"
        return Leaf(f"{attribute} BETWEEN {ends}{case}")
    return every(parts)
