"""The engine of `auto` for patterns: each pattern under its rarest word, its key.

Layout, from small to large:

    hashing        up to eight bytes as a number, and its hash
    fingerprints   14 bits of it; which fingerprints has the text at hand?
    word_heads     a record in front of each word's bytes
    key_store      the patterns of each key, in one arena
    grams          a few bytes that stand for a key: filters, and a table

Patterns on their way in, and out: `packing` chooses keys and writes heads and blocks, `pair_choice` the pairs that
grams should have, `gram_choice` chooses grams and fills the table.

Texts, in the order in which data passes through:

    match          several short texts at a time
    grams          `scan` or `scan_pairs`, `refine`, `locate`: at which positions may keys stand?
    keys_in_text   which keys does one text have?
    candidates     which of their patterns may it hold?
    by_search      each of these, searched for word by word; metered
    by_automaton   instead of all these, where they do not know or would take too long: `sequences.automaton` walks the
                   text, `candidates` as above, `sequences.gaps` puts positions together
"""
