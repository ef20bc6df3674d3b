"""Why a document satisfies a path, or how far the path goes in it.

Every beginning of the path is looked for, by the method `yfilter` in a small automaton of its own; each also without
the tests of its last step, so that an element which only fails a test is named.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.parsers import expat

import numpy as np

from watchword.arrays import Int32
from watchword.index import ClauseReport
from watchword.paths.compiler import compile_paths
from watchword.paths.labels import Labels
from watchword.paths.parsing.documents import Loaded
from watchword.paths.passes import ONCE
from watchword.paths.query import Step
from watchword.paths.yfilter import YFilter


def report(
    subscription: str, steps: tuple[Step, ...], document: Loaded, walk: Callable[[Labels], Int32], separator: str | None
) -> ClauseReport:
    """Return the first element at which a path ends, or the first step of the path without an element.

    `walk` returns the document's moves under labels.
    """
    found = _first_elements(steps, walk)
    last = len(steps) - 1
    if (element := found.get((last, True))) is not None:
        return ClauseReport(f"{subscription} at {_place(document, element, separator)}")
    reached = max((number for number, tested in found if tested), default=-1)
    step = steps[reached + 1]
    bare = found.get((reached + 1, False))
    if bare is not None:
        missing = f"{''.join(map(str, step.tests))} at {_place(document, bare, separator)}"
    elif reached >= 0:
        missing = f"{step} behind {_place(document, found[reached, True], separator)}"
    else:
        missing = str(step)
    return ClauseReport(subscription, missing=(missing,))


def _first_elements(steps: tuple[Step, ...], walk: Callable[[Labels], Int32]) -> dict[tuple[int, bool], int]:
    """Return the first element that each beginning of the path ends at, with the tests of its last step and without."""
    keys = [(number, tested) for number in range(len(steps)) for tested in (True, False)]
    beginnings = [
        (*steps[:number], steps[number] if tested else steps[number]._replace(tests=())) for number, tested in keys
    ]
    labels, structure = Labels(), YFilter()
    structure.add(compile_paths(beginnings).with_labels(labels), np.arange(len(keys), dtype=np.int32))
    pairs = structure.start(ONCE, elements=True).feed(walk(labels))
    return {
        keys[payload]: element
        for payload, element in zip(pairs.payloads.tolist(), pairs.elements.tolist(), strict=True)
    }


def _place(document: Loaded, element: int, separator: str | None) -> str:
    """Return an element's number and the names on the way to it; the document must be well-formed."""
    parser = expat.ParserCreate("utf-8" if document.decoded else None, separator)
    names: list[str] = []
    opened = 0
    found = ""

    def start(name: str, _: Any) -> None:
        nonlocal opened, found
        opened += 1
        names.append(f"{{{name}" if separator and separator in name else name)
        if opened == element:
            found = "/".join(["", *names])

    def end(_: str) -> None:
        names.pop()

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(document.data, True)
    return f"element {element}, {found}"
