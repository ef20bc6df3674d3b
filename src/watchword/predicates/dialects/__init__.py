"""The dialects of the predicate language: rules written for other systems, and what turns each into a subscription."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from watchword.predicates.dialects.cesql import from_cesql
from watchword.predicates.dialects.eventbridge import from_eventbridge
from watchword.predicates.dialects.hypermatch import from_hypermatch
from watchword.predicates.dialects.sigma import from_sigma
from watchword.predicates.dialects.sigma.files import Rule, read_rules
from watchword.predicates.dialects.sns import from_sns

__all__ = ["DIALECTS", "RULE_FILES"]

DIALECTS: Mapping[str, Callable[[str], str]] = {
    "cesql": from_cesql,
    "eventbridge": from_eventbridge,
    "hypermatch": from_hypermatch,
    "sigma": from_sigma,
    "sns": from_sns,
    "sns-body": partial(from_sns, scope="MessageBody"),
}
"""By name; `sns` is a filter policy on message attributes, `sns-body` one on the message's body."""

RULE_FILES: Mapping[str, Callable[[str], list[Rule] | None]] = {"sigma": read_rules}
"""By name, for a dialect that has a rule in each file: the rules of a folder, a file or an archive, None for others."""
