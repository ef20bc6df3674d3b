"""REtriever: words in one automaton, found by sliding windows and put together again (Wang and Jacobsen 2004).

Subscriptions on their way in, and out:

    insert              INSERT and DELETE
    splitting           where is a phrase cut into words?
    beginnings          the words and gaps of all subscriptions, as a trie
    records             whose subscription is whole with which beginning?

Texts:

    match               MATCH: a window at every character
    extend_beginnings   a word was found: which beginnings does it extend?
    waits               what may follow these, and where is it waited for?

Words live in a `share_trie` of code points (`kernels.sequences`), beginnings in another.
"""
