"""The grammar: what is read, under which name, and what is refused where, with which words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.predicate_oracle import accepted
from tests.predicate_strategies import queries
from watchword import Index, PredicateIndex, SubscriptionSyntaxError
from watchword.keywords.proximity import Chain
from watchword.predicates.predicate import show, show_clauses
from watchword.predicates.query import UNLIMITED, Limits, attribute_of, parse
from watchword.sets.boolean import Clause

LIMITS = Limits(clauses=256, depth=64, predicates=4096, literal=65536)


def names(text: str) -> list[tuple[list[str], list[str]]]:
    """Return the clauses of a text, by the names of their predicates."""
    clauses = parse(text, LIMITS)
    return [([show(one) for one in clause.required], [show(one) for one in clause.forbidden]) for clause in clauses]


def name(text: str) -> str:
    (((found,), ()),) = (tuple(map(tuple, clause)) for clause in names(text))
    return found


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("price>20.0", "price > 20"),
        ("price > +20", "price > 20"),
        ("price < -.5", "price < -0.5"),
        ("price = 2e3", "price = 2000"),
        ("price = -0.0", "price = 0"),
        ("price = 9007199254740993", "price = 9007199254740993"),
        ("a <> 1", "a != 1"),
        ("a contains 'x'", "a = 'x'"),
        ("a In ('x')", "a = 'x'"),
        ("a IN ('x', 'x', 1, 1.0, true, TRUE)", "a IN ('x', 1, TRUE)"),
        ("a between 1 and 2", "a BETWEEN 1 AND 2"),
        ("a BETWEEN '2024-01-01' AND 'B' IGNORING CASE", "a BETWEEN '2024-01-01' AND 'b' IGNORING CASE"),
        ("a starts with 'it''s'", "a STARTS WITH 'it''s'"),
        ("a ends with 'X' ignoring case", "a ENDS WITH 'x' IGNORING CASE"),
        ("a = 'STRASSE' IGNORING CASE", "a = 'strasse' IGNORING CASE"),
        ("a = 'straße' IGNORING CASE", "a = 'strasse' IGNORING CASE"),
        ("a = '2024-01-01' IGNORING CASE", "a = '2024-01-01' IGNORING CASE"),
        ("a in cidr '10.0.0.0/8'", "a IN CIDR '10.0.0.0/8'"),
        ("a in cidr '10.0.0.1'", "a IN CIDR '10.0.0.1/32'"),
        ("a IN CIDR '2001:DB8::/32'", "a IN CIDR '2001:db8::/32'"),
        ("a kind of 'politics'", "a KIND OF 'politics'"),
        ("exists a", "a EXISTS"),
        ("a . b.\"c\"", "a.b.c"),
        ('"a.b" = 1', '"a.b" = 1'),
        ('"in" = 1', '"in" = 1'),
        ('"say ""hi""" = 1', '"say ""hi""" = 1'),
        ('"" = 1', '"" = 1'),
        ("starts = 1", "starts = 1"),
        ("kind KIND OF 'x'", "kind KIND OF 'x'"),
        ("東京 = '東京'", "東京 = '東京'"),
        ("any orders(price>5 and sku='x')", "ANY orders (price > 5 AND sku = 'x')"),
        ("ANY a (x = 1 OR y = 2 AND NOT z EXISTS)", "ANY a ((x = 1) OR (y = 2 AND NOT z EXISTS))"),
    ],
)  # fmt: skip
def test_every_predicate_has_one_name(text: str, canonical: str) -> None:
    if " " not in canonical:
        text, canonical = f"{text} EXISTS", f"{canonical} EXISTS"
    assert name(text) == canonical
    assert name(canonical) == canonical


def test_what_stands_for_something_else() -> None:
    assert names("a IS MISSING") == [([], ["a EXISTS"])]
    assert names("NOT a IS MISSING") == [(["a EXISTS"], [])]
    assert names("a IN ('x', '2024-01-01')") == [(["a = '2024-01-01'"], []), (["a = 'x'"], [])]
    assert names("NOT a IN (1, '2024-01-01')") == [([], ["a = '2024-01-01'", "a = 1"])]
    assert names("ANY a (x = 1 AND NOT x = 1)") == []
    assert names("NOT ANY a (x = 1 AND NOT x = 1)") == [([], ["a EXISTS"]), (["a EXISTS"], [])]


def test_precedence() -> None:
    assert names("a = 1 OR b = 1 AND NOT c = 1") == [(["a = 1"], []), (["b = 1"], ["c = 1"])]
    assert names("(a = 1 OR b = 1) AND c = 1") == [(["a = 1", "c = 1"], []), (["b = 1", "c = 1"], [])]
    assert names("NOT (a = 1 OR b = 1)") == [([], ["a = 1", "b = 1"])]
    assert names("NOT NOT a = 1 AND a = 1") == [(["a = 1"], [])]
    assert names("a = 1 AND NOT a = 1") == []
    assert names("a = 1 OR a = 1 AND b = 1") == [(["a = 1"], [])]
    assert names("x BETWEEN 1 AND 2 AND y = 3") == [(["x BETWEEN 1 AND 2", "y = 3"], [])]


def has_alternatives(predicate: object) -> bool:
    """Say whether a predicate asks for a distance between words one of which has alternatives."""
    constants = getattr(predicate, "constants", ())
    return any(isinstance(one, Chain) and any(len(part) > 1 for part in one.parts) for one in constants)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(queries)
def test_names_parse_back_to_themselves(text: str) -> None:
    clauses = parse(text, LIMITS)
    for clause in clauses:
        for predicate in (*clause.required, *clause.forbidden):
            found = parse(show(predicate), UNLIMITED)
            if has_alternatives(predicate):  # one of them, and the distance: a clause for each
                assert len(found) > 1 and all(predicate in one.required for one in found)
            else:
                assert found == [Clause((predicate,), ())]
    if clauses and not any(has_alternatives(one) for clause in clauses for one in clause.required):
        assert parse(show_clauses(tuple(clauses)), UNLIMITED) == clauses


REFUSED = [
    ("a LIKE 5", 7, "expected a text in single quotes after LIKE"),
    ("a ILIKE 'x' ESCAPE 'ab'", 19, "ESCAPE names one character"),
    ("a LIKE 'x!y' ESCAPE '!'", 9, "the escape character '!' stands before %, _ or itself"),
    ("a HAS ''", 6, "HAS asks for a text of at least one character"),
    ("a HAS 'x' IGNORING", 18, "expected IGNORING CASE"),
    ("a = 1 AND b MATCHES 'it''s (x'", 27, "this parenthesis is never closed"),
    ("a MATCHES ''", 11, "nothing to match"),
    ("a MATCHES PATTERN 'x\\'", 20, "this backslash escapes nothing"),
    ("a MATCHES PATH '//'", 18, ""),
    ("MATCHES 'x'", 0, "MATCHES without an attribute reads those of the option text, and here are none"),
    ("HAS 'x'", 0, "HAS without an attribute"),
    ("a == 1", 2, "== is not supported; = compares; write one ="),
    ("a = 1 && b = 2", 6, "&& is not supported; write AND"),
    ("a = 1 || b = 2", 6, "|| is not supported; write OR"),
    ("a = 1 AND !b = 2", 10, "expected an attribute, not '!'"),
    ("a ! 1", 2, "! is not supported; write NOT"),
    ("a =~ 'x.*'", 2, "=~ is not supported; regular expressions are not"),
    ("a IS NULL", 5, "IS NULL is not supported; write IS MISSING"),
    ("a IS NOT NULL", 5, "IS NOT is not supported; write EXISTS after the attribute"),
    ("a IS GONE", 5, "expected MISSING, not 'GONE'"),
    ("a = NULL", 4, "null is no value; write IS MISSING"),
    ("a NOT IN (1)", 2, "write NOT before the attribute: NOT (a IN …)"),
    ("a NOT LIKE 'x'", 2, "write NOT before the attribute"),
    ("a = 1 b = 2", 6, "expected AND, OR or the end before 'b'"),
    ("a = 1 NOT b = 2", 6, "expected AND, OR or the end before 'NOT'"),
    ("a = 1, b = 2", 5, "expected AND, OR or the end before ','"),
    ("a = \"x\"", 4, "a text in single quotes"),
    ("a = x", 4, "expected a number, TRUE, FALSE or a text in single quotes"),
    ("'a' = 1", 0, "its name stands in double quotes"),
    ("a = 'x", 4, "this quote is never closed; add the closing '"),
    ('"a = 1', 0, 'this quote is never closed; add the closing "'),
    ("a = 'it's'", 8, "expected AND, OR or the end before 's'"),
    ("a = 1.2.3", 4, "expected a number, such as -1 or 2.5e3"),
    ("a = 1x", 4, "expected a number"),
    ("a = - 1", 4, "expected a number"),
    ("a = 1e999", 4, "beyond the range of a double; write it as an integer"),
    ("a = " + "9" * 4001, 4, "more than 4,000 digits"),
    ("1a = 5", 0, "a name that holds such characters stands in double quotes"),
    ("a-b = 5", 1, "a name that holds such characters stands in double quotes"),
    ("a@b = 5", 1, "'@' means nothing here"),
    ("a. = 5", 3, "expected an attribute, not '='"),
    ("in = 5", 0, 'one named in is written "in"'),
    ("a.exists = 5", 2, 'one named exists is written "exists"'),
    ("a", 1, "expected a comparison, such as = or BETWEEN, not the end"),
    ("a AND b = 1", 2, "expected a comparison, such as = or BETWEEN, not 'AND'"),
    ("a =", 3, "expected a literal, not the end"),
    ("a = )", 4, "expected a literal, not ')'"),
    ("a < TRUE", 4, "< does not compare booleans; = and != do"),
    ("a BETWEEN TRUE AND FALSE", 10, "BETWEEN does not compare booleans"),
    ("a BETWEEN 1", 11, "expected AND and the upper end of BETWEEN, not the end"),
    ("a BETWEEN 1 AND 'x'", 10, "the ends of BETWEEN are a number and a text; give two alike"),
    ("a BETWEEN '2024-01-01' AND 'b'", 10, "the ends of BETWEEN are a date and a text; give two alike"),
    ("a BETWEEN 'b' AND '2024-01-01'", 10, "the ends of BETWEEN are a text and a date; give two alike"),
    ("a = ٣", 4, "'٣' is no digit of a number here; write 0 to 9, and a text in single quotes"),
    ("a BETWEEN 1 AND ٣", 16, "'٣' is no digit of a number here; write 0 to 9, and a text in single quotes"),
    ("a > 1٣", 4, "expected a number, such as -1 or 2.5e3; a name that holds such characters stands in double quotes"),
    ("a IN 5", 5, "expected the members of IN in parentheses, or CIDR, not '5'"),
    ("a IN ()", 6, "expected a literal, not ')'"),
    ("a IN (1 2)", 8, "expected , or ) after a member of IN, not '2'"),
    ("a IN (1,", 8, "expected a literal, not the end"),
    ("a IN CIDR '10.0.0.1/8'", 10, "its host bits zero"),
    ("a IN CIDR 10", 10, "expected a network"),
    ("a STARTS 'x'", 9, "expected STARTS WITH 'text', not \"'x'\""),
    ("a ENDS WITH 5", 12, "expected a text in single quotes after ENDS WITH, not '5'"),
    ("a KIND 'x'", 7, "expected KIND OF 'node'"),
    ("a KIND OF x", 10, "expected a text in single quotes after KIND OF"),
    ("a = 1 IGNORING CASE", 4, "IGNORING CASE compares texts; put them into single quotes"),
    ("a IN ('x', 1) IGNORING CASE", 5, "IGNORING CASE compares texts"),
    ("a = 'x' IGNORING", 16, "expected IGNORING CASE, not the end"),
    ("ANY a = 1", 6, "expected a query in parentheses after ANY and its attribute, not '='"),
    ("ANY a ()", 6, "there is nothing between these parentheses"),
    ("ANY a (x = 1", 6, "this parenthesis is never closed"),
    ("ANY (x = 1)", 4, "expected an attribute, not '('"),
    ("EXISTS", 6, "expected an attribute, not the end"),
    ("(a = 1", 0, "this parenthesis is never closed; add the closing )"),
    ("a = 1)", 5, "this parenthesis was never opened"),
    ("()", 0, "there is nothing between these parentheses"),
    ("", 0, "nothing to match in this subscription"),
    ("   ", 0, "nothing to match in this subscription"),
    ("a = 1 AND", 6, "AND needs a predicate on its right"),
    ("OR a = 1", 0, "OR needs a predicate on its left"),
    ("NOT", 0, "NOT needs a predicate on its right"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "position", "says"), REFUSED, ids=[text[:30] for text, _, _ in REFUSED])
def test_what_is_refused_is_named_in_its_place(text: str, position: int, says: str) -> None:
    with pytest.raises(SubscriptionSyntaxError) as refusal:
        parse(text, LIMITS)
    assert says in refusal.value.reason
    assert (refusal.value.position, refusal.value.text) == (position, text)
    index = PredicateIndex()
    with pytest.raises(SubscriptionSyntaxError) as refusal:  # in bulk, where conjunctions are cut first
        index.update({"good": "a = 1", "bad": text})
    assert (refusal.value.position, refusal.value.row) == (position, 1)
    assert len(index) == 0


def test_no_text() -> None:
    for text in (None, 5, ["a = 1"], b"a = 1"):
        with pytest.raises(SubscriptionSyntaxError, match="is a str, not"):
            parse(text, LIMITS)


@pytest.mark.parametrize(
    ("text", "option", "says"),
    [
        ("(" * 65 + "a = 1" + ")" * 65, "max_depth", "nested more than max_depth=64 deep"),
        ("NOT " * 65 + "a = 1", "max_depth", "nested more than max_depth=64 deep"),
        ("ANY a (" * 65 + "a = 1" + ")" * 65, "max_depth", "nested more than max_depth=64 deep"),
        ("(" * 100_000, "max_depth", "nested more than max_depth=64 deep"),
        (f"a IN ({', '.join(map(str, range(16385)))})", "max_predicates", "more than max_predicates=16384 predicates"),
        (" OR ".join(f"a = {k}" for k in range(16385)), "max_predicates", "more than max_predicates=16384 predicates"),
        (
            " AND ".join(f"a{k} = 1" for k in range(16385)),
            "max_predicates",
            "more than max_predicates=16384 predicates",
        ),
        (f"a = '{'x' * 65536}'", "max_literal", "a text of more than max_literal=65536 characters"),
        (f"a STARTS WITH '{'x' * 65536}'", "max_literal", "a text of more than max_literal=65536 characters"),
    ],
)
def test_limits(text: str, option: str, says: str) -> None:
    index = PredicateIndex()
    for attempt in (lambda: index.__setitem__("r", text), lambda: index.update({"r": text})):
        with pytest.raises(SubscriptionSyntaxError) as refusal:
            attempt()
        assert says in refusal.value.reason
    assert len(index) == 0


def test_limits_are_reached() -> None:
    deep = "(" * 60 + "a = 1" + ")" * 60
    nested = "ANY a (" * 30 + "x = 1" + ")" * 30
    wide = " AND ".join(f"(a{k} = 1 OR b{k} = 1)" for k in range(8))
    many = f"a IN ({', '.join(map(str, range(16384)))})"
    index = PredicateIndex({"deep": deep, "nested": nested, "wide": wide, "many": many})
    event: dict = {"x": 1}
    for _ in range(30):
        event = {"a": [event]}
    assert index.match({"a": 1}) == ["deep", "many"]
    assert index.match(event) == ["nested"]
    assert index.match({f"b{k}": 1 for k in range(8)}) == ["wide"]


@pytest.mark.slow
def test_a_clause_has_room_in_a_packed_index() -> None:
    text = " AND ".join(f"a = {k}" for k in range(16384))
    index = PredicateIndex(max_predicates=1 << 20)
    for attempt in (lambda: index.__setitem__("r", text), lambda: index.update({"r": text})):
        with pytest.raises(SubscriptionSyntaxError, match="more than 16,383 predicates in one clause"):
            attempt()
    index["r"] = text.partition(" AND ")[2]
    index._plugged.structure.condense()
    assert index.match({"a": list(range(16384))}) == ["r"]
    assert index.match({"a": list(range(2, 16384))}) == []


def test_limits_are_for_users_not_for_names(tmp_path: Path) -> None:
    """A name may be longer and deeper than what it was made from: folded letters, parentheses around clauses."""
    subscriptions = {
        "letters": "a = 'ßßßßßß' IGNORING CASE",
        "clauses": "ANY o (x = 1 OR y = 1 AND z IS MISSING)",
        "many": "ANY o (p = 1 AND q IN (1, 2, 3) AND NOT (x = 1 AND y = 1))",
    }
    index = PredicateIndex(subscriptions, max_literal=8, max_depth=3, max_predicates=7)
    index.save(tmp_path / "index")
    opened = Index.open(tmp_path / "index")
    assert opened.match({"a": "SSSSSSSSSSSS", "o": [{"y": 1, "p": 1, "q": 3}]}) == ["letters", "clauses", "many"]
    opened["new"] = "a = 'x'"
    assert opened.match({"a": "x"}) == ["new"]


def test_attributes() -> None:
    assert attribute_of('a."b.c" . d') == ("a", "b.c", "d")
    for text in ("", "a b", "a.", "a = 1", "'a'", "in", "a..b"):
        with pytest.raises(SubscriptionSyntaxError):
            attribute_of(text)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(queries)
def test_the_judge_reads_the_same_texts(text: str) -> None:
    assert accepted(text) and isinstance(parse(text, LIMITS), list)
