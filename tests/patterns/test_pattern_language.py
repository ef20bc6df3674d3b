"""The pattern language: worked examples for every method, places against regular expressions, the two parsers."""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle, strategies
from watchword import PatternIndex, SubscriptionSyntaxError, methods
from watchword.patterns.compiler import Compiler
from watchword.patterns.query import Gap, parse
from watchword.patterns.texts import casefold, count_characters
from watchword.strings import from_texts

every_method = pytest.mark.parametrize("method", methods("patterns"))

# A pattern, texts that match it, texts that do not.
TRUTH = {
    "the paper's example": [
        (pattern, ["aabcbaaabc"], []) for pattern in ("aaa", "a?b", "b*b")
    ] + [("bb", [], ["aabcbaaabc"])],
    "one character": [
        ("song?blue", ["my song blue", "song\nblue", "songéblue", "song🙂blue"], ["songblue", "song  blue", ""]),
        ("a??b", ["axyb", "aébb", "a東東b"], ["axb", "ab", "axyzb"]),
        ("?", ["x", "é", "\n", "\ud800"], [""]),
        ("a?a?a", ["babaaaa", "ababa"], ["aabaab"]),
    ],
    "any run": [
        ("pie*tea", ["pietea", "welikeapplepieandtea", "pie\ntea"], ["tea pie", "pie te"]),
        ("a*a", ["aa", "aba"], ["a", "ab"]),
        ("ab*ba", ["abba", "ab ba"], ["aba"]),
        ("a?*b", ["axb", "axyb", "abb"], ["ab"]),
        ("a**b", ["ab", "axb"], ["ba"]),
        ("a*b?c", ["abxbxc", "abxc"], ["abc", "axcb"]),
    ],
    "one choice of places for all words": [
        ("a?b*c", ["aabxaxb c", "axbc"], ["aaxxbc", "caxb"]),
        ("ab*b?d", ["abbcd"], ["abcd"]),
        ("a*b*a*b", ["abab", "aabb ab"], ["aabb", "baba"]),
    ],
    "wildcards at the edges": [
        ("?abc", ["xabc"], ["abc", "abcx"]),
        ("abc??", ["abcxy", "abcabcab"], ["abc", "abcx"]),
        ("*a", ["a", "xa", "ax"], ["x", ""]),
        ("a*", ["a", "xax"], [""]),
        ("?*a*?", ["xax"], ["ax", "xa", "a"]),
    ],
    "wildcards only": [
        ("*", ["", "x", "\ud800"], []),
        ("??", ["xy", "éé", "xyz"], ["x", "é", "🙂", ""]),
        ("?*?", ["xy"], ["x"]),
    ],
    "escapes": [
        (r"\*", ["*", "a*b"], ["a", ""]),
        (r"a\?b", ["a?b"], ["axb", r"a\?b"]),
        (r"\\", ["\\"], ["", "x"]),
        (r"\\?", ["\\x"], ["\\"]),
        (r"\a\é\東", ["aé東"], [r"\a\é\東"]),
        ("\\\n", ["\n"], ["\\", "n"]),
        (r"a\*?\?b", ["a*x?b"], ["a*?b"]),
    ],
    "characters, not bytes": [
        ("é", ["café"], ["cafe\u0301", "Ã©"]),
        ("?é?", ["aéa", "ééé"], ["é", "éa"]),
        ("\ud800", ["a\ud800b"], ["a", "\ud801"]),
        ("a?b", ["a\ud800b"], ["a\ud83d\ude42b"]),
        ("\0", ["a\0"], ["a0"]),
    ],
}  # fmt: skip
CASES = [pytest.param(*case, id=f"{topic}: {case[0]!r}") for topic, cases in TRUTH.items() for case in cases]


@every_method
def test_worked_examples(method: str) -> None:
    rows = [case for cases in TRUTH.values() for case in cases]
    index = PatternIndex(enumerate(pattern for pattern, _, _ in rows), method=method)
    for number, (pattern, yes, no) in enumerate(rows):
        for text in yes:
            assert number in index.match(text), (pattern, text)
        for text in no:
            assert number not in index.match(text), (pattern, text)


@pytest.mark.parametrize(("pattern", "yes", "no"), CASES)
def test_the_oracle_agrees(pattern: str, yes: list[str], no: list[str]) -> None:
    assert all(oracle.matches_pattern(pattern, text) for text in yes)
    assert not any(oracle.matches_pattern(pattern, text) for text in no)


@every_method
def test_case(method: str) -> None:
    patterns = {"one": "STRA?E", "two": "stra??e", "i": "?\u0307", "kelvin": "k", "sigma": "σ*Σ"}
    index = PatternIndex(patterns, method=method, ignore_case=True)
    assert index.match("Straße") == index.match("STRASSE") == ["two"] and index.match("strafe") == ["one"]
    assert index.match("İ") == ["i"] and index.match("\u212a") == ["kelvin"] and index.match("ΣΑΣ") == ["sigma"]
    assert index.match("ς ς") == ["sigma"]
    assert PatternIndex(patterns, method=method).match("STRASSE K") == []


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("*a", "xxa", (0, 3)),
        ("a*", "xxabc", (2, 3)),
        ("?a", "xxa", (1, 3)),
        ("a?", "xab", (1, 3)),
        ("a*b", "xaabb", (1, 4)),
        ("*", "abc", (0, 0)),
        ("??*", "abc", (0, 2)),
        ("é?東*b", "aéx東 b b", (1, 6)),
        ("?*a*?", "xxaxx", (0, 4)),
    ],
)
def test_occurrences(pattern: str, text: str, expected: tuple[int, int]) -> None:
    index = PatternIndex({"s": pattern, "none": "zz"})
    assert [tuple(found) for found in index.occurrences(text)] == [("s", *expected)]
    assert index.occurrences(text.encode()) == index.occurrences(text)


def test_occurrences_come_in_the_order_of_subscribing() -> None:
    index = PatternIndex({"z": "b", "y": "a", "x": "?"})
    del index["z"]
    index["z"] = "b*"
    assert index.occurrences("ab") == [("y", 0, 1), ("x", 0, 1), ("z", 1, 2)]
    assert index.occurrences("") == []


SURROGATES = st.sampled_from([*strategies.PATTERN_CHARACTERS, "\ud800"])


@pytest.mark.slow
@settings(max_examples=200)
@given(strategies.patterns((*strategies.PATTERN_CHARACTERS, "\ud800")), st.text(SURROGATES, max_size=14))
def test_occurrences_agree_with_regular_expressions(pattern: str, text: str) -> None:
    expected = oracle.occurrence(pattern, text)
    found = PatternIndex({1: pattern}).occurrences(text)
    assert found == ([] if expected is None else [(1, *expected)])


@pytest.mark.slow
@settings(max_examples=200)
@given(
    strategies.patterns(strategies.FOLDING_CHARACTERS),
    st.text(st.sampled_from(strategies.FOLDING_CHARACTERS), max_size=10),
)
def test_occurrences_in_the_original_of_a_folded_text(pattern: str, text: str) -> None:
    found = PatternIndex({1: pattern}, ignore_case=True).occurrences(text)
    expected = oracle.occurrence(pattern.casefold(), text.casefold())
    if expected is None:
        assert found == []
        return
    # Each character of the folded text belongs to one of the original: those that the instance has a part in.
    owners = [number for number, char in enumerate(text) for _ in char.casefold()][slice(*expected)]
    ((_, start, end),) = found
    assert list(range(start, end)) == sorted(set(owners))
    if not owners:
        assert (start, end) == (0, 0)


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("song?blue*", "my song blue", "match: 'song' at 3, '?' = ' ', 'blue' at 8, '*' = ''"),
        ("song*blue", "my song is blue", "match: 'song' at 3, '*' = ' is ', 'blue' at 11"),
        ("?*", "abc", "match: '?*' = 'a'"),
        ("song*blue", "my song is red", "no match: missing 'blue' after 'song' at 3 in: song*blue"),
        ("song?blue?red", "song blue", "no match: missing '?red' after 'blue' at 5 in: song?blue?red"),
        ("song?blue?red", "a song", "no match: missing '?blue' after 'song' at 2 in: song?blue?red"),
        ("song??", "a song!", "no match: missing '??' after 'song' at 2 in: song??"),
        ("?song", "song", "no match: missing '?song' in: ?song"),
        ("???", "ab", "no match: missing '???', for the text has 2 characters in: ???"),
        ("x", "", "no match: missing 'x' in: x"),
    ],
)
def test_explanations(pattern: str, text: str, expected: str) -> None:
    assert str(PatternIndex({1: pattern}).explain(text, 1)) == expected


def test_explanations_of_a_folded_text_show_the_original() -> None:
    index = PatternIndex({1: "S?e", 2: "e*B"}, ignore_case=True)
    assert str(index.explain("Straße", 1)) == "match: 's' at 4, '?' = 'ß', 'e' at 5"
    assert str(index.explain("ßEß b", 2)) == "match: 'e' at 1, '*' = 'ß ', 'b' at 4"


@pytest.mark.slow
def test_long_explanations_are_abbreviated() -> None:
    index = PatternIndex({1: "a*" * 10_000, 2: "b" * 60_000, 3: "a?" * 5000 + "b"})
    for key in index:
        for text in ("a" * 1_000_000, "b" * 70_000, "é" * 9, "ab" * 400_000):
            assert len(str(index.explain(text, key))) < 1000


@pytest.mark.slow
@settings(max_examples=300)
@given(st.lists(strategies.patterns((*strategies.PATTERN_CHARACTERS, "\ud800")), min_size=1, max_size=4))
def test_the_parsers_agree(texts: list[str]) -> None:
    compiled = Compiler(False, 100).compile(from_texts(texts))
    found: dict[int, Any] = {}
    offsets, cuts, data, chars, gaps = (array.tolist() for array in compiled.patterns)
    for i, row in enumerate(compiled.rows.tolist()):
        numbers = range(offsets[i], offsets[i + 1])
        words = [bytes(data[cuts[j] : cuts[j + 1]]).decode("utf-8", "surrogatepass") for j in numbers]
        assert [len(word) for word in words] == [chars[j] for j in numbers]
        between = [Gap(gap >> 1, bool(gap & 1)) for gap in gaps[offsets[i] + i : offsets[i + 1] + i + 1]]
        found[row] = (words, between)
    found |= zip(compiled.blanks.tolist(), compiled.minimums.tolist(), strict=True)
    for row, text in enumerate(texts):
        words, between = parse(text)
        if not words:
            assert found[row] == between[0].questions
            continue
        edges = [gap._replace(star=False) if at in (0, len(words)) else gap for at, gap in enumerate(between)]
        assert found[row] == (list(words), edges)


@pytest.mark.slow
def test_folding_is_pythons_for_every_character() -> None:
    every = [chr(code) for code in range(sys.maxunicode + 1)]
    strings = casefold(from_texts(every))
    data, cuts = strings.data.tobytes(), strings.offsets.tolist()
    assert data == "".join(every).casefold().encode("utf-8", "surrogatepass")
    sizes = [len(char.casefold().encode("utf-8", "surrogatepass")) for char in every]
    assert np.diff(cuts).tolist() == sizes
    assert all(3 * len(char.encode("utf-8", "surrogatepass")) >= size for char, size in zip(every, sizes, strict=True))


@pytest.mark.slow
def test_folding_leaves_the_syntax_alone() -> None:
    """Which is why a pattern may be folded before it is parsed."""
    syntax = set("?*\\")
    for code in range(sys.maxunicode + 1):
        assert not syntax.intersection(chr(code).casefold()) or chr(code) in syntax


def test_folding_texts() -> None:
    random_ = random.Random(4)
    alphabet = "@AMZ[`az{ 09éÉßİΣ東🙂\ud800"
    texts = ["".join(random_.choices(alphabet, k=random_.randrange(40))) for _ in range(300)]
    texts += [chr(code) * 9 for code in range(128)] + ["".join(map(chr, range(128)))]
    for some in (texts, texts[300:], [""], []):
        strings = from_texts(some)
        found = casefold(strings)
        assert [found.text(row) for row in range(found.count)] == [text.casefold() for text in some]
        assert count_characters(strings)[0].tolist() == [len(text) for text in some]


def test_stats() -> None:
    index = PatternIndex({1: "a*b", 2: "??", 3: "c"})
    assert (index.stats().clauses, index.stats().atoms) == (3, 3)
    del index[1]
    assert (index.stats().clauses, index.stats().atoms) == (2, 1)


def test_a_pattern_is_as_long_as_its_text() -> None:
    """Escapes count towards `max_length`, and folding does not."""
    index = PatternIndex({1: "ß" * 4}, max_length=4, ignore_case=True)
    assert index.match("S" * 8) == [1]
    with pytest.raises(SubscriptionSyntaxError, match="max_length"):
        index[2] = r"abc\*"


@pytest.mark.parametrize("recombination", ["beginnings", "records"])
def test_how_words_are_recombined_is_kept_with_the_index(tmp_path, recombination):
    index = PatternIndex({1: "song?blue", 2: "pie*tea"}, method="retriever-multi", recombination=recombination)
    index.save(tmp_path / "index")
    opened = PatternIndex.open(tmp_path / "index")
    assert opened.options["recombination"] == recombination
    opened[3] = "applepie"
    assert opened.match("applepie and tea") == [2, 3]
    assert (opened.stats().details["beginnings"] == 0) == (recombination == "records")


def test_a_pattern_of_exactly_max_length_is_taken_by_every_door() -> None:
    index = PatternIndex({"bulk": "a" * 10}, max_length=10)
    index["single"] = "b" * 9 + "*"
    assert index.match("a" * 10 + "b" * 9) == ["bulk", "single"]
    assert index.explain("a" * 10, "bulk") and index.explain("b" * 9, "single")
    assert not index.explain("a" * 9, "bulk")
    for refuse in (lambda: index.update({"x": "a" * 11}), lambda: index.__setitem__("x", "a" * 11)):
        with pytest.raises(SubscriptionSyntaxError, match="11 characters, more than max_length=10"):
            refuse()
