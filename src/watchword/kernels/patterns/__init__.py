"""What patterns over text run compiled.

    parsing      texts of subscriptions into words and gaps
    squeeze      rows of words, moved together where some were removed
    point_rows   words as code points, for the automata

and one file, or room, for each way to match:

    naive        every pattern by itself against every text
    nfa          one automaton with shared prefixes; `nfa_run` runs it
    retriever/   words in an automaton, put together again
    keyed/       patterns under their rarest word: `auto`
    stream       texts that arrive in chunks

What paths over trees could use as well is in `kernels.sequences`.
"""
