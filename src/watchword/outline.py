"""Indented text drawings of trees and other graphs that have tops, for tests and documents.

>>> names = {0: "fruit", 1: "apple", 2: "pear", 3: "william"}
>>> print(outline([0], {0: [1, 2], 2: [3]}, names.__getitem__))
fruit
  apple
  pear
    william
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence


def outline(tops: Sequence[int], below: Mapping[int, Sequence[int]], text: Callable[[int], str]) -> str:
    """Return a line per node, two spaces deeper than the node above it.

    A node with several nodes above it stands below each of them; the nodes below it are drawn the
    first time only, and ``…`` stands for them later.
    """
    lines: list[str] = []
    drawn: set[int] = set()
    stack = [(node, 0) for node in reversed(tops)]
    while stack:
        node, depth = stack.pop()
        nexts = below.get(node, ())
        again = node in drawn and len(nexts) > 0
        lines.append("  " * depth + text(node) + (" …" if again else ""))
        if not again:
            drawn.add(node)
            stack += [(child, depth + 1) for child in reversed(nexts)]
    return "\n".join(lines)


def caption(atoms: Iterable[int], payloads: Iterable[int], name: Callable[[int], str]) -> str:
    """Return a node's atoms and, in brackets, its payloads in ascending order.

    >>> caption([3, 13], [9, 6], "t{}".format)
    't3 t13 [6, 9]'
    """
    label = " ".join(name(atom) for atom in atoms)
    rows = sorted(payloads)
    return f"{label} {rows}" if rows else label
