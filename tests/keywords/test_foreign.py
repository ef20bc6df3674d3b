"""Syntax of other tools is refused, with its place and the remedy, and what only looks like it is not."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests import oracle, strategies
from watchword import KeywordIndex, SubscriptionSyntaxError

REFUSED = [
    ("!imf", 0, "NOT"),
    ("greece !imf", 7, "NOT"),
    ("greece !(imf OR eu)", 7, "NOT"),
    ('greece !"debt crisis"', 7, "NOT"),
    ("greece -!imf", 8, "NOT"),
    ("greece | crisis", 7, "OR"),
    ("greece|crisis", 6, "OR"),
    ("greece || crisis", 7, "OR"),
    ("greece && crisis", 7, "AND"),
    ("greece&&crisis", 6, "AND"),
    ("debt~", 4, "~1"),
    ("debt~0.8", 4, "~1"),
    ("कोरोना~", 6, "~1"),
    ("caf\u0065\u0301^2", 5, "leave it out"),
    ("शीर्षक:वायरस", 6, "field"),
    ("कीमत>=3", 4, "predicates"),
    ("deb*~", 4, "~1"),
    ("~debt", 0, "~1"),
    ('"debt crisis"~', 13, "~3"),
    ("greece^4", 6, "leave it out"),
    ('"debt crisis"^2', 13, "leave it out"),
    ("(debt OR crisis)^2", 16, "leave it out"),
    ("title:greece", 5, "field"),
    ('greece title:"debt crisis"', 12, "field"),
    ("title:(debt OR crisis)", 5, "field"),
    ("greece -site:example.com", 12, "field"),
    ("date:[2020", 4, "field"),
    ("greece near/3 crisis", 7, "NEAR/3"),
    ("greece w/3 crisis", 7, "NEAR/3"),
    ("greece pre/3 crisis", 7, "BEFORE/3"),
    ("2 of (greece, crisis)", 2, "OF"),
    ("greece NOT 10 of (imf)", 14, "OF"),
    ("2 OF greece crisis", 2, "(a, b, c)"),
    ("2 OF greece, crisis", 2, "(a, b, c)"),
    ("greece near/3crisis", 7, "NEAR/3"),
    ("greece BEFORE/3crisis", 7, "BEFORE/3"),
    ("?erry", 0, "?erry~0"),
    ("sea ??rry", 4, "?erry~0"),
    ("^(ferry OR boat)", 0, "each"),
    ("(ferry OR boat)$", 15, "each"),
    ("greece NEAR crisis", 7, "NEAR"),
    ("greece AROUND(3) crisis", 7, "AROUND"),
    ("greece XOR crisis", 7, "XOR"),
    ("greece ANDNOT crisis", 7, "ANDNOT"),
    ("greece ONEAR crisis", 7, "ONEAR"),
    ("greece and crisis", 7, "AND"),
    ("greece or crisis", 7, "OR"),
    ("greece not imf", 7, "NOT"),
    ("(greece) or(crisis)", 9, "OR"),
    ('"debt crisis" or -imf', 14, "OR"),
    ("greece AND not imf", 11, "NOT"),
    ("greece (not imf)", 8, "NOT"),
    ("greece & and crisis", 9, "AND"),
    ("value > 20", 6, "predicates"),
    ("name = 'RBS'", 5, "predicates"),
    ('name ="RBS"', 5, "predicates"),
    ("a == b", 2, "predicates"),
    ("a != b", 2, "predicates"),
    ("a <> b", 2, "predicates"),
    ("a <= b", 2, "predicates"),
    ("price>=3", 5, "predicates"),
    ("x<-1", 1, "predicates"),
    ("sports=1 politics=0", 6, "predicates"),
    ("name='RBS'", 4, "predicates"),
    ("greece NOT user.name=ada", 20, "predicates"),
    ("//media[@type='image']", 0, "paths"),
    ("greece //*/title", 7, "paths"),
    ('{"source": ["aws.ec2"]}', 0, "dialects"),
    ('{ "source": ["aws.ec2"] }', 0, "dialects"),
    ("Image|endswith: '*.exe'", 5, "sigma"),
    ("CommandLine|contains|all:", 11, "sigma"),
    ("name LIKE '%ferry%'", 5, "predicates"),
    ("title ILIKE 'x'", 6, "predicates"),
    ("body MATCHES 'ferry'", 5, "predicates"),
    ("url MATCHES PATTERN 'x'", 12, "predicates"),
    ("url HAS\n'x'", 4, "predicates"),
    ("name STARTS WITH 'x'", 12, "predicates"),
    ("a IN ('x', 'y')", 2, "predicates"),
    ("@type='image'", 5, "predicates"),
    ("ferr%", 4, "write *"),
    ("greece %erry", 7, "write *"),
    ("ferry <-> port", 6, "BEFORE/1"),
    ("ferry <3> port", 6, "BEFORE/1"),
    ("ferry.*port", 5, "regular expression"),
    ("ferr.*", 4, "regular expression"),
    ("ferry\\d+", 5, "regular expression"),
    ("\\bferry\\b", 7, "regular expression"),
    ("\\w+", 0, "regular expression"),
    ("fer{2}y", 3, "regular expression"),
    ("fer{2,}y", 3, "regular expression"),
    ("/ferry/", 0, "regular expression"),
    ("/fer.y/i", 0, "regular expression"),
    ("7:/ferry/sH", 2, "regular expression"),
    ("name:/joh?n/", 4, "field"),
]


def refused(text: str) -> SubscriptionSyntaxError:
    """Refuse a text alone and in bulk, and return the error."""
    with pytest.raises(SubscriptionSyntaxError) as alone:
        KeywordIndex({"s": text})
    with pytest.raises(SubscriptionSyntaxError) as in_bulk:
        KeywordIndex(pa.table({"id": ["a", "s"], "subscription": ["fine", text]}))
    assert in_bulk.value.row == 1
    assert alone.value.position == in_bulk.value.position
    return alone.value


@pytest.mark.parametrize(("text", "position", "remedy"), REFUSED, ids=[text for text, _, _ in REFUSED])
def test_refused_with_the_place_and_the_remedy(text: str, position: int, remedy: str) -> None:
    error = refused(text)
    assert (error.position, error.text) == (position, text)
    assert remedy in error.reason and "quotes" in error.reason
    assert not strategies.accepted(text)


ACCEPTED = [
    ("wow! greece", "wow greece"),
    ("greece ! crisis", "greece crisis"),
    ("rock & roll", "rock roll"),
    ("at&t", '"at t"'),
    ("c++ greece", "c greece"),
    ("covid-19", '"covid 19"'),
    ("why greece?", "why greece"),
    ("greece * crisis", "greece crisis"),
    ("why greece? really?", "why greece really"),
    ("$100 bail", "100 bail"),
    ("100$ bail", "100 bail"),
    ("bail $ out", "bail out"),
    ("bail ^ out", "bail out"),
    ("2 of bail", "2 of bail"),
    ("board of (trade)", "board of trade"),
    ("BOARD OF TRADE", "board of trade"),
    ("1,000 bail", '"1 000" bail'),
    ("greece ~ crisis", "greece crisis"),
    ("10:30", '"10 30"'),
    ("3:1", '"3 1"'),
    ("10:30pm", '"10 30pm"'),
    ("title: greece", "title greece"),
    ("std::vector", '"std vector"'),
    (":D greece", "d greece"),
    ("news.example.com:8080/a", '"news example com 8080 a"'),
    ("https://example.com/~ada?q=a|b&&c", '"https example com ada q a b c"'),
    ("www.example.com/a*b", '"www example com a b"'),
    ("+greece crisis", "greece crisis"),
    ("^_^ greece", "_ greece"),
    ("24/7", '"24 7"'),
    ("near greece", "greece near"),
    ("around greece", "greece around"),
    ('"bail* out"', '"bail out"'),
    ('"rock and roll"', '"rock AND roll"'),
    ('rock "and" roll', 'rock "AND" roll'),
    ("Rock And Roll", 'rock "and" roll'),
    ("and greece", '"and" greece'),
    ("not greece", '"not" greece'),
    ("greece or", 'greece "or"'),
    ("greece and ?", 'greece "and"'),
    ("greece and OR crisis", '(greece "and") OR crisis'),
    ("what? really", "what really"),
    ("why ? because", "why because"),
    ("i <3 greece", "i 3 greece"),
    ("<b>greece</b>", '"b greece b"'),
    ("greece => crisis", "greece crisis"),
    ("abc==", "abc"),
    ("/etc/passwd", '"etc passwd"'),
    ("https://example.com/?a=b", '"https example com a b"'),
    ("https //www.example.com/a", 'https "www example com a"'),
    ("{greece}", "greece"),
    ("50% off", "50 off"),
    ("5 % greece", "5 greece"),
    ("greece %", "greece"),
    ("a%20b", '"a 20b"'),
    ("C:\\data\\bail", '"c data bail"'),
    ("greece\\ crisis", "greece crisis"),
    ("/r/greece", '"r greece"'),
    ("/usr/bin", '"usr bin"'),
    ("and/or", '"and or"'),
    ("wait..greece", '"wait greece"'),
    ("greece...", "greece"),
    ("2010..2020", '"2010 2020"'),
    ("'greece' crisis", "greece crisis"),
    ("LOOKS LIKE RAIN", '"looks" "like" rain'),
    ("looks like 'rain'", "looks like rain"),
    ("c:/windows/system32", '"c windows system32"'),
    ("[1 TO 3]", "1 to 3"),
    ("price BETWEEN 1 AND 3", 'price "between" 1 3'),
    ("/nitf/head", '"nitf head"'),
    ('"value > 20"', '"value 20"'),
    ('"qu?ck"', '"qu ck"'),
]


@pytest.mark.parametrize(("text", "meaning"), ACCEPTED, ids=[text for text, _ in ACCEPTED])
def test_what_only_looks_like_it_is_plain(text: str, meaning: str) -> None:
    assert oracle.parse(text) == oracle.parse(meaning) or set(oracle.parse(text)) == set(oracle.parse(meaning))
    event = " ".join(oracle.terms(text))
    for index in (KeywordIndex({"s": text}), KeywordIndex(pa.table({"id": ["s"], "subscription": [text]}))):
        assert index.match(event) == ["s"]
        assert index.match("nothing of it") == []


def test_an_option_reads_and_or_not_as_words() -> None:
    texts = {1: "rock and roll", 2: "to be or not to be", 3: "greece and (crisis or bailout)"}
    rows = pa.table({"id": list(texts), "subscription": list(texts.values())})
    for index in (KeywordIndex(texts, literal_operators=True), KeywordIndex(rows, literal_operators=True)):
        assert index.match("Rock and Roll") == [1]
        assert index.match("Rock & Roll") == []
        assert index.match("To be, or not to be") == [2]
        assert index.match("greece and bailout, or crisis") == [3]


def test_an_and_that_is_a_stop_word_joins_as_it_is_meant() -> None:
    index = KeywordIndex({1: "rock and roll"}, stop_words=["and", "or", "not"])
    assert index.match("roll & rock") == [1]
    with pytest.raises(SubscriptionSyntaxError, match="write OR"):
        index[2] = "rock or roll"


@pytest.mark.parametrize("quotes", ["““", "””", "“”", "„“", "«»", "»«", '"”', "＂＂"])
def test_all_quotes_are_quotes(quotes: str) -> None:
    opening, closing = quotes
    index = KeywordIndex({1: f"{opening}debt crisis{closing} -{opening}new york{closing}"})
    assert index.match("debt crisis, york: new") == [1]
    assert index.match("crisis debt") == index.match("debt crisis in new york") == []
    with pytest.raises(SubscriptionSyntaxError, match="never closed"):
        index[2] = f"{opening}debt"


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(query=strategies.keyword_foreign, literal=st.booleans())
@example("a -- and --b", False)
@example("a and --", False)
@example("a or NOT(b)", False)
def test_one_and_many_refuse_what_the_oracle_refuses(query: str, literal: bool) -> None:
    accepted = strategies.accepted(query, literal_operators=literal)
    rows = pa.table({"id": [1], "subscription": [query]})
    for load in ({1: query}, rows):
        if accepted:
            index = KeywordIndex(load, literal_operators=literal)
            for text in ("a", "a b", "b a c", "and a or b not c 1", "a w 1 near b"):
                assert bool(index.match(text)) == oracle.matches(query, text, literal), text
        else:
            with pytest.raises(SubscriptionSyntaxError):
                KeywordIndex(load, literal_operators=literal)


@pytest.mark.parametrize("query", ["कोरोना~1", "कोरो*", "*रोना", "^कोरोना$", "कोरोना NEAR/2 वायरस", '"कोरोना वायरस"~2'])
def test_words_that_end_with_a_mark_take_every_sign(query: str) -> None:
    index = KeywordIndex({"s": query})
    for text in ("कोरोना", "कोरोना वायरस", "वायरस और कोरोना", "वायरस"):
        assert (index.match(text) == ["s"]) == oracle.matches(query, text), text
