"""Trees of predicates that simplify themselves, and the two questions that CESQL asks: is it true, is it an error?

>>> b = Atom("b EXISTS", "b")
>>> show(any_of([Atom("a = 1", "a"), all_of([b, Atom("b = 2", "b")])]))
'a = 1 OR b = 2'

In CESQL an error, such as a missing attribute, keeps an event from passing, also below a NOT; AND and OR ask their
right side only if the left one leaves it open. So a condition is two trees, and at most one of them holds of an event:
it is *true*, or it is *false*; if none does, that is an error. It is *defined* where it is true or false.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeAlias

from watchword.predicates.dialects import aws

MAX_PREDICATES = 16_384
"""Predicates that an expression may become."""

ALWAYS_THERE = frozenset({"id", "source", "specversion", "type"})
"""Attributes that every cloud event has."""


class TooMany(Exception):
    """A tree would have more than `MAX_PREDICATES` predicates."""


class Atom(str):
    """A predicate about an attribute, which holds only where the attribute is there."""

    name: str
    size = 1

    def __new__(cls, text: str, name: str) -> Atom:
        """Return the text of a predicate, which remembers its attribute."""
        made = super().__new__(cls, text)
        made.name = name
        return made

    @property
    def is_existence(self) -> bool:
        """Return whether this only asks that the attribute is there."""
        return self.endswith(" EXISTS")


class Branch:
    """ "and", "or" or "not" over parts, with how many predicates they have."""

    def __init__(self, operator: str, parts: Sequence[Atom | Branch]) -> None:
        self.operator, self.parts = operator, tuple(parts)
        self.size: int = sum(part.size for part in parts)
        if self.size > MAX_PREDICATES:
            raise TooMany

    @cached_property
    def needs(self) -> frozenset[str]:
        """Return attributes that are there wherever this holds."""
        if self.operator == "not":
            return frozenset()
        several = [needed(part) for part in self.parts]
        return frozenset.union(*several) if self.operator == "and" else frozenset.intersection(*several)


Tree: TypeAlias = "bool | Atom | Branch"
"""True and False hold of every event and of none."""


def needed(tree: Tree) -> frozenset[str]:
    """Return attributes that are there wherever a tree holds."""
    if isinstance(tree, Atom):
        return frozenset((tree.name,))
    return tree.needs if isinstance(tree, Branch) else frozenset()


def all_of(trees: Sequence[Tree]) -> Tree:
    """Return that all trees hold; that an attribute is there is left out where another part needs it."""
    parts = _flat("and", trees)
    if parts is None:
        return False
    others = frozenset[str]().union(*(needed(part) for part in parts if not _is_existence(part)))
    kept = [part for part in parts if not (_is_existence(part) and isinstance(part, Atom) and part.name in others)]
    return _branch("and", kept)


def any_of(trees: Sequence[Tree]) -> Tree:
    """Return that one of the trees holds; what needs an attribute is left out beside that the attribute is there."""
    parts = _flat("or", trees)
    if parts is None:
        return True
    there = {part.name for part in parts if isinstance(part, Atom) and part.is_existence}
    return _branch("or", [part for part in parts if _is_existence(part) or not needed(part) & there])


def negated(tree: Tree) -> Tree:
    """Return that a tree does not hold."""
    if isinstance(tree, bool):
        return not tree
    if isinstance(tree, Branch) and tree.operator == "not":
        return tree.parts[0]
    return Branch("not", [tree])


def show(tree: Tree) -> str:
    """Return a tree as the text of a subscription."""
    if isinstance(tree, bool):
        return "id EXISTS OR id IS MISSING" if tree else "id EXISTS AND id IS MISSING"
    return aws.write(_written(tree))


def assumed(tree: Tree) -> Tree:
    """Return a tree without the conditions that attributes are there which every cloud event has."""
    if isinstance(tree, Atom):
        return (tree.is_existence and tree.name in ALWAYS_THERE) or tree
    if isinstance(tree, Branch) and tree.operator == "and":
        return all_of([assumed(part) for part in tree.parts])
    return tree


def _written(tree: Atom | Branch) -> aws.Tree:
    if isinstance(tree, Atom):
        return str(tree)
    return (tree.operator, [_written(part) for part in tree.parts])


def _is_existence(tree: Tree) -> bool:
    return isinstance(tree, Atom) and tree.is_existence


def _flat(operator: str, trees: Sequence[Tree]) -> list[Atom | Branch] | None:
    """Return the parts of trees, each once; None if one of them decides alone."""
    decides = operator == "or"
    parts: dict[Atom | Branch, None] = {}
    for tree in trees:
        if isinstance(tree, bool):
            if tree is decides:
                return None
        elif isinstance(tree, Branch) and tree.operator == operator:
            parts |= dict.fromkeys(tree.parts)
        else:
            parts[tree] = None
    return list(parts)


def _branch(operator: str, parts: list[Atom | Branch]) -> Tree:
    if not parts:
        return operator == "and"
    return parts[0] if len(parts) == 1 else Branch(operator, parts)


class Truth:
    """A condition: where it is true, false, and defined. Each tree is made when it is asked for."""

    def __init__(
        self, true: Callable[[], Tree], false: Callable[[], Tree], defined: Callable[[], Tree] | None = None
    ) -> None:
        self._made = true, false, defined

    @cached_property
    def true(self) -> Tree:
        """Return where it is true."""
        return self._made[0]()

    @cached_property
    def false(self) -> Tree:
        """Return where it is false."""
        return self._made[1]()

    @cached_property
    def defined(self) -> Tree:
        """Return where it is true or false."""
        return any_of([self.true, self.false]) if self._made[2] is None else self._made[2]()


NEVER = Truth(lambda: False, lambda: False)
"""An error of every event."""


def fixed(holds: bool) -> Truth:
    """Return a condition that is true of every event, or false of every one."""
    return Truth(lambda: holds, lambda: not holds, lambda: True)


def within(true: Tree, defined: Tree) -> Truth:
    """Return a condition that is false where it is defined and not true."""
    return Truth(lambda: true, lambda: _differing(true, defined), lambda: defined)


def _differing(true: Tree, defined: Tree) -> Tree:
    """Return where a condition is defined and not true; of ``a = 1``, where `a` is there, ``a != 1``."""
    if isinstance(true, Atom) and isinstance(defined, Atom) and defined.is_existence:
        attribute, sign, rest = true.split(" ", 2) if true.count(" ") > 1 else ("", "", "")
        if sign == "=":
            return Atom(f"{attribute} != {rest}", true.name)
    return all_of([defined, negated(true)])


def opposite(truth: Truth) -> Truth:
    """Return the NOT of a condition."""
    return Truth(lambda: truth.false, lambda: truth.true, lambda: truth.defined)


def conjunction(parts: Sequence[Truth]) -> Truth:
    """Return the AND of conditions, asked one after the other until one is false."""
    flipped = [opposite(part) for part in parts]
    return Truth(lambda: all_of([part.true for part in parts]), lambda: _one_of(flipped), lambda: _settled(flipped))


def disjunction(parts: Sequence[Truth]) -> Truth:
    """Return the OR of conditions, asked one after the other until one is true."""
    return Truth(lambda: _one_of(parts), lambda: all_of([part.false for part in parts]), lambda: _settled(parts))


def exclusive(left: Truth, right: Truth) -> Truth:
    """Return the XOR of two conditions; both are always asked."""
    return Truth(
        lambda: any_of([all_of([left.true, right.false]), all_of([left.false, right.true])]),
        lambda: any_of([all_of([left.true, right.true]), all_of([left.false, right.false])]),
        lambda: all_of([left.defined, right.defined]),
    )


def _one_of(parts: Sequence[Truth]) -> Tree:
    """Return where one condition is true and all before it are defined."""
    alternatives: list[Tree] = []
    before: Tree = True
    for at, part in enumerate(parts):
        if at:  # asked only where another part follows: what the last one is defined by may be large
            before = all_of([before, assumed(parts[at - 1].defined)])
        alternatives.append(all_of([before, part.true]))
    return any_of(alternatives)


def _settled(parts: Sequence[Truth]) -> Tree:
    """Return where a disjunction is defined: each condition is, or one before it is true."""
    return all_of([any_of([*(before.true for before in parts[:at]), part.defined]) for at, part in enumerate(parts)])
