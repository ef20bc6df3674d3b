"""What hypothesis draws for the predicate language: subscriptions and events over so few names and constants
that matches abound.

The constants are chosen to trip up: integers that no double holds beside the doubles next to them, texts that are
prefixes of one another, spellings that fold to each other or to more letters, one instant in several writings,
texts that are nearly dates, numbers as texts, addresses of both versions. Queries are drawn as text from the
grammar, so that precedence is tested where no parenthesis stands; a drawn query has at most 128 clauses, if a
predicate is one atom. Nothing is drawn that the language leaves open (see `predicate_oracle`).
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from functools import cache

from hypothesis import strategies as st

from tests.predicate_oracle import accepted

Draw = Callable[[st.SearchStrategy], str]

ATTRIBUTES = (
    "a",
    "a",
    "a",
    "b",
    "b",
    "c",
    "n.x",
    '"q r"',
    "orders.price",
    "orders.sku",
    "orders",
    "topic",
    "ip",
    "day",
)
INNER = ("price", "price", "sku", "n.x", "gone")

INTEGERS = (0, 1, 2, 5, -1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64 + 1, 10**30)
FLOATS = (0.0, -0.0, 1.0, 1.5, -1.0, 0.1, 2.0**53, 2.0**63, 1e30, 5e-324)
NUMBER_WRITINGS = ("1.0", "1.50", "-1", "2e0", "1E+0", "10e-1", "0.1", "-0", "9007199254740992.0", "1e30")
WORDS = (
    "",
    "x",
    "xy",
    "xyz",
    "X",
    "Xy",
    "y",
    "it's",
    "''",
    "straße",
    "STRASSE",
    "İ",
    "i̇",
    "東京",
    "é",
    "🙂",
    "5",
    "1.0",
)
NEARLY_DATES = ("2024-02-30", "2024-1-1", "2024", "2024-01-01T00", "2024-01-01 ", "0000-01-01", "2024-01-01T00:00:60")
DATES = (
    "2024-01-01",
    "2024-01-01T00:00",
    "2024-01-01 00:00:00Z",
    "2024-01-01T01:30:00+01:30",
    "2023-12-31T19:00:00.000-05:00",
    "2024-01-01T00:00:00.000000001",
    "2024-01-01T00:00:00.000001",
    "2024-01-02",
    "1677-01-01",
    "9999-12-31T23:59:59.999999999Z",
)
DATE_OBJECTS = (
    datetime.date(2024, 1, 1),
    datetime.datetime(2024, 1, 1),
    datetime.datetime(2024, 1, 1, 0, 0, 0, 1),
    datetime.datetime(2024, 1, 1, 1, 30, tzinfo=datetime.timezone(datetime.timedelta(hours=1, minutes=30))),
    datetime.datetime(2024, 1, 2, tzinfo=datetime.UTC),
    datetime.date(1, 1, 1),
)
ADDRESSES = (
    "10.0.0.1",
    "10.1.2.3",
    "11.0.0.0",
    "::1",
    "2001:db8::1",
    "2001:DB8:0::1",
    "::ffff:10.0.0.1",
    "10.0.0",
    "01.2.3.4",
)
NETWORKS = ("10.0.0.0/8", "10.0.0.0/24", "10.1.2.3", "0.0.0.0/0", "::/0", "2001:db8::/32", "::1/128")
TOPICS = (
    "politics",
    "national",
    "local",
    "village",
    "politics/national",
    "sports/national",
    "local/x",
    "sports",
    "POLITICS",
)

HIERARCHIES = {
    "topic": {"national": "politics", "local": ["politics", "region"], "village": "local", "region": ["place"]},
    "n.x": {"xy": "x", "xyz": ["xy", "y"]},
}
"""Two directed acyclic graphs, child -> parent or parents; `local` reaches `politics` and, by `region`, `place`."""

coin = st.booleans()
loose = st.sampled_from(["", " ", " ", "\n"])
inner_attribute = st.sampled_from(INNER)
outer_attribute = st.sampled_from(ATTRIBUTES)
texts = st.sampled_from(WORDS + DATES[:4] + NEARLY_DATES[:2] + TOPICS[:2])
dates = st.sampled_from(DATES)
number_literals = st.one_of(
    st.sampled_from([0, 1, 2, 5]).map(str), st.sampled_from(INTEGERS).map(str), st.sampled_from(NUMBER_WRITINGS)
)


def quoted(text: str) -> str:
    """Return a text as a literal."""
    return "'" + text.replace("'", "''") + "'"


text_literals = texts.map(quoted)
date_literals = dates.map(quoted)


@cache
def keyword(words: str) -> st.SearchStrategy[str]:
    """Return ways to write a keyword of one or more words, with space around it; one choice, for there are many."""
    first, *more = words.split()
    odd = " \n".join([first.lower(), *(word.title() for word in more)])
    plain = f" {words} "
    return st.sampled_from([plain, plain, plain, plain.lower(), plain.title(), f"\t{odd}  "])


boolean_literals = st.sampled_from(["TRUE", "false", "True", "FALSE"])
literals = st.one_of(number_literals, number_literals, text_literals, text_literals, date_literals, boolean_literals)


# Strategies are made once: to make one takes longer than to draw from it.
one_or_two = st.integers(1, 2)
one_to_three = st.integers(1, 3)
signs = st.sampled_from(["", "", "", "", "NOT ", "not\t", "NOT NOT "])
repeated_attribute = st.sampled_from(["orders", "orders", "orders", "n", "a"])


@cache
def operand_kind(depth: int, outer: bool) -> st.SearchStrategy[str]:
    """Return what an operand may be: a predicate; outside of an ANY also an ANY; a group, if it may go deeper."""
    return st.sampled_from(["predicate"] * 6 + ["any"] * outer + (["group"] * 3 + ["some"]) * (depth - 1))


@st.composite
def drawn_queries(draw: Draw) -> str:
    """Draw a legal query of the whole language."""
    return draw(loose) + _either(draw, 2 if draw(coin) else 1, outer_attribute) + draw(loose)


def _either(draw: Draw, depth: int, attribute: st.SearchStrategy[str]) -> str:
    parts = [_both(draw, depth, attribute) for _ in range(draw(one_or_two))]
    return draw(keyword("OR")).join(parts)


def _both(draw: Draw, depth: int, attribute: st.SearchStrategy[str]) -> str:
    parts = [_negated(draw, depth, attribute) for _ in range(draw(one_to_three if depth == 2 else one_or_two))]
    return draw(keyword("AND")).join(parts)


def _negated(draw: Draw, depth: int, attribute: st.SearchStrategy[str]) -> str:
    sign = draw(signs)
    return sign + _operand(draw, depth, attribute)


def _operand(draw: Draw, depth: int, attribute: st.SearchStrategy[str]) -> str:
    kind = draw(operand_kind(depth, attribute is outer_attribute))
    if kind == "some":
        parts = [_both(draw, 1, attribute) for _ in range(draw(st.integers(2, 4)))]
        return f"{draw(st.integers(1, len(parts)))} OF ({', '.join(parts)})"
    if kind == "group":
        return f"({draw(loose)}{_either(draw, depth - 1, attribute)}{draw(loose)})"
    if kind == "any":
        name = draw(repeated_attribute)
        return f"{draw(keyword('ANY'))}{name}{draw(loose)}({_either(draw, 1, inner_attribute)})"
    return _predicate(draw, draw(attribute))


def _predicate(draw: Draw, name: str) -> str:
    """Draw a predicate, more often of a kind that suits the attribute."""
    if name in SUITABLE and draw(coin):
        return name + draw(SUITABLE[name])
    comparison = draw(comparisons)
    return comparison + name if comparison.strip().upper() == "EXISTS" and draw(coin) else name + comparison


def _signs(*signs: str) -> st.SearchStrategy[str]:
    return st.tuples(loose, st.sampled_from(signs), loose).map("".join)


def _joined(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map("".join)


ignoring = st.one_of(st.just(""), keyword("IGNORING CASE"))
ordered = st.one_of(number_literals, number_literals, text_literals, date_literals)
members = st.lists(literals, min_size=1, max_size=4).map(", ".join)
text_members = st.lists(text_literals, min_size=1, max_size=3).map(",".join)
any_sign = _signs("=", "=", "!=", "<>", "<", "<=", ">", ">=")

equality = _joined(_signs("=", "=", "!=", "<>"), literals)
order = _joined(_signs("<", "<=", ">", ">="), ordered)
between = _joined(
    keyword("BETWEEN"),
    st.one_of(
        _joined(number_literals, keyword("AND"), number_literals),
        _joined(text_literals, keyword("AND"), text_literals),
        _joined(date_literals, keyword("AND"), date_literals),
        _joined(text_literals, keyword("AND"), date_literals, keyword("IGNORING CASE")),
    ),
)
membership = _joined(keyword("IN"), members.map("({})".format))
folded = st.one_of(
    _joined(any_sign, st.one_of(text_literals, date_literals), keyword("IGNORING CASE")),
    _joined(keyword("IN"), text_members.map("({})".format), keyword("IGNORING CASE")),
)
affix = _joined(st.one_of(keyword("STARTS WITH"), keyword("ENDS WITH")), text_literals, ignoring)
contains = st.one_of(
    _joined(keyword("CONTAINS"), literals), _joined(keyword("CONTAINS"), text_literals, keyword("IGNORING CASE"))
)
network = _joined(keyword("IN CIDR"), st.sampled_from(NETWORKS).map(quoted))
spelled = st.one_of(
    _joined(keyword("AS NUMBER"), _signs("=", "<", "<=", ">", ">="), number_literals),
    _joined(
        keyword("AS INTEGER"), _signs("=", "<", "<=", ">", ">="), st.sampled_from(["0", "1", "2", "5", "-1", "12"])
    ),
    _joined(keyword("AS INTEGER BETWEEN"), st.sampled_from(["-1", "1"]), keyword("AND"), st.sampled_from(["0", "5"])),
    st.one_of(keyword("AS INTEGER"), keyword("AS NUMBER")),
)
kind_of = _joined(keyword("KIND OF"), st.sampled_from(TOPICS + WORDS[:4] + ("region", "place", "nowhere")).map(quoted))
presence = st.one_of(keyword("EXISTS"), keyword("IS MISSING"))
parts = _joined(keyword("HAS"), texts.filter(bool).map(quoted), ignoring)
forms = st.lists(st.one_of(st.sampled_from(["%", "%", "_"]), texts), max_size=4).map("".join).map(quoted)
like = st.one_of(
    _joined(st.one_of(keyword("LIKE"), keyword("ILIKE")), forms, ignoring),
    _joined(keyword("LIKE"), st.sampled_from(["x!%%", "!_x", "x!!%"]).map(quoted), keyword("ESCAPE"), st.just("'!'")),
)
searches = ["x", "X y", "x OR NOT y", "NOT x", '"x y"', "straße", "it''s", "(x OR y) -xyz", "é 東京"]
searches += ["xy*", "x?z", "*yz OR ^x", "xy~1 NOT y$", "x NEAR/2 (y OR z)"]
searches += ['"x y"~2', "2 OF (x, y, NOT z)", "y BEFORE/1 x"]
patterns = ["x", "x?", "*", "?y*z", "\\*", "🙂", "S"]
found_texts = st.one_of(
    _joined(keyword("MATCHES"), st.sampled_from(searches).map("'{}'".format)),
    _joined(keyword("MATCHES PATTERN"), st.sampled_from(patterns).map(quoted)),
    _joined(keyword("MATCHES PATH"), st.sampled_from(["//x", "/x/y", "x"]).map(quoted)),
)

COMPARISONS = (
    equality,
    equality,
    order,
    order,
    between,
    membership,
    folded,
    affix,
    contains,
    network,
    spelled,
    kind_of,
    presence,
    parts,
    like,
    found_texts,
)
comparisons = st.one_of(COMPARISONS)
small_literals = st.sampled_from(["0", "1", "2", "5", "1.5"])
word_literals = st.sampled_from(WORDS[1:6]).map(quoted)
SUITABLE = {
    "a": st.one_of(
        _joined(any_sign, small_literals), _joined(keyword("BETWEEN"), small_literals, keyword("AND"), small_literals)
    ),
    "b": st.one_of(
        _joined(any_sign, word_literals, ignoring),
        _joined(keyword("STARTS WITH"), word_literals, ignoring),
        _joined(keyword("HAS"), word_literals, ignoring),
        _joined(keyword("LIKE"), forms, ignoring),
        found_texts,
    ),
    "c": st.one_of(_joined(any_sign, small_literals), _joined(_signs("=", "!="), boolean_literals)),
    '"q r"': _joined(keyword("IN"), st.lists(small_literals, min_size=1, max_size=3).map(", ".join).map("({})".format)),
    "topic": kind_of,
    "n.x": kind_of,
    "ip": network,
    "day": _joined(any_sign, date_literals),
    "price": _joined(any_sign, number_literals),
    "orders.price": _joined(any_sign, number_literals),
    "sku": _joined(any_sign, text_literals),
}

queries = drawn_queries().filter(accepted)
"""Legal queries; whatever is drawn is legal, the filter makes sure."""

SCRAPS = (
    *(
        "a = 1",
        "b IN ('x', 1)",
        "c EXISTS",
        "a BETWEEN 1 AND 2",
        "ANY orders (",
        "n.x <= 'x'",
        '"q r" IS MISSING',
        "EXISTS a",
    ),
    *("AND", "AND", "AND", "OR", "OR", "NOT", "(", ")", ")", ",", ".", "=", "'x'", "1", "b", "IN", "IGNORING CASE"),
    *("LIKE", "==", "&&", "-", "'", '"', "NULL", "ANY"),
)
scraps = st.one_of(
    st.lists(st.sampled_from(SCRAPS), max_size=7), st.lists(st.sampled_from(SCRAPS[:17]), min_size=1, max_size=5)
).map(" ".join)
"""Anything that looks like a query; few of them are."""

small_numbers = st.sampled_from([0, 1, 2, 5, 1.0, 1.5])
json_scalars = st.one_of(
    st.none(),
    small_numbers,
    small_numbers,
    st.sampled_from(INTEGERS),
    st.sampled_from(FLOATS),
    texts,
    texts,
    st.sampled_from(DATES + NEARLY_DATES),
    st.booleans(),
)
scalars = st.one_of(
    json_scalars,
    json_scalars,
    json_scalars,
    st.sampled_from([float("nan"), float("inf"), float("-inf")]),
    st.sampled_from(DATE_OBJECTS),
)


ABSENT = st.just(...)


def _events(scalar: st.SearchStrategy[object]) -> st.SearchStrategy[dict]:
    """Return events whose attributes have values of `scalar`, or of the kind their names promise."""
    order = st.fixed_dictionaries(
        {}, optional={"price": st.one_of(small_numbers, scalar), "sku": st.one_of(texts, scalar), "n": _nested(scalar)}
    )
    loose_list = st.lists(st.one_of(scalar, scalar, st.lists(scalar, max_size=2)), max_size=3)
    value = st.one_of(scalar, scalar, scalar, loose_list, order)
    attributes = {
        "a": st.one_of(small_numbers, st.lists(small_numbers, max_size=3), value, st.lists(order, max_size=2)),
        "b": st.one_of(st.sampled_from(WORDS[1:6]), value),
        "c": st.one_of(small_numbers, coin, scalar),
        "n": st.one_of(_nested(scalar), st.lists(_nested(scalar), max_size=3), value),
        "n.x": scalar,
        "q r": st.one_of(small_numbers, value),
        "orders": st.one_of(st.lists(order, max_size=3), order, st.lists(st.one_of(order, scalar), max_size=3)),
        "topic": st.one_of(st.sampled_from(TOPICS), st.lists(st.sampled_from(TOPICS), max_size=2), value),
        "ip": st.one_of(st.sampled_from(ADDRESSES), st.lists(st.sampled_from(ADDRESSES), max_size=2), value),
        "day": st.one_of(scalar, st.sampled_from(DATES), st.lists(st.sampled_from(DATES), max_size=2)),
    }
    whole = st.fixed_dictionaries({name: st.one_of(value, value, ABSENT) for name, value in attributes.items()})
    return st.one_of(whole.map(_without_absent), st.fixed_dictionaries({}, optional=attributes))


def _without_absent(event: dict) -> dict:
    return {name: value for name, value in event.items() if value is not ...}


def _nested(scalar: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    inner = st.one_of(scalar, st.sampled_from(WORDS[:4]), st.lists(scalar, max_size=2))
    return st.fixed_dictionaries({}, optional={"x": inner, "y": scalar})


events = _events(scalars)
"""Events as dicts: missing keys, nulls, NaN, infinities, lists, objects, lists of objects, mixed kinds, dates."""

json_events = _events(json_scalars)
"""The same without what JSON has no writing for: `json.dumps` takes them all."""
