"""What an index says of itself and of a match: its figures, and why an event satisfies a subscription."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape

from watchword.visible import brief, counted, visible

_WIDEST = 200
"""How many characters of an id or a text a notebook shows."""


@dataclass(frozen=True, repr=False)
class Stats:
    """Figures of an index: what it holds, and the memory it takes. Shown as lines, and as a table in a notebook.

    `bytes` is the index without ids and texts (those are `catalog_bytes`). `operations_per_match` is the mean
    over the `events` matched since the index was made or opened, in the unit `operation`; `nulls` were given
    besides, and match nothing. `details` has the method's own figures.
    """

    language: str
    method: str
    subscriptions: int
    clauses: int
    atoms: int
    nodes: int
    postings: int
    bytes: int
    catalog_bytes: int
    operation: str
    operations_per_match: float
    events: int = 0
    nulls: int = 0
    details: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        rows = self._shown()
        names, values = (max(len(row[column]) for row in rows) for column in (0, 1))
        lines = [f"  {name:<{names}}  {value:>{values}}" for name, value in rows]
        return "\n".join([f"Stats of {self.language}, method {self.method!r}", *lines])

    def _repr_html_(self) -> str:
        cells = [
            f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:right'>{escape(value)}</td></tr>"
            for name, value in self._shown()
        ]
        caption = f"<caption>{escape(self.language)}, method {escape(self.method)}</caption>"
        return f"<table>{caption}{''.join(cells)}</table>"

    def _shown(self) -> list[tuple[str, str]]:
        """Return names and values as they are shown, the method's own figures last."""
        plain = [one.name for one in fields(self) if one.name not in ("language", "method", "details")]
        rows = [(name, getattr(self, name)) for name in plain] + list(self.details.items())
        return [(name, value if isinstance(value, str) else _number(value)) for name, value in rows]


def _number(value: float) -> str:
    return f"{value:,.2f}" if value % 1 else f"{value:,.0f}"


def index_html(kind: str, method: str, rows: Sequence[tuple[object, str]], count: int) -> str:
    """Return an index for a notebook: its first subscriptions, of `count`. What subscribers wrote is shown, and does
    nothing."""
    cells = "".join(
        f"<tr><td style='text-align:left'>{_cell(str(key))}</td>"
        f"<td style='text-align:left'><code>{_cell(text)}</code></td></tr>"
        for key, text in rows
    )
    head = f"<b>{escape(kind)}</b> of {counted(count, 'subscription')}, method {escape(method)}"
    more = f"<p>… and {count - len(rows):,} more</p>" if count > len(rows) else ""
    return f"{head}<table>{cells}</table>{more}" if rows else head


def _cell(text: str) -> str:
    return escape(visible(brief(text, _WIDEST)))


@dataclass(frozen=True)
class ClauseReport:
    """How one clause of a subscription fared: atoms that it asked for and missed, or forbade and met."""

    text: str
    missing: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        """Return whether nothing failed."""
        return not self.missing and not self.forbidden

    def __str__(self) -> str:
        if self.held:
            return self.text
        reasons = [f"missing {', '.join(self.missing)}"] if self.missing else []
        reasons += [f"forbidden {', '.join(self.forbidden)}"] if self.forbidden else []
        return f"{'; '.join(reasons)} in: {self.text}"


@dataclass(frozen=True)
class Explanation:
    """Why an event matches a subscription, or does not. True where it matches."""

    subscription: str
    clauses: tuple[ClauseReport, ...]

    @property
    def matched(self) -> bool:
        """Return whether a clause held."""
        return any(clause.held for clause in self.clauses)

    @property
    def nearest(self) -> ClauseReport | None:
        """Return a clause that held, or else the one with the fewest failures; None if there is no clause."""
        return min(self.clauses, key=lambda c: len(c.missing) + len(c.forbidden), default=None)

    def __bool__(self) -> bool:
        return self.matched

    def __str__(self) -> str:
        if self.nearest is None:
            return "no match: the subscription contradicts itself"
        if self.matched:
            return f"match: {self.nearest}"
        tail = f" (nearest of {len(self.clauses)} clauses)" if len(self.clauses) > 1 else ""
        return f"no match: {self.nearest}{tail}"

    def _repr_html_(self) -> str:
        verdict = "match" if self.matched else "no match"
        items = [f"<li>{'✓' if clause.held else '✗'} {escape(visible(str(clause)))}</li>" for clause in self.clauses]
        return f"<b>{verdict}</b>: <code>{escape(visible(self.subscription))}</code><ul>{''.join(items)}</ul>"
