"""REtriever: words in one automaton, found by sliding windows and put together again (Wang and Jacobsen 2004).

Subscriptions on their way in, and out:

    splitting           where is a phrase cut into words?

with shared beginnings, going forward, the default:

    insert              INSERT and DELETE
    beginnings          the words and gaps of all subscriptions, as a trie
    records             whose subscription is whole with which beginning?

with records of each subscription, going backwards, as published:

    insert_records      INSERT and DELETE
    word_records        a record at the last state of each word

Texts, with shared beginnings:

    match               MATCH: a window at every character
    extend_beginnings   a word was found: which beginnings does it extend?
    waits               what may follow these, and where is it waited for?

and with records:

    match_records       MATCH: a window at every character, a pair of positions for every record
    recombine           do the words of a subscription go together?

Words live in a `share_trie` of code points (`kernels.sequences`), beginnings in another.
"""
