"""Predicates: rules over the attributes of events.

In the order in which a subscription passes them:

    query         text into clauses of predicates; `literals` reads their pieces
    predicate     what a predicate is, its one name, its truth
    values        kinds of values, views, exact order
    schema*       what subscriptions may ask for and events must have, where that is declared
    fields        what predicates ask of one attribute: points and spans
    language      what plugs into the index
    access/       `auto`: rows under access keys
    listing       for the methods of the notes: all atoms that hold

and an event:

    blocks        columns and JSON texts, read ahead
    documents     JSON texts into objects, or columns
    reader        nested objects into points and labels
    columns, placing   the same for Arrow columns
    held          what holds in events after phase one
    hierarchies   the nodes that a value is a kind of
    explaining    why an event satisfies a clause or not

and rules that come from elsewhere: `eventbridge`, `sns`.
"""

from watchword.predicates.eventbridge import from_eventbridge
from watchword.predicates.index import PredicateIndex
from watchword.predicates.sns import from_sns

__all__ = ["PredicateIndex", "from_eventbridge", "from_sns"]
