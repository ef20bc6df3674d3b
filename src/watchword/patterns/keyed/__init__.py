"""`auto` for patterns: patterns under their rarest word, their key.

`structure` has the layers, `packing` makes the immutable base and matches with it, `key_table` chooses the bytes by
which keys are found in texts, `delta` has the patterns that came since. The room of the same name in `kernels.patterns`
has the layouts, and the order in which a text passes them.
"""
