"""Predicates: rules over the attributes of events.

In the order in which a subscription passes them:

    query         text into clauses of predicates; `literals` reads their pieces
    predicate     what a predicate is, how it is spelled, its truth
    values        kinds of values, views, exact order
    schema/       what subscriptions may ask for and events must have, where that is declared
    language      what plugs into the index
    fields        what predicates ask of one attribute: `points`, and spans in `zones` over `breaks`;
                  saved as `constants`
    readers/      operators that are not about single values: ANY, KIND OF, and others' own
    access/       `auto`: rows under access keys
    listing       for the methods of the notes: all atoms that hold

and an event:

    blocks        columns and JSON texts, read ahead
    documents     JSON texts into objects, or columns
    reader        nested objects into points and labels
    columns, placing   the same for Arrow columns
    held          what holds in events after phase one
    hierarchies   declared parents of values: national is a kind of politics
    explaining    why an event satisfies a clause or not
    asked         nodes that a subscription asks for and no hierarchy has

Rules of other systems come in through `dialects`: `eventbridge` and `sns`, over `aws`; `sigma`; `lucene` and
`elasticsearch`, over `searches`; `cesql` and `hypermatch`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from watchword.predicates.asked import unknown_nodes as unknown_nodes
    from watchword.predicates.dialects.cesql import from_cesql as from_cesql
    from watchword.predicates.dialects.elasticsearch.dumps import from_percolator as from_percolator
    from watchword.predicates.dialects.elasticsearch.options import mapping_options as mapping_options
    from watchword.predicates.dialects.elasticsearch.queries import from_elasticsearch as from_elasticsearch
    from watchword.predicates.dialects.eventbridge import from_eventbridge as from_eventbridge
    from watchword.predicates.dialects.hypermatch import from_hypermatch as from_hypermatch
    from watchword.predicates.dialects.lucene.queries import from_lucene as from_lucene
    from watchword.predicates.dialects.sigma import from_sigma as from_sigma
    from watchword.predicates.dialects.sns import from_sns as from_sns
    from watchword.predicates.index import PredicateIndex as PredicateIndex

_HOMES = {
    "PredicateIndex": "index",
    "from_cesql": "dialects.cesql",
    "from_elasticsearch": "dialects.elasticsearch.queries",
    "from_eventbridge": "dialects.eventbridge",
    "from_hypermatch": "dialects.hypermatch",
    "from_lucene": "dialects.lucene.queries",
    "from_percolator": "dialects.elasticsearch.dumps",
    "from_sigma": "dialects.sigma",
    "from_sns": "dialects.sns",
    "mapping_options": "dialects.elasticsearch.options",
    "unknown_nodes": "asked",
}

__all__ = [
    "PredicateIndex",
    "from_cesql",
    "from_elasticsearch",
    "from_eventbridge",
    "from_hypermatch",
    "from_lucene",
    "from_percolator",
    "from_sigma",
    "from_sns",
    "mapping_options",
    "unknown_nodes",
]


def __getattr__(name: str) -> Any:
    """Load the index when it is first asked for: the options alone load no numba."""
    if name not in _HOMES:
        raise AttributeError(f"module 'watchword.predicates' has no attribute {name!r}")
    return getattr(import_module(f"watchword.predicates.{_HOMES[name]}"), name)
