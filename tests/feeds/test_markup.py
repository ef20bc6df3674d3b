"""HTML into plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from watchword.feeds.markup import plain_text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("", ""),
        ("plain", "plain"),
        ("<p>a</p><p>b</p>", "a b"),
        ("a<br>b<br/>c", "a b c"),
        ("<b>Hel</b>lo", "Hello"),
        ("a &lt; b &amp;amp; c&nbsp;d", "a < b &amp; c d"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("x <3 y", "x <3 y"),
        ("a<!-- <p>no</p> -->b", "ab"),
        ("a<script>if (1 < 2) no()</script>b<style>p{}</style>c", "a b c"),
        ('<img alt="a > b" src=x>after', "after"),
        ('<a href="unclosed>text</a> more', "text more"),
        ("cut <a href=", "cut <a href="),
        ("a<script>if (1 < 2) no()", "a"),
        ("a<b>c<style>p{}</p>d", "ac"),
        ("<![CDATA[inner <i>x</i>]]>", "inner x]]>"),
        ("a\x00b\ud800c", "a b?c"),
    ],
)
def test_plain_text(markup: str, text: str) -> None:
    assert plain_text(markup) == text


WORDS = st.lists(st.text("abcé東", min_size=1), min_size=1, max_size=6)
TAGS = st.sampled_from(["<p>", "</p>", "<br/>", '<div class="x > y">', "<!-- c -->", "<li>"])


@given(WORDS, st.lists(TAGS, min_size=6, max_size=6))
def test_words_survive_whatever_tags_are_between(words: list[str], tags: list[str]) -> None:
    markup = "".join(f"{tag} {word} " for tag, word in zip(tags, words, strict=False))
    assert plain_text(markup) == " ".join(words)


@given(st.text("<>!-/[]\"' ascriptCDATA&;", max_size=60))
def test_anything_is_read(text: str) -> None:
    assert plain_text(text) == " ".join(plain_text(text).split())
