"""Figures of rows, for claims to be about: a number, or numbers by label.

>>> rows = [{"S": size, "method": name, "us": us} for name, size, us in
...         [("tree", 10, 4.0), ("tree", 20, 9.0), ("rapid", 10, 2.0), ("rapid", 20, 3.0)]]
>>> tree, rapid = (read("us", along="S", method=name) for name in ("tree", "rapid"))
>>> (tree / rapid)(rows), tree.growth(rows)
({10: 2.0, 20: 3.0}, 2.25)

A *reading* is given rows and returns a number or `Figures`:

    read("us", along="S", method="tree")        a curve: {10: 4.0, 20: 9.0}
    read("us", by="method", S=20)               by method, in the order of the rows: {"tree": 9.0, "rapid": 3.0}
    read("us", S=20, method="tree")             the value of the only such row: 9.0
    every("us", method="tree")                  of all such rows: {0: 4.0, 1: 9.0}
    each(("tree", "rapid"), reading_of)         a reading for each label: {"tree": …, "rapid": …}

From readings others are made:

    a / b, a * b, a - b, abs(a)                 label by label: ``tree / rapid`` is by which factor rapid is ahead
    a.growth, a.spread                          the last over the first, the greatest over the least
    a.first, a.last, a.least, a.most            one of the values
    a[20], among(a, 10, 20)                     the value of a label, the figures of some labels
    ahead(a)                                    the figures above 1
    trend(a, "rises", slack=0.1)                whether values never fall, but by a tenth
    text(a, "{label}: {figure:.1f}")            the figures in other words

Rows that lack a figure are a `LookupError`, and the claim is not shown.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from watchword.papers.experiments.experiment import Row
from watchword.papers.experiments.rows import curve, falls, figure, rises, value, where

Rows = Sequence[Row]


class Figures(dict[Any, Any]):
    """Numbers by label, or `Figures` by label; `least` and `most` of the latter are over all their numbers.

    >>> nodes = Figures({10: 4.0, 20: 5.0, 40: 6.0})
    >>> nodes.least, nodes.growth, nodes.stretch, nodes.end, nodes.rises
    (4.0, 1.5, 4.0, 40, True)
    >>> f"{Figures(uniform=0.5, empirical=0.25):.1%}", f"{Figures(nfa=650.0)}"
    ('uniform 50.0%, empirical 25.0%', 'nfa 650')
    """

    @property
    def least(self) -> float:
        """The least value."""
        return min(self._numbers())

    @property
    def most(self) -> float:
        """The greatest value."""
        return max(self._numbers())

    @property
    def first(self) -> Any:
        """The value of the first label."""
        return self[self.start]

    @property
    def last(self) -> Any:
        """The value of the last label."""
        return self[self.end]

    @property
    def start(self) -> Any:
        """The first label."""
        return self._labels()[0]

    @property
    def end(self) -> Any:
        """The last label."""
        return self._labels()[-1]

    @property
    def growth(self) -> float:
        """The last value over the first."""
        return float(self.last / self.first)

    @property
    def stretch(self) -> float:
        """The last label over the first."""
        return float(self.end / self.start)

    @property
    def spread(self) -> float:
        """The greatest value over the least."""
        return self.most / self.least

    @property
    def rises(self) -> bool:
        """Whether no value is below the one before."""
        return rises(list(self.values()))

    @property
    def falls(self) -> bool:
        """Whether no value is above the one before."""
        return falls(list(self.values()))

    @property
    def count(self) -> int:
        """How many labels there are."""
        return len(self)

    def __format__(self, spec: str) -> str:
        return ", ".join(f"{label} {format(each, spec) if spec else figure(each)}" for label, each in self.items())

    def _labels(self) -> list[Any]:
        if not self:
            raise LookupError("no figures")
        return list(self)

    def _numbers(self) -> list[float]:
        values = [self[label] for label in self._labels()]
        return [number for each in values for number in (each._numbers() if isinstance(each, Figures) else [each])]


@dataclass(frozen=True)
class Reading:
    """A function from rows to a number or `Figures`. Arithmetic goes label by label, over the labels that both have.

    >>> rows = [{"n": 1, "kept": 3, "all": 4}, {"n": 2, "kept": 1, "all": 4}]
    >>> (1 - read("kept", along="n") / read("all", along="n"))(rows)
    {1: 0.25, 2: 0.75}
    """

    read: Callable[[Rows], Any]

    def __call__(self, rows: Rows) -> Any:
        """Return the figures of rows; a `LookupError` if rows lack them."""
        return self.read(rows)

    def then(self, change: Callable[[Any], Any]) -> Reading:
        """Return the reading whose figures are changed in this way."""
        return Reading(lambda rows: change(self(rows)))

    def __getattr__(self, name: str) -> Reading:
        """Return the reading of a property of the figures: ``tree.growth``."""
        if not isinstance(getattr(Figures, name, None), property):
            raise AttributeError(name)
        return self.then(lambda figures: getattr(figures, name))

    def __getitem__(self, label: Any) -> Reading:
        """Return the reading of the value of a label: ``tree[20]``."""
        return self.then(lambda figures: figures[label])

    def __truediv__(self, other: Reading | float) -> Reading:
        return _together(_quotient, self, other)

    def __rtruediv__(self, other: float) -> Reading:
        return _together(_quotient, other, self)

    def __mul__(self, other: Reading | float) -> Reading:
        return _together(operator.mul, self, other)

    def __sub__(self, other: Reading | float) -> Reading:
        return _together(operator.sub, self, other)

    def __rsub__(self, other: float) -> Reading:
        return _together(operator.sub, other, self)

    def __abs__(self) -> Reading:
        return _together(lambda one, _: abs(one), self, 0)


def read(column: str, *, along: str = "", by: str | tuple[str, ...] = "", **equal: Any) -> Reading:
    """Return the reading of a column, in rows with these values; a tuple stands for any of its values."""

    def found(rows: Rows) -> Any:
        if along:
            return Figures(curve(_having(rows, equal), along, column))
        if not by:
            return value(rows, column, **equal)
        having = [row for row in _having(rows, equal) if row.get(column) is not None]
        if not having:
            raise LookupError(f"no row has {equal} and a {column}")
        return Figures({_label(row, by): row[column] for row in having})

    return Reading(found)


def every(column: str, **equal: Any) -> Reading:
    """Return the reading of a column in all rows with these values, numbered from 0."""
    return Reading(lambda rows: Figures(enumerate(row[column] for row in _having(rows, equal))))


def each(labels: Iterable[str], reading: Callable[[str], Reading]) -> Reading:
    """Return the reading that has for each label the figures of the reading that is made for it."""
    made = {label: reading(label) for label in labels}
    return Reading(lambda rows: Figures({label: one(rows) for label, one in made.items()}))


def _having(rows: Rows, equal: Mapping[str, Any]) -> list[Row]:
    """Return the rows that have values; a `LookupError` if there is none."""
    several = {name: wanted for name, wanted in equal.items() if isinstance(wanted, tuple)}
    found = where(rows, **{name: wanted for name, wanted in equal.items() if name not in several})
    found = [row for row in found if all(row.get(name) in wanted for name, wanted in several.items())]
    if not found:
        raise LookupError(f"no row has {dict(equal)}")
    return found


def _label(row: Row, by: str | tuple[str, ...]) -> Any:
    return row[by] if isinstance(by, str) else tuple(row[name] for name in by)


def _together(combine: Callable[[Any, Any], Any], one: Reading | float, other: Reading | float) -> Reading:
    """Return the reading that combines two, label by label, or a number with each label."""

    def found(rows: Rows) -> Any:
        left, right = (each(rows) if isinstance(each, Reading) else each for each in (one, other))
        labelled = left if isinstance(left, Figures) else right
        if not isinstance(labelled, Figures):
            return _known(combine(left, right))
        pairs = ((label, _of(left, label), _of(right, label)) for label in labelled)
        both = {label: combine(a, b) for label, a, b in pairs if a is not None and b is not None}
        return Figures({label: number for label, number in both.items() if number is not None})

    return Reading(found)


def _of(figures: Any, label: Any) -> Any:
    return figures.get(label) if isinstance(figures, Figures) else figures


def _known(number: float | None) -> float:
    if number is None:
        raise LookupError("nothing to divide by")
    return number


def _quotient(above: float, below: float) -> float | None:
    """Return a quotient, or None where nothing is there to divide by."""
    return above / below if below else None


def among(reading: Reading, *labels: Any) -> Reading:
    """Return the figures of some labels."""
    return reading.then(lambda figures: Figures({label: figures[label] for label in labels}))


def ahead(factor: Reading) -> Reading:
    """Return the figures above 1: where the first of two is ahead, if `factor` is the second over the first."""
    return factor.then(lambda figures: Figures({label: number for label, number in figures.items() if number > 1}))


def trend(reading: Reading, direction: Literal["rises", "falls"], slack: float = 0.0) -> Reading:
    """Return whether values rise, or fall; `slack` is the share by which one may go against it."""
    goes = {"rises": rises, "falls": falls}[direction]
    return reading.then(lambda figures: goes(list(figures.values()), slack))


def text(reading: Reading, item: str, between: str = ", ") -> Reading:
    """Return figures in words: `item` for each, which names its ``label`` and its ``figure``."""
    return reading.then(
        lambda figures: between.join(item.format(label=label, figure=each) for label, each in figures.items())
    )
