"""Phase one: from events to bits.

An event is the set of the properties that are 1 (any iterable of their names), the bit string ``110`` over all of them,
or a mapping from names to 0 or 1; what a set or a mapping does not name is 0. A batch of them may be an Arrow array:
bit strings (also binary or dictionary-encoded), lists of names, or structs with a field of booleans, or integers 0 and
1, for each property. None of these becomes a Python object per event.

>>> reader = Reader(Declared(["sports", "politics", "arts"]))
>>> for event in ({"sports", "politics"}, "110", {"sports": True, "politics": 1, "arts": 0}):
...     print(reader.read([event], 0).matrix().tolist())
[[1, 1, 0]]
[[1, 1, 0]]
[[1, 1, 0]]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from watchword.arrays import Int32, UInt8
from watchword.errors import EventError
from watchword.index.arrow import is_list, text_lists
from watchword.index.events import decoded, refuse_nulls, texts_of
from watchword.index.frames import refuse_table
from watchword.properties.bits import Bits
from watchword.properties.query import Declared
from watchword.strings import Strings, first_null, first_repeated, from_arrow
from watchword.text.vocabulary import Vocabulary
from watchword.visible import counted, shown

_EXPECTED = "bit strings, lists of names, or structs of booleans"


class Reader:
    """Reads events over declared properties."""

    def __init__(self, declared: Declared) -> None:
        self.declared = declared
        self.vocabulary = Vocabulary()
        self.vocabulary.intern_texts(declared.names)

    def read(self, events: Any, position: int) -> Bits:
        """Return a batch, whose first event is at `position`."""
        if isinstance(events, pa.Array):
            return Bits.of(self._arrow(events, position))
        matrix = np.zeros((len(events), len(self.declared)), np.uint8)
        for row, event in enumerate(events):
            matrix[row, self.ones(event, position + row)] = 1
        return Bits.of(matrix)

    def ones(self, event: Any, position: int = 0) -> list[int]:
        """Return the properties that are 1 in one event, in plain Python."""
        event = decoded(event, position)
        if isinstance(event, str):
            if len(event) != len(self.declared) or event.strip("01"):
                self._refuse_text(event, position)
            return [number for number, character in enumerate(event) if character == "1"]
        if isinstance(event, Mapping):
            numbered = [(self._number(name, position), _bit(name, value, position)) for name, value in event.items()]
            return [number for number, bit in numbered if bit]
        if not isinstance(event, Iterable):
            kind = type(event).__name__
            raise EventError(f"an event is a set of names, a bit string or a mapping, not {kind}", position=position)
        refuse_table(event, position)
        return [self._number(name, position) for name in event]

    def _number(self, name: Any, position: int) -> int:
        if not isinstance(name, str):
            raise EventError(f"its names must be str, and {shown(name)} is {type(name).__name__}", position=position)
        number = self.declared.numbers.get(name)
        if number is None:
            self._refuse_name(name, position)
        return number

    def _refuse_name(self, name: str, position: int) -> NoReturn:
        message = f"{shown(name)} is not a declared property; declared are {self.declared.some()}"
        raise EventError(message, position=position)

    def _refuse_text(self, text: str, position: int) -> NoReturn:
        odd = text.strip("01")
        if odd:
            at = text.index(odd[0])
            message = f"a text is a string of bits, and {odd[0]!r} at {at} is none; give names as a set"
        else:
            message = f"a string of {counted(len(text), 'bit')} for {self.declared.shown_count}"
        raise EventError(message, position=position)

    # Arrow arrays

    def _arrow(self, column: pa.Array, position: int) -> UInt8:
        refuse_nulls(column, position)
        if pa.types.is_struct(column.type):
            return self._columns(column, position)
        if is_list(column.type):
            return self._lists(column, position)
        return self._texts(texts_of(column, position, _EXPECTED), position)

    def _texts(self, texts: Strings, position: int) -> UInt8:
        """Return bit strings as a matrix."""
        wrong = np.flatnonzero(np.diff(texts.offsets) != len(self.declared))
        last = int(wrong[0]) if len(wrong) else texts.count
        bits = texts.data[: texts.offsets[last]].reshape(last, len(self.declared)) - np.uint8(48)
        odd = np.flatnonzero((bits > 1).any(axis=1))
        if len(odd) or len(wrong):
            row = int(odd[0]) if len(odd) else last
            self.ones(texts.data[texts.offsets[row] : texts.offsets[row + 1]].tobytes(), position + row)
        return bits

    def _lists(self, column: pa.Array, position: int) -> UInt8:
        """Return lists of names as a matrix."""
        lists = text_lists(column, position, "names")
        numbers = self._numbers(lists.texts)
        unknown = np.flatnonzero(numbers < 0)
        if len(unknown):
            at = int(unknown[0])
            self._refuse_name(str(lists.texts[at].as_py()), position + lists.owner(at))
        matrix = np.zeros((len(column), len(self.declared)), np.uint8)
        matrix[np.repeat(np.arange(len(column)), np.diff(lists.offsets)), numbers] = 1
        return matrix

    def _numbers(self, names: pa.Array) -> Int32:
        if pa.types.is_dictionary(names.type):
            found: Int32 = self._numbers(names.dictionary)[names.indices.to_numpy(zero_copy_only=False)]
            return found
        return self.vocabulary.find(from_arrow(names))

    def _columns(self, column: pa.Array, position: int) -> UInt8:
        """Return structs with a field for each property as a matrix."""
        names = [field.name for field in column.type]
        self._check_columns(names, position)
        matrix = np.zeros((len(column), len(self.declared)), np.uint8)
        first: tuple[int, str] | None = None
        for name, values in zip(names, column.flatten(), strict=True):
            bad = _fill(matrix[:, self.declared.numbers[name]], name, values, position)
            first = bad if first is None or (bad is not None and bad[0] < first[0]) else first
        if first is not None:
            raise EventError(first[1], position=position + first[0])
        return matrix

    def _check_columns(self, names: list[str], position: int) -> None:
        for name in names:
            if name not in self.declared.numbers:
                self._refuse_name(name, position)
        twice = first_repeated(names)
        if twice is not None:
            raise EventError(f"two columns are named {twice!r}; leave one out", position=position)
        missing = self.declared.numbers.keys() - set(names)
        if missing:
            name = min(missing, key=self.declared.numbers.__getitem__)
            raise EventError(f"there is no column for the property {name!r}; give one for each", position=position)


def _bit(name: Any, value: Any, position: int) -> bool:
    """Return a value of a mapping as a bit."""
    if isinstance(value, bool | int | np.bool_ | np.integer) and value in (0, 1):
        return bool(value)
    raise EventError(f"{name!r} is {shown(value)}; a property is 0 or 1", position=position)


def _fill(bits: UInt8, name: str, values: pa.Array, position: int) -> tuple[int, str] | None:
    """Write one property of all events; return the first event in which it is no bit, and why."""
    null = first_null(values)
    if null is not None:
        return null, f"the property {name!r} is null; write 0 or 1"
    if not (pa.types.is_boolean(values.type) or pa.types.is_integer(values.type)):
        raise EventError(
            f"column {name!r} is of {values.type}; expected booleans, or integers 0 and 1", position=position
        )
    given = values.to_numpy(zero_copy_only=False)
    bits[:] = given
    odd = np.flatnonzero((given != 0) & (given != 1))
    return (int(odd[0]), f"the property {name!r} is {given[odd[0]]}; write 0 or 1") if len(odd) else None
