"""Rules over attributes as the peers write them, put together by Arrow, and the files that the harnesses read.

event-ruler  {"a7": ["v19"], "a4": ["v2"], "a15": [{"numeric": [">=", 461, "<=", 507]}]}
a-tree       a7 = 'v19' and a4 = 'v2' and a15 >= 461 and a15 <= 507
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from watchword.papers.workloads.predicates import Drawn, SharedAttributeRules

Write = Callable[[SharedAttributeRules, Drawn], pa.Array]


def event_ruler(rules: SharedAttributeRules, drawn: Drawn) -> pa.Array:
    """Return event patterns."""
    bounds = ('"%s": [{"numeric": [">=", ', ', "<=", ', "]}]")
    parts = _parts(rules, drawn, '"{name}": ["v{value}"]', bounds)
    return _joined("{", pc.binary_join_element_wise(*parts, ", "), "}")


def a_tree(rules: SharedAttributeRules, drawn: Drawn) -> pa.Array:
    """Return expressions."""
    parts = _parts(rules, drawn, "{name} = 'v{value}'", ("%s >= ", " and %s <= ", ""))
    return pc.binary_join_element_wise(*parts, " and ")


def write_rules(rules: SharedAttributeRules, write: Write, path: Path) -> None:
    """Write one rule a line."""
    with path.open("wb") as file:
        for texts in rules.texts(lambda drawn: write(rules, drawn)):
            _write_lines(file.write, texts)


def write_events(rules: SharedAttributeRules, count: int, path: Path) -> None:
    """Write one event a line."""
    with path.open("wb") as file:
        _write_lines(file.write, rules.event_lines(count))


def _parts(rules: SharedAttributeRules, drawn: Drawn, equality: str, bounds: tuple[str, str, str]) -> list[pa.Array]:
    """Return each rule's equalities and its range, if it has one: what stands before, between and after its ends."""
    texts = pa.array(equality.format(name=name, value=value) for name in rules.names for value in range(rules.values))
    parts = [texts.take(pa.array(row)) for row in drawn.chosen * rules.values + drawn.values]
    if rules.ranges:
        before, between, after = (text.replace("%s", rules.names[-1]) for text in bounds)
        low, high = (pa.array(end).cast(pa.string()) for end in (drawn.low, drawn.high))
        parts.append(_joined(before, low, between, high, after))
    return parts


def _joined(*parts: str | pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(*parts, "")


def _write_lines(write: Callable[[bytes], object], lines: Iterable[pa.Scalar]) -> None:
    for line in lines:
        write(line.as_buffer().to_pybytes() + b"\n")
