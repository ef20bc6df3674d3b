"""The options of predicate indexes, as data (`watchword.options`)."""

from __future__ import annotations

from watchword.options import Option, whole
from watchword.predicates.hierarchies import checked
from watchword.predicates.readers.doors import checked_operators
from watchword.predicates.readers.reading import checked_reading, checked_text
from watchword.predicates.schema.option import checked_schema

__all__ = ["OPTIONS"]

OPTIONS = {
    "hierarchies": Option(
        {}, checked, 'By attribute, which value is a kind of which: {"topic": {"child": "parent"}}.', flag="json"
    ),
    "operators": Option((), checked_operators, "Homes of readers that add operators: my.module:Divisible."),
    "text": Option(
        (), checked_text, "Attributes that MATCHES and HAS without an attribute read: title,body.", flag="text"
    ),
    "reading": Option(
        {},
        checked_reading,
        'How texts are read, by attribute or "*" for all: {"body": {"stemmer": "english"}}.',
        flag="json",
    ),
    "schema": Option(
        None,
        checked_schema,
        "Event types and their attributes; what breaks it is refused (docs/predicates.md).",
        flag="json",
    ),
    "max_clauses": Option(16384, whole(1), "How many clauses OR and NOT may multiply into."),
    "max_work": Option(1 << 21, whole(1), "How many steps it may take to multiply out OR and NOT."),
    "max_predicates": Option(
        16384, whole(1, 1 << 20), "How many predicates and members of IN a subscription may have."
    ),
    "max_literal": Option(65536, whole(1), "How many characters a text in a subscription may have."),
    "max_depth": Option(64, whole(1, 100), "How deep parentheses, NOT and ANY may be nested."),
}
"""Those of every method."""
