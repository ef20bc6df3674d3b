"""Input that is made to cost more than its length: twice as much of it takes twice as long, not four times.

Each case is large enough for a quadratic step to take minutes; then the test fails by `SOON`. Cases that were found
once stay here, with their neighbours in other languages.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pyarrow as pa
import pytest

from tests.test_hostile import SOON
from watchword import (
    EventError,
    Index,
    KeywordIndex,
    PathIndex,
    PatternIndex,
    PredicateIndex,
    PropertyIndex,
    SubscriptionError,
)

MANY, FEWER = 200_000, 50_000
"""Characters, or steps of a kernel; objects of Python's."""
PROPERTIES = [f"p{number}" for number in range(20_000)]

SUBSCRIPTIONS: dict[str, tuple[Callable[[], Index[str]], str]] = {
    "quotation marks": (KeywordIndex, '"' * MANY),
    "opened parentheses": (KeywordIndex, "(" * MANY),
    "operators": (KeywordIndex, "a AND " * MANY),
    "a long phrase": (KeywordIndex, '"' + "a " * MANY + '"'),
    "question marks": (PatternIndex, "a" + "?" * MANY + "b"),
    "stars": (PatternIndex, "a*" * MANY),
    "escapes": (PatternIndex, "\\*" * MANY),
    "steps": (PathIndex, "//a" * MANY),
    "conditions": (PathIndex, "//a" + "[@b]" * MANY),
    "an opened condition": (PathIndex, "//a[" * MANY),
    "a list of values": (PredicateIndex, "a IN (" + ", ".join(f"'v{number}'" for number in range(FEWER)) + ")"),
    "parentheses of rules": (PredicateIndex, "(" * MANY + "a = 1" + ")" * MANY),
    "percent signs": (PredicateIndex, "a LIKE '" + "%a" * MANY + "'"),
    "apostrophes": (PredicateIndex, "a = '" + "''" * MANY + "'"),
    "digits": (PredicateIndex, "a = " + "1" * MANY),
    "a name of many parts": (PredicateIndex, "a" + ".b" * MANY + " = 1"),
    "properties": (lambda: PropertyIndex(properties=PROPERTIES), " ".join(f"{name}=1" for name in PROPERTIES)),
}

EVENTS: dict[str, tuple[Callable[[], Index[str]], Any, int]] = {
    "a phrase that nearly begins everywhere": (lambda: KeywordIndex({"s": '"a a a a a a b"'}), "a " * MANY, 0),
    "different words": (lambda: KeywordIndex({"s": "w7 w9"}), " ".join(f"w{number}" for number in range(MANY)), 1),
    "one long word": (lambda: KeywordIndex({"s": "a"}), "a" * MANY, 0),
    "marks without a letter": (lambda: KeywordIndex({"s": "a"}), "\u0301\u0327" * MANY, 0),
    "a pattern that nearly begins everywhere": (lambda: PatternIndex({"s": "a?a?a?a?ab"}), "a" * MANY, 0),
    "stars over one letter": (lambda: PatternIndex({"s": "ab*ab*ab*c"}), "ab" * MANY, 0),
    "siblings": (lambda: PathIndex({"s": "//a/b//c"}), b"<r>" + b"<a><b/></a>" * MANY + b"</r>", 0),
    "attributes": (
        lambda: PathIndex({"s": "//a[@b7='1']"}),
        f"<a {' '.join(f'b{n}={chr(34)}1{chr(34)}' for n in range(20_000))}/>".encode(),
        1,
    ),
    "levels": (lambda: PathIndex({"s": "//a//a//a//b"}), b"<a>" * 900 + b"</a>" * 900, 0),
    "pieces of text": (lambda: PathIndex({"s": "//a[text()='x']"}), b"<a>" + b"&lt;" * MANY + b"</a>", 0),
    "a comment": (lambda: PathIndex({"s": "/a"}), b"<a><!--" + b"- " * MANY + b"--></a>", 1),
    "a list of values": (lambda: PredicateIndex({"s": "a CONTAINS 7"}), {"a": list(range(FEWER))}, 1),
    "a list of objects": (lambda: PredicateIndex({"s": "ANY a (b = 7)"}), {"a": [{"b": n} for n in range(FEWER)]}, 1),
    "a value like a rule": (lambda: PredicateIndex({"s": "a LIKE '%ab%ab%ab%c'"}), {"a": "ab" * MANY}, 0),
    "a value with a prefix": (
        lambda: PredicateIndex({f"s{n}": f"a STARTS WITH '{'x' * n}'" for n in range(1, 300)}),
        {"a": "x" * MANY},
        299,
    ),
    "escapes of JSON": (lambda: PredicateIndex({"s": "a = 'x'"}), '{"a": "' + "\\u0041" * MANY + '"}', 0),
    "digits of JSON": (lambda: PredicateIndex({"s": "a > 5"}), '{"a": 0.' + "1" * MANY + "}", 0),
    "lists of JSON": (lambda: PredicateIndex({"s": "a = 1"}), '{"b": ' + "[" * 90 + "]" * 90 + ', "a": 1}', 1),
    "keys of JSON": (
        lambda: PredicateIndex({"s": "k7.a = 1"}),
        "{" + ", ".join(f'"k{number}": {{"a": 1}}' for number in range(FEWER)) + "}",
        1,
    ),
    "a bit string": (lambda: PropertyIndex({"s": "p7=1"}, properties=PROPERTIES), "1" * len(PROPERTIES), 1),
}


@pytest.mark.slow
@pytest.mark.parametrize(("make", "text"), SUBSCRIPTIONS.values(), ids=SUBSCRIPTIONS.keys())
def test_a_subscription_is_taken_or_refused_soon(make: Callable[[], Index[str]], text: str) -> None:
    index = make()
    began = time.process_time()
    with suppress(SubscriptionError):
        index["s"] = text
    with suppress(SubscriptionError):
        index.update(pa.table({"id": ["t"], "subscription": [text]}))
    assert time.process_time() - began < SOON


@pytest.mark.slow
@pytest.mark.parametrize(("make", "event", "matches"), EVENTS.values(), ids=EVENTS.keys())
def test_an_event_is_read_soon(make: Callable[[], Index[str]], event: Any, matches: int) -> None:
    """One by one, in a batch, and explained, with the right answer."""
    index = make()
    began = time.process_time()
    assert len(index.match(event)) == matches
    assert len(index.match_many([event, event])) == 2 * matches
    with suppress(EventError):
        assert bool(index.explain(event, next(iter(index)))) == bool(matches)
    assert time.process_time() - began < SOON
