"""Streams against the whole: after every chunk, what was found is what the text so far matches."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle, strategies
from watchword import EventError, PatternIndex, methods
from watchword.patterns.stream import StreamMatcher

CHARACTERS = ("a", "b", "é", "東", "🙂")


def check(matcher: StreamMatcher, patterns: dict[Any, str], chunks: Iterable[str | bytes], **options: bool) -> None:
    """Feed chunks, and ask the oracle about the text so far after each; every id may come once, when it first holds."""
    text, raw, before = "", b"", []
    for chunk in chunks:
        if isinstance(chunk, str):
            text += chunk
        else:
            raw += chunk
            text = raw.decode("utf-8", "ignore")  # all is valid, so this leaves out the end that is not whole yet
        matching = [key for key, pattern in patterns.items() if oracle.matches_pattern(pattern, text, **options)]
        assert matcher.feed(chunk) == [key for key in matching if key not in before], (patterns, text, chunk)
        assert matcher.matched == matching
        before = matching


@st.composite
def cut(draw: Any, whole: Any) -> list[Any]:
    """Draw a text, or bytes, in chunks, some of them empty."""
    text = draw(whole)
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[start:stop] for start, stop in pairwise([0, *places, len(text)])]


def texts(characters: tuple[str, ...]) -> st.SearchStrategy[list[Any]]:
    plain = st.text(st.sampled_from(characters), max_size=30)
    return st.one_of(cut(plain), cut(plain.map(str.encode)))


def numbered(characters: tuple[str, ...]) -> st.SearchStrategy[dict[int, str]]:
    return st.lists(strategies.patterns(characters), max_size=8).map(lambda drawn: dict(enumerate(drawn)))


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(st.data())
@pytest.mark.parametrize("characters", [("a",), ("a", "b"), CHARACTERS])
def test_what_was_found_is_what_the_text_so_far_matches(characters: tuple[str, ...], data: st.DataObject) -> None:
    patterns = data.draw(numbered(characters))
    matcher = PatternIndex(patterns).stream()
    for _ in range(2):
        check(matcher, patterns, data.draw(texts(characters)))
        matcher.reset()
        assert matcher.matched == []


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(numbered(strategies.FOLDING_CHARACTERS), texts(strategies.FOLDING_CHARACTERS))
def test_ignoring_case(patterns: dict[int, str], chunks: list[Any]) -> None:
    check(PatternIndex(patterns, ignore_case=True).stream(), patterns, chunks, ignore_case=True)


@settings(max_examples=50, deadline=None)
@given(st.text(st.sampled_from("ab\ud800\udc00"), max_size=12))
def test_lone_surrogates_are_characters(text: str) -> None:
    patterns = {0: "\ud800", 1: "\udc00?a", 2: "a??", 3: "\ud800\udc00", 4: "?\ud800*b"}
    check(PatternIndex(patterns).stream(), patterns, text)


@pytest.mark.parametrize("seed", range(6))
def test_many_patterns_character_by_character(seed: int) -> None:
    generator = random.Random(seed)
    alphabet = ["ab", "abc", "abé"][seed % 3]

    def word() -> str:
        return "".join(generator.choices(alphabet, k=generator.choice([1, 1, 2, 3])))

    shapes = ["%s", "%s*%s", "%s?%s*%s", "?%s*%s??", "%s??%s?%s*?%s", "???%s*%s*%s*%s?", "%s?*%s?%s????"]
    drawn = generator.choices(shapes, k=300)
    patterns = {f"s{row}": shape % tuple(word() for _ in range(shape.count("%"))) for row, shape in enumerate(drawn)}
    text = "".join(generator.choices(alphabet, k=60))
    matcher = PatternIndex(patterns).stream()
    check(matcher, patterns, text)
    matcher.reset()
    check(matcher, patterns, [bytes([byte]) for byte in text.encode()])


@pytest.mark.parametrize("method", methods("patterns"))
def test_every_method_and_every_way_of_subscribing(method: str) -> None:
    index = PatternIndex({"gone": "a", "s1": "song?blue", "s2": "pie*tea", "s3": "*", "s4": "tea??"}, method=method)
    del index["gone"]
    index["s1"] = "blue???"
    index["s5"] = "?"
    index.update({"s6": "e*e*e", "s7": "no such"})
    assert list(index) == ["s1", "s2", "s3", "s4", "s5", "s6", "s7"]
    check(
        index.stream(), dict(index), ["", "we like", " apple p", "", "ie, blue berri", "es and t", "ea", " or", " no"]
    )


def test_a_stream_has_the_subscriptions_of_its_beginning() -> None:
    index = PatternIndex({1: "a*b", 2: "c"})
    early, twin = index.stream(), index.stream()
    assert early.feed("a") == []
    index[3] = "b"
    index[2] = "a"
    del index[1]
    later = index.stream()
    assert early.feed("bc") == [1, 2]
    assert later.feed("ab") == [2, 3]
    index.clear()
    assert twin.feed("abc") == [1, 2]  # made before, fed after, and apart from the others
    assert index.stream().feed("abc") == []
    assert (early.matched, later.matched) == ([1, 2], [2, 3])


def test_streams_of_one_plan_share_it() -> None:
    index = PatternIndex({1: "a"})
    first, second = index.stream(), index.stream()
    assert first._plan is second._plan
    index.match("a")
    assert index.stream()._plan is first._plan
    index[2] = "b"
    assert index.stream()._plan is not first._plan


def test_a_saved_index_streams(tmp_path: Any) -> None:
    patterns = {1: "a?c", 2: "??", 3: "c*a"}
    PatternIndex(patterns).save(tmp_path / "index")
    check(PatternIndex.open(tmp_path / "index").stream(), patterns, ["abc", "", "ba"])


def test_what_cannot_be_read_changes_nothing() -> None:
    matcher = PatternIndex({1: "aé東", 2: "??"}).stream()
    assert matcher.feed(b"a\xc3") == []
    for bad, message in [
        (b"a", "invalid UTF-8 at byte 0"),
        (b"\xa9a\xff", "invalid UTF-8 at byte 2"),
        ("b", "inside a character"),
        (7, "not int"),
        (None, "not NoneType"),
    ]:
        with pytest.raises(EventError, match=message) as refused:
            matcher.feed(bad)  # type: ignore[arg-type]
        assert refused.value.position == 1
    assert matcher.feed("") == [] == matcher.feed(b"")
    assert matcher.feed(bytearray(b"\xa9\xe6\x9d")) == [2]
    assert matcher.feed(memoryview(b"\xb1x")) == [1]
    assert matcher.characters == 4
    matcher.feed(b"\xc3")
    matcher.reset()
    assert matcher.feed(b"xa") == [2]  # the cut character is forgotten, too


def test_long_words_and_gaps() -> None:
    patterns = {
        1: "a" * 300,
        2: "ab" + "?" * 1000 + "ba",
        3: "?" * 2000 + "b*" + "?" * 500,
        4: "b" + "?" * 1500,
        5: "a?" * 200 + "b",
    }
    generator = random.Random(5)
    text = "".join(generator.choices("ab", k=1500)) + "a" * 299 + "b" + "ab" * 300 + "a" * 700
    size = 150
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    check(PatternIndex(patterns).stream(), patterns, chunks)


@pytest.mark.parametrize("seed", range(4))
def test_a_rare_word_long_before_the_end_of_its_segment(seed: int) -> None:
    """The rare word comes again before it is known whether the rest follows, up to the longest wait and beyond it."""
    generator = random.Random(seed)
    patterns = {}
    for row in range(150):
        gap = generator.choice([1, 2, 5, 30, 60, 61, 62, 63, 64, 65, 90])
        patterns[row] = "{}" + "?" * gap + "{}" + generator.choice(["", "?c", "*aa?c", "???"])
        patterns[row] = patterns[row].format(generator.choice(["aa", "aba", "c?ab"]), generator.choice("bcé"))
    text = "".join(generator.choices("abcé", [40, 20, 1, 1], k=600))
    matcher = PatternIndex(patterns).stream()
    check(matcher, patterns, [text[at : at + 3] for at in range(0, len(text), 3)])


def test_a_long_stream_takes_no_more_memory_than_a_short_one() -> None:
    generator = random.Random(8)
    letters = "abcdefgh"

    def segment() -> str:
        return "".join(generator.choices(letters, k=3)) + "?" + generator.choice(letters)

    patterns = {row: "*".join(segment() for _ in range(3)) for row in range(500)}
    patterns |= {1000: "a*z", 1001: "z??", 1002: "é*" + "h?a*" * 20 + "z", 1003: "é??????é"}
    blocks = ["".join(generator.choices(letters, k=4096)) for _ in range(16)]
    chunks = [blocks[number % 16] for number in range(1280)]  # five million characters
    chunks[700] += "é"
    chunks += ["z!!"]
    matcher = PatternIndex(patterns).stream()
    found = matcher.feed(chunks[0])
    before = _kept(matcher)
    assert matcher.nbytes == sum(before.values()) < 100_000
    for chunk in chunks[1:]:
        found += matcher.feed(chunk)
    assert _kept(matcher) == before
    assert not any(isinstance(value, str | bytes | list) and value for value in vars(matcher).values())
    assert matcher.characters == sum(map(len, chunks))
    assert len(found) == len(set(found)) > 400
    whole = "".join(chunks)
    assert sorted(found) == matcher.matched == [row for row, pattern in patterns.items() if _holds(pattern, whole)]


def _holds(pattern: str, text: str) -> bool:
    """As the oracle, for a long text: one part of the pattern after the other, as early as it goes."""
    end = 0
    for part in pattern.split("*"):
        found = re.compile(part.replace("?", "."), re.DOTALL).search(text, end)
        if found is None:
            return False
        end = found.end()
    return True


def _kept(matcher: StreamMatcher) -> dict[int, int]:
    """Return the bytes of each of a matcher's own arrays."""
    return {id(array): array.nbytes for array in matcher._state}
