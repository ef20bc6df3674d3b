"""A refused text that looks like another language's is said to; one that has a sign of its own language is not."""

from __future__ import annotations

import doctest
import time

import pyarrow as pa
import pytest

from watchword import Index, PathIndex, PredicateIndex, PropertyIndex, SubscriptionSyntaxError, likeness

KEYWORDS = [
    *(
        "ferry AND harbour",
        "ferry harbour",
        "greece -imf",
        '"debt crisis" OR imf',
        "ferry NEAR/3 port",
        "ferry w/3 port",
    ),
    *("(ferry OR boat) NOT port", "ferr* boat~1", "2 OF (ferry, storm, port)", "title:ferry storm", "ferry && port"),
]
PATHS = ["//media[@type='image']", "/nitf/head//title", "//title", "//*[contains(., 'ferry')]"]
PREDICATES = ["value > 20", "name = 'RBS' AND value > 20", "name LIKE 'x%'", "a IS MISSING", "price BETWEEN 1 AND 3"]
JSON = ['{"source": ["aws.ec2"]}', '{"status": {"equals": "firing"}}', '\n{ "a": [1] }']
SIGMA = ["Image|endswith: '\\cmd.exe'", "title: x\ndetection:\n  selection:\n    a: b\n  condition: selection"]
PROPERTIES = ["sports=1 politics=0", "sports = *, arts=1", "10*"]

SAID = {
    "keywords": (KEYWORDS, "looks like keywords, which the language keywords reads"),
    "paths": (PATHS, "looks like a path, which the language paths reads"),
    "predicates": (PREDICATES, "looks like a predicate, which the language predicates reads"),
    "JSON": (JSON, "looks like a rule in JSON, which the language predicates takes by its dialects"),
    "Sigma": (SIGMA, "looks like a rule of Sigma, which the language predicates takes by the dialect sigma"),
    "properties": (PROPERTIES, "looks like properties, which the language properties reads"),
}


def index_of(language: str) -> Index:
    if language == "properties":
        return PropertyIndex(properties=["sports", "politics", "arts", "news"])
    return PredicateIndex() if language == "predicates" else PathIndex()


@pytest.mark.parametrize(
    ("own", "found", "text"),
    [
        (own, found, text)
        for own in ("predicates", "paths", "properties")
        for found, (texts, _) in SAID.items()
        for text in texts
        if found != own and not (own == "predicates" and found == "properties" and "=" in text)
    ],
)
def test_a_text_of_another_language_is_named(own: str, found: str, text: str) -> None:
    with pytest.raises(SubscriptionSyntaxError) as alone:
        index_of(own)["s"] = text
    assert SAID[found][1] in alone.value.reason
    rows = pa.table({"id": ["s"], "subscription": [text]})
    with pytest.raises(SubscriptionSyntaxError) as in_bulk:
        index_of(own).update(rows)
    assert (in_bulk.value.reason, in_bulk.value.position) == (alone.value.reason, alone.value.position)


@pytest.mark.parametrize(
    ("own", "text"),
    [
        *(
            ("predicates", text)
            for text in ("name = 'x' AND harbour", "value >", "name IS NULL", "a = 1 b = 1", "name")
        ),
        *(("predicates", text) for text in ("a NOT BETWEEN 1 AND 2", "ANY orders", "detail.state", "a STARTS 'x'")),
        *(("predicates", text) for text in ("sports=1 politics=0", "a LIKE 5", "lower(a) = 'x'", "", "<b>", "it's a")),
        *(("paths", text) for text in ("/nitf/head[", "//a[@b=]", "//a[b AND c]", "a/b[", "ferry^2", "/a b")),
        *(("properties", text) for text in ("sports=2", "sports=1 unknown=1", "sports=1 sports=0", "sports")),
    ],
)
def test_an_error_of_the_own_language_has_no_hint(own: str, text: str) -> None:
    with pytest.raises(SubscriptionSyntaxError) as refused:
        index_of(own)["s"] = text
    assert "looks like" not in refused.value.reason


def test_a_predicate_is_told_how_it_asks_in_other_languages() -> None:
    for text, remedy in [("ferry AND harbour", "body MATCHES '…'"), ("//title", "story MATCHES PATH '…'")]:
        with pytest.raises(SubscriptionSyntaxError, match="a predicate asks so by") as refused:
            PredicateIndex({"s": text})
        assert remedy in refused.value.reason


def test_the_examples_are_right() -> None:
    outcome = doctest.testmod(likeness)
    assert outcome.attempted and not outcome.failed


@pytest.mark.parametrize(
    "text", ["a " * 50_000 + "{", "\n" * 50_000, "a=1 " * 30_000 + "x", " " * 50_000 + "<", "[0" * 9_000]
)
def test_a_hostile_text_is_looked_at_for_a_moment_only(text: str) -> None:
    began = time.process_time()
    likeness.likely(text)
    assert time.process_time() - began < 1
