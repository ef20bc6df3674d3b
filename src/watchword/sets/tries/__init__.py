"""The tries of the thesis: `trie` has a node for each atom of a row, `compact_trie` five types of nodes."""
