"""Whether a predicate implies another: every value that satisfies it satisfies the other.

    price > 5                  price > 3, price != 4, price EXISTS
    name = 'RBS'               name STARTS WITH 'R', name IN ('RBS', 'x'), name HAS 'B', name MATCHES 'rbs'
    line HAS 'mimikatz.exe'    line HAS 'Mimi' IGNORING CASE
    body MATCHES '"a b"'       body MATCHES 'a', MATCHES 'a' (if the option text names body)
    ANY o (a = 1 AND b = 2)    ANY o (a = 1)

An attribute may have several values. Where one value satisfies the first predicate, the same value satisfies the other,
so the implication holds for lists, too. Nothing is concluded from two predicates that no value satisfies together:
``a > 5 AND a < 3`` holds for the list [6, 2].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from watchword.index.covering import Steps
from watchword.keywords.covering import atom_implies
from watchword.keywords.language import Keywords
from watchword.paths import covering as path_covering
from watchword.predicates.covering.forms import form_implies, form_of
from watchword.predicates.predicate import Predicate, _compare, show_path
from watchword.predicates.readers.elements import Elements
from watchword.predicates.readers.nodes import Nodes
from watchword.predicates.readers.paths import Paths
from watchword.predicates.readers.patterns import Patterns
from watchword.predicates.readers.reader import Surroundings
from watchword.predicates.readers.substrings import FoldedSubstrings, Substrings
from watchword.predicates.readers.terms import Terms
from watchword.predicates.values import INSTANT, TEXT, View, after_prefix

_READ_TEXTS = (Terms, Patterns, Substrings, FoldedSubstrings)
"""Readers of texts, as which they read bytes, too."""

Inside = Callable[[Predicate, Predicate], bool]
"""Whether a query of ANY implies another about the same objects."""


class Interval(NamedTuple):
    """Values of one kind from `low` to `high`; None is without end. Each end belongs to it unless it is open."""

    kind: int
    low: Any = None
    high: Any = None
    low_open: bool = False
    high_open: bool = False

    @property
    def is_empty(self) -> bool:
        """Return whether no value lies in it."""
        if self.low is None or self.high is None:
            return False
        return bool(self.low > self.high or (self.low == self.high and (self.low_open or self.high_open)))

    def __contains__(self, value: Any) -> bool:
        return self.lies_in(Interval(self.kind, value, value), reverse=True)

    def lies_in(self, other: Interval, *, reverse: bool = False) -> bool:
        """Return whether all of it lies in another; with `reverse`, the other in it."""
        if reverse:
            return other.lies_in(self)
        if self.kind != other.kind:
            return False
        return _after(self.low, self.low_open, other.low, other.low_open, 1) and _after(
            self.high, self.high_open, other.high, other.high_open, -1
        )


def _after(end: Any, is_open: bool, bound: Any, bound_open: bool, sign: int) -> bool:
    """Return whether an end stays within a bound: not below a low one (`sign` 1), not above a high one (-1)."""
    if bound is None:
        return True
    if end is None:
        return False
    if end == bound:
        return is_open or not bound_open
    return bool(end > bound) if sign > 0 else bool(end < bound)


def interval_of(predicate: Predicate) -> Interval | None:
    """Return the interval of keys that satisfy a comparison; None for other predicates.

    >>> from watchword.predicates.plain import plain_predicate
    >>> interval_of(plain_predicate("price > 5"))
    Interval(kind=1, low=5, high=None, low_open=True, high_open=False)
    """
    if not isinstance(predicate.view, View) or not predicate.constants:
        return None
    (kind, low), (_, high) = predicate.constants[0], predicate.constants[-1]
    if predicate.operator in ("<", "<="):
        return Interval(kind, None, high, False, predicate.operator == "<")
    if predicate.operator in (">", ">="):
        return Interval(kind, low, None, predicate.operator == ">")
    if predicate.operator in ("BETWEEN", "IN CIDR"):
        return Interval(kind, low, high)
    if predicate.operator in ("STARTS WITH", "ENDS WITH"):
        end = after_prefix(low)
        return Interval(kind, low, end, False, end is not None)
    return None


def is_impossible(predicate: Predicate) -> bool:
    """Return whether no value satisfies a predicate, such as ``a BETWEEN 5 AND 1``."""
    found = interval_of(predicate)
    return found is not None and found.is_empty


def implies(narrow: Predicate, wide: Predicate, surroundings: Surroundings, inside: Inside, steps: Steps) -> bool:
    """Return whether every value that satisfies a predicate is seen to satisfy another about the same attribute."""
    if narrow == wide:
        return True
    if narrow.attribute != wide.attribute and (wide.attribute or narrow.attribute not in surroundings.reading.text):
        return False
    if wide.operator == "EXISTS":
        return narrow.reader in (None, Elements, Nodes)
    if isinstance(narrow.view, View) and narrow.operator in ("=", "IN"):
        steps.spend(len(narrow.constants))
        if wide.view is narrow.view and wide.operator in ("=", "IN"):
            return set(wide.constants).issuperset(narrow.constants)
        return all(_key_satisfies(narrow.view, key, wide, surroundings) for key in narrow.constants)
    if wide.reader is Elements:
        return narrow.reader is Elements and inside(narrow, wide)
    if wide.reader is Terms:
        steps.spend()
        return narrow.reader is Terms and _terms_imply(narrow, wide, surroundings)
    if wide.reader is Paths:
        return narrow.reader is Paths and _path_implies(narrow, wide, surroundings, steps)
    if wide.reader is Nodes:
        return narrow.reader is Nodes and _node_implies(narrow, wide, surroundings)
    return _range_implies(narrow, wide) or _form_implies(narrow, wide, surroundings, steps)


def _key_satisfies(view: View, key: tuple[int, Any], wide: Predicate, surroundings: Surroundings) -> bool:
    """Return whether every value that a view sees as `key` satisfies a predicate."""
    kind, value = key
    if wide.view is view:
        return _compare(wide.operator, key, wide.constants)
    if view is View.FOLDED:
        if wide.view is View.FOLDED_BACKWARDS:
            return _compare(wide.operator, (kind, value[::-1]), wide.constants)
        return wide.reader is FoldedSubstrings and wide.reader((), surroundings).holds(wide, value)
    if view is not View.PLAIN or kind == INSTANT:
        return False
    if wide.reader is None:
        return wide.holds(value)
    if kind != TEXT or wide.reader not in (*_READ_TEXTS, Nodes):
        return False
    return wide.reader(wide.attribute, surroundings).holds(wide, value)


def _range_implies(narrow: Predicate, wide: Predicate) -> bool:
    """Return whether a comparison implies another, both through one view."""
    found = interval_of(narrow) if narrow.view is wide.view else None
    if found is None:
        return False
    if found.low is not None and found.low == found.high:
        return _compare(wide.operator, (found.kind, found.low), wide.constants)
    if wide.operator == "!=":
        ((kind, value),) = wide.constants
        return kind != found.kind or value not in found
    other = interval_of(wide)
    return other is not None and found.lies_in(other)


def _form_implies(narrow: Predicate, wide: Predicate, surroundings: Surroundings, steps: Steps) -> bool:
    """Return whether a predicate about texts implies a form. Those without a reader are not about bytes."""
    form = form_of(wide, surroundings)
    if form is None or (wide.reader is None and narrow.reader is not None):
        return False
    if form.asks_nothing and wide.reader is not None and (narrow.reader in (*_READ_TEXTS, Nodes)):
        return True
    found = form_of(narrow, surroundings)
    return found is not None and form_implies(found, form, steps)


def _terms_imply(narrow: Predicate, wide: Predicate, surroundings: Surroundings) -> bool:
    """Return whether a word, phrase or distance implies another, read in the same way."""
    reading = surroundings.reading
    if narrow.attribute != wide.attribute and (
        reading.options(Keywords, narrow.attribute) != reading.options(Keywords, wide.attribute)
    ):
        return False
    is_stemmed = reading.grammar(narrow.attribute).analyzer.stemmer is not None
    return atom_implies(narrow.constants[0], wide.constants[0], is_stemmed)


def _path_implies(narrow: Predicate, wide: Predicate, surroundings: Surroundings, steps: Steps) -> bool:
    """Return whether a path covers another, read in the same way."""
    if narrow.attribute != wide.attribute:
        return False
    compiler = surroundings.reading.path_compiler(narrow.attribute)
    return path_covering.implies(compiler.parse(narrow.constants[0]), compiler.parse(wide.constants[0]), steps)


def _node_implies(narrow: Predicate, wide: Predicate, surroundings: Surroundings) -> bool:
    """Return whether a node of a hierarchy lies below another; a node that is declared as a parent counts only by the
    parents that are declared for it."""
    if narrow.attribute != wide.attribute:
        return False
    parents = surroundings.hierarchies.get(show_path(narrow.attribute), {})
    ((_, node),), ((_, above),) = narrow.constants, wide.constants
    if not any(node in found for found in parents.values()) and node.startswith(f"{above}/"):
        return True
    waiting, seen = [node], {node}
    while waiting:
        new = [parent for parent in parents.get(waiting.pop(), ()) if parent not in seen]
        seen.update(new)
        waiting += new
    return above in seen
