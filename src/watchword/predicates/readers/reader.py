"""`AttributeReader`: reads the values of one attribute, and says which of its predicates hold in them.

A reader adds one operator to the language. ``n DIVISIBLE BY 7`` could be read by this one::

    class Divisible(AttributeReader):
        name = example = "DIVISIBLE BY"

        def __init__(self, path, surroundings):
            self._atoms = {}                                     # by divisor

        @classmethod
        def parse(cls, parser, path):                            # what follows the words of its name
            token = parser.advance()
            if not token.text.isdigit() or not int(token.text):
                raise parser.error("expected a divisor, such as 7", token)
            return parser.read_by(cls, path, (int(token.text),), token.text)

        def define(self, atoms, predicates): ...                 # remember: atom 3 is DIVISIBLE BY 7
        def points(self, values): ...                            # [14, 15] has atom 3
        def holds(self, predicate, value): ...                   # the same truth, in plain Python, for explain
        def arrays(self): ...                                    # and restore, bytes: the state, for a snapshot

An index gets to know it by its home, ``PredicateIndex(operators=["my.module:Divisible"])``; the option is saved with
the index, so that whoever opens a snapshot imports the module, in Spark's workers as well.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from watchword.arrays import offsets_of
from watchword.parts import Part
from watchword.predicates.events.held import Placed, nothing_placed
from watchword.predicates.predicate import Path, Predicate, show_path
from watchword.predicates.readers.reading import Reading
from watchword.sets.dnf import Tree

if TYPE_CHECKING:
    from watchword.predicates.language import Predicates
    from watchword.predicates.query import PredicateParser
    from watchword.predicates.schema.attribute import Attribute


class Surroundings(NamedTuple):
    """The parts of its index that a reader may use: declared hierarchies by attribute, a function that makes an index
    of queries about the objects of an attribute, and how texts are read."""

    hierarchies: Mapping[str, Mapping[str, list[str]]]
    make_index: Callable[[Surroundings], Predicates] | None = None
    reading: Reading = Reading()

    def inside(self, path: Path) -> Surroundings:
        """Return the surroundings as they are seen from the objects of an attribute.

        >>> Surroundings({"orders.topic": {"a": ["b"]}, "topic": {}}).inside(("orders",)).hierarchies
        {'topic': {'a': ['b']}}
        """
        start = show_path(path) + "."
        kept = {name.removeprefix(start): tree for name, tree in self.hierarchies.items() if name.startswith(start)}
        return self._replace(hierarchies=kept, reading=self.reading.inside(path))


ALONE = Surroundings({})


class AttributeReader(Part):
    """Reads one attribute of an index for one operator. Only one thread at a time changes it; any number of threads may
    ask it at once."""

    name: ClassVar[str]
    """The operator: words after the attribute, and the reader's name in snapshots. No two readers share it."""

    operators: ClassVar[tuple[str, ...] | None] = None
    """All operators, if the name is not the only one: `parse` finds the one that stands there in `parser.operator`."""

    example: ClassVar[str]
    """How it is written, for errors: ``KIND OF 'node'``."""

    about: ClassVar[Literal["values", "texts", "objects"]] = "values"
    """The kind of values that it reads; it may be given other values, and ignores them."""

    reads_bytes: ClassVar[bool] = False
    """Whether it reads binary columns, too, which are no values of other predicates."""

    leads: ClassVar[bool] = False
    """Whether the words stand before the attribute, as in ``ANY orders (…)``."""

    @abstractmethod
    def __init__(self, path: Path, surroundings: Surroundings) -> None:
        """Make a reader of an attribute, without predicates."""

    @classmethod
    @abstractmethod
    def parse(cls, parser: PredicateParser, path: Path) -> Tree:
        """Parse the text after the words of this reader; `parser.read_by` makes a predicate, and AND, OR and NOT may
        join several. For a wrong text, raise a `parser.error` at a token."""

    @abstractmethod
    def define(self, atoms: Sequence[int], predicates: Sequence[Predicate]) -> None:
        """Remember predicates, each under its number, which is new."""

    @abstractmethod
    def points(self, values: list[Any]) -> list[int]:
        """Return the numbers of predicates that hold for one of the values of an event, none of them null."""

    def settle(self, count: int) -> None:
        """Bring the state into the form that is quickest to read, after `count` subscriptions were stored at once."""

    def fault(self, value: Any) -> str | None:
        """Return why a value cannot be read, for `explain`; None if it can be, or is of a kind that is passed over."""
        return None

    def where(self, predicate: Predicate, value: Any) -> tuple[int, int] | None:
        """Return where in a text a predicate holds first, from character to character; None if that has no place."""
        return None

    def places(self, predicate: Predicate, value: Any) -> list[tuple[int, int]]:
        """Return all places in a text where a predicate holds; by default the first."""
        first = self.where(predicate, value)
        return [] if first is None else [first]

    @abstractmethod
    def holds(self, predicate: Predicate, value: Any) -> bool:
        """Return whether a predicate, defined or not, holds for a value: the same truth as `points`, for `explain`."""

    def place(self, column: pa.Array) -> Placed:
        """Return the numbers of predicates that hold for each value of a column, which has no null and no NaN.

        By default `points` is asked once for each distinct value; a reader with a faster way overrides this.
        """
        if pa.types.is_nested(column.type):
            return nothing_placed(len(column))
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        points = [self.points([value]) for value in encoded.dictionary.to_pylist()]
        placed = Placed(
            offsets_of([len(found) for found in points]),
            np.array([atom for found in points for atom in found], np.int32),
            None,
        )
        return placed.taken(encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64))

    def place_objects(self, texts: pa.Array) -> Placed:
        """Return the numbers of predicates that hold for each object of a column, given as JSON texts.

        By default `points` is asked for each, if the reader is about objects.
        """
        if self.about != "objects":
            return nothing_placed(len(texts))
        points = [self.points([json.loads(text)]) for text in texts.to_pylist()]
        atoms = np.array([atom for found in points for atom in found], np.int32)
        return Placed(offsets_of([len(found) for found in points]), atoms, None)

    @classmethod
    def refusal(cls, predicate: Predicate, attribute: Attribute) -> str | None:
        """Return why a predicate does not fit an attribute of a schema, None if it does."""
        if cls.about == "texts" and not attribute.may_be_text:
            return f"{cls.name} is about texts"
        return None
