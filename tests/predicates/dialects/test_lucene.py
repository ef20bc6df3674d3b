"""Lucene's classic syntax: what it comes to by hand, its signs, escapes and limits, and what is refused."""

from __future__ import annotations

import doctest
from importlib import import_module
from itertools import product

import pytest

from tests.predicates.dialects.search_judge import distance
from watchword import PredicateIndex
from watchword.errors import OptionError, SubscriptionError, SubscriptionSyntaxError
from watchword.predicates import from_lucene
from watchword.predicates.dialects.searches import fuzzy

HOME = "watchword.predicates.dialects"
MODULES = (
    *(f"{HOME}.lucene.{name}" for name in ("tokens", "conditions", "queries")),
    *(f"{HOME}.searches.{name}" for name in ("analyzers", "dates", "fields", "fuzzy", "leaves", "least")),
    *(f"{HOME}.searches.{name}" for name in ("ranges", "trees", "values", "words")),
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    outcome = doctest.testmod(import_module(name))
    assert outcome.attempted and not outcome.failed


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("a AND b OR c", "MATCHES 'a AND b'"),
        ("a OR b AND c", "MATCHES 'b AND c'"),
        ("a && b || c", "MATCHES 'a AND b'"),
        ("a b -c", "MATCHES 'a OR b' AND NOT MATCHES 'c'"),
        ("!a b", "MATCHES 'b' AND NOT MATCHES 'a'"),
        ("+a +(b c) -(d e)", "MATCHES 'a AND (b OR c)' AND NOT MATCHES 'd OR e'"),
        ("x (-a)", "MATCHES 'x'"),
        ("*:* -a", "NOT MATCHES 'a'"),
        ("*", "_id EXISTS OR _id IS MISSING"),
        ("a - b", "MATCHES 'a OR b'"),
        ("wi-fi AND x", "MATCHES '(wi OR fi) AND x'"),
        ("don't 3.5", 'MATCHES \'"don t" OR "3 5"\''),
        ('"don\'t panic"', "MATCHES '\"don t panic\"'"),
        ('"a b"~3 OR "c"~2', "MATCHES '\"a b\"~3 OR c'"),
        ("title:(+a +b) c", "title MATCHES 'a AND b' OR MATCHES 'c'"),
        ("title:a:b", None),
        ("ferr* f?rry *port roam~ roam~1 roam~0.8", "MATCHES 'ferr* OR f?rry OR *port OR roam~2 OR roam~1 OR roam'"),
        ("?erry", "MATCHES '?erry~0'"),
        ("FERR* Roam~1", "MATCHES 'ferr* OR roam~1'"),
        ("ferr*~1", "MATCHES 'ferr*'"),
        ("ab~2", "MATCHES 'ab~1'"),
        ("_exists_:a.b AND c:* AND NOT _exists_:d", "a.b EXISTS AND c EXISTS AND NOT d EXISTS"),
        ("n:[1 TO 3]", "n BETWEEN 1 AND 3"),
        ("n:{1 TO 3}", "n BETWEEN 1.0000000000000002 AND 2.9999999999999996"),
        ("n:[* TO 3] AND n:{2.5 TO *}", "n <= 3 AND n > 2.5"),
        ("n:[* TO *]", "n EXISTS"),
        ("n:[5 TO 1]", None),
        ("n:>=3 AND n:<10 AND n:>-1", "n >= 3 AND n < 10 AND n > -1"),
        ("d:[2026-01-01 TO 2026-02-01}", "d BETWEEN '2026-01-01' AND '2026-01-31T23:59:59.999999999Z'"),
        ("d:[now-1d/d TO now]", "d BETWEEN '2026-05-03' AND '2026-05-04T12:00:00Z'"),
        ('s:["a b" TO c]', "s BETWEEN 'a b' AND 'c'"),
        (r"a\:b x:c\\d", "MATCHES '\"a b\"' OR x MATCHES 'c OR d'"),
        (r"a\+b \"c\" \u0041", "MATCHES 'a OR b OR c'"),
        (r"x\.y:1 c\-count:2", "x.y MATCHES '1' OR x.y = 1 OR \"c-count\" MATCHES '2' OR \"c-count\" = 2"),
        ("status:404 active:true", "status MATCHES '404' OR status = 404 OR active MATCHES 'true' OR active = TRUE"),
        ("it's", "MATCHES '\"it s\"'"),
        ("of and not", 'MATCHES \'"of" OR "and" OR "not"\''),
        ("in:a matches:b has:c", "\"in\" MATCHES 'a' OR \"matches\" MATCHES 'b' OR has MATCHES 'c'"),
        ("été ÉTÉ 東京", "MATCHES 'été OR 東京'"),
        ("a\u3000b\tc", "MATCHES 'a OR b OR c'"),
        ("k:9 -wow", "(k MATCHES '9' OR k = 9) AND NOT MATCHES 'wow'"),
    ],
)
def test_texts(query: str, text: str | None) -> None:
    if text is None:
        with pytest.raises(SubscriptionSyntaxError):
            from_lucene(query, now="2026-05-04T12:00:00Z")
        return
    assert from_lucene(query, now="2026-05-04T12:00:00Z") == text
    PredicateIndex({"q": text}, text=["body"])


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("a b", "t MATCHES 'a AND b'"),
        ("a OR b", "t MATCHES 'a OR b'"),
        ("a OR b c", "t MATCHES 'c'"),
        ("a AND b OR c", "t MATCHES 'a'"),
        ("a -b", "t MATCHES 'a' AND NOT t MATCHES 'b'"),
        ("wi-fi", "t MATCHES 'wi AND fi'"),
    ],
)
def test_the_default_operator_may_be_and(query: str, text: str) -> None:
    assert from_lucene(query, default_operator="and", default_field="t") == text


def test_fields_say_what_their_kind_is() -> None:
    fields = {
        "title": "text", "tag": "keyword", "n": "number", "at": {"type": "date"}, "ok": "boolean", "ip": "ip",
        "body": {"type": "text", "analyzer": "english"},
    }  # fmt: skip
    texts = {
        "night": "title MATCHES 'night' OR body MATCHES 'night'",
        "body:(the storm)": "body MATCHES 'storm'",
        'tag:"New York" tag:404': "tag = 'New York' OR tag IN ('404', 404)",
        "tag:New*": "tag STARTS WITH 'New' IGNORING CASE",
        "n:5 n:[1 TO 2]": "n IN (5, '5') OR n BETWEEN 1 AND 2",
        "ok:true ip:10.0.0.0\\/8": "ok IN (TRUE, 'true') OR ip IN CIDR '10.0.0.0/8'",
        "at:>=2026-01-01": "at >= '2026-01-01' OR at >= 1767225600000",
        "ip:[10.0.0.1 TO 10.0.0.2]": "ip IN CIDR '10.0.0.1/32' OR ip IN CIDR '10.0.0.2/32'",
        "t*:x": "title MATCHES 'x' OR tag = 'x'",
    }
    for query, text in texts.items():
        assert from_lucene(query.replace("t*:", "t\\*:"), fields=fields) == text, query
    assert from_lucene("a b", default_field=["t", "u"]) == "t MATCHES 'a OR b' OR u MATCHES 'a OR b'"
    assert (
        from_lucene("+a +b", default_field="t, u")
        == "(t MATCHES 'a' OR u MATCHES 'a') AND (t MATCHES 'b' OR u MATCHES 'b')"
    )


@pytest.mark.parametrize(
    ("query", "position", "message"),
    [
        ("", 0, "matches nothing"),
        ("   ", 0, "matches nothing"),
        ("!? &", 0, "matches nothing"),
        ("-a", 0, "matches nothing: .* write \\*:\\* before"),
        ("NOT a", 0, "matches nothing"),
        ("+a +(-b)", 0, "matches nothing"),
        ("a (b", 4, "never closed"),
        ("a)", 1, "never opened"),
        ("a ()", 3, "nothing between"),
        ('a "b', 2, "quote is never closed"),
        ("a AND", 5, "expected a term"),
        ("AND a", 0, "expected a term"),
        ("a^2 b", 1, 'drop=\\("boost",\\)'),
        ("(a b)^3", 5, "boost"),
        ("a^x", 2, "a number follows"),
        ("/fer+y/", 0, "regular expressions are not there yet; say it with wildcards"),
        ("a/b", 1, "write \\\\/ for a slash"),
        ("a]", 1, "no range begins"),
        ("n:[1 3]", 5, "TO"),
        ("n:[1 TO 3 4]", 10, "quotes"),
        ("n:[1 TO", 7, "never closed"),
        ("[1 TO 2]", 0, "asks a field"),
        ("a\\", 1, "backslash"),
        ("wi-f*", 0, "never match"),
        ("wi-fi~1", 0, "edits are of single words"),
        ("roam~1.5", 0, "whole"),
        ("title:a*:b", 8, "not ':'"),
        ("x\\*:a", 4, "without a mapping"),
        ("a" * 70 + "~1", 0, "at most 64"),
    ],
)
def test_refused(query: str, position: int, message: str) -> None:
    with pytest.raises(SubscriptionSyntaxError, match=message) as caught:
        from_lucene(query)
    assert caught.value.position == position
    assert isinstance(caught.value.at_row(3), SubscriptionError)


def test_weights_are_dropped_if_that_is_said() -> None:
    assert from_lucene('a^2 "b c"~2^3 (d e)^0.5 n:[1 TO 2]^4', drop=("boost",)) == (
        "MATCHES 'a OR \"b c\"~2 OR d OR e' OR n BETWEEN 1 AND 2"
    )
    with pytest.raises(OptionError, match="only 'boost'"):
        from_lucene("a", drop=("scores",))


def test_options_are_checked() -> None:
    for options, message in (
        ({"default_operator": "XOR"}, "AND"),
        ({"now": "soon"}, "no time"),
        ({"fields": {"a": 5}}, "no object"),
        ({"fields": "{"}, "no JSON"),
        ({"fields": 5}, "a mapping is JSON"),
    ):
        with pytest.raises(OptionError, match=message):
            from_lucene("a", **options)
    with pytest.raises(SubscriptionError, match="a query is a text"):
        from_lucene(5)  # type: ignore[arg-type]


@pytest.mark.slow
def test_limits() -> None:
    assert from_lucene("(" * 30 + "a" + ")" * 30) == "MATCHES 'a'"
    for query, message in (
        ("(" * 31 + "a" + ")" * 31, "deeper than 30"),
        ("(" * 100_000, "deeper than 30"),
        ("a " * 600_000, "1,048,576 are read"),
        (" ".join(f"a{number}" for number in range(16_400)), "16,384"),
        ("-".join(["a"] * 1025), "1,025 words"),
    ):
        with pytest.raises(SubscriptionSyntaxError, match=message):
            from_lucene(query)
    wide = from_lucene(" ".join(f"a{number}" for number in range(1200)), default_field="t")
    assert PredicateIndex({"q": wide}).match({"t": "a1199"}) == ["q"] and wide.count("MATCHES") == 3


@pytest.mark.parametrize(("edits", "beginning", "swaps"), list(product((1, 2), (0, 1, 2, 5), (True, False))))
def test_edits_behind_a_beginning_are_all_of_them(edits: int, beginning: int, swaps: bool) -> None:
    """The forms of a word have just the words within its edits."""
    if not beginning and swaps:
        assert fuzzy.similar("abca", edits) == [f"abca~{edits}"]
        return
    words = ["".join(letters) for size in range(1, 7) for letters in product("abc", repeat=size)]
    forms = PredicateIndex(
        {form: f"t MATCHES '{form}'" for form in fuzzy.similar("abca", edits, beginning, swaps)},
        reading={"t": {"min_plain": 1}},
    )
    for word in words:
        near = distance("abca", word) <= edits if swaps else _without_swaps("abca", word) <= edits
        wanted = near and word.startswith("abca"[:beginning])
        assert bool(forms.match({"t": word})) is wanted or len(word) <= edits, word


def _without_swaps(one: str, other: str) -> int:
    above = list(range(len(other) + 1))
    for at, sign in enumerate(one, 1):
        row = [at]
        for place, letter in enumerate(other, 1):
            row.append(min(above[place] + 1, row[-1] + 1, above[place - 1] + (sign != letter)))
        above = row
    return above[-1]
