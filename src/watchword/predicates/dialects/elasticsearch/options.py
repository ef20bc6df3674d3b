"""What the fields of a mapping are read with: analysers as the option `reading` of an index.

>>> own = {"analyzer": {"plain": {"tokenizer": "standard", "filter": ["lowercase", "asciifolding"]}}}
>>> properties = {"title": {"type": "text"}, "body": {"type": "text", "analyzer": "plain"}}
>>> mapping_options({"settings": {"analysis": own}, "mappings": {"properties": properties}})
{'reading': {'body': {'fold_accents': True}}}
>>> mapping_options({"properties": {"code": {"type": "text", "analyzer": "whitespace"}}})
Traceback (most recent call last):
...
watchword.errors.OptionError: code: the analyzer 'whitespace' cannot be said; standard, simple, stop, english, \
snowball, cjk, and custom ones of the tokenizer standard, lowercase, asciifolding, stop and stemmers, can
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from watchword.errors import OptionError
from watchword.predicates.dialects import aws
from watchword.predicates.dialects.searches.fields import Fields
from watchword.predicates.dialects.searches.refused import Refused

__all__ = ["mapping_options", "readings"]


def mapping_options(mapping: str | bytes | Mapping[str, Any] | Fields) -> dict[str, Any]:
    """Return the options of a `PredicateIndex` that reads texts as the fields of a mapping are analysed.

    A field whose analyser cannot be said is an `OptionError` that names it.
    """
    reading, refused = readings(mapping if isinstance(mapping, Fields) else Fields(mapping))
    if refused:
        raise OptionError(next(iter(refused.values())))
    return {"reading": reading}


def readings(fields: Fields) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Return the options of the texts of a mapping by attribute, and the reasons for fields that have none."""
    made: dict[str, dict[str, Any]] = {}
    refused: dict[str, str] = {}
    for name in fields.texts_written():
        try:
            field = fields.field(name)
        except Refused as reason:
            refused[name] = str(reason)
            continue
        options = field.analysis.options()
        if options and field.kind == "text":
            made[aws.attribute(field.paths[0])] = options
    return made, refused
