"""Other matchers on the same rules and events: event-ruler and Lucene Monitor (Java), a-tree (Rust), in harnesses.

`rivals` builds and runs the harnesses, `setting` says which are there; `notation` and `searches` write rules and
queries as each reads them, `characters` says what a term is; `comparing` puts all into one table; `rules` and `texts`
are the sections.
"""
