"""`Held`, the result of phase one: the points that events list, and the labels of their values in each field.

The event ``{"name": "RBS", "value": 25}`` with ``name = 'RBS'`` as atom 0 and ``value > 20`` as atom 1 in field 1::

    Held(offsets=[0, 1], atoms=[0], value_offsets=[0, 1], fields=[1], positions=[201])
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, offsets_of
from watchword.index.arrow import group_by_event


class Held(NamedTuple):
    """Event `i` lists ``atoms[offsets[i]:offsets[i + 1]]``, which may repeat, and has the labels
    ``positions[value_offsets[i]:value_offsets[i + 1]]`` in `fields`; both stand field by field."""

    offsets: Int64
    atoms: Int32
    value_offsets: Int64
    fields: Int32
    positions: Int64

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def part(self, start: int, stop: int) -> Held:
        """Return the atoms and labels of some of the events."""
        offsets, values = self.offsets[start : stop + 1], self.value_offsets[start : stop + 1]
        return Held(
            offsets - offsets[0],
            self.atoms[offsets[0] : offsets[-1]],
            values - values[0],
            self.fields[values[0] : values[-1]],
            self.positions[values[0] : values[-1]],
        )

    def with_rows(self, rows: Int64, held: Held) -> Held:
        """Return these events with the atoms and labels of other events added to those of `rows`.

        >>> one, empty = one_held([7], [], []), np.zeros(3, np.int64)
        >>> held = Held(empty, one.atoms[:0], empty, one.fields, one.positions).with_rows(np.array([1]), one)
        >>> held.offsets.tolist(), held.atoms.tolist()
        ([0, 0, 1], [7])
        """
        count, both = len(self), (self, held)
        events = np.arange(count), rows
        points = [np.repeat(own, np.diff(one.offsets)) for own, one in zip(events, both, strict=True)]
        values = [np.repeat(own, np.diff(one.value_offsets)) for own, one in zip(events, both, strict=True)]
        offsets, atoms = group_by_event(count, [*zip(points, (self.atoms, held.atoms), strict=True)], np.int32)
        borders, fields = group_by_event(count, [*zip(values, (self.fields, held.fields), strict=True)], np.int32)
        _, positions = group_by_event(count, [*zip(values, (self.positions, held.positions), strict=True)], np.int64)
        return Held(offsets, atoms, borders, fields, positions)


class Placed(NamedTuple):
    """Where the values of a column stand: value `i` satisfies ``points[offsets[i]:offsets[i + 1]]`` (one point or none
    if `offsets` is None, -1 for none), and has a label if its field has spans."""

    offsets: Int64 | None
    points: Int32
    labels: Int64 | None

    def taken(self, numbers: Int64) -> Placed:
        """Return the places of some values, by number, perhaps several times."""
        labels = None if self.labels is None else self.labels[numbers]
        if self.offsets is None:
            return Placed(None, self.points[numbers], labels)
        sizes = np.diff(self.offsets)[numbers]
        borders = offsets_of(sizes)
        at = np.arange(borders[-1]) - np.repeat(borders[:-1] - self.offsets[:-1][numbers], sizes)
        return Placed(borders, self.points[at], labels)


def one_held(points: list[int], fields: list[int], positions: list[int]) -> Held:
    """Return the atoms and labels of one event."""
    offsets, atoms = np.array([0, len(points)], np.int64), np.array(points, np.int32)
    if not fields:
        return Held(offsets, atoms, *_NO_VALUES)
    return Held(
        offsets, atoms, np.array([0, len(fields)], np.int64), np.array(fields, np.int32), np.array(positions, np.int64)
    )


def nothing_placed(count: int) -> Placed:
    """Return the places of values that satisfy no point and have no label.

    >>> nothing_placed(2).points
    array([-1, -1], dtype=int32)
    """
    return Placed(None, np.full(count, -1, np.int32), None)


_NO_VALUES = np.zeros(2, np.int64), np.empty(0, np.int32), np.empty(0, np.int64)
