"""Names, tests and conditions, and their numbers: what paths ask of documents (`kernels.paths.asked` has the layout).

The paths ``//a[@x]/b`` and ``//*[@x='1'][@y]`` have two names and two conditions::

    names       a → label 1, b → label 2
    tests       @x → 0, @x='1' → 1, @y → 2
    conditions  a[@x] → label -1, *[@x='1'][@y] → label -2
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from watchword.arrays import Arrays, Int32, offsets_of, prefixed, reserve, under
from watchword.kernels.child_table import new_table, put_child, roomy_table
from watchword.kernels.paths.asked import TEXT, Asked
from watchword.kernels.paths.settle import Conditions
from watchword.parts import Part
from watchword.paths.query import Step, Test
from watchword.strings import Strings
from watchword.text.vocabulary import Vocabulary

_ANY = -1
"""The number for "any value" in a test."""

_NONE: Int32 = np.empty(0, np.int32)
_NO_LISTS = Conditions(_NONE, np.zeros(1, np.int64), _NONE, _NONE, _NONE)


class Labels(Part):
    """Numbers names and conditions. Labels are never removed: an unused one costs a look-up.

    Each condition is listed under one of its tests: the one with the shortest list so far; what documents are asked
    grows in place with every condition.
    """

    def __init__(self) -> None:
        self._names, self._attributes, self._values = Vocabulary(), Vocabulary(), Vocabulary()
        self._tests: dict[tuple[int, int], int] = {}
        self._conditions: dict[tuple[int, ...], int] = {}
        self._pairs = new_table()
        self._present: Int32 = np.empty(0, np.int32)
        self._longest = -1
        self._lists = _NO_LISTS
        self._sizes: list[int] = []  # by test, how many conditions are found by it
        self._asked: tuple[Asked, Conditions] | None = None

    def names(self, names: Strings) -> Int32:
        """Return the labels of names; unknown ones get new labels."""
        self._asked = None
        return self._names.intern(names) + np.int32(1)

    def labels(self, steps: Sequence[Step]) -> list[int]:
        """Return the labels of steps with tests; unknown ones get new labels."""
        self._asked = None
        tests = [test for step in steps for test in step.tests]
        names = self._names.intern_texts([step.name for step in steps if step.name is not None]).tolist()
        attributes = self._attributes.intern_texts([t.attribute for t in tests if t.attribute is not None]).tolist()
        values = self._values.intern_texts([test.value for test in tests if test.value is not None]).tolist()
        name, attribute, value = iter(names), iter(attributes), iter(values)
        found = []
        for step in steps:
            numbers = [
                self._test(
                    TEXT if test.attribute is None else next(attribute), _ANY if test.value is None else next(value)
                )
                for test in step.tests
            ]
            label = 0 if step.name is None else next(name) + 1
            found.append(-1 - self._condition((label, *sorted(numbers))))
        return found

    def _test(self, attribute: int, value: int) -> int:
        """Return the number of a test."""
        known = self._tests.get((attribute, value))
        if known is not None:
            return known
        test = self._tests[attribute, value] = len(self._tests)
        self._enter_test(attribute, value, test)
        return test

    def _enter_test(self, attribute: int, value: int, test: int) -> None:
        """Add a test to the tables for documents."""
        self._sizes.append(0)
        self._lists = self._lists._replace(first=reserve(self._lists.first, test + 1, -1))
        if value == _ANY:
            self._present = reserve(self._present, attribute + 1, -1)
            self._present[attribute] = test
            return
        self._pairs = roomy_table(*self._pairs, test + 1)
        put_child(*self._pairs, attribute, value, test)
        if attribute == TEXT:
            self._longest = max(self._longest, len(self._values.text(value).encode()))

    def _condition(self, condition: tuple[int, ...]) -> int:
        """Return the number of a condition: a label, and the tests in ascending order."""
        known = self._conditions.get(condition)
        if known is not None:
            return known
        number = self._conditions[condition] = len(self._conditions)
        self._enter_condition(number, *condition)
        return number

    def _enter_condition(self, number: int, label: int, *tests: int) -> None:
        """Add a condition to the tables for documents."""
        lists = self._lists
        begin = int(lists.test_offsets[number])
        lists = Conditions(
            reserve(lists.labels, number + 1),
            reserve(lists.test_offsets, number + 2),
            reserve(lists.tests, begin + len(tests)),
            lists.first,
            reserve(lists.following, number + 1),
        )
        key = min(tests, key=self._sizes.__getitem__)
        self._sizes[key] += 1
        lists.labels[number], lists.test_offsets[number + 1] = label, begin + len(tests)
        lists.tests[begin : begin + len(tests)] = tests
        lists.following[number], lists.first[key] = lists.first[key], number
        self._lists = lists

    def asked(self) -> tuple[Asked, Conditions]:
        """Return the names, tests and conditions asked of documents, as tables for the parser."""
        made = self._asked
        if made is None:
            limits = np.array([self._longest, len(self._attributes)], np.int64)
            present = reserve(self._present, len(self._attributes), -1)
            known = self._names.known, self._attributes.known, self._values.known
            made = self._asked = Asked(*known, present, *self._pairs, limits), self._lists
        return made

    def text(self, label: int) -> str:
        """Return a label as it is written in a path."""
        if label >= 0:
            return self._names.text(label - 1) if label else "*"
        name, *tests = list(self._conditions)[-1 - label]
        pairs = list(self._tests)
        return self.text(name) + "".join(str(self._test_of(pairs[test])) for test in tests)

    def _test_of(self, pair: tuple[int, int]) -> Test:
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
        for attribute, value in arrays["tests"].tolist():
            self._test(attribute, value)
        numbers = arrays["conditions"].tolist()
        for begin, end in pairwise(arrays["condition_offsets"].tolist()):
            self._condition(tuple(numbers[begin:end]))
