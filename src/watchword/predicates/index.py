"""`PredicateIndex`: the class that users make."""

from __future__ import annotations

from watchword.index import Index, Key
from watchword.predicates.language import Predicates


class PredicateIndex(Index[Key]):
    """Rules over attributes: comparisons, ranges, prefixes, hierarchies, networks, with AND, OR and NOT.

    >>> index = PredicateIndex({"r1": "name = 'RBS' AND value > 20", "r2": "value BETWEEN 10 AND 15"})
    >>> index.match({"name": "RBS", "value": 15})
    ['r2']
    >>> print(index.explain({"name": "RBS", "value": 15}, "r1"))
    no match: missing value > 20 (met 15) in: name = 'RBS' AND value > 20

    Options of every method (`predicates.options` has the defaults):

    - `hierarchies`: by attribute, which value is a kind of which
    - `schema`: event types and their attributes; what breaks it, subscription or event, is refused
    - `max_clauses`, `max_work`, `max_predicates`, `max_literal`, `max_depth`: what one subscription may cost
    """

    plug = Predicates
