"""Span queries: span_term, span_near, span_or, span_first, span_multi, as far as they are words at a distance.

>>> from watchword.predicates.dialects.elasticsearch import from_elasticsearch
>>> near = [{"span_term": {"body": "debt"}}, {"span_term": {"body": "crisis"}}]
>>> from_elasticsearch({"span_near": {"clauses": near, "slop": 2, "in_order": True}})
"body MATCHES 'debt BEFORE/3 crisis'"
"""

from __future__ import annotations

from typing import Any

from watchword.predicates.dialects.aws import PatternError
from watchword.predicates.dialects.elasticsearch.body import placed
from watchword.predicates.dialects.elasticsearch.context import Context
from watchword.predicates.dialects.elasticsearch.intervals import Rule, asked, tree_of
from watchword.predicates.dialects.elasticsearch.orders import Part, in_any_order, in_order, one_of
from watchword.predicates.dialects.lucene.conditions import wildcards_of
from watchword.predicates.dialects.searches import fuzzy
from watchword.predicates.dialects.searches.fields import Field
from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.trees import Tree
from watchword.predicates.dialects.searches.words import family, folded_run, only_word
from watchword.predicates.dialects.sigma.values import Wild, tidy

Span = tuple[Field, Rule]
"""A field, and a rule about its words."""


def _translated(context: Context, given: Any, path: str) -> Tree:
    """Return a span query that stands by itself."""
    name = path.rpartition(".")[2]
    field, rule = _SPANS[name](context, given, path)
    return tree_of(field, rule)


def _span(context: Context, given: Any, path: str) -> Span:
    """Return a span query inside of another."""
    if not isinstance(given, dict) or len(given) != 1:
        raise PatternError('one span query is expected, such as {"span_term": …}', path=path)
    [(name, body)] = given.items()
    if name in context.unsayable:
        raise PatternError(context.unsayable[name], path=f"{path}.{name}")
    if name not in _SPANS:
        raise PatternError(f"this is no span query; there are {', '.join(_SPANS)}", path=f"{path}.{name}")
    if path.count(".clauses[") > 16:
        raise PatternError("spans nested deeper than 16", path=path[:60] + "…")
    with placed(f"{path}.{name}"):
        return _SPANS[name](context, body, f"{path}.{name}")


def _term(context: Context, given: Any, path: str) -> Span:
    field, body = context.about_field(given, path, "value")
    text = body.text("value", body.take("term"))
    word = only_word(text, "span_term")
    body.end()
    return field, Part((str(word),), frozenset(word.runs))


def _several(context: Context, given: Any, path: str) -> tuple[Field, list[Part]]:
    """Return the clauses of a span query, all of one field."""
    if not isinstance(given, list | tuple) or not given:
        raise PatternError("a list of span queries is expected", path=path)
    spans = [_span(context, one, f"{path}[{at}]") for at, one in enumerate(given)]
    fields = list(dict.fromkeys(field for field, _ in spans))
    parts = [rule for _, rule in spans if isinstance(rule, Part)]
    if len(fields) > 1:
        raise Refused(f"spans of {fields[0].name} and {fields[1].name} have no distance; ask each field by itself")
    if len(parts) < len(spans):
        raise Refused("a span_near stands by itself, unless its words stand side by side in order")
    return fields[0], parts


def _near(context: Context, given: Any, path: str) -> Span:
    body = context.body(given, path)
    field, parts = _several(context, body.needed("clauses"), f"{path}.clauses")
    slop, ordered = body.whole("slop", 0), body.flag("in_order", True)
    body.end()
    if len(parts) == 1:
        return field, parts[0]
    words = [part.alternatives[0].strip('"') for part in parts]
    plain = all(len(part.alternatives) == 1 and not {"*", "?", "~"} & set(part.alternatives[0]) for part in parts)
    if ordered and slop == 0 and plain:
        return field, Part((f'"{" ".join(words)}"',), frozenset().union(*(part.words for part in parts)))
    texts = in_order(parts, slop) if ordered else in_any_order(parts, slop)
    return field, asked(field, texts, 2, len(parts))


def _or(context: Context, given: Any, path: str) -> Span:
    body = context.body(given, path)
    field, parts = _several(context, body.needed("clauses"), f"{path}.clauses")
    body.end()
    return field, one_of(parts)


def _first(context: Context, given: Any, path: str) -> Span:
    body = context.body(given, path)
    field, rule = _span(context, body.needed("match"), f"{path}.match")
    end = body.whole("end", 0, 1)
    body.end()
    if not isinstance(rule, Part):
        raise Refused("only words and phrases are looked for at the beginning of a text")
    sizes = {len(text.strip('"').split()) for text in rule.alternatives}
    if sizes != {end}:
        raise Refused(
            f"words at the beginning of a text are found where it begins with them: write end={max(sizes)}, or ask for "
            "them anywhere"
        )
    return field, Part(tuple(f"^{text}" for text in rule.alternatives), rule.words)


def _multi(context: Context, given: Any, path: str) -> Span:
    """Return words of a form, or similar words, as a span."""
    body = context.body(given, path)
    query = body.needed("match")
    body.end()
    if not isinstance(query, dict) or len(query) != 1:
        raise PatternError("one query is expected: prefix, wildcard or fuzzy", path=f"{path}.match")
    [(name, inner)] = query.items()
    here = f"{path}.match.{name}"
    if name in context.unsayable or name not in ("prefix", "wildcard", "fuzzy"):
        raise PatternError(context.unsayable.get(name, "prefix, wildcard and fuzzy can be said here"), path=here)
    field, parameters = context.about_field(inner, here, "value")
    text = parameters.text("value")
    if name == "fuzzy":
        edits = fuzzy.edits_of(parameters.take("fuzziness", "AUTO"), text)
        forms = fuzzy.similar(folded_run(text), edits, parameters.whole("prefix_length", 0))
    else:
        pieces = tidy([text, Wild.ANY]) if name == "prefix" else wildcards_of(text)
        forms = [family([one.value if isinstance(one, Wild) else folded_run(one) for one in pieces])]
    parameters.end("rewrite", "max_expansions")
    return field, Part(tuple(forms), frozenset(forms))


_SPANS = {"span_term": _term, "span_near": _near, "span_or": _or, "span_first": _first, "span_multi": _multi}

QUERIES = dict.fromkeys(_SPANS, _translated)
"""Those of this file."""
