"""What `POST /match` takes and gives, for it and for the OpenAPI: parameters, bodies, answers.

read_parameters(b"tag=sea&explain=true&after=17")      Parameters(tags={"sea"}, explain=True, after=17)
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from watchword.serve.problems import Problem
from watchword.visible import brief, visible

NDJSON = ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines")
ARROW = "application/vnd.apache.arrow.stream"
XML = ("application/xml", "text/xml")
_TRUE, _FALSE = ("true", "1", "yes"), ("false", "0", "no", "")


class Parameters(NamedTuple):
    """What the query of the address asks for."""

    language: str | None = None
    tags: frozenset[str] = frozenset()
    explain: bool = False
    subscriber: str | None = None
    after: int = 0
    column: tuple[str, ...] = ()


PARAMETERS = [
    {
        "name": "language",
        "in": "query",
        "schema": {"type": "string"},
        "description": "The language that reads the events; without it every language that can.",
    },
    {
        "name": "tag",
        "in": "query",
        "schema": {"type": "array", "items": {"type": "string"}},
        "description": "Only subscriptions with this tag; repeated, with one of these.",
    },
    {
        "name": "explain",
        "in": "query",
        "schema": {"type": "boolean"},
        "description": "Say why, and where in the event the words stand.",
    },
    {
        "name": "subscriber",
        "in": "query",
        "schema": {"type": "string"},
        "description": "Whose subscriptions, for the scope admin: a name, or * for everybody's.",
    },
    {
        "name": "after",
        "in": "query",
        "schema": {"type": "integer", "minimum": 0, "maximum": 2**63 - 1},
        "description": "Wait until the indexes have the change of this number.",
    },
    {
        "name": "column",
        "in": "query",
        "schema": {"type": "array", "items": {"type": "string"}},
        "description": "Of an Arrow table: the column of the events.",
    },
]
_EVENT = {"description": "A text, an object, a list of texts, or null, which matches nothing."}
_MATCH = {
    "type": "object",
    "required": ["id", "language"],
    "properties": {
        "id": {"type": "string"},
        "language": {"type": "string"},
        "why": {"type": "string"},
        "places": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["start", "end"],
                "properties": {
                    "start": {"type": "integer"},
                    "end": {"type": "integer"},
                    "attribute": {"type": "string"},
                },
            },
        },
    },
}
BODIES = {
    "application/json": {
        "schema": {
            "type": "object",
            "required": ["event"],
            "properties": {"event": _EVENT, "language": {"type": ["string", "null"]}},
            "additionalProperties": False,
        },
        "example": {"event": "the ferry in the storm"},
    },
    "text/plain": {"schema": {"type": "string"}},
    "application/xml": {"schema": {"type": "string"}},
    "application/x-ndjson": {"schema": {"type": "string"}},
    ARROW: {"schema": {"type": "string", "format": "binary"}},
}
ANSWERS = {
    "application/json": {
        "schema": {
            "type": "object",
            "required": ["matches"],
            "properties": {"matches": {"type": "array", "items": _MATCH}},
        }
    },
    "application/x-ndjson": {"schema": {"type": "string"}},
    ARROW: {"schema": {"type": "string", "format": "binary"}},
}


@lru_cache(maxsize=1024)
def read_parameters(query: bytes) -> Parameters:
    """Return what a query asks for; a `Problem` 422 names a parameter that is unknown or wrong.

    >>> read_parameters(b"explain=true&tag=sea").explain
    True
    """
    found: dict[str, Any] = {}
    try:
        pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, max_num_fields=100, errors="strict")
    except (UnicodeError, ValueError):
        raise wrong("the query of the address cannot be read") from None
    for name, value in pairs:
        if name in ("language", "subscriber"):
            found[name] = value
        elif name == "tag":
            found["tags"] = found.get("tags", frozenset()) | {value}
        elif name == "column":
            found["column"] = (*found.get("column", ()), value)
        elif name == "explain" and value.lower() in (*_TRUE, *_FALSE):
            found["explain"] = value.lower() in _TRUE
        elif name == "after" and value.isascii() and value.isdigit() and len(value) < 19:
            found["after"] = int(value)
        else:
            raise wrong(f"the parameter {visible(brief(name, 50))!r} is unknown, or its value is none that it takes")
    return Parameters(**found)


def wrong(detail: str) -> Problem:
    """Return the problem of a request that asks for something else, to be raised."""
    return Problem(422, "wrong-value", detail, remedy="see /docs for what this address takes")
