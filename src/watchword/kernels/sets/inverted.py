"""IF_Match: unite the postings of the item's terms, then brute force over the union (Kourdounakis 2011,
section 2.2, Algorithm 2).

Layout: the linked postings of `postings` and the row store of `brute`.
The union is not written down: ``seen[row]`` is the number, from 1, of the last item that met the row, and a
row is verified when it is met first. Cost: the lengths of the item's lists, and one verification per row in
their union.
"""

from __future__ import annotations

from watchword.kernels.int_set import set_fill, set_table
from watchword.kernels.jit import kernel
from watchword.kernels.sets.brute import row_tests


@kernel
def inverted_match(first, used, offsets, terms, heads, nodes, starts, sizes, payloads, pool, seen, ends, found):
    """Match items from `first` on; see `Step` for the buffer's rules. Operations: postings read."""
    table = set_table(offsets)
    operations = 0
    for item in range(first, len(offsets) - 1):
        mask = set_fill(table, terms, offsets[item], offsets[item + 1])
        fill, spent = used, 0
        for i in range(offsets[item], offsets[item + 1]):
            node = heads[terms[i]] if 0 <= terms[i] < len(heads) else -1
            while node >= 0:
                row = nodes[2 * node]
                node = nodes[2 * node + 1]
                spent += 1
                if seen[row] == item + 1:
                    continue
                seen[row] = item + 1
                if row_tests(table, mask, pool, starts[row], sizes[row]) < 0:
                    continue
                if fill == len(found):
                    # The item will be matched again: forget every row that it has met.
                    seen[:] = 0
                    return item, used, operations
                found[fill] = payloads[row]
                fill += 1
        used = fill
        ends[item] = used
        operations += spent
    return len(offsets) - 1, used, operations
