"""Looking things up in rows: what the checks of claims are written with.

>>> rows = [{"method": m, "S": s, "nodes": n} for m, s, n in [("tree", 10, 4), ("tree", 20, 7), ("rapid", 20, 2)]]
>>> curve(rows, "S", "nodes", method="tree")
{10: 4, 20: 7}
>>> value(rows, "nodes", method="rapid", S=20)
2
>>> by(rows, "method", "nodes", S=20)
{'tree': 7, 'rapid': 2}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from watchword.papers.experiments.experiment import Row


def where(rows: Iterable[Row], **equal: Any) -> list[Row]:
    """Return the rows that have these values."""
    return [row for row in rows if all(row.get(column) == wanted for column, wanted in equal.items())]


def value(rows: Iterable[Row], column: str, **equal: Any) -> Any:
    """Return the only value that a column has in the rows with these values; a `LookupError` if there is no row."""
    found = where(rows, **equal)
    if len(found) != 1:
        raise LookupError(f"{len(found)} rows have {equal}, not one")
    return found[0][column]


def curve(rows: Iterable[Row], x: str, y: str, **equal: Any) -> dict[Any, Any]:
    """Return `y` by `x`, in the order of `x`, of the rows that have these values; a `LookupError` if there is none."""
    found = {row[x]: row[y] for row in where(rows, **equal) if row.get(y) is not None}
    if not found:
        raise LookupError(f"no row has {equal} and a {y}")
    return dict(sorted(found.items()))


def by(rows: Iterable[Row], name: str, column: str, **equal: Any) -> dict[Any, Any]:
    """Return a column's values by those of another, in the order of the rows."""
    return {row[name]: row[column] for row in where(rows, **equal) if row.get(column) is not None}


def ratios(above: Mapping[Any, float], below: Mapping[Any, float]) -> dict[Any, float]:
    """Return the quotients of two curves where both have a value.

    >>> ratios({1: 6.0, 2: 8.0}, {2: 4.0})
    {2: 2.0}
    """
    return {at: above[at] / below[at] for at in above if below.get(at)}


def rises(values: Sequence[float], slack: float = 0.0) -> bool:
    """Return whether values never fall, but by a share of `slack` at most.

    >>> rises([1.0, 2.0, 1.9, 3.0]), rises([1.0, 2.0, 1.9, 3.0], slack=0.1)
    (False, True)
    """
    return all(after >= before * (1 - slack) for before, after in pairwise(values))


def falls(values: Sequence[float], slack: float = 0.0) -> bool:
    """Return whether values never rise, but by a share of `slack` at most."""
    return rises(values[::-1], slack)


def figure(value: object) -> str:
    """Return a value as a table shows it: three digits that matter, thousands set apart.

    >>> figure(1234.5), figure(0.01234), figure(12_345), figure(None)
    ('1,234', '0.0123', '12,345', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
