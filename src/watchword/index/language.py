"""What a language plugs into an index: six methods, and its state as named parts.

    compile   texts into something ready to be stored; changes nothing, so threads may do it at any time
    add       compiled subscriptions, under slots
    remove    a slot
    read      phase one: events into the numbers of the atoms that hold in them
    find      phase two: which subscriptions are satisfied by these atoms, as slots
    explain   why an event matches a subscription, or not

A *slot* is the number of a subscription in the order of subscribing (`catalog`). The index calls `add` and `remove`
while no thread reads, and `read` and `find` while none changes it. Everything else is the index's business: ids, order,
batches, errors, snapshots, figures, threads. ``tests/contract/numbers.py`` has a whole language in sixty lines.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from watchword.arrays import Int32
from watchword.errors import EventError, OptionError, SubscriptionError
from watchword.index.covering import Steps
from watchword.index.events import sample
from watchword.index.hits import Hits
from watchword.index.places import NOWHERE, Placing
from watchword.index.report import Explanation
from watchword.index.routing import Atoms, Needs
from watchword.index.structure import Structure
from watchword.options import Option, settled
from watchword.parts import Part
from watchword.strings import Strings, from_texts


class Method(NamedTuple):
    """A way to match: a structure, and its options beyond those of the language."""

    structure: Callable[..., Structure[Any, Any, Any]]
    options: Mapping[str, Option] = {}


def method_table(
    structures: Mapping[str, Callable[..., Structure[Any, Any, Any]]] | Mapping[str, str],
    options: Mapping[str, Mapping[str, Option]] = {},
) -> dict[str, Method]:
    """Return methods by name; `options` has the own options of methods that have some.

    A structure may be given by its home, "watchword.sets.trie:Trie": it is imported, with its kernels, when an index
    first uses it.
    """
    made = {name: partial(_make, kind) if isinstance(kind, str) else kind for name, kind in structures.items()}
    return {name: Method(kind, options.get(name, {})) for name, kind in made.items()}


def _make(home: str, **options: Any) -> Structure[Any, Any, Any]:
    module, _, name = home.partition(":")
    structure: Structure[Any, Any, Any] = getattr(import_module(module), name)(**options)
    return structure


@dataclass(frozen=True)
class EventKind:
    """What an event of a language is, for whoever reads events from files, tables and streams.

    >>> EventKind(objects="json")
    EventKind(objects='json', several_texts=False, documents=False)
    """

    objects: Literal["columns", "json"] | None = None
    """Whether an event is an object, so a whole row where events come as a table or from a file: as `columns`, or as
    `json`, also by a text. None: an event is one value, and a table has a column of them."""
    several_texts: bool = False
    """Whether an event may be several texts, by names (`texts`): a struct in Arrow."""
    documents: bool = False
    """Whether an event is a document: a file may hold one of them, or many."""


class OneChange(Protocol):
    """A quick way to store single texts, without `compile_one` and `add_one`."""

    def takes(self, text: Any) -> bool:
        """Return whether a text looks simple enough for `add`."""

    def add(self, slot: int, text: str) -> bool:
        """Store a text and return True; return False and store nothing if the text must be compiled first."""


class Language(ABC):
    """A language under one choice of method and options. A new one is empty."""

    name: ClassVar[str]
    methods: ClassVar[Mapping[str, Method]]
    options: ClassVar[Mapping[str, Option]] = {}
    reads: ClassVar[EventKind] = EventKind()
    attributes: Sequence[str] | None = None
    """Where events are objects: the attributes that each has, if they are declared; None for any."""

    parts: dict[str, Part]
    """The state, by names under which a snapshot keeps it; ``structure`` is always there."""

    def __init__(self, method: str, options: Mapping[str, Any]) -> None:
        """Make the structure of a method; `options` are settled."""
        self.structure: Any = self.make_structure(method, options)
        self.parts = {"structure": self.structure}

    def make_structure(self, method: str, options: Mapping[str, Any], *sizes: int) -> Structure[Any, Any, Any]:
        """Return the empty structure of a method; `sizes` are what a language has to say before its options."""
        kind, known = self.methods[method]
        return kind(*sizes, **{name: options[name] for name in known if name in options})

    @abstractmethod
    def compile(self, texts: Strings) -> Any:
        """Return subscriptions ready to be stored; a `SubscriptionError` names the row of one that is refused."""

    @abstractmethod
    def add(self, slots: Int32, compiled: Any) -> None:
        """Store what `compile` returned, row `i` under ``slots[i]``, which has nothing yet."""

    @abstractmethod
    def remove(self, slot: int, text: str) -> None:
        """Remove the subscription of a slot, which is `text`."""

    @abstractmethod
    def read(self, events: Any, position: int) -> Any:
        """Return the atoms that hold in a batch of events, a list or an Arrow array; the first is at `position`."""

    @abstractmethod
    def find(self, holding: Any) -> Hits:
        """Return the slots that the atoms of `read` satisfy, each once an event."""

    @abstractmethod
    def explain(self, event: Any, text: str) -> Explanation:
        """Say why an event matches a subscription, or why not."""

    def conjuncts(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of the parts of a subscription that AND joins; by default the whole is one part."""
        return [(0, len(text))]

    def placing(self, event: Any) -> Placing:
        """Return an event as it is asked where a subscription's words stand in it."""
        return NOWHERE

    def asked(self, text: str) -> Any:
        """Return a subscription as `implies` takes it."""
        self.compile_one(text)
        return text

    def implies(self, narrow: Any, wide: Any, steps: Steps) -> bool:
        """Return whether it is proven that every event that satisfies one subscription satisfies another; both are as
        `asked` returns them."""
        return bool(narrow == wide)

    def refutes(self, narrow: Any, wide: Any, steps: Steps) -> bool:
        """Return whether an event was found that satisfies one subscription and not another."""
        return False

    @abstractmethod
    def figures(self) -> Mapping[str, int]:
        """Return how many ``clauses`` and ``atoms`` there are."""

    # what a language may do better, or besides

    @property
    def is_outworn(self) -> bool:
        """Return whether many stored atoms are unused, so that rebuilding the language would free memory."""
        return False

    def compile_one(self, text: str) -> Any:
        """Return one subscription, for `add_one`; an error names no row."""
        if not isinstance(text, str):
            raise SubscriptionError(f"a subscription is a str, not {type(text).__name__}")
        try:
            return self.compile(from_texts([text]))
        except SubscriptionError as error:
            raise error.without_row() from None

    def add_one(self, slot: int, compiled: Any) -> None:
        """Store what `compile_one` returned."""
        self.add(np.array([slot], np.int32), compiled)

    one_change: OneChange | None = None
    """The quick way to store single texts, if the language has one."""

    def find_one(self, event: Any) -> tuple[Int32, int]:
        """Return the slots that one event satisfies, in an array of their own, and the operations spent."""
        hits = self.find(self.read([event], 0))
        return hits.payloads, hits.operations

    def refusal(self, kind: pa.DataType) -> str | None:
        """Return the reason why no event of an Arrow type can be read; None if some can."""
        try:
            self.read(sample(kind, self.blank), 0)
        except EventError as error:
            return error.reason
        return None

    blank: str = ""
    """A text that is an event with nothing in it."""

    def prepared(self, events: Any, position: int = 0) -> Any:
        """Return the events of a call in a form whose slices `read` takes, with the work that all slices share done
        once. The first event is at `position`."""
        return events

    def for_thread(self, prepared: Any, stop: int) -> Any:
        """Return what `prepared` returned, for another thread that reads no event from `stop` on."""
        return prepared

    def stream(self, file: Any, current: Callable[[], Language]) -> Iterator[Any] | None:
        """Return the events of an open file, as they are read, each in the form that `find` takes.

        None if an open file is no batch of events in this language. `current` returns the language that is plugged in
        when an event is read: the index may replace it between two events.
        """
        return None

    def needs(self, texts: Strings) -> Needs | None:
        """Return the atoms that events need to satisfy subscriptions; None if this language cannot tell."""
        return None

    def atoms(self, events: pa.Array) -> Atoms | None:
        """Return the atoms that events have, comparable with `needs`; None if they cannot be told for this type.

        An `EventError` names the position of an event that is refused, always the first such.
        """
        return None


def constructor_of(plug: type[Language]) -> inspect.Signature:
    """Return the constructor of a language's index with every option by name, for `help` and for notebooks.

    Options of the language have their defaults; those of single methods have ``...``, whatever the method says.
    """
    defaults: dict[str, Any] = {"id": None, "subscription": None, "method": "auto"}
    defaults |= {name: option.default for name, option in plug.options.items()}
    defaults |= {name: ... for method in plug.methods.values() for name in method.options}
    kind = inspect.Parameter
    named = [kind(name, kind.KEYWORD_ONLY, default=default) for name, default in defaults.items()]
    return inspect.Signature([kind("subscriptions", kind.POSITIONAL_OR_KEYWORD, default=None), *named])


def settle_options(plug: type[Language], method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every option of a method of a language."""
    if method not in plug.methods:
        raise OptionError(f"no method {method!r} for {plug.name}; there are: {', '.join(plug.methods)}")
    return settled(given, {**plug.options, **plug.methods[method].options}, f"method {method!r}")
