"""Which conjunctions of atoms hold? The floor below keywords, predicates and properties; it knows numbers only.

A language hands over rows of atom numbers. In the order in which they pass: `boolean` (AND, OR, NOT and parentheses
into clauses), `dnf` and `factoring` (which clauses they are), `programs` (what a row of a clause cannot say), `clauses`
(the programs of an index), `order` (rows sorted for methods that ask for
it), then one structure: `packed` (`auto`), or a method of the thesis: `brute`, `inverted`, `count`, `compact_count`,
`poset`, and the `tries`. `language` plugs all of that into an index.
"""
