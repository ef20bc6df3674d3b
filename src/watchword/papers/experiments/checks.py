"""What claims are made of: a sentence, a condition, a weaker one, and the figures that they name.

>>> from watchword.papers.experiments.figures import read
>>> rows = [{"S": size, "method": name, "us": us} for name, size, us in
...         [("tree", 10, 4.0), ("tree", 20, 9.0), ("rapid", 10, 2.0), ("rapid", 20, 3.0)]]
>>> tree, rapid = (read("us", along="S", method=name) for name in ("tree", "rapid"))
>>> faster = check("{lead.least:.1f} to {lead.most:.1f} times", "lead.least > 2.5", weaker="lead.least > 1",
...                otherwise="hardware: at S = {lead.start} all fits the cache", lead=tree / rapid)
>>> faster(rows)
Outcome(verdict='holds weaker', measured='2.0 to 3.0 times', why='hardware: at S = 10 all fits the cache')

Conditions and sentences name figures as `str.format` does: ``lead[20]``, ``lead.least``. A condition is made of
comparisons, ``and`` and ``or``; a name alone is a truth: ``nodes.rises and 1 < nodes.growth <= 4``. `figures` has what
can be read from rows, and what can be asked of it.

A reason is made of the rows, too: it names figures, and where it says more than they do, `provided` is the condition
under which it is one. With other rows the claim is reported as not explained:

>>> cached = check("{lead.least:.1f} times", "lead.least > 4", otherwise="hardware: rapid gains with S",
...                provided="lead.rises", lead=tree / rapid)
>>> cached(rows).why, cached([row | {"S": -row["S"]} for row in rows]).why
('hardware: rapid gains with S', 'not explained: compare these rows with those of docs/claims.md')
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from string import Formatter
from typing import Any

from watchword.papers.experiments.experiment import UNEXPLAINED, Outcome, judged
from watchword.papers.experiments.figures import Reading, Rows

_COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq}
_FIELDS = Formatter()
_NUMBER = re.compile(r"-?[\d.]+")


@dataclass(frozen=True)
class Check:
    """A check of rows: the claim holds, or holds weaker, where these conditions on its figures are met.

    A `ValueError` if a figure is named and not given, or given and not named: rows would seem to lack it.
    """

    says: str
    holds: str
    weaker: str
    why: str
    otherwise: str
    provided: str
    figures: Mapping[str, Reading]

    def __post_init__(self) -> None:
        words = f"{self.says} {self.why} {self.otherwise}"
        fields = [name for _, name, _, _ in _FIELDS.parse(words) if name] + _operands(
            " and ".join((self.holds, self.weaker, self.provided))
        )
        wrong = {re.split(r"[.\[]", name)[0] for name in fields} ^ set(self.figures)
        if wrong:
            raise ValueError(f"{self.says!r} and its conditions do not name the figures given: {sorted(wrong)}")

    def __call__(self, rows: Rows) -> Outcome:
        """Return the outcome; a `LookupError` if rows lack a figure."""
        figures = {name: reading(rows) for name, reading in self.figures.items()}
        said, why, otherwise = (words.format(**figures) for words in (self.says, self.why, self.otherwise))
        weaker = bool(self.weaker) and is_met(self.weaker, figures)
        if self.provided and not is_met(self.provided, figures):
            otherwise = UNEXPLAINED
        return judged(is_met(self.holds, figures), said, weaker=weaker, why=why, otherwise=otherwise)


def check(
    says: str,
    holds: str,
    *,
    weaker: str = "",
    why: str = "",
    otherwise: str = "",
    provided: str = "",
    **figures: Reading,
) -> Check:
    """Return a check; `why` and `otherwise` are those of `judged`, and may name figures, too.

    `provided` is the condition on which `otherwise` is the reason.
    """
    return Check(says, holds, weaker, why, otherwise, provided, figures)


def is_met(condition: str, figures: Mapping[str, Any]) -> bool:
    """Return whether figures meet a condition.

    >>> from watchword.papers.experiments.figures import Figures
    >>> is_met("1 < a.least and b[x] <= 4 or c", {"a": Figures(x=2.0), "b": Figures(x=4.0), "c": False})
    True
    """
    return any(all(_is_true(part, figures) for part in way.split(" and ")) for way in condition.split(" or "))


def _operands(condition: str) -> list[str]:
    """Return the names in a condition."""
    return [name for name in re.split(r" (?:<=?|>=?|==|and|or) ?", condition) if name and not _NUMBER.fullmatch(name)]


def _is_true(comparison: str, figures: Mapping[str, Any]) -> bool:
    """Return whether a chain of comparisons is true, or a name alone."""
    operands = re.split(r" (<=?|>=?|==) ", comparison)
    values = [_operand(name, figures) for name in operands[::2]]
    if len(values) == 1:
        return bool(values[0])
    compared = zip(operands[1::2], pairwise(values), strict=True)
    return all(_COMPARISONS[sign](*pair) for sign, pair in compared)


def _operand(name: str, figures: Mapping[str, Any]) -> Any:
    """Return a number, or the figure of a name."""
    if _NUMBER.fullmatch(name):
        return float(name)
    return _FIELDS.get_field(name, (), figures)[0]
