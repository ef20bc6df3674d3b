"""Paths over trees: a document's moves up and down, and what is found on the way.

A document passes, in this order:

    asked       what paths ask for, as a parser's handlers look it up
    handlers    called by expat for every tag and text: they write raw codes
    drive       creates, feeds and frees parsers, for whole batches of documents
    settle      raw codes into moves: the tests that an element passes become conditions

Then one of four follows its `moves`, which also has what all of them write:

    guide       the paths of names that documents were seen to have; what it does not know it learns from `nfa`;
                `classes` of payloads go together, and a `trail` knows where a pass stands and what it was given
    nfa         the automaton of all paths (`trie`) with a stack of active states
    lazy_dfa    the same automaton made deterministic
    pma, pma2   keywords with gaps, over the tables of `gaps` and `output`; `pma` keeps them in a `skip_list`

`cut` takes the texts of plain subscriptions apart.
"""
