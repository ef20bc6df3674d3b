"""``topic KIND OF 'politics'``: a value is a node of a hierarchy, or lies below it.

With ``topic KIND OF 'politics'`` as atom 3 and the hierarchy ``{"national": ["politics"]}``, the values "politics",
"national" and "politics/local" have the point 3. An attribute without a hierarchy has the levels of paths.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from watchword.arrays import Arrays
from watchword.predicates.constants import Constants
from watchword.predicates.points import Points, listed_points, restored_points
from watchword.predicates.predicate import Path, Predicate, show_path
from watchword.predicates.readers.reader import AttributeReader, Surroundings
from watchword.predicates.values import MAX_LEVELS, TEXT, levels, show_value
from watchword.sets.dnf import Tree

if TYPE_CHECKING:
    from watchword.predicates.query import PredicateParser
    from watchword.predicates.schema.attribute import Attribute

_REMEMBERED = 1 << 20
"""The most nodes that a hierarchy remembers, over all values."""
_LONG = 1 << 10
_SLASH = re.compile("/")


class Hierarchy:
    """The nodes that values of one attribute are kinds of.

    >>> hierarchy = Hierarchy({"national": ["politics"], "politics": ["news"]})
    >>> hierarchy.nodes("national"), hierarchy.nodes("sports/football")
    (('national', 'politics', 'news'), ('sports', 'sports/football'))
    """

    def __init__(self, parents: Mapping[str, list[str]]) -> None:
        self._parents = parents
        self._known: dict[str, tuple[str, ...]] = {}
        self._room = _REMEMBERED

    def nodes(self, value: str) -> Iterable[str]:
        """Return the nodes that a value is or lies below, each once; none of more than `MAX_LEVELS` levels."""
        if len(value) > _LONG:  # a stranger's text, not a kind of anything: not worth remembering, nor all at once
            return self._all(value)
        found = self._known.get(value)
        if found is None:
            found = tuple(self._all(value))
            if self._room < 0:
                self._known, self._room = {}, _REMEMBERED
            self._known[value] = found
            self._room -= len(found)
        return found

    def _all(self, value: str) -> Iterator[str]:
        """Yield the beginnings of a path (of ``a/b``: ``a``, ``a/b``), then the declared nodes above them."""
        above: dict[str, None] = {}
        cuts = [found.start() for found in islice(_SLASH.finditer(value), MAX_LEVELS)]
        beginnings = [*cuts, len(value)][:MAX_LEVELS]
        for end in beginnings:
            yield value[:end]
            above.update(dict.fromkeys(self._parents.get(value[:end], ())))
        waiting = deque(above)
        while waiting:
            node = waiting.popleft()
            if len(node) in beginnings and value.startswith(node):
                continue
            yield node
            new = [parent for parent in self._parents.get(node, ()) if parent not in above]
            above.update(dict.fromkeys(new))
            waiting += new


class Nodes(AttributeReader):
    """Finds the nodes that an attribute's values are kinds of."""

    name = "KIND OF"
    example = "KIND OF 'node'"
    about = "texts"

    def __init__(self, path: Path, surroundings: Surroundings) -> None:
        self._hierarchy = Hierarchy(surroundings.hierarchies.get(show_path(path), {}))
        self._atoms: Points = {}
        self._count = 0

    @classmethod
    def parse(cls, parser: PredicateParser, path: Path) -> Tree:
        """Read the node."""
        token = parser.token
        node = parser.read_text(cls.name)
        if levels(node) > MAX_LEVELS:
            raise parser.error(f"a node of more than {MAX_LEVELS} levels", token)
        return parser.read_by(cls, path, ((TEXT, node),), show_value(node), token)

    def define(self, atoms: Sequence[int], predicates: Sequence[Predicate]) -> None:
        """Remember which atoms are about a node."""
        for atom, predicate in zip(atoms, predicates, strict=True):
            self._atoms.setdefault(_node(predicate), []).append(atom)
        self._count += len(atoms)

    def points(self, values: list[Any]) -> list[int]:
        """Return the atoms of all nodes that texts are or lie below."""
        known = self._atoms
        texts = [value for value in values if isinstance(value, str)]
        return [atom for text in texts for node in self._hierarchy.nodes(text) for atom in known.get(node, ())]

    def holds(self, predicate: Predicate, value: Any) -> bool:
        """Say whether a value is a kind of the predicate's node."""
        return isinstance(value, str) and _node(predicate) in self._hierarchy.nodes(value)

    @classmethod
    def refusal(cls, predicate: Predicate, attribute: Attribute) -> str | None:
        """Return why a node does not belong to the attribute's hierarchy, None if it does."""
        node = _node(predicate)
        is_none = attribute.type == "kind_of" and not attribute.is_node(node)
        if is_none or (attribute.type == "one_of" and not attribute.may_be_text):
            return f"{show_value(node)} is none"
        return super().refusal(predicate, attribute)

    def arrays(self) -> Arrays:
        """Return the atoms by node."""
        return Constants.of(TEXT, listed_points(self._atoms), [], []).arrays()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        saved = Constants.restored(TEXT, arrays)
        self._atoms, self._count = restored_points(saved), len(saved.atoms)

    @property
    def bytes(self) -> int:
        """Return the bytes of the atoms."""
        return 4 * self._count


def _node(predicate: Predicate) -> str:
    ((_, node),) = predicate.constants
    return str(node)
