"""Filter policies of Amazon SNS subscriptions as subscriptions of ours.

>>> print(from_sns({"store": ["example_corp"], "event": [{"anything-but": "order_cancelled"}]}))
store = 'example_corp' AND event != 'order_cancelled'
>>> print(from_sns('{"detail": {"price": [{"numeric": [">", 100]}]}}', scope="MessageBody"))
detail.price > 100

An event is the message's body as an object, or, for a policy on message attributes, an object of their names and
values: ``{"store": "example_corp", "price_usd": 301.5, "interests": ["rugby", "tennis"]}`` for attributes of type
String, Number and String.Array. The answers are those of SNS but for the differences that docs/predicates.md lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from watchword.errors import OptionError
from watchword.predicates.dialects.aws import read
from watchword.predicates.dialects.eventbridge import translated

__all__ = ["from_sns"]

Scope = Literal["MessageAttributes", "MessageBody"]


def from_sns(policy: str | bytes | Mapping[str, Any], *, scope: Scope = "MessageAttributes") -> str:
    """Return the subscription with the answers of a filter policy, which is JSON or a mapping.

    `scope` is the policy's FilterPolicyScope: message attributes are flat, a message's body may be nested.

    >>> from_sns({"detail": {"price": [5]}})
    Traceback (most recent call last):
    ...
    watchword.predicates.dialects.aws.PatternError: detail: message attributes are flat; for nested keys use \
scope="MessageBody"
    """
    if scope not in ("MessageAttributes", "MessageBody"):
        raise OptionError(f"scope is 'MessageAttributes' or 'MessageBody', not {scope!r}")
    return translated(read(policy), nested=scope == "MessageBody")
