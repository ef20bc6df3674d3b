"""Names, tests and conditions, and their numbers: what paths ask of documents (`kernels.paths.asked` has the layout).

The paths ``//a[@x]/b`` and ``//*[@x='1'][@y]`` have two names and two conditions::

    names       a → label 1, b → label 2
    tests       @x → 0, @x='1' → 1, @y → 2
    conditions  a[@x] → label -1, *[@x='1'][@y] → label -2
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from watchword.arrays import Arrays, Int32, offsets_of, prefixed, under
from watchword.kernels.child_table import new_table, put_child, roomy_table
from watchword.kernels.paths.asked import TEXT, Asked
from watchword.kernels.paths.settle import Conditions, keyed_conditions
from watchword.parts import Part
from watchword.paths.query import Step, Test
from watchword.strings import Strings
from watchword.text.vocabulary import Vocabulary

_ANY = -1
"""Stands for the value where a test asks for none."""


class Labels(Part):
    """Numbers names and conditions. They are never given up: what nobody asks for any more costs a look-up."""

    def __init__(self) -> None:
        self._names, self._attributes, self._values = Vocabulary(), Vocabulary(), Vocabulary()
        self._tests: dict[tuple[int, int], int] = {}
        self._conditions: dict[tuple[int, ...], int] = {}
        self._asked: tuple[Asked, Conditions] | None = None

    def names(self, names: Strings) -> Int32:
        """Return the labels of names; unknown ones get new labels."""
        self._asked = None
        return self._names.intern(names) + np.int32(1)

    def label(self, step: Step) -> int:
        """Return the label of a step."""
        name = 0 if step.name is None else int(self._names.intern_texts([step.name])[0]) + 1
        self._asked = None
        if not step.tests:
            return name
        condition = name, *sorted(self._test(test) for test in step.tests)
        return -1 - self._conditions.setdefault(condition, len(self._conditions))

    def _test(self, test: Test) -> int:
        attribute = TEXT if test.attribute is None else int(self._attributes.intern_texts([test.attribute])[0])
        value = _ANY if test.value is None else int(self._values.intern_texts([test.value])[0])
        return self._tests.setdefault((attribute, value), len(self._tests))

    def asked(self) -> tuple[Asked, Conditions]:
        """Return what documents are asked, as the parser looks it up; made anew when there is more."""
        made = self._asked
        if made is None:
            made = self._asked = self._make_asked(), self._make_conditions()
        return made

    def _make_asked(self) -> Asked:
        present = np.full(len(self._attributes), -1, np.int32)
        keys, values = roomy_table(*new_table(), len(self._tests))
        longest = -1
        for (attribute, value), test in self._tests.items():
            if value == _ANY:
                present[attribute] = test
            else:
                put_child(keys, values, attribute, value, test)
            if attribute == TEXT:
                longest = max(longest, len(self._values.text(value).encode()))
        limits = np.array([longest, len(self._attributes)], np.int64)
        return Asked(self._names.known, self._attributes.known, self._values.known, present, keys, values, limits)

    def _make_conditions(self) -> Conditions:
        conditions = list(self._conditions)
        labels = np.array([condition[0] for condition in conditions], np.int32)
        offsets = offsets_of([len(condition) - 1 for condition in conditions])
        tests = np.array([test for condition in conditions for test in condition[1:]], np.int32)
        return keyed_conditions(labels, offsets, tests, len(self._tests))

    def text(self, label: int) -> str:
        """Return a label as a path has it."""
        if label >= 0:
            return self._names.text(label - 1) if label else "*"
        name, *tests = list(self._conditions)[-1 - label]
        pairs = list(self._tests)
        return self.text(name) + "".join(str(self._spelled(pairs[test])) for test in tests)

    def _spelled(self, pair: tuple[int, int]) -> Test:
        attribute, value = pair
        return Test(
            None if attribute == TEXT else self._attributes.text(attribute),
            None if value == _ANY else self._values.text(value),
        )

    @property
    def bytes(self) -> int:
        """Return the bytes of the names and values, and of the numbers of tests and conditions."""
        strings = self._names.bytes + self._attributes.bytes + self._values.bytes
        return strings + 8 * len(self._tests) + 4 * sum(map(len, self._conditions))

    def arrays(self) -> Arrays:
        """Return the state for a snapshot."""
        conditions = list(self._conditions)
        return {
            **prefixed("names", self._names.arrays()),
            **prefixed("attributes", self._attributes.arrays()),
            **prefixed("values", self._values.arrays()),
            "tests": np.array(list(self._tests), np.int64).reshape(-1, 2),
            "condition_offsets": offsets_of([len(condition) for condition in conditions]),
            "conditions": np.array([number for condition in conditions for number in condition], np.int32),
        }

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._names.restore(under("names", arrays))
        self._attributes.restore(under("attributes", arrays))
        self._values.restore(under("values", arrays))
        self._tests = {(pair[0], pair[1]): test for test, pair in enumerate(arrays["tests"].tolist())}
        borders, numbers = arrays["condition_offsets"].tolist(), arrays["conditions"].tolist()
        self._conditions = {tuple(numbers[begin:end]): number for number, (begin, end) in enumerate(pairwise(borders))}
