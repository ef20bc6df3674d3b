"""Hierarchies of values: national is a kind of politics.

A hierarchy is declared for an attribute as child to parent, or to several parents; it must have no cycle. Values that
are paths need no declaration: ``politics/national`` lies below ``politics``. An attribute is named from the event on,
also where ANY asks for it: ``ANY orders (topic KIND OF 'news')`` looks into the hierarchy of ``orders.topic``.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from watchword.errors import OptionError, SubscriptionSyntaxError
from watchword.predicates.predicate import Path, show_path
from watchword.predicates.query import attribute_of
from watchword.predicates.values import MAX_LEVELS, levels
from watchword.visible import brief

Declared = dict[str, dict[str, list[str]]]
"""By attribute, as it is written in a subscription: by child, its parents."""

Kept = TypeVar("Kept")

_REMEMBERED = 1 << 16
_LONG = 1 << 10
_SLASH = re.compile("/")


def checked(name: str, value: Any) -> Declared:
    """Return declared hierarchies in one form; an `OptionError` names what is wrong with them."""
    if not isinstance(value, Mapping):
        raise OptionError(f"{name} must be a mapping of attribute to hierarchy, not {value!r}")
    return {written(name, attribute): _hierarchy(name, attribute, tree) for attribute, tree in value.items()}


def written(name: str, attribute: Any) -> str:
    """Return an attribute, which an option names, as subscriptions write it.

    >>> written("hierarchies", 'detail . "kind"')
    'detail.kind'
    """
    try:
        return show_path(attribute_of(_text(name, attribute)))
    except SubscriptionSyntaxError as error:
        raise OptionError(f"{name}: {attribute!r} is no attribute as subscriptions write it: {error.reason}") from None


def within(hierarchies: Mapping[str, Kept], path: Path) -> dict[str, Kept]:
    """Return the hierarchies of the attributes below a path, under their names as seen from there.

    >>> within({"orders.topic": "a tree", "topic": "another"}, ("orders",))
    {'topic': 'a tree'}
    """
    start = show_path(path) + "."
    return {name.removeprefix(start): kept for name, kept in hierarchies.items() if name.startswith(start)}


def _hierarchy(name: str, attribute: str, tree: Any) -> dict[str, list[str]]:
    if not isinstance(tree, Mapping):
        raise OptionError(f"{name}[{attribute!r}] must be a mapping of child to parent or parents, not {tree!r}")
    parents = {
        _text(name, child): [above] if isinstance(above, str) else [_text(name, one) for one in _several(name, above)]
        for child, above in tree.items()
    }
    _refuse_cycles(f"{name}[{attribute!r}]", parents)
    return parents


def _several(name: str, value: Any) -> Iterable[Any]:
    if not isinstance(value, list | tuple | set | frozenset):
        raise OptionError(f"{name}: parents are a text or a list of texts, not {value!r}")
    return sorted(value) if isinstance(value, set | frozenset) else value


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise OptionError(f"{name}: attributes and nodes are texts, not {value!r}")
    if levels(value) > MAX_LEVELS:
        raise OptionError(f"{name}: {brief(value)} has more than {MAX_LEVELS} levels")
    return value


def _refuse_cycles(name: str, parents: Mapping[str, list[str]]) -> None:
    """Take away nodes whose parents are gone, round by round; what stays is in a cycle, or below one."""
    waiting = {child: {parent for parent in above if parent in parents} for child, above in parents.items()}
    while waiting:
        free = {child for child, above in waiting.items() if not above}
        if not free:
            raise OptionError(f"{name} has a cycle: {' below '.join(_cycle(waiting))}")
        waiting = {child: above - free for child, above in waiting.items() if child not in free}


def _cycle(waiting: Mapping[str, set[str]]) -> list[str]:
    node = min(waiting)
    way = [node]
    met = {node}
    while (node := min(waiting[node])) not in met:
        met.add(node)
        way.append(node)
    return [*way[way.index(node) :], node]


class Hierarchy:
    """The nodes that values of one attribute are kinds of.

    >>> hierarchy = Hierarchy({"national": ["politics"], "politics": ["news"]})
    >>> hierarchy.nodes("national"), hierarchy.nodes("sports/football")
    (('national', 'politics', 'news'), ('sports', 'sports/football'))
    """

    def __init__(self, parents: Mapping[str, list[str]]) -> None:
        self._parents = parents
        self._known: dict[str, tuple[str, ...]] = {}

    def nodes(self, value: str) -> Iterable[str]:
        """Return the nodes that a value is or lies below, each once; none of more than `MAX_LEVELS` levels."""
        if len(value) > _LONG:  # a stranger's text, not a kind of anything: not worth remembering, nor all at once
            return self._all(value)
        found = self._known.get(value)
        if found is None:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            found = self._known[value] = tuple(self._all(value))
        return found

    def _all(self, value: str) -> Iterator[str]:
        """Yield the beginnings of a path, one at a time, then what is above them."""
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
