"""What Lucene's classic parser and Elasticsearch's query DSL answer, in plain Python; nothing here knows of
subscriptions.

A document is a dict. Texts are cut at what is no letter, digit or `_`, and lower case; a list of texts has all their
words, a phrase stands in one of them. A query of Lucene is drawn as a tree of clauses (`Clause`), which `lucene_text`
writes and `lucene` answers by the rules of the parser's `addClause`.
"""

from __future__ import annotations

import operator
import re
from datetime import datetime, timedelta
from itertools import product
from typing import Any, NamedTuple

ORDERS = {"gt": operator.gt, "gte": operator.ge, "lt": operator.lt, "lte": operator.le}


def values(document: Any, name: str) -> list[Any]:
    """Return the values of a field, through objects and lists.

    >>> values({"a": [{"b": 1}, {"b": [2, None]}]}, "a.b")
    [1, 2]
    """
    found = [document]
    for key in name.split("."):
        found = [one.get(key) for one in _flat(found) if isinstance(one, dict)]
    return [one for one in _flat(found) if one is not None]


def _flat(given: Any) -> list[Any]:
    return [leaf for one in given for leaf in _flat(one)] if isinstance(given, list) else [given]


def cut(text: str) -> list[str]:
    """Return the words of a text."""
    return re.findall(r"\w+", text.lower())


def texts_of(document: Any, name: str) -> list[list[str]]:
    """Return the words of each text of a field."""
    return [cut(one) for one in values(document, name) if isinstance(one, str)]


def has_word(document: Any, name: str, fits: Any) -> bool:
    """Return whether a text of a field has a word that fits."""
    return any(fits(word) for words in texts_of(document, name) for word in words)


def has_phrase(document: Any, name: str, words: list[str], slop: int = 0) -> bool:
    """Return whether a text has the words, each moved by some places; the moves differ by at most the slop.

    >>> [has_phrase({"t": "a b c"}, "t", ["b", "a"], slop) for slop in (0, 1, 2)]
    [False, False, True]
    """
    for text in texts_of(document, name):
        spots = [[at for at, one in enumerate(text) if one == word] for word in words]
        for chosen in product(*spots):
            moves = [at - number for number, at in enumerate(chosen)]
            if len(set(chosen)) == len(chosen) and max(moves) - min(moves) <= slop:
                return True
    return False


def distance(one: str, other: str) -> int:
    """Return the insertions, deletions, replacements and swaps of neighbours between two words.

    >>> distance("ferry", "fery"), distance("ferry", "frery"), distance("ca", "abc")
    (1, 1, 3)
    """
    table = {(i, 0): i for i in range(len(one) + 1)} | {(0, j): j for j in range(len(other) + 1)}
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            same = one[i - 1] == other[j - 1]
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (not same))
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return table[len(one), len(other)]


def form(pattern: str) -> Any:
    """Return what tells whether a text has the form of a pattern with * and ?."""
    signs = {"*": ".*", "?": "."}
    return re.compile("".join(signs.get(sign) or re.escape(sign) for sign in pattern), re.DOTALL).fullmatch


# Lucene


class Clause(NamedTuple):
    """A clause: "" or AND or OR before it, "" or + or - or NOT, and what it asks for."""

    joined: str
    sign: str
    asks: Any


class Ask(NamedTuple):
    """What a clause asks of a field ("" for the default one): a kind, and its text, texts, or clauses."""

    kind: str
    field: str
    of: Any


def lucene_text(clauses: list[Clause]) -> str:
    """Return clauses as a query.

    >>> lucene_text([Clause("", "+", Ask("word", "t", "a")), Clause("AND", "", Ask("phrase", "", (["b", "c"], 2)))])
    '+t:a AND "b c"~2'
    """
    pieces = []
    for joined, sign, asks in clauses:
        name = f"{asks.field}:" if asks.field else ""
        pieces += [joined] * bool(joined) + [f"{sign}{' ' if sign == 'NOT' else ''}{name}{_asked(asks)}"]
    return " ".join(pieces)


def _asked(asks: Ask) -> str:
    if asks.kind == "group":
        return f"({lucene_text(asks.of)})"
    if asks.kind == "phrase":
        words, slop = asks.of
        return f'"{" ".join(words)}"' + (f"~{slop}" if slop else "")
    if asks.kind == "similar":
        return f"{asks.of[0]}~{asks.of[1]}"
    if asks.kind == "range":
        low, high, begins, ends = asks.of
        return f"{'[' if begins else '{'}{low} TO {high}{']' if ends else '}'}"
    return "*" if asks.kind == "exists" else asks.of


def lucene(clauses: list[Clause], document: Any, default: str, requires: bool) -> bool:
    """Answer a query of clauses; `requires` if the default operator is AND."""
    occurs: list[str] = []
    for joined, sign, _ in clauses:
        if occurs and joined == "AND" and occurs[-1] != "-":
            occurs[-1] = "+"
        if occurs and joined == "OR" and requires and occurs[-1] != "-":
            occurs[-1] = ""
        if sign in ("-", "NOT"):
            occurs.append("-")
        elif requires:
            occurs.append("" if joined == "OR" else "+")
        else:
            occurs.append("+" if sign == "+" or joined == "AND" else "")
    if len(clauses) == 1 and not clauses[0].sign:
        return _answer(clauses[0].asks, document, default, requires)
    held = [_answer(one.asks, document, default, requires) for one in clauses]
    must = [one for one, occur in zip(held, occurs, strict=True) if occur == "+"]
    should = [one for one, occur in zip(held, occurs, strict=True) if occur == ""]
    must_not = [one for one, occur in zip(held, occurs, strict=True) if occur == "-"]
    return bool(must or should) and all(must) and (bool(must) or any(should)) and not any(must_not)


def _answer(asks: Ask, document: Any, default: str, requires: bool) -> bool:
    field = asks.field or default
    if asks.kind == "group":
        return lucene(asks.of, document, field, requires)
    if asks.kind == "word":
        return has_word(document, field, lambda word: word == asks.of.lower())
    if asks.kind == "phrase":
        words, slop = asks.of
        return has_phrase(document, field, [word.lower() for word in words], slop)
    if asks.kind == "form":
        return has_word(document, field, form(asks.of.lower()))
    if asks.kind == "similar":
        return has_word(document, field, lambda word: distance(asks.of[0], word) <= asks.of[1])
    if asks.kind == "exists":
        return bool(values(document, field))
    return any(_between(one, *asks.of) for one in values(document, field) if _is_number(one))


def _between(value: Any, low: Any, high: Any, begins: bool, ends: bool) -> bool:
    above = low == "*" or value > low or (begins and value == low)
    return above and (high == "*" or value < high or (ends and value == high))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# Elasticsearch, of fields whose names say what they are: t… texts, k… keywords, n… numbers, d… dates, b… booleans


def answers(query: dict, document: Any) -> bool:
    """Answer a query of the query DSL.

    >>> answers({"bool": {"must": [{"match": {"t": "a b"}}], "must_not": {"term": {"k": "x"}}}}, {"t": "b", "k": "y"})
    True
    """
    [(name, body)] = query.items()
    return globals()[f"_{name}"](body, document)


def _listed(given: Any) -> list:
    return given if isinstance(given, list) else [given]


def _bool(body: dict, document: Any) -> bool:
    held = {
        name: [answers(one, document) for one in _listed(body.get(name, []))]
        for name in ("must", "filter", "should", "must_not")
    }
    if not any(held.values()):
        return True
    must = held["must"] + held["filter"]
    least = needed(body.get("minimum_should_match", 0), len(held["should"]))
    if not must and held["should"]:
        least = max(least, 1)
    return all(must) and sum(held["should"]) >= least and not any(held["must_not"])


def needed(written: Any, count: int) -> int:
    """Return how many of some clauses have to match.

    >>> needed("3<90%", 3), needed("3<90%", 10), needed("-1", 4), needed("-25%", 4), needed("75%", 3)
    (3, 9, 3, 3, 2)
    """
    text = str(written)
    if "<" in text:
        found = count
        for one in text.split():
            bound, then = one.split("<")
            if count <= int(bound):
                break
            found = needed(then, count)
        return found
    number = int(text.rstrip("%"))
    if text.endswith("%"):
        number = -(count * -number // 100) if number < 0 else count * number // 100
    return max(0, count + number if text.startswith("-") else number)


def _match(body: dict, document: Any) -> bool:
    [(field, given)] = body.items()
    given = given if isinstance(given, dict) else {"query": given}
    edits = int(given.get("fuzziness", 0))
    words = cut(str(given["query"]))
    held = [has_word(document, field, lambda one, word=word: distance(word, one) <= edits) for word in words]
    if not held:
        return given.get("zero_terms_query") == "all"
    if given.get("operator") == "and":
        return all(held)
    least = needed(given.get("minimum_should_match", 1), len(held)) if len(held) > 1 else 1
    return sum(held) >= max(1, least)


def _match_phrase(body: dict, document: Any) -> bool:
    [(field, given)] = body.items()
    return has_phrase(document, field, cut(given["query"]), given.get("slop", 0))


def _match_phrase_prefix(body: dict, document: Any) -> bool:
    [(field, text)] = body.items()
    *before, last = cut(text)
    endings = {word for words in texts_of(document, field) for word in words if word.startswith(last)}
    return any(has_phrase(document, field, [*before, word]) for word in endings)


def _multi_match(body: dict, document: Any) -> bool:
    fields, words = body["fields"], cut(body["query"])
    if body.get("type") == "cross_fields":
        held = [any(has_word(document, field, word.__eq__) for field in fields) for word in words]
        return all(held) if body.get("operator") == "and" else any(held)
    options = {name: value for name, value in body.items() if name in ("query", "operator", "minimum_should_match")}
    return any(_match({field: options}, document) for field in fields)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _equals(field: str, value: Any, document: Any, fold: bool = False) -> bool:
    """Return whether a field has a value; of a date, whether it lies on that day."""
    if _letter(field) == "t":
        return has_word(document, field, value.__eq__)
    if _letter(field) == "d":
        return _range({field: {"gte": value, "lte": value}}, document)
    wanted = _text(value).casefold() if fold else _text(value)
    return any((_text(one).casefold() if fold else _text(one)) == wanted for one in values(document, field))


def _term(body: dict, document: Any) -> bool:
    [(field, given)] = body.items()
    given = given if isinstance(given, dict) else {"value": given}
    return _equals(field, given["value"], document, given.get("case_insensitive", False))


def _terms(body: dict, document: Any) -> bool:
    [(field, given)] = body.items()
    return any(_equals(field, one, document) for one in given)


def _terms_set(body: dict, document: Any) -> bool:
    [(field, given)] = body.items()
    held = sum(_equals(field, one, document) for one in given["terms"])
    return held >= needed(given["minimum_should_match"], len(given["terms"]))


def _exists(body: dict, document: Any) -> bool:
    return bool(values(document, body["field"]))


def _prefix(body: dict, document: Any) -> bool:
    [(field, text)] = body.items()
    if _letter(field) == "t":
        return has_word(document, field, lambda word: word.startswith(text))
    return any(isinstance(one, str) and one.startswith(text) for one in values(document, field))


def _wildcard(body: dict, document: Any) -> bool:
    [(field, pattern)] = body.items()
    if _letter(field) == "t":
        return has_word(document, field, form(pattern))
    if not set("*?") & set(pattern):
        return _equals(field, pattern, document)
    return any(pattern == "*" or (isinstance(one, str) and form(pattern)(one)) for one in values(document, field))


def _letter(field: str) -> str:
    """Return the first letter of a field's own name, which says its kind: t of ``o.t`` and of ``t2``."""
    return field.rpartition(".")[2][0]


def _range(body: dict, document: Any) -> bool:
    [(field, given)] = body.items()
    return any(_fits(field, one, given) for one in values(document, field))


def _fits(field: str, value: Any, given: dict) -> bool:
    if _letter(field) == "n":
        return _is_number(value) and all(ORDERS[name](value, bound) for name, bound in given.items())
    if not isinstance(value, str):
        return False
    try:
        moment = datetime.fromisoformat(value.removesuffix("Z"))
    except ValueError:
        return False
    held = []
    for name, bound in given.items():
        day = datetime.fromisoformat(bound)
        behind = day + timedelta(days=1)  # a day is rounded up by gt and lte
        held.append({"gte": moment >= day, "lt": moment < day, "gt": moment >= behind, "lte": moment < behind}[name])
    return all(held)


def _ids(body: dict, document: Any) -> bool:
    return _text(document.get("_id")) in body["values"]


def _nested(body: dict, document: Any) -> bool:
    *_, path = body["path"].split(".")
    objects = [one for one in _flat(document.get(path)) if isinstance(one, dict)]
    return any(answers(body["query"], {path: one}) for one in objects)


def _match_all(body: dict, document: Any) -> bool:
    return True


def _match_none(body: dict, document: Any) -> bool:
    return False


def _constant_score(body: dict, document: Any) -> bool:
    return answers(body["filter"], document)


def _dis_max(body: dict, document: Any) -> bool:
    return any(answers(one, document) for one in body["queries"])


def signs(parts: list[tuple[str, bool, str]], document: Any, field: str) -> bool:
    """Answer a simple query string of words, from left to right: "+" or "|" before each, and whether it is negated.

    >>> signs([("", False, "a"), ("|", False, "b"), ("+", True, "c")], {"t": "a"}, "t")
    True
    """
    found = False
    for number, (sign, negated, word) in enumerate(parts):
        held = has_word(document, field, word.__eq__) != negated
        found = held if not number else found and held if sign == "+" else found or held
    return found
