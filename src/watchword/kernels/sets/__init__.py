"""Which conjunctions of atoms hold? The compiled half of `watchword.sets`.

A row is a set of atom numbers with a payload, an event (here: an *item*) the set of the atoms that hold in it. Rows and
items come as flat arrays with offsets. Every file has the kernels of one structure and opens with its layout; every
`match` has the arguments ``(item_offsets, item_atoms, state, first, used, offsets, payloads)``, `index.hits.Step`
describes the last four.

In which order does data pass the files?

For `auto`:

    rows   ── packing ──> packed        sorted by their rarest atoms, then written as blocks, one for each rarest atom
    row    ── delta                     one that comes later: a list under its rarest atom, until the next packing
    items  ── packed ──> delta          the blocks of the item's atoms, then the lists; both give payloads
           ── clauses ──> proximity     payloads of clauses that ask for more (phrases, NOT, OR, NEAR) are checked here
    counts ── quorums                   subscriptions that are one count of atoms: lists by atom, counters by row
    items  ── quorums                   counts down along the lists of the item's atoms

For the methods of the thesis (Kourdounakis 2011):

    brute            rows ── brute                           items ── brute
    inverted         rows ── brute, postings                 items ── inverted ──> postings, brute
    count            rows ── postings                        items ── count ──> postings
    compact-count    rows ── compact_count                   items ── compact_count
                     a row that goes ── compact_removal
    trie             rows ── trie                            items ── trie ──> positions, trie_walk
    compact-trie     rows ── compact_trie                    items ── compact_trie_match ──> positions, trie_walk
    poset            rows ── poset_change                    items ── poset

For the methods of the notes on predicates (Pereira et al. 2000):

    counting         rows ── postings                        items ── counting ──> postings
    propagation      rows ── clusters                        items ── propagation ──> clusters
                     a row that goes ── cluster_removal
    non-propagation  the same, except that every column of a cluster is checked

`postings`, `positions` and `trie_walk` are shared as drawn. From the floor below come `int_set` (is this atom in the
item?), `child_table` (the children of a trie's nodes), `arena` (records of any length) and `free_rows` (row numbers
given back), `size_classes` (blocks for lists that grow).
"""
