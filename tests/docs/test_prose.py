"""Docstrings are plain English: riddles are counted by folder, and their number may only fall.

A riddle hides a noun: "those that are dead" are dead rows, "so many bytes" `size` bytes, "what is left" the rest.
CONTRIBUTING.md has the rules and examples. A sentence may use such a phrase well; so they are counted, not forbidden.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "watchword"

RIDDLES = re.compile(
    r"\b(?:those (?:that|which|whose)|what (?:is|was|are|were|has|had)|so (?:many|much)|of (?:which|whom|whose)|nobody"
    r"|somebody|anew|behind (?:the other|each other|one another)|at hand|for good|who is about)\b",
    re.IGNORECASE,
)

CEILINGS = {
    "kernels": 16,
    "kernels/cache": 7,
    "kernels/paths": 42,
    "kernels/patterns": 34,
    "kernels/properties": 1,
    "kernels/sequences": 5,
    "kernels/sets": 1,
    "keywords": 1,
    "properties": 2,
    "sets": 1,
    "store": 1,
    "text": 1,
}
"""The most sentences with a riddle in each folder of the package: lower a number when you have removed some."""


def docstrings(source: str) -> Iterator[str]:
    """Yield the docstrings of a module, of its classes and functions, and of its constants and fields.

    >>> list(docstrings('SIZE = 3\\n\\"\\"\\"Rows of a block.\\"\\"\\"'))
    ['Rows of a block.']
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def sentences(text: str) -> list[str]:
    """Return the sentences of a text.

    >>> sentences("Return rows. None is dead: `dead` is empty.")
    ['Return rows.', 'None is dead:', '`dead` is empty.']
    """
    return [found for found in re.split(r"(?<=[.!?:])\s+(?=[A-Z`])|\n\s*\n", text) if found.strip()]


def riddles(source: str) -> list[str]:
    """Return the sentences with a riddle in the docstrings of a module."""
    if not RIDDLES.search(" ".join(source.split())):
        return []  # most modules: parsing them all would take a second
    found = [" ".join(sentence.split()) for text in docstrings(source) for sentence in sentences(text)]
    return [sentence for sentence in found if RIDDLES.search(sentence)]


def folder_of(file: Path) -> str:
    """Return the folder by which a file is counted: `sets`, `kernels/sets`, or `.` for the package itself."""
    parts = file.relative_to(PACKAGE).parts[:-1]
    return "/".join(parts[: 2 if parts[:1] == ("kernels",) else 1]) or "."


def counted() -> Counter[str]:
    """Return the number of riddles in each folder."""
    counts: Counter[str] = Counter()
    for file in PACKAGE.rglob("*.py"):
        counts[folder_of(file)] += len(riddles(file.read_text(encoding="utf-8")))
    return counts


def test_no_folder_has_more_riddles_than_before():
    worse = {folder: count for folder, count in counted().items() if count > CEILINGS.get(folder, 0)}
    lines = [
        f"{file.relative_to(PACKAGE)}: {sentence}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if folder_of(file) in worse
        for sentence in riddles(file.read_text(encoding="utf-8"))
    ]
    assert not worse, "\n".join([f"say these in nouns and verbs, or fewer of them than {worse}:", *lines])


@pytest.mark.parametrize(
    "sentence, is_riddle",
    [
        ("Return, for who is about to put a row into the delta, what counts of rows weigh.", True),
        ("Return at most so many bytes.", True),
        ("Return those\nthat are dead.", True),
        ("Documents one behind the other.", True),
        ("Documents behind one another.", True),
        ("Return the weight of row counts and the pool position of the next record.", False),
        ("Concatenated documents.", False),
    ],
)
def test_riddles_are_recognised(sentence: str, is_riddle: bool):
    assert bool(riddles(f'"""{sentence}"""')) is is_riddle
