"""Trees of conditions: put together, simplified, and written as a subscription.

>>> ferry, storm = Words("title", "ferry"), Words("title", "storm")
>>> write(every([some([ferry, storm]), opposite(Leaf("price > 3")), ALL]))
"title MATCHES 'ferry OR storm' AND NOT price > 3"
>>> write(at_least(2, [ferry, storm, Leaf("price > 3")]))
"2 OF (title MATCHES 'ferry', title MATCHES 'storm', price > 3)"

A tree is made by functions, never by its classes, so that `ALL` (every event) and `NONE` (no event) stand alone, an AND
has no AND among its parts, and nothing is counted twice. Words that are looked for in one attribute, and stand beside
each other, are written as one MATCHES. What a tree may come to is limited; beyond it is a `Refused`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from watchword.predicates.dialects.aws import quoted
from watchword.predicates.dialects.searches.refused import Refused

MOST_CONDITIONS = 16_384
"""How many conditions a query may come to; the option `max_predicates` of an index is as large."""

MOST_WRITTEN = 1 << 22
"""How many characters the subscription may have that a query comes to."""

DEEPEST = 64
"""How deep the parentheses, NOT and ANY of the subscription may be nested; an index takes no more."""

MOST_WORDS = 500
"""How many words are put into one MATCHES."""


@dataclass(frozen=True)
class Leaf:
    """A predicate as it is written; `weight` counts the members of an IN."""

    text: str
    weight: int = 1


@dataclass(frozen=True)
class Words:
    """Words in the texts of an attribute, "" for the option `text`; `text` as keywords write it.

    `binds` is how tight: 0 for alternatives, 1 for a conjunction, 2 for all else.
    """

    attribute: str
    text: str
    binds: int = 2
    weight: int = 1


@dataclass(frozen=True)
class Group:
    """Parts joined: `operator` is "and" or "or", or a number: how many of them hold."""

    operator: str | int
    parts: tuple[Tree, ...]


@dataclass(frozen=True)
class Negation:
    """What does not hold."""

    part: Tree


@dataclass(frozen=True)
class Inside:
    """One object of a list that satisfies the part."""

    attribute: str
    part: Tree


@dataclass(frozen=True)
class Constant:
    """Every event, or none."""

    holds: bool


Tree: TypeAlias = "Leaf | Words | Group | Negation | Inside | Constant"


@dataclass
class Budget:
    """Counts the conditions of a query while they are made, so that a hostile one makes no more than are taken."""

    spent: int = 0

    def spend(self, count: int) -> None:
        """Count conditions, and refuse the query when they are too many."""
        self.spent += count
        if self.spent > MOST_CONDITIONS:
            raise Refused(f"the query comes to more than {MOST_CONDITIONS:,} conditions; split it")


ALL, NONE = Constant(True), Constant(False)
_EVERY = Group("or", (Leaf("_id EXISTS"), Leaf("_id IS MISSING")))


def every(parts: Iterable[Tree]) -> Tree:
    """Return that all parts hold; of none, `ALL`."""
    return _joined("and", parts, ALL, NONE)


def some(parts: Iterable[Tree]) -> Tree:
    """Return that at least one part holds; of none, `NONE`."""
    return _joined("or", parts, NONE, ALL)


def _joined(operator: str, parts: Iterable[Tree], nothing: Constant, decides: Constant) -> Tree:
    kept: dict[Tree, None] = {}
    for part in parts:
        if part == decides:
            return decides
        if isinstance(part, Group) and part.operator == operator:
            kept |= dict.fromkeys(part.parts)
        elif part != nothing:
            kept[part] = None
    return next(iter(kept)) if len(kept) == 1 else Group(operator, tuple(kept)) if kept else nothing


def at_least(count: int, parts: Sequence[Tree]) -> Tree:
    """Return that at least `count` parts hold; a part that stands there twice counts twice.

    >>> at_least(3, [Leaf("a = 1"), Leaf("a = 2")]) == NONE, at_least(1, [Leaf("a = 1"), NONE])
    (True, Leaf(text='a = 1', weight=1))
    """
    count -= sum(part == ALL for part in parts)
    kept = [part for part in parts if not isinstance(part, Constant)]
    if count <= 0:
        return ALL
    if count > len(kept):
        return NONE
    if count == 1:
        return some(kept)
    return every(kept) if count == len(kept) else Group(count, tuple(kept))


def opposite(part: Tree) -> Tree:
    """Return that a part does not hold."""
    if isinstance(part, Constant):
        return NONE if part.holds else ALL
    return part.part if isinstance(part, Negation) else Negation(part)


def inside(attribute: str, part: Tree) -> Tree:
    """Return that a part holds of one object of a list; names in it begin at the object."""
    if part == ALL:
        return Leaf(f"{attribute} EXISTS")
    return part if part == NONE else Inside(attribute, part)


def write(tree: Tree) -> str:
    """Return a tree as a subscription."""
    if isinstance(tree, Constant):
        return "_id EXISTS OR _id IS MISSING" if tree.holds else "_id EXISTS AND _id IS MISSING"
    _measure(tree)
    text = _write(merge(tree), "")
    if len(text) > MOST_WRITTEN:
        raise Refused(f"the query comes to more than {MOST_WRITTEN:,} characters; split it")
    return text


def _measure(tree: Tree) -> None:
    """Refuse a tree of too many conditions, or one that is too deep."""
    count, waiting = 0, [(tree, 0)]
    while waiting:
        part, depth = waiting.pop()
        if depth > DEEPEST:
            raise Refused(f"the query comes to conditions nested deeper than {DEEPEST}; write it flatter, or split it")
        if isinstance(part, Group):
            waiting += [(one, depth + 1) for one in part.parts]
        elif isinstance(part, Negation | Inside):
            waiting.append((part.part, depth + 1))
        elif not isinstance(part, Constant):
            count += part.weight
    if count > MOST_CONDITIONS:
        raise Refused(f"the query comes to {count:,} conditions; {MOST_CONDITIONS:,} are taken: split it")


def merge(tree: Tree) -> Tree:
    """Return a tree in which words of one attribute that stand beside each other are one MATCHES.

    >>> merge(some([Words("t", "a"), Leaf("b = 1"), Words("t", "c")])).parts[0]
    Words(attribute='t', text='a OR c', binds=0, weight=2)
    """
    if isinstance(tree, Negation | Inside):
        return replace(tree, part=merge(tree.part))
    if not isinstance(tree, Group):
        return tree
    parts = [merge(part) for part in tree.parts]
    if isinstance(tree.operator, int):
        words = [part for part in parts if isinstance(part, Words)]
        if len(words) == len(parts) and len({part.attribute for part in words}) == 1 and _fits(words):
            listed = ", ".join(part.text for part in words)
            return Words(words[0].attribute, f"{tree.operator} OF ({listed})", 2, sum(part.weight for part in words))
        return Group(tree.operator, tuple(parts))
    grouped = _grouped(tree.operator, parts)
    return grouped[0] if len(grouped) == 1 else Group(tree.operator, tuple(grouped))


def _fits(words: Sequence[Words]) -> bool:
    return sum(part.weight for part in words) <= MOST_WORDS


def _grouped(operator: str, parts: list[Tree]) -> list[Tree]:
    """Return parts with the words of each attribute put together, where the first of them stood."""
    made: list[Tree | list[Words]] = []
    open_groups: dict[str, list[Words]] = {}
    for part in parts:
        if not isinstance(part, Words):
            made.append(part)
            continue
        group = open_groups.get(part.attribute)
        if group is None or not _fits([*group, part]):
            group = open_groups[part.attribute] = []
            made.append(group)
        group.append(part)
    return [_as_one(operator, part) if isinstance(part, list) else part for part in made]


def _as_one(operator: str, words: list[Words]) -> Words:
    if len(words) == 1:
        return words[0]
    binds = 0 if operator == "or" else 1
    texts = [f"({part.text})" if part.binds < binds else part.text for part in words]
    return Words(words[0].attribute, f" {operator.upper()} ".join(texts), binds, sum(part.weight for part in words))


def _write(tree: Tree, around: str) -> str:
    if isinstance(tree, Leaf):
        return tree.text
    if isinstance(tree, Words):
        return f"{tree.attribute} MATCHES {quoted(tree.text)}".lstrip()
    if isinstance(tree, Inside):
        return f"ANY {tree.attribute} ({_write(tree.part, '')})"
    if isinstance(tree, Negation):
        return f"NOT {_write(tree.part, 'not')}"
    if isinstance(tree, Constant):
        return f"({_write(_EVERY if tree.holds else opposite(_EVERY), '')})"
    if isinstance(tree.operator, int):
        return f"{tree.operator} OF ({', '.join(_write(part, '') for part in tree.parts)})"
    text = f" {tree.operator.upper()} ".join(_write(part, tree.operator) for part in tree.parts)
    return f"({text})" if around == "not" or (around, tree.operator) == ("and", "or") else text
