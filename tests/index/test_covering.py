"""`covers`, `compare_texts` and `relatives`: each kind of relation is found where it should be, in every language."""

from __future__ import annotations

from typing import Any

import pytest

from watchword import (
    Index,
    KeywordIndex,
    OptionError,
    PathIndex,
    PatternIndex,
    PredicateIndex,
    PropertyIndex,
    SubscriptionError,
)
from watchword.index.covering import MOST_STEPS, Covering, OutOfStepsError, Steps

EQUAL, COVERS, COVERED = Covering.EQUAL, Covering.COVERS, Covering.COVERED
NEITHER, UNKNOWN = Covering.NEITHER, Covering.UNKNOWN

TWENTY = " OR ".join(f"(a{number} b{number})" for number in range(20))

EITHER = " AND ".join(f"(b{number} OR a{number})" for number in range(20))

KEYWORDS = [
    ("ferry", "Ferry", EQUAL),
    ("a b", "b AND a", EQUAL),
    ("ferry", "ferry storm", COVERS),
    ("ferry OR storm", "ferry", COVERS),
    ("a AND (b OR c)", "a b OR a c", EQUAL),
    ("a", "a b OR a NOT b", EQUAL),
    ("NOT (a OR b)", "NOT a NOT b", EQUAL),
    ("a", "a NOT b", COVERS),
    ("a NOT b", "a NOT (b OR c)", COVERS),
    ("a NOT b", "a NOT c", NEITHER),
    ("debt", '"debt crisis"', COVERS),
    ("debt crisis", '"debt crisis"', COVERS),
    ('"debt crisis"', '"the debt crisis looms"', COVERS),
    ('"a b"', '"b a"', NEITHER),
    ('"a b" NOT a', "c", COVERED),
    ("a NOT a", "b NOT b", EQUAL),
    ("a OR NOT a", "b", COVERS),
    ("a", "b", NEITHER),
    ("rock & roll", "rock roll", EQUAL),
    (TWENTY, f"({TWENTY}) AND ({TWENTY})", EQUAL),
    (TWENTY.replace(" b", " OR b").replace(") OR (", ") AND ("), EITHER, EQUAL),
    (TWENTY, " AND ".join(f"a{number} b{number}" for number in range(20)), COVERS),
]

PREDICATES = [
    ("a = 5", "a = 5.0", EQUAL),
    ("a > 3", "a > 5", COVERS),
    ("a >= 5", "a > 5", COVERS),
    ("a > 5", "a >= 5", COVERED),
    ("a > 3", "a = 5 AND b = 'x'", COVERS),
    ("a BETWEEN 1 AND 9", "a BETWEEN 2 AND 8", COVERS),
    ("a >= 1 AND a <= 5", "a BETWEEN 1 AND 5", COVERS),  # of the list [0, 9] the first alone is true
    ("a > 5 AND a < 3", "b = 1", NEITHER),  # true of the list [6, 2]
    ("a != 1", "NOT a = 1", NEITHER),  # true of [1, 2]; true of an event without a
    ("a != 1", "a > 1", COVERS),
    ("a != 1", "a = '1'", COVERS),
    ("a = 1 OR a = 2", "a IN (1, 2)", EQUAL),
    ("a IN (1, 2, 'x')", "a IN ('x', 1)", COVERS),
    ("a EXISTS", "a < 5", COVERS),
    ("a IS MISSING", "NOT a EXISTS", EQUAL),
    ("NOT a = 1", "a IS MISSING", COVERS),
    ("a = 1 AND a IS MISSING", "b = 1", COVERED),
    ("a BETWEEN 5 AND 1", "b = 1 AND NOT b = 1", EQUAL),
    ("a BETWEEN 5 AND 1 OR b = 1", "b = 1", EQUAL),
    ("a STARTS WITH 'ab'", "a STARTS WITH 'abc'", COVERS),
    ("a STARTS WITH 'ab'", "a BETWEEN 'ab' AND 'abz'", COVERS),
    ("a STARTS WITH 'ab' IGNORING CASE", "a STARTS WITH 'ABC'", COVERS),
    ("a ENDS WITH 'c'", "a ENDS WITH 'bc'", COVERS),
    ("a LIKE 'x%'", "a STARTS WITH 'x'", EQUAL),
    ("a LIKE '%x%'", "a HAS 'x'", EQUAL),
    ("a LIKE 'a%c%'", "a LIKE 'ab_cd'", COVERS),
    ("a HAS 'ss' IGNORING CASE", "a HAS 'aße'", COVERS),
    ("a HAS 'b'", "a STARTS WITH 'abc'", COVERS),
    ("a HAS 'b'", "a LIKE 'a_b%'", COVERS),
    ("a MATCHES PATTERN 'a*c'", "a HAS 'abc'", COVERS),
    ("a MATCHES PATTERN '??a'", "a LIKE '_a'", NEITHER),
    ("a MATCHES 'ferry'", "a MATCHES '\"ferry storm\"'", COVERS),
    ("a MATCHES 'ferry'", "a = 'A ferry.'", COVERS),
    ("MATCHES 'ferry'", "title MATCHES 'ferry' AND a = 1", COVERS),
    ("HAS 'err'", "title HAS 'ferry'", COVERS),
    ("a MATCHES PATH '//b'", "a MATCHES PATH '/a/b'", COVERS),
    ("topic KIND OF 'news'", "topic KIND OF 'national'", COVERS),
    ("topic KIND OF 'news'", "topic = 'national'", COVERS),
    ("topic KIND OF 'sport'", "topic KIND OF 'sport/football'", COVERS),
    ("at > '2024-01-01'", "at >= '2024-01-02'", COVERS),
    ("at = '2024-01-01'", "at = '2024-01-01T01:00+01:00'", EQUAL),
    ("ip IN CIDR '10.0.0.0/8'", "ip IN CIDR '10.1.0.0/16'", COVERS),
    ("ANY o (x = 1)", "ANY o (x = 1 AND y = 2)", COVERS),
    ("ANY o (x > 0)", "ANY o (x = 1 OR x = 2)", COVERS),
    ("ANY o (x = 1) AND ANY o (y = 2)", "ANY o (x = 1 AND y = 2)", COVERS),
    ("NOT ANY o (x = 1 AND y = 2)", "NOT ANY o (x = 1)", COVERS),
    ("a = 'x'", "b = 'x'", NEITHER),
    ("a = '5'", "a = 5", NEITHER),
    ("o.x = 1", "ANY o (x = 1)", UNKNOWN),
]

PATTERNS = [
    ("song*e", "a song?blue", COVERS),
    ("a?*b", "a*?b", EQUAL),
    ("*a*", "a", EQUAL),
    ("*", "x", COVERS),
    ("??", "ab", COVERS),
    ("?a", "xa", COVERS),
    ("?a", "*a", COVERED),
    ("a?b", "a*b", COVERED),
    ("a?b", "ab", NEITHER),
    ("aab", "ab", COVERED),
    ("a*a", "aa", COVERS),
    ("a*b*c", "a?b??c", COVERS),
    ("\\*", "a\\*b", COVERS),
]

PATHS = [
    ("//b", "/a/b", COVERS),
    ("/a//*/b", "/a/*//b", EQUAL),
    ("//head//title", "/nitf/head/*/title[@lang]", COVERS),
    ("//a[@x]", "//a[@x='1']", COVERS),
    ("//a[@x='1']", "//a[@x='2']", NEITHER),
    ("/a/*", "/a//b", COVERS),
    ("//*", "/a", COVERS),
    ("/*", "//a", COVERS),
    ("/a/b", "/a//b", COVERED),
    ("//a", "//a//a", COVERS),
    ("//a/text", "//a[text()='x']/text", COVERS),
    ("a", "//a", EQUAL),
    ("//a", "//b", NEITHER),
    ("/*/*/*", "/a//b/c", COVERS),
    ("//a[@x='1'][@x='2']", "//b", COVERED),
    ("//a[text()='1'][text()='2']", "//b", UNKNOWN),
]

PROPERTIES = [
    ("a=1", "a=1 b=0", COVERS),
    ("1*0", "c=0, a=1", EQUAL),
    ("a=1", "b=1", NEITHER),
    ("a=1", "a=0", NEITHER),
    ("***", "a=1", COVERS),
]

INDEXES: list[tuple[Index, list[tuple[str, str, Covering]]]] = [
    (KeywordIndex(), KEYWORDS),
    (PredicateIndex(text=["title"], hierarchies={"topic": {"national": "politics", "politics": ["news"]}}), PREDICATES),
    (PatternIndex(), PATTERNS),
    (PathIndex(), PATHS),
    (PropertyIndex(properties=["a", "b", "c"]), PROPERTIES),
]


@pytest.mark.parametrize(
    ("index", "a", "b", "relation"),
    [(index, *pair) for index, pairs in INDEXES for pair in pairs],
    ids=lambda given: given.language if isinstance(given, Index) else str(given)[:40],
)
def test_what_covers_what(index: Index, a: str, b: str, relation: Covering) -> None:
    assert index.compare_texts(a, b) is relation
    assert index.compare_texts(b, a) is relation.mirrored
    assert index.compare_texts(a, a) is EQUAL
    related = relation not in (NEITHER, UNKNOWN)
    assert index.relatives(a, {"b": b}) == ({"b": relation} if related else {})


def test_two_subscriptions_of_an_index_are_compared_by_their_ids() -> None:
    index = KeywordIndex({1: "ferry AND storm", 2: "ferry", 3: "tide"})
    assert index.covers(2, 1) is COVERS and index.covers(1, 2) is COVERED and index.covers(1, 3) is NEITHER
    assert [bool(one) for one in (EQUAL, COVERS, COVERED, NEITHER, UNKNOWN)] == [True, True, False, False, False]
    assert [str(one) for one in Covering] == ["equal", "covers", "covered", "neither", "cannot tell"]
    assert index.relatives("ferry", index) == {1: COVERS, 2: EQUAL} == index.relatives("ferry", index.items())
    with pytest.raises(KeyError):
        index.covers(1, 4)


def test_options_decide_what_is_equal() -> None:
    assert KeywordIndex(stemmer="english", stop_words=["the"]).compare_texts("the cats", "cat") is EQUAL
    assert KeywordIndex().compare_texts("cats", "cat") is NEITHER
    assert KeywordIndex(fold_accents=True).compare_texts("café", "cafe") is EQUAL
    assert PatternIndex(ignore_case=True).compare_texts("STRASSE", "straße") is EQUAL
    assert PatternIndex().compare_texts("AB", "ab") is NEITHER
    reading = {"*": {"ignore_case": True}, "body": {"stemmer": "english"}}
    rules = PredicateIndex(reading=reading, text=["title", "body"])
    assert rules.compare_texts("a MATCHES PATTERN 'AB'", "a HAS 'ab'") is COVERS
    assert rules.compare_texts("a HAS 'ab'", "a MATCHES PATTERN 'AB'") is COVERED
    assert rules.compare_texts("MATCHES 'cat'", "title MATCHES 'cat'") is COVERS
    assert rules.compare_texts("MATCHES 'cats'", "body MATCHES 'cats'") is NEITHER  # by stems in the body only


def test_paths_of_namespaces_have_counter_examples_too() -> None:
    index = PathIndex(namespaces={"n": "urn:n", "m": "urn:m"})
    assert index.compare_texts("//n:a", "//m:a") is NEITHER and index.compare_texts("//n:a", "//n:a/m:b") is COVERS
    assert index.compare_texts("//a[@n:x='1']", "//a[@m:x]") is NEITHER
    assert index.compare_texts("//a[@xml:lang]", "//a[@xml:lang='en']") is COVERS


def test_a_schema_allows_no_counter_example_that_breaks_it() -> None:
    rules = PredicateIndex(schema={"attributes": {"a": "number", "b": "text?"}})
    assert rules.compare_texts("a > 1", "a > 0") is COVERED
    assert rules.compare_texts("a > 1", "b = 'x'") is UNKNOWN  # the events made for it lack a
    assert rules.compare_texts("a > 1", "a < 9") is NEITHER


@pytest.mark.parametrize("steps", [0, -1, 1.5, True, None])
def test_what_is_no_number_of_steps_is_refused(steps: Any) -> None:
    with pytest.raises(OptionError, match="steps must be a positive integer"):
        KeywordIndex().compare_texts("a", "b", steps)


def test_a_proof_that_takes_more_steps_than_it_may_is_none() -> None:
    assert MOST_STEPS == 100_000
    pigeons, holes = range(8), range(7)
    parts = [" OR ".join(f"p{one}h{hole}" for hole in holes) for one in pigeons]
    parts += [f"NOT p{a}h{hole} OR NOT p{b}h{hole}" for hole in holes for a in pigeons for b in range(a)]
    hard = " AND ".join(f"({part})" for part in parts)
    assert KeywordIndex().compare_texts(hard, "y") is UNKNOWN
    assert KeywordIndex().relatives("y", {"hard": hard}) == {}
    easy = "a AND (b OR c) AND (d OR e)"
    found = [KeywordIndex().compare_texts("a AND (b OR c)", easy, steps) for steps in range(1, 60)]
    assert found[0] is UNKNOWN and found[-1] is COVERS and found == sorted(found, key=lambda one: one is COVERS)


def test_a_budget_is_spent_to_the_last_step() -> None:
    steps = Steps(3)
    steps.spend(3)
    with pytest.raises(OutOfStepsError):
        steps.spend()


def test_a_bad_text_is_refused_with_its_id() -> None:
    index = KeywordIndex({"a": "tea"})
    with pytest.raises(SubscriptionError, match=r"id 'bad': this parenthesis is never closed") as refusal:
        index.relatives("tea", {"good": "tea", "bad": "(tea"})
    assert refusal.value.id == "bad"
    for bad in ("", "(", None, 5):
        for ask in (lambda bad=bad: index.compare_texts("tea", bad), lambda bad=bad: index.compare_texts(bad, "tea")):
            with pytest.raises(SubscriptionError):
                ask()
    assert index.relatives("tea", {}) == {}
