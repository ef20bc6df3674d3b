"""`PathIndex`: the class that users make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from watchword.arrays import Int32, concatenated
from watchword.errors import EventError, OptionError
from watchword.index import Index, Key, as_reader
from watchword.kernels.paths.moves import ALL
from watchword.paths.language import Documents, PathLanguage

if TYPE_CHECKING:
    from watchword.index import Subscriptions

Limit = int | Mapping[Any, int] | None


class Occurrence(NamedTuple):
    """Where a path ends: the number of the element, from 1 as elements open, and of the document in its stream, from 0
    as events are numbered."""

    id: Any
    element: int
    document: int


class DocumentMatch(NamedTuple):
    """What a document of a stream satisfies, in the order of subscribing; or why it cannot be read.

    Where occurrences were asked for there is an id for each, by element, and its element in `elements`."""

    document: int
    ids: list[Any]
    error: EventError | None = None
    elements: Sequence[int] = ()


class _Found(NamedTuple):
    """What one document of a stream has: ids, and for each an element if elements were asked for."""

    document: int
    ids: pa.Array
    elements: Int32
    error: EventError | None = None


class PathIndex(Index[Key]):
    r"""Linear XPath over XML documents: `/`, `//`, `*` and names, with tests of attributes and texts.

    >>> index = PathIndex({"s1": "/nitf/head//title", "s2": "//media[@type='image']", "s3": "//p/*/em"})
    >>> document = b'<nitf><head><meta/><title>Rain</title></head><body><media type="image"/></body></nitf>'
    >>> index.match(document)
    ['s1', 's2']
    >>> index.occurrences(document)
    [Occurrence(id='s1', element=4, document=0), Occurrence(id='s2', element=6, document=0)]
    >>> print(index.explain(document, "s3"))
    no match: missing //p in: //p/*/em

    A document is bytes, a `str`, a `pathlib.Path` or an open file, and is read once, from beginning to end. Beside
    ``[@name]``, ``[@name='value']`` and ``[text()='value']`` on any step a path may end in ``/@name``. A path without a
    leading slash begins anywhere. Options of every method, with their defaults:

    - `namespaces` (None): a mapping from prefix to namespace. Names are then compared by namespace, and ``{uri}name``
      is allowed; without it they are compared as they are written, prefix included
    - `max_depth` (1,000), `max_bytes` (1,073,741,824): how deep the elements of a document may nest, and its size
    - `max_declared` (256): how many attributes the DOCTYPE of a document may declare for one element
    - `max_length` (4,096), `max_steps` (256): how many characters and steps a path may have

    Option of `auto`:

    - `guide_bytes` (67,108,864): how much memory the guide may take, or as much as the automaton if that is more; more
      helps where documents nest heavily and come again

    Option of `lazy-dfa`:

    - `max_states` (10,000): how many states are kept; then all are dropped
    """

    plug = PathLanguage
    _plugged: PathLanguage

    if TYPE_CHECKING:  # for editors and type checkers; when it runs, `Index` takes and checks every option

        def __init__(
            self,
            subscriptions: Subscriptions[Key] | None = None,
            *,
            id: str | None = None,
            subscription: str | None = None,
            method: str | Literal["auto", "yfilter", "lazy-dfa", "pma", "pma2"] = "auto",
            namespaces: Mapping[str, str] | None = None,
            max_length: int = 4096,
            max_steps: int = 256,
            max_depth: int = 1000,
            max_bytes: int = 1_073_741_824,
            max_declared: int = 256,
            guide_bytes: int = ...,
            max_states: int = ...,
        ) -> None: ...

    def match_stream(self, file: Any) -> Iterator[DocumentMatch]:
        """Match the concatenated documents of an open file as they come.

        Documents may have XML declarations or not, and white space and comments between them. One that is not
        well-formed is reported with its error, and reading goes on at the next ``<?xml`` or ``<!DOCTYPE``.

        >>> import io
        >>> index = PathIndex({"s1": "//a", "s2": "/b/a"})
        >>> for found in index.match_stream(io.BytesIO(b"<a/><b><a/></b>")):
        ...     print(found.document, found.ids)
        0 ['s1']
        1 ['s1', 's2']
        """
        for found in self._stream(file, 1, elements=False):
            yield DocumentMatch(found.document, found.ids.to_pylist(), found.error)

    def occurrences(self, event: Any, limit: Limit = None) -> list[Occurrence]:
        """Return every element that a path ends at: by document, element and the order of subscribing.

        `limit` is how many are wanted of each path in a document, or a mapping from id to that; what the mapping leaves
        out has no limit. An open file may have several documents, concatenated. One occurrence is reported for a path
        and an element, however many ways lead there.
        """
        return [
            Occurrence(key, element, found.document)
            for found in self._occurrences(event, limit, ordered=True)
            for key, element in zip(found.ids.to_pylist(), found.elements.tolist(), strict=True)
        ]

    def occurrences_stream(self, file: Any, limit: Limit = None) -> Iterator[DocumentMatch]:
        """Yield the occurrences of each document of an open file, as they come, or why it cannot be read.

        >>> import io
        >>> index = PathIndex({"s1": "//a", "s2": "/b/a"})
        >>> for found in index.occurrences_stream(io.BytesIO(b"<a/><b><a/></b>")):
        ...     print(found.document, found.ids, found.elements)
        0 ['s1'] [1]
        1 ['s1', 's2'] [2, 2]
        """
        for found in self._stream(file, limit, elements=True):
            yield DocumentMatch(found.document, found.ids.to_pylist(), found.error, found.elements.tolist())

    def occurrences_table(self, event: Any, limit: Limit = None) -> pa.Table:
        """Return what `occurrences` does as a table of ``document``, ``element`` and ``subscription``.

        No object is made per row, and nothing promised of the order within a document.
        """
        rows = [
            (pa.array(np.full(len(found.ids), found.document)), pa.array(found.elements), found.ids)
            for found in self._occurrences(event, limit)
        ]
        pairs = self._table([(documents, ids) for documents, _, ids in rows])
        columns = [pairs["event"], pa.chunked_array([row[1] for row in rows], pa.int32()), pairs["subscription"]]
        return pa.table(columns, names=["document", "element", "subscription"])

    def _occurrences(self, event: Any, limit: Limit, *, ordered: bool = False) -> Iterator[_Found]:
        if hasattr(event, "read"):
            for found in self._stream(event, limit, elements=True, ordered=ordered):
                if found.error is not None:
                    raise found.error
                yield found
        else:
            yield self._one_document(event, limit, ordered)

    @as_reader
    def _one_document(self, event: Any, limit: Limit, ordered: bool) -> _Found:
        return self._follow(self._plugged.read([event], 0), 0, limit, elements=True, ordered=ordered)

    def _stream(self, file: Any, limit: Limit, *, elements: bool, ordered: bool = True) -> Iterator[_Found]:
        """Yield what each document of a file has. The index may change between two documents."""
        documents = self._plugged.stream(file, self._current_language)
        for number in count():
            found = self._next_document(documents, number, limit, elements=elements, ordered=ordered)
            if found is None:
                return
            yield found

    @as_reader
    def _next_document(
        self, documents: Iterator[Documents], number: int, limit: Limit, *, elements: bool, ordered: bool
    ) -> _Found | None:
        document = next(documents, None)
        if document is None:
            return None
        try:
            return self._follow(document, number, limit, elements=elements, ordered=ordered)
        except EventError as error:
            return _Found(number, self._catalog.ids(_NONE), _NONE, error)

    def _follow(self, document: Documents, number: int, limit: Limit, *, elements: bool, ordered: bool) -> _Found:
        """Return the ids, and the elements, that the walk of one document finds."""
        run = self._plugged.structure.start(self._limits(limit), elements=elements)
        slots: list[Int32] = []
        places: list[Int32] = []
        try:
            for moves in document.pieces:
                pairs = run.feed(moves)
                slots.append(pairs.payloads)
                places.append(pairs.elements)
        finally:
            self._count(1, run.end())
        return self._resolve(number, concatenated(slots, np.int32), concatenated(places, np.int32), ordered)

    def _resolve(self, document: int, slots: Int32, elements: Int32, ordered: bool) -> _Found:
        if ordered:
            order = np.lexsort((slots, elements)) if len(elements) else np.argsort(slots)
            slots, elements = slots[order], elements[order] if len(elements) else elements
        return _Found(document, self._catalog.ids(slots), elements)

    def _limits(self, limit: Limit) -> Int32:
        """Return the limit of every slot, one for all where they are alike."""
        if not isinstance(limit, Mapping):
            return np.array([ALL if limit is None else _checked(limit)], np.int32)
        limits = np.full(self._catalog.slots, ALL, np.int32)
        for key, most in limit.items():
            limits[self._slot(key)] = _checked(most)
        return limits


_NONE: Int32 = np.empty(0, np.int32)


def _checked(limit: int) -> int:
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise OptionError(f"limit must be a positive integer, a mapping from id to one, or None, not {limit!r}")
    return min(limit, ALL)
