"""Whether a path covers another: every document that satisfies the narrower satisfies the wider.

``//head//title`` covers ``/nitf/head/*/title[@lang]``: its steps have places among those of the other, with as many
steps between as they ask for (`sequences.containment`). If none are seen, documents are made that have the narrower
path and little else; one without the wider path refutes the covering.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from xml.sax.saxutils import escape, quoteattr

from watchword.index.covering import Steps
from watchword.paths.query import XML_NAMESPACE, Step, Test
from watchword.sequences.containment import ANY, RUN, Token, contains

Path = tuple[Step, ...]


def implies(narrow: Path, wide: Path, steps: Steps) -> bool:
    """Return whether every document with `narrow` is seen to have `wide`."""
    if any(map(_is_impossible, narrow)):
        return True
    return contains(_tokens(wide), _tokens(narrow), steps, _fits, rooted=True)


def refutes(narrow: Path, wide: Path, steps: Steps, holds: Callable[[Path, str], bool]) -> bool:
    """Return whether a document is found with `narrow` and without `wide`; `holds` looks for a path in a document."""
    for document in documents(narrow, wide):
        steps.spend(len(document))
        if holds(narrow, document) and not holds(wide, document):
            return True
    return False


def _tokens(path: Path) -> list[Token]:
    """Return a path as a sequence with gaps; a `*` without tests is one of anything."""
    made: list[Token] = []
    for step in path:
        made += [RUN] * step.descendant + [ANY if step.name is None and not step.tests else step]
    return made


def _fits(wide: Step, narrow: Step) -> bool:
    """Return whether every element that satisfies a step, its axis aside, satisfies another."""
    if wide.name is not None and wide.name != narrow.name:
        return False
    return all(any(_test_implies(one, test) for one in narrow.tests) for test in wide.tests)


def _test_implies(narrow: Test, wide: Test) -> bool:
    return narrow == wide or (narrow.attribute == wide.attribute and wide.value is None)


def _is_impossible(step: Step) -> bool:
    """Return whether a step asks one attribute for two values."""
    asked = [test.attribute for test in step.tests if test.attribute is not None and test.value is not None]
    return len(set(asked)) < len(asked)


def documents(path: Path, other: Path) -> Iterator[str]:
    """Yield documents with a path whose other elements have a name that neither path has."""
    names = {step.name for step in (*path, *other)}
    fresh = next(f"x{number}" for number in range(len(names) + 1) if f"x{number}" not in names)
    for run in (0, len(other) + 1):
        opened, closed = [], []
        for step in path:
            for one in [Step(False, fresh, ())] * (run * step.descendant) + [step]:
                name, declared = _written(one.name or fresh, "n")
                opened.append(f"<{name}{declared}{_attributes(one)}>{_text(one)}")
                closed.append(f"</{name}>")
        yield "".join(opened + closed[::-1])


def _written(name: str, prefix: str) -> tuple[str, str]:
    """Return a name as documents write it, and the declaration of its namespace.

    >>> _written("urn:a}b", "n"), _written("b", "n")
    (('n:b', ' xmlns:n="urn:a"'), ('b', ''))
    """
    uri, separator, local = name.rpartition("}")
    if not separator:
        return name, ""
    return ("xml:" + local, "") if uri == XML_NAMESPACE else (f"{prefix}:{local}", f" xmlns:{prefix}={quoteattr(uri)}")


def _attributes(step: Step) -> str:
    values: dict[str, str] = {}
    for test in step.tests:
        if test.attribute is not None:
            values[test.attribute] = test.value or values.get(test.attribute, "")
    made = []
    for number, (attribute, value) in enumerate(values.items()):
        name, declared = _written(attribute, f"a{number}")
        made.append(f"{declared} {name}={quoteattr(value)}")
    return "".join(made)


def _text(step: Step) -> str:
    return next((escape(test.value) for test in step.tests if test.attribute is None and test.value is not None), "")
