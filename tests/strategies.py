"""What hypothesis draws: subscriptions and events over a vocabulary so small that matches abound.

The words are chosen to trip up: case folding that lengthens a word, a capital sigma with two small forms, the
same letter composed and decomposed (one term), a script without spaces, an underscore. Queries are drawn as
text from the grammar, not printed from a tree, so that precedence is tested where no parenthesis stands. A
drawn query has at most 128 clauses, which is within the index's default limit.

Patterns and their texts are strings over a few characters of one to four bytes, so that nearly every piece of a
pattern occurs in a text and what decides is whether the pieces can be put together. For case folding the
characters are those that fold to several, to each other, or to a combining mark.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from hypothesis import strategies as st

from tests import oracle

WORDS = ("greece", "crisis", "imf", "é", "e\u0301", "straße", "ΣΊΣΥΦΟΣ", "x_1", "東京")
TERMS = tuple(oracle.terms(word)[0] for word in WORDS)
SPELLINGS = tuple(
    dict.fromkeys(
        spelling
        for word in WORDS
        for spelling in (word, word.lower(), word.upper(), word.title())
        if oracle.terms(spelling) == oracle.terms(word)
    )
)
PUNCTUATION = ("&", "-", "--", "...", "+", "’", "🙂")
SPACES = (" ", " ", "  ", "\t", "\n", "\u00a0", "\u3000")
GLUE = (" ", " ", ", ", "-", ".\n", " & ", "/", "🙂")

word = st.sampled_from(SPELLINGS)
space = st.sampled_from(SPACES)
coin = st.booleans()
Draw = Callable[[st.SearchStrategy], str]


# Strategies are made once: to make one takes longer than to draw from it.
one_or_two = st.integers(1, 2)
up_to = {most: st.integers(0, most) for most in (1, 2)}
signs = st.sampled_from(["", "", "", "", "-", "NOT ", "NOT -", "NOT\tNOT "])
atoms = {
    depth: st.sampled_from(
        ["word"] * 5
        + ["hyphen", "phrase", "nothing", "family", "signed", "chain"]
        + (["group"] * 3 + ["some"]) * (depth - 1)
    )
    for depth in (1, 2)
}
punctuation = st.sampled_from(PUNCTUATION)
FAMILIES = (
    *("gr*", "*e", "C?ISIS", "*r*s*", "cr*is", "Stra?e", "str*E", "gre?~0", "?mf~0", "x_*", "*σίσ*", "im*-cris*"),
    *("greec~1", "grecee~1", "rceece~2", "cris~2", "IMG~1", "strasse~1", "Σίσυφο~1", "im~1", "x_~1", "greecee~2"),
)
"""Words with wildcards and edits; each finds one of the words at least, most of them not all."""

family = st.sampled_from(FAMILIES)
link = st.sampled_from(["NEAR/1", "NEAR/2", "NEAR/4", "BEFORE/1", "BEFORE/2", "BEFORE/3"])
slop = st.sampled_from(["~1", "~2", "~4"])
word_lists = cache(partial(st.lists, word))
glues = cache(st.sampled_from)


@st.composite
def phrases(draw: Draw, fewest: int = 1, most: int = 3, more_glue: tuple[str, ...] = ()) -> str:
    """Draw a few words with anything between them that separates terms."""
    glue = glues(GLUE + more_glue)
    words = draw(word_lists(min_size=fewest, max_size=most))
    return "".join(part for at, text in enumerate(words) for part in (draw(glue) if at else "", text))


phrase = phrases()


@st.composite
def queries(draw: Draw) -> str:
    """Draw a query; everything in it may be of the kind that is dropped."""
    return _either(draw, 2 if draw(coin) else 1)


def _either(draw: Draw, depth: int) -> str:
    parts = [_both(draw, depth) for _ in range(draw(one_or_two))]
    return f"{draw(space)}OR{draw(space)}".join(parts)


def _both(draw: Draw, depth: int) -> str:
    query = _negated(draw, depth)
    for _ in range(draw(up_to[depth])):
        query += (f"{draw(space)}AND{draw(space)}" if draw(coin) else draw(space)) + _negated(draw, depth)
    return query


def _negated(draw: Draw, depth: int) -> str:
    sign = draw(signs)
    return sign + _atom(draw, depth)


def _atom(draw: Draw, depth: int) -> str:
    kind = draw(atoms[depth])
    if kind == "group":
        inside = _either(draw, depth - 1)
        return f"(({inside}))" if draw(coin) else f"({inside}{draw(space)})"
    if kind == "hyphen":
        return f"{draw(word)}-{draw(word)}"
    if kind == "phrase":
        return f'"{draw(phrase)}"'
    if kind == "chain":
        return _linked(draw)
    if kind == "signed":
        return _signed(draw)
    if kind == "family":
        return draw(family)
    if kind == "some":
        parts = [_both(draw, 1) for _ in range(draw(st.integers(2, 4)))]
        return f"{draw(st.integers(1, len(parts)))} OF ({', '.join(parts)})"
    return draw(word if kind == "word" else punctuation)


def _signed(draw: Draw) -> str:
    """Draw a word or phrase with a slop, or at the beginning or end of a text."""
    inside = draw(st.sampled_from([f'"{draw(phrase)}"', draw(word), draw(family)]))
    if inside[0] == '"' and draw(coin):
        return inside + draw(slop)
    return f"^{inside}" if draw(coin) else f"{inside}$"


def _linked(draw: Draw) -> str:
    """Draw words, phrases and families with NEAR and BEFORE between them."""
    parts = [_choice(draw) for _ in range(draw(st.integers(2, 3)))]
    return "".join(f" {draw(link)} {part}" if at else part for at, part in enumerate(parts))


def _choice(draw: Draw) -> str:
    ones = [draw(word), draw(family), f'"{draw(phrase)}"']
    one = draw(st.sampled_from([ones[0], *ones]))
    return f"({one} OR {draw(st.sampled_from(ones))})" if draw(coin) and draw(coin) else one


def accepted(query: str, **analysis: object) -> bool:
    """Say whether the oracle takes the query."""
    try:
        oracle.parse(query, **analysis)
    except ValueError:
        return False
    return True


keyword_queries = st.one_of(word, queries(), queries()).filter(accepted)
"""Legal queries."""

keyword_scraps = st.lists(
    st.sampled_from([*"abc", "AND", "OR", "NOT", "(", ")", '"', "-", "&", "the", " ", " ", " "]), max_size=14
).map("".join)
"""Anything that looks like a query; about a third of them are."""

FOREIGN_SIGNS = (
    "!",
    "|",
    "&&",
    "*",
    "~",
    "^",
    ":",
    "/",
    "1",
    "+",
    ".",
    "“",
    "”",
    "«",
    "://",
    "www.",
    "NEAR",
    "AROUND",
    "w",
    "?",
    "=",
    "<",
    ">",
    "{",
    "//",
    "@",
    "'",
    "%",
    "\\d",
    "{2}",
    "<->",
    "LIKE",
    "|re:",
)

keyword_foreign = st.lists(
    st.sampled_from([*"abc", "AND", "OR", "NOT", "and", "or", "not", "(", ")", '"', "-", *FOREIGN_SIGNS, *[" "] * 9]),
    max_size=9,
).map("".join)
"""Anything that looks like a query of this or of another tool."""

keyword_texts = st.one_of(phrases(0, 3), phrases(0, 8, ("\ud800", "\0")))
"""Texts as they come, lone surrogates among them."""

keyword_term_lists = st.lists(st.sampled_from(TERMS), max_size=6)
"""Events that have been analysed already."""

keyword_events = st.one_of(
    keyword_texts,
    keyword_texts,
    keyword_texts.map(lambda text: text.encode(errors="ignore")),
    keyword_term_lists,
    keyword_term_lists.map(tuple),
)
"""Events of every kind that `match` takes."""

PATTERN_CHARACTERS = ("a", "a", "a", "b", "b", "é", "東", "🙂")
FOLDING_CHARACTERS = ("a", "A", "s", "S", "ß", "ẞ", "ſ", "ŉ", "İ", "i", "\u0307", "Σ", "ς", "K")  # the last is Kelvin's
ODD_CHARACTERS = ("\n", "\0", "\\", "?", "*")
WILDCARDS = ("?", "?", "*", "*", "?*", "**", "*?*?")


def _pieces(characters: tuple[str, ...]) -> st.SearchStrategy[str]:
    literal = st.sampled_from(characters)
    escaped = st.sampled_from([*characters, *ODD_CHARACTERS]).map("\\{}".format)
    odd = st.sampled_from(ODD_CHARACTERS[:2])
    return st.one_of(literal, literal, literal, st.sampled_from(WILDCARDS), escaped, odd)


def patterns(characters: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Draw legal patterns: mostly literals, or wildcards and literals in turn, or wildcards only.

    There is no lone surrogate among them, for an Arrow table could not hold it.
    """
    wildcards = st.lists(st.sampled_from(WILDCARDS), min_size=1, max_size=3).map("".join)
    word = st.text(st.sampled_from(characters), min_size=1, max_size=3)
    mixed = st.lists(_pieces(characters), min_size=1, max_size=8).map("".join)
    in_turn = st.lists(st.tuples(word, st.sampled_from(WILDCARDS)), min_size=1, max_size=4).map(
        lambda pairs: "".join(map("".join, pairs))
    )
    return st.one_of(mixed, mixed, in_turn, in_turn.map(lambda text: text.rstrip("?*")), word, wildcards)


def pattern_events(characters: tuple[str, ...]) -> st.SearchStrategy[str | bytes]:
    """Draw texts as `str`, lone surrogates among them, and as bytes."""
    plain = st.text(st.sampled_from(characters), max_size=14)
    odd = st.text(st.sampled_from((*characters, *ODD_CHARACTERS, "\ud800")), max_size=10)
    return st.one_of(plain, plain, odd, plain.map(str.encode))


numbers = st.one_of(st.integers(0, 12), st.integers(0, 2000)).map(str)
number_events = st.one_of(st.integers(0, 15), st.lists(st.integers(0, 15), max_size=5))

PROPERTIES = ("sports", "politics", "arts", "a", "é東", "x", "10", "AND_")
"""Declared properties: names that are parts of others, digits, an operator with a tail, several bytes a character."""


property_lists = st.lists(st.sampled_from(PROPERTIES), min_size=1, max_size=6)
property_values = st.sampled_from("001111*")
equals = st.sampled_from(["=", "=", "=", " = ", "=\t"])
joints = st.sampled_from([" ", " ", "  ", "\n", ",", ", ", " , ", " AND ", "\tAND  "])
before, after = st.sampled_from(["", "", " "]), st.sampled_from(["", "", "\n"])


@st.composite
def property_pairs(draw: Draw) -> str:
    """Draw pairs in any order, a property named twice with the same value now and then, and all that may join them."""
    names = draw(property_lists)
    values = {name: draw(property_values) for name in names}
    pairs = [f"{name}{draw(equals)}{values[name]}" for name in names]
    text = "".join(part for at, pair in enumerate(pairs) for part in (draw(joints) if at else "", pair))
    return draw(before) + text + draw(after)


def _over_properties(values: str) -> st.SearchStrategy[str]:
    return st.text(st.sampled_from(values), min_size=len(PROPERTIES), max_size=len(PROPERTIES))


property_subscriptions = st.one_of(property_pairs(), property_pairs(), _over_properties("01****"))
"""Legal subscriptions in both forms, such that ask nothing among them."""

property_scraps = st.lists(
    st.sampled_from(["a", "arts", "10", "=", "=", "0", "1", "*", " ", " ", ",", "AND", "OR", "\u00a0", "é東"]),
    max_size=9,
).map("".join)
"""Anything that looks like a subscription; about a tenth of them are."""

property_names = st.lists(st.sampled_from(PROPERTIES), max_size=8)
property_bits = st.one_of(_over_properties("01"), _over_properties("0001"))
property_events = st.one_of(
    property_bits,
    property_bits.map(str.encode),
    property_names,
    property_names.map(frozenset),
    st.dictionaries(st.sampled_from(PROPERTIES), st.sampled_from([0, 1, False, True])),
)
"""Events of every kind that `match` takes."""
