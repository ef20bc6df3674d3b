"""The tries of the thesis: `trie` and its walk, and `compact_trie` with its five types of nodes."""
