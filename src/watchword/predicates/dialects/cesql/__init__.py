r"""Expressions of CloudEvents SQL, version 1, as subscriptions.

>>> print(from_cesql("source = 'https://example.com' AND type LIKE 'com.example.%' AND NOT (subject = 'test')"))
source = 'https://example.com' AND type STARTS WITH 'com.example.' AND subject != 'test'
>>> print(from_cesql("sequence > 5 AND (region IN ('eu', 'us') OR EXISTS urgent)"))
sequence AS INTEGER > 5 AND (region IN ('eu', 'us') OR region LIKE '%' AND urgent EXISTS)

An event is a cloud event as an object: its attributes by name, each a text, an integer or a boolean. It passes where
the expression is true and meets no error, as filters of the specification have it. A missing attribute is an error, and
so is an integer that is to equal 'eu', which is why `region` has to be a text in the example: OR asks its right side
only after its left side is false.

    syntax       an expression into a tree of nodes
    constants    casts, arithmetic and functions of constants
    trees        conditions that are true, false, or an error
    views        attributes, cast: which values have which meaning
    comparing    = and <, of constants and of views
    integers     integers whose digits have the form of a LIKE
    cutting      LEFT, RIGHT and SUBSTRING as forms of the whole text
    translating  nodes into conditions
"""

from __future__ import annotations

from watchword.errors import SubscriptionSyntaxError
from watchword.predicates.dialects.cesql.translating import translated
from watchword.predicates.dialects.cesql.trees import show

__all__ = ["from_cesql"]


def from_cesql(expression: str | bytes) -> str:
    """Return the subscription with the answers of an expression.

    Wrong syntax, a part without a predicate and an expression that passes no event raise a `SubscriptionSyntaxError`
    with the place:

    >>> from_cesql("hop < ttl")
    Traceback (most recent call last):
    ...
    watchword.errors.SubscriptionSyntaxError: two attributes cannot be compared with each other; compare each with a \
constant, or add an attribute that has the result to the events
      hop < ttl
          ^
    """
    if isinstance(expression, bytes):
        try:
            expression = expression.decode("utf-8")
        except UnicodeDecodeError as error:
            raise SubscriptionSyntaxError(
                f"not UTF-8 at byte {error.start}", text=repr(expression)[:200], position=0
            ) from error
    if not isinstance(expression, str):
        message = f"a CESQL expression is a str, not {type(expression).__name__}"
        raise SubscriptionSyntaxError(message, text=repr(expression)[:200], position=0)
    return show(translated(expression))
