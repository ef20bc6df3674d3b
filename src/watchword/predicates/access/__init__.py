"""`auto` for predicates: rows of literals under the access key that the fewest events have.

structure   AccessRows: base, delta, tombstones (`layers`), and matching
drawing     a base as indented text
packing     rows into a base: chances, partners, blocks
eager       which spans are compared all at once
"""
