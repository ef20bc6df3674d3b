"""Words in order, with gaps between them: kernels that know neither text nor pattern.

Four things, of which only `labels` needs another:

    share_trie   a trie that counts how many words pass through each state, and takes changes in place
                 (`payload_lists` hang at its states)
    automaton    all words of a batch at once, never changed: `grow_trie`, `by_depth`, `relabel`, `place` and `connect`
                 make it, in this order; `walk` (or `step`, byte by byte) finds the words of a text
    labels       as `automaton`, for words of numbers, such as names of elements: `enter_words`, `connect_suffixes`
    gaps         the positions of words, put together: does one choice of occurrences satisfy all gaps?
"""
