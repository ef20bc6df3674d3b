"""Queries about whole values: term, terms, terms_set, range, exists, prefix, wildcard, fuzzy, ids.

On a field of type text they compare with single words as they are indexed, in lower case; what could never match is
refused, with match as the remedy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from watchword.predicates.dialects.aws import PatternError
from watchword.predicates.dialects.elasticsearch.body import Body, placed
from watchword.predicates.dialects.elasticsearch.context import Context
from watchword.predicates.dialects.lucene.conditions import wildcards_of
from watchword.predicates.dialects.searches import leaves
from watchword.predicates.dialects.searches.fields import Field
from watchword.predicates.dialects.searches.fuzzy import edits_of
from watchword.predicates.dialects.searches.least import needed
from watchword.predicates.dialects.searches.ranges import End, between
from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.trees import Tree, at_least, some
from watchword.predicates.dialects.searches.words import only_word
from watchword.predicates.dialects.sigma.values import Wild, tidy

_CONSTANT = re.compile(
    r"\s*(?:return\s+)?([0-9]{1,9}|params\.num_terms|Math\.min\(params\.num_terms,\s*([0-9]{1,9})\))\s*;?\s*"
)


def term(context: Context, given: Any, path: str) -> Tree:
    """Return that a field has a value."""
    field, body = context.about_field(given, path, "value")
    with placed(body.path):
        folded = body.flag("case_insensitive", False)
        found = some(leaves.terms(field, [body.needed("value")], context.dates(), "term", folded))
    body.end()
    return found


def terms(context: Context, given: Any, path: str) -> Tree:
    """Return that a field has one of some values."""
    field, body = _listed(context, given, path)
    with placed(body.path):
        return _one_of(context, field, _values(body.needed("terms"), body.path), "terms")


def _one_of(context: Context, field: Field, values: Sequence[Any], of: str) -> Tree:
    if field.kind in ("text", "date"):
        return some(leaves.terms(field, values, context.dates(), of))
    return leaves.whole(field, values, context.dates()) if values else some([])


def _listed(context: Context, given: Any, path: str) -> tuple[Field, Body]:
    field, body = context.about_field({**given} if isinstance(given, dict) else given, path, "terms")
    if "terms" not in body:
        raise PatternError("values of another document are not known here; list the values", path=body.path)
    return field, body


def _values(given: Any, path: str) -> list[Any]:
    if not isinstance(given, list | tuple):
        raise PatternError('a list of values is expected, such as ["open", "new"]', path=path)
    for at, value in enumerate(given):
        if value is None or isinstance(value, list | dict):
            raise PatternError(f"a text, a number, true or false is expected, not {value!r:.40}", path=f"{path}[{at}]")
    return list(given)


def terms_set(context: Context, given: Any, path: str) -> Tree:
    """Return that a field has enough of some values."""
    field, body = context.about_field(given, path, "terms")
    values = _values(body.needed("terms"), f"{body.path}.terms")
    body.refuse(
        "minimum_should_match_field",
        "a number that stands in the event is compared with nothing here; write minimum_should_match with a number",
    )
    least = body.take("minimum_should_match")
    if least is None:
        least = _of_script(body, len(values))
    with placed(body.path):
        found = at_least(needed(least, len(values)), leaves.terms(field, values, context.dates(), "terms_set"))
    body.end()
    return found


def _of_script(body: Body, count: int) -> int:
    """Return the number that a script comes to, if it is a constant."""
    script = body.needed("minimum_should_match_script")
    source = script.get("source", script.get("inline")) if isinstance(script, dict) else script
    found = _CONSTANT.fullmatch(str(source)[:1000])
    if found is None:
        raise PatternError(
            "scripts are not run; write minimum_should_match with a number",
            path=f"{body.path}.minimum_should_match_script",
        )
    return min(count, int(found[2])) if found[2] else count if found[1] == "params.num_terms" else int(found[1])


def range_(context: Context, given: Any, path: str) -> Tree:
    """Return that a field lies in a range."""
    field, body = context.about_field(given, path, "gte")
    low = _end(body, ("gte", "gt"), "from", "include_lower")
    high = _end(body, ("lte", "lt"), "to", "include_upper")
    body.refuse("relation", "it is about fields of ranges, which are not there; leave it out")
    zone = body.take("time_zone")
    written = body.take("format")
    with placed(body.path):
        formats = tuple(str(written).split("||")) if written is not None else _formats(field)
        found = between(field, low, high, context.dates(None if zone is None else str(zone), formats))
    body.end()
    return found


def _formats(field: Field) -> tuple[str, ...]:
    return field.formats if field.kind == "date" else ()


def _end(body: Body, names: tuple[str, str], old: str, flag: str) -> End | None:
    """Return an end of a range; `old` and `flag` are how it was written once."""
    found = [End(body.take(name), name.endswith("e")) for name in names if name in body]
    if old in body:
        value = body.take(old)
        found.append(End(value, body.flag(flag, True)))
    kept = [end for end in found if end.value is not None]
    if len(kept) > 1:
        raise PatternError(f"{' and '.join(names)} are both there; leave one out", path=body.path)
    return kept[0] if kept else None


def exists(context: Context, given: Any, path: str) -> Tree:
    """Return that a field has a value."""
    body = context.body(given, path)
    with placed(f"{path}.field"):
        found = leaves.exists(context.field(body.text("field")))
    body.end()
    return found


def prefix(context: Context, given: Any, path: str) -> Tree:
    """Return that a value, or a word of a text, begins so."""
    field, body = context.about_field(given, path, "value")
    text = body.text("value", body.take("prefix"))
    folded = body.flag("case_insensitive", False)
    with placed(body.path):
        found = leaves.wildcard(field, tidy([text, Wild.ANY]), folded, False, "prefix")
    body.end("rewrite")
    return found


def wildcard(context: Context, given: Any, path: str) -> Tree:
    """Return that a value, or a word of a text, has a form."""
    field, body = context.about_field(given, path, "value")
    text = body.text("value", body.take("wildcard"))
    folded = body.flag("case_insensitive", False)
    with placed(body.path):
        found = leaves.wildcard(field, wildcards_of(text), folded, False, "wildcard")
    body.end("rewrite")
    return found


def fuzzy(context: Context, given: Any, path: str) -> Tree:
    """Return that a text has a word that is similar to this one."""
    field, body = context.about_field(given, path, "value")
    text = body.text("value")
    fuzziness, beginning = body.take("fuzziness", "AUTO"), body.whole("prefix_length", 0)
    swaps = body.flag("transpositions", True)
    with placed(body.path):
        edits = edits_of(fuzziness, text)
        if field.kind == "keyword" and edits:
            raise Refused(f"edits are of words of texts, and {field.name} is a keyword; ask for a field of type text")
        word = only_word(text, "fuzzy") if edits or field.kind == "text" else None
        found = leaves.whole(field, [text]) if word is None else leaves.similar(field, word, edits, beginning, swaps)
    body.end("rewrite", "max_expansions")
    return found


def ids(context: Context, given: Any, path: str) -> Tree:
    """Return that an event has one of some ids, in the attribute ``_id``."""
    body = context.body(given, path)
    values = body.needed("values")
    with placed(f"{path}.values"):
        listed = _values([values] if isinstance(values, str) else values, f"{path}.values")
        found = leaves.whole(context.field("_id"), listed) if listed else some([])
    body.end("type")
    return found


QUERIES = {
    "exists": exists,
    "fuzzy": fuzzy,
    "ids": ids,
    "prefix": prefix,
    "range": range_,
    "term": term,
    "terms": terms,
    "terms_set": terms_set,
    "wildcard": wildcard,
}
