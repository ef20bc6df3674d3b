"""CB_MATCH: count each row's missing terms down to zero (Kourdounakis 2011, section 2.2.2, Algorithm 4).

Layout: the linked postings of `postings`; ``counters[row]`` is the caller's private copy of
the counter, the number of terms of each row.

Invariant: between items every counter is the row's number of terms. The thesis copies the counter for every
item; here it is copied once per batch, and after each item its lists are walked again to count up.

Cost: twice the lengths of the item's lists; the second walk is not in the operations, as in equation 2.9.
"""

from __future__ import annotations

from watchword.kernels.jit import kernel


@kernel
def count_match(first, used, offsets, terms, heads, nodes, payloads, counters, ends, found):
    """Match items from `first` on; see `Step` for the buffer's rules. Operations: counter decrements."""
    operations = 0
    for item in range(first, len(offsets) - 1):
        fill, spent = used, 0
        for i in range(offsets[item], offsets[item + 1]):
            node = heads[terms[i]] if 0 <= terms[i] < len(heads) else -1
            while node >= 0:
                row = nodes[2 * node]
                node = nodes[2 * node + 1]
                spent += 1
                counters[row] -= 1
                if counters[row] == 0:
                    if fill < len(found):
                        found[fill] = payloads[row]
                    fill += 1
        _restore(terms[offsets[item] : offsets[item + 1]], heads, nodes, counters)
        if fill > len(found):
            return item, used, operations
        used = fill
        ends[item] = used
        operations += spent
    return len(offsets) - 1, used, operations


@kernel
def _restore(terms, heads, nodes, counters):
    """Undo an item's decrements."""
    for i in range(len(terms)):
        node = heads[terms[i]] if 0 <= terms[i] < len(heads) else -1
        while node >= 0:
            counters[nodes[2 * node]] += 1
            node = nodes[2 * node + 1]
