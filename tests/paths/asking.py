"""What paths ask of documents, from plain dicts; documents as plain trees, and what their moves should be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from hypothesis import strategies as st

from watchword.arrays import offsets_of
from watchword.kernels.child_table import new_table, put_child, roomy_table
from watchword.kernels.paths.asked import TEXT, Asked
from watchword.kernels.paths.moves import END
from watchword.kernels.paths.settle import Conditions
from watchword.kernels.text.vocabulary import StringTable
from watchword.paths.parsing.batch import parse_batch
from watchword.paths.parsing.guards import Guards
from watchword.strings import from_pieces
from watchword.text.vocabulary import Vocabulary

Test = tuple[str, str | None]
"""An attribute, or "" for the text, and the value that it has; None: the attribute is there."""

Condition = tuple[str, frozenset[Test]]
"""A name or *, and tests."""


@dataclass
class Node:
    """An element; what is inside are elements, or pieces of text by kind: text, cdata, comment, instruction."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    inside: list[Node | tuple[str, str]] = field(default_factory=list)

    def xml(self) -> str:
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in self.attributes.items())
        inside = "".join(part.xml() if isinstance(part, Node) else _written(*part) for part in self.inside)
        return f"<{self.name}{attributes}>{inside}</{self.name}>" if inside else f"<{self.name}{attributes}/>"

    def texts(self) -> list[str]:
        """Return the text nodes."""
        nodes = [""]
        for part in self.inside:
            if isinstance(part, Node) or part[0] in ("comment", "instruction"):
                nodes.append("")
            else:
                nodes[-1] += part[1]
        return [node for node in nodes if node]

    def passes(self, test: Test) -> bool:
        name, value = test
        if not name:
            return value in self.texts()
        return name in self.attributes and value in (None, self.attributes[name])

    def moves(self, names: list[str], conditions: list[Condition]) -> list[int | frozenset[int]]:
        """Return what the moves should be, the conditions of an element as a set."""
        held = frozenset(
            -1 - number
            for number, (name, tests) in enumerate(conditions)
            if name in ("*", self.name) and all(self.passes(test) for test in tests)
        )
        label = names.index(self.name) + 1 if self.name in names else 0
        inside = [move for part in self.inside if isinstance(part, Node) for move in part.moves(names, conditions)]
        return [label, *([held] if held else []), *inside, END]


def _written(kind: str, text: str) -> str:
    forms = {"text": escape(text), "cdata": f"<![CDATA[{text}]]>", "comment": f"<!--{text}-->"}
    return forms.get(kind, f"<?do {text}?>")


def with_sets(moves: list[int]) -> list[int | frozenset[int]]:
    """Return moves with the conditions of an element as a set; none is there twice."""
    found: list[int | frozenset[int]] = []
    held: list[int] = []
    for move in [*moves, END]:
        if END < move < 0:
            held.append(move)
            continue
        if held:
            assert len(set(held)) == len(held)
            found.append(frozenset(held))
            held = []
        found.append(move)
    return found[:-1]


def table(strings: list[str]) -> StringTable:
    vocabulary = Vocabulary()
    vocabulary.intern_texts(strings)
    return vocabulary.known


def asking(names: list[str], conditions: list[Condition]) -> tuple[Asked, Conditions]:
    """Return the tables for these names and conditions."""
    tests = sorted({test for _, tests in conditions for test in tests}, key=repr)
    attributes = sorted({name for name, _ in tests if name})
    values = sorted({value for _, value in tests if value is not None})
    present = np.full(max(1, len(attributes)), -1, np.int32)
    keys, numbers = roomy_table(*new_table(16), len(tests))
    for number, (name, value) in enumerate(tests):
        if value is None:
            present[attributes.index(name)] = number
        else:
            put_child(keys, numbers, attributes.index(name) if name else TEXT, values.index(value), number)
    longest = max((len(value.encode()) for name, value in tests if not name and value is not None), default=-1)
    limits = np.array([longest, len(attributes)], np.int64)
    asked = Asked(table(names), table(attributes), table(values), present, keys, numbers, limits)
    labels = np.array([0 if name == "*" else names.index(name) + 1 for name, _ in conditions], np.int32)
    rows = [sorted(tests.index(test) for test in asked_tests) for _, asked_tests in conditions]
    flat = np.array([test for row in rows for test in row], np.int32)
    first, following = np.full(len(tests), -1, np.int32), np.full(len(rows), -1, np.int32)
    for condition, row in enumerate(rows):
        key = row[condition % len(row)]
        following[condition], first[key] = first[key], condition
    return asked, Conditions(labels, offsets_of([len(row) for row in rows]), flat, first, following)


NAMES = ["a", "b", "a.long-name", "ü"]
ATTRIBUTES = ["x", "y", "another-attribute"]
VALUES = ["", "1", "<&>", "a value of some length", "ü"]

_texts = st.sampled_from(VALUES[1:])
_plain = st.sampled_from(["1", " ", "ü", "a value"])
_parts = st.one_of(
    st.tuples(st.just("text"), _texts),
    st.tuples(st.just("cdata"), _texts),
    st.tuples(st.just("comment"), _plain),
    st.tuples(st.just("instruction"), _plain),
)
_names = st.sampled_from([*NAMES, "unasked"])
_attributes = st.dictionaries(
    st.sampled_from([*ATTRIBUTES, "unasked"]), st.sampled_from([*VALUES, "other"]), max_size=3
)
nodes = st.recursive(
    st.builds(Node, _names, _attributes, st.lists(_parts, max_size=3)),
    lambda inner: st.builds(Node, _names, _attributes, st.lists(inner | _parts, max_size=5)),
    max_leaves=12,
)
tests_of_attributes = st.tuples(st.sampled_from(ATTRIBUTES), st.sampled_from([None, *VALUES]))
tests_of_texts = st.tuples(st.just(""), st.sampled_from(VALUES))


def condition_lists(*, texts: bool) -> st.SearchStrategy[list[Condition]]:
    tests = tests_of_attributes | tests_of_texts if texts else tests_of_attributes
    one = st.tuples(st.sampled_from(["*", *NAMES]), st.frozensets(tests, min_size=1, max_size=3))
    return st.lists(one, max_size=5)


def walked(
    documents: list[bytes], names: list[str] | None = None, conditions: list[Condition] | None = None, **more: Any
) -> list[int]:
    """Return the moves of documents."""
    asked, settled = asking(NAMES if names is None else names, conditions or [])
    guards = more.pop("guards", Guards())
    return parse_batch(from_pieces(documents), asked, settled, guards, **more).moves.tolist()
