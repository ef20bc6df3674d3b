"""Predicates: rules over the attributes of events.

In the order in which a subscription passes them:

    query         text into clauses of predicates
    predicate     what a predicate is, its one name, its truth
    values        kinds of values, views, exact order
    fields        what predicates ask of one attribute: points and spans
    language      what plugs into the index
    access/       `auto`: rows under access keys

and an event:

    reader        nested objects into points and labels
    held          what holds in events after phase one
    hierarchies   the nodes that a value is a kind of
    explaining    why an event satisfies a clause or not
"""

from watchword.predicates.index import PredicateIndex

__all__ = ["PredicateIndex"]
