"""Conditions that log sources stand for: which events a rule with ``logsource: {category: process_creation}`` means.

>>> sources = checked_log_sources({"category: process_creation": "EventID = 1", "product: windows": "os = 'win'"})
>>> conditions_for({"product": "windows", "category": "process_creation"}, sources)
['(EventID = 1)', "(os = 'win')"]

A key has one or more of category, product and service, with commas between them: ``product: windows, service:
security``. It applies to a rule that has all of them, whatever else the rule has; several keys that apply are joined by
AND. A rule to which none applies is left as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from watchword.errors import OptionError
from watchword.predicates.dialects.sigma.documents import Map, Scalar, Tree, read_documents
from watchword.predicates.dialects.sigma.errors import SigmaError

NAMES = ("category", "product", "service")

LogSources = dict[frozenset[tuple[str, str]], str]
"""By the names and values of a key, the condition."""


def checked_log_sources(given: Mapping[str, str]) -> LogSources:
    """Return log sources with their keys taken apart; raise an `OptionError` for a key or condition of another form."""
    if not isinstance(given, Mapping):
        raise OptionError(f"log sources are a mapping of log source to condition, not {type(given).__name__}")
    return {_source(key): _condition(key, condition) for key, condition in given.items()}


def _source(key: Any) -> frozenset[tuple[str, str]]:
    parts = [part.partition(":") for part in str(key).split(",")]
    source = frozenset((name.strip(), value.strip()) for name, _, value in parts)
    if any(name not in NAMES or not value for name, value in source):
        raise OptionError(f"log source {key!r}: write such as 'product: windows, category: process_creation'")
    return source


def _condition(key: str, condition: Any) -> str:
    if not isinstance(condition, str) or not condition.strip():
        raise OptionError(f'log source {key!r}: its condition is a text such as "EventID = 1", not {condition!r}')
    return f"({condition.strip()})"


def conditions_for(source: Mapping[str, str], sources: LogSources) -> list[str]:
    """Return the conditions of all keys that apply to a rule's log source."""
    has = set(source.items())
    return [condition for key, condition in sources.items() if key <= has]


def source_of(node: Tree | None) -> dict[str, str]:
    """Return category, product and service of a rule; {} if it names none."""
    if node is None:
        return {}
    if not isinstance(node, Map):
        raise SigmaError("logsource is a map of category, product and service", line=node.line)
    found = {name: node.get(name) for name in NAMES}
    return {name: value.text for name, value in found.items() if isinstance(value, Scalar)}


def read_log_sources(path: str) -> dict[str, str]:
    """Return the mapping in a file, YAML or JSON."""
    try:
        documents = read_documents(Path(path).read_bytes())
    except SigmaError as error:
        raise OptionError(f"{path}: {error}") from error
    if len(documents) != 1 or not isinstance(documents[0], Map):
        raise OptionError(f'{path}: expected one map, such as {{"category: process_creation": "EventID = 1"}}')
    mapping = {}
    for key, value in documents[0].pairs.items():
        if not isinstance(value, Scalar):
            raise OptionError(f"{path}: line {value.line}: the condition of {key!r} is a text")
        mapping[key] = value.text
    return mapping
