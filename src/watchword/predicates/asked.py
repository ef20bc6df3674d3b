"""Nodes of hierarchies that a subscription asks for and that are not declared: perhaps a typing error."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from watchword.options import settled
from watchword.predicates.options import OPTIONS
from watchword.predicates.predicate import Path, Predicate, show_path
from watchword.predicates.query import Limits, parse
from watchword.predicates.readers.doors import doors_of
from watchword.predicates.readers.nodes import Nodes
from watchword.predicates.readers.reading import Reading, paths_of

_SIMILAR = 3


def unknown_nodes(text: str, options: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the nodes after KIND OF that the hierarchy of their attribute does not have, each with similar ones.

    `options` are those of the index. An attribute without a hierarchy has no unknown nodes, and a path is known that
    begins with a known node.

    >>> tree = {"topic": {"national": "politics"}}
    >>> unknown_nodes("topic KIND OF 'politcs' OR topic KIND OF 'national/budget'", {"hierarchies": tree})
    {'politcs': ['politics']}
    """
    given = settled(options, OPTIONS, "predicates")
    trees = {attribute: nodes_of(tree) for attribute, tree in given["hierarchies"].items()}
    found: dict[str, list[str]] = {}

    def look(inside: Path, predicate: Predicate) -> None:
        known = trees.get(show_path(inside + predicate.attribute))
        if predicate.reader is Nodes and known:
            ((_, node),) = predicate.constants
            if not any(node[:end] in known for end in range(1, len(node) + 1) if node[end : end + 1] in ("/", "")):
                found[node] = get_close_matches(node, known, _SIMILAR)

    limits = Limits(
        clauses=given["max_clauses"],
        work=given["max_work"],
        depth=given["max_depth"],
        predicates=given["max_predicates"],
        literal=given["max_literal"],
    )
    reading = Reading(paths_of(given["text"]), given["reading"])
    parse(text, limits, look, doors_of(tuple(given["operators"])), reading)
    return found


def nodes_of(tree: Mapping[str, list[str]]) -> dict[str, None]:
    """Return the nodes of a hierarchy, children and parents, each once."""
    return dict.fromkeys(node for child, above in tree.items() for node in (child, *above))
