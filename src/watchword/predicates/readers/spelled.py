"""``sequence AS INTEGER < 10``, ``latency AS NUMBER > 500``: numbers, also where a text spells them.

What comes as an HTTP header, a row of CSV or an attribute of a cloud event is often a text: ``'007'`` is no 7 to
``sequence = 7``, and is one to ``sequence AS INTEGER = 7``.

    AS INTEGER   a whole number of 32 bits; TRUE is 1, FALSE is 0; a text of a sign and digits, such as '+007'
    AS NUMBER    a number, as the nearest double; a text of a decimal number: '-1.5', '.5', '1e3', '007'

Alone, it asks whether the value can be read so. Each predicate is a range, ends included: ``< 10`` is -inf to 9, and
as a number -inf to 9.999999999999998. The ranges of one attribute are sorted, so that a value finds its own::

    points    7 -> atoms                   single numbers
    above     (500, atom), ascending       no upper end: those up to the value hold
    below     (9, atom), ascending         no lower end: those from the value on hold
    between   (1, 5, atom), by lower end   gone through backwards while one of the rest reaches the value
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from watchword.arrays import Arrays
from watchword.predicates.predicate import Path, Predicate
from watchword.predicates.readers.reader import AttributeReader, Surroundings
from watchword.predicates.values import BOOLEAN, NUMBER, TEXT, plain_key

if TYPE_CHECKING:
    from watchword.predicates.query import PredicateParser

LEAST, MOST = -(2**31), 2**31 - 1
"""The integers of 32 bits."""

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_SIGNS = ("=", "<", "<=", ">", ">=")
_INFINITY = float("inf")


def integer_of(value: Any) -> int | None:
    """Return the integer of 32 bits that a value is or spells, None if it is none.

    >>> [integer_of(value) for value in (7, True, 7.0, "+007", "-1", "7.0", " 7", 2**31, "x")]
    [7, 1, 7, 7, -1, None, None, None, None]
    """
    value = _plain(value)
    if isinstance(value, str):
        digits = value.lstrip("+-").lstrip("0")
        if not _INTEGER.fullmatch(value) or len(digits) > 10:
            return None
        value = int(digits or "0") * (-1 if value[0] == "-" else 1)
    if value is None or not LEAST <= value <= MOST or value != int(value):
        return None
    return int(value)


def number_of(value: Any) -> float | None:
    """Return the number that a value is or spells, as a double; None if it is none.

    >>> [number_of(value) for value in (7, 1.5, "7.50", ".5", "1e3", "1e999", "0x1", "inf", True)]
    [7.0, 1.5, 7.5, 0.5, 1000.0, inf, None, None, None]
    """
    value = _plain(value)
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value) else None
    if value is None or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:
        return _INFINITY if value > 0 else -_INFINITY


def _plain(value: Any) -> str | int | float | None:
    """Return a value as Python's own text, number or boolean; None for any other."""
    try:
        key = plain_key(value)
    except TypeError:
        return None
    return None if key is None or key[0] not in (TEXT, NUMBER, BOOLEAN) else key[1]


class Spelled(AttributeReader):
    """Finds the ranges that an attribute's values lie in, read in one way."""

    whole: ClassVar[bool]
    """Whether it reads whole numbers only."""

    def __init__(self, path: Path, surroundings: Surroundings) -> None:
        self._ranges = _Ranges()

    @classmethod
    def parse(cls, parser: PredicateParser, path: Path) -> Predicate:
        """Read what follows: a sign and a number, BETWEEN and two, or nothing."""
        token = parser.token
        if parser.is_word("BETWEEN"):
            parser.advance()
            low = cls._bound(parser)
            if parser.token.kind != "AND":
                raise parser.error("expected AND and the upper end of BETWEEN", parser.token)
            parser.advance()
            high = cls._bound(parser)
            return parser.read_by(cls, path, (float(low), float(high)), f"BETWEEN {low} AND {high}", token)
        if token.kind != "sign":
            return parser.read_by(cls, path, (-_INFINITY, _INFINITY), "", token)
        if token.text not in _SIGNS:
            message = f"{token.text} does not compare spelled numbers; {', '.join(_SIGNS)} do, and NOT before them"
            raise parser.error(message, token)
        parser.advance()
        bound = cls._bound(parser)
        return parser.read_by(cls, path, _range(token.text, bound, cls.whole), f"{token.text} {bound}", token)

    @staticmethod
    @abstractmethod
    def read(value: Any) -> float | None:
        """Return the number that a value is or spells, None if it is none."""

    @classmethod
    def _bound(cls, parser: PredicateParser) -> float:
        """Pass over a number and return it: a whole one for integers, else the nearest double."""
        token = parser.token
        key = parser.read_literal()
        if key[0] != NUMBER:
            raise parser.error(f"{cls.name} compares with a number, which stands without quotes", token)
        number = cls.read(key[1])
        if number is None:
            raise parser.error(f"{cls.name} compares with whole numbers from {LEAST} to {MOST}", token)
        if math.isinf(number):
            raise parser.error("this number is beyond the range of a double", token)
        return int(number) if number == int(number) else number

    def define(self, atoms: Sequence[int], predicates: Sequence[Predicate]) -> None:
        """Remember the range of each atom."""
        for atom, predicate in zip(atoms, predicates, strict=True):
            low, high = predicate.constants
            self._ranges.add(low, high, atom)

    def points(self, values: list[Any]) -> list[int]:
        """Return the atoms of the ranges that values lie in."""
        numbers = [self.read(value) for value in values]
        return [atom for number in numbers if number is not None for atom in self._ranges.around(number)]

    def holds(self, predicate: Predicate, value: Any) -> bool:
        """Say whether a value lies in the range of a predicate."""
        low, high = predicate.constants
        number = self.read(value)
        return number is not None and low <= number <= high

    def arrays(self) -> Arrays:
        """Return the ranges."""
        return {"ranges": np.array(self._ranges.rows, np.float64).reshape(-1)}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._ranges = _Ranges()
        for low, high, atom in arrays["ranges"].reshape(-1, 3).tolist():
            self._ranges.add(low, high, int(atom))

    @property
    def bytes(self) -> int:
        """Return the bytes of the ranges."""
        return 24 * len(self._ranges.rows)


class Integers(Spelled):
    """Reads whole numbers of 32 bits."""

    name = "AS INTEGER"
    example = "AS INTEGER < 10"
    whole = True

    @staticmethod
    def read(value: Any) -> float | None:
        """Return the integer that a value is or spells."""
        return integer_of(value)


class Numbers(Spelled):
    """Reads numbers as doubles."""

    name = "AS NUMBER"
    example = "AS NUMBER < 0.5"
    whole = False

    @staticmethod
    def read(value: Any) -> float | None:
        """Return the number that a value is or spells."""
        return number_of(value)


class _Sorted(NamedTuple):
    """Ranges in the form in which they are asked."""

    points: dict[float, list[int]]
    above: tuple[list[float], list[int]]
    below: tuple[list[float], list[int]]
    between: list[tuple[float, float, int]]
    lows: list[float]
    reaches: list[float]
    """The highest end of `between` up to each position."""


class _Ranges:
    """Ranges, each with its atom."""

    def __init__(self) -> None:
        self.rows: list[tuple[float, float, int]] = []
        self._sorted: _Sorted | None = None

    def add(self, low: float, high: float, atom: int) -> None:
        """Remember a range."""
        self.rows.append((low, high, atom))
        self._sorted = None

    def around(self, number: float) -> list[int]:
        """Return the atoms of the ranges around a number.

        >>> ranges = _Ranges()
        >>> for atom, ends in enumerate([(7, 7), (5, _INFINITY), (-_INFINITY, 6), (1, 9), (8, 9)]):
        ...     ranges.add(*ends, atom)
        >>> ranges.around(7), ranges.around(10)
        ([0, 1, 3], [1])
        """
        state = self._sorted
        if state is None:
            state = self._sorted = _sort(self.rows)
        found = list(state.points.get(number, ()))
        found += state.above[1][: bisect_right(state.above[0], number)]
        found += state.below[1][bisect_left(state.below[0], number) :]
        at = bisect_right(state.lows, number) - 1
        while at >= 0 and state.reaches[at] >= number:
            _, high, atom = state.between[at]
            if high >= number:
                found.append(atom)
            at -= 1
        return found


def _sort(rows: list[tuple[float, float, int]]) -> _Sorted:
    points: dict[float, list[int]] = {}
    above, below, between = [], [], []
    for low, high, atom in rows:
        if low == high:
            points.setdefault(low, []).append(atom)
        elif high == _INFINITY:
            above.append((low, atom))
        elif low == -_INFINITY:
            below.append((high, atom))
        elif low < high:
            between.append((low, high, atom))
    between.sort()
    return _Sorted(
        points,
        _columns(above),
        _columns(below),
        between,
        [low for low, _, _ in between],
        list(accumulate((high for _, high, _ in between), max)),
    )


def _columns(pairs: list[tuple[float, int]]) -> tuple[list[float], list[int]]:
    pairs.sort()
    return [end for end, _ in pairs], [atom for _, atom in pairs]


def _range(sign: str, bound: float, whole: bool) -> tuple[float, float]:
    """Return the ends of a comparison.

    >>> _range("<", 10, whole=True), _range(">", 5, whole=False)
    ((-inf, 9.0), (5.000000000000001, inf))
    """
    way = -1 if sign[0] == "<" else 1
    if sign in ("<", ">"):
        bound = bound + way if whole else math.nextafter(bound, way * _INFINITY)
    if sign == "=":
        return float(bound), float(bound)
    return (-_INFINITY, float(bound)) if way < 0 else (float(bound), _INFINITY)
