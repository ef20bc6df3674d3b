"""docs/grammar.md says what the parsers do: its examples, its refusals, and its grammars, both ways."""

from __future__ import annotations

import doctest
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings

from tests.contract import languages
from tests.docs import ebnf
from tests.docs.ebnf import Grammar, Said
from tests.docs.pages import rows, sections
from watchword import (
    Index,
    KeywordIndex,
    PathIndex,
    PatternIndex,
    PredicateIndex,
    PropertyIndex,
    SubscriptionSyntaxError,
)
from watchword.keywords.foreign import QUOTES
from watchword.keywords.query import Limits
from watchword.keywords.query import parse as keyword_clauses
from watchword.patterns.query import parse as pattern_of
from watchword.predicates.predicate import RESERVED
from watchword.text.analyzer import Analyzer

PAGE = Path(__file__).parents[2] / "docs" / "grammar.md"
SECTIONS = sections(PAGE.read_text(encoding="utf-8"))

LANGUAGES = ("Keywords", "Patterns", "Paths", "Predicates", "Properties")


@cache
def index_of(language: str) -> Index:
    """Return an empty index, made when it is first asked for."""
    if language == "Properties":
        return PropertyIndex(properties=["sports", "politics", "arts"])
    if language in ("Patterns", "Paths"):
        return PatternIndex() if language == "Patterns" else PathIndex()
    if language == "Predicates":
        return PredicateIndex(max_clauses=1 << 20, text=["title", "body"])
    return KeywordIndex(max_clauses=1 << 20)


CONTRACT = {
    "Keywords": languages.KEYWORDS,
    "Patterns": languages.PATTERNS,
    "Paths": languages.PATHS,
    "Predicates": languages.PREDICATES,
}

SAID: dict[str, Said] = {
    "Keywords": {
        "characters other than white space, parentheses and quotes, in a count other than commas": (
            rf"(?!(?:AND|OR|NOT|(?:NEAR|BEFORE)/\d+)(?![^\s(){QUOTES}]))(?:[^\s(),{QUOTES}]+|,)",
            ("greece", "debt", "état", "covid-19", "c++", "ferr*", "^f?rry", "ferry~1", "boat$"),
        ),
        "any characters but quotes between two of them, perhaps ^ before and $ behind them": (
            rf"\^?[{QUOTES}][^{QUOTES}]*[{QUOTES}]\$?",
            ('"debt crisis"', '"a | b*"', '"imf"', '^"night boat"', '"night boat"$'),
        ),
        "any characters but quotes between two of them, ~ and a number up to 1,000": (
            rf"[{QUOTES}][^{QUOTES}]*[{QUOTES}]~\d{{1,3}}",
            ('"debt crisis"~3', '"imf"~1'),
        ),
        "NEAR/ or BEFORE/, and a whole number from 1 to 10,000": (r"(?:NEAR|BEFORE)/\d+", ("NEAR/3", "BEFORE/1")),
        "a whole number, at most that of the parts": (r"\d{1,6}", ("1", "2")),
    },
    "Patterns": {
        "any character": (r"(?s:.)", ("?", "*", "\\", "a", " ")),
        "any character but those three": (r"[^?*\\]", ("a", "é", " ", "[", "$")),
    },
    "Paths": {
        "a letter or _, then letters, digits and _ . - ·; with prefix: or {uri} before it": (
            r"(?:\{[^{}]*\}|[^\W\d][\w.\-·]*:)?[^\W\d][\w.\-·]*",
            ("nitf", "p", "body.content", "_x-1"),
        ),
        "any characters but '": ("[^']*", ("image", 'a "b"', "")),
        'any characters but "': ('[^"]*', ("image", "it's", "")),
    },
    "Predicates": {
        "a letter or _, then letters, digits and _": (
            rf"(?!(?:{'|'.join(RESERVED)})\b)[^\W\d]\w*",
            ("value", "name", "état", "_x1", "kind", "of"),
        ),
        'anything in double quotes, "" for a quote': (r'"(?:[^"]|"")*"', ('"c-count"', '"in"', '"say ""hi"""')),
        "a decimal number: 20, -1, 1.5, 2e3": (
            r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?(?![\w.])",
            ("20", "-1", "1.5", "2e3", str(2**70)),
        ),
        "a whole number of 32 bits: 20, -1": (r"[+-]?\d{1,9}(?![\w.])", ("20", "-1", "0", "+7")),
        "anything in single quotes, '' for a quote": (r"'(?:[^']|'')*'", ("'RBS'", "'it''s'", "''", "'2026-11-16'")),
        "a text that is a network or an address: '10.0.0.0/8', '::1'": (
            r"'[0-9a-f.:]+(?:/\d+)?'",
            ("'10.0.0.0/8'", "'2001:db8::/32'", "'10.1.2.3'"),
        ),
        "a text that is a keyword subscription": (r"'(?:[^']|'')*'", ("'ferry'", "'ferry AND NOT storm'", "'\"a b\"'")),
        "a text that is a pattern": (r"'(?:[^']|'')*'", ("'/ads/*'", "'it''s?'")),
        "a text that is a path": (r"'(?:[^']|'')*'", ("'//head/title'", "'a/b'")),
        "a whole number, at most that of the parts": (r"\d{1,6}", ("1", "2")),
        "a text of at least one character": (r"'(?:[^']|'')+'", ("'x'", "'it''s'")),
        "a text of one character, neither % nor _": (r"'(?:[^'%_]|'')'", ("'|'", "'#'")),
    },
    "Properties": {
        "one of 0, 1 and * for each property, in their order": (r"[01*]{3}(?!\S)", ("10*", "***", "111")),
        "a declared property": (r"sports|politics|arts", ("sports", "politics", "arts")),
    },
}


def grammar(language: str) -> Grammar:
    (text,) = re.findall(r"```ebnf\n(.*?)```", SECTIONS[language], re.DOTALL)
    return Grammar(text, SAID[language], spaced=language != "Patterns", any_case=language == "Predicates")


def written(heading: str) -> list[Any]:
    """Return each example of the tables with a heading, with its language and what stands beside it."""
    return [
        pytest.param(language, example, cells[1], id=f"{language}: {example}")
        for language in LANGUAGES
        for cells in rows(SECTIONS[language], heading)
        for example in re.findall(r"`([^`]+)`", cells[0])
    ]


def test_the_notation_itself() -> None:
    assert doctest.testmod(ebnf) == (0, 3)


@pytest.mark.parametrize(("language", "example", "asks"), written("written"))
def test_what_is_written_is_taken_and_is_a_sentence(language: str, example: str, asks: str) -> None:
    index_of(language).check(example)
    assert grammar(language).recognises(example)


@pytest.mark.parametrize(("language", "example", "says"), written("refused"))
def test_what_is_refused_is_refused_with_these_words(language: str, example: str, says: str) -> None:
    with pytest.raises(SubscriptionSyntaxError) as refusal:
        index_of(language).check(example)
    assert says.strip("`") in refusal.value.reason


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_parser_takes_what_the_grammar_produces(language: str) -> None:
    rules, index = grammar(language), index_of(language)
    assert rules.said() == set(SAID[language])
    sentences = {rules.sentence(seed) for seed in range(100)}
    if language == "Properties":  # that a name stands once is not the grammar's business
        sentences = {text for text in sentences if not re.search(r"(\b\w+) = .*\1 = ", text)}
    if language == "Predicates":  # nor what a search without an attribute reads inside of ANY
        bare = r"(?is)\bany\b.*([(]|\b(and|or|not)\b)\s*(matches|has|i?like)\b"
        sentences = {text for text in sentences if not re.search(bare, text)}
    assert len(sentences) > (20 if language == "Properties" else 50)
    for sentence in sorted(sentences):
        index.check(sentence)
        assert rules.recognises(sentence), sentence


@pytest.mark.slow
@pytest.mark.parametrize("language", CONTRACT)
def test_the_grammar_has_what_the_parser_takes(language: str) -> None:
    """The subscriptions of the contract suite, which the oracle reads by a parser of its own."""
    rules = grammar(language)

    @settings(max_examples=20, database=None, derandomize=True, phases=[Phase.generate])
    @given(CONTRACT[language].subscriptions)
    def recognised(text: str) -> None:
        assert rules.recognises(text), text

    recognised()


@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("Patterns", "a pattern may not be empty; * alone matches every text"),
        ("Keywords", "nothing to match in this subscription; give it at least one term"),
    ],
)
def test_empty_texts(language: str, says: str) -> None:
    with pytest.raises(SubscriptionSyntaxError, match=re.escape(says)):
        index_of(language).check("")
    assert says in SECTIONS[language]


def test_what_is_read_as_words_is_so() -> None:
    limits = Limits(256, 64, terms=1024, term_bytes=1024)

    def atoms(text: str) -> tuple[tuple[str, ...], ...]:
        (clause,) = keyword_clauses(text, Analyzer(), limits)
        assert clause.forbidden == ()
        return clause.required

    assert atoms("[a TO b]") == (("a",), ("to",), ("b",))
    assert atoms("2010..2020") == (("2010", "2020"),)
    assert atoms("[Gg]reece") == (("gg", "reece"),)
    assert atoms("/nitf/head") == (("nitf", "head"),)
    assert atoms("price BETWEEN 1 AND 3") == (("price",), ("between",), ("1",), ("3",))
    assert atoms("name IS NULL") == (("name",), ("is",), ("null",))
    assert atoms("+greece") == (("greece",),)
    assert atoms("- imf") == (("imf",),)


def test_anchors_and_classes_of_patterns_stand_for_themselves() -> None:
    for text, word in {"^a$": "^a$", "[ab]c+": "[ab]c+", "a|b": "a|b", r"\d": "d", "{a,b}": "{a,b}"}.items():
        assert pattern_of(text).words == (word,)
