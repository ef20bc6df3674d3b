"""IF_Match: unite the postings of the item's atoms, then brute force over the union (Kourdounakis 2011, section 2.2,
Algorithm 2).

With the rows of Table 2.1, the item {1, 12, 24} reads the lists S4 S3 S2 S1 of 1, S4 of 12 and S2 of 24: six postings.
Their union is S1 to S4. Each of the four is verified against the item when it is met first, and S2 and S4 are found.

Layout: the linked lists of `postings`, and the row store of `brute` for the verification. The union is not written
down: ``seen[row]`` is the number, from 1, of the last item that met the row.

Cost: the lengths of the item's lists, and one verification per row in their union. `count` does without verification.
"""

from __future__ import annotations

from typing import NamedTuple

from watchword.arrays import Int16, Int32, Int64
from watchword.kernels.int_set import set_fill, set_table
from watchword.kernels.jit import kernel
from watchword.kernels.sets.brute import row_tests
from watchword.kernels.sets.postings import first_node


class InvertedFile(NamedTuple):
    """The arrays of matching; `seen`, and `tests` with the number of membership tests, belong to one batch."""

    heads: Int32
    nodes: Int32
    starts: Int64
    sizes: Int16
    payloads: Int32
    pool: Int32
    seen: Int32
    tests: Int64


@kernel
def match(item_offsets, item_atoms, file, first, used, offsets, payloads):
    """Match items from `first` on; `index.hits.Step` has the rules. Operations: postings read."""
    heads, nodes, seen = file.heads, file.nodes, file.seen
    starts, sizes, pool = file.starts, file.sizes, file.pool
    table = set_table(item_offsets)
    operations = 0
    for item in range(first, len(item_offsets) - 1):
        mask = set_fill(table, item_atoms, item_offsets[item], item_offsets[item + 1])
        fill, spent, tested = used, 0, 0
        for i in range(item_offsets[item], item_offsets[item + 1]):
            node = first_node(heads, item_atoms[i])
            while node >= 0:
                row = nodes[2 * node]
                node = nodes[2 * node + 1]
                spent += 1
                if seen[row] == item + 1:
                    continue
                seen[row] = item + 1
                tests = row_tests(table, mask, pool, starts[row], sizes[row])
                tested += abs(tests)
                if tests < 0:
                    continue
                if fill == len(payloads):
                    # The item will be matched again: forget every row that it has met.
                    seen[:] = 0
                    return item, used, operations
                payloads[fill] = file.payloads[row]
                fill += 1
        offsets[item + 1] = used = fill
        operations += spent
        file.tests[0] += tested
    return len(item_offsets) - 1, used, operations
