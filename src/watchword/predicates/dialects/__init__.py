"""The dialects of the predicate language: rules written for other systems, and what turns each into a subscription."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from watchword.predicates.dialects.eventbridge import from_eventbridge
from watchword.predicates.dialects.sigma import from_sigma
from watchword.predicates.dialects.sns import from_sns

__all__ = ["DIALECTS"]

DIALECTS: Mapping[str, Callable[[str], str]] = {
    "eventbridge": from_eventbridge,
    "sigma": from_sigma,
    "sns": from_sns,
    "sns-body": partial(from_sns, scope="MessageBody"),
}
"""By name; `sns` is a filter policy on message attributes, `sns-body` one on the message's body."""
