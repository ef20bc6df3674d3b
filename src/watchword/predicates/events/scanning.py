"""JSON texts read by a kernel: the values of the attributes that subscriptions ask for, attribute by attribute.

With ``name = 'RBS'`` and ``value > 20`` subscribed, the texts ``{"name": "RBS", "noise": 1}`` and ``{"value": 25,
"name": ["a", "b"]}`` have two groups of values, each of one kind and with the text that each value stands in:

    name      STRINGS    owners 0 1 1    RBS a b
    value     INTEGERS   owners 1        25

The kernel (`kernels.predicates.scan`) takes nearly every text; `general` has the rows of the others, which are read one
by one in Python (`documents`), where wrong ones are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from watchword.arrays import Int64
from watchword.kernels.predicates import gather
from watchword.kernels.predicates.gather import BOOLEANS, DOUBLES, GROUPS, INTEGERS, NUMBERS
from watchword.kernels.predicates.scan import (
    CROWDED,
    HAS_FIELDS,
    HAS_NAMES,
    LONG_KEY,
    MAX_DEPTH,
    WORDS,
    NameTree,
    Records,
    Scratch,
    fill_table,
    scan,
)
from watchword.predicates.events.reader import NameNode, Reader
from watchword.strings import Strings, from_arrow, from_pieces, to_arrow

_RECORDS = 8
"""For how many values of a text there is room at first."""

_LEAST, _PER_TEXT, _MOST = 8, 8, 64
"""Fewer texts than `_LEAST` and one for each `_PER_TEXT` names, at most `_MOST`, are sooner read one by one: a column
takes 20 to 50 microseconds, however few its values are."""

Group = tuple[NameNode, int, Int64, pa.Array]
"""A node of the tree of names, a kind of values, the text of each value, and the values."""


def as_strings(events: Any) -> Strings | None:
    """Return events as the bytes of texts; None if one of them is no text, or none that UTF-8 can write.

    >>> as_strings(["{}", b"[]"]).data.tobytes(), as_strings(["{}", {}]), as_strings(["{}", None])
    (b'{}[]', None, None)
    """
    try:
        if not isinstance(events, pa.Array):
            events = pa.array(events, pa.large_binary() if isinstance(events[0], bytes) else pa.large_string())
        elif pa.types.is_binary_view(events.type):
            events = events.cast(pa.large_binary())
        return None if events.null_count else from_arrow(events)
    except (pa.ArrowException, UnicodeEncodeError, TypeError):
        return None


class Scanned(NamedTuple):
    """The values found in texts."""

    texts: Strings
    nodes: list[NameNode]
    records: Records
    general: Int64

    def groups(self) -> Iterator[Group]:
        """Yield the values of each attribute and kind."""
        nodes, kinds, owners = self.records[:3]
        borders, order = np.zeros(GROUPS * len(self.nodes) + 1, np.int64), np.empty(len(nodes), np.int64)
        gather.sort_records(nodes, kinds, borders, order)
        for group in np.flatnonzero(np.diff(borders)).tolist():
            rows = order[borders[group] : borders[group + 1]]
            node, kind = divmod(group, GROUPS)
            yield from self._of_kind(self.nodes[node], kind, owners[rows], rows)

    def _of_kind(self, node: NameNode, kind: int, owners: Int64, rows: Int64) -> Iterator[Group]:
        if kind == INTEGERS:
            yield node, kind, owners, pa.array(self.records.starts[rows])
        elif kind == DOUBLES:
            yield node, kind, owners, pa.array(self.records.near[rows])
        elif kind == BOOLEANS:
            yield node, kind, owners, pa.array(self.records.starts[rows] == 1)
        elif kind == NUMBERS:
            yield from self._numbers(node, owners, self._strings(rows))
        else:
            yield node, kind, owners, to_arrow(self._strings(rows))

    def _numbers(self, node: NameNode, owners: Int64, written: Strings) -> Iterator[Group]:
        """Yield numbers as Python reads them: doubles, and integers of more than 64 bits."""
        texts = [written.text(row) for row in range(written.count)]
        whole = np.array([text.lstrip("-").isdigit() for text in texts], np.bool_)
        if not whole.all():
            doubles = [float(text) for text, is_whole in zip(texts, whole, strict=True) if not is_whole]
            yield node, DOUBLES, owners[~whole], pa.array(doubles, pa.float64())
        if whole.any():
            integers = [Decimal(text) for text, is_whole in zip(texts, whole, strict=True) if is_whole]
            yield node, NUMBERS, owners[whole], pa.array(integers, pa.decimal128(38, 0))

    def _strings(self, rows: Int64) -> Strings:
        starts, ends, kinds = self.records.starts, self.records.ends, self.records.kinds
        out = np.empty(int((ends[rows] - starts[rows]).sum()), np.uint8)
        offsets = np.empty(len(rows) + 1, np.int64)
        used = gather.copy_strings(self.texts.data, starts, ends, kinds, rows, out, offsets)
        return Strings(out[:used], offsets)


class Scanner:
    """Reads texts along one tree of names."""

    def __init__(self, root: NameNode) -> None:
        self.root = root
        self.nodes, self.tree = _flat(root)
        self.least = min(_MOST, _LEAST + len(self.nodes) // _PER_TEXT)
        """The least number of texts that are worth a scan."""

    def scan(self, texts: Strings) -> Scanned:
        """Return the values found in texts."""
        records, states = new_records(_RECORDS * texts.count), np.empty(texts.count, np.uint8)
        scratch = new_scratch(int(np.diff(texts.offsets).max(initial=0)))
        row = fill = 0
        while True:
            row, fill = scan(texts.data, texts.offsets, row, fill, self.tree, scratch, records, states)
            if row == texts.count:
                break
            records = _longer(records, fill)
        return Scanned(texts, self.nodes, _first_of(records, fill), np.flatnonzero(states))


class Scanners:
    """The scanner of an index, made again when subscriptions ask for other attributes."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._made: Scanner | None = None

    def current(self) -> Scanner:
        """Return the scanner of the attributes that are asked for now; racing threads make the same."""
        root, found = self._reader.root(), self._made
        if found is None or found.root is not root:
            found = self._made = Scanner(root)
        return found


def new_records(size: int) -> Records:
    """Return room for records."""
    return Records(
        np.empty(size, np.int32),
        np.empty(size, np.uint8),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.float64),
    )


def _longer(records: Records, used: int) -> Records:
    longer = new_records(2 * len(records.nodes))
    pairs: Any = zip(records, longer, strict=True)
    for array, room in pairs:
        room[:used] = array[:used]
    return longer


def _first_of(records: Records, used: int) -> Records:
    arrays: Any = records
    return Records(*(array[:used] for array in arrays))


def new_scratch(longest: int) -> Scratch:
    """Return scratch arrays for texts of up to `longest` bytes."""
    places = 64
    while 2 * places < longest and places < 2 * CROWDED:
        places *= 2
    levels = np.empty(WORDS * (MAX_DEPTH + 1), np.int64)
    keys, objects = np.empty(places, np.uint64), np.zeros(places, np.int64)
    return Scratch(keys, objects, levels, np.empty(LONG_KEY, np.uint8), np.zeros(1, np.int64))


def _flat(root: NameNode) -> tuple[list[NameNode], NameTree]:
    """Return the nodes below and with a root, each after its parent, and their tree in arrays."""
    nodes, parents, names = [root], [-1], [b""]
    for number, node in enumerate(nodes):
        for name, below in node.below.items():
            nodes.append(below)
            parents.append(number)
            names.append(name.encode("utf-8", "surrogatepass"))
    strings = from_pieces(names)
    flags = [HAS_FIELDS * bool(node.fields) | HAS_NAMES * bool(node.below) for node in nodes]
    table = np.zeros(2 * max(4, 1 << (2 * len(nodes)).bit_length()), np.uint64)
    owners = np.array(parents, np.int32), np.array(flags, np.uint8)
    tree = NameTree(table, *owners, strings.data, strings.offsets)
    fill_table(tree)
    return nodes, tree
