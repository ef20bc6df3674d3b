"""Watchword matches standing subscriptions against streams of events.

>>> from watchword import KeywordIndex
>>> index = KeywordIndex({"s1": "greece AND crisis", "s2": "greece crisis imf"})
>>> index["s3"] = "bailout NOT imf"
>>> del index["s2"]
>>> index.match("Greece asks for a bailout as the crisis deepens")
['s1', 's3']

Importing this package loads neither numba nor Spark: a name is looked up in its home when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from watchword.errors import (
    EventError,
    OptionError,
    SnapshotError,
    SubscriptionError,
    SubscriptionSyntaxError,
    WatchwordError,
)

if TYPE_CHECKING:
    from watchword.index import Explanation, Index, Refused, Stats, methods
    from watchword.keywords import KeywordIndex
    from watchword.paths import PathIndex
    from watchword.patterns import PatternIndex
    from watchword.predicates import PredicateIndex
    from watchword.properties import PropertyIndex

__version__ = "0.3.0"

_HOMES = {
    "Explanation": "watchword.index",
    "Index": "watchword.index",
    "KeywordIndex": "watchword.keywords",
    "PathIndex": "watchword.paths",
    "PatternIndex": "watchword.patterns",
    "PredicateIndex": "watchword.predicates",
    "PropertyIndex": "watchword.properties",
    "Refused": "watchword.index",
    "Stats": "watchword.index",
    "methods": "watchword.index",
}

__all__ = [
    "EventError",
    "Explanation",
    "Index",
    "KeywordIndex",
    "OptionError",
    "PathIndex",
    "PatternIndex",
    "PredicateIndex",
    "PropertyIndex",
    "Refused",
    "SnapshotError",
    "Stats",
    "SubscriptionError",
    "SubscriptionSyntaxError",
    "WatchwordError",
    "methods",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'watchword' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
