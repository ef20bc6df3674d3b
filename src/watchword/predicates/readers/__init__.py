"""What can read an attribute? Readers: each adds an operator to the language, and finds where it holds.

    reader     `AttributeReader`, what a reader must do; begin here
    elements   ``ANY orders (sku = 'x' AND price > 5)``: one object of a list satisfies a query
    nodes      ``topic KIND OF 'politics'``: a value is a node of a hierarchy, or below it
    spelled    ``sequence AS INTEGER < 10``: numbers, also where a text spells them
    doors      which operators an index has: these, and the readers named by its option `operators`

Comparisons of single values (``value > 20``) need no reader: a field does that itself (`predicates.fields`).
"""
