"""The dialects of the predicate language: rules written for other systems, and what turns each into a subscription."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from watchword.predicates.dialects.cesql import from_cesql
from watchword.predicates.dialects.eventbridge import from_eventbridge
from watchword.predicates.dialects.hypermatch import from_hypermatch
from watchword.predicates.dialects.sigma import from_sigma
from watchword.predicates.dialects.sigma.files import Rule, read_rules
from watchword.predicates.dialects.sns import from_sns

__all__ = ["DIALECTS", "RULE_FILES"]


def _loaded(module: str, name: str) -> Callable[..., Any]:
    """Return a function of a module that is loaded when it is called: words of texts need numba."""

    def call(*given: Any, **named: Any) -> Any:
        return getattr(import_module(f"watchword.predicates.dialects.{module}"), name)(*given, **named)

    return call


DIALECTS: Mapping[str, Callable[[str], str]] = {
    "cesql": from_cesql,
    "elasticsearch": _loaded("elasticsearch.queries", "from_elasticsearch"),
    "eventbridge": from_eventbridge,
    "hypermatch": from_hypermatch,
    "lucene": _loaded("lucene.queries", "from_lucene"),
    "sigma": from_sigma,
    "sns": from_sns,
    "sns-body": partial(from_sns, scope="MessageBody"),
}
"""By name; `sns` is a filter policy on message attributes, `sns-body` one on the message's body."""

RULE_FILES: Mapping[str, Callable[..., list[Rule] | None]] = {
    "elasticsearch": _loaded("elasticsearch.dumps", "read_dump"),
    "sigma": read_rules,
}
"""By name, for a dialect whose rules come in files of its own: the rules of a folder, a file or an archive, None for
others."""
