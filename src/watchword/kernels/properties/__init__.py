"""Which conjunctions over bits hold? The compiled half of `watchword.properties`.

A row is a set of *literals* with a payload: ``2 * p + 1`` asks that property `p` is 1, ``2 * p`` that it is 0, and a
row has its literals in the order of the properties. An event is a row of bits: ``words[event, p >> 6]``, bit ``p &
63``.

    texts   ── parsing                       into rows of literals
    rows    ── forest_insertion              into the search trees of `tree` and `rapid` (`forest` has the layout)
    a row that goes ── forest_removal
    events  ── forest_match                  down those trees
    rows    ── masks ──> grouping            sorted by their ones, under the nodes of a trie: `auto`
    row     ── group_delta                   one that comes later, until the next packing
    events  ── groups ──> group_delta        the groups whose ones the event has, then the delta

`brute` and `count` are those of sets: for them an event is the row of its literals, one for every property.
"""
