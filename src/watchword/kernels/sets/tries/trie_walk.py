"""The walk of both tries: down every path that lies within an item (Kourdounakis 2011, section 2.3.2, Algorithm 6).

Rows and items come in one order of atoms. So the children of a node are looked for among the atoms of the item behind
the one that led to the node, and no path is tried twice. In the trie of Table 2.1 (drawn in `trie`), the item
{1, 2, 4} visits five of its ten nodes:

    root        1 is a child: visit                    stack  root from position 1
      1         2 is a child: visit                           root from 1, node 1 from 2
        1 2     4 is a child: visit, S1 is found              root from 1, node 1 from 2, node 1 2 from 3
      1         nothing behind 2: 4 is no child of 1          root from 1
    root        2 is a child: visit; and so on: 2 4 has S5

What a node knows of its children are three words, its *family*, which lie at an address of their own in either trie:

    count       how many children it has
    XOR         of the first atoms of all children: the atom itself if there is only one
    marks       bit ``atom & 31`` for each child (see `child_table`)

Most inner nodes have a single child (Table 4.2). Its atom is the XOR, and the table of the item's positions tells at
once whether and where the item has it; the node is done then, and leaves the stack before the child comes onto it.
For any other node the rest of the item is gone through, atom by atom, and most atoms are turned away by the marks.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.child_table import find_child
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.sets.positions import position_of

FAMILY_WORDS = 3
COUNT, XOR, MARKS = range(FAMILY_WORDS)
_NODE, _FAMILY, _POSITION = range(3)


@kernel
def new_stack(longest):
    """Return an empty stack for paths of up to `longest` atoms."""
    return np.empty((longest + 1, 3), np.int64)


@leaf
def push_node(stack, depth, node, family, position):
    """Put a node on the stack at `depth`, its children to be looked for from `position` on."""
    stack[depth, _NODE] = node
    stack[depth, _FAMILY] = family
    stack[depth, _POSITION] = position


@leaf
def add_to_family(words, family, atom):
    """Add a child that starts with `atom` to a family."""
    words[family + COUNT] += 1
    words[family + XOR] ^= atom
    words[family + MARKS] |= np.int32(1) << (atom & 31)


@leaf
def take_from_family(words, family, atom):
    """Remove a child from the family; returns the number left. Marks stay until the last child is removed."""
    words[family + COUNT] -= 1
    words[family + XOR] ^= atom
    if words[family + COUNT] == 0:
        words[family + MARKS] = 0
    return words[family + COUNT]


@leaf
def next_child(keys, values, words, item, stack, depth):
    """Return the next child to visit, the position of its first atom, and the depth of the stack below it.

    The search goes on where the node on top of the stack was left. Nodes that have no more children in the item go
    from the stack. A child of -1 ends the walk.
    """
    while depth >= 0:
        node, family, position = stack[depth, _NODE], stack[depth, _FAMILY], stack[depth, _POSITION]
        if words[family + COUNT] == 1:
            depth -= 1
            only = words[family + XOR]
            at = position_of(item, only)
            if at >= position:
                return find_child(keys, values, node, only), at, depth
            continue
        marks = words[family + MARKS]
        while position < item.end:
            atom = item.atoms[position]
            if (marks >> (atom & 31)) & 1:
                child = find_child(keys, values, node, atom)
                if child >= 0:
                    stack[depth, _POSITION] = position + 1
                    return child, position, depth
            position += 1
        depth -= 1
    return np.int64(-1), np.int64(-1), depth
