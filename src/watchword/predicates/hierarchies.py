"""Hierarchies of values, as the option declares them: national is a kind of politics. `readers.nodes` reads them.

A hierarchy is declared for an attribute as child to parent, or to several parents; it must have no cycle. Values that
are paths need no declaration: ``politics/national`` lies below ``politics``. An attribute is named from the event on,
also where ANY asks for it: ``ANY orders (topic KIND OF 'news')`` looks into the hierarchy of ``orders.topic``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from watchword.errors import OptionError, SubscriptionSyntaxError
from watchword.predicates.predicate import show_path
from watchword.predicates.query import attribute_of
from watchword.predicates.values import MAX_LEVELS, levels
from watchword.visible import brief

_SHOWN = 20
"""The most members of a cycle that an error lists."""

Declared = dict[str, dict[str, list[str]]]
"""By attribute, as it is written in a subscription: by child, its parents."""


def checked(name: str, value: Any) -> Declared:
    """Return declared hierarchies in one form; an `OptionError` names the fault."""
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
    """Remove nodes without remaining parents, one by one; any node left is in a cycle or below one: refuse it."""
    waiting = {child: {parent for parent in above if parent in parents} for child, above in parents.items()}
    below: dict[str, list[str]] = {}
    for child, above in waiting.items():
        for parent in above:
            below.setdefault(parent, []).append(child)
    free = [child for child, above in waiting.items() if not above]
    while free:
        node = free.pop()
        del waiting[node]
        for child in below.get(node, ()):
            waiting[child].discard(node)
            if not waiting[child]:
                free.append(child)
    if waiting:
        raise OptionError(f"{name} has a cycle: {_show_cycle(_cycle(waiting))}")


def _show_cycle(way: list[str]) -> str:
    """Return the members of a cycle in words: ``a below b below a``; the middle of a long one is counted."""
    members = [brief(node) for node in way]
    if len(members) > _SHOWN:
        members[_SHOWN // 2 : -(_SHOWN // 2)] = [f"({len(members) - _SHOWN:,} more)"]
    return " below ".join(members)


def _cycle(waiting: Mapping[str, set[str]]) -> list[str]:
    node = min(waiting)
    way = [node]
    met = {node}
    while (node := min(waiting[node])) not in met:
        met.add(node)
        way.append(node)
    return [*way[way.index(node) :], node]
