"""Comparisons: of constants, which are calculated, and of one attribute with a constant, which become conditions.

>>> from watchword.predicates.dialects.cesql.views import Attribute
>>> equal("07", 7), ordered("<", Attribute("hop"), 5).true, ordered("<", 5, Attribute("hop")).true
(True, 'hop AS INTEGER < 5', 'hop AS INTEGER > 5')

The left side of ``=`` is cast to the type of the right one (section 3.7 of the specification).
"""

from __future__ import annotations

from watchword.predicates.dialects.cesql.constants import cast, compare
from watchword.predicates.dialects.cesql.syntax import Value
from watchword.predicates.dialects.cesql.trees import Truth, fixed, opposite
from watchword.predicates.dialects.cesql.views import (
    Attribute,
    Integers,
    Refusal,
    Texts,
    View,
    same,
    truth_as_integer,
    truth_as_text,
)

CONSTANTS = (str, int, bool)
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_TWO = (
    "two attributes cannot be compared with each other; compare each with a constant, or add an attribute that has the "
    "result to the events"
)


def truth_of(found: Value | View) -> Truth:
    """Return a value cast to a Boolean, as a condition; a `Fault` for a constant that cannot be."""
    if isinstance(found, CONSTANTS):
        return fixed(bool(cast(found, bool)))
    if isinstance(found, Texts):
        raise Refusal("a function that makes a text cannot be taken for a Boolean; compare it with a text")
    return found if isinstance(found, Truth) else found.as_truth()


def integers_of(found: View) -> Integers:
    """Return a view cast to an Integer."""
    if isinstance(found, Texts):
        raise Refusal("a function that makes a text cannot be taken for an Integer; compare it with a text")
    if isinstance(found, Attribute):
        return found.as_integer()
    return truth_as_integer(found) if isinstance(found, Truth) else found


def texts_of(found: View) -> Texts:
    """Return a view cast to a String."""
    if isinstance(found, Truth):
        return truth_as_text(found)
    return found if isinstance(found, Texts) else found.as_text()


def equal(left: Value | View, right: Value | View) -> bool | Truth:
    """Return whether two values are equal; a `Fault` if the left one cannot be cast to the type of the right one."""
    if isinstance(right, CONSTANTS):
        return cast(left, type(right)) == right if isinstance(left, CONSTANTS) else _equal_constant(left, right)
    if isinstance(left, CONSTANTS):
        return _constant_equal(left, right)
    if isinstance(right, Truth):
        return same(truth_of(left), right)
    raise Refusal(_TWO)


def _equal_constant(left: View, right: Value) -> Truth:
    if isinstance(right, bool):
        return truth_of(left) if right else opposite(truth_of(left))
    if isinstance(right, int):
        return integers_of(left).compare("=", right)
    return texts_of(left).equal(right)


def _constant_equal(left: Value, right: View) -> Truth:
    if isinstance(right, Attribute):
        return right.among([left])
    if isinstance(right, Texts):
        return right.equal(str(cast(left, str)))
    if isinstance(right, Truth):
        return right if cast(left, bool) else opposite(right)
    return right.compare("=", int(cast(left, int)))


def ordered(sign: str, left: Value | View, right: Value | View) -> bool | Truth:
    """Return whether a comparison of integers holds; a `Fault` for a constant that is none."""
    if isinstance(left, CONSTANTS):
        if isinstance(right, CONSTANTS):
            return compare(sign, int(cast(left, int)), int(cast(right, int)))
        left, right, sign = right, left, _FLIPPED[sign]
    if not isinstance(right, CONSTANTS):
        raise Refusal(_TWO)
    return integers_of(left).compare(sign, int(cast(right, int)))
